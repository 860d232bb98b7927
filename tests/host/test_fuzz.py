"""Whatever is sent to whichever call: it is answered, and never with an error that nobody foresaw."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import grpc
import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as events_pb
from meydan.match.v1 import match_service_pb2 as pb
from shared.access.tokens import Scope
from shared.envelope import unpack
from shared.eventlog.memory import MemoryLog
from shared.host import rpc
from shared.host.access import AGENT
from shared.match.ids import is_match_id
from shared.match.model import SeatState
from shared.match.wire import Wire
from shared.replay import Replay
from shared.verify import check_chain
from tests.host.absurd import Absurd
from tests.host.service import (
    DOMINO,
    ORGANISER,
    Table,
    computer,
    human,
    new_agents_table,
    new_match,
    new_table,
    seeded_match,
    serving,
)

SERVICE = pb.DESCRIPTOR.services_by_name["MatchService"]
METHODS = [method.name for method in SERVICE.methods]
# Streams of matches that go on have no end of their own: what is sent at once is taken, then the call is dropped.
DEADLINE = 10.0
NEVER = {"INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED"}
NEVER_CODES = {grpc.StatusCode[name].value[0] for name in NEVER}
ENDLESS = "the stream goes on"
WITHOUT_FIELDS = {"DescribeGame", "ListKeys"}
Metadata: TypeAlias = tuple[tuple[str, str], ...]
many = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass
class Target:
    """A service in a thread of its own, some matches on it, and a plain client."""

    # Typed loosely: it sends and receives plain bytes.
    channel: Any
    log: MemoryLog
    texts: list[str]
    # Of an organiser who is a player too.
    token: str
    answered: Counter[str] = field(default_factory=Counter)

    def call(self, method: str, request: bytes, authorization: str | None = None) -> None:
        """Sends bytes, and sees to it that the call ends as a call may end."""
        said = f"Bearer {self.token}" if authorization is None else authorization
        ended, told = self._ended(method, request, (("authorization", said),))
        assert ended not in NEVER, (method, ended, told, request)
        self.answered[ended] += 1

    def _ended(self, method: str, request: bytes, metadata: Metadata) -> tuple[str, str]:
        try:
            return self._call(method, request, metadata), ""
        except grpc.RpcError as error:
            failed: Any = error
            return failed.code().name, failed.details()

    def _call(self, method: str, request: bytes, metadata: Metadata) -> str:
        path = f"/{rpc.SERVICE}/{method}"
        if method == "Play":
            return self._play(path, request, metadata)
        if method in {"WatchMatch", "ExportMatch"}:
            return self._stream(path, request, metadata)
        self.channel.unary_unary(path)(request, timeout=DEADLINE, metadata=metadata)
        return "OK"

    def _play(self, path: str, request: bytes, metadata: Metadata) -> str:
        pieces = self.channel.stream_stream(path)(iter((request,)), timeout=DEADLINE, metadata=metadata)
        answers = [answer for piece in pieces for answer in pb.PlayResponse.FromString(piece).answers]
        # Every action gets exactly one answer, but for an unfollow, which gets none.
        action = pb.PlayRequest.FromString(request).WhichOneof("action")
        assert len(answers) == (action != "unfollow"), (answers, request)
        codes = [answer.refusal.code for answer in answers]
        assert not NEVER_CODES & set(codes), (answers, request)
        return f"answered with {codes}"

    def _stream(self, path: str, request: bytes, metadata: Metadata) -> str:
        call = self.channel.unary_stream(path)(request, timeout=DEADLINE, metadata=metadata)
        if path.endswith("WatchMatch") and self._goes_on(request):
            call.cancel()
            return ENDLESS
        for _ in call:
            pass
        return "OK"

    def _goes_on(self, request: bytes) -> bool:
        """Whether a watcher would wait for news: the match is there, and not over."""
        try:
            match_id = pb.WatchMatchRequest.FromString(request).match_id
        except Exception:  # noqa: BLE001 - bytes that are no message are refused at once
            return False
        known = self.log._logs.get(match_id)
        return known is not None and known.status.value != "finished"


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """The service runs in a loop of its own, so that tests can wait for it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    ready: Any = None
    stopping = asyncio.Event()

    async def run(is_ready: Callable[[tuple[str, MemoryLog, list[str], str]], None]) -> None:
        log = MemoryLog()
        async with serving(log, most_live=5) as service:
            playing = await new_table(service)
            over = await new_table(service)
            await over.play()
            agents = await new_agents_table(service, "greedy", "random")
            waiting = await new_match(service, 3)
            half = await seeded_match(service, (SeatState(), SeatState(ai_level="greedy")))
            texts = [*(table.id for table in (playing, over, agents)), waiting, half, *playing.tokens, *over.tokens]
            texts += [*agents.tokens, service.seat_token(half, 1, AGENT), "a-request-id-of-a-player"]
            texts += [command.text for command in (await legal_now(playing)).commands]
            token = service.token(Scope.ORGANISER, Scope.PLAYER, subject=ORGANISER)
            is_ready((service.address, log, texts, token))
            await stopping.wait()

    ready = asyncio.run_coroutine_threadsafe(_first(run), loop).result()
    (address, log, texts, token), running = ready
    with grpc.insecure_channel(address) as channel:
        yield Target(channel, log, texts, token)
    loop.call_soon_threadsafe(stopping.set)
    asyncio.run_coroutine_threadsafe(_wait(running), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def legal_now(table: Table) -> pb.GetLegalCommandsResponse:
    """What the seat to act may do."""
    return await table.legal((await table.view()).match.to_act[0])


async def _first(run: Callable[[Any], Any]) -> tuple[Any, "asyncio.Task[None]"]:
    """Starts something, and waits until it says that it is ready."""
    ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(run(ready.set_result))
    await asyncio.wait((ready, task), return_when=asyncio.FIRST_COMPLETED)
    return (ready.result() if ready.done() else task.result()), task


async def _wait(task: "asyncio.Task[None]") -> None:
    await task


def absurd_requests(target: Target) -> Absurd:
    """Requests with what is really there mixed in."""
    packed: list[Message] = [
        domino_pb2.Options(hand_size=7, target=2**32 - 1),
        domino_pb2.LayTile(tile=domino_pb2.TILE_6_6, end=domino_pb2.END_LEFT),
        domino_pb2.LayTile(end=domino_pb2.END_RIGHT),
        events_pb.MatchFinished(places=[events_pb.Place(seats=[0])]),
    ]
    return Absurd(target.texts, packed)


@pytest.mark.parametrize("method", METHODS)
def test_any_message_of_a_call_is_answered(target: Target, method: str) -> None:
    """Huge numbers, odd letters, wrong types, with ids and tokens of matches that are there."""

    @settings(many, max_examples=160)
    @given(request=absurd_requests(target).message(SERVICE.methods_by_name[method].input_type))
    def check(request: Message) -> None:
        target.call(method, request.SerializeToString())

    before = target.answered.copy()
    check()
    kinds = target.answered - before
    # A request without fields is the only one of its kind. Of others, some make sense; of new matches, hardly any.
    assert method in WITHOUT_FIELDS or kinds.total() >= 160
    assert method in {*WITHOUT_FIELDS, "CreateMatch"} or len(kinds) >= 2


@pytest.mark.parametrize("method", METHODS)
@settings(many, max_examples=30)
@given(request_bytes=st.binary(max_size=80))
@example(request_bytes=b"")
@example(request_bytes=b"\xff" * 60_000)
@example(request_bytes=b"\xff" * 70_000)
def test_any_bytes_are_answered(target: Target, method: str, request_bytes: bytes) -> None:
    """Also those that are no message, and too many of them."""
    target.call(method, request_bytes)


@pytest.mark.parametrize("method", METHODS)
@settings(many, max_examples=30)
@given(data=st.data())
def test_any_damage_to_a_message_is_answered(target: Target, method: str, data: st.DataObject) -> None:
    """A request with some of its bytes changed or cut off."""
    request = data.draw(absurd_requests(target).message(SERVICE.methods_by_name[method].input_type))
    damaged = bytearray(request.SerializeToString())
    for place in data.draw(st.lists(st.integers(0, max(0, len(damaged) - 1)), max_size=3)):
        if damaged:
            damaged[place] = data.draw(st.integers(0, 255))
    target.call(method, bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))


@settings(many, max_examples=60)
@given(data=st.data())
def test_any_options_of_a_new_match_are_answered(target: Target, data: st.DataObject) -> None:
    """The seats are right, all the rest is absurd."""
    request: Any = data.draw(absurd_requests(target).message(pb.CreateMatchRequest.DESCRIPTOR))
    del request.seats[:]
    request.seats.extend([human(), computer()])
    if data.draw(st.booleans()):
        request.ClearField("match_id")
    target.call("CreateMatch", request.SerializeToString())


@pytest.mark.parametrize("method", ["SubmitCommand", "Play", "ResignMatch", "JoinMatch"])
@settings(many, max_examples=100)
@given(data=st.data())
def test_any_content_under_a_rightful_token_is_answered(target: Target, method: str, data: st.DataObject) -> None:
    """Past the door: the match and the token are right, all the rest is absurd."""
    descriptor = SERVICE.methods_by_name["SubmitCommand" if method == "Play" else method].input_type
    request: Any = data.draw(absurd_requests(target).message(descriptor))
    number, seat = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 1))
    request.match_id = target.texts[number]
    if method != "JoinMatch":
        request.seat.seat, request.seat.token = seat, seat_token(target, number, seat)
        request.command_id = data.draw(st.sampled_from(("a", "b", "c")))
    sent = pb.PlayRequest(submit=request) if method == "Play" else request
    target.call(method, sent.SerializeToString())


def seat_token(target: Target, number: int, seat: int) -> str:
    """The token of a seat of one of the first three matches."""
    return target.texts[5 + 2 * number + seat]


@settings(many, max_examples=60)
@given(version=st.integers(0, 2**64 - 1) | st.integers(0, 30), number=st.integers(0, 2), seat=st.integers(0, 1))
def test_any_turn_under_a_rightful_token_is_answered(target: Target, version: int, number: int, seat: int) -> None:
    """A worker, or who has another seat's token, asks for any version."""
    request = pb.GetAgentTurnRequest(match_id=target.texts[number], seat=seat, version=version)
    target.call("GetAgentTurn", request.SerializeToString(), f"Bearer {seat_token(target, number, seat)}")


@pytest.mark.parametrize("method", METHODS)
@settings(many, max_examples=20)
@given(data=st.data())
def test_any_authorization_is_answered(target: Target, method: str, data: st.DataObject) -> None:
    """Whatever is in the metadata: tokens that were cut, joined or changed, under any scheme."""
    real = data.draw(st.sampled_from((target.token, *target.texts[5:12])))
    place = data.draw(st.integers(0, len(real)))
    middle = data.draw(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=12))
    scheme = data.draw(st.sampled_from(("Bearer ", "bearer ", "Basic ", "", "Bearer  ")))
    request = data.draw(absurd_requests(target).message(SERVICE.methods_by_name[method].input_type))
    target.call(method, request.SerializeToString(), scheme + real[:place] + middle + real[place:])


@settings(many, max_examples=60)
@given(data=st.data())
def test_any_follow_of_a_match_that_is_there_is_answered(target: Target, data: st.DataObject) -> None:
    """From any version, with any viewer."""
    request: Any = data.draw(absurd_requests(target).message(pb.FollowMatch.DESCRIPTOR))
    request.match_id = target.texts[data.draw(st.integers(0, 4))]
    if data.draw(st.booleans()):
        request.ClearField("viewer")
    target.call("Play", pb.PlayRequest(follow=request).SerializeToString())


def test_all_logs_still_replay(target: Target) -> None:
    """After everything that was sent: each match that is there folds, and its links and commitments hold."""
    replay = Replay(DOMINO, Wire(DOMINO))
    for match_id, log in target.log._logs.items():
        assert is_match_id(match_id)
        envelopes = list(map(unpack, log.records))
        assert replay.fold(None, envelopes).version == len(log.records)
        check_chain(envelopes)
