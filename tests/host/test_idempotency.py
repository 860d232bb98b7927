"""A repeated call gets its first answer: after the match has moved on, after its end, from another process."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from meydan.match.v1 import match_service_pb2 as pb
from shared.access.tokens import Scope
from shared.eventlog.redis_log import RedisLog
from shared.match.ids import new_match_id
from tests.host.service import (
    ORGANISER,
    PATIENCE,
    TOKEN_SECONDS,
    Service,
    Table,
    bearer,
    human,
    new_match,
    new_table,
    refusal,
    serving,
)

REQUEST_ID = "a-request-id-of-the-player"


@pytest.fixture
async def again(service: Service, open_redis_log: Callable[[], RedisLog]) -> "Again":
    """Repeats calls here, and on another process where there can be one."""
    return Again(service, open_redis_log)


class Again:
    """Where a call can be repeated."""

    def __init__(self, service: Service, open_log: Callable[[], RedisLog]) -> None:
        self._service = service
        self._open_log = open_log

    async def call(self, method: str, request: object, **others: Any) -> list[object]:
        """The answers to a repeated call: of the same host, and of one that has just been started on the same logs."""
        log = self._open_log() if isinstance(self._service.log, RedisLog) else self._service.log
        async with serving(log) as other:
            stubs = (self._service.stub, other.stub)
            return [await getattr(stub, method)(request, timeout=PATIENCE, **others) for stub in stubs]


async def test_a_repeated_command_is_played_once(table: Table, again: Again) -> None:
    """At once, after later moves, and after the end; as text or as a message."""
    request = await table.next_submission()
    first = await table.service.stub.SubmitCommand(request, timeout=PATIENCE)
    for moves in (0, 1, 1000):
        await table.play(moves)
        before = await table.records()
        assert await again.call("SubmitCommand", request) == [first] * 2
        assert await table.records() == before


async def test_a_repeated_command_may_change_its_form(table: Table, again: Again) -> None:
    """The same command, once as text and once as a message, is the same command."""
    seat = (await table.view()).match.to_act[0]
    legal = (await table.legal(seat)).commands[0]
    request = table.submission(seat, legal.text)
    first = await table.service.stub.SubmitCommand(request, timeout=PATIENCE)
    request.command.CopyFrom(legal.command)
    assert await again.call("SubmitCommand", request) == [first] * 2


async def test_a_repeated_command_keeps_its_answer_whatever_version_it_expects(table: Table, again: Again) -> None:
    """The first answer counts: a repetition is not stale."""
    request = await table.next_submission()
    request.expected_version = (await table.view()).match.version
    first = await table.service.stub.SubmitCommand(request, timeout=PATIENCE)
    await table.play(2)
    assert await again.call("SubmitCommand", request) == [first] * 2


async def test_a_repeated_join_gets_its_seat_and_token_again(service: Service, again: Again) -> None:
    """Also when the match has started, and when it is over."""
    match_id = await new_match(service, 2)
    requests = [
        pb.JoinMatchRequest(match_id=match_id, player_name=f"Player {seat}", request_id=f"{REQUEST_ID}-{seat}")
        for seat in range(2)
    ]
    first = await service.stub.JoinMatch(requests[0], timeout=PATIENCE)
    assert await again.call("JoinMatch", requests[0]) == [first] * 2
    second = await service.stub.JoinMatch(requests[1], timeout=PATIENCE)
    assert (first.seat, second.seat) == (0, 1)
    table = Table(service, match_id, (first.token, second.token))
    for moves in (0, 1, 1000):
        await table.play(moves)
        before = await table.records()
        assert await again.call("JoinMatch", requests[0]) == [first] * 2
        assert await again.call("JoinMatch", requests[1]) == [second] * 2
        assert await table.records() == before


async def test_a_join_that_is_repeated_later_gets_a_token_that_is_good_from_then_on(service: Service) -> None:
    """Whoever has lost the answer may come for it after the first token has expired."""
    match_id = await new_match(service)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="A", request_id=REQUEST_ID)
    first = await service.stub.JoinMatch(request, timeout=PATIENCE)
    service.clock.now += 2 * TOKEN_SECONDS * 1_000_000
    player = bearer(service.token(Scope.PLAYER, subject=ORGANISER))
    again = await service.stub.JoinMatch(request, timeout=PATIENCE, metadata=player)
    assert (again.seat, again.version, again.receipt) == (first.seat, first.version, first.receipt)
    expired = await refusal(legal_with(service, match_id, first))
    assert expired.reason == "TOKEN_EXPIRED"
    assert (await legal_with(service, match_id, again)).version == again.version


def legal_with(service: Service, match_id: str, joined: pb.JoinMatchResponse) -> Any:
    """A call that only the holder of the seat may make."""
    seat = pb.SeatCredential(seat=joined.seat, token=joined.token)
    return service.stub.GetLegalCommands(pb.GetLegalCommandsRequest(match_id=match_id, seat=seat), timeout=PATIENCE)


async def test_the_same_request_id_of_another_player_is_another_join(service: Service, again: Again) -> None:
    """Nobody can repeat another's join, or use up its id: each gets a seat of their own, and only ever that one."""
    match_id = await new_match(service)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="A", request_id=REQUEST_ID)
    players = [bearer(service.token(Scope.PLAYER, subject=name)) for name in ("alice", "bob")]
    first, second = [await service.stub.JoinMatch(request, timeout=PATIENCE, metadata=player) for player in players]
    assert (first.seat, second.seat) == (0, 1)
    for player, joined in zip(players, (first, second), strict=True):
        assert await again.call("JoinMatch", request, metadata=player) == [joined] * 2
    for mine, other in ((first, second), (second, first)):
        stolen = pb.JoinMatchResponse(seat=other.seat, token=mine.token)
        assert (await refusal(legal_with(service, match_id, stolen))).reason == "NOT_YOUR_SEAT"
        assert (await legal_with(service, match_id, mine)).version == second.version


async def test_a_repeated_join_gets_no_token_for_a_seat_that_was_given_away(service: Service, again: Again) -> None:
    """The call was accepted once; what it gave is somebody else's now."""
    match_id = await new_match(service)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="A", request_id=REQUEST_ID)
    await service.stub.JoinMatch(request, timeout=PATIENCE)
    release = pb.ReleaseSeatRequest(match_id=match_id, seat=0, command_id="release")
    first = await service.stub.ReleaseSeat(release, timeout=PATIENCE)
    assert (await refusal(again.call("JoinMatch", request))).reason == "TOKEN_REVOKED"
    other = bearer(service.token(Scope.PLAYER, subject="bob"))
    assert (await service.stub.JoinMatch(request, timeout=PATIENCE, metadata=other)).seat == 0
    before = list(await service.log.read(match_id, 0))
    assert (await refusal(again.call("JoinMatch", request))).reason == "TOKEN_REVOKED"
    assert await again.call("ReleaseSeat", release) == [first] * 2
    assert list(await service.log.read(match_id, 0)) == before


async def test_a_repeated_creation_gets_the_same_match(service: Service, again: Again) -> None:
    """With the seed of the first call, also when the match has moved on."""
    request = pb.CreateMatchRequest(match_id=new_match_id(service.clock.now), seats=[human(), human()])
    first = await service.stub.CreateMatch(request, timeout=PATIENCE)
    before = list(await service.log.read(first.match_id, 0))
    service.clock.now += 1_000_000
    assert await again.call("CreateMatch", request) == [first] * 2
    assert list(await service.log.read(first.match_id, 0)) == before
    join = pb.JoinMatchRequest(match_id=first.match_id, player_name="A")
    await service.stub.JoinMatch(join, timeout=PATIENCE)
    assert await again.call("CreateMatch", request) == [first] * 2
    assert list(await service.log.read(first.match_id, 0))[:1] == before


async def test_a_repeated_resignation_gets_its_first_answer(service: Service, again: Again) -> None:
    """Though the seat is out by then, and though the match is over."""
    table = await new_table(service, 3)
    request = pb.ResignMatchRequest(match_id=table.id, seat=table.credential(1), command_id="leaving")
    first = await service.stub.ResignMatch(request, timeout=PATIENCE)
    for moves in (0, 1, 1000):
        await table.play(moves)
        before = await table.records()
        assert await again.call("ResignMatch", request) == [first] * 2
        assert await table.records() == before


async def test_a_command_that_is_sent_many_times_at_once_is_played_once(table: Table) -> None:
    """All callers get the same answer."""
    request = await table.next_submission()
    before = len(await table.records())
    answers = await asyncio.gather(*(table.submit(request) for _ in range(30)))
    assert len({(answer.first_version, answer.version) for answer in answers}) == 1
    assert len(await table.records()) == before + answers[0].version - answers[0].first_version + 1


async def test_a_refused_command_may_be_sent_again_when_it_is_legal(table: Table) -> None:
    """A refusal uses nothing up: not even the command id."""
    seat = (await table.view()).match.to_act[0]
    legal = (await table.legal(seat)).commands[0].text
    early = table.submission(seat, legal, "try", expected_version=10_000)
    assert (await refusal(table.submit(early))).reason == "STALE_VERSION"
    early.ClearField("expected_version")
    assert (await table.submit(early)).version == len(await table.records())
