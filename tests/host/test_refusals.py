"""Bad input: each kind has its status, its reason and its detail, and changes nothing."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.match.ids import new_match_id
from tests.host.bad_requests import NOT_FOUND, PERMISSION, Code, Play, three_matches
from tests.host.malformed_requests import MALFORMED, RULES, SEATS, TOO_MUCH
from tests.host.service import (
    PATIENCE,
    Answer,
    Service,
    computer,
    human,
    new_agents_table,
    new_match,
    new_table,
    packed,
    refusal,
)


@pytest.fixture
async def play(service: Service) -> Play:
    """The three matches."""
    return await three_matches(service)


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
    ("method", "request_of", "code", "reason", "field"), [*NOT_FOUND, *PERMISSION, *MALFORMED, *TOO_MUCH, *RULES]
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
    ("change", "field"),
    [
        pytest.param(lambda command: command.ClearField("agent"), "agent", id="no note"),
        pytest.param(lambda command: command.agent.ClearField("name"), "agent.name", id="a note without a name"),
        pytest.param(
            lambda command: command.agent.MergeFrom(events_pb.AgentNote(name="domino/random")),
            "agent.name",
            id="the name of another player",
        ),
        pytest.param(
            lambda command: command.agent.MergeFrom(events_pb.AgentNote(seed=b"wrong")),
            "agent.seed",
            id="a seed of its own",
        ),
        pytest.param(lambda command: command.ClearField("expected_version"), "expected_version", id="no version"),
    ],
)
async def test_an_agents_note_must_be_true(service: Service, change: Callable[[Any], None], field: str) -> None:
    """The move is to be computed again from it: a name, the version seen, and the seed that was given for this turn."""
    table = await new_agents_table(service, "greedy", "greedy")
    command = await table.next_submission()
    change(command)
    before = await table.records()
    answer = await refusal(table.submit(command))
    assert (answer.code, answer.fields) == (Code.INVALID_ARGUMENT, (field,))
    assert await table.records() == before


async def test_a_player_moves_without_a_note(service: Service) -> None:
    """Only computers have one."""
    table = await new_table(service)
    command = await table.next_submission()
    command.agent.name = "domino/greedy"
    answer = await refusal(table.submit(command))
    assert (answer.code, answer.fields) == (Code.INVALID_ARGUMENT, ("agent",))


async def test_bytes_that_are_no_message_are_malformed(service: Service) -> None:
    """Not an error of the service's."""
    for method in ("CreateMatch", "SubmitCommand", "GetView"):
        call: Any = service.channel.unary_unary(f"/meydan.match.v1.MatchService/{method}")
        answer = await refusal(call(b"\xff\xff\xff", timeout=PATIENCE))
        assert (answer.code, answer.fields) == (Code.INVALID_ARGUMENT, ("request",))
