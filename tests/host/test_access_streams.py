"""Streams last longer than what opened them: whose seat is gone, or whose token has ended, hears no more."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from shared.access.tokens import Scope
from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from shared.host.access import Access, Caller
from shared.host.errors import Refused
from shared.host.watching import watch
from tests.host.people import ALICE, BOB, Gathering, gathering
from tests.host.service import (
    PATIENCE,
    TOKEN_SECONDS,
    Service,
    bearer,
    explained,
    new_table,
    refusal,
    serving,
)


@dataclass
class Listener:
    """One stream of one service, and all that was heard on it."""

    stream: Any
    versions: list[int] = field(default_factory=list)
    answers: list[pb.PlayAnswer] = field(default_factory=list)
    ended: str = ""

    async def listen(self) -> None:
        """Takes one response in."""
        try:
            response = await self.stream.read()
        except grpc.aio.AioRpcError as error:
            refused = explained(error)
            self.ended = f"{refused.code.name} {refused.reason}"
            return
        if isinstance(response, pb.WatchMatchResponse):
            self.versions.extend(envelope.version for envelope in response.envelopes)
            return
        assert isinstance(response, pb.PlayResponse)
        self.answers.extend(response.answers)
        self.versions.extend(envelope.version for events in response.events for envelope in events.envelopes)
        for answer in response.answers:
            if answer.HasField("refusal"):
                code = next(code for code in grpc.StatusCode if code.value[0] == answer.refusal.code)
                self.ended = f"{code.name} {answer.refusal.reason}"

    async def heard(self, version: int) -> None:
        """Listens until an event has come."""
        while version not in self.versions:
            assert not self.ended
            await self.listen()

    async def refused(self) -> str:
        """Listens until the stream, or what it follows, is refused."""
        while not self.ended:
            await self.listen()
        return self.ended


async def watching(service: Service, match_id: str, viewer: pb.Viewer, token: str) -> Listener:
    """A WatchMatch stream."""
    request = pb.WatchMatchRequest(match_id=match_id, viewer=viewer)
    stub: Any = MatchServiceStub(service.channel)
    return Listener(stub.WatchMatch(request, timeout=PATIENCE, metadata=bearer(token)))


async def following(service: Service, match_id: str, viewer: pb.Viewer, token: str) -> Listener:
    """A Play stream that follows a match."""
    stub: Any = MatchServiceStub(service.channel)
    listener = Listener(stub.Play(timeout=PATIENCE, metadata=bearer(token)))
    await listener.stream.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=match_id, viewer=viewer)))
    return listener


BOTH = pytest.mark.parametrize("listens", [watching, following], ids=["watch", "play"])
AS_ALICE = pb.Viewer(seat=pb.SeatCredential(seat=ALICE))


@dataclass
class Two:
    """Where things happen, and where somebody listens: in one process, or in two."""

    here: Service
    there: Service


@pytest.fixture(params=["one process", "two processes"])
async def two(request: pytest.FixtureRequest, open_redis_log: Callable[[], RedisLog]) -> AsyncIterator[Two]:
    """The same process, or two on the same logs."""
    if request.param == "one process":
        async with serving(MemoryLog()) as service:
            yield Two(service, service)
    else:
        async with serving(open_redis_log()) as here, serving(open_redis_log()) as there:
            yield Two(here, there)


async def play_on(who: Gathering) -> None:
    """Somebody else takes Alice's seat, and moves."""
    who.tokens["seat"] = await who.join("dora", ALICE)
    await who.called_by("seat").SubmitCommand(await who.a_move("of-dora"), timeout=PATIENCE)


@BOTH
@pytest.mark.parametrize("viewer", [AS_ALICE, pb.Viewer()], ids=["as the seat", "as a spectator"])
async def test_a_seat_that_is_given_away_hears_no_more(two: Two, listens: Any, viewer: pb.Viewer) -> None:
    """Not one event from its release on, wherever that was; and it is told why."""
    who = await gathering(two.here, is_public=True)
    listener = await listens(two.there, who.id, viewer, who.tokens["seat"])
    last = await who.version()
    await listener.heard(last)
    await who.release(ALICE)
    await play_on(who)
    assert await listener.refused() == "PERMISSION_DENIED TOKEN_REVOKED"
    assert listener.versions == list(range(1, last + 1))
    again = await listens(two.there, who.id, viewer, who.tokens["seat"])
    await again.heard(await who.version())


@BOTH
async def test_a_player_who_is_not_part_of_an_invited_match_any_more_hears_no_more(two: Two, listens: Any) -> None:
    """What a player watches by being part of it ends with that; others watch on."""
    who = await gathering(two.here, is_public=False)
    listener = await listens(two.there, who.id, pb.Viewer(), who.tokens["alice"])
    others = [await listens(two.there, who.id, pb.Viewer(), who.tokens[kind]) for kind in ("organiser", "spectator")]
    last = await who.version()
    await listener.heard(last)
    await who.release(ALICE)
    await play_on(who)
    assert await listener.refused() == "PERMISSION_DENIED NOT_YOUR_MATCH"
    assert listener.versions == list(range(1, last + 1))
    for other in others:
        await other.heard(await who.version())


@BOTH
async def test_a_token_that_ends_while_a_stream_is_open_ends_what_it_opened(
    memory_service: Service, listens: Any
) -> None:
    """The next event is not sent any more; the match goes on."""
    who = await gathering(memory_service, is_public=True)
    listener = await listens(memory_service, who.id, AS_ALICE, who.tokens["seat"])
    last = await who.version()
    await listener.heard(last)
    memory_service.clock.now += TOKEN_SECONDS * 1_000_000
    who.tokens["organiser"] = memory_service.token(Scope.ORGANISER, subject="organiser")
    await who.release(BOB)
    assert await listener.refused() == "UNAUTHENTICATED TOKEN_EXPIRED"
    assert listener.versions == list(range(1, last + 1))


async def test_what_was_not_sent_before_a_release_is_not_sent_after_it() -> None:
    """A slow watcher is a page behind when its seat is given away: the page has secrets of the seat, and stays here."""
    async with serving(MemoryLog()) as service:
        table = await new_table(service, 2, domino_pb2.Options(target=500))
        while len(await table.records()) < 150:
            await table.play(10)
        seen = watch(
            service.host,
            Access(service.tokens),
            pb.WatchMatchRequest(match_id=table.id, viewer=pb.Viewer(seat=pb.SeatCredential(seat=0))),
            Caller("", table.tokens[0]),
        )
        assert len((await anext(seen)).envelopes) == 100
        release = pb.ReleaseSeatRequest(match_id=table.id, seat=0, command_id="release")
        await service.stub.ReleaseSeat(release, timeout=PATIENCE)
        with pytest.raises(Refused) as caught:
            await anext(seen)
        assert caught.value.reason == "TOKEN_REVOKED"


async def test_seats_of_several_matches_are_played_on_one_stream(memory_service: Service) -> None:
    """Each command brings the token of its seat; the stream's own is another's. One that is wrong is refused alone."""
    tables = [await new_table(memory_service, seed=bytes([number])) for number in range(3)]
    stub: Any = MatchServiceStub(memory_service.channel)
    listener = Listener(stub.Play(timeout=PATIENCE, metadata=bearer(memory_service.token(Scope.PUBLIC))))
    moves = [await table.next_submission() for table in tables]
    crossed = pb.SubmitCommandRequest()
    crossed.CopyFrom(moves[0])
    crossed.seat.token = moves[1].seat.token
    before = [len(await table.records()) for table in tables]
    for request in (crossed, *moves):
        await listener.stream.write(pb.PlayRequest(submit=request))
    while len(listener.answers) < 4:
        await listener.listen()
    refused = [answer for answer in listener.answers if answer.HasField("refusal")]
    assert [answer.refusal.reason for answer in refused] == ["NOT_YOUR_SEAT"]
    accepted = {a.match_id: a.acknowledgement.first_version for a in listener.answers if a.HasField("acknowledgement")}
    assert accepted == {table.id: version + 1 for table, version in zip(tables, before, strict=True)}


async def test_a_follow_that_is_refused_leaves_the_others_alone(memory_service: Service) -> None:
    """One stream, one token: the public match is followed, its seats and the invited match are not."""
    public = await gathering(memory_service, is_public=True)
    memory_service.clock.now += 10_000
    invited = await gathering(memory_service, is_public=False)
    listener = await following(memory_service, invited.id, pb.Viewer(), public.tokens["public"])
    assert await listener.refused() == "PERMISSION_DENIED NOT_YOUR_MATCH"
    listener.ended = ""
    seat = pb.FollowMatch(match_id=public.id, viewer=AS_ALICE)
    await listener.stream.write(pb.PlayRequest(follow=seat))
    assert await listener.refused() == "PERMISSION_DENIED NOT_YOUR_SEAT"
    listener.ended = ""
    await listener.stream.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=public.id)))
    await listener.heard(await public.version())
    live = await memory_service.host.get(invited.id)
    assert not live.followers


async def test_a_refused_follow_does_not_end_the_one_before(memory_service: Service) -> None:
    """The seat is followed on; what was asked for beside it is not."""
    who = await gathering(memory_service, is_public=True)
    listener = await following(memory_service, who.id, AS_ALICE, who.tokens["seat"])
    await listener.heard(await who.version())
    bob = pb.FollowMatch(match_id=who.id, viewer=pb.Viewer(seat=pb.SeatCredential(seat=BOB)))
    await listener.stream.write(pb.PlayRequest(follow=bob))
    assert await listener.refused() == "PERMISSION_DENIED NOT_YOUR_SEAT"
    listener.ended = ""
    await who.release(BOB)
    await listener.heard(await who.version())


@pytest.mark.parametrize(
    ("kind", "reason"), [("none", "NO_TOKEN"), ("garbage", "BAD_TOKEN"), ("expired", "TOKEN_EXPIRED")]
)
async def test_a_stream_needs_a_token_to_be_opened(memory_service: Service, kind: str, reason: str) -> None:
    """Though what comes on it brings tokens of its own: whoever has none holds nothing open here."""
    who = await gathering(memory_service, is_public=True)
    stub = who.anonymous() if kind == "none" else who.called_by(kind)
    refused = await refusal(stub.Play(timeout=PATIENCE).read())
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAUTHENTICATED, reason)
    assert not memory_service.host.wakers
