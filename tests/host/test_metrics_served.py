"""What is measured now and then, and where all of it is served."""

import asyncio
import contextlib
import math
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from prometheus_client import generate_latest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from redis.backoff import NoBackoff
from redis.retry import Retry

from shared import metrics
from shared.dispatch.backlog import Backlog
from shared.eventlog.keys import outbox_key
from tests.host.counting import Counted, samples
from tests.host.service import PATIENCE, until


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def page_at(host: str, port: int) -> str:
    """What is served there."""
    with urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=PATIENCE) as answer:
        return str(answer.read().decode())


def test_metrics_are_served_where_they_were_asked_for_and_nowhere_else(free_port: int) -> None:
    """On one address of the machine; without a port, not at all."""
    metrics.serve("127.0.0.1", 0)
    with pytest.raises(urllib.error.URLError):
        page_at("127.0.0.1", free_port)
    metrics.serve("127.0.0.1", free_port)
    assert "# TYPE meydan_commands_total counter" in page_at("127.0.0.1", free_port)
    with pytest.raises(urllib.error.URLError):
        page_at("127.0.0.2", free_port)


def test_a_process_whose_port_is_taken_says_so_and_ends() -> None:
    """Rather than to run on unseen."""
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SystemExit, match="can't be served"):
        metrics.serve("127.0.0.1", taken.getsockname()[1])


def test_a_page_of_many_processes_does_not_wait_for_one_that_is_just_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of its counts is there before anything is in it."""
    monkeypatch.setenv(metrics.SHARED_FOLDER, str(tmp_path))
    counted: Any = MmapedDict(str(tmp_path / "counter_0.db"))  # type: ignore[no-untyped-call]
    counted.write_value(mmap_key("meydan_audits", "meydan_audits_total", ["game"], ["domino"], "Audits."), 7.0, 0.0)
    (tmp_path / "counter_1.db").touch()
    assert b'meydan_audits_total{game="domino"} 7.0' in generate_latest(metrics._page())


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    """A connection to the tests' server."""
    with redis.Redis.from_url(redis_url) as opened:
        yield opened


def test_the_backlog_is_measured(client: redis.Redis, key_space: str) -> None:
    """How much waits, since when by the server's clock, and how many tasks nobody has taken."""
    backlog = Backlog(client, client, (key_space,), (f"{key_space}.queue",))
    waiting = f"meydan_outbox_entries {key_space}"
    oldest = f"meydan_outbox_oldest_seconds {key_space}"
    queue = f"meydan_queue_length {key_space}.queue"
    names = ("meydan_outbox_entries", "meydan_outbox_oldest_seconds", "meydan_queue_length")

    def measured() -> tuple[float, float, float]:
        backlog.measure()
        found = samples(*names)
        return found[waiting], found[oldest], found[queue]

    assert measured() == (0.0, 0.0, 0.0)
    now: Any = client.time()
    for partition, age in ((3, 100), (60, 40)):
        client.xadd(outbox_key(key_space, partition), {"kind": "agent_turn"}, id=f"{(now[0] - age) * 1000}-0")
    client.lpush(f"{key_space}.queue", "one", "two", "three")
    entries, seconds, tasks = measured()
    assert (entries, tasks) == (2.0, 3.0)
    assert 100.0 <= seconds < 100.0 + PATIENCE


def test_a_backlog_that_cannot_be_measured_is_no_number(client: redis.Redis, key_space: str) -> None:
    """The last one that was measured would look like a good one."""
    Backlog(client, client, (key_space,), ()).measure()
    nobody = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))
    Backlog(nobody, nobody, (key_space,), ()).measure()
    assert math.isnan(samples("meydan_outbox_entries")[f"meydan_outbox_entries {key_space}"])


async def test_the_event_loop_is_measured_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the measuring is cancelled."""
    monkeypatch.setattr(metrics, "_LOOK_AT_LOOP_SECONDS", 0.0)
    measured = Counted("meydan_event_loop_lag_seconds_count")
    watching = asyncio.create_task(metrics.watch_event_loop("a loop"))
    await until(lambda: measured.changes().get("a loop", 0.0) >= 3.0)
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
