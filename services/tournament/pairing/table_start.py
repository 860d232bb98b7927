"""Tables to start from: of neighbours in the order of scores, with the least gap that there can be for their sizes.

Why neighbours are the best: let two tables overlap in scores. All their entrants in order, the first so many at one
table and the rest at the other, have together no more gap than from the highest to the lowest of all, and the two had
that much before. So the table of the highest may take the entrants next to it, one other table after the other, and
then the same holds for the rest.
"""

from collections.abc import Sequence
from itertools import groupby

from services.tournament.pairing.table_field import Field


def start(field: Field, members: Sequence[int], sizes: Sequence[int], number: int) -> list[list[int]]:
    """Tables of neighbours with the least gap, for the round of this number; who have the same score are mixed as in
    any Swiss: the best of them, the next best and so on are at different tables."""
    tables, at = [], 0
    for size in _order_of_sizes([field.scores[member] for member in members], sizes):
        tables.append(list(members[at : at + size]))
        at += size
    return _folded(field, tables, number - 1)


def _order_of_sizes(scores: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """Where the smaller tables are, so that the gap is the least: as far down as they can be.

    `least[smaller]` is the least gap of the tables so far, of which so many are smaller; one step adds a table.
    """
    full = max(sizes, default=0)
    smaller = sizes.count(full - 1)
    if not smaller:
        return list(sizes)
    least: list[int | None] = [0] + [None] * smaller
    steps: list[list[bool]] = []
    for count in range(1, len(sizes) + 1):
        least, taken = _one_more(scores, least, count, full, len(sizes) - smaller)
        steps.append(taken)
    return _traced(steps, full, smaller)


def _one_more(
    scores: Sequence[int], least: Sequence[int | None], count: int, full: int, most_full: int
) -> tuple[list[int | None], list[bool]]:
    """The least gaps with one table more, and for each number of smaller tables whether this is one of them."""
    found: list[int | None] = []
    taken: list[bool] = []
    for smaller in range(len(least)):
        end = count * full - smaller
        whole = _extended(least[smaller], scores, end, full) if count - smaller <= most_full else None
        short = _extended(least[smaller - 1], scores, end, full - 1) if smaller else None
        is_short = short is not None and (whole is None or short <= whole)
        found.append(short if is_short else whole)
        taken.append(is_short)
    return found, taken


def _extended(before: int | None, scores: Sequence[int], end: int, size: int) -> int | None:
    return None if before is None or end < size else before + scores[end - size] - scores[end - 1]


def _traced(steps: Sequence[Sequence[bool]], full: int, smaller: int) -> list[int]:
    """The sizes in order, read from the last table back."""
    found = []
    for taken in reversed(steps):
        found.append(full - taken[smaller])
        smaller -= taken[smaller]
    return found[::-1]


def _folded(field: Field, tables: list[list[int]], shift: int) -> list[list[int]]:
    """In each row of tables that have one score throughout, its members are dealt out in turn."""
    found: list[list[int]] = []
    for score, row in groupby(tables, key=lambda table: _one_score(field, table)):
        together = list(row)
        found += together if score is None else _dealt(together, shift)
    return found


def _one_score(field: Field, table: Sequence[int]) -> int | None:
    highest, lowest = field.scores[table[0]], field.scores[table[-1]]
    return highest if highest == lowest else None


def _dealt(row: list[list[int]], shift: int) -> list[list[int]]:
    """The same sizes; first a member to each table, then a second one, as long as there is room.

    Each turn begins `shift` tables after the one before. So those who are dealt out again in the next round, because
    all have drawn, come to others; a search would have to part them all.
    """
    members = iter([member for table in row for member in table])
    dealt: list[list[int]] = [[] for _ in row]
    for seat in range(max(map(len, row))):
        open_tables = [new for new, old in zip(dealt, row, strict=True) if seat < len(old)]
        for turn in range(len(open_tables)):
            open_tables[(turn + seat * shift) % len(open_tables)].append(next(members))
    return dealt
