"""Tables in which hardly anybody meets somebody again: each is filled with the next who have not met those at it.

The highest who is left goes on; those who are passed over head the next tables. So a table of neighbours who have not
met stays as it is, and a conflict costs little more gap than it must. Only the last tables may have no choice.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from services.tournament.pairing.table_field import Field

# Among so many a table looks for those it needs.
_REACH = 256

# By place in the order, the next place that is not taken; the last entry, which is for no place, has the first of all.
_Next: TypeAlias = list[int]


def filled(field: Field, tables: Sequence[Sequence[int]]) -> list[list[int]]:
    """Tables of these sizes, and of the same entrants, who are looked for in this order."""
    order = [member for table in tables for member in table]
    after = [*range(1, len(order) + 1), 0]
    return [list(_taken(field, order, after, len(table))) for table in tables]


def _taken(field: Field, order: Sequence[int], after: _Next, size: int) -> Iterator[int]:
    """The members of the next table: strangers within reach, and where there are too few the first who are left."""
    enemies: set[int] = set()
    before, count = -1, 0
    for _ in range(_REACH):
        at = after[before]
        if count == size or at == len(order):
            break
        if order[at] in enemies:
            before = at
            continue
        after[before] = after[at]
        count += 1
        enemies.update(field.met[order[at]], field.apart.get(order[at], ()))
        yield order[at]
    for _ in range(size - count):
        at = after[-1]
        after[-1] = after[at]
        yield order[at]
