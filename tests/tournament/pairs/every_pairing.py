"""The criteria once more, as the words of criteria.py have them, and all pairings of a few entrants."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from services.tournament.model import Draw
from services.tournament.pairing.pool import Contender, Pool

# Two who meet, or one with the bye.
Pairing: TypeAlias = list[tuple[Contender, ...]]


def pairings(left: Sequence[Contender]) -> Iterator[Pairing]:
    """All of them; in an odd number, each in turn has the bye."""
    if not left:
        yield []
        return
    first, rest = left[0], left[1:]
    if len(left) % 2:
        yield from ([(first,), *others] for others in pairings(rest))
    for at, other in enumerate(rest):
        yield from ([(first, other), *others] for others in pairings([*rest[:at], *rest[at + 1 :]]))


def pairing_of(pool: Pool, draw: Draw) -> Pairing:
    """A draw as one of them."""
    contenders = {one.number: one for one in pool.contenders}
    tables: Pairing = [tuple([contenders[one] for one in table.seats]) for table in draw.tables]
    return tables + [(contenders[one],) for one in draw.byes]


def judged(pool: Pool, pairing: Pairing) -> tuple[int, int, int, int, int]:
    """Faults of each kind, the most important first."""
    there = {one.number for one in pool.contenders}
    meeting = {tuple(sorted([one.number for one in pair])) for pair in pairing}
    wanted = [pair for pair in pool.forced if there.issuperset(pair)]
    alone = [pair[0] for pair in pairing if len(pair) == 1]
    broken = len(meeting & pool.forbidden) + len([pair for pair in wanted if pair not in meeting])
    tables = [(pair[0], pair[1]) for pair in pairing if len(pair) == 2]
    return (
        broken + sum(one.had_bye for one in alone),
        sum(one.met.count(other.number) for one, other in tables),
        sum(len(pool.contenders) - 1 - pool.contenders.index(one) for one in alone),
        sum(_unevenness(one, other) for one, other in tables),
        sum(abs(one.score - other.score) for one, other in tables),
    )


def _unevenness(one: Contender, other: Contender) -> int:
    """By how much the surplus of either grows past two, whoever starts; the better of both ways."""
    return min(_grown(one, 1) + _grown(other, -1), _grown(one, -1) + _grown(other, 1))


def _grown(one: Contender, step: int) -> int:
    before = one.sat[0] - one.sat[1]
    return max(abs(before + step) - 2, 0) if abs(before + step) > abs(before) else 0
