"""How much work waits, measured every few seconds: by a thread of its own, for when the dispatcher itself is stuck."""

import math
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import redis
from prometheus_client import Gauge

from shared import metrics
from shared.dispatch.outbox import Outboxes

_SECONDS = 5.0


class Backlog(NamedTuple):
    """The outboxes of some games, and some queues of the broker."""

    log: redis.Redis
    broker: redis.Redis
    games: Iterable[str]
    queues: Iterable[str]

    def watch(self) -> None:
        """Measures for as long as the process lives."""
        threading.Thread(target=self._run, name="backlog", daemon=True).start()

    def _run(self) -> None:
        while True:
            self.measure()
            time.sleep(_SECONDS)

    def measure(self) -> None:
        """Once."""
        for game in self.games:
            outboxes = Outboxes(self.log, (game,), consumer="")
            _set(metrics.OUTBOX_ENTRIES.labels(game), outboxes.count)
            _set(metrics.OUTBOX_OLDEST_SECONDS.labels(game), outboxes.oldest_seconds)
        for queue in self.queues:
            _set(metrics.QUEUE_LENGTH.labels(queue), partial(_length, self.broker, queue))


def _length(broker: Any, queue: str) -> int:
    """Celery keeps a queue as a list."""
    length: int = broker.llen(queue)
    return length


def _set(gauge: Gauge, measure: Callable[[], float]) -> None:
    try:
        gauge.set(measure())
    except redis.RedisError:
        # An old number would look like a good one.
        gauge.set(math.nan)
