"""`tables4-100000`: one round of 100,000 at tables of four after five played ones, in CPU time on one core.

Certificate included, from the pool. The bar is 20 seconds. Beside it: the checker's time, and the time of two rounds
with conflicts: two at each tenth table forbidden; and a field of scores all different, in which each block of 16
neighbours has met whole. The run stops if a round has a repeat or a broken rule, or if its checker does not accept it.

The second row is what is made of the same field in a plain way, by the same number of tables: neighbours sit together,
and whoever has met another one there changes places with somebody by lot, as long as that makes repeats fewer. Compared
are the points from the highest to the lowest, over all tables together.
"""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from services.tournament.model import POINT, Draw
from services.tournament.pairing import check_tables, tables
from services.tournament.pairing.pool import Pool, pair_of
from services.tournament.pairing.table_sizes import sizes
from services.tournament.pairing.table_value import CRITERIA, repeats, value_of
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median
from tests.tournament.tables.events import Setting, rounds
from tests.tournament.tables.fields import all_neighbours_met

NAME = "tables4-100000"
_ENTRANTS, _SEATS, _BLOCK = 100_000, 4, 16
_ROUNDS_PLAYED = 5
_MOST_SECONDS = 20.0
# How often the plain way looks for somebody else before it lets a repeat be.
_LOTS = 50
_REPEATS, _GAP = CRITERIA.index("repeats"), CRITERIA.index("gap")
T = TypeVar("T")


def run(is_quick: bool) -> list[Result]:
    """Seconds (less is better, so the ratio is the other way round), and points of gap (the same)."""
    *_, last = rounds(Setting(_ENTRANTS, _SEATS, 1, rounds=_ROUNDS_PLAYED + 1, unrest=0.02))
    pool = last.pool
    draw = tables.pair(pool)
    ours, plain = in_turns(
        lambda: _seconds(lambda: tables.pair(pool).certificate.value),
        lambda: _seconds(lambda: _plain(pool)),
        1 if is_quick else 3,
    )
    seconds, plain_value = median([spent for spent, _ in ours]), plain[0][1]
    more: dict[str, object] = {"check_s": _checked(pool, draw), **_harder(pool, draw)}
    gaps = [value[_GAP] / POINT for value in (draw.certificate.value, plain_value, draw.certificate.bound)]
    beside: dict[str, object] = {
        "bound": gaps[2],
        "plain_repeats": plain_value[_REPEATS],
        "plain_s": median([spent for spent, _ in plain]),
    }
    return [
        Result(NAME, seconds, "s", _MOST_SECONDS, _MOST_SECONDS / seconds, 1.0, "the bar, not measured", more),
        Result(f"{NAME}-gap", gaps[0], "points", gaps[1], gaps[1] / gaps[0], 1.0, "neighbours, then lots", beside),
    ]


def _harder(pool: Pool, draw: Draw) -> dict[str, object]:
    """The time of the rounds with conflicts."""
    forbidden = frozenset([pair_of(*table.seats[:2]) for table in draw.tables[::10]])
    return {
        "forbidden_s": _paired(pool._replace(forbidden=forbidden)),
        "neighbours_met_s": _paired(all_neighbours_met(_ENTRANTS, _BLOCK)),
    }


def _paired(pool: Pool) -> float:
    """How long a sound round takes."""
    seconds, draw = _seconds(lambda: tables.pair(pool))
    _checked(pool, draw)
    return seconds


def _checked(pool: Pool, draw: Draw) -> float:
    """How long the checker takes; the round must have no fault but gaps."""
    seconds, _ = _seconds(lambda: check_tables.check(pool, draw))
    broken, _, repeated, _ = draw.certificate.value
    if broken or repeated:
        raise RuntimeError(f"a round has {broken} broken rules and {repeated} repeats")
    return seconds


def _seconds(work: Callable[[], T]) -> tuple[float, T]:
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def _plain(pool: Pool) -> tuple[int, ...]:
    """What the plain tables come to."""
    wanted = sizes(len(pool.contenders), pool.seats)
    found, at = [], 0
    for size in wanted.tables:
        found.append(list(range(at, at + size)))
        at += size
    _parted_by_lot(pool, found, random.Random(1))
    return value_of(pool, found, range(at, len(pool.contenders)))


def _parted_by_lot(pool: Pool, found: list[list[int]], chance: random.Random) -> None:
    for table in found:
        for _ in range(_LOTS):
            if not _again(pool, table):
                break
            _change(pool, table, chance.choice(found), chance)


def _change(pool: Pool, table: list[int], other: list[int], chance: random.Random) -> None:
    """One of each change places, if that makes repeats fewer."""
    mine, yours = chance.randrange(len(table)), chance.randrange(len(other))
    before = _again(pool, table) + _again(pool, other)
    table[mine], other[yours] = other[yours], table[mine]
    if table is other or _again(pool, table) + _again(pool, other) >= before:
        table[mine], other[yours] = other[yours], table[mine]


def _again(pool: Pool, table: list[int]) -> int:
    return repeats([pool.contenders[at] for at in table])
