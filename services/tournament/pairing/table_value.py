"""What tables come to by the four criteria: counted from the pool, for the certificate and for its checker."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from services.tournament.model import Number
from services.tournament.pairing.pool import Contender, Pair, Pool, pair_of

CRITERIA = ("broken", "byes", "repeats", "gap")
Value: TypeAlias = tuple[int, int, int, int]


def present(pool: Pool, pairs: frozenset[Pair]) -> list[Pair]:
    """The pairs of which both are there: others say nothing."""
    if not pairs:
        return []
    numbers = {one.number for one in pool.contenders}
    return [pair for pair in pairs if numbers.issuperset(pair)]


def total(parts: Iterable[Value]) -> Value:
    """The sum of parts."""
    broken = byes = repeats = gap = 0
    for part in parts:
        broken, byes, repeats, gap = broken + part[0], byes + part[1], repeats + part[2], gap + part[3]
    return broken, byes, repeats, gap


def measure(pool: Pool) -> Callable[[Sequence[int]], Value]:
    """What one table comes to; entrants are positions in the pool, and a table of one is a bye.

    Each with a bye adds its places above the last; what that is too much for several, `value_of` takes away.
    """
    partners: dict[Number, list[Number]] = {}
    for one, other in present(pool, pool.forced):
        partners.setdefault(one, []).append(other)

    def measured(table: Sequence[int]) -> Value:
        members = [pool.contenders[at] for at in table]
        scores = [one.score for one in members]
        broken = _forbidden(pool, members) + _missing(partners, members)
        if len(table) == 1:
            return broken + members[0].had_bye, height(len(pool.contenders), table), 0, 0
        return broken, 0, repeats(members), max(scores) - min(scores)

    return measured


def value_of(pool: Pool, tables: Iterable[Sequence[int]], byes: Sequence[int]) -> Value:
    """What all tables and byes come to."""
    measured = measure(pool)
    broken, _, repeated, gap = total([measured(table) for table in (*tables, *[(at,) for at in byes])])
    return broken, height(len(pool.contenders), byes), repeated, gap


def height(count: int, byes: Sequence[int]) -> int:
    """How many places those with a bye stand above the last ones, taken together."""
    return sum([count - 1 - at for at in byes]) - len(byes) * (len(byes) - 1) // 2


def repeats(members: Sequence[Contender]) -> int:
    """Pairs who have met before, each as often as both of them have it."""
    return sum([meetings(one, other) for one, other in combinations(members, 2) if other.number in one.met])


def meetings(one: Contender, other: Contender) -> int:
    """How often the two have met: what both have played."""
    return min(one.met.count(other.number), other.met.count(one.number))


def _forbidden(pool: Pool, members: Sequence[Contender]) -> int:
    if not pool.forbidden:
        return 0
    return sum([pair_of(one.number, other.number) in pool.forbidden for one, other in combinations(members, 2)])


def _missing(partners: dict[Number, list[Number]], members: Sequence[Contender]) -> int:
    """Forced pairs that are apart: counted where the lower number is."""
    if not partners:
        return 0
    numbers = [one.number for one in members]
    return sum([other not in numbers for number in numbers for other in partners.get(number, ())])
