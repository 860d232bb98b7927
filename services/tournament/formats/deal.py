"""Spreading entrants over tables or groups: in a snake, so that each has as good a field as the others."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from services.tournament.model import Number


def snake(members: Sequence[Number], count: int) -> tuple[tuple[Number, ...], ...]:
    """So many groups: the first row from the first group to the last, the next one back, and so on."""
    return dealt(members, count, {})


def dealt(members: Sequence[Number], count: int, before: Mapping[Number, int]) -> tuple[tuple[Number, ...], ...]:
    """The same, but nobody comes to others who were at its table (or in its group) before, while there is a choice.

    `before` says where somebody was; who is not in it was nowhere.
    """
    tables: list[list[Number]] = [[] for _ in range(count)]
    for row, start in enumerate(range(0, len(members), count)):
        free = list(range(count)) if row % 2 == 0 else list(range(count - 1, -1, -1))
        for number in members[start : start + count]:
            table = _best(tables, free, number, before)
            free.remove(table)
            tables[table].append(number)
    return tuple(map(tuple, tables))


def _best(tables: Sequence[Sequence[Number]], free: Sequence[int], number: Number, before: Mapping[Number, int]) -> int:
    """The first with nobody from the same table, or else with the fewest."""
    counts = (
        (sum([number in before and before.get(other) == before[number] for other in tables[table]]), table)
        for table in free
    )
    fewest = None
    for count, table in counts:
        if count == 0:
            return table
        fewest = min(fewest or (count, table), (count, table), key=lambda one: one[0])
    assert fewest is not None
    return fewest[1]


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
