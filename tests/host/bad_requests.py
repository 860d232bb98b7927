"""Requests that are refused: what they are made from, and those about matches and seats that the caller can't reach."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from meydan.match.v1 import match_service_pb2 as pb
from shared.host.access import AGENT
from tests.host.service import UNKNOWN_MATCH, Service, Table, join, new_match, new_table

Code = grpc.StatusCode


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

    @property
    def service(self) -> Service:
        return self.playing.service

    def submission(self, **others: Any) -> pb.SubmitCommandRequest:
        """A command that would be legal, but for what is different about it."""
        request = self.playing.submission(self.acting, self.legal, command_id="the-command")
        for name, value in others.items():
            field = getattr(request, name)
            if hasattr(field, "CopyFrom"):
                field.CopyFrom(value)
            else:
                setattr(request, name, value)
        return request


async def three_matches(service: Service) -> Play:
    """One that goes on, one that waits, one that is over."""
    playing, over = [await new_table(service) for _ in range(2)]
    await over.play()
    waiting_id = await new_match(service)
    token = (await join(service, waiting_id, 0)).token
    acting = (await playing.view()).match.to_act[0]
    legal = (await playing.legal(acting)).commands[0].text
    return Play(playing, Table(service, waiting_id, (token, token)), over, acting, legal)


def case(
    name: str,
    method: str,
    request: Callable[[Play], Any],
    code: grpc.StatusCode,
    reason: str,
    field: str | None = None,
) -> Any:
    """One row of the table."""
    return pytest.param(method, request, code, reason, field, id=f"{method}: {name}")


EVERYTHING = pb.Viewer(everything=pb.Everything())
READS: dict[str, Any] = {
    "GetView": pb.GetViewRequest,
    "GetHistory": pb.GetHistoryRequest,
    "WatchMatch": pb.WatchMatchRequest,
    "ExportMatch": pb.ExportMatchRequest,
}
DEEDS = ("SubmitCommand", "ResignMatch", "GetLegalCommands")
BAD_IDS = {
    "an id that nobody has": UNKNOWN_MATCH,
    "no id": "",
    "no such kind of id": "Ωmega/../1",
    "a long id": "x" * 9999,
}


def credential(seat: int, token: str) -> pb.SeatCredential:
    """Somebody who says to be a seat."""
    return pb.SeatCredential(seat=seat, token=token)


def looking(seat: int, token: str) -> pb.Viewer:
    """Somebody who looks as if from a seat."""
    return pb.Viewer(seat=credential(seat, token))


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


SEATLESS: dict[str, Any] = {
    "JoinMatch": pb.JoinMatchRequest(player_name="A"),
    "IssueToken": pb.IssueTokenRequest(seat=0),
    "ReleaseSeat": pb.ReleaseSeatRequest(command_id="a"),
    "GetAgentTurn": pb.GetAgentTurnRequest(version=1),
}


def to_match(method: str, match_id: str) -> Callable[[Play], Any]:
    """A request about a match that is not there."""

    def build(play: Play) -> Any:
        if method in DEEDS:
            request = done_by(method, lambda _: pb.SeatCredential())(play)
        else:
            request = SEATLESS[method] if method in SEATLESS else READS[method]()
        request.match_id = match_id
        return request

    return build


NOT_FOUND = [
    case(name, method, to_match(method, match_id), Code.NOT_FOUND, "UNKNOWN_MATCH")
    for name, match_id in BAD_IDS.items()
    for method in (*SEATLESS, *DEEDS, *READS)
]

# A seat without a token is one of the caller's own token, which is of no seat.
WRONG_VIEWERS: dict[str, tuple[Callable[[Play], pb.Viewer], str]] = {
    "everything of a match that goes on": (lambda _: EVERYTHING, "STILL_SECRET"),
    "a seat without its token": (lambda _: looking(0, ""), "NOT_YOUR_SEAT"),
    "a seat with a token that is none": (lambda _: looking(0, "wrong"), "BAD_TOKEN"),
    "a seat with another seat's token": (lambda play: looking(0, play.playing.tokens[1]), "NOT_YOUR_SEAT"),
    "a seat with a token of another match": (lambda play: looking(0, play.over.tokens[0]), "NOT_YOUR_SEAT"),
    "a seat that there is not": (lambda play: looking(2, play.playing.tokens[0]), "NOT_YOUR_SEAT"),
    "a seat far away": (lambda _: looking(4_294_967_295, ""), "NOT_YOUR_SEAT"),
    "a token of odd characters": (lambda _: looking(0, "Ω\0" * 500), "BAD_TOKEN"),
    "a token that is too long": (lambda play: looking(0, play.playing.tokens[0] + "x" * 4096), "BAD_TOKEN"),
    "a token that has expired": (lambda play: looking(0, expired(play)), "TOKEN_EXPIRED"),
}
WRONG_SEATS: dict[str, tuple[Callable[[Play], pb.SeatCredential], str]] = {
    "no seat at all": (lambda _: pb.SeatCredential(), "NOT_YOUR_SEAT"),
    "a seat without its token": (lambda play: credential(play.acting, ""), "NOT_YOUR_SEAT"),
    "the token of the other seat": (
        lambda play: credential(play.acting, play.playing.tokens[play.idle]),
        "NOT_YOUR_SEAT",
    ),
    "a token of another match": (lambda play: credential(play.acting, play.over.tokens[play.acting]), "NOT_YOUR_SEAT"),
    "a seat that there is not": (lambda play: credential(7, play.playing.tokens[0]), "NOT_YOUR_SEAT"),
    "an agent's token of a player's seat": (
        lambda play: credential(play.acting, play.service.seat_token(play.playing.id, play.acting, AGENT)),
        "TOKEN_REVOKED",
    ),
    "a token that has expired": (lambda play: credential(play.acting, expired(play, play.acting)), "TOKEN_EXPIRED"),
    "a token that is none": (lambda play: credential(play.acting, "wrong"), "BAD_TOKEN"),
}
NOT_AUTHENTICATED = {"BAD_TOKEN", "TOKEN_EXPIRED"}


def expired(play: Play, seat: int = 0) -> str:
    """A token that was good until now."""
    return play.service.seat_token(play.playing.id, seat, "join", seconds=0)


def closed(reason: str) -> grpc.StatusCode:
    """How a closed door is told from a key that is none."""
    return Code.UNAUTHENTICATED if reason in NOT_AUTHENTICATED else Code.PERMISSION_DENIED


PERMISSION = [
    *(
        case(name, method, read_by(method, viewer), closed(reason), reason)
        for method in READS
        for name, (viewer, reason) in WRONG_VIEWERS.items()
    ),
    *(
        case(name, method, done_by(method, who), closed(reason), reason)
        for method in DEEDS
        for name, (who, reason) in WRONG_SEATS.items()
    ),
    case(
        "a seat that nobody has taken",
        "SubmitCommand",
        lambda play: play.submission(
            match_id=play.waiting.id, seat=credential(1, play.service.seat_token(play.waiting.id, 1, "join"))
        ),
        Code.PERMISSION_DENIED,
        "TOKEN_REVOKED",
    ),
    case(
        "a token for a seat that nobody has taken",
        "IssueToken",
        lambda play: pb.IssueTokenRequest(match_id=play.waiting.id, seat=1),
        Code.PERMISSION_DENIED,
        "NOT_YOUR_SEAT",
    ),
    case(
        "everything of a match that waits",
        "GetView",
        lambda play: pb.GetViewRequest(match_id=play.waiting.id, viewer=EVERYTHING),
        Code.PERMISSION_DENIED,
        "STILL_SECRET",
    ),
    case(
        "a wrong token after the end",
        "GetView",
        lambda play: pb.GetViewRequest(match_id=play.over.id, viewer=looking(0, "wrong")),
        Code.UNAUTHENTICATED,
        "BAD_TOKEN",
    ),
]
