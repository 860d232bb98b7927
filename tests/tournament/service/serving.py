"""The tournament service in this process, everybody who calls it, and tournaments on it."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import grpc

from meydan.match.v1 import envelope_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from meydan.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from services.tournament import messages, rounds
from services.tournament.matches import match_id_of
from services.tournament.model import Plan
from services.tournament.server import SERVICE, build
from services.tournament.state import Tournament
from shared.access.tokens import Claims, Scope, Tokens
from shared.eventlog.store import EventLog
from shared.host.keeper import Keeper
from shared.host.process import Keys
from shared.host.sweep import Sweep
from shared.proof.chain import sha256
from shared.proof.keys import SigningKey
from shared.settings import Settings
from tests.access.forging import by_hand
from tests.host.service import PATIENCE, SIGNING_KEY, TOKEN_KEY, Calling, StillClock
from tests.tournament.core.recording import Places, ahead, plan

if TYPE_CHECKING:
    from meydan.tournament.v1.tournament_service_pb2_grpc import TournamentServiceAsyncStub

ORGANISER, ARBITER = "the organiser", "the arbiter"
# Whose tokens are trusted, as far as they say who somebody is.
PROVIDER = SigningKey.generate()
METHODS = tuple(method.name for method in SERVICE.methods)
STREAMS = tuple(method.name for method in SERVICE.methods if method.server_streaming)


@dataclass
class Service:
    """A host behind a gRPC server, and stubs for everybody who talks to it."""

    host: Keeper[Tournament]
    log: EventLog
    channel: grpc.aio.Channel
    address: str
    clock: StillClock
    called: set[str] = field(default_factory=set)

    @property
    def tokens(self) -> Tokens:
        """What makes tokens that this service trusts."""
        return Tokens(TOKEN_KEY, self.clock, {PROVIDER.public.id: PROVIDER.public})

    def token(self, scope: Scope, subject: str, bound: str = "", seconds: int = 3600) -> str:
        """A token of somebody, perhaps of one tournament."""
        return self.tokens.issue(Claims(subject, frozenset({scope}), self.tokens.expiry(seconds), bound))

    def stub(self, token: str) -> "TournamentServiceAsyncStub":
        """Calls with a token; without one, if it is empty."""
        bare = TournamentServiceStub(self.channel)
        return cast("TournamentServiceAsyncStub", Noting(Calling(bare, token) if token else bare, self.called))

    @property
    def organiser(self) -> "TournamentServiceAsyncStub":
        return self.stub(self.token(Scope.ORGANISER, ORGANISER))

    @property
    def public(self) -> "TournamentServiceAsyncStub":
        return self.stub(self.token(Scope.PUBLIC, "anybody"))

    def player(self, name: str) -> "TournamentServiceAsyncStub":
        """A player of this id."""
        return self.stub(self.token(Scope.PLAYER, name))

    def worker(self, tournament_id: str) -> "TournamentServiceAsyncStub":
        """The platform's own work for a tournament."""
        return self.stub(self.token(Scope.WORKER, "worker", tournament_id))

    def foreign(self, subject: str, scope: str = "organiser") -> str:
        """A token of an identity provider."""
        seconds = self.clock.now // 1_000_000 + 3600
        claims = {"iss": "meydan", "aud": "meydan", "sub": subject, "exp": seconds, "scope": scope}
        return by_hand(claims, PROVIDER)

    async def sweep(self) -> None:
        """One look for what is due."""
        await Sweep(self.host, 1.0).step()


@dataclass
class Noting:
    """A stub of which it is known what was called."""

    stub: Any
    called: set[str]

    def __getattr__(self, name: str) -> Any:
        self.called.add(name)
        call = getattr(self.stub, name)
        return lambda request, **others: call(request, **{"timeout": PATIENCE} | others)


@contextlib.asynccontextmanager
async def serving(log: EventLog, clock: StillClock | None = None, **settings: Any) -> AsyncIterator[Service]:
    """A service on loopback, as its process builds it, but for the clock."""
    clock = clock or StillClock()
    tokens = Tokens(TOKEN_KEY, clock, {PROVIDER.public.id: PROVIDER.public})
    built = build(log, Settings(**settings), Keys(SIGNING_KEY, tokens))
    built.keeper._clock = clock
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", built.most_request_bytes),
            ("grpc.max_send_message_length", built.most_bytes),
            ("grpc.so_reuseport", 0),
        ]
    )
    server.add_generic_rpc_handlers((built.handlers,))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    pool = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", built.most_bytes)]
    async with grpc.aio.insecure_channel(address, options=pool) as channel:
        yield Service(built.keeper, log, channel, address, clock)
    await server.stop(0)


def people(count: int, first: int = 0) -> list[pb.Entrant]:
    """Players, the better ones first."""
    return [pb.Entrant(name=f"P{at}", player_id=f"player-{at}", rating=3000 - at) for at in range(first, first + count)]


@dataclass
class Cup:
    """A tournament on a service."""

    service: Service
    id: str
    sent: int = 0

    @property
    def ids(self) -> dict[str, Any]:
        """What every command has: a new id."""
        self.sent += 1
        return {"tournament_id": self.id, "command_id": f"command-{self.sent}"}

    @property
    def arbiter(self) -> "TournamentServiceAsyncStub":
        return self.service.stub(self.service.token(Scope.ARBITER, ARBITER, self.id))

    @property
    def worker(self) -> "TournamentServiceAsyncStub":
        return self.service.worker(self.id)

    async def state(self) -> Tournament:
        """What its log folds to."""
        return (await self.service.host.fresh(self.id)).folded

    async def records(self) -> list[bytes]:
        """The stored bytes."""
        return list(await self.service.log.read(self.id, 0))

    async def register(self, count: int) -> None:
        """So many more."""
        known = len((await self.state()).entrants)
        request = api.RegisterEntrantsRequest(**self.ids, entrants=people(count, known))
        await self.service.organiser.RegisterEntrants(request)

    async def start(self) -> None:
        await self.service.organiser.StartTournament(api.StartTournamentRequest(**self.ids))

    async def round_request(self) -> api.SubmitRoundRequest:
        """What a worker would send: the next round, or that there is none."""
        state = await self.state()
        draw = rounds.propose(state)
        message = None if draw is None else messages.draw_message(draw)
        return api.SubmitRoundRequest(tournament_id=self.id, round=len(state.rounds) + 1, draw=message)

    async def pair(self) -> None:
        """The next round, or the end."""
        await self.worker.SubmitRound(await self.round_request())

    async def matches_request(self) -> api.ReportMatchesRequest:
        """That all matches of the last round are there."""
        state = await self.state()
        number = len(state.rounds)
        waiting = [table for table, board in sorted(state.rounds[-1].boards.items()) if board.is_waiting]
        found = [pb.StartedMatch(table=table, match_id=match_id_of(state, number, table)) for table in waiting]
        return api.ReportMatchesRequest(tournament_id=self.id, started=pb.MatchesStarted(round=number, matches=found))

    async def result_request(self, table: int, places: Places = ([0], [1])) -> api.RecordResultRequest:
        """How the match of a table of the last round ended."""
        state = await self.state()
        match_id = match_id_of(state, len(state.rounds), table)
        result = pb.MatchResult(match_id=match_id, version=9, head=sha256(match_id.encode()), places=ahead(*places))
        return api.RecordResultRequest(tournament_id=self.id, result=result)

    async def record(self, table: int, places: Places = ([0], [1])) -> None:
        await self.worker.RecordResult(await self.result_request(table, places))

    async def play(self) -> None:
        """A round from its pairing to its last result."""
        await self.pair()
        await self.worker.ReportMatches(await self.matches_request())
        for table in range(len((await self.state()).rounds[-1].boards)):
            await self.record(table)

    async def play_on(self) -> None:
        """To the end."""
        while not rounds.is_over(await self.state()):
            await self.play()
        await self.pair()

    async def rule(self, **kind: Any) -> int:
        """A ruling; answers its number."""
        request = api.MakeRulingRequest(**self.ids, ruling=pb.Ruling(**kind), reason="It was seen.")
        return (await self.arbiter.MakeRuling(request)).number

    async def standings(self, **others: Any) -> api.GetStandingsResponse:
        return await self.service.public.GetStandings(api.GetStandingsRequest(tournament_id=self.id, **others))

    async def history(self) -> list[envelope_pb2.Envelope]:
        """The log as everybody sees it."""
        request = api.GetHistoryRequest(tournament_id=self.id, limit=5000)
        return list((await self.service.public.GetHistory(request)).envelopes)


async def new_cup(service: Service, wanted: Plan | None = None, entrants: int = 0) -> Cup:
    """A tournament that is open for registration."""
    request = api.CreateTournamentRequest(plan=messages.plan_message(wanted or plan()))
    cup = Cup(service, (await service.organiser.CreateTournament(request)).tournament_id)
    if entrants:
        await cup.register(entrants)
    return cup


async def started(service: Service, wanted: Plan | None = None, entrants: int = 4) -> Cup:
    """One that has begun."""
    cup = await new_cup(service, wanted, entrants)
    await cup.start()
    return cup


async def playing(service: Service, wanted: Plan | None = None, entrants: int = 4) -> Cup:
    """One whose first round is played."""
    cup = await started(service, wanted, entrants)
    await cup.pair()
    await cup.worker.ReportMatches(await cup.matches_request())
    return cup


async def over(service: Service, wanted: Plan | None = None, entrants: int = 4) -> Cup:
    """One that is over."""
    cup = await started(service, wanted, entrants)
    await cup.play_on()
    return cup
