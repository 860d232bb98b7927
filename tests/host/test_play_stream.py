"""The Play stream: many matches in one, an answer to each action, events without a gap."""

import asyncio
import contextlib
from collections import Counter, defaultdict
from typing import Any

import grpc
import pytest

from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.access.tokens import Scope
from shared.host.access import Access, Caller
from shared.host.limits import Limits
from shared.host.play import PlayStream
from shared.host.servicer import MatchServicer
from tests.host.service import (
    PATIENCE,
    SIGNING_KEY,
    TOKEN_SECONDS,
    UNKNOWN_MATCH,
    Service,
    Table,
    bearer,
    new_table,
    refusal,
    until,
)


class Talk:
    """A client's end of a stream: what it has been told so far."""

    def __init__(self, service: Service) -> None:
        self.stream: Any = service.stub.Play(timeout=PATIENCE)
        self.answers: list[pb.PlayAnswer] = []
        self.events: defaultdict[str, list[events_pb.Envelope]] = defaultdict(list)

    async def say(self, **action: Any) -> None:
        """Sends one request."""
        await self.stream.write(pb.PlayRequest(**action))

    async def listen(self) -> bool:
        """Takes one response in; says whether there was one."""
        response = await self.stream.read()
        if response is grpc.aio.EOF:
            return False
        self.answers.extend(response.answers)
        for events in response.events:
            self.events[events.match_id].extend(events.envelopes)
        return True

    async def answered(self, number: int) -> None:
        """Listens until so many actions are answered."""
        while len(self.answers) < number:
            assert await self.listen()

    async def heard(self, match_id: str, version: int) -> None:
        """Listens until an event of a match has come."""
        while not self.events[match_id] or self.events[match_id][-1].version < version:
            assert await self.listen()

    async def end(self) -> None:
        """Says that it has said its last, and takes in the rest."""
        await self.stream.done_writing()
        while await self.listen():
            pass


async def test_many_matches_are_played_on_one_stream(service: Service) -> None:
    """Each command has its answer, and each followed match its events, all of them, in order."""
    tables = [await new_table(service, 2, seed=bytes([number])) for number in range(8)]
    talk = Talk(service)
    for number, table in enumerate(tables):
        await talk.say(follow=pb.FollowMatch(match_id=table.id, viewer=table.viewer(number % 2)))
    sent = len(tables)
    going_on = list(tables)
    while going_on:
        requests = [await table.next_submission() for table in going_on]
        going_on = [table for table, request in zip(going_on, requests, strict=True) if request is not None]
        for request in filter(None, requests):
            await talk.say(submit=request)
            sent += 1
        await talk.answered(sent)
    for number, table in enumerate(tables):
        whole = await table.history(number % 2)
        await talk.heard(table.id, len(whole))
        assert talk.events[table.id] == whole
    await talk.end()
    assert len(talk.answers) == sent
    assert not any(answer.HasField("refusal") for answer in talk.answers)
    assert Counter(answer.match_id for answer in talk.answers)[tables[0].id] > 1


async def test_an_acknowledgement_is_the_same_as_of_a_call(table: Table) -> None:
    """A command that was played on a stream and is repeated by a call has one answer."""
    talk = Talk(table.service)
    request = await table.next_submission()
    await talk.say(submit=request)
    await talk.answered(1)
    assert talk.answers[0].acknowledgement == await table.submit(request)
    assert (talk.answers[0].match_id, talk.answers[0].command_id) == (table.id, request.command_id)
    await talk.end()


async def test_a_refused_action_does_not_end_the_stream(table: Table) -> None:
    """Each refusal has the status and the reason of the call; what comes after it is played."""
    talk = Talk(table.service)
    good = await table.next_submission()
    idle = 1 - good.seat.seat
    bad: list[tuple[dict[str, Any], grpc.StatusCode, str]] = [
        ({}, grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED"),
        ({"submit": pb.SubmitCommandRequest()}, grpc.StatusCode.NOT_FOUND, "UNKNOWN_MATCH"),
        ({"submit": table.submission(idle, good.text)}, grpc.StatusCode.FAILED_PRECONDITION, "D-7"),
        ({"submit": table.submission(idle, "nonsense")}, grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED"),
        ({"submit": pb.SubmitCommandRequest(match_id=table.id)}, grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT"),
        (
            {"submit": table.submission(good.seat.seat, good.text, expected_version=1)},
            grpc.StatusCode.ABORTED,
            "STALE_VERSION",
        ),
        ({"follow": pb.FollowMatch(match_id=UNKNOWN_MATCH)}, grpc.StatusCode.NOT_FOUND, "UNKNOWN_MATCH"),
        (
            {"follow": pb.FollowMatch(match_id=table.id, viewer=pb.Viewer(everything=pb.Everything()))},
            grpc.StatusCode.PERMISSION_DENIED,
            "STILL_SECRET",
        ),
    ]
    before = await table.records()
    for number, (action, code, reason) in enumerate(bad, 1):
        await talk.say(**action)
        await talk.answered(number)
        told = talk.answers[-1].refusal
        assert (told.code, told.reason) == (code.value[0], reason)
        assert told.message
        assert told.HasField("current_version") == (reason == "STALE_VERSION")
    assert await table.records() == before
    await talk.say(submit=good)
    await talk.answered(len(bad) + 1)
    assert talk.answers[-1].acknowledgement.version == len(await table.records())
    await talk.end()
    assert await table.play() > 0


@pytest.mark.parametrize("after", [0, 1, 5, 7])
async def test_a_match_is_followed_from_a_version_on(table: Table, after: int) -> None:
    """The first event sent is the one after it."""
    await table.play(4)
    talk = Talk(table.service)
    await talk.say(follow=pb.FollowMatch(match_id=table.id, after_version=after))
    await table.play()
    whole = await table.history()
    await talk.heard(table.id, len(whole))
    assert talk.events[table.id] == whole[after:]
    await talk.end()


@pytest.mark.parametrize("after", [1_000, 2**63, 2**64 - 2, 2**64 - 1])
async def test_a_follow_from_far_in_the_future_is_answered(table: Table, after: int) -> None:
    """Every submit and follow gets exactly one answer, whatever numbers it has."""
    talk = Talk(table.service)
    await talk.say(follow=pb.FollowMatch(match_id=table.id, after_version=after))
    await talk.say(submit=pb.SubmitCommandRequest(match_id=UNKNOWN_MATCH, command_id="last"))
    await talk.end()
    assert sorted(answer.command_id for answer in talk.answers) == ["", "last"]
    assert talk.events == {}


async def test_a_match_that_is_not_followed_any_more_is_silent(table: Table) -> None:
    """Until it is followed again, from wherever the client is."""
    talk = Talk(table.service)
    await talk.say(follow=pb.FollowMatch(match_id=table.id))
    version = (await table.view()).match.version
    await talk.heard(table.id, version)
    await talk.say(unfollow=pb.UnfollowMatch(match_id=table.id))
    # The answer to a later action shows that the earlier one has been handled.
    await talk.say(submit=pb.SubmitCommandRequest(match_id=UNKNOWN_MATCH))
    await talk.answered(2)
    await table.play(2)
    await talk.say(submit=pb.SubmitCommandRequest(match_id=UNKNOWN_MATCH))
    await talk.answered(3)
    assert talk.events[table.id][-1].version == version
    await talk.say(follow=pb.FollowMatch(match_id=table.id, after_version=version))
    await table.play()
    whole = await table.history()
    await talk.heard(table.id, len(whole))
    assert talk.events[table.id] == whole
    await talk.end()


async def test_following_twice_is_following_once(table: Table) -> None:
    """The second follow takes the place of the first, with its viewer and its version."""
    talk = Talk(table.service)
    await talk.say(follow=pb.FollowMatch(match_id=table.id))
    await talk.answered(1)
    version = (await table.view()).match.version
    await talk.heard(table.id, version)
    await talk.say(follow=pb.FollowMatch(match_id=table.id, viewer=table.viewer(0), after_version=version))
    await talk.answered(2)
    await table.play()
    seen = await table.history(0)
    await talk.heard(table.id, len(seen))
    assert talk.events[table.id][version:] == seen[version:]
    live = await table.service.host.get(table.id)
    assert len(live.followers or ()) == 1
    await talk.end()


async def test_a_stream_that_ends_is_forgotten(table: Table) -> None:
    """Ended or cancelled, it leaves no follower behind."""
    live = await table.service.host.get(table.id)
    for is_orderly in (True, False):
        talk = Talk(table.service)
        await talk.say(follow=pb.FollowMatch(match_id=table.id))
        await talk.answered(1)
        assert len(live.followers or ()) == 1
        if is_orderly:
            await talk.end()
        else:
            talk.stream.cancel()
        await until(lambda: not live.followers and not table.service.host.wakers)


async def test_bytes_that_are_no_request_end_the_stream(service: Service) -> None:
    """There is nothing that could be answered one by one: INVALID_ARGUMENT."""
    method: Any = service.channel.stream_stream("/meydan.match.v1.MatchService/Play")
    call = method(timeout=PATIENCE, metadata=bearer(service.token(Scope.PLAYER)))
    await call.write(b"\xff\xff\xff")
    answer = await refusal(call.read())
    assert (answer.code, answer.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("request",))


async def test_commands_of_one_match_are_answered_in_any_number_at_once(table: Table) -> None:
    """A hundred copies of one command, sent without waiting: all answered, with the same versions."""
    talk = Talk(table.service)
    before = len(await table.records())
    request = await table.next_submission()
    for _ in range(100):
        await talk.say(submit=request)
    await talk.end()
    assert len(talk.answers) == 100
    versions = {(one.acknowledgement.first_version, one.acknowledgement.version) for one in talk.answers}
    assert versions == {(before + 1, len(await table.records()))}


async def test_a_client_that_does_not_read_is_not_read_from_for_ever(memory_service: Service) -> None:
    """Answers that nobody takes do not pile up: the stream stops to take requests in."""
    offered, taken, never = 6_000, 0, asyncio.Event()

    async def read() -> pb.PlayRequest | None:
        nonlocal taken
        taken += 1
        await asyncio.sleep(0)
        refused = pb.SubmitCommandRequest(match_id=UNKNOWN_MATCH)
        return pb.PlayRequest(submit=refused) if taken <= offered else None

    async def write(_: pb.PlayResponse) -> None:
        await never.wait()

    access = Access(memory_service.tokens)
    servicer = MatchServicer(memory_service.host, access, SIGNING_KEY, Limits(), TOKEN_SECONDS)
    stream = PlayStream(servicer, read, Caller(""))
    running = asyncio.create_task(stream.run(write))
    # Nobody takes the first response; everything that can happen without that happens now.
    for _ in range(3 * offered):
        await asyncio.sleep(0)
    held = len(stream._answers)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert taken < offered
    assert held <= 4_096
