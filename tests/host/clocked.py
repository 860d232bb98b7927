"""A platform whose time goes by as a test says, and what its matches show of it."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import hash_of, unpack
from shared.eventlog.store import EventLog
from shared.host import servicer
from shared.host.sweep import Sweep
from shared.match.model import Match
from shared.match.wire import Wire, full_name
from shared.verify import verify
from tests.host.service import (
    DOMINO,
    PATIENCE,
    Service,
    StillClock,
    Table,
    bearer,
    human,
    join,
    serving,
)

SECOND = 1_000_000
PER_MOVE = events_pb.Clock(per_move=events_pb.PerMove(seconds=10))
INCREMENT = events_pb.Clock(base_and_increment=events_pb.BaseAndIncrement(base_seconds=60, increment_seconds=5))
WIRE = Wire(DOMINO)


@dataclass
class Platform:
    """Two services on the same logs, with the same clock. Both sweep."""

    services: tuple[Service, Service]
    sweeps: tuple[Sweep[Match], ...]
    created: int = 0

    @property
    def clock(self) -> StillClock:
        return self.services[0].clock

    def later(self, micros: int) -> None:
        """Time goes by, and nobody does anything."""
        now = self.clock.now + micros
        for service in self.services:
            service.clock.now = now

    async def beat(self) -> None:
        """Both look, at the same moment."""
        await asyncio.gather(*(sweep.step() for sweep in self.sweeps))

    async def live(self, seconds: int) -> None:
        """Time goes by while the platform is there."""
        for _ in range(seconds):
            self.later(SECOND)
            await self.beat()

    async def create(self, *seats: events_pb.SeatSetup, **terms: Any) -> str:
        """A match."""
        self.created += 1
        match_id = f"01{self.created:024}"
        request = pb.CreateMatchRequest(seats=seats or (human(), human()), match_id=match_id, **terms)
        return (await self.services[0].stub.CreateMatch(request, timeout=PATIENCE)).match_id

    async def table(self, seats: int = 2, **terms: Any) -> Table:
        """A match of people that has begun."""
        match_id = await self.create(*(human() for _ in range(seats)), **terms)
        joined = [await join(self.services[0], match_id, seat) for seat in range(seats)]
        return Table(self.services[0], match_id, tuple(one.token for one in joined))


@contextlib.asynccontextmanager
async def clocked(one_log: EventLog, other_log: EventLog) -> AsyncIterator[Platform]:
    """The platform, after its first beat. The same match gets the same deal in each run."""
    known = SimpleNamespace(token_bytes=bytes, token_hex=secrets.token_hex)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servicer, "secrets", known)
        async with serving(one_log) as one, serving(other_log) as other:
            started = Platform((one, other), (Sweep(one.host, 1.0), Sweep(other.host, 1.0)))
            await started.beat()
            yield started


async def clocks(table: Table, version: int | None = None) -> list[tuple[int, bool]]:
    """What the clocks show: microseconds, and whether they run."""
    summary = (await table.view(version=version)).match
    return [(clock.remaining_micros, clock.is_running) for clock in summary.clocks]


async def acting(table: Table) -> int:
    """The seat whose turn it is."""
    return (await table.view()).match.to_act[0]


async def events(table: Table, kind: Any) -> list[Any]:
    """All events of a kind."""
    envelopes = map(unpack, await table.records())
    return [kind.FromString(one.public) for one in envelopes if one.type == full_name(kind)]


async def went_out(table: Table) -> list[tuple[int, str]]:
    """The seats that went out, and why."""
    return [
        (event.seat, events_pb.OutReason.Name(event.reason)) for event in await events(table, events_pb.SeatWentOut)
    ]


async def given_back(table: Table) -> list[int]:
    """What was given back, each time."""
    return [event.micros for event in await events(table, events_pb.TimeGivenBack)]


async def next_move(table: Table) -> pb.SubmitCommandRequest | None:
    """A move of whoever is next. A computer player's has the note that a worker would send with it."""
    request: pb.SubmitCommandRequest | None = await table.next_submission()
    if request is None:
        return None
    summary = (await table.view()).match
    seat = request.seat.seat
    level = summary.seats[seat].ai_level
    if level:
        wanted = pb.GetAgentTurnRequest(match_id=table.id, seat=seat, version=summary.version)
        stub: Any = table.service.stub
        turn = await stub.GetAgentTurn(wanted, timeout=PATIENCE, metadata=bearer(table.tokens[seat]))
        agent = DOMINO.agents[level]
        request.agent.CopyFrom(events_pb.AgentNote(name=f"domino/{level}", version=agent.version, seed=turn.seed))
        request.expected_version = summary.version
    return request


async def move_until(table: Table, seat: int) -> None:
    """Plays until it is a seat's turn."""
    while await acting(table) != seat:
        move = await next_move(table)
        assert move is not None
        await table.submit(move)


async def check_log(table: Table) -> None:
    """Plays to the end whatever is left; then everything in the log must be as it must be."""
    while (request := await next_move(table)) is not None:
        answer = await table.submit(request)
        head = hash_of(unpack((await table.records())[answer.version - 1]))
        assert (answer.receipt.version, answer.receipt.hash) == (answer.version, head)
    envelopes = [unpack(record) for record in await table.records()]
    match = verify(DOMINO, WIRE, envelopes)
    assert match == (await table.service.host.fresh(table.id)).folded
    assert match.version == len(envelopes)
