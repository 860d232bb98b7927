"""`swiss-1000`, `swiss-10000`, `swiss-100000`: one Swiss round after five played ones, in CPU time on one core.

Certificate included: the solver and its proof, from the pool. The bars are 0.5, 2 and 20 seconds. Then the same with
conflicts: each tenth pair that was found is forbidden, and the round is paired anew. The run stops if a round has a
rematch, if its checker does not accept it, or if it is not proved to be the best. The checker's time is beside.

Baselines pair the same entrants: `swisspair` (scores and rematches only, no seats, no proof) and py4swiss, FIDE's Dutch
system, whose many criteria make it slower. Where neither is asked for, the bar stands alone.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from services.tournament.model import Draw, Plan, System
from services.tournament.pairing import check, dutch, fast
from services.tournament.pairing.pool import Pool, pair_of
from tests.bench.report import Result
from tests.bench.rounds import median
from tests.tournament.pairs.events import Paired, Setting, rounds

_ROUNDS_PLAYED = 5
_BARS = {1_000: 0.5, 10_000: 2.0, 100_000: 20.0}
# The most that each baseline is asked for.
_MOST_SWISSPAIR, _MOST_DUTCH = 10_000, 1_000
T = TypeVar("T")


def results(entrants: int, is_quick: bool) -> list[Result]:
    """Seconds (less is better, so ratios are the other way round): against the bar, and against each baseline."""
    paired = _after_five(entrants)
    name, bar, times = f"swiss-{entrants}", _BARS[entrants], 1 if is_quick else 5
    ours = median([_seconds(lambda: fast.pair(paired.pool))[0] for _ in range(times)])
    harder, hard = _with_conflicts(paired)
    extra: dict[str, object] = {
        "check_s": _checked(paired.pool, fast.pair(paired.pool)),
        "with_conflicts_s": hard,
        "conflicts": len(harder.forbidden),
    }
    found = [Result(name, ours, "s", bar, bar / ours, 1.0, "the bar, not measured", extra)]
    for against, baseline in _baselines(paired):
        seconds, _ = _seconds(baseline)
        found.append(Result(f"{name}-{against}", ours, "s", seconds, seconds / ours, 1.0, against))
    return found


def _after_five(entrants: int) -> Paired:
    return list(rounds(Setting(entrants, 1, rounds=_ROUNDS_PLAYED + 1, unrest=0.02)))[-1]


def _with_conflicts(paired: Paired) -> tuple[Pool, float]:
    """The pool in which each tenth of the pairs is forbidden, and how long it takes."""
    pairs = [pair_of(*table.seats) for table in fast.pair(paired.pool).tables]
    pool = paired.pool._replace(forbidden=frozenset(pairs[::10]))
    seconds, draw = _seconds(lambda: fast.pair(pool))
    _checked(pool, draw)
    return pool, seconds


def _checked(pool: Pool, draw: Draw) -> float:
    """How long the checker takes; the round must have no fault, and be the best."""
    seconds, _ = _seconds(lambda: check.check(pool, draw))
    certificate = draw.certificate
    if certificate.value != certificate.bound or any(certificate.value[:2]):
        raise RuntimeError(f"{certificate.value} is not proved to be the best, or has a fault: {certificate.bound}")
    return seconds


def _seconds(work: Callable[[], T]) -> tuple[float, T]:
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def _baselines(paired: Paired) -> list[tuple[str, Callable[[], object]]]:
    count = len(paired.pool.contenders)
    found: list[tuple[str, Callable[[], object]]] = []
    if count <= _MOST_SWISSPAIR:
        found.append(("swisspair", _swisspair(paired.pool)))
    if count <= _MOST_DUTCH:
        plan = Plan("Event", System.DUTCH, "domino", rounds=9)
        found.append(("py4swiss", lambda: dutch.pair(plan, paired.players, paired.pool.round, paired.pool)))
    return found


def _swisspair(pool: Pool) -> Callable[[], object]:
    """The entrants are written down before the time is taken."""
    import swisspair

    there = {one.number for one in pool.contenders}
    entrants = [
        swisspair.Player(
            id=str(one.number),
            points=one.score,
            rank=place,
            can_get_bye=not one.had_bye,
            cannot_be_paired_against_ids={str(other) for other in one.met if other in there},
        )
        for place, one in enumerate(pool.contenders, 1)
    ]
    return lambda: swisspair.create_matches(entrants)
