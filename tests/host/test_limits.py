"""Limits: up to its edge everything is accepted, past it RESOURCE_EXHAUSTED at once, and room again when one ends."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from shared.access.tokens import TOURNAMENT, Scope
from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from shared.eventlog.store import EventLog
from shared.host import play, rpc
from shared.host.limits import LONGEST_NAME, MOST_OPTION_BYTES, Limits
from shared.match.ids import new_match_id
from shared.proof.chain import LONGEST_ENTROPY
from tests.host.service import (
    PATIENCE,
    Calling,
    Service,
    Table,
    bearer,
    human,
    join,
    new_match,
    new_table,
    refusal,
    serving,
    until,
)

MOST = 3


async def is_too_much(call: Any) -> bool:
    """Whether the answer is that there is too much of something."""
    refused = await refusal(call)
    return (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MUCH")


@pytest.fixture(params=["memory", "redis"])
def log(request: pytest.FixtureRequest, open_redis_log: Callable[[], RedisLog]) -> Callable[[], EventLog]:
    """Opens a log of each kind. In the test's own event loop, which a log on Redis needs."""
    return open_redis_log if request.param == "redis" else MemoryLog


# Open matches of an organiser


def creation(service: Service, number: int = 0, **others: Any) -> pb.CreateMatchRequest:
    """A match of two, under an id of its own."""
    match_id = new_match_id(service.clock.now + number * 1000)
    return pb.CreateMatchRequest(seats=[human(), human()], match_id=match_id, **others)


async def test_an_organiser_has_so_many_matches_going_on(log: Callable[[], EventLog]) -> None:
    """Waiting and playing ones; another organiser has as many beside them, and a finished one does not count."""
    async with serving(log(), limits=Limits(open_matches=MOST)) as service:
        table = await new_table(service)
        for _ in range(MOST - 1):
            await new_match(service)
        assert await is_too_much(service.stub.CreateMatch(creation(service), timeout=PATIENCE))
        assert len(await service.log.list_ids(None, "", 100)) == MOST
        other = bearer(service.token(Scope.ORGANISER, subject="another organiser"))
        for number in range(MOST):
            await service.stub.CreateMatch(creation(service, number), timeout=PATIENCE, metadata=other)
        assert await is_too_much(service.stub.CreateMatch(creation(service), timeout=PATIENCE, metadata=other))
        await table.resign(0, "leave-0")
        await table.resign(1, "leave-1")
        await new_match(service)
        assert await is_too_much(service.stub.CreateMatch(creation(service), timeout=PATIENCE))


async def test_a_call_that_is_repeated_at_the_limit_gets_its_first_answer(log: Callable[[], EventLog]) -> None:
    """It makes no other match; the same id with other content is refused for that."""
    async with serving(log(), limits=Limits(open_matches=1)) as service:
        request = creation(service)
        first = await service.stub.CreateMatch(request, timeout=PATIENCE)
        assert await service.stub.CreateMatch(request, timeout=PATIENCE) == first
        request.join_seconds = 7
        refused = await refusal(service.stub.CreateMatch(request, timeout=PATIENCE))
        assert refused.reason == "COMMAND_ID_REUSED"
        assert await is_too_much(service.stub.CreateMatch(creation(service, 1), timeout=PATIENCE))


async def test_a_tournament_has_as_many_matches_as_tables(log: Callable[[], EventLog]) -> None:
    """The platform makes them; nobody else's key can say that it speaks for a tournament (tests/access)."""
    async with serving(log(), limits=Limits(open_matches=1)) as service:
        own = bearer(service.token(Scope.ORGANISER, subject=f"{TOURNAMENT}01ARZ3NDEKTSV4RRFFQ69G5FAV"))
        for number in range(3):
            await service.stub.CreateMatch(creation(service, number), timeout=PATIENCE, metadata=own)


async def test_a_match_that_computers_play_counts_too(log: Callable[[], EventLog]) -> None:
    """It is going on from its creation."""
    async with serving(log(), limits=Limits(open_matches=1)) as service:
        request = pb.CreateMatchRequest()
        for _ in range(2):
            request.seats.add().ai.level = "greedy"
        await service.stub.CreateMatch(request, timeout=PATIENCE)
        assert await is_too_much(service.stub.CreateMatch(creation(service), timeout=PATIENCE))


# Streams of a connection


class Line:
    """A connection that can be cut, as by a client that dies: a forwarder between client and service."""

    def __init__(self, address: str) -> None:
        self._host, _, port = address.partition(":")
        self._port = int(port)
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def open(self, service: Service) -> AsyncIterator[Any]:
        """A stub that calls through here."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            yield Calling(MatchServiceStub(channel), service.token(Scope.PUBLIC))
        server.close()
        self.cut()

    def cut(self) -> None:
        """Nothing is said any more, not even goodbye."""
        for writer in self._writers:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(self._host, self._port)
        self._writers += [writer, there_writer]
        for source, target in ((reader, there_writer), (there_reader, writer)):
            task = asyncio.create_task(_forward(source, target))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


async def _forward(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(65536):
            target.write(data)


async def watch(stub: Any, match_id: str) -> Any:
    """A WatchMatch stream that is open: its first events have come."""
    stream = stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id), timeout=PATIENCE)
    await stream.read()
    return stream


async def play_stream(stub: Any, match_id: str) -> Any:
    """A Play stream that is open: its first action is answered."""
    stream = stub.Play(timeout=PATIENCE)
    await stream.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=match_id)))
    await stream.read()
    return stream


async def exported(stub: Any, match_id: str) -> bytes:
    """A whole export, from its beginning to its end."""
    stream = stub.ExportMatch(pb.ExportMatchRequest(match_id=match_id), timeout=PATIENCE)
    return b"".join([response.piece async for response in stream])


def streams(stub: Any, match_id: str) -> dict[str, Callable[[], Any]]:
    """What a connection may open one too many of."""
    return {
        "WatchMatch": lambda: stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id), timeout=PATIENCE).read(),
        "ExportMatch": lambda: stub.ExportMatch(pb.ExportMatchRequest(match_id=match_id), timeout=PATIENCE).read(),
        "Play": lambda: stub.Play(timeout=PATIENCE).read(),
    }


async def test_a_connection_has_so_many_streams() -> None:
    """Of all kinds together; another connection has as many, and calls that are no streams go on."""
    async with serving(MemoryLog(), limits=Limits(streams=MOST)) as service:
        match_id = await new_match(service)
        async with Line(service.address).open(service) as one, Line(service.address).open(service) as other:
            held = [await watch(one, match_id), await watch(one, match_id), await play_stream(one, match_id)]
            for name, opened in streams(one, match_id).items():
                assert (name, await is_too_much(opened())) == (name, True)
            assert (
                await one.GetView(pb.GetViewRequest(match_id=match_id), timeout=PATIENCE)
            ).match.match_id == match_id
            await watch(other, match_id)
            for stream in held:
                before = len(service.host.wakers)
                stream.cancel()
                await until(lambda before=before: len(service.host.wakers) < before)  # type: ignore[misc]
                # There is room for one again, and for no more.
                assert await exported(one, match_id)
                await watch(one, match_id)
                assert await is_too_much(streams(one, match_id)["Play"]())


async def test_an_export_is_a_stream_while_it_lasts() -> None:
    """One after the other there may be any number."""
    async with serving(MemoryLog(), limits=Limits(streams=1)) as service:
        match_id = await new_match(service)
        async with Line(service.address).open(service) as stub:
            for _ in range(5):
                assert await exported(stub, match_id)


@pytest.mark.parametrize("kind", [watch, play_stream], ids=["watch", "play"])
async def test_a_client_that_vanishes_holds_nothing(kind: Any) -> None:
    """Its connection is dead without a word: neither streams nor watchers of it are left."""
    async with serving(MemoryLog(), limits=Limits(streams=MOST), most_watchers=MOST) as service:
        match_id = await new_match(service)
        for _ in range(MOST + 1):
            line = Line(service.address)
            async with line.open(service) as stub:
                for _ in range(MOST):
                    await kind(stub, match_id)
                line.cut()
                await until(lambda: not service.host.wakers)
        assert not (await service.host.get(match_id)).followers


async def test_a_refused_stream_is_not_counted() -> None:
    """Any number of them, for tokens that open nothing, leave all the room that there was."""
    async with serving(MemoryLog(), limits=Limits(streams=1)) as service:
        match_id = await new_match(service)
        stub: Any = MatchServiceStub(service.channel)
        for _ in range(5):
            for opened in streams(Calling(stub, "garbage"), match_id).values():
                assert (await refusal(opened())).reason == "BAD_TOKEN"
        assert await watch(Calling(stub, service.token(Scope.PUBLIC)), match_id)


# Watchers of a match


async def test_a_match_has_so_many_watchers() -> None:
    """On streams of all kinds; another match has as many."""
    async with serving(MemoryLog(), most_watchers=MOST) as service:
        match_id, other_id = await new_match(service), await new_match(service)
        stub = Calling(MatchServiceStub(service.channel), service.token(Scope.PUBLIC))
        held = [await watch(stub, match_id), await watch(stub, match_id), await play_stream(stub, match_id)]
        assert await is_too_much(streams(stub, match_id)["WatchMatch"]())
        follower = await play_stream(stub, other_id)
        await follower.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=match_id)))
        assert [answer.refusal.reason for answer in (await follower.read()).answers] == ["TOO_MUCH"]
        held[0].cancel()
        live = await service.host.get(match_id)
        await until(lambda: len(live.followers or ()) < MOST)
        await watch(stub, match_id)
        assert await is_too_much(streams(stub, match_id)["WatchMatch"]())


async def test_a_refused_watcher_takes_no_place() -> None:
    """Who may not watch is not counted among those who do."""
    async with serving(MemoryLog(), most_watchers=1) as service:
        table = await new_table(service)
        stub = Calling(MatchServiceStub(service.channel), table.tokens[1])
        as_another = pb.WatchMatchRequest(match_id=table.id, viewer=pb.Viewer(seat=pb.SeatCredential(seat=0)))
        for _ in range(5):
            assert (await refusal(stub.WatchMatch(as_another, timeout=PATIENCE).read())).reason == "NOT_YOUR_SEAT"
        await watch(stub, table.id)


# Matches that a Play stream follows


async def test_a_stream_follows_so_many_matches(memory_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused, until another is not followed any more; one that is followed may be followed anew."""
    monkeypatch.setattr(play, "_MOST_FOLLOWED", MOST)
    ids = [await new_match(memory_service) for _ in range(MOST + 1)]
    stream: Any = memory_service.stub.Play(timeout=PATIENCE)

    async def follow(match_id: str) -> str:
        await stream.write(pb.PlayRequest(follow=pb.FollowMatch(match_id=match_id)))
        answers: list[pb.PlayAnswer] = []
        while not answers:
            answers.extend((await stream.read()).answers)
        return answers[0].refusal.reason

    assert [await follow(match_id) for match_id in ids] == ["", "", "", "TOO_MUCH"]
    assert await follow(ids[0]) == ""
    await stream.write(pb.PlayRequest(unfollow=pb.UnfollowMatch(match_id=ids[0])))
    assert await follow(ids[MOST]) == ""
    assert await follow(ids[0]) == "TOO_MUCH"
    assert [bool((await memory_service.host.get(match_id)).followers) for match_id in ids] == [False, True, True, True]


# Sizes


async def test_a_name_has_a_longest_length(memory_service: Service) -> None:
    """In characters, whatever letters they are."""
    match_id = await new_match(memory_service)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="ğ" * (LONGEST_NAME + 1))
    assert await is_too_much(memory_service.stub.JoinMatch(request, timeout=PATIENCE))
    request.player_name = "ğ" * LONGEST_NAME
    await memory_service.stub.JoinMatch(request, timeout=PATIENCE)
    summary = (await Table(memory_service, match_id, ()).view()).match
    assert summary.seats[0].player_name == "ğ" * LONGEST_NAME


async def test_entropy_has_a_largest_size(memory_service: Service) -> None:
    """One byte more is too much."""
    match_id = await new_match(memory_service)
    request = pb.JoinMatchRequest(match_id=match_id, player_name="anybody", entropy=bytes(LONGEST_ENTROPY + 1))
    assert await is_too_much(memory_service.stub.JoinMatch(request, timeout=PATIENCE))
    request.entropy = bytes(LONGEST_ENTROPY)
    await memory_service.stub.JoinMatch(request, timeout=PATIENCE)
    assert (await memory_service.host.get(match_id)).folded.seats[0].entropy == bytes(LONGEST_ENTROPY)


def padded(size: int) -> bytes:
    """Options of so many bytes, most of them in a field that nobody knows: number 100, with a length of two bytes."""
    options = domino_pb2.Options(target=100).SerializeToString()
    length = size - len(options) - 4
    return options + b"\xa2\x06" + bytes((length & 0x7F | 0x80, length >> 7)) + bytes(length)


async def test_options_have_a_largest_size(memory_service: Service) -> None:
    """And what nobody knows of them is not kept."""
    request = pb.CreateMatchRequest(seats=[human(), human()])
    request.options.Pack(domino_pb2.Options())
    request.options.value = padded(MOST_OPTION_BYTES + 1)
    assert len(request.options.value) == MOST_OPTION_BYTES + 1
    assert await is_too_much(memory_service.stub.CreateMatch(request, timeout=PATIENCE))
    request.options.value = padded(MOST_OPTION_BYTES)
    match_id = (await memory_service.stub.CreateMatch(request, timeout=PATIENCE)).match_id
    (record,) = await memory_service.log.read(match_id, 0)
    assert len(record) < MOST_OPTION_BYTES


async def test_a_request_has_a_largest_size(memory_service: Service) -> None:
    """Before anything is made of it: gRPC itself answers."""
    describe: Any = memory_service.channel.unary_unary(f"/{rpc.SERVICE}/DescribeGame")

    def request(size: int) -> bytes:
        length = size - 5
        return b"\xa2\x06" + bytes((length & 0x7F | 0x80, length >> 7 & 0x7F | 0x80, length >> 14)) + bytes(length)

    assert len(request(rpc.MOST_REQUEST_BYTES)) == rpc.MOST_REQUEST_BYTES
    answer = await describe(request(rpc.MOST_REQUEST_BYTES), timeout=PATIENCE)
    assert pb.DescribeGameResponse.FromString(answer).game == "domino"
    refused = await refusal(describe(request(rpc.MOST_REQUEST_BYTES + 1), timeout=PATIENCE))
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_metadata_have_a_largest_size(memory_service: Service) -> None:
    """A token that is far too long does not even reach us; one that is a bit too long is refused."""
    stub: Any = MatchServiceStub(memory_service.channel)
    request = pb.ListMatchesRequest()
    refused = await refusal(stub.ListMatches(request, timeout=PATIENCE, metadata=bearer("x" * 5_000)))
    assert refused.reason == "BAD_TOKEN"
    refused = await refusal(stub.ListMatches(request, timeout=PATIENCE, metadata=bearer("x" * 50_000)))
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_credential_that_is_too_long_is_refused(memory_service: Service) -> None:
    """Also where it is a field of a request, which may be larger than metadata."""
    match_id = await new_match(memory_service)
    token = (await join(memory_service, match_id, 0)).token
    credential = pb.SeatCredential(seat=0, token=token + "x" * 50_000)
    request = pb.GetLegalCommandsRequest(match_id=match_id, seat=credential)
    refused = await refusal(memory_service.stub.GetLegalCommands(request, timeout=PATIENCE))
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN")
