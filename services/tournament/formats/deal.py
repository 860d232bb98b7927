"""Spreading entrants over tables or groups: in a snake, so that each has as good a field as the others."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from services.tournament.model import Number


def snake(members: Sequence[Number], count: int) -> tuple[tuple[Number, ...], ...]:
    """So many groups: the first row from the first group to the last, the next one back, and so on."""
    return dealt(members, count, {})


def dealt(members: Sequence[Number], count: int, before: Mapping[Number, int]) -> tuple[tuple[Number, ...], ...]:
    """The same, but nobody comes to others who were at its table (or in its group) before, while there is a choice.

    `before` says where somebody was; who is not in it was nowhere. Who finds no table without any of its own changes
    places with another of its row, if that helps.
    """
    tables: list[list[Number]] = [[] for _ in range(count)]
    for row, start in enumerate(range(0, len(members), count)):
        free = list(range(count)) if row % 2 == 0 else list(range(count - 1, -1, -1))
        for number in members[start : start + count]:
            _place(tables, row, free, number, before)
    return tuple(map(tuple, tables))


def _place(tables: list[list[Number]], row: int, free: list[int], number: Number, before: Mapping[Number, int]) -> None:
    """The first free table with nobody from the same one, or else with the fewest."""
    best = next((table for table in free if not _known(tables[table], number, before)), None)
    if best is None:
        best = min(free, key=lambda table: _known(tables[table], number, before))
        other = _exchange(tables, row, best, number, before)
        if other is not None:
            tables[other][row], number = number, tables[other][row]
    free.remove(best)
    tables[best].append(number)


def _known(table: Sequence[Number], number: Number, before: Mapping[Number, int]) -> int:
    """How many at a table were where somebody was."""
    return sum([number in before and before.get(other) == before[number] for other in table])


def _exchange(
    tables: Sequence[Sequence[Number]], row: int, best: int, number: Number, before: Mapping[Number, int]
) -> int | None:
    """The table whose member of this row is better placed at `best`, with `number` in its stead."""
    found = _known(tables[best], number, before)
    for at, table in enumerate(tables):
        if len(table) <= row:
            continue
        rest = table[:row]
        there, here = _known(rest, number, before), _known(tables[best], table[row], before)
        if there + here < found + _known(rest, table[row], before):
            return at
    return None


def repeats(tables: Iterable[Sequence[Number]], before: Mapping[Number, int]) -> int:
    """How many pairs at these tables were at one table before."""
    found = [Counter([before[number] for number in table if number in before]) for table in tables]
    return sum([_pairs(together) for counts in found for together in counts.values()])


def fewest_repeats(tables: int, before: Iterable[int]) -> int:
    """The least that can be: who was at one table before is spread evenly over the tables."""
    return sum([spread(together, tables) for together in Counter(before).values()])


def spread(heads: int, tables: int) -> int:
    """How many pairs sit together when so many are spread evenly over so many tables."""
    each, more = divmod(heads, tables)
    return more * _pairs(each + 1) + (tables - more) * _pairs(each)


def _pairs(heads: int) -> int:
    return heads * (heads - 1) // 2
