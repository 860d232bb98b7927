"""Two processes serve the same matches: none of them owns one."""

import asyncio

import grpc
import pytest

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.envelope import unpack
from shared.match.wire import Wire
from shared.replay import Replay
from tests.host.service import (
    DOMINO,
    PATIENCE,
    Service,
    Table,
    join,
    new_agents_table,
    new_match,
    new_table,
    refusal,
)

TwoHosts = tuple[Service, Service]


async def test_moves_alternate_between_hosts(two_hosts: TwoHosts) -> None:
    """Each finds out that it is behind, and plays on the newest position."""
    table = await new_table(two_hosts[0])
    number = 0
    while (request := await table.next_submission()) is not None:
        await table.on(two_hosts[number % 2]).submit(request)
        number += 1
    views = [(await table.on(host).view()) for host in two_hosts]
    assert views[0] == views[1]
    assert views[0].match.status == pb.MATCH_STATUS_FINISHED
    match = Replay(DOMINO, Wire(DOMINO)).fold(None, map(unpack, await table.records()))
    assert (await two_hosts[0].host.fresh(table.id)).folded == (await two_hosts[1].host.fresh(table.id)).folded == match


async def test_a_watcher_sees_what_another_host_appends(two_hosts: TwoHosts) -> None:
    """Every event, in order, as it happens, until the end."""
    here, there = two_hosts
    table = await new_table(here)
    watching = there.stub.WatchMatch(pb.WatchMatchRequest(match_id=table.id), timeout=PATIENCE)

    async def watched() -> list[events_pb.Envelope]:
        return [envelope async for response in watching for envelope in response.envelopes]

    seen = asyncio.create_task(watched())
    await table.play()
    assert await seen == await table.history()


async def test_a_watcher_of_a_waiting_match_sees_it_start_elsewhere(two_hosts: TwoHosts) -> None:
    """The joins and the deal arrive though nothing happens here."""
    here, there = two_hosts
    match_id = await new_match(here)
    watching = there.stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id), timeout=PATIENCE)
    first = await watching.read()
    assert isinstance(first, pb.WatchMatchResponse)
    versions = [envelope.version for envelope in first.envelopes]
    assert versions == [1]
    for seat in range(2):
        await join(here, match_id, seat)
    while versions[-1] < len(await here.log.read(match_id, 0)):
        response = await watching.read()
        assert isinstance(response, pb.WatchMatchResponse)
        versions.extend(envelope.version for envelope in response.envelopes)
    assert versions == list(range(1, len(versions) + 1))


async def test_racing_commands_on_two_hosts_are_decided_one_after_the_other(two_hosts: TwoHosts) -> None:
    """The same turn is offered to both at once, with different ids: one is played, the other breaks a rule."""
    table = await new_table(two_hosts[0])
    for number in range(6):
        request = await table.next_submission()
        if request is None:
            break
        other = pb.SubmitCommandRequest()
        other.CopyFrom(request)
        other.command_id = f"other-{number}"
        answers = await asyncio.gather(
            table.submit(request), table.on(two_hosts[1]).submit(other), return_exceptions=True
        )
        refused = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
        assert [error.code() for error in refused] == [grpc.StatusCode.FAILED_PRECONDITION]
    versions = [unpack(record).version for record in await table.records()]
    assert versions == list(range(1, len(versions) + 1))


async def test_resignations_at_once_on_two_hosts_are_both_accepted(two_hosts: TwoHosts) -> None:
    """Neither depends on the version: the loser of the race is decided again."""
    table = await new_table(two_hosts[0], 4)
    await asyncio.gather(*(table.on(two_hosts[seat % 2]).resign(seat, f"leave-{seat}") for seat in range(4)))
    for host in two_hosts:
        summary = (await table.on(host).view()).match
        assert summary.status == pb.MATCH_STATUS_FINISHED
        assert sorted(seat for place in summary.places for seat in place.seats) == [0, 1, 2, 3]


async def test_joins_at_once_on_two_hosts_get_different_seats(two_hosts: TwoHosts) -> None:
    """Without a wish, the loser of the race gets the next seat."""
    match_id = await new_match(two_hosts[0], 5)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="Anybody")
    joined = await asyncio.gather(
        *(two_hosts[number % 2].stub.JoinMatch(request, timeout=PATIENCE) for number in range(5))
    )
    assert sorted(one.seat for one in joined) == [0, 1, 2, 3, 4]
    table = Table(two_hosts[1], match_id, tuple(one.token for one in sorted(joined, key=lambda one: one.seat)))
    assert await table.play() > 0


@pytest.mark.parametrize("call", ["submit", "resign", "legal", "view"])
async def test_a_seat_that_was_taken_elsewhere_is_known_here(two_hosts: TwoHosts, call: str) -> None:
    """A host that has the match in memory from before the join must not refuse the seat's rightful token."""
    here, there = two_hosts
    match_id = await new_match(here)
    await Table(there, match_id, ()).view()
    tokens = tuple([(await join(here, match_id, seat)).token for seat in range(2)])
    request = await Table(here, match_id, tokens).next_submission()
    table = Table(there, match_id, tokens)
    if call == "submit":
        assert (await table.submit(request)).version == len(await table.records())
    elif call == "resign":
        await table.resign(0)
    elif call == "legal":
        assert (await table.legal(request.seat.seat)).commands
    else:
        assert (await table.view(0)).HasField("view")


@pytest.mark.parametrize("call", ["submit", "resign", "legal", "view"])
async def test_a_seat_that_was_given_away_elsewhere_is_closed_here(two_hosts: TwoHosts, call: str) -> None:
    """A host that has the match in memory from before must not play for who had the seat."""
    here, there = two_hosts
    table = await new_table(here)
    request = await table.next_submission()
    await table.on(there).view()
    seat = request.seat.seat
    release = pb.ReleaseSeatRequest(match_id=table.id, seat=seat, command_id="release")
    await here.stub.ReleaseSeat(release, timeout=PATIENCE)
    before = await table.records()
    calls = {"submit": lambda one: one.submit(request), "resign": lambda one: one.resign(seat)}
    others = {"legal": lambda one: one.legal(seat), "view": lambda one: one.view(seat)}
    answer = await refusal((calls | others)[call](table.on(there)))
    assert (answer.code, answer.reason) == (grpc.StatusCode.PERMISSION_DENIED, "TOKEN_REVOKED")
    assert await table.records() == before


async def test_an_agents_note_is_checked_by_a_host_that_is_behind(two_hosts: TwoHosts) -> None:
    """The seed of a turn is compared at the version at which the command is played, not at an older one."""
    here, there = two_hosts
    table = await new_agents_table(here, "greedy", "greedy")
    await table.on(there).view()
    await table.submit(await table.next_submission())
    request = await table.next_submission()
    request.agent.seed = b"not the seed of this turn"
    before = await table.records()
    answer = await refusal(table.on(there).submit(request))
    assert (answer.code, answer.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("agent.seed",))
    assert await table.records() == before


async def test_a_list_shows_the_newest_state_of_matches_played_elsewhere(two_hosts: TwoHosts) -> None:
    """Though this host has an old one in memory."""
    here, there = two_hosts
    table = await new_table(here)
    await there.stub.ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE)
    await table.play()
    (summary,) = (await there.stub.ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE)).matches
    assert summary == (await table.view()).match
    assert summary.status == pb.MATCH_STATUS_FINISHED


async def test_a_stream_on_one_host_follows_a_match_that_is_played_on_another(two_hosts: TwoHosts) -> None:
    """Commands go in here, events come out there, without a gap."""
    here, there = two_hosts
    table = await new_table(here, 2, domino_pb2.Options(target=60))
    stream = there.stub.Play(timeout=PATIENCE)
    await stream.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=table.id)))
    seen: list[int] = []
    await table.play()
    while len(seen) < len(await table.records()):
        response = await stream.read()
        assert isinstance(response, pb.PlayResponse)
        seen.extend(envelope.version for events in response.events for envelope in events.envelopes)
    assert seen == list(range(1, len(seen) + 1))
    await stream.done_writing()
