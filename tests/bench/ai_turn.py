"""`ai-turn`: what a computer player's turn takes beyond its thinking, against a bare Celery round trip.

Ours is the whole platform: two computer players of the level `random`, which thinks for microseconds, play each other,
and a watcher takes the time from the events of one move to the events of the next. In between are the outbox, the
dispatcher, the broker, a worker, a call to the service and a durable append. The baseline sends a task that does
nothing and waits for its result: the same worker settings, on a broker of the same kind.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import grpc
from celery import Celery
from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2, match_service_pb2_grpc
from meydan.match.v1 import match_service_pb2 as pb
from services.launcher import Launcher
from shared.eventlog.embedded import EmbeddedServer
from shared.settings import Settings
from tests.bench import bare_celery
from tests.bench.processes import Metadata, data_folder, metadata_of, running
from tests.bench.report import Result
from tests.bench.rounds import in_turns, median, percentile

NAME = "ai-turn"
_BAR = 1 / 3
_PATIENCE_SECONDS = 60.0
_GAME = "domino"


def run(is_quick: bool) -> list[Result]:
    """Milliseconds a turn; less is better, so the ratio is the other way round."""
    target, trips, rounds = (20, 20, 2) if is_quick else (100, 150, 5)
    with _platform() as platform, _bare_app() as app:
        _turn_millis(platform, 1)
        _trip_millis(app, 10)
        ours, theirs = in_turns(lambda: _turn_millis(platform, target), lambda: _trip_millis(app, trips), rounds)
    value, baseline = (median(map(median, side)) for side in (ours, theirs))
    extra: dict[str, object] = {
        "p99_ms": median(percentile(times, 0.99) for times in ours),
        "baseline_p99_ms": median(percentile(times, 0.99) for times in theirs),
        "turns": sum(map(len, ours)),
    }
    return [Result(NAME, value, "ms", baseline, baseline / value, _BAR, "Celery round trip, bare", extra)]


class _Platform(NamedTuple):
    """A platform, and what to call it with."""

    stub: Any
    metadata: Metadata


@contextmanager
def _platform() -> Iterator[_Platform]:
    """Everything that `make up` starts, for one game."""
    with data_folder() as folder:
        settings = Settings(
            redis_url="", broker_url="", data_dir=folder, ports={_GAME: 0}, signing_key=None, token_key=None
        )
        with (
            Launcher(settings, (_GAME,)) as launcher,
            grpc.insecure_channel(launcher.addresses[_GAME]) as channel,
        ):
            yield _Platform(match_service_pb2_grpc.MatchServiceStub(channel), metadata_of(settings))


@contextmanager
def _bare_app() -> Iterator[Celery]:
    with ExitStack() as stack:
        folder = stack.enter_context(data_folder())
        broker = stack.enter_context(EmbeddedServer(folder / "broker", is_durable=False))
        processes = str(Settings().worker_processes)
        options = ["--queues", bare_celery.QUEUE, "--concurrency", processes, "--loglevel", "warning"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        worker = ["celery", "-A", "tests.bench.bare_celery", "worker", *options, *quiet]
        stack.enter_context(running(worker, folder / "worker.log", {"MEYDAN_BROKER_URL": broker.url}))
        app = bare_celery.make_app(broker.url)
        stack.callback(app.close)
        yield app


def _trip_millis(app: Celery, trips: int) -> list[float]:
    times: list[float] = []
    for number in range(trips):
        started = time.perf_counter()
        app.send_task(bare_celery.NAME, (number,)).get(timeout=_PATIENCE_SECONDS)
        times.append(1000 * (time.perf_counter() - started))
    return times


def _turn_millis(platform: _Platform, target: int) -> list[float]:
    """The times between the moves of one match, as its watcher sees them."""
    options = AnyMessage()
    options.Pack(domino_pb2.Options(target=target))
    seats = [envelope_pb2.SeatSetup(ai=envelope_pb2.AiSeat(level="random"))] * 2
    stub, metadata = platform
    created = stub.CreateMatch(pb.CreateMatchRequest(options=options, seats=seats), metadata=metadata)
    request = pb.WatchMatchRequest(match_id=created.match_id, after_version=created.version)
    times: list[float] = []
    last_command, last_time = "", 0.0
    for response in stub.WatchMatch(request, timeout=_PATIENCE_SECONDS, metadata=metadata):
        now = time.perf_counter()
        for envelope in response.envelopes:
            if envelope.command_id != last_command:
                if last_command:
                    times.append(1000 * (now - last_time))
                last_command, last_time = envelope.command_id, now
    return times
