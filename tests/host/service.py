"""A game's service in this process, and a client that plays on it."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import error_details_pb2, status_pb2

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from services.registry import load
from shared.access.tokens import Claims, Scope, Tokens
from shared.eventlog.store import EventLog
from shared.game import AnyGame
from shared.host import rpc
from shared.host.access import AGENT, Access
from shared.host.host import Host
from shared.host.limits import Limits
from shared.host.servicer import MatchServicer
from shared.kernel import Seat
from shared.match.agents import agent_seed
from shared.match.ids import new_match_id
from shared.match.model import SeatState, Terms
from shared.proof.keys import SigningKey
from tests.contracts.stores import PATIENCE, until

if TYPE_CHECKING:
    from meydan.match.v1.match_service_pb2_grpc import MatchServiceAsyncStub

__all__ = ["PATIENCE", "until"]

DOMINO = load("domino")
SIGNING_KEY = SigningKey.generate()
TOKEN_KEY = SigningKey.generate()
ORGANISER = "organiser"
TOKEN_SECONDS = 3600
# For what takes milliseconds, or never happens.
SOON = 5.0
UNKNOWN_MATCH = "01AAAAAAAAAAAAAAAAAAAAAAAA"


@dataclass
class StillClock:
    """A clock that goes only where a test puts it."""

    now: int = 1_767_225_600_000_000

    def now_micros(self) -> int:
        return self.now


@dataclass
class Service:
    """A host behind a gRPC server, and a stub that talks to it."""

    host: Host
    log: EventLog
    stub: "MatchServiceAsyncStub"
    channel: grpc.aio.Channel
    address: str
    clock: StillClock = field(default_factory=StillClock)

    @property
    def tokens(self) -> Tokens:
        """What makes tokens that this service trusts."""
        return Tokens(TOKEN_KEY, self.clock)

    def token(self, *scopes: Scope, subject: str = "somebody", seconds: int = TOKEN_SECONDS) -> str:
        """A token of somebody."""
        return self.tokens.issue(Claims(subject, frozenset(scopes), self.tokens.expiry(seconds)))

    def seat_token(
        self, match_id: str, seat: int, join_id: str, seconds: int = TOKEN_SECONDS, subject: str = AGENT
    ) -> str:
        """A token of a seat."""
        expires = self.tokens.expiry(seconds)
        return self.tokens.issue(Claims(subject, frozenset({Scope.SEAT}), expires, match_id, Seat(seat), join_id))


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """A token as the metadata of a call."""
    return (("authorization", f"Bearer {token}"),)


@dataclass
class Calling:
    """A stub whose calls have a token, unless they bring metadata of their own."""

    stub: Any
    token: str

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.stub, name)
        return lambda *args, **others: call(*args, **{"metadata": bearer(self.token)} | others)


@contextlib.asynccontextmanager
async def serving(
    log: EventLog,
    game: AnyGame = DOMINO,
    most_live: int = 100,
    limits: Limits = Limits(),  # noqa: B008 - it is frozen
    most_watchers: int = 1_000,
) -> AsyncIterator[Service]:
    """A service on loopback, as shared/host/server.py builds it, and a stub that calls as organiser and player."""
    clock = StillClock()
    host = Host(game, log, clock, most_live, most_watchers)
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", rpc.MOST_REQUEST_BYTES),
            ("grpc.max_send_message_length", rpc.MOST_BYTES),
            ("grpc.so_reuseport", 0),
        ]
    )
    access = Access(Tokens(TOKEN_KEY, clock))
    servicer = MatchServicer(host, access, SIGNING_KEY, limits, TOKEN_SECONDS)
    server.add_generic_rpc_handlers((rpc.handlers(servicer, rpc.MATCH_SERVICE, servicer.host.name),))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    # A pool of its own, so that two services of one test do not share a connection.
    async with grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        service = Service(host, log, MatchServiceStub(channel), channel, address, clock)
        anyone = service.token(Scope.ORGANISER, Scope.PLAYER, subject=ORGANISER)
        service.stub = cast("MatchServiceAsyncStub", Calling(service.stub, anyone))
        yield service
    await server.stop(0)


def human() -> events_pb.SeatSetup:
    """A seat that anyone may take."""
    return events_pb.SeatSetup(open=events_pb.OpenSeat())


def computer(level: str = "greedy") -> events_pb.SeatSetup:
    """A computer player's seat."""
    return events_pb.SeatSetup(ai=events_pb.AiSeat(level=level))


def packed(message: Any) -> AnyMessage:
    """A message in an Any."""
    wrapped = AnyMessage()
    wrapped.Pack(message)
    return wrapped


@dataclass
class Table:
    """A match on a service, with the tokens of all of its seats."""

    service: Service
    id: str
    tokens: tuple[str, ...]
    sent: int = 0

    def on(self, service: Service) -> "Table":
        """The same match on another host."""
        return Table(service, self.id, self.tokens, self.sent)

    def credential(self, seat: int) -> pb.SeatCredential:
        """What proves that the caller holds a seat."""
        return pb.SeatCredential(seat=seat, token=self.tokens[seat])

    def viewer(self, seat: int | None) -> pb.Viewer:
        """The eyes of a seat, or of a spectator."""
        return pb.Viewer() if seat is None else pb.Viewer(seat=self.credential(seat))

    async def view(self, seat: int | None = None, version: int | None = None) -> pb.GetViewResponse:
        """The position now, or at a version."""
        return await self.service.stub.GetView(
            pb.GetViewRequest(match_id=self.id, viewer=self.viewer(seat), version=version), timeout=PATIENCE
        )

    async def history(self, seat: int | None = None, after: int = 0) -> list[events_pb.Envelope]:
        """The log as a viewer sees it."""
        request = pb.GetHistoryRequest(match_id=self.id, viewer=self.viewer(seat), after_version=after, limit=1000)
        return list((await self.service.stub.GetHistory(request, timeout=PATIENCE)).envelopes)

    async def legal(self, seat: int) -> pb.GetLegalCommandsResponse:
        """What a seat may do."""
        return await self.service.stub.GetLegalCommands(
            pb.GetLegalCommandsRequest(match_id=self.id, seat=self.credential(seat)), timeout=PATIENCE
        )

    def submission(self, seat: int, text: str, command_id: str | None = None, **others: Any) -> pb.SubmitCommandRequest:
        """A command as text."""
        self.sent += 1
        name = command_id or f"command-{seat}-{self.sent}"
        return pb.SubmitCommandRequest(
            match_id=self.id, seat=self.credential(seat), command_id=name, text=text, **others
        )

    async def submit(self, request: pb.SubmitCommandRequest) -> pb.Acknowledgement:
        """Plays a command."""
        return (await self.service.stub.SubmitCommand(request, timeout=PATIENCE)).acknowledgement

    async def next_submission(self, choose: Callable[[Sequence[str]], str] = lambda texts: texts[0]) -> Any:
        """A command that is legal now, for the seat whose turn it is; None when the match is over."""
        summary = (await self.view()).match
        if not summary.to_act:
            return None
        seat = summary.to_act[0]
        texts = [command.text for command in (await self.legal(seat)).commands]
        level = summary.seats[seat].ai_level
        note = await self._note(Seat(seat), level) if level else {}
        return self.submission(seat, choose(texts), **note)

    async def _note(self, seat: Seat, level: str) -> dict[str, Any]:
        """What a computer's move comes with."""
        match = (await self.service.host.fresh(self.id)).folded
        note = events_pb.AgentNote(name=f"{match.game}/{level}", version=1, seed=agent_seed(match, seat))
        return {"expected_version": match.version, "agent": note}

    async def play(self, most: int = 10_000) -> int:
        """Plays until the end, or so many commands; says how many were played."""
        for number in range(most):
            request = await self.next_submission()
            if request is None:
                return number
            await self.submit(request)
        return most

    async def resign(self, seat: int, command_id: str = "resigning") -> pb.Acknowledgement:
        """Leaves the match."""
        request = pb.ResignMatchRequest(match_id=self.id, seat=self.credential(seat), command_id=command_id)
        return (await self.service.stub.ResignMatch(request, timeout=PATIENCE)).acknowledgement

    async def records(self) -> list[bytes]:
        """The stored bytes of the log."""
        return list(await self.service.log.read(self.id, 0))


async def new_match(service: Service, seats: int = 2, options: Any = None) -> str:
    """A match that waits for players."""
    request = pb.CreateMatchRequest(seats=[human() for _ in range(seats)])
    if options is not None:
        request.options.Pack(options)
    return (await service.stub.CreateMatch(request, timeout=PATIENCE)).match_id


async def join(service: Service, match_id: str, seat: int, request_id: str = "") -> pb.JoinMatchResponse:
    """Takes a seat."""
    request = pb.JoinMatchRequest(match_id=match_id, seat=seat, player_name=f"Player {seat}", request_id=request_id)
    return await service.stub.JoinMatch(request, timeout=PATIENCE)


async def seeded_match(
    service: Service,
    seats: tuple[SeatState, ...],
    options: Any = None,
    seed: bytes = b"seed",
    match_id: str = "",
    terms: Terms | None = None,
) -> str:
    """A match whose chance is the same in each run of a test, which CreateMatch does not let its caller choose.

    It comes from the id of the match too: unless one is given, ids are counted.
    """
    game = service.host.game
    wanted = game.default_options if options is None else game.codec.decode_options(options)
    known = await service.log.list_ids(None, "", 10_000)
    name = match_id or f"{new_match_id(service.clock.now)[:10]}{len(known):016}"
    terms = terms or Terms(organiser_id=ORGANISER)
    await service.host.create(name, wanted, seats, terms, seed=seed, digest=b"digest", request_id="")
    return name


async def new_table(
    service: Service,
    seats: int = 2,
    options: Any = None,
    seed: bytes = b"seed",
    match_id: str = "",
    terms: Terms | None = None,
) -> Table:
    """A match that has started."""
    made = await seeded_match(service, (SeatState(),) * seats, options, seed, match_id, terms)
    joined = [await join(service, made, seat) for seat in range(seats)]
    return Table(service, made, tuple(one.token for one in joined))


async def new_agents_table(service: Service, *levels: str) -> Table:
    """A match of computer players, with their tokens."""
    match_id = await seeded_match(service, tuple(SeatState(ai_level=level) for level in levels))
    return Table(service, match_id, tuple(service.seat_token(match_id, seat, AGENT) for seat in range(len(levels))))


@dataclass(frozen=True)
class Answer:
    """How a call was refused."""

    code: grpc.StatusCode
    reason: str
    message: str
    fields: tuple[str, ...]
    rules: tuple[str, ...]
    metadata: dict[str, str]


async def refusal(call: Any) -> Answer:
    """The refusal of a call that must be refused."""
    try:
        answered = await call
    except grpc.aio.AioRpcError as error:
        return explained(error)
    raise AssertionError(f"the call was accepted: {answered}")


def explained(error: grpc.aio.AioRpcError) -> Answer:
    """A failed call's status and details."""
    trailers = dict(error.trailing_metadata() or ())
    status = status_pb2.Status.FromString(trailers.get("grpc-status-details-bin", b""))
    info, bad, broken = (
        error_details_pb2.ErrorInfo(),
        error_details_pb2.BadRequest(),
        error_details_pb2.PreconditionFailure(),
    )
    for detail in status.details:
        for kind in (info, bad, broken):
            if detail.Is(kind.DESCRIPTOR):
                detail.Unpack(kind)
    return Answer(
        error.code(),
        info.reason,
        error.details() or "",
        tuple(violation.field for violation in bad.field_violations),
        tuple(violation.subject for violation in broken.violations),
        dict(info.metadata),
    )
