"""kill -9 of each part, in the middle of matches: nothing that was acknowledged is lost, and every match goes on."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
import redis
from grpc_health.v1 import health_pb2, health_pb2_grpc

from meydan.match.v1 import match_service_pb2
from services import registry
from services.launcher import Launcher
from shared.dispatch.outbox import Outboxes
from shared.settings import Settings
from tests.e2e.seats import PATIENCE, Table


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Launcher]:
    """A whole platform of its own, which sends work again after a second."""
    ports = dict.fromkeys(registry.SERVICES, 0)
    settings = Settings(data_dir=tmp_path, ports=ports, redis_url="", broker_url="", resend_seconds=1.0)
    with Launcher(settings) as launcher:
        yield launcher


@pytest.fixture
def background() -> Iterator[ThreadPoolExecutor]:
    """Where players go on while the test does harm."""
    with ThreadPoolExecutor(2) as pool:
        yield pool


def kill(platform: Launcher, name: str) -> None:
    """Ends a process as a crash would."""
    process = platform.processes[name]
    process.send_signal(signal.SIGKILL)
    process.wait()


def wait_until_nothing_waits(platform: Launcher) -> None:
    """Until all work of the outboxes is done."""
    outboxes = Outboxes(redis.Redis.from_url(platform.redis_url), ["domino"], "test")
    done = threading.Event()
    for _ in range(int(PATIENCE / 0.1)):
        if outboxes.count() == 0:
            return
        done.wait(0.1)
    pytest.fail("work is left in the outboxes")


def test_a_killed_service_loses_nothing_that_it_acknowledged(
    platform: Launcher, background: ThreadPoolExecutor
) -> None:
    """A client repeats what was not answered, with the same command id, when the service is back."""
    table = Table.of(platform)
    match_id = table.create("", "", "greedy")
    seats = [table.join(match_id, seat) for seat in (0, 1)]
    player = background.submit(table.play_to_the_end, match_id, seats, 1)
    for _ in range(3):
        kill(platform, "domino")
        platform.start_service("domino")
    player.result(PATIENCE)
    table.check_acknowledged(match_id)


def test_a_killed_log_server_loses_nothing_that_was_acknowledged(
    platform: Launcher, background: ThreadPoolExecutor
) -> None:
    """Every write is on disk before it is answered; the service finds the server again by itself."""
    table = Table.of(platform)
    match_id = table.create("", "")
    seats = [table.join(match_id, seat) for seat in (0, 1)]
    player = background.submit(table.play_to_the_end, match_id, seats, 2)
    for _ in range(3):
        platform.servers["log"].kill()
        platform.servers["log"].start()
    player.result(PATIENCE)
    table.check_acknowledged(match_id)


def test_a_killed_worker_leaves_no_turn_undone(platform: Launcher) -> None:
    """Turns that died with a worker are sent again by the sweep."""
    table = Table.of(platform)
    matches = [table.create("greedy", "random", "greedy") for _ in range(10)]
    kill(platform, "worker")
    matches += [table.create("greedy", "random") for _ in range(5)]
    platform.start_worker()
    table.wait_for_the_end(*matches)
    wait_until_nothing_waits(platform)


def test_a_killed_dispatcher_leaves_no_turn_undone(platform: Launcher) -> None:
    """What it had taken and not sent is found by the one that comes after it."""
    table = Table.of(platform)
    matches = [table.create("greedy", "random") for _ in range(10)]
    kill(platform, "dispatcher")
    matches += [table.create("greedy", "random") for _ in range(5)]
    platform.start_dispatcher()
    table.wait_for_the_end(*matches)
    wait_until_nothing_waits(platform)


def test_a_killed_broker_that_lost_every_task_leaves_no_turn_undone(platform: Launcher) -> None:
    """The outbox, not the broker, knows what is still to be done."""
    table = Table.of(platform)
    matches = [table.create("greedy", "random") for _ in range(10)]
    platform.servers["broker"].kill()
    matches += [table.create("greedy", "random") for _ in range(5)]
    platform.servers["broker"].start()
    table.wait_for_the_end(*matches)
    wait_until_nothing_waits(platform)


def test_two_processes_serve_the_same_match(platform: Launcher, background: ThreadPoolExecutor) -> None:
    """Calls go to one and the other in turn; one of them is killed in the middle, and nobody notices."""
    second = platform.start_instance("domino", "domino-2", {"domino": 0})
    table = Table([platform.addresses["domino"], second], platform.development_token())
    match_id = table.create("", "", "")
    seats = [table.join(match_id, seat) for seat in range(3)]
    watched: list[int] = []
    watcher = background.submit(_watch, Table([second], table.token), match_id, watched)
    table.play_to_the_end(match_id, seats, 3)
    watcher.result(PATIENCE)
    table.check_acknowledged(match_id)
    assert watched == [envelope.version for envelope in table.history(match_id)]
    kill(platform, "domino")
    alone = table.create("", "")
    table.play_to_the_end(alone, [table.join(alone, seat) for seat in range(2)], 4)


def _watch(table: Table, match_id: str, versions: list[int]) -> None:
    for response in watching(table, match_id):
        versions.extend(envelope.version for envelope in response.envelopes)


def watching(table: Table, match_id: str, after: int = 0) -> Any:
    """A WatchMatch stream."""
    request = match_service_pb2.WatchMatchRequest(match_id=match_id, after_version=after)
    return next(table.stubs).WatchMatch(request, metadata=table.metadata)


def test_a_stopping_service_finishes_what_it_accepted(platform: Launcher, background: ThreadPoolExecutor) -> None:
    """SIGTERM in the middle of play: every call is answered or was never accepted, and the process ends with 0."""
    table = Table.of(platform)
    match_id = table.create("", "")
    seats = [table.join(match_id, seat) for seat in (0, 1)]
    player = background.submit(table.play_to_the_end, match_id, seats, 5)
    process = platform.processes["domino"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    platform.start_service("domino")
    player.result(PATIENCE)
    table.check_acknowledged(match_id)


def test_a_stopping_service_sends_its_streams_on_their_way(platform: Launcher) -> None:
    """An open Play or Watch stream ends at once with UNAVAILABLE, and is taken up again where it was left."""
    table = Table.of(platform)
    match_id = table.create("", "")
    watched = watching(table, match_id)
    assert [envelope.version for envelope in next(watched).envelopes] == [1]
    follow = match_service_pb2.PlayRequest(follow=match_service_pb2.FollowMatch(match_id=match_id))
    playing = next(table.stubs).Play(_then_silence(follow), metadata=table.metadata)
    assert next(playing).answers[0].acknowledgement.version == 1
    platform.processes["domino"].send_signal(signal.SIGTERM)
    for stream in (watched, playing):
        with pytest.raises(grpc.RpcError) as caught:
            list(stream)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert platform.processes["domino"].wait(5.0) == 0
    platform.start_service("domino")
    table.join(match_id, 0)
    again = watching(table, match_id, after=1)
    assert [envelope.version for envelope in next(again).envelopes] == [2]
    again.cancel()


def _then_silence(request: match_service_pb2.PlayRequest) -> Iterator[match_service_pb2.PlayRequest]:
    yield request
    threading.Event().wait(PATIENCE)


def test_health_tells_the_truth_about_redis(platform: Launcher) -> None:
    """Without its log a service can accept nothing, and says so; with it, it serves again."""
    stub = health_pb2_grpc.HealthStub(grpc.insecure_channel(platform.addresses["domino"]))
    states = stub.Watch(  # type: ignore[attr-defined]  # the stub of the library lacks it
        health_pb2.HealthCheckRequest(service="meydan.match.v1.MatchService"), timeout=PATIENCE
    )
    statuses = (update.status for update in states)
    assert next(status for status in statuses if status == health_pb2.HealthCheckResponse.SERVING)
    platform.servers["log"].kill()
    assert next(status for status in statuses if status == health_pb2.HealthCheckResponse.NOT_SERVING)
    platform.servers["log"].start()
    assert next(status for status in statuses if status == health_pb2.HealthCheckResponse.SERVING)
    states.cancel()
