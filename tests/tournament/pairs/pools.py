"""Pools for two at a table, written in short: a score for each entrant, and who had met whom."""

from collections.abc import Iterable, Sequence

from services.tournament.model import Draw, Number
from services.tournament.pairing.pool import Contender, Pair, Pool, pair_of


def pool_of(
    scores: Sequence[int],
    met: Iterable[tuple[int, int]] = (),
    *,
    had_bye: Iterable[int] = (),
    surplus: Sequence[int] = (),
    forbidden: Iterable[tuple[int, int]] = (),
    forced: Iterable[tuple[int, int]] = (),
) -> Pool:
    """Entrants in the order of their scores and numbers; `surplus` is how many more first seats than second."""
    meetings = [*met]
    contenders = [
        Contender(
            Number(number),
            score,
            number + 1,
            tuple([Number(a + b - number) for a, b in meetings if number in (a, b)]),
            _sat(surplus[number] if surplus else 0),
            had_bye=number in set(had_bye),
        )
        for number, score in enumerate(scores)
    ]
    return Pool(1, 2, tuple(contenders), _pairs(forbidden), _pairs(forced))


def _sat(surplus: int) -> tuple[int, int]:
    return max(surplus, 0), max(-surplus, 0)


def _pairs(pairs: Iterable[tuple[int, int]]) -> frozenset[Pair]:
    return frozenset([pair_of(Number(one), Number(other)) for one, other in pairs])


def meetings(draw: Draw) -> set[tuple[int, int]]:
    """Who meets whom, the lower number first."""
    return {pair_of(*table.seats) for table in draw.tables}
