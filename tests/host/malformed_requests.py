"""Requests that no match could take: fields that make no sense, too much of anything, and moves against the rules."""

from collections.abc import Callable
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from tests.host.bad_requests import Code, Play, case, done_by
from tests.host.service import UNKNOWN_MATCH, computer, human, packed

SEATS = [human(), human()]
A_MONTH = 30 * 24 * 3600


def malformed(name: str, method: str, field: str, request: Callable[[Play], Any], reason: str = "MALFORMED") -> Any:
    """A request with a field that is wrong."""
    return case(name, method, request, Code.INVALID_ARGUMENT, reason, field)


def creation(name: str, field: str, reason: str = "MALFORMED", **fields: Any) -> Any:
    """A match that can't be made, of two open seats unless others are given."""
    return malformed(name, "CreateMatch", field, lambda _: pb.CreateMatchRequest(**{"seats": SEATS} | fields), reason)


def options(**fields: int) -> AnyMessage:
    """Options of Domino."""
    return packed(domino_pb2.Options(**fields))


def a_message(name: str, data: bytes) -> AnyMessage:
    """Bytes that say to be a message of Domino."""
    return AnyMessage(type_url=f"type.googleapis.com/meydan.domino.v1.{name}", value=data)


def per_move(seconds: int) -> events_pb.Clock:
    """So much time for each move."""
    return events_pb.Clock(per_move=events_pb.PerMove(seconds=seconds))


def base(base_seconds: int, increment_seconds: int) -> events_pb.Clock:
    """So much time for a match, and so much more with each move."""
    both = events_pb.BaseAndIncrement(base_seconds=base_seconds, increment_seconds=increment_seconds)
    return events_pb.Clock(base_and_increment=both)


CREATIONS = [
    creation("no seats", "seats", seats=[]),
    creation("one seat", "seats", seats=SEATS[:1]),
    creation("six seats", "seats", seats=SEATS * 3),
    creation("a thousand seats", "seats", seats=SEATS * 500),
    creation("a seat for nobody", "seats[1]", seats=[human(), events_pb.SeatSetup()]),
    creation("an unknown level", "seats[0].ai.level", seats=[computer("god"), human()]),
    creation("a level that is empty", "seats[1].ai.level", seats=[human(), computer("")]),
    creation("an id that is no ULID", "match_id", match_id="mine"),
    creation("an id in small letters", "match_id", match_id=UNKNOWN_MATCH.lower()),
    creation("options of another type", "options", options=packed(domino_pb2.Hand(seat=1))),
    creation("options without a type", "options", options=AnyMessage()),
    creation("options that are no message", "options", options=a_message("Options", b"\xff")),
    creation("hands of one", "options", "D-14", options=options(hand_size=1)),
    creation(
        "hands that need more tiles than there are", "options", "D-14", seats=SEATS * 2, options=options(hand_size=8)
    ),
    creation("a target of nothing", "options", "D-14", options=options(target=0)),
    creation("the largest target that can be written", "options", "D-14", options=options(target=2**32 - 1)),
    creation("a clock that counts nothing", "clock", clock=events_pb.Clock()),
    creation("no time for a move", "clock.per_move.seconds", clock=per_move(0)),
    creation("more than a month for a move", "clock.per_move.seconds", clock=per_move(A_MONTH + 1)),
    creation("no time at all", "clock.base_and_increment.base_seconds", clock=base(0, 5)),
    creation("more than a month", "clock.base_and_increment.base_seconds", clock=base(2**32 - 1, 5)),
    creation("more than a month a move", "clock.base_and_increment.increment_seconds", clock=base(5, A_MONTH + 1)),
    creation("seats that wait for more than a month", "join_seconds", join_seconds=A_MONTH + 1),
    creation("a way to watch that there is not", "watching", watching=77),
]

BAD_NAMES = {
    "no name": "",
    "a name of spaces": "  ",
    "a space before the name": " A",
    "a line in the name": "A\nB",
    "a name with a zero byte": "A\0",
    "a name that turns the text around": "A\u202e",
}
BAD_COMMAND_IDS = {
    "a command id with a space": "a b",
    "a long command id": "a" * 65,
    "a command id of odd characters": "Ω",
}


def joining(**fields: Any) -> Callable[[Play], Any]:
    """Somebody joins the match that waits."""
    return lambda play: pb.JoinMatchRequest(**{"match_id": play.waiting.id, "player_name": "A"} | fields)


def under(method: str, command_id: str) -> Callable[[Play], Any]:
    """A deed of the right seat under a command id."""

    def build(play: Play) -> Any:
        if method == "ReleaseSeat":
            return pb.ReleaseSeatRequest(match_id=play.playing.id, seat=0, command_id=command_id)
        request = done_by(method, lambda play: play.playing.credential(play.acting))(play)
        request.command_id = command_id
        return request

    return build


def command(name: str, field: str, **fields: Any) -> Any:
    """A command of the right seat that is none."""
    return malformed(name, "SubmitCommand", field, lambda play: play.submission(**fields))


def tile_message(tile: int, end: int) -> AnyMessage:
    """A command of Domino, well-formed or not."""
    message = domino_pb2.LayTile()
    message.tile, message.end = tile, end  # type: ignore[assignment]
    return packed(message)


def without_command(play: Play) -> pb.SubmitCommandRequest:
    """The right seat has nothing to say."""
    request = play.submission()
    request.ClearField("form")
    return request


def looking_back_to(version: int) -> Callable[[Play], Any]:
    """The match that goes on, at a version."""
    return lambda play: pb.GetViewRequest(match_id=play.playing.id, version=version)


def listing(**fields: Any) -> Callable[[Play], Any]:
    """A list of matches."""
    return lambda _: pb.ListMatchesRequest(**fields)


MALFORMED = [
    *CREATIONS,
    *(malformed(name, "JoinMatch", "player_name", joining(player_name=player)) for name, player in BAD_NAMES.items()),
    malformed("a seat that there is not", "JoinMatch", "seat", joining(seat=2)),
    *(
        malformed(name, "JoinMatch", "request_id", joining(request_id=request_id))
        for name, request_id in BAD_COMMAND_IDS.items()
    ),
    malformed("no command", "SubmitCommand", "command", without_command),
    command("a text that is no command", "text", text="castle long"),
    command("an empty text", "text", text=""),
    command("a command of another type", "command", command=packed(domino_pb2.Hand(seat=1))),
    command("a command without a type", "command", command=AnyMessage(value=b"1")),
    command("a command that is no message", "command", command=a_message("LayTile", b"\xff\xff")),
    command("a command without a tile", "command.tile", command=packed(domino_pb2.LayTile(end=domino_pb2.END_LEFT))),
    command("a tile that there is not", "command.tile", command=tile_message(29, 1)),
    command("no end", "command.end", command=tile_message(1, 0)),
    command("an end that there is not", "command.end", command=tile_message(1, 9)),
    command("an agent's note from a player", "agent", agent=events_pb.AgentNote(name="me", version=1, seed=b"1")),
    *(
        malformed(name, method, "command_id", under(method, command_id))
        for method in ("SubmitCommand", "ResignMatch", "ReleaseSeat")
        for name, command_id in {"no command id": "", **BAD_COMMAND_IDS}.items()
    ),
    malformed(
        "a seat that there is not",
        "ReleaseSeat",
        "seat",
        lambda play: pb.ReleaseSeatRequest(match_id=play.waiting.id, seat=2, command_id="a"),
    ),
    malformed(
        "a seat that there is not",
        "IssueToken",
        "seat",
        lambda play: pb.IssueTokenRequest(match_id=play.playing.id, seat=2**32 - 1),
    ),
    malformed("nobody to hold it", "IssueToken", "holder", lambda play: pb.IssueTokenRequest(match_id=play.playing.id)),
    malformed("version 0", "GetView", "version", looking_back_to(0)),
    malformed("a version to come", "GetView", "version", looking_back_to(2**64 - 1)),
    malformed("a status that there is not", "ListMatches", "status", listing(status=77)),
    malformed("a status below nothing", "ListMatches", "status", listing(status=-1)),
    malformed("a token that no answer gave", "ListMatches", "page_token", listing(page_token="(x")),
    malformed("the id of a match as a token", "ListMatches", "page_token", listing(page_token=UNKNOWN_MATCH)),
]


def too_much(name: str, method: str, request: Callable[[Play], Any]) -> Any:
    """A request with more of something than there may be."""
    return case(name, method, request, Code.RESOURCE_EXHAUSTED, "TOO_MUCH")


TOO_MUCH = [
    too_much("a long name", "JoinMatch", joining(player_name="A" * 41)),
    too_much("more chance than a player may add", "JoinMatch", joining(entropy=b"e" * 33)),
    too_much(
        "large options",
        "CreateMatch",
        lambda _: pb.CreateMatchRequest(seats=SEATS, options=a_message("Options", b"x" * 1025)),
    ),
]


def against(name: str, method: str, rule: str, request: Callable[[Play], Any]) -> Any:
    """A request that breaks a rule."""
    return case(name, method, request, Code.FAILED_PRECONDITION, rule)


def resignation(where: Callable[[Play], Any]) -> Callable[[Play], Any]:
    """Seat 0 of a match leaves."""
    return lambda play: pb.ResignMatchRequest(match_id=where(play).id, seat=where(play).credential(0), command_id="a")


def move_in(where: Callable[[Play], Any]) -> Callable[[Play], Any]:
    """Seat 0 of a match moves."""
    return lambda play: play.submission(match_id=where(play).id, seat=where(play).credential(0))


def release(where: Callable[[Play], Any], seat: int) -> Callable[[Play], Any]:
    """The organiser opens a seat again."""
    return lambda play: pb.ReleaseSeatRequest(match_id=where(play).id, seat=seat, command_id="a")


RULES = [
    against(
        "out of turn", "SubmitCommand", "D-7", lambda play: play.submission(seat=play.playing.credential(play.idle))
    ),
    against("before the start", "SubmitCommand", "MATCH_NOT_STARTED", move_in(lambda play: play.waiting)),
    against("after the end", "SubmitCommand", "MATCH_OVER", move_in(lambda play: play.over)),
    against("before the start", "ResignMatch", "MATCH_NOT_STARTED", resignation(lambda play: play.waiting)),
    against("after the end", "ResignMatch", "MATCH_OVER", resignation(lambda play: play.over)),
    against("a seat that is taken", "JoinMatch", "SEAT_TAKEN", joining(seat=0)),
    against(
        "a match that is full",
        "JoinMatch",
        "NO_OPEN_SEAT",
        lambda play: pb.JoinMatchRequest(match_id=play.playing.id, player_name="A"),
    ),
    against(
        "a match that is over",
        "JoinMatch",
        "MATCH_OVER",
        lambda play: pb.JoinMatchRequest(match_id=play.over.id, player_name="A", seat=0),
    ),
    against("a seat that nobody has", "ReleaseSeat", "SEAT_NOT_TAKEN", release(lambda play: play.waiting, 1)),
    against("after the end", "ReleaseSeat", "MATCH_OVER", release(lambda play: play.over, 0)),
]
