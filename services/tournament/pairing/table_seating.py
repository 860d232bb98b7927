"""Who sits where at a table: by all orders of at most four, so that nobody sits more often in one seat than in another.

An order costs for each entrant how often it has sat there before: the least sum makes the squares of all counts the
least. Of equal ones, that in which the fewest sit where they sat the last time; then the order of the pool.
"""

from collections.abc import Sequence
from itertools import permutations

from services.tournament.pairing.pool import Contender

# More than all at a table who sit where they sat the last time.
_AGAIN = 8


def seated(table: Sequence[Contender]) -> tuple[Contender, ...]:
    """The members of a table in the best order of their seats."""
    costs = [[_cost(one, seat) for seat in range(len(table))] for one in table]
    best = min(permutations(range(len(table))), key=lambda order: _total(costs, order))
    return tuple([table[member] for member in best])


def imbalance(table: Sequence[Contender]) -> int:
    """What this order of seats costs."""
    return sum([_cost(one, seat) for seat, one in enumerate(table)])


def _cost(one: Contender, seat: int) -> int:
    before = one.sat[seat] if seat < len(one.sat) else 0
    return _AGAIN * before + (one.last_seat == seat)


def _total(costs: Sequence[Sequence[int]], order: Sequence[int]) -> int:
    """`order` has for each seat the member who sits there."""
    total = 0
    for seat, member in enumerate(order):
        total += costs[member][seat]
    return total
