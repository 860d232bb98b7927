"""Bad input: each kind has its status, its reason and its detail, and changes nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.kernel import Seat
from shared.match.ids import new_match_id
from tests.host.service import (
    KEYS,
    PATIENCE,
    UNKNOWN_MATCH,
    Answer,
    Service,
    Table,
    computer,
    human,
    join,
    new_agents_table,
    new_match,
    new_table,
    packed,
    refusal,
)

Code = grpc.StatusCode
SEATS = [human(), human()]


@dataclass(frozen=True)
class Play:
    """What the cases are made from: a match that goes on, one that waits, one that is over, and who is to act."""

    playing: Table
    waiting: Table
    over: Table
    acting: int
    legal: str

    @property
    def idle(self) -> int:
        return 1 - self.acting

    def submission(self, **others: Any) -> pb.SubmitCommandRequest:
        """A command that would be legal, but for what is different about it."""
        request = self.playing.submission(self.acting, self.legal, command_id="the command")
        request.command_id = "the-command"
        for name, value in others.items():
            field = getattr(request, name)
            if hasattr(field, "CopyFrom"):
                field.CopyFrom(value)
            else:
                setattr(request, name, value)
        return request


@pytest.fixture
async def play(service: Service) -> Play:
    """The three matches."""
    playing, over = [await new_table(service) for _ in range(2)]
    await over.play()
    waiting_id = await new_match(service)
    key = (await join(service, waiting_id, 0)).seat_key
    acting = (await playing.view()).match.to_act[0]
    legal = (await playing.legal(acting)).commands[0].text
    return Play(playing, Table(service, waiting_id, (key, key)), over, acting, legal)


def tile_message(tile: int, end: int) -> AnyMessage:
    """A command of Domino, well-formed or not."""
    message = domino_pb2.LayTile()
    message.tile, message.end = tile, end  # type: ignore[assignment]
    return packed(message)


def case(
    name: str,
    method: str,
    request: Callable[[Play], Any],
    code: grpc.StatusCode,
    reason: str,
    field: str | None = None,
) -> Any:
    """One row of the table."""
    return pytest.param(method, request, code, reason, field, id=name)


EVERYTHING = pb.Viewer(everything=pb.Everything())
READS: dict[str, Any] = {
    "GetView": pb.GetViewRequest,
    "GetHistory": pb.GetHistoryRequest,
    "WatchMatch": pb.WatchMatchRequest,
    "ExportMatch": pb.ExportMatchRequest,
}
BAD_IDS = {
    "an id that nobody has": UNKNOWN_MATCH,
    "no id": "",
    "no such kind of id": "Ωmega/../1",
    "a long id": "x" * 9999,
}


def credential(seat: int, key: str) -> pb.SeatCredential:
    """Somebody who says to be a seat."""
    return pb.SeatCredential(seat=seat, seat_key=key)


def looking(seat: int, key: str) -> pb.Viewer:
    """Somebody who looks as if from a seat."""
    return pb.Viewer(seat=credential(seat, key))


def read_by(method: str, viewer: Callable[[Play], pb.Viewer]) -> Callable[[Play], Any]:
    """A read of the match that goes on."""
    return lambda play: READS[method](match_id=play.playing.id, viewer=viewer(play))


def done_by(method: str, who: Callable[[Play], pb.SeatCredential]) -> Callable[[Play], Any]:
    """A deed in the match that goes on."""

    def build(play: Play) -> Any:
        match method:
            case "SubmitCommand":
                return play.submission(seat=who(play))
            case "ResignMatch":
                return pb.ResignMatchRequest(match_id=play.playing.id, seat=who(play), command_id="a")
            case _:
                return pb.GetLegalCommandsRequest(match_id=play.playing.id, seat=who(play))

    return build


def to_match(method: str, match_id: str) -> Callable[[Play], Any]:
    """A request about a match that is not there."""

    def build(play: Play) -> Any:
        request = done_by(method, lambda _: pb.SeatCredential())(play) if method in DEEDS else None
        if method == "JoinMatch":
            request = pb.JoinMatchRequest(player_name="A")
        request = request or READS[method]()
        request.match_id = match_id
        return request

    return build


DEEDS = ("SubmitCommand", "ResignMatch", "GetLegalCommands")

NOT_FOUND = [
    case(f"{method}: {name}", method, to_match(method, match_id), Code.NOT_FOUND, "UNKNOWN_MATCH")
    for name, match_id in BAD_IDS.items()
    for method in ("JoinMatch", *DEEDS, *READS)
]

WRONG_VIEWERS: dict[str, tuple[Callable[[Play], pb.Viewer], str]] = {
    "everything of a match that goes on": (lambda _: EVERYTHING, "STILL_SECRET"),
    "a seat without its key": (lambda _: looking(0, ""), "NOT_YOUR_SEAT"),
    "a seat with a wrong key": (lambda _: looking(0, "wrong"), "NOT_YOUR_SEAT"),
    "a seat with another seat's key": (lambda play: looking(0, play.playing.keys[1]), "NOT_YOUR_SEAT"),
    "a seat with a key of another match": (lambda play: looking(0, play.over.keys[0]), "NOT_YOUR_SEAT"),
    "a seat that there is not": (lambda play: looking(2, play.playing.keys[0]), "NOT_YOUR_SEAT"),
    "a seat far away": (lambda _: looking(4_294_967_295, ""), "NOT_YOUR_SEAT"),
    "a key of odd characters": (lambda _: looking(0, "Ω\0" * 500), "NOT_YOUR_SEAT"),
}
WRONG_SEATS: dict[str, Callable[[Play], pb.SeatCredential]] = {
    "no seat at all": lambda _: pb.SeatCredential(),
    "a seat without its key": lambda play: credential(play.acting, ""),
    "the key of the other seat": lambda play: credential(play.acting, play.playing.keys[play.idle]),
    "a key of another match": lambda play: credential(play.acting, play.over.keys[play.acting]),
    "a seat that there is not": lambda play: credential(7, play.playing.keys[0]),
    "an agent's key of a player's seat": lambda play: credential(
        play.acting, KEYS.for_agent(play.playing.id, Seat(play.acting))
    ),
}

PERMISSION = [
    *(
        case(f"{method}: {name}", method, read_by(method, viewer), Code.PERMISSION_DENIED, reason)
        for method in READS
        for name, (viewer, reason) in WRONG_VIEWERS.items()
    ),
    *(
        case(f"{method}: {name}", method, done_by(method, who), Code.PERMISSION_DENIED, "NOT_YOUR_SEAT")
        for method in DEEDS
        for name, who in WRONG_SEATS.items()
    ),
    case(
        "SubmitCommand: a seat that nobody has taken",
        "SubmitCommand",
        lambda play: play.submission(
            match_id=play.waiting.id, seat=credential(1, KEYS.for_player(play.waiting.id, Seat(1), ""))
        ),
        Code.PERMISSION_DENIED,
        "NOT_YOUR_SEAT",
    ),
    case(
        "GetView: everything of a match that waits",
        "GetView",
        lambda play: pb.GetViewRequest(match_id=play.waiting.id, viewer=EVERYTHING),
        Code.PERMISSION_DENIED,
        "STILL_SECRET",
    ),
    case(
        "GetView: a wrong key after the end",
        "GetView",
        lambda play: pb.GetViewRequest(match_id=play.over.id, viewer=looking(0, "wrong")),
        Code.PERMISSION_DENIED,
        "NOT_YOUR_SEAT",
    ),
]

BAD_NAMES = {
    "no name": "",
    "a name of spaces": "  ",
    "a space before the name": " A",
    "a line in the name": "A\nB",
    "a name with a zero byte": "A\0",
    "a name that turns the text around": "A\u202e",
    "a long name": "A" * 41,
}
BAD_COMMAND_IDS = {
    "no command id": "",
    "a command id with a space": "a b",
    "a long command id": "a" * 65,
    "a command id of odd characters": "Ω",
}


def named(player_name: str) -> Callable[[Play], Any]:
    """A join under a name."""
    return lambda play: pb.JoinMatchRequest(match_id=play.waiting.id, player_name=player_name)


def under(method: str, command_id: str) -> Callable[[Play], Any]:
    """A deed of the right seat under a command id."""

    def build(play: Play) -> Any:
        request = done_by(method, lambda play: play.playing.credential(play.acting))(play)
        request.command_id = command_id
        return request

    return build


MALFORMED = [
    case(
        "CreateMatch: no seats",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seats",
    ),
    case(
        "CreateMatch: one seat",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS[:1]),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seats",
    ),
    case(
        "CreateMatch: six seats",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS * 3),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seats",
    ),
    case(
        "CreateMatch: a thousand seats",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS * 500),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seats",
    ),
    case(
        "CreateMatch: a seat for nobody",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=[human(), events_pb.SeatSetup()]),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seats[1]",
    ),
    case(
        "CreateMatch: an unknown level",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=[computer("god"), human()]),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seats[0].ai.level",
    ),
    case(
        "CreateMatch: a level that is empty",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=[human(), computer("")]),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seats[1].ai.level",
    ),
    case(
        "CreateMatch: an id that is no ULID",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, match_id="mine"),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "match_id",
    ),
    case(
        "CreateMatch: an id in small letters",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, match_id=UNKNOWN_MATCH.lower()),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "match_id",
    ),
    case(
        "CreateMatch: options of another type",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, options=packed(domino_pb2.Hand(seat=1))),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "options",
    ),
    case(
        "CreateMatch: options without a type",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, options=AnyMessage()),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "options",
    ),
    case(
        "CreateMatch: options that are no message",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(
            seats=SEATS, options=AnyMessage(type_url="type.googleapis.com/meydan.domino.v1.Options", value=b"\xff")
        ),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "options",
    ),
    case(
        "CreateMatch: hands of one",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, options=packed(domino_pb2.Options(hand_size=1))),
        Code.INVALID_ARGUMENT,
        "D-14",
        "options",
    ),
    case(
        "CreateMatch: hands that need more tiles than there are",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS * 2, options=packed(domino_pb2.Options(hand_size=8))),
        Code.INVALID_ARGUMENT,
        "D-14",
        "options",
    ),
    case(
        "CreateMatch: a target of nothing",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, options=packed(domino_pb2.Options(target=0))),
        Code.INVALID_ARGUMENT,
        "D-14",
        "options",
    ),
    case(
        "CreateMatch: the largest target that can be written",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, options=packed(domino_pb2.Options(target=2**32 - 1))),
        Code.INVALID_ARGUMENT,
        "D-14",
        "options",
    ),
    *(
        case(f"JoinMatch: {name}", "JoinMatch", named(player), Code.INVALID_ARGUMENT, "MALFORMED", "player_name")
        for name, player in BAD_NAMES.items()
    ),
    case(
        "JoinMatch: a seat that there is not",
        "JoinMatch",
        lambda play: pb.JoinMatchRequest(match_id=play.waiting.id, player_name="A", seat=2),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "seat",
    ),
    case(
        "JoinMatch: a short request id",
        "JoinMatch",
        lambda play: pb.JoinMatchRequest(match_id=play.waiting.id, player_name="A", request_id="short"),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "request_id",
    ),
    case(
        "JoinMatch: a request id of odd characters",
        "JoinMatch",
        lambda play: pb.JoinMatchRequest(match_id=play.waiting.id, player_name="A", request_id="Ω" * 20),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "request_id",
    ),
    case(
        "SubmitCommand: no command",
        "SubmitCommand",
        lambda play: pb.SubmitCommandRequest(
            match_id=play.playing.id, seat=play.playing.credential(play.acting), command_id="a"
        ),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command",
    ),
    case(
        "SubmitCommand: a text that is no command",
        "SubmitCommand",
        lambda play: play.submission(text="castle long"),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "text",
    ),
    case(
        "SubmitCommand: an empty text",
        "SubmitCommand",
        lambda play: play.submission(text=""),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "text",
    ),
    case(
        "SubmitCommand: a command of another type",
        "SubmitCommand",
        lambda play: play.submission(command=packed(domino_pb2.Hand(seat=1))),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command",
    ),
    case(
        "SubmitCommand: a command without a type",
        "SubmitCommand",
        lambda play: play.submission(command=AnyMessage(value=b"1")),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command",
    ),
    case(
        "SubmitCommand: a command that is no message",
        "SubmitCommand",
        lambda play: play.submission(
            command=AnyMessage(type_url="type.googleapis.com/meydan.domino.v1.LayTile", value=b"\xff\xff")
        ),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command",
    ),
    case(
        "SubmitCommand: a command without a tile",
        "SubmitCommand",
        lambda play: play.submission(command=packed(domino_pb2.LayTile(end=domino_pb2.END_LEFT))),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command.tile",
    ),
    case(
        "SubmitCommand: a tile that there is not",
        "SubmitCommand",
        lambda play: play.submission(command=tile_message(29, 1)),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command.tile",
    ),
    case(
        "SubmitCommand: no end",
        "SubmitCommand",
        lambda play: play.submission(command=tile_message(1, 0)),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command.end",
    ),
    case(
        "SubmitCommand: an end that there is not",
        "SubmitCommand",
        lambda play: play.submission(command=tile_message(1, 9)),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "command.end",
    ),
    *(
        case(f"{method}: {name}", method, under(method, command_id), Code.INVALID_ARGUMENT, "MALFORMED", "command_id")
        for method in ("SubmitCommand", "ResignMatch")
        for name, command_id in BAD_COMMAND_IDS.items()
    ),
    case(
        "SubmitCommand: an agent's note from a player",
        "SubmitCommand",
        lambda play: play.submission(agent=events_pb.AgentNote(name="me", version=1, seed=b"1")),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "agent",
    ),
    case(
        "GetView: version 0",
        "GetView",
        lambda play: pb.GetViewRequest(match_id=play.playing.id, version=0),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "version",
    ),
    case(
        "GetView: a version to come",
        "GetView",
        lambda play: pb.GetViewRequest(match_id=play.playing.id, version=2**64 - 1),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "version",
    ),
    case(
        "ListMatches: a status that there is not",
        "ListMatches",
        lambda _: pb.ListMatchesRequest(status=77),  # type: ignore[arg-type]
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "status",
    ),
    case(
        "ListMatches: a status below nothing",
        "ListMatches",
        lambda _: pb.ListMatchesRequest(status=-1),  # type: ignore[arg-type]
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "status",
    ),
    case(
        "ListMatches: a token that no answer gave",
        "ListMatches",
        lambda _: pb.ListMatchesRequest(page_token="(x"),
        Code.INVALID_ARGUMENT,
        "MALFORMED",
        "page_token",
    ),
]

RULES = [
    case(
        "SubmitCommand: out of turn",
        "SubmitCommand",
        lambda play: play.submission(seat=play.playing.credential(play.idle)),
        Code.FAILED_PRECONDITION,
        "D-7",
    ),
    case(
        "SubmitCommand: before the start",
        "SubmitCommand",
        lambda play: play.submission(match_id=play.waiting.id, seat=play.waiting.credential(0)),
        Code.FAILED_PRECONDITION,
        "MATCH_NOT_STARTED",
    ),
    case(
        "SubmitCommand: after the end",
        "SubmitCommand",
        lambda play: play.submission(match_id=play.over.id, seat=play.over.credential(0)),
        Code.FAILED_PRECONDITION,
        "MATCH_OVER",
    ),
    case(
        "ResignMatch: before the start",
        "ResignMatch",
        lambda play: pb.ResignMatchRequest(match_id=play.waiting.id, seat=play.waiting.credential(0), command_id="a"),
        Code.FAILED_PRECONDITION,
        "MATCH_NOT_STARTED",
    ),
    case(
        "ResignMatch: after the end",
        "ResignMatch",
        lambda play: pb.ResignMatchRequest(match_id=play.over.id, seat=play.over.credential(0), command_id="a"),
        Code.FAILED_PRECONDITION,
        "MATCH_OVER",
    ),
    case(
        "JoinMatch: a seat that is taken",
        "JoinMatch",
        lambda play: pb.JoinMatchRequest(match_id=play.waiting.id, player_name="A", seat=0),
        Code.FAILED_PRECONDITION,
        "SEAT_TAKEN",
    ),
    case(
        "JoinMatch: a match that is full",
        "JoinMatch",
        lambda play: pb.JoinMatchRequest(match_id=play.playing.id, player_name="A"),
        Code.FAILED_PRECONDITION,
        "NO_OPEN_SEAT",
    ),
    case(
        "JoinMatch: a match that is over",
        "JoinMatch",
        lambda play: pb.JoinMatchRequest(match_id=play.over.id, player_name="A", seat=0),
        Code.FAILED_PRECONDITION,
        "NO_OPEN_SEAT",
    ),
]


async def called(service: Service, method: str, request: Any) -> Any:
    """A call to its end, whether it has one answer or many."""
    call = getattr(service.stub, method)(request, timeout=PATIENCE)
    return [one async for one in call] if hasattr(call, "__aiter__") else await call


async def unchanged(service: Service, play: Play, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """What a call answers, having made sure that it changed nothing: not a byte of any log, and no new match."""

    async def everything() -> object:
        ids = await service.log.list_ids(None, "", 1000)
        return [(one, list(await service.log.read(one, 0))) for one in ids]

    before = await everything()
    answer = await call()
    assert await everything() == before
    # Nor is anything left behind in the process that would be in the way of the next command.
    view = await play.playing.view()
    assert view.match.version == len(await play.playing.records())
    return answer


@pytest.mark.parametrize(
    ("method", "request_of", "code", "reason", "field"), [*NOT_FOUND, *PERMISSION, *MALFORMED, *RULES]
)
async def test_bad_input_is_refused_with_its_reason_and_changes_nothing(
    service: Service,
    play: Play,
    method: str,
    request_of: Callable[[Play], Any],
    code: grpc.StatusCode,
    reason: str,
    field: str | None,
) -> None:
    """The status, the reason, the field where one is wrong, and the rule where one is broken."""
    answer = await unchanged(service, play, lambda: refusal(called(service, method, request_of(play))))
    assert (answer.code, answer.reason) == (code, reason)
    assert answer.message
    assert answer.fields == (() if field is None else (field,))
    assert answer.rules == ((reason,) if code is Code.FAILED_PRECONDITION else ())


async def test_a_tile_that_the_seat_does_not_hold_breaks_its_rule(service: Service, play: Play) -> None:
    """Whatever is tried with the tiles of the other hands."""
    legal = {command.text for command in (await play.playing.legal(play.acting)).commands}
    tiles = [f"{low}-{high} {end}" for low in range(7) for high in range(low, 7) for end in ("left", "right")]
    reasons = set()
    for text in tiles:
        if text not in legal:
            request = play.submission(text=text)
            answer = await unchanged(service, play, lambda r=request: refusal(play.playing.submit(r)))  # type: ignore[misc]
            assert answer.code is Code.FAILED_PRECONDITION
            assert answer.rules == (answer.reason,)
            reasons.add(answer.reason)
    assert reasons == {"D-7", "D-8"}


@pytest.mark.parametrize("difference", [-1, 1, 1000, 2**63])
async def test_a_version_that_is_not_the_expected_is_told(service: Service, play: Play, difference: int) -> None:
    """ABORTED, with the current version for the next try."""
    current = (await play.playing.view()).match.version
    request = play.submission(expected_version=current + difference)
    answer = await unchanged(service, play, lambda: refusal(play.playing.submit(request)))
    assert (answer.code, answer.reason) == (Code.ABORTED, "STALE_VERSION")
    assert answer.metadata == {"current_version": str(current)}


async def test_a_command_id_that_the_seat_used_for_something_else_is_refused(service: Service, play: Play) -> None:
    """Another command or a resignation under the same id: ALREADY_EXISTS."""
    table = play.playing
    await table.submit(play.submission(command_id="used"))
    other = "0-0 left" if play.legal != "0-0 left" else "1-1 left"
    for request in (
        table.submit(table.submission(play.acting, other, "used")),
        table.resign(play.acting, "used"),
    ):
        answer = await unchanged(service, play, lambda r=request: refusal(r))  # type: ignore[misc]
        assert (answer.code, answer.reason) == (Code.ALREADY_EXISTS, "COMMAND_ID_REUSED")


async def test_nobody_uses_up_the_command_ids_of_others(play: Play) -> None:
    """An id that another seat has used, or the platform for making the match or for a join, is still free."""
    table = play.playing
    joins = [envelope.command_id for envelope in await table.history() if envelope.event.type_url.endswith("SeatTaken")]
    await table.submit(play.submission(command_id="used"))
    for command_id in ("used", "create", *joins):
        summary = (await table.view()).match
        request = await table.next_submission()
        while request.seat.seat == play.acting and command_id == "used":
            await table.submit(request)
            request = await table.next_submission()
        request.command_id = command_id
        assert (await table.submit(request)).first_version > summary.version


async def test_a_match_id_that_is_used_is_refused_for_another_match(service: Service) -> None:
    """The same id with other options, other seats or other levels is not the same creation."""
    match_id = new_match_id(service.clock.now)
    await service.stub.CreateMatch(pb.CreateMatchRequest(match_id=match_id, seats=SEATS), timeout=PATIENCE)
    for other in (
        pb.CreateMatchRequest(match_id=match_id, seats=SEATS, options=packed(domino_pb2.Options(hand_size=6))),
        pb.CreateMatchRequest(match_id=match_id, seats=SEATS * 2),
        pb.CreateMatchRequest(match_id=match_id, seats=[human(), computer()]),
    ):
        answer = await refusal(service.stub.CreateMatch(other, timeout=PATIENCE))
        assert answer.code is Code.ALREADY_EXISTS
    assert len(await service.log.read(match_id, 0)) == 1


async def test_a_request_id_that_was_used_for_another_join_is_refused(service: Service) -> None:
    """Another name or another seat under the same request id."""
    match_id = await new_match(service, 3)
    first = pb.JoinMatchRequest(match_id=match_id, player_name="A", request_id="request-id-of-a-player")
    await service.stub.JoinMatch(first, timeout=PATIENCE)
    for seat, name in ((None, "B"), (1, "A"), (0, "A")):
        other = pb.JoinMatchRequest(match_id=match_id, seat=seat, player_name=name, request_id=first.request_id)
        answer = await refusal(service.stub.JoinMatch(other, timeout=PATIENCE))
        assert answer.code is Code.ALREADY_EXISTS
    assert len(await service.log.read(match_id, 0)) == 2


@pytest.mark.parametrize(
    ("method", "message"),
    [
        pytest.param("SubmitCommand", lambda play: play.submission(text="x" * 70_000), id="a command"),
        pytest.param("CreateMatch", lambda _: pb.CreateMatchRequest(seats=SEATS * 20_000), id="seats"),
        pytest.param(
            "JoinMatch",
            lambda play: pb.JoinMatchRequest(match_id=play.waiting.id, player_name="x" * 70_000),
            id="a name",
        ),
        pytest.param("GetView", lambda _: pb.GetViewRequest(match_id="x" * 70_000), id="a match id"),
    ],
)
async def test_a_request_that_is_too_large_is_refused_unread(
    service: Service, play: Play, method: str, message: Callable[[Play], Any]
) -> None:
    """RESOURCE_EXHAUSTED, before anything looks into it."""
    answer = await unchanged(service, play, lambda: refusal(called(service, method, message(play))))
    assert answer.code is Code.RESOURCE_EXHAUSTED


async def test_a_seat_that_has_left_can_do_nothing_more(service: Service) -> None:
    """Neither play nor leave again; and it has no legal commands."""
    table = await new_table(service, 3)
    acting = (await table.view()).match.to_act[0]
    await table.resign(acting)
    legal = await table.legal(acting)
    assert len(legal.commands) == 0
    for call in (table.submit(table.submission(acting, "0-0 left")), table.resign(acting, "again")):
        answer = await refusal(call)
        assert (answer.code, answer.reason) == (Code.FAILED_PRECONDITION, "SEAT_IS_OUT")


@pytest.mark.parametrize(
    ("note", "has_version", "field"),
    [
        pytest.param({"name": ""}, True, "agent", id="a note without a name"),
        pytest.param({"name": "x" * 65}, True, "agent", id="a note with a long name"),
        pytest.param({"seed": b"wrong"}, True, "agent.seed", id="a seed of its own"),
        pytest.param({}, False, "expected_version", id="no version"),
    ],
)
async def test_an_agents_note_must_be_true(
    service: Service, note: dict[str, Any], has_version: bool, field: str
) -> None:
    """The move is to be computed again from it: a name, the version seen, and the seed that was given for this turn."""
    table = await new_agents_table(service, "greedy", "greedy")
    command = await table.next_submission()
    if has_version:
        command.expected_version = (await table.view()).match.version
    command.agent.CopyFrom(events_pb.AgentNote(**{"name": "domino/greedy", "version": 1, "seed": b"", **note}))
    before = await table.records()
    answer = await refusal(table.submit(command))
    assert (answer.code, answer.fields) == (Code.INVALID_ARGUMENT, (field,))
    assert await table.records() == before


async def test_bytes_that_are_no_message_are_malformed(service: Service) -> None:
    """Not an error of the service's."""
    for method in ("CreateMatch", "SubmitCommand", "GetView"):
        call: Any = service.channel.unary_unary(f"/meydan.match.v1.MatchService/{method}")
        answer = await refusal(call(b"\xff\xff\xff", timeout=PATIENCE))
        assert (answer.code, answer.fields) == (Code.INVALID_ARGUMENT, ("request",))
