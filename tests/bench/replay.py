"""`replay`: folding stored matches, against the `eventsourcing` package, in CPU time on one core.

Both begin with stored bytes and end with the latest state. Ours unpacks envelopes and folds them by the rules, which
keeps hands, boneyard, line and turns. The package's `repository.get` rebuilds aggregates from its in-memory recorder
with its default JSON transcoder; there are as many aggregates as matches and as many events in each, every event with
a seat, a tile and an end, and to apply one does little.
"""

import gc
import random
import time
from collections.abc import Callable
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.match.v1 import envelope_pb2
from meydan.match.v1 import match_service_pb2 as pb
from services.domino import codec
from services.domino.game import GAME
from services.domino.rules.model import Options
from shared.access.tokens import Claims, Scope, Tokens
from shared.clock import SystemClock
from shared.envelope import unpack
from shared.eventlog.memory import MemoryLog
from shared.host.access import Access, Caller
from shared.host.host import Host
from shared.host.limits import Limits
from shared.host.servicer import MatchServicer
from shared.match.wire import Wire
from shared.proof.keys import SigningKey
from shared.replay import Replay
from tests.bench import event_loop
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median
from tests.bench.script import random_commands, submit_request

NAME = "replay"
_HOUR = 3600


def run(is_quick: bool) -> list[Result]:
    """Events a second of CPU time."""
    matches, rounds = (50, 3) if is_quick else (400, 7)
    chance = random.Random(2)
    stored = event_loop.run(_stored_matches(matches, chance))
    events = sum(map(len, stored))
    library = Application[UUID]()
    ids = [_stored_aggregate(library, len(records)) for records in stored]
    # What was made for the comparison is not to be looked through again and again while it goes on.
    gc.collect()
    gc.freeze()
    ours, theirs = in_turns(
        lambda: events / _cpu_seconds(lambda: _fold_matches(stored)),
        lambda: events / _cpu_seconds(lambda: _fold_aggregates(library, ids)),
        rounds,
    )
    value, baseline = median(ours), median(theirs)
    return [Result(NAME, value, "events/s", baseline, value / baseline, 4.0, "eventsourcing", {"events": events})]


def _cpu_seconds(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


# Ours


def _fold_matches(stored: list[list[bytes]]) -> None:
    replay = Replay(GAME, Wire(GAME))
    for records in stored:
        replay.fold(None, map(unpack, records))


async def _stored_matches(count: int, chance: random.Random) -> list[list[bytes]]:
    """The records of finished matches: two to four seats, one round or several."""
    log = MemoryLog()
    clock, key = SystemClock(), SigningKey.generate()
    tokens = Tokens(key, clock)
    servicer = MatchServicer(Host(GAME, log, clock, count), Access(tokens), key, Limits(), _HOUR)
    scopes = frozenset({Scope.ORGANISER, Scope.PLAYER})
    caller = Caller("", tokens.issue(Claims("somebody", scopes, tokens.expiry(_HOUR))))
    ids = [await _play(servicer, caller, log, chance) for _ in range(count)]
    return [list(await log.read(match_id, 0)) for match_id in ids]


async def _play(servicer: MatchServicer, caller: Caller, log: MemoryLog, chance: random.Random) -> str:
    options = AnyMessage()
    options.Pack(codec.encode_options(Options(target=chance.choice((None, 50, 100)))))
    seats = [envelope_pb2.SeatSetup(open=envelope_pb2.OpenSeat())] * chance.randint(2, 4)
    match_id = (await servicer.create_match(pb.CreateMatchRequest(options=options, seats=seats), caller)).match_id
    joins = [pb.JoinMatchRequest(match_id=match_id, player_name=f"player {seat}") for seat in range(len(seats))]
    tokens = [(await servicer.join_match(join, caller)).token for join in joins]
    match = Replay(GAME, Wire(GAME)).fold(None, map(unpack, await log.read(match_id, 0)))
    for number, (seat, command) in enumerate(random_commands(match, chance)):
        await servicer.submit_command(submit_request(match_id, seat, tokens[seat], number, command), caller)
    return match_id


# The package


class _Line(Aggregate):
    """A line of tiles."""

    @event("Started")
    def __init__(self, seats: int) -> None:
        self.hand_sizes = [5] * seats
        self.last = (0, 0, "left")

    @event("TileLaid")
    def lay(self, seat: int, tile: int, end: str) -> None:
        self.hand_sizes[seat] -= 1
        self.last = (seat, tile, end)


def _stored_aggregate(library: Application[UUID], events: int) -> UUID:
    line = _Line(2)
    for number in range(events - 1):
        line.lay(seat=number % 2, tile=number % 28, end="left" if number % 3 else "right")
    library.save(line)
    return line.id


def _fold_aggregates(library: Application[UUID], ids: list[UUID]) -> None:
    for one in ids:
        library.repository.get(one)
