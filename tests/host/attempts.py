"""Every call that somebody may try at a match."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from meydan.match.v1 import match_service_pb2 as pb
from shared.kernel import Seat
from tests.host.people import ALICE, COMPUTER, EMPTY, Gathering
from tests.host.service import PATIENCE, explained

# How a call was answered: empty, or the reason of the refusal with its code.
Answer = str
# A call as somebody may make it: the stub has their token, and so has the credential, if it is given there.
Call = Callable[[Gathering, Any, str, str], Awaitable[None]]


async def answer(call: Call, who: Gathering, stub: Any, match_id: str, in_credential: str = "") -> Answer:
    """How a call is answered."""
    try:
        await call(who, stub, match_id, in_credential)
    except grpc.aio.AioRpcError as error:
        refused = explained(error)
        return f"{refused.code.name} {refused.reason}"
    except _RefusedOnStream as error:
        return f"{error.code.name} {error.reason}"
    return ""


class _RefusedOnStream(Exception):
    def __init__(self, refusal: pb.Refusal) -> None:
        super().__init__(refusal.message)
        self.code = next(code for code in grpc.StatusCode if code.value[0] == refusal.code)
        self.reason = refusal.reason


def _credential(token: str, seat: Seat = ALICE) -> pb.SeatCredential:
    return pb.SeatCredential(seat=seat, token=token)


def _viewer(sight: str, token: str) -> pb.Viewer:
    match sight:
        case "seat":
            return pb.Viewer(seat=_credential(token))
        case "empty":
            return pb.Viewer(seat=_credential(token, EMPTY))
        case "everything":
            return pb.Viewer(everything=pb.Everything())
        case _:
            return pb.Viewer()


def _one(name: str, request: Callable[[str, str], Any]) -> Call:
    """A call with one answer."""

    async def call(_: Gathering, stub: Any, match_id: str, token: str) -> None:
        await getattr(stub, name)(request(match_id, token), timeout=PATIENCE)

    return call


def _first(name: str, request: Callable[[str, str], Any]) -> Call:
    """A call with a stream of answers, of which the first is waited for."""

    async def call(_: Gathering, stub: Any, match_id: str, token: str) -> None:
        stream = getattr(stub, name)(request(match_id, token), timeout=PATIENCE)
        await stream.read()
        stream.cancel()

    return call


def _played(request: Callable[[Gathering, str, str], Awaitable[pb.PlayRequest]]) -> Call:
    """An action on a Play stream."""

    async def call(who: Gathering, stub: Any, match_id: str, token: str) -> None:
        action = await request(who, match_id, token)
        stream = stub.Play(timeout=PATIENCE)
        await stream.write(action)
        response = await stream.read()
        stream.cancel()
        if response.answers[0].HasField("refusal"):
            raise _RefusedOnStream(response.answers[0].refusal)

    return call


def _follow(sight: str) -> Call:
    async def request(_: Gathering, match_id: str, token: str) -> pb.PlayRequest:
        return pb.PlayRequest(follow=pb.FollowMatch(match_id=match_id, viewer=_viewer(sight, token)))

    return _played(request)


async def _move(who: Gathering, match_id: str, token: str) -> pb.SubmitCommandRequest:
    request = await who.a_move()
    request.match_id = match_id
    request.seat.token = token
    return request


async def _submit(who: Gathering, stub: Any, match_id: str, token: str) -> None:
    await stub.SubmitCommand(await _move(who, match_id, token), timeout=PATIENCE)


async def _submit_on_stream(who: Gathering, match_id: str, token: str) -> pb.PlayRequest:
    return pb.PlayRequest(submit=await _move(who, match_id, token))


async def _agent_turn(who: Gathering, stub: Any, match_id: str, _: str) -> None:
    request = pb.GetAgentTurnRequest(match_id=match_id, seat=COMPUTER, version=await who.version())
    await stub.GetAgentTurn(request, timeout=PATIENCE)


def _looks(sight: str = "") -> dict[str, Call]:
    """All calls that look at a match, with these eyes."""
    name = f" as {sight}" if sight else ""
    return {
        f"GetView{name}": _one(
            "GetView", lambda one, token: pb.GetViewRequest(match_id=one, viewer=_viewer(sight, token))
        ),
        f"GetHistory{name}": _one(
            "GetHistory", lambda one, token: pb.GetHistoryRequest(match_id=one, viewer=_viewer(sight, token))
        ),
        f"WatchMatch{name}": _first(
            "WatchMatch", lambda one, token: pb.WatchMatchRequest(match_id=one, viewer=_viewer(sight, token))
        ),
        f"ExportMatch{name}": _first(
            "ExportMatch", lambda one, token: pb.ExportMatchRequest(match_id=one, viewer=_viewer(sight, token))
        ),
        f"Play follow{name}": _follow(sight),
    }


CALLS: dict[str, Call] = {
    "DescribeGame": _one("DescribeGame", lambda *_: pb.DescribeGameRequest()),
    "ListKeys": _one("ListKeys", lambda *_: pb.ListKeysRequest()),
    "CreateMatch": _one("CreateMatch", lambda *_: _two_open_seats()),
    "ListMatches": _one("ListMatches", lambda *_: pb.ListMatchesRequest()),
    "JoinMatch": _one("JoinMatch", lambda one, _: pb.JoinMatchRequest(match_id=one, player_name="anybody")),
    "IssueToken seat": _one("IssueToken", lambda one, _: pb.IssueTokenRequest(match_id=one, seat=ALICE)),
    "IssueToken spectator": _one(
        "IssueToken", lambda one, _: pb.IssueTokenRequest(match_id=one, spectator=pb.Spectator())
    ),
    "ReleaseSeat": _one(
        "ReleaseSeat", lambda one, _: pb.ReleaseSeatRequest(match_id=one, seat=ALICE, command_id="release")
    ),
    "GetAgentTurn": _agent_turn,
    "SubmitCommand": _submit,
    "ResignMatch": _one(
        "ResignMatch",
        lambda one, token: pb.ResignMatchRequest(match_id=one, seat=_credential(token), command_id="resign"),
    ),
    "GetLegalCommands": _one(
        "GetLegalCommands", lambda one, token: pb.GetLegalCommandsRequest(match_id=one, seat=_credential(token))
    ),
    "Play submit": _played(_submit_on_stream),
    **_looks(),
    **_looks("seat"),
    **_looks("everything"),
}
# Of the seat that is nobody's any more.
CALLS_OF_EMPTY_SEAT: dict[str, Call] = {
    "SubmitCommand": _one(
        "SubmitCommand",
        lambda one, token: pb.SubmitCommandRequest(
            match_id=one, seat=_credential(token, EMPTY), command_id="move", text="pass"
        ),
    ),
    "ResignMatch": _one(
        "ResignMatch",
        lambda one, token: pb.ResignMatchRequest(match_id=one, seat=_credential(token, EMPTY), command_id="resign"),
    ),
    "GetLegalCommands": _one(
        "GetLegalCommands",
        lambda one, token: pb.GetLegalCommandsRequest(match_id=one, seat=_credential(token, EMPTY)),
    ),
    **_looks("empty"),
}


def _two_open_seats() -> pb.CreateMatchRequest:
    request = pb.CreateMatchRequest()
    for _ in range(2):
        request.seats.add().open.SetInParent()
    return request
