"""A tournament of computer players while parts of the platform are killed, and what must be true of it afterwards."""

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import match_service_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from meydan.tournament.v1 import tournament_service_pb2_grpc
from services import registry
from services.launcher import Launcher
from services.tournament.book import standings_rows
from services.tournament.model import POINT
from services.tournament.verify import Vouched, audited, matches_of
from shared.envelope import hash_of
from shared.host.messages import envelope_of
from shared.match.wire import Wire
from shared.verify import verify
from tests.e2e.seats import Table

_GAME = "domino"
# Any of them is killed at any time; each comes back as a process of its own would be started again.
PARTS = ("worker", "dispatcher", _GAME, registry.TOURNAMENT)
_TRY_AGAIN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
_CALL_SECONDS = 10.0
_LOOK_SECONDS = 0.2
_MOST_BYTES = 32 << 20


@dataclass(frozen=True)
class Size:
    """How large the event is, and how much harm is done to it."""

    entrants: int
    rounds: int
    kills: int
    seconds: float

    @property
    def matches(self) -> int:
        return self.entrants // 2 * self.rounds


@dataclass
class Event:
    """A Swiss of short matches of Domino, hosted by a client that repeats what is not answered."""

    platform: Launcher
    size: Size
    seed: int
    tell: Callable[[str, int], None] = lambda _what, _count: None
    killed: Counter[str] = field(default_factory=Counter)
    id: str = ""

    def __post_init__(self) -> None:
        self._metadata = (("authorization", f"Bearer {self.platform.development_token()}"),)
        options = (("grpc.max_receive_message_length", _MOST_BYTES),)
        channel = grpc.insecure_channel(self.platform.addresses[registry.TOURNAMENT], options)
        self._stub: Any = tournament_service_pb2_grpc.TournamentServiceStub(channel)

    def call(self, method: str, request: Any) -> Any:
        """The answer; a service that is away is asked again, in the very same words."""
        deadline = time.monotonic() + self.size.seconds
        while True:
            try:
                return getattr(self._stub, method)(request, timeout=_CALL_SECONDS, metadata=self._metadata)
            except grpc.RpcError as error:
                if error.code() not in _TRY_AGAIN or time.monotonic() > deadline:
                    raise
                threading.Event().wait(_LOOK_SECONDS)

    def run(self) -> None:
        """From the creation to the end, with all the harm on the way."""
        self.id = self.call("CreateTournament", api.CreateTournamentRequest(plan=self._plan())).tournament_id
        self.call("StartTournament", api.StartTournamentRequest(tournament_id=self.id, command_id="start"))
        harm = self._harm()
        next_kill = next(harm, None)
        deadline = time.monotonic() + self.size.seconds
        while (now := self._look()).status != api.TOURNAMENT_STATUS_FINISHED:
            assert time.monotonic() < deadline, (
                f"the tournament does not end: round {now.round}, {now.open_tables} open"
            )
            results = max(now.round - 1, 0) * self.size.entrants // 2 + self._done(now)
            self.tell("results", results)
            while next_kill is not None and results >= next_kill[0]:
                self._kill(next_kill[1])
                next_kill = next(harm, None)
            threading.Event().wait(_LOOK_SECONDS)
        self.tell("results", self.size.matches)

    def _done(self, now: api.TournamentSummary) -> int:
        return self.size.entrants // 2 - now.open_tables if now.round else 0

    def _plan(self) -> pb.Plan:
        options = AnyMessage()
        # Hands of two tiles: what is tested here is not the play.
        options.Pack(domino_pb2.Options(hand_size=2))
        return pb.Plan(
            name="Killed at random",
            system=pb.SYSTEM_SWISS,
            game=_GAME,
            options=options,
            seats=2,
            rounds=self.size.rounds,
            tie_breaks=[pb.TIE_BREAK_BUCHHOLZ, pb.TIE_BREAK_SONNEBORN_BERGER, pb.TIE_BREAK_GAME_POINTS],
            fill_level="random",
            fill_to=self.size.entrants,
        )

    def _harm(self) -> Iterator[tuple[int, str]]:
        """After how many results which part is killed."""
        luck = random.Random(self.seed)
        whens = sorted(luck.randrange(self.size.matches) for _ in range(self.size.kills))
        # Every part has its turn, however few there are.
        parts = [PARTS[at % len(PARTS)] for at in range(self.size.kills)]
        luck.shuffle(parts)
        return iter(list(zip(whens, parts, strict=True)))

    def _kill(self, part: str) -> None:
        process = self.platform.processes[part]
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.killed[part] += 1
        self.tell(f"killed {part}", self.killed.total())
        match part:
            case "worker":
                self.platform.start_worker()
            case "dispatcher":
                self.platform.start_dispatcher()
            case _:
                self.platform.start_service(part)

    def _look(self) -> api.TournamentSummary:
        found: api.TournamentSummary = self.call(
            "GetTournament", api.GetTournamentRequest(tournament_id=self.id)
        ).tournament
        return found

    # What must be true afterwards

    def check(self) -> None:
        """Every match counted once, each as its own log says, and standings that the log alone leads to."""
        lines = self._export()
        found = audited(lines)
        results = matches_of(found.envelopes)
        assert len(results) == self.size.matches
        recorded = Counter(one.type for one in found.envelopes)["meydan.tournament.v1.ResultRecorded"]
        assert recorded == self.size.matches, "a result was recorded twice"
        assert self._standings() == standings_rows(found.tournament)
        self._check_matches(results)

    def _export(self) -> list[str]:
        request = api.ExportTournamentRequest(tournament_id=self.id)
        pieces = self._stub.ExportTournament(request, timeout=_CALL_SECONDS, metadata=self._metadata)
        return b"".join(piece.piece for piece in pieces).decode().splitlines(keepends=True)

    def _standings(self) -> list[api.StandingsRow]:
        rows: list[api.StandingsRow] = []
        while True:
            request = api.GetStandingsRequest(tournament_id=self.id, first_row=len(rows))
            answer = self.call("GetStandings", request)
            rows += answer.rows
            if len(rows) >= answer.row_count:
                return rows

    def _check_matches(self, results: dict[str, Vouched]) -> None:
        """Points are counted once more, from nothing but the matches' own logs."""
        table = Table.of(self.platform)
        with ThreadPoolExecutor(4) as pool:
            winners = list(pool.map(lambda item: _winners(table, *item), results.items()))
        units = sum(POINT for _ in winners)
        assert sum(row.units for row in self._standings()) == units
        assert len(winners) == self.size.matches


def _winners(table: Table, match_id: str, vouched: Vouched) -> Sequence[int]:
    """Who won a match, by its log alone, which must be the one that the tournament vouches for."""
    everything = match_service_pb2.Viewer(everything=match_service_pb2.Everything())
    request = match_service_pb2.GetHistoryRequest(match_id=match_id, viewer=everything, limit=1000)
    answer: Any = table.call("GetHistory", request)
    envelopes = [envelope_of(envelope) for envelope in answer.envelopes]
    assert (len(envelopes), hash_of(envelopes[-1])) == vouched
    game = registry.load(_GAME)
    places = verify(game, Wire(game), envelopes).places
    assert places is not None
    return places[0]
