"""Why somebody meets whom it meets, where everybody meets everybody."""

from collections.abc import Sequence

from services.tournament.formats import circles, gatherings
from services.tournament.formats.circles import Schedule, circle_of, opponent, spots
from services.tournament.formats.entrants import active
from services.tournament.formats.heats import TWO
from services.tournament.formats.words import Naming, Sentences, listed, seat, table_of, times
from services.tournament.model import Draw, Number, Plan, Player, Round, Table
from services.tournament.pairing.pool import pair_of


def explain(
    plan: Plan,
    schedule: Schedule,
    players: Sequence[Player],
    rounds: Sequence[Round],
    draw: Draw,
    who: Number,
    name: Naming,
) -> Sentences:
    """Sentences on the place of somebody who has a table or a bye."""
    if plan.seats == TWO:
        turn = circles.turn_of(schedule, rounds, active(players))
        return () if turn is None else _berger(schedule, turn, draw, who, name)
    return _gathering(schedule, rounds, draw, who, name)


def _berger(schedule: Schedule, turn: int, draw: Draw, who: Number, name: Naming) -> Sentences:
    spot = spots(schedule)[who]
    division = schedule.divisions[spot.division]
    turns = circle_of(schedule, division).turns
    if turn >= turns:
        return (f"Everybody in {division.label} has met, so {name(who)} waits for the other groups.",)
    where = f" of {division.label}" if division.label else ""
    begin = (
        f"It is round {turn + 1} of {turns} of the Berger table{where}, in which {name(who)} is number {spot.place}."
    )
    return (begin, *_partner(schedule, turn, draw, who, name))


def _partner(schedule: Schedule, turn: int, draw: Draw, who: Number, name: Naming) -> Sentences:
    known = spots(schedule)
    other = opponent(schedule, turn, known[who])
    table = table_of(draw, who)
    if other is None:
        return (f"The number of entrants is odd, so that one has a bye in each round: now it is {name(who)}.",)
    if table is None:
        return (f"It was to meet number {known[other].place}, {name(other)}, who is not there: it has a bye.",)
    first = table.seats[0]
    return (
        f"Numbers {known[who].place} and {known[other].place} meet in this round: {name(who)} and {name(other)}.",
        f"Number {known[first].place}, {name(first)}, sits first: so the seats come out even{_turned(schedule)}.",
    )


def _turned(schedule: Schedule) -> str:
    return ", turned round in every second leg" if schedule.legs > 1 else ""


def _gathering(schedule: Schedule, rounds: Sequence[Round], draw: Draw, who: Number, name: Naming) -> Sentences:
    table = table_of(draw, who)
    repeats = draw.certificate.criteria.index("repeats")
    sums = draw.certificate.value[repeats], draw.certificate.bound[repeats]
    if table is None:
        return (_bye(schedule, draw, who, name),)
    return (
        "Everybody meets everybody, and those sit together who have met the least.",
        *_before(rounds, table, who, name),
        f"In this round pairs meet again {times(sums[0])}; no round by these rules can do with less than {sums[1]}.",
        seat(table, name),
    )


def _before(rounds: Sequence[Round], table: Table, who: Number, name: Naming) -> list[str]:
    met = gatherings.meetings(rounds)
    counts: dict[int, list[str]] = {}
    for other in table.seats:
        if other != who:
            counts.setdefault(met[pair_of(who, other)], []).append(name(other))
    return [f"{name(who)} has met {listed(names)} {times(count)} before." for count, names in sorted(counts.items())]


def _bye(schedule: Schedule, draw: Draw, who: Number, name: Naming) -> str:
    label = schedule.divisions[spots(schedule)[who].division].label
    if label not in [table.label for table in draw.tables]:
        return f"Everybody in {label} has met, so {name(who)} waits for the other groups."
    return f"The tables can't take all, and {name(who)} had no more byes than the others: now it has one."
