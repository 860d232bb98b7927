"""The tree of a bracket for two at a table: who has which slot, and at which level two of them meet.

Slots count from 0; a tree of `levels` has 2 ** levels of them, and two meet at the level at which their slots are in
one part of the tree: at level 1 the neighbours 0 and 1, at the last level anybody. The standard order of seeds (1-16,
8-9, 5-12 ...) lets the best meet as late as can be, and gives the free slots of a field that does not fill the tree
to the best.

Slots are read off the first round of the bracket as it was paired: what was paired stands, whatever is ruled about
earlier rounds afterwards.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from services.tournament.model import Number, Round


class Tree(NamedTuple):
    """Who has which slot."""

    levels: int
    slots: Mapping[Number, int]


def levels_for(entrants: int) -> int:
    """How many levels a tree for so many needs."""
    return max(entrants - 1, 0).bit_length()


def standard(levels: int) -> tuple[int, ...]:
    """The seeds by slot, from 0: each level puts beside everybody the one with whom it makes up the same sum."""
    order: tuple[int, ...] = (0,)
    for level in range(1, levels + 1):
        order = tuple([seed for best in order for seed in (best, 2**level - 1 - best)])
    return order


def seeded(order: Sequence[Number]) -> Tree:
    """The tree of these entrants, the best first."""
    levels = levels_for(len(order))
    slots = {order[seed]: slot for slot, seed in enumerate(standard(levels)) if seed < len(order)}
    return Tree(levels, slots)


def recorded(first: Round) -> Tree:
    """The tree of which this was the first round: its tables and its byes are in the order of the slots."""
    pairs, alone = iter([table.seats for table in first.tables]), iter(first.byes)
    entrants = 2 * len(first.tables) + len(first.byes)
    levels = levels_for(entrants)
    slots: dict[Number, int] = {}
    for slot, seed in enumerate(standard(levels)[1::2]):
        seats = next(pairs) if seed < entrants else (next(alone),)
        slots.update({number: 2 * slot + place for place, number in enumerate(seats)})
    return Tree(levels, slots)


def by_slot(tree: Tree, numbers: Iterable[Number]) -> list[Number]:
    """These entrants in the order of their slots."""
    return sorted(numbers, key=lambda number: tree.slots[number])


def next_level(tree: Tree, numbers: Iterable[Number]) -> int | None:
    """The lowest level at which two of these meet; None: there are no two of them."""
    slots = sorted([tree.slots[number] for number in numbers])
    return min([(one ^ other).bit_length() for one, other in pairwise(slots)], default=None)


def nodes(tree: Tree, numbers: Iterable[Number], level: int) -> dict[Number, int]:
    """In which part of the tree each of these is at a level, in the order of their slots."""
    return {number: tree.slots[number] >> level for number in by_slot(tree, numbers)}
