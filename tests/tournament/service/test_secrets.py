"""Before the end, the seed of a tournament is nowhere: in no answer, no file, no error, no log line, no payload."""

from typing import Any

import grpc
import structlog
from structlog.testing import LogCapture

from meydan.match.v1.envelope_pb2 import ServerSeed
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament.model import Number
from shared.access.tokens import Scope
from shared.envelope import unpack
from shared.eventlog.memory import MemoryLog
from shared.match.model import Status
from tests.host.service import bearer
from tests.tournament.core.recording import plan
from tests.tournament.service.serving import METHODS, ORGANISER, STREAMS, Cup, Service, new_cup, serving

WORK = ("SubmitRound", "ReportMatches", "RecordResult")


class Ear:
    """Hears everything that a service says."""

    def __init__(self, service: Service, cup: Cup) -> None:
        self.service, self.cup = service, cup
        self.heard = bytearray()
        self.tokens: list[str] = []

    async def call(self, method: str, request: Any) -> None:
        """One call as raw bytes: the answer, or the error with all that comes with it."""
        scope, subject = (Scope.WORKER, "worker") if method in WORK else (Scope.ORGANISER, ORGANISER)
        token = self.service.token(scope, subject, self.cup.id if method in WORK else "")
        self.tokens.append(token)
        path = f"/meydan.tournament.v1.TournamentService/{method}"
        data = request.SerializeToString()
        try:
            if method in STREAMS:
                stream: Any = self.service.channel.unary_stream(path)(data, metadata=bearer(token), timeout=10)
                self.heard += await stream.read() or b""
                stream.cancel()
            else:
                self.heard += await self.service.channel.unary_unary(path)(data, metadata=bearer(token), timeout=10)
        except grpc.aio.AioRpcError as error:
            self.heard += repr((error.details(), error.trailing_metadata())).encode()

    async def ask_everything(self) -> None:
        """Every call that only looks, and every other one with nothing right in it but the tournament."""
        for method in METHODS:
            request = getattr(api, f"{method}Request")()
            fields = request.DESCRIPTOR.fields_by_name
            if "tournament_id" in fields:
                request.tournament_id = self.cup.id
            if "round" in fields and not method.startswith("Submit"):
                request.round = 1
            await self.call(method, request)


async def test_the_seed_is_nowhere_before_the_end() -> None:
    """Of every call, in every state; and at the end it is there, for everybody."""
    lines = LogCapture()
    structlog.configure(processors=[lines])
    try:
        log = MemoryLog()
        async with serving(log) as service:
            cup = await new_cup(service, plan(rounds=1, late_until=1), 3)
            ear = Ear(service, cup)
            await ear.ask_everything()
            await cup.start()
            await ear.ask_everything()
            await cup.pair()
            await ear.ask_everything()
            await cup.worker.ReportMatches(await cup.matches_request())
            await cup.rule(double_loss=pb.DoubleLoss(round=1, table=0))
            await ear.ask_everything()
            seed = _seed(log, cup)
            secrets = (seed, seed.hex().encode(), (await cup.state()).seed)
            payloads = b"".join(work.payload for work in log.waiting_work(cup.id))
            heard = bytes(ear.heard) + payloads + repr(lines.entries).encode()
            assert len(heard) > 10_000
            assert not any(secret in heard for secret in secrets)
            assert not any(token.encode() in repr(lines.entries).encode() for token in ear.tokens)
            await cup.pair()
            await ear.call("GetHistory", api.GetHistoryRequest(tournament_id=cup.id))
            assert seed in ear.heard
            assert (await cup.state()).status is Status.FINISHED
    finally:
        structlog.reset_defaults()
    assert lines.entries


def _seed(log: MemoryLog, cup: Cup) -> bytes:
    """As it is stored."""
    first = unpack(log._logs[cup.id].records[0])
    return ServerSeed.FromString(first.sealed[0].content or b"").seed


async def test_what_is_hidden_tells_nothing_by_its_length() -> None:
    """Of two tournaments whose seeds differ, everything that is said before the end is as long."""
    lengths = []
    for _ in range(2):
        async with serving(MemoryLog()) as service:
            cup = await new_cup(service, entrants=4)
            await cup.start()
            await cup.pair()
            history = await cup.history()
            lengths.append([len(one.SerializeToString()) for one in history])
            assert not any(part.HasField("content") or part.salt for one in history for part in one.sealed)
    assert lengths[0] == lengths[1]


async def test_what_a_player_added_is_in_the_log_for_everybody() -> None:
    """It is no secret: whoever wants to check the lots needs it, and it came before the seed was known to anybody."""
    async with serving(MemoryLog()) as service:
        cup = await new_cup(service)
        request = api.RegisterEntrantsRequest(**cup.ids, entrants=[pb.Entrant(name="Eve", entropy=b"my own chance")])
        await service.player("eve").RegisterEntrants(request)
        assert any(b"my own chance" in one.SerializeToString() for one in await cup.history())
        state = await cup.state()
        assert state.seed == b""
        assert state.entrants[Number(0)].player_id == "eve"


async def test_a_new_tournament_has_a_seed_of_its_own() -> None:
    """Which nobody has chosen: the same plan by the same organiser at the same time has another one."""
    log = MemoryLog()
    async with serving(log) as service:
        cups = [await new_cup(service, entrants=2) for _ in range(5)]
        assert len({_seed(log, cup) for cup in cups}) == 5
        assert all(len(_seed(log, cup)) == 32 for cup in cups)
