"""Swiss pairing for two at a table, for any number of entrants, with the proof that it is the best by its criteria.

What the criteria are is in criteria.py. Score groups are folded, and partners exchanged with near tables where that
costs less. Where conflicts are left, the part of the field round each of them is matched again exactly. If what that
shows does not prove the whole, larger parts are taken, at last all. A field too large for that keeps the best that
was found, and its certificate says what the least is that was proved.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.tournament.model import Certificate, Draw, Number, Proof, Table
from services.tournament.pairing import evidence
from services.tournament.pairing.criteria import CRITERIA, METHOD, Field, field
from services.tournament.pairing.exact import matched
from services.tournament.pairing.fold import exchanged, folded, settled
from services.tournament.pairing.least import least
from services.tournament.pairing.pool import BYE, Pair, Pool
from services.tournament.pairing.seating import seated
from services.tournament.pairing.unsound import Unsound
from services.tournament.pairing.window import Window, pieces, whole, windows

# From how many on a score group is large, one attempt after the other.
_LARGE = (16, 48)
# So many are matched exactly at once, at most: more are cut into parts, and are not proved to be the best.
_MOST = 400


class _Attempt(NamedTuple):
    pairs: list[Pair]
    total: int
    proof: Proof
    least: int


def pair(pool: Pool) -> Draw:
    """The round of a pool."""
    of_pool = field(pool)
    best = _best(of_pool) if of_pool.numbers else _Attempt([], 0, Proof(), 0)
    tables, byes = _seated(pool, best.pairs)
    value, bound = of_pool.value(best.total), of_pool.value(best.least)
    return Draw(tables, byes, Certificate(METHOD, CRITERIA, value, bound, best.proof))


def _best(of_pool: Field) -> _Attempt:
    """The first attempt that is proved; if none is, the cheapest pairs and the best proof."""
    made: list[_Attempt] = []
    for attempt in _attempts(of_pool):
        if attempt.total == attempt.least:
            return attempt
        made.append(attempt)
    cheapest = min(made, key=lambda one: one.total)
    proved = max(made, key=lambda one: one.least)
    return _Attempt(cheapest.pairs, cheapest.total, proved.proof, proved.least)


def _attempts(of_pool: Field) -> Iterator[_Attempt]:
    fixed = settled(of_pool)
    taken = {one for two in fixed for one in two}
    start = exchanged(of_pool, folded(of_pool, [one for one in of_pool.numbers if one not in taken]))
    for parts in dict.fromkeys([tuple(windows(of_pool, fixed, start, large)) for large in _LARGE]):
        yield _matched(of_pool, fixed, start, parts)
    if len(of_pool.numbers) <= _MOST:
        yield _matched(of_pool, fixed, start, [whole(of_pool, [*fixed, *start])])
    yield _proved(of_pool, [*fixed, *start], evidence.proof(of_pool, fixed, ()))


def _matched(of_pool: Field, fixed: Sequence[Pair], start: Sequence[Pair], parts: Sequence[Window]) -> _Attempt:
    place = {one: at for at, one in enumerate(of_pool.numbers)}
    small = [piece for window in parts for piece in pieces(window, _MOST // 2)]
    found = [(window, matched(of_pool, window.pairs, place)) for window in small]
    again = {two for window in small for two in window.pairs}
    pairs = [two for two in (*fixed, *start) if two not in again] + [two for _, part in found for two in part.pairs]
    return _proved(of_pool, pairs, evidence.proof(of_pool, [two for two in fixed if two not in again], found))


def _proved(of_pool: Field, pairs: list[Pair], proof: Proof) -> _Attempt:
    """With what the proof shows; if it does not hold, with what needs no proof."""
    total = of_pool.total(pairs)
    try:
        return _Attempt(pairs, total, proof, least(of_pool, proof))
    except Unsound:
        bare = evidence.bare(of_pool)
        return _Attempt(pairs, total, bare, least(of_pool, bare))


def _seated(pool: Pool, pairs: Sequence[Pair]) -> tuple[tuple[Table, ...], tuple[Number, ...]]:
    """Tables in the order of the better-placed of the two, and who has the bye."""
    place = {one.number: at for at, one in enumerate(pool.contenders)}
    at_tables = sorted([sorted([place[one], place[other]]) for one, other in pairs if one != BYE])
    tables = []
    for table, (higher, lower) in enumerate(at_tables):
        seats = seated(pool.contenders[higher], pool.contenders[lower], table)
        tables.append(Table(tuple([one.number for one in seats])))
    return tuple(tables), tuple([other for one, other in pairs if one == BYE])
