"""The services of tournaments and of Domino, dispatcher and worker: all in this process, one step after the other."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest

from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from meydan.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from services import registry
from services.tournament.state import Tournament
from services.workers import calls, dispatcher, tasks, tournaments
from services.workers.app import app, settings
from shared.dispatch.outbox import Entry
from shared.eventlog.memory import MemoryLog
from tests.host import service as of_matches
from tests.tournament.core.recording import plan
from tests.tournament.service import serving as of_cups
from tests.tournament.service.serving import Cup

TASKS: dict[str, Callable[..., None]] = {
    task.name: task for task in (tasks.play_turn, tasks.match_ended, tournaments.pair_round, tournaments.start_matches)
}


@dataclass
class Platform:
    """Both services, and what lies between an append and its effect."""

    cups: of_cups.Service
    matches: of_matches.Service
    sent: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    # Work that is not done by an append.
    done: list[str] = field(default_factory=list)

    async def cup(self, computers: int = 2, rounds: int = 1) -> Cup:
        """A tournament of computer players that is to be started."""
        cup = await of_cups.new_cup(self.cups, plan(rounds=rounds))
        entrants = [pb.Entrant(name=f"Telling {at}", ai_level="random") for at in range(computers)]
        await self.cups.organiser.RegisterEntrants(api.RegisterEntrantsRequest(**cup.ids, entrants=entrants))
        return cup

    async def go(self, log_id: str) -> None:
        """All that waits for a tournament or a match, once: from the outbox to the end of its task."""
        for entry in self.waiting(log_id):
            dispatcher.send(entry)
            await self.work()

    async def work(self) -> None:
        """The task that was sent last."""
        name, arguments = self.sent[-1]
        # A worker waits for its answers; the services that give them are in this thread.
        await asyncio.to_thread(TASKS[name], *arguments)

    def waiting(self, log_id: str) -> list[Entry]:
        """What the outboxes have for a tournament or a match."""
        for game, log in ((registry.TOURNAMENT, self.cups.log), ("domino", self.matches.log)):
            assert isinstance(log, MemoryLog)
            if log_id in log._logs:
                return [
                    Entry(game, "outbox", log_id, log_id, one.kind, one.payload) for one in log.waiting_work(log_id)
                ]
        raise AssertionError(f"there is no log {log_id}")

    async def start(self, cup: Cup) -> list[str]:
        """To the matches of the first round, whose ids are the answer."""
        await cup.start()
        await self.go(cup.id)
        await self.go(cup.id)
        return await self.matches_of(cup)

    async def matches_of(self, cup: Cup) -> list[str]:
        """Those of the last round."""
        return [board.match_id for _, board in sorted((await cup.state()).rounds[-1].boards.items())]

    async def play(self, match_id: str) -> None:
        """Until only its result has to be recorded."""
        while [entry.kind for entry in self.waiting(match_id)] == ["agent_turn"]:
            await self.go(match_id)

    async def play_all(self, cup: Cup) -> Tournament:
        """From the start to the end."""
        for match_id in await self.start(cup):
            await self.play(match_id)
            await self.go(match_id)
        await self.go(cup.id)
        return await cup.state()


@contextlib.asynccontextmanager
async def platform(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Platform]:
    """With nothing in it."""
    async with of_cups.serving(MemoryLog()) as tournament_service, of_matches.serving(MemoryLog()) as match_service:
        found = Platform(tournament_service, match_service)
        with (
            grpc.insecure_channel(tournament_service.address) as to_cups,
            grpc.insecure_channel(match_service.address) as to_matches,
        ):
            monkeypatch.setattr(calls, "service", lambda _: MatchServiceStub(to_matches))
            monkeypatch.setattr(calls, "tournaments", lambda: TournamentServiceStub(to_cups))
            monkeypatch.setattr(calls, "_tokens", lambda: tournament_service.tokens)
            monkeypatch.setattr(app, "send_task", lambda task, arguments: found.sent.append((task, arguments)))
            # Nobody connects to it.
            monkeypatch.setattr(settings, "redis_url", "redis://127.0.0.1:1")
            monkeypatch.setattr(tasks, "mark_done", lambda _client, _outbox, entry_id: found.done.append(entry_id))
            monkeypatch.setattr(tournaments, "_known", type(tournaments._known)())
            yield found


class Away(grpc.RpcError):
    """What a stub raises if nobody answers."""

    def __init__(self, code: grpc.StatusCode) -> None:
        self._code = code

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return "away"

    def trailing_metadata(self) -> tuple[Any, ...]:
        return ()


@dataclass
class Broken:
    """A stub of which one call does not work."""

    stub: Any
    name: str
    error: grpc.RpcError

    def __getattr__(self, name: str) -> Any:
        return self._call if name == self.name else getattr(self.stub, name)

    @property
    def _call(self) -> Any:
        def call(*_: Any, **__: Any) -> Any:
            raise self.error

        call.future = lambda *_, **__: self  # type: ignore[attr-defined]
        return call

    def result(self) -> Any:
        """Of a call that was begun, and waited for later."""
        raise self.error
