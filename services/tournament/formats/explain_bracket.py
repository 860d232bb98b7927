"""Why somebody meets whom it meets in a bracket."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from services.tournament.formats import double, single
from services.tournament.formats.bracket import levels_for
from services.tournament.formats.brackets import Start, living
from services.tournament.formats.decided import is_by_seed, order
from services.tournament.formats.entrants import present, seeds
from services.tournament.formats.heats import TWO
from services.tournament.formats.words import Naming, Sentences, ordinal, others, seat, table_of, the
from services.tournament.model import Draw, Number, Plan, Player, Round, Table


class Story(NamedTuple):
    """A bracket so far, and how its entrants are called."""

    plan: Plan
    begin: Start
    rounds: Sequence[Round]
    seeds: Mapping[Number, int]
    name: Naming


def story(plan: Plan, begin: Start, players: Sequence[Player], rounds: Sequence[Round], name: Naming) -> Story:
    """What the sentences are made of; `rounds` are the bracket's own."""
    return Story(plan, begin, rounds, seeds(players), name)


def explain(told: Story, draw: Draw, who: Number) -> Sentences:
    """Sentences on the place of somebody who has a table or a bye."""
    table = table_of(draw, who)
    if table is None:
        return (*way(told, who), _bye(told, draw, who))
    ways = [sentence for number in table.seats for sentence in way(told, number)]
    return (_stage(table, who, told.name), *dict.fromkeys(ways), _meeting(told, draw, table), seat(table, told.name))


def _stage(table: Table, who: Number, name: Naming) -> str:
    return f"{name(who)} plays {the(table.label)} against {others(table, who, name)}."


def way(told: Story, number: Number) -> Sentences:
    """How the last game of somebody in the bracket ended, and what that led to."""
    last = last_table(told.rounds, number)
    if last is None:
        return ()
    found = order(last, told.seeds)
    ended = _two(told, last, number) if len(found) == TWO else _several(told, last, number)
    return (ended, *_tie(told, last))


def last_table(rounds: Sequence[Round], number: Number) -> Table | None:
    """The last table at which somebody was."""
    return next((table for paired in reversed(rounds) for table in paired.tables if number in table.seats), None)


def _two(told: Story, last: Table, number: Number) -> str:
    against = f"{the(last.label)} against {others(last, number, told.name)}"
    if order(last, told.seeds)[0] == number:
        return f"{told.name(number)} won {against}."
    if double.is_of_winners(last):
        return f"{told.name(number)} lost {against}, and goes on among the losers."
    return f"{told.name(number)} lost {against}."


def _several(told: Story, last: Table, number: Number) -> str:
    place = order(last, told.seeds).index(number) + 1
    return f"{told.name(number)} came {ordinal(place)} in {the(last.label)}, of which {_going(told, last)} went on."


def _going(told: Story, last: Table) -> int:
    return 1 if last.label == single.FINAL else min(told.plan.advancing, len(last.seats))


def _tie(told: Story, last: Table) -> Sentences:
    """What parted the last to go on from the first who did not, if the game did not."""
    found, going = order(last, told.seeds), 1 if told.plan.seats == TWO else _going(told, last)
    if not is_by_seed(last, told.seeds, going):
        return ()
    best, next_best = found[going - 1], found[going]
    why = "That table was annulled" if last.places is None else "They were equal there"
    return (
        f"{why}, so {told.name(best)} as the better seed went before {told.name(next_best)}:"
        f" {told.seeds[best]} before {told.seeds[next_best]}.",
    )


def _meeting(told: Story, draw: Draw, table: Table) -> str:
    """Why these sit at one table."""
    if told.plan.seats > TWO:
        return _dealt(draw)
    if not told.rounds:
        return _first(told, table)
    if table.label == single.THIRD_PLACE:
        return "Both lost their semi-finals, and play for the third place."
    if table.label == double.GRAND_FINAL:
        return "One of them is undefeated, and the other is the best of those who have lost once."
    if table.label == double.SECOND_GRAND_FINAL:
        return "After the grand final both have lost once, so they meet again, for the whole."
    return f"Their parts of the bracket meet in {the(table.label)}."


def _first(told: Story, table: Table) -> str:
    places = [told.begin.order.index(number) + 1 for number in table.seats]
    size = 2 ** levels_for(len(told.begin.order))
    return (
        f"In the standard order of a bracket of {size}, number {min(places)} meets number {max(places)}"
        " in the first round."
    )


def _dealt(draw: Draw) -> str:
    if len(draw.tables) == 1 and draw.tables[0].label == single.FINAL:
        return "All who are left sit at one table."
    repeats, least = draw.certificate.value[0], draw.certificate.bound[0]
    return (
        "Those who are left were dealt to the tables in a snake by seed, and away from those whom they had just met:"
        f" {repeats} pairs meet again at once, where {least} is the least that can be."
    )


def _bye(told: Story, draw: Draw, who: Number) -> str:
    name = told.name(who)
    if told.plan.seats > TWO:
        return f"Somebody is to be out at each table, so the best seeds left have byes ({len(draw.byes)}): {name} too."
    if told.rounds:
        return f"Nobody is there to meet {name} in its part of the bracket in this round: it goes on without a game."
    entrants = len(told.begin.order)
    return (
        f"The bracket has {2 ** levels_for(entrants)} places for {entrants} entrants, and the best have nobody to meet"
        f" in the first round: {name} is number {told.begin.order.index(who) + 1}."
    )


def out(told: Story, who: Number) -> Sentences:
    """Why somebody who was in the bracket is not in this round."""
    last = max([count for count, paired in enumerate(told.rounds, 1) if who in present(paired)])
    if who in living(told.plan, told.seeds)(told.rounds[:last]):
        return (f"{told.name(who)} was not there when a later round was paired, and so is out of the bracket.",)
    return (*way(told, who), f"So {told.name(who)} is out.")
