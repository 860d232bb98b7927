"""Every metric of the platform, in one place. deploy/ has a dashboard and alerts that use these names.

Labels are games, levels, systems, tasks, queues and words that stand in the code: never a match, a player, or anything
that a client can choose. The service of tournaments is counted as a game whose matches are tournaments. `labels` costs
more than counting does, so what every move passes has its labels bound once (GameMetrics).
"""

import asyncio
import os
import time
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

# As prometheus_client calls the variable that names the folder in which processes of one page keep their counts.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
disable_created_metrics()  # type: ignore[no-untyped-call]

_LATENCIES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LONG_LATENCIES = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 60.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_LOOK_AT_LOOP_SECONDS = 0.5

COMMANDS = Counter(
    "meydan_commands",
    "Commands by result: accepted, repeated, or the status code of the refusal.",
    ("game", "result"),
    registry=REGISTRY,
)
CALLS_REFUSED = Counter(
    "meydan_calls_refused",
    "Calls, and requests on Play streams, that were answered with a status code other than OK.",
    ("game", "call", "code"),
    registry=REGISTRY,
)
SERVING = Gauge(
    "meydan_serving",
    "1 while the service can accept moves: its log answers and can write.",
    ("game",),
    registry=REGISTRY,
)
EVENT_LOOP_LAG = Histogram(
    "meydan_event_loop_lag_seconds",
    "How late the event loop of a service is, looked at twice a second.",
    ("game",),
    buckets=_LATENCIES,
    registry=REGISTRY,
)

APPEND_SECONDS = Histogram(
    "meydan_append_seconds",
    "From the first append of a group until the whole group is on disk: no append of the group took longer.",
    buckets=_LATENCIES,
    registry=REGISTRY,
)
APPEND_GROUP_SIZE = Histogram(
    "meydan_append_group_size",
    "Appends that shared a round trip and a write to disk.",
    buckets=_SIZES,
    registry=REGISTRY,
)
LIVE_MATCH_LOOKUPS = Counter(
    "meydan_live_match_lookups",
    "Matches that were looked for in memory: a hit, or a miss that is loaded from its log.",
    ("game", "result"),
    registry=REGISTRY,
)
LIVE_MATCHES = Gauge("meydan_live_matches", "Matches in memory.", ("game",), registry=REGISTRY)

WATCHERS = Gauge(
    "meydan_watchers", "Matches that are followed, once for each stream that follows.", ("game",), registry=REGISTRY
)
OPEN_STREAMS = Gauge("meydan_open_streams", "Streams that are open.", ("game", "call"), registry=REGISTRY)

OUTBOX_ENTRIES = Gauge(
    "meydan_outbox_entries", "Work that an append has asked for and that is not done.", ("game",), registry=REGISTRY
)
OUTBOX_OLDEST_SECONDS = Gauge(
    "meydan_outbox_oldest_seconds",
    "Age of the oldest work that is not done; 0 if there is none.",
    ("game",),
    registry=REGISTRY,
)
QUEUE_LENGTH = Gauge(
    "meydan_queue_length", "Tasks in the broker that no worker has taken.", ("queue",), registry=REGISTRY
)
AI_THINKING_SECONDS = Histogram(
    "meydan_ai_thinking_seconds",
    "How long computer players thought about a move.",
    ("game", "level"),
    buckets=_LATENCIES,
    registry=REGISTRY,
)
WORK = Counter(
    "meydan_work",
    "Work from the outboxes: sent to the broker, put_off as that did not take it, overdue as it was not done in time, "
    "unreadable; or, all of it, unreachable for a moment.",
    ("kind", "result"),
    registry=REGISTRY,
)
TASKS = Counter(
    "meydan_tasks",
    "Tasks, and results told to tournaments, by how they ended: done, repeated as there was nothing left to do, "
    "put_off, refused by the service, failed.",
    ("task", "result"),
    registry=REGISTRY,
)
AUDITS = Counter(
    "meydan_audits",
    "Finished matches that were decided again from their logs: passed, or failed.",
    ("game", "result"),
    registry=REGISTRY,
)

PAIRING_SECONDS = Histogram(
    "meydan_pairing_seconds",
    "How long workers took to pair a round, or to find that none follows.",
    ("system",),
    buckets=_LONG_LATENCIES,
    registry=REGISTRY,
)
CHECKING_SECONDS = Histogram(
    "meydan_checking_seconds",
    "How long the service took to check a round that a worker has paired, and to fold it.",
    ("system",),
    buckets=_LONG_LATENCIES,
    registry=REGISTRY,
)
STANDINGS_SECONDS = Histogram(
    "meydan_standings_seconds",
    "How long standings took that were worked out: once for each version that anybody looked at.",
    buckets=_LONG_LATENCIES,
    registry=REGISTRY,
)

CLOCK_EXPIRIES = Counter(
    "meydan_clock_expiries", "Seats whose time ran out, by what they ran out of.", ("game", "reason"), registry=REGISTRY
)
TOKENS_REFUSED = Counter("meydan_tokens_refused", "Tokens that opened nothing, by why.", ("reason",), registry=REGISTRY)
LIMITS_HIT = Counter("meydan_limits_hit", "Limits that somebody has come up against.", ("limit",), registry=REGISTRY)

# Calls that, when they succeed, are a command to a match or a tournament.
COMMAND_CALLS = frozenset(
    {
        *("CreateMatch", "JoinMatch", "ReleaseSeat", "ResignMatch", "SubmitCommand"),
        *("CreateTournament", "RegisterEntrants", "CheckIn", "Withdraw", "Return", "StartTournament"),
        *("LayDownPairs", "MakeRuling", "UndoRuling", "PauseTournament", "ResumeTournament", "FinishTournament"),
        *("SubmitRound", "ReportMatches", "RecordResult"),
    }
)
_OF_TOKENS = frozenset({"unauthenticated", "permission_denied"})


class GameMetrics:
    """What the service of one game counts on the way of every move."""

    __slots__ = ("accepted", "hits", "live_matches", "misses", "repeated", "watchers")

    def __init__(self, game: str) -> None:
        self.accepted = COMMANDS.labels(game, "accepted")
        self.repeated = COMMANDS.labels(game, "repeated")
        self.hits = LIVE_MATCH_LOOKUPS.labels(game, "hit")
        self.misses = LIVE_MATCH_LOOKUPS.labels(game, "miss")
        self.live_matches = LIVE_MATCHES.labels(game)
        self.watchers = WATCHERS.labels(game)


def count_refusal(game: str, call: str, code: str, reason: str) -> None:
    """A call was answered with no. Of reasons only those are counted that are few: of tokens, not of rules."""
    CALLS_REFUSED.labels(game, call, code).inc()
    if call in COMMAND_CALLS:
        COMMANDS.labels(game, code).inc()
    if code in _OF_TOKENS:
        TOKENS_REFUSED.labels(reason.lower()).inc()


async def watch_event_loop(game: str) -> None:
    """Measures until it is cancelled. What waits for the event loop is late by this, and no other metric shows it."""
    lag = EVENT_LOOP_LAG.labels(game)
    while True:
        # Not the loop's own time, which stands still while the loop is busy.
        due = time.perf_counter() + _LOOK_AT_LOOP_SECONDS
        await asyncio.sleep(_LOOK_AT_LOOP_SECONDS)
        lag.observe(max(0.0, time.perf_counter() - due))


def serve(listen: str, port: int) -> None:
    """Answers /metrics over HTTP from a thread of its own; port 0: nothing is served."""
    if not port:
        return
    try:
        server, _ = start_http_server(port, listen, _page())
    except OSError as error:
        raise SystemExit(f"Metrics can't be served at {listen}:{port}: {error.strerror}.") from None
    # A child that outlives this process must not keep the port.
    os.register_at_fork(after_in_child=server.socket.close)


def _page() -> CollectorRegistry:
    """This process's metrics, or those of all processes that count into files of one folder."""
    if SHARED_FOLDER not in os.environ:
        return REGISTRY
    page = CollectorRegistry()
    page.register(_AllProcesses())
    return page


class _AllProcesses(Collector):
    """What all processes have counted that share the folder."""

    def collect(self) -> Iterable[Metric]:
        files = Path(os.environ[SHARED_FOLDER]).glob("*.db")
        # A file that is just being made has nothing in it yet, and can't be read.
        written = [str(file) for file in files if file.stat().st_size]
        found: Iterable[Metric] = MultiProcessCollector.merge(written)  # type: ignore[no-untyped-call]
        return found
