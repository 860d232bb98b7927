"""Double elimination for two at a table: who loses twice is out.

The winners' bracket is a single elimination. Who loses its round 1 begins in the losers' round 1; who loses its round
w later, in the losers' round 2(w - 1), against those who have come so far there. Both brackets go on side by side:
the losers' round j is played with the winners' round j + 1. The winners of both meet in the grand final; if the one
who was undefeated loses it, both have lost once, and a second grand final decides.

Who comes down from the winners' bracket comes into another part of the losers' than where those are whom it beat:
after round 2 into the other half, after round 3 into the other quarter, after round 4 into the other quarter of the
other half, and so on (the bits of w - 1, the lowest weighing most). So two meet again as late as the places allow: not
in rounds 2g - 3 and 2g - 2 of the losers while these have as many parts as g, or more. With fewer parts than g, some of
those who have lost the rounds 1 to g must be in one part with whom they have met, however they are crossed.

Who is not there when a round is paired is out for good, and whoever it was to meet goes on without a game.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from services.tournament.formats.bracket import Tree, by_slot, next_level, nodes, recorded, seeded
from services.tournament.formats.decided import Seeds, order
from services.tournament.formats.entrants import present
from services.tournament.formats.heats import TWO, Heat, Stage
from services.tournament.model import Number, Round, Table

GRAND_FINAL, SECOND_GRAND_FINAL = "grand final", "second grand final"
_UNDEFEATED = 0


class State(NamedTuple):
    """Who is not out, by the winners' round that it lost: 0 if none, one more than there are if the grand final."""

    tree: Tree
    lost: Mapping[Number, int]

    def of(self, *, undefeated: bool) -> list[Number]:
        """One half of who is not out, in the order of the slots."""
        return by_slot(self.tree, [one for one, lost in self.lost.items() if (lost == _UNDEFEATED) == undefeated])


def winners_label(tree: Tree, level: int) -> str:
    """What a round of the winners' bracket is called."""
    return "winners' final" if level == tree.levels else f"winners' round {level}"


def losers_label(tree: Tree, number: int) -> str:
    """What a round of the losers' bracket is called."""
    return "losers' final" if number == _last(tree) else f"losers' round {number}"


def _last(tree: Tree) -> int:
    return 2 * (tree.levels - 1)


def stage(order_at_start: Sequence[Number], rounds: Sequence[Round], here: frozenset[Number], seeds: Seeds) -> Stage:
    """What is played next; without tables when it is over."""
    if not rounds:
        tree = seeded([number for number in order_at_start if number in here])
        return _stage(State(tree, dict.fromkeys(tree.slots, _UNDEFEATED)))
    state = state_after(rounds, seeds)
    return _stage(state._replace(lost={one: lost for one, lost in state.lost.items() if one in here}))


def _stage(state: State) -> Stage:
    heats = _winners(state) + _losers(state) or _grand(state)
    return Stage(tuple(heats), tuple(by_slot(state.tree, state.lost)))


def _winners(state: State) -> list[Heat]:
    undefeated = state.of(undefeated=True)
    level = next_level(state.tree, undefeated)
    return [Heat(winners_label(state.tree, level), nodes(state.tree, undefeated, level))] if level else []


def _losers(state: State) -> list[Heat]:
    """The first round in which two meet, unless somebody may still come down into it or before it."""
    level = next_level(state.tree, state.of(undefeated=True)) or state.tree.levels + 1
    for number in range(1, _last(state.tree) + 1):
        places = _places(state, number)
        if len(set(places.values())) < len(places):
            is_due = number // 2 + 1 < level
            return [Heat(losers_label(state.tree, number), places)] if is_due else []
    return []


def _places(state: State, number: int) -> dict[Number, int]:
    """In which part of the losers' bracket everybody is in this round of it who has come down by then."""
    level = 1 + (number + 1) // 2
    down = [one for one in state.of(undefeated=False) if _first_round(state.lost[one]) <= number]
    return {one: _landing(state.tree, one, state.lost[one]) >> (level - state.lost[one]) for one in down}


def _first_round(lost: int) -> int:
    return max(1, 2 * (lost - 1))


def _landing(tree: Tree, number: Number, lost: int) -> int:
    """The part of the losers' bracket into which somebody comes, of as many as the winners' round has games."""
    return tree.slots[number] >> lost ^ _turned_over(lost - 1, tree.levels - lost)


@cache
def _turned_over(value: int, bits: int) -> int:
    """The bits of a number in the other order, of which so many count."""
    return sum([(value >> bit & 1) << (bits - 1 - bit) for bit in range(bits)])


def _grand(state: State) -> list[Heat]:
    if len(state.lost) != TWO:
        return []
    is_first = _UNDEFEATED in state.lost.values()
    return [Heat(GRAND_FINAL if is_first else SECOND_GRAND_FINAL, dict.fromkeys(by_slot(state.tree, state.lost), 0))]


def state_after(rounds: Sequence[Round], seeds: Seeds) -> State:
    """Who is not out after these rounds, and what it has lost.

    What was paired stands: a result of the winners' bracket that is changed holds only as long as neither of the two
    has sat at another table; one of the losers' bracket, until the next round is paired.
    """
    tree = recorded(rounds[0])
    lost = dict.fromkeys(tree.slots, _UNDEFEATED)
    last: dict[Number, _Last] = {}
    levels = {winners_label(tree, level): level for level in range(1, tree.levels + 1)}
    for paired in rounds:
        there = present(paired)
        lost = {one: level for one, level in lost.items() if one in there}
        lost |= {one: last[one].level for one in paired.byes if one in last and one not in lost}
        for table in paired.tables:
            level = levels.get(table.label)
            _correct(lost, last, table, level)
            _lose(lost, order(table, seeds)[1], tree.levels + 1 if table.label == GRAND_FINAL else level)
    return State(tree, lost)


class _Last(NamedTuple):
    """The last table of somebody in the winners' bracket."""

    level: int
    table: Table


def _correct(lost: dict[Number, int], last: dict[Number, _Last], table: Table, level: int | None) -> None:
    """Who sits at a table of the winners has lost nothing before, and who sits at one of the losers has."""
    for number in table.seats:
        if level is not None:
            if lost.get(number):
                _turn(lost, last[number], number)
            last[number] = _Last(level, table)
        elif number not in lost or (table.label == SECOND_GRAND_FINAL and lost[number] == _UNDEFEATED):
            lost[number] = last[number].level
        elif table.label != GRAND_FINAL and lost[number] == _UNDEFEATED:
            (other,) = [one for one in last[number].table.seats if one != number]
            _turn(lost, last[number], other)


def _turn(lost: dict[Number, int], last: _Last, winner: Number) -> None:
    """The result of a table of the winners, as the next round took it."""
    for number in last.table.seats:
        if number == winner or number in lost:
            lost[number] = _UNDEFEATED if number == winner else last.level


def _lose(lost: dict[Number, int], loser: Number, level: int | None) -> None:
    """Out, if it is the second time or a table of the losers' bracket."""
    if level is None or lost.get(loser, _UNDEFEATED) != _UNDEFEATED:
        lost.pop(loser, None)
    else:
        lost[loser] = level


def is_of_winners(table: Table) -> bool:
    """Whether who loses here goes on among the losers."""
    return table.label.startswith("winners'")
