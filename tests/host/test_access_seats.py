"""Seats that change hands: who gives them away, who gets their tokens, and what is left to those who had them."""

from typing import Any

import grpc
import pytest

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.access.tokens import Scope
from shared.envelope import unpack
from shared.match.wire import full_name
from tests.host.people import ALICE, BOB, COMPUTER, EMPTY, OPEN, Gathering, gathering
from tests.host.service import (
    ORGANISER,
    PATIENCE,
    TOKEN_SECONDS,
    Calling,
    Service,
    bearer,
    human,
    new_match,
    refusal,
)


@pytest.fixture
async def who(memory_service: Service) -> Gathering:
    """A match that has begun, and all who come to it."""
    return await gathering(memory_service, is_public=True)


def player(service: Service, name: str) -> Any:
    """A stub that calls as a player."""
    return Calling(service.stub.stub, service.token(Scope.PLAYER, subject=name))  # type: ignore[attr-defined]


async def join(service: Service, match_id: str, name: str, seat: int, request_id: str = "join-1") -> str:
    """A player takes a seat; answers its token."""
    request = pb.JoinMatchRequest(match_id=match_id, seat=seat, player_name=name, request_id=request_id)
    token: str = (await player(service, name).JoinMatch(request, timeout=PATIENCE)).token
    return token


def release(match_id: str, seat: int, command_id: str = "release-1") -> pb.ReleaseSeatRequest:
    """Opens a seat again."""
    return pb.ReleaseSeatRequest(match_id=match_id, seat=seat, command_id=command_id)


async def test_a_player_gets_another_token_of_the_same_seat(who: Gathering) -> None:
    """It plays the seat as the first one does, says when it ends, and ends with the seat."""
    request = pb.IssueTokenRequest(match_id=who.id, seat=ALICE)
    issued = await who.called_by("alice").IssueToken(request, timeout=PATIENCE)
    claims = who.service.tokens.read(issued.token)
    assert (claims.subject, claims.match_id, claims.seat) == ("alice", who.id, ALICE)
    assert claims.scopes == {Scope.SEAT}
    assert claims.expires_micros == issued.expires_micros == who.service.clock.now + TOKEN_SECONDS * 1_000_000
    move = await who.a_move()
    who.tokens["issued"] = issued.token
    await who.called_by("issued").SubmitCommand(move, timeout=PATIENCE)
    await who.release(ALICE)
    refused = await refusal(who.called_by("issued").SubmitCommand(move, timeout=PATIENCE))
    assert refused.reason == "TOKEN_REVOKED"


async def test_a_spectators_token_watches_one_match(who: Gathering) -> None:
    """Its subject is the organiser who gave it away, but it has none of the organiser's rights."""
    request = pb.IssueTokenRequest(match_id=who.id, spectator=pb.Spectator())
    issued = await who.called_by("organiser").IssueToken(request, timeout=PATIENCE)
    claims = who.service.tokens.read(issued.token)
    assert (claims.subject, set(claims.scopes)) == (ORGANISER, {Scope.SPECTATOR})
    assert (claims.match_id, claims.seat, claims.join_id) == (who.id, None, "")
    assert claims.expires_micros == issued.expires_micros
    who.tokens["issued"] = issued.token
    assert await who.called_by("issued").GetView(pb.GetViewRequest(match_id=who.id), timeout=PATIENCE)
    for call in (
        who.called_by("issued").GetView(pb.GetViewRequest(match_id=who.other_id), timeout=PATIENCE),
        who.called_by("issued").ReleaseSeat(release(who.id, ALICE), timeout=PATIENCE),
        who.called_by("issued").IssueToken(request, timeout=PATIENCE),
    ):
        assert (await refusal(call)).code is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize("seat", [BOB, COMPUTER, OPEN, EMPTY], ids=["another's", "a computer's", "open", "empty"])
async def test_nobody_gets_the_token_of_a_seat_that_is_not_theirs(who: Gathering, seat: int) -> None:
    """Neither the organiser nor a player."""
    request = pb.IssueTokenRequest(match_id=who.id, seat=seat)
    for kind in ("organiser", "alice"):
        refused = await refusal(who.called_by(kind).IssueToken(request, timeout=PATIENCE))
        assert (refused.code, refused.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.IssueTokenRequest(seat=5), "seat"),
        (pb.IssueTokenRequest(seat=2**32 - 1), "seat"),
        (pb.IssueTokenRequest(), "holder"),
    ],
    ids=["no such seat", "a huge seat", "for nobody"],
)
async def test_a_token_is_asked_for_a_seat_or_a_spectator(
    who: Gathering, request_: pb.IssueTokenRequest, field: str
) -> None:
    """Of the match."""
    asked = pb.IssueTokenRequest(match_id=who.id)
    asked.MergeFrom(request_)
    refused = await refusal(who.called_by("alice").IssueToken(asked, timeout=PATIENCE))
    assert (refused.code, refused.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))


async def test_a_player_leaves_a_seat_before_the_start(memory_service: Service) -> None:
    """And another takes it; the first one's token is worth nothing, the second one's plays."""
    match_id = await new_match(memory_service)
    old = await join(memory_service, match_id, "alice", 0)
    answer = await player(memory_service, "alice").ReleaseSeat(release(match_id, 0), timeout=PATIENCE)
    assert (answer.acknowledgement.first_version, answer.acknowledgement.version) == (3, 3)
    assert answer.acknowledgement.receipt.version == 3
    new = await join(memory_service, match_id, "bob", 0)
    await join(memory_service, match_id, "carol", 1)
    request = pb.GetLegalCommandsRequest(match_id=match_id, seat=pb.SeatCredential(seat=0))
    stub: Any = memory_service.stub
    assert await stub.GetLegalCommands(request, timeout=PATIENCE, metadata=bearer(new))
    refused = await refusal(stub.GetLegalCommands(request, timeout=PATIENCE, metadata=bearer(old)))
    assert refused.reason == "TOKEN_REVOKED"


async def test_a_join_of_the_same_name_does_not_bring_an_old_token_back(who: Gathering) -> None:
    """Clients choose the ids of their joins, and two may choose the same: Carol's and Alice's did."""
    first, second = (who.service.tokens.read(who.tokens[kind]) for kind in ("gone", "seat"))
    assert (first.match_id, first.seat, first.join_id) == (second.match_id, second.seat, second.join_id)
    request = pb.GetViewRequest(match_id=who.id, viewer=pb.Viewer(seat=pb.SeatCredential(seat=ALICE)))
    assert await who.called_by("seat").GetView(request, timeout=PATIENCE)
    assert (await refusal(who.called_by("gone").GetView(request, timeout=PATIENCE))).reason == "TOKEN_REVOKED"


async def test_a_player_who_was_asked_to_leave_can_not_repeat_the_old_join(who: Gathering) -> None:
    """The first answer would be a token of a seat that is another's now."""
    request = pb.JoinMatchRequest(match_id=who.id, seat=ALICE, player_name="carol", request_id="join-1")
    before = await who.logs()
    refused = await refusal(who.called_by("carol").JoinMatch(request, timeout=PATIENCE))
    assert (refused.code, refused.reason) == (grpc.StatusCode.PERMISSION_DENIED, "TOKEN_REVOKED")
    assert await who.logs() == before


async def test_a_join_that_is_repeated_gets_a_token_that_plays(who: Gathering) -> None:
    """The same seat, the same version."""
    request = pb.JoinMatchRequest(match_id=who.id, seat=ALICE, player_name="alice", request_id="join-1")
    before = await who.logs()
    again = await who.called_by("alice").JoinMatch(request, timeout=PATIENCE)
    assert (again.seat, again.version) == (ALICE, await who.version())
    who.tokens["again"] = again.token
    assert await who.logs() == before
    assert await who.called_by("again").SubmitCommand(await who.a_move(), timeout=PATIENCE)


async def test_a_new_holder_is_not_given_the_answer_to_an_old_ones_command(who: Gathering) -> None:
    """The same id and the same words: the first one's move was played, the second one's would never be."""
    move = await who.a_move()
    await who.called_by("seat").SubmitCommand(move, timeout=PATIENCE)
    assert await who.called_by("seat").SubmitCommand(move, timeout=PATIENCE)
    await who.release(ALICE)
    who.tokens["next"] = await who.join("dora", ALICE)
    before = await who.logs()
    refused = await refusal(who.called_by("next").SubmitCommand(move, timeout=PATIENCE))
    assert (refused.code, refused.reason) == (grpc.StatusCode.ALREADY_EXISTS, "COMMAND_ID_REUSED")
    assert await who.logs() == before


@pytest.mark.parametrize("by", ["player", "organiser"])
async def test_a_release_that_is_repeated_gets_its_first_answer(memory_service: Service, by: str) -> None:
    """Though the seat is not the caller's to give away any more."""
    match_id = await new_match(memory_service)
    await join(memory_service, match_id, "alice", 0)
    caller = player(memory_service, "alice") if by == "player" else memory_service.stub
    first = await caller.ReleaseSeat(release(match_id, 0), timeout=PATIENCE)
    await join(memory_service, match_id, "bob", 0)
    before = await memory_service.log.read(match_id, 0)
    assert await caller.ReleaseSeat(release(match_id, 0), timeout=PATIENCE) == first
    assert await memory_service.log.read(match_id, 0) == before


async def test_a_release_under_a_used_id_is_refused(memory_service: Service) -> None:
    """The id was of another seat."""
    match_id = await new_match(memory_service, 3)
    for seat in range(2):
        await join(memory_service, match_id, f"player {seat}", seat)
    await memory_service.stub.ReleaseSeat(release(match_id, 0), timeout=PATIENCE)
    refused = await refusal(memory_service.stub.ReleaseSeat(release(match_id, 1), timeout=PATIENCE))
    assert refused.reason == "COMMAND_ID_REUSED"


async def test_people_can_not_use_up_each_others_ids(memory_service: Service) -> None:
    """Whatever they are called: names may have any visible letter, and so may ids."""
    match_id = await new_match(memory_service, 3)
    await join(memory_service, match_id, "a", 0, "b/c")
    await join(memory_service, match_id, "a/b", 1, "c")
    await join(memory_service, match_id, "a b", 2, "c")
    assert [unpack(record).type for record in await memory_service.log.read(match_id, 1)][:3] == [
        full_name(events_pb.SeatTaken)
    ] * 3


@pytest.mark.parametrize(
    ("kind", "seat", "code", "reason"),
    [
        pytest.param("organiser", COMPUTER, "FAILED_PRECONDITION", "SEAT_NOT_TAKEN", id="a computer's"),
        pytest.param("organiser", OPEN, "FAILED_PRECONDITION", "SEAT_NOT_TAKEN", id="an open one"),
        pytest.param("organiser", 5, "INVALID_ARGUMENT", "MALFORMED", id="one that is not there"),
        pytest.param("alice", ALICE, "PERMISSION_DENIED", "MATCH_STARTED", id="one's own after the start"),
        pytest.param("alice", BOB, "PERMISSION_DENIED", "NOT_YOUR_SEAT", id="another's"),
        pytest.param("carol", EMPTY, "PERMISSION_DENIED", "NOT_YOUR_SEAT", id="nobody's"),
    ],
)
async def test_a_seat_is_not_given_away_by_everybody(
    who: Gathering, kind: str, seat: int, code: str, reason: str
) -> None:
    """And some seats are nobody's to give."""
    before = await who.logs()
    refused = await refusal(who.called_by(kind).ReleaseSeat(release(who.id, seat), timeout=PATIENCE))
    assert (refused.code.name, refused.reason) == (code, reason)
    assert await who.logs() == before


async def test_a_seat_that_has_left_is_not_open_again(who: Gathering) -> None:
    """It plays by default to the end."""
    seat = pb.SeatCredential(seat=ALICE)
    await who.called_by("seat").ResignMatch(
        pb.ResignMatchRequest(match_id=who.id, seat=seat, command_id="resign"), timeout=PATIENCE
    )
    refused = await refusal(who.called_by("organiser").ReleaseSeat(release(who.id, ALICE), timeout=PATIENCE))
    assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SEAT_NOT_TAKEN")


async def test_seats_of_a_match_that_is_over_stay_as_they_are(who: Gathering) -> None:
    """For the record."""
    await who.finish()
    refused = await refusal(who.called_by("organiser").ReleaseSeat(release(who.id, ALICE), timeout=PATIENCE))
    assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_OVER")


@pytest.mark.parametrize("command_id", ["", "x" * 65, "a space", "é"], ids=["empty", "long", "space", "not ASCII"])
async def test_a_release_needs_an_id(who: Gathering, command_id: str) -> None:
    """As every command does."""
    refused = await refusal(
        who.called_by("organiser").ReleaseSeat(release(who.id, ALICE, command_id), timeout=PATIENCE)
    )
    assert (refused.code, refused.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("command_id",))


async def test_a_match_of_one_organiser_can_not_be_created_again_by_another(memory_service: Service) -> None:
    """Not even in the same words."""
    request = pb.CreateMatchRequest(seats=[human(), human()], match_id="01BBBBBBBBBBBBBBBBBBBBBBBB")
    first = await memory_service.stub.CreateMatch(request, timeout=PATIENCE)
    assert await memory_service.stub.CreateMatch(request, timeout=PATIENCE) == first
    other = memory_service.token(Scope.ORGANISER, subject="another organiser")
    stub: Any = memory_service.stub
    refused = await refusal(stub.CreateMatch(request, timeout=PATIENCE, metadata=bearer(other)))
    assert (refused.code, refused.reason) == (grpc.StatusCode.ALREADY_EXISTS, "COMMAND_ID_REUSED")
