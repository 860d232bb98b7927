"""A tournament service as its process builds it, and files for it to import."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc

from meydan.tournament.v1 import tournament_service_pb2 as api
from meydan.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from services.tournament import server
from services.tournament.wire import NAME, WIRE
from shared import export
from shared.access.tokens import Claims, Scope, Tokens
from shared.clock import SystemClock
from shared.envelope import Envelope, hash_of
from shared.eventlog.store import EventLog
from shared.host.process import Keys
from shared.proof.heads import sign
from shared.proof.keys import SigningKey
from shared.settings import Settings
from tests.host.service import PATIENCE, Calling
from tests.tournament.core.recording import SEED, TOURNAMENT_ID, Recorder, plan

KEY, OTHER_KEY, TOKEN_KEY = SigningKey.generate(), SigningKey.generate(), SigningKey.generate()
TOKENS = Tokens(TOKEN_KEY, SystemClock())


@dataclass(frozen=True)
class Platform:
    """A service, its log, and an organiser who calls it; not the one of the tournaments that are imported."""

    log: EventLog
    channel: grpc.aio.Channel
    stub: Any

    def called_by(self, *scopes: Scope) -> Any:
        """A stub of somebody with such a token."""
        claims = Claims("somebody", frozenset(scopes), TOKENS.expiry(3600))
        return Calling(TournamentServiceStub(self.channel), TOKENS.issue(claims))

    async def take(self, file: bytes) -> api.ImportTournamentResponse:
        """Imports a file."""
        answer: api.ImportTournamentResponse = await self.stub.ImportTournament(
            api.ImportTournamentRequest(file=file), timeout=PATIENCE
        )
        return answer

    async def exported(self, tournament_id: str = TOURNAMENT_ID) -> bytes:
        """A tournament as a file."""
        request = api.ExportTournamentRequest(tournament_id=tournament_id)
        return b"".join([answer.piece async for answer in self.stub.ExportTournament(request, timeout=PATIENCE)])

    async def stored(self) -> dict[str, list[bytes]]:
        """Everything that is in the log."""
        ids = await self.log.list_ids(None, "", 1000)
        return {one: list(await self.log.read(one, 0)) for one in ids}


@contextlib.asynccontextmanager
async def platform(log: EventLog, key: SigningKey = KEY, import_keys: Path | None = None) -> AsyncIterator[Platform]:
    """The service on loopback."""
    built = server.build(log, Settings(import_keys=import_keys), Keys(key, TOKENS))
    options = (("grpc.max_receive_message_length", built.most_request_bytes), ("grpc.so_reuseport", 0))
    running = grpc.aio.server(options=options)
    running.add_generic_rpc_handlers((built.handlers,))
    address = f"127.0.0.1:{running.add_insecure_port('127.0.0.1:0')}"
    await running.start()
    async with grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        found = Platform(log, channel, None)
        yield Platform(log, channel, found.called_by(Scope.ORGANISER))
    await running.stop(0)


def cup(people: int = 6, seed: bytes = SEED, **changes: Any) -> Recorder:
    """A tournament that was played to its end."""
    recorder = Recorder(replace(plan(), **changes), people, seed)
    recorder.do("start")
    recorder.play_on()
    assert recorder.is_over
    return recorder


def file_of(envelopes: Sequence[Envelope], key: SigningKey = KEY, game: str = NAME) -> bytes:
    """A log as a platform with this key exports it."""
    head = sign(key, TOURNAMENT_ID, len(envelopes), hash_of(envelopes[-1]))
    lines = [export.envelope_line(WIRE, envelope) for envelope in envelopes]
    return "".join([export.header_line(game, head, key.public), *lines]).encode()
