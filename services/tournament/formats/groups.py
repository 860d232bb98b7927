"""Groups, then a bracket of the best of each.

Entrants are dealt to the groups in a snake by seed, two at least in each; in a group everybody meets everybody. When
all groups are through, the `advancing` best of each who are still there go on, by the standings of their group (its
rounds alone; equal to the end: the better seed). The bracket's seeds are the firsts of the groups in the order of the
groups, then the seconds, and so on. Where two of one group would meet in the first round of the bracket, the lower of
them changes places with another of the same place in its group, or else with any other, if that parts them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from services.tournament.formats import brackets, everybody
from services.tournament.formats.bracket import levels_for, standard
from services.tournament.formats.brackets import Start
from services.tournament.formats.circles import Division, Schedule
from services.tournament.formats.deal import snake
from services.tournament.formats.entrants import active, field
from services.tournament.formats.heats import TWO
from services.tournament.model import Draw, Entry, Number, Plan, Player, Round
from services.tournament.standings import rank

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# With two letters each; nobody reads more.
MOST = len(_LETTERS) * (len(_LETTERS) + 1)
_LABEL = "group "


class Parts(NamedTuple):
    """The rounds of the groups, and those of the bracket."""

    groups: tuple[Round, ...]
    bracket: tuple[Round, ...]


def parts(rounds: Sequence[Round]) -> Parts:
    """Told by the labels of the tables."""
    count = sum([paired.tables[0].label.startswith(_LABEL) for paired in rounds if paired.tables])
    return Parts(tuple(rounds[:count]), tuple(rounds[count:]))


def label(index: int) -> str:
    """Group A to group Z, then group AA."""
    more, letter = divmod(index, len(_LETTERS))
    return _LABEL + (_LETTERS[more - 1] if more else "") + _LETTERS[letter]


def schedule(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> Schedule:
    """The groups as divisions."""
    members = [one.number for one in field(players, rounds)]
    dealt = snake(members, count(plan, len(members)))
    return Schedule(tuple([Division(found, label(index)) for index, found in enumerate(dealt)]), plan.legs)


def count(plan: Plan, entrants: int) -> int:
    """As many groups as are planned, but with two in each."""
    return max(1, min(plan.groups, entrants // 2))


def draw(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> Draw | None:
    """The next round of the groups, or of the bracket; None: it is over."""
    if are_groups_on(plan, players, rounds):
        return everybody.draw(plan, schedule(plan, players, rounds), players, rounds)
    return brackets.draw(plan, start(plan, players, rounds), players, parts(rounds).bracket)


def check(plan: Plan, players: Sequence[Player], rounds: Sequence[Round], draw: Draw) -> None:
    """Raises `Unsound` unless it is the next round."""
    if are_groups_on(plan, players, rounds):
        everybody.check(plan, schedule(plan, players, rounds), players, rounds, draw)
    else:
        brackets.check(plan, start(plan, players, rounds), players, parts(rounds).bracket, draw)


def are_groups_on(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> bool:
    """Whether some have still to meet in their groups. It does not begin again after the bracket has begun."""
    if parts(rounds).bracket:
        return False
    return not everybody.is_over(plan, schedule(plan, players, rounds), players, rounds)


def is_over(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> bool:
    """Whether the bracket is over."""
    if are_groups_on(plan, players, rounds):
        return False
    return brackets.is_over(plan, start(plan, players, rounds), players, parts(rounds).bracket)


def start(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> Start:
    """Who goes on to the bracket, in the order of its seeds, and from which group."""
    if parts(rounds).bracket:
        # What was paired stands: the rounds say all that is asked for.
        return Start((), {})
    here = active(players)
    tables = standings(plan, players, rounds)
    best = [[number for number in table if number in here][: plan.advancing] for table in tables]
    group = {number: index for index, found in enumerate(best) for number in found}
    place = {number: index for found in best for index, number in enumerate(found)}
    order = sorted(group, key=lambda number: (place[number], group[number]))
    return Start(tuple(apart(order, group, place) if plan.seats == TWO else order), group)


def standings(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> list[list[Number]]:
    """The members of each group, the best first."""
    length = len(parts(rounds).groups)
    # Of a table that is open again, who sits there has no entry.
    known = {one.number: one._replace(entries=_until(length, one.entries)) for one in players}
    return [
        [row.number for row in rank(plan, [known[number] for number in division.members])]
        for division in schedule(plan, players, rounds).divisions
    ]


def _until(number: int, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    return tuple([entry for entry in entries if entry.round <= number])


def apart(order: Sequence[Number], group: Mapping[Number, int], place: Mapping[Number, int]) -> list[Number]:
    """The seeds, changed so that nobody meets one of its own group in the first round, where that can be."""
    found = list(order)
    for better, worse in _first_pairs(len(order)):
        if group[found[better]] == group[found[worse]]:
            swap = next(iter(_swaps(found, (better, worse), group, place)), worse)
            found[worse], found[swap] = found[swap], found[worse]
    return found


def _first_pairs(entrants: int) -> list[tuple[int, int]]:
    """The seeds that meet in the first round, from 0."""
    seeds = standard(levels_for(entrants))
    return [(one, other) for one, other in zip(seeds[::2], seeds[1::2], strict=False) if other < entrants]


def _swaps(
    order: Sequence[Number], pair: tuple[int, int], group: Mapping[Number, int], place: Mapping[Number, int]
) -> list[int]:
    """With whom the lower of a pair may change places, so that neither meets its own group: the best first."""
    partner = dict(_first_pairs(len(order)))
    partner |= {worse: better for better, worse in partner.items()}
    own, lower = group[order[pair[0]]], order[pair[1]]
    opponents = [group[order[partner[at]]] if at in partner else None for at in range(len(order))]
    found = [
        at for at, other in enumerate(order) if at not in pair and group[other] != own and opponents[at] != group[lower]
    ]
    return sorted(found, key=lambda at: place[order[at]] != place[lower])


def reached(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> dict[Number, int]:
    """Who is in the bracket is before all who are not; these are by their places in the groups, the firsts first."""
    tables = standings(plan, players, rounds)
    most = max([len(table) for table in tables], default=0)
    found = {number: most - place for table in tables for place, number in enumerate(table)}
    far = _in_bracket(plan, players, rounds)
    return found | {number: most + steps for number, steps in far.items()}


def _in_bracket(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> dict[Number, int]:
    """How far everybody came in the bracket; before its first round, who is to be in it."""
    if are_groups_on(plan, players, rounds):
        return {}
    played = parts(rounds).bracket
    return brackets.reached(plan, players, played) or dict.fromkeys(start(plan, players, rounds).order, 1)


def rounds_in_all(plan: Plan, entrants: int) -> int:
    """The rounds of the largest group, and of the bracket, if all stay."""
    groups = count(plan, entrants)
    sizes = [entrants // groups + (index < entrants % groups) for index in range(groups)]
    going = sum([min(plan.advancing, size) for size in sizes])
    return everybody.rounds_in_all(plan, max(sizes)) + brackets.rounds_in_all(plan, going)
