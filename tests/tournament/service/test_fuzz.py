"""Whatever is sent to whichever call of the tournament service: it is answered, and never with an unforeseen error."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from meydan.domino.v1 import domino_pb2
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import messages, verify
from services.tournament.fold import TournamentFold
from services.tournament.server import SERVICE
from shared.access.tokens import Scope
from shared.envelope import redact, unpack
from shared.eventlog.memory import MemoryLog
from shared.kernel import EVERYTHING, SPECTATOR
from shared.match.model import Status
from tests.host.absurd import Absurd
from tests.tournament.core.recording import plan
from tests.tournament.service.serving import METHODS, ORGANISER, STREAMS, Service, new_cup, over, playing, serving

DEADLINE = 10.0
NEVER = {"INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED"}
WORK = ("SubmitRound", "ReportMatches", "RecordResult")
WITHOUT_FIELDS = {"ListKeys"}
many = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass
class Target:
    """A service in a thread of its own, some tournaments on it, and a plain client."""

    # Typed loosely: it sends and receives plain bytes.
    channel: Any
    log: MemoryLog
    texts: list[str]
    organiser: str
    workers: dict[str, str]
    answered: Counter[str] = field(default_factory=Counter)

    def call(self, method: str, request: bytes, token: str = "") -> None:
        """Sends bytes, and sees to it that the call ends as a call may end."""
        metadata = (("authorization", f"Bearer {token or self.organiser}"),)
        try:
            ended, told = self._call(method, request, metadata), ""
        except grpc.RpcError as error:
            failed: Any = error
            ended, told = failed.code().name, failed.details()
        assert ended not in NEVER, (method, ended, told, request)
        self.answered[ended] += 1

    def _call(self, method: str, request: bytes, metadata: Any) -> str:
        path = f"/{SERVICE.full_name}/{method}"
        if method not in STREAMS:
            self.channel.unary_unary(path)(request, timeout=DEADLINE, metadata=metadata)
            return "OK"
        call = self.channel.unary_stream(path)(request, timeout=DEADLINE, metadata=metadata)
        if method.startswith("Watch") and self._goes_on(request):
            call.cancel()
            return "the stream goes on"
        for _ in call:
            pass
        return "OK"

    def _goes_on(self, request: bytes) -> bool:
        """Whether a watcher would wait for news: the tournament is there, and not over."""
        try:
            tournament_id = api.WatchTournamentRequest.FromString(request).tournament_id
        except Exception:  # noqa: BLE001 - bytes that are no message are refused at once
            return False
        known = self.log._logs.get(tournament_id)
        return known is not None and known.status is not Status.FINISHED


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """The service runs in a loop of its own, so that tests can wait for it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    stopping = asyncio.Event()

    async def run(is_ready: Callable[[Any], None]) -> None:
        log = MemoryLog()
        async with serving(log, live_matches=3) as service:
            is_ready((service.address, log, *await _peopled(service)))
            await stopping.wait()

    ready, running = asyncio.run_coroutine_threadsafe(_first(run), loop).result()
    address, log, texts, organiser, workers = ready
    with grpc.insecure_channel(address) as channel:
        yield Target(channel, log, texts, organiser, workers)
    # Tests may be shared out to several processes: in each of them, after all that was sent there.
    check_logs(log)
    loop.call_soon_threadsafe(stopping.set)
    asyncio.run_coroutine_threadsafe(_wait(running), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _peopled(service: Service) -> tuple[list[str], str, dict[str, str]]:
    """Tournaments in every state; ids and names that are there, an organiser's token, and workers'."""
    cups = [
        await new_cup(service, plan(late_until=3), 3),
        await playing(service, plan(late_until=3), 5),
        await over(service),
    ]
    matches = [match_id for cup in cups for match_id in (await cup.state()).matches]
    workers = {cup.id: service.token(Scope.WORKER, "worker", cup.id) for cup in cups}
    texts = [*workers, *matches, "player-0", "player-9", "greedy", "domino", "A reason.", "an-id"]
    return texts, service.token(Scope.ORGANISER, ORGANISER), workers


async def _first(run: Callable[[Any], Any]) -> tuple[Any, "asyncio.Task[None]"]:
    """Starts something, and waits until it says that it is ready."""
    ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(run(ready.set_result))
    await asyncio.wait((ready, task), return_when=asyncio.FIRST_COMPLETED)
    return (ready.result() if ready.done() else task.result()), task


async def _wait(task: "asyncio.Task[None]") -> None:
    await task


def requests(target: Target, method: str) -> st.SearchStrategy[Message]:
    """Requests of a call, with what is really there mixed in."""
    absurd = Absurd(target.texts, [domino_pb2.Options(hand_size=7), domino_pb2.Options(target=2**32 - 1)])
    return absurd.message(SERVICE.methods_by_name[method].input_type)


@pytest.mark.parametrize("method", METHODS)
def test_any_message_of_a_call_is_answered(target: Target, method: str) -> None:
    """Huge numbers, odd letters, wrong types, with ids of tournaments, matches and players that are there."""

    @settings(many, max_examples=60)
    @given(request=requests(target, method))
    def check(request: Message) -> None:
        target.call(method, request.SerializeToString())

    before = target.answered.copy()
    check()
    assert method in WITHOUT_FIELDS or (target.answered - before).total() >= 60


@pytest.mark.parametrize("method", METHODS)
@settings(many, max_examples=60)
@given(data=st.data())
def test_any_content_under_a_rightful_token_is_answered(target: Target, method: str, data: st.DataObject) -> None:
    """Past the door: the tournament and the token are right, and so is the id; all the rest is absurd."""
    request: Any = data.draw(requests(target, method))
    tournament_id = data.draw(st.sampled_from(sorted(target.workers)))
    if "tournament_id" in request.DESCRIPTOR.fields_by_name and method != "CreateTournament":
        request.tournament_id = tournament_id
    if "command_id" in request.DESCRIPTOR.fields_by_name:
        request.command_id = data.draw(st.sampled_from(("a", "b", "c", "d")))
    if "reason" in request.DESCRIPTOR.fields_by_name:
        request.reason = "Because."
    if method == "CreateTournament":
        request.plan.name, request.plan.game, request.plan.seats = "cup", "domino", data.draw(st.integers(2, 4))
        request.ClearField("tournament_id")
    target.call(method, request.SerializeToString(), target.workers[tournament_id] if method in WORK else "")


@pytest.mark.parametrize("method", METHODS)
@settings(many, max_examples=15)
@given(request_bytes=st.binary(max_size=80))
@example(request_bytes=b"")
@example(request_bytes=b"\xff" * 60_000)
def test_any_bytes_are_answered(target: Target, method: str, request_bytes: bytes) -> None:
    """Also those that are no message."""
    target.call(method, request_bytes)


@pytest.mark.parametrize("method", METHODS)
@settings(many, max_examples=15)
@given(data=st.data())
def test_any_damage_to_a_message_is_answered(target: Target, method: str, data: st.DataObject) -> None:
    """A request with some of its bytes changed or cut off."""
    damaged = bytearray(data.draw(requests(target, method)).SerializeToString())
    for place in data.draw(st.lists(st.integers(0, max(0, len(damaged) - 1)), max_size=3)):
        if damaged:
            damaged[place] = data.draw(st.integers(0, 255))
    target.call(method, bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))


def test_all_logs_are_still_verified(target: Target) -> None:
    """After a tournament more: each that is there folds, and passes every check; so at the end of all tests here."""
    before = len(target.log._logs)
    request = api.CreateTournamentRequest(plan=messages.plan_message(plan()))
    target.call("CreateTournament", request.SerializeToString())
    assert len(target.log._logs) == before + 1
    check_logs(target.log)


def check_logs(logs: MemoryLog) -> None:
    for log in logs._logs.values():
        envelopes = list(map(unpack, log.records))
        viewer = EVERYTHING if log.status is Status.FINISHED else SPECTATOR
        found = verify.verify([redact(envelope, viewer) for envelope in envelopes])
        assert found.version == len(envelopes)
        assert TournamentFold().fold(None, envelopes).version == len(envelopes)
