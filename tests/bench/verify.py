"""`verify`: checking stored matches, against folding the same ones, in CPU time on one core.

Both begin with stored bytes. The fold unpacks envelopes and ends with the latest state; the verifier unpacks them too,
and decides every command again: chain, commitments, salts, deals, rules and places.
"""

import gc
import random
import time
from collections.abc import Callable

from services.domino.game import GAME
from services.domino.rules.model import Options
from shared.envelope import unpack
from shared.match.wire import Wire
from shared.replay import Replay
from shared.verify import verify
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median
from tests.conformance.recording import finished

NAME = "verify"
_PICKS = 97


def run(is_quick: bool) -> list[Result]:
    """Events a second of CPU time."""
    matches, rounds = (50, 5) if is_quick else (400, 9)
    stored = _stored_matches(matches, random.Random(4))
    events = sum(map(len, stored))
    # What was made for the comparison is not to be looked through again and again while it goes on.
    gc.collect()
    gc.freeze()
    verified, folded = in_turns(
        lambda: events / _cpu_seconds(lambda: _verify(stored)),
        lambda: events / _cpu_seconds(lambda: _fold(stored)),
        rounds,
    )
    value, baseline = median(verified), median(folded)
    return [Result(NAME, value, "events/s", baseline, value / baseline, 0.3, "a bare replay", {"events": events})]


def _cpu_seconds(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _verify(stored: list[list[bytes]]) -> None:
    wire = Wire(GAME)
    for records in stored:
        verify(GAME, wire, list(map(unpack, records)))


def _fold(stored: list[list[bytes]]) -> None:
    replay = Replay(GAME, Wire(GAME))
    for records in stored:
        replay.fold(None, map(unpack, records))


def _stored_matches(count: int, chance: random.Random) -> list[list[bytes]]:
    """The records of finished matches: two to four seats, one round or several."""
    return [_played(chance) for _ in range(count)]


def _played(chance: random.Random) -> list[bytes]:
    options = Options(target=chance.choice((None, 50, 100)))
    picks = [chance.randrange(1 << 16) for _ in range(_PICKS)]
    return finished(GAME, options, ("",) * chance.randint(2, 4), chance.randbytes(32), picks).records
