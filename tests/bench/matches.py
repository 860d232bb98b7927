"""Matches on the real service, prepared so that to play them is only to send bytes."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2, match_service_pb2_grpc
from meydan.match.v1 import match_service_pb2 as pb
from services.domino.game import GAME
from shared.envelope import unpack
from shared.eventlog.keys import log_key
from shared.eventlog.pipe import Pipe
from shared.match.model import Match
from shared.match.wire import Wire
from shared.replay import Replay
from tests.bench.load import Lane
from tests.bench.processes import Server
from tests.bench.script import random_commands, submit_request

SEATS = 2
_AT_ONCE = 32
_LOGS_AT_ONCE = 500

# How a command is sent: as a request of a Play stream, or of a call of its own.
Wrap: TypeAlias = Callable[[pb.SubmitCommandRequest], bytes]


def as_play_request(submit: pb.SubmitCommandRequest) -> bytes:
    return pb.PlayRequest(submit=submit).SerializeToString()


def as_call(submit: pb.SubmitCommandRequest) -> bytes:
    return submit.SerializeToString()


@dataclass(frozen=True, slots=True)
class Started:
    """A match that both seats have joined."""

    match_id: str
    tokens: tuple[str, ...]
    version: int

    def follow(self, seat: int) -> bytes:
        """The request to follow it as a seat, from now on."""
        credential = pb.SeatCredential(seat=seat, token=self.tokens[seat])
        follow = pb.FollowMatch(match_id=self.match_id, viewer=pb.Viewer(seat=credential), after_version=self.version)
        return pb.PlayRequest(follow=follow).SerializeToString()


class Matches:
    """Makes matches with two seats, and works out how they will be played."""

    def __init__(self, channel: grpc.aio.Channel, service: Server, target: int | None = None) -> None:
        self._stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        self._redis_url = service.redis_url
        self._metadata = service.metadata
        self._options = AnyMessage()
        self._options.Pack(domino_pb2.Options(target=target))
        self._chance = random.Random(3)
        self._replay = Replay(GAME, Wire(GAME))

    async def start(self, count: int) -> list[Started]:
        """So many, created and joined."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one() -> Started:
            async with slots:
                return await self._start()

        return await asyncio.gather(*(one() for _ in range(count)))

    async def _start(self) -> Started:
        seats = [envelope_pb2.SeatSetup(open=envelope_pb2.OpenSeat())] * SEATS
        request = pb.CreateMatchRequest(options=self._options, seats=seats)
        created = await self._stub.CreateMatch(request, metadata=self._metadata)
        tokens: list[str] = []
        version = 0
        for seat in range(SEATS):
            joined = await self._stub.JoinMatch(
                pb.JoinMatchRequest(match_id=created.match_id, seat=seat, player_name=f"player {seat}"),
                metadata=self._metadata,
            )
            tokens.append(joined.token)
            version = joined.version
        return Started(created.match_id, tuple(tokens), version)

    async def lanes(self, started: Sequence[Started], wrap: Wrap, most: int | None = None) -> list[Lane]:
        """The commands of these matches, at most so many of each.

        The deals are read from the log, hidden tiles and all, as no player could: so the moves of a whole match are
        known before it is played.
        """
        pipe = await Pipe.open(self._redis_url)
        lanes: list[Lane] = []
        for first in range(0, len(started), _LOGS_AT_ONCE):
            some = started[first : first + _LOGS_AT_ONCE]
            keys = [log_key(GAME.name, match.match_id) for match in some]
            rows: list[Any] = await pipe.batch([("XRANGE", key, "-", "+") for key in keys])
            for match, row in zip(some, rows, strict=True):
                folded = self._replay.fold(None, (unpack(fields[1]) for _, fields in row))
                lanes.append(Lane(match.match_id, self._messages(match, folded, wrap, most)))
        pipe.close()
        return lanes

    def _messages(self, started: Started, match: Match, wrap: Wrap, most: int | None) -> list[tuple[int, bytes]]:
        commands = islice(random_commands(match, self._chance), most)
        return [
            (seat, wrap(submit_request(match.id, seat, started.tokens[seat], number, command)))
            for number, (seat, command) in enumerate(commands)
        ]
