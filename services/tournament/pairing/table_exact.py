"""The best tables of all, for a few entrants: every way to share them out, each set of entrants solved once."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeAlias

# Up to so many entrants the best tables are found, and proved to be the best.
MOST = 12

Tables: TypeAlias = tuple[tuple[int, ...], ...]
_Solved: TypeAlias = dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, Tables]]


def best(members: Sequence[int], sizes: Sequence[int], weigh: Callable[[tuple[int, ...]], int]) -> tuple[int, Tables]:
    """Tables of these sizes whose weights have the least sum, and that sum. A table of one is a bye."""
    weights: dict[tuple[int, ...], int] = {}

    def known(table: tuple[int, ...]) -> int:
        if table not in weights:
            weights[table] = weigh(table)
        return weights[table]

    return _solve(tuple(members), tuple(sizes), known, {})


def _solve(
    members: tuple[int, ...], sizes: tuple[int, ...], weigh: Callable[[tuple[int, ...]], int], solved: _Solved
) -> tuple[int, Tables]:
    if not members:
        return 0, ()
    if (members, sizes) not in solved:
        solved[members, sizes] = min(
            (_with_first(table, members, sizes, weigh, solved) for table in _first_tables(members, sizes)),
            key=lambda found: found[0],
        )
    return solved[members, sizes]


def _first_tables(members: tuple[int, ...], sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All tables of the first member."""
    return [
        (members[0], *others)
        for size in sorted(set(sizes), reverse=True)
        for others in combinations(members[1:], size - 1)
    ]


def _with_first(
    table: tuple[int, ...],
    members: tuple[int, ...],
    sizes: tuple[int, ...],
    weigh: Callable[[tuple[int, ...]], int],
    solved: _Solved,
) -> tuple[int, Tables]:
    left = tuple([member for member in members if member not in table])
    place = sizes.index(len(table))
    cost, others = _solve(left, sizes[:place] + sizes[place + 1 :], weigh, solved)
    return weigh(table) + cost, (table, *others)
