"""The process that turns outbox entries into tasks, and sends again what was not done in time."""

import threading
import time
from collections.abc import Callable

import redis
import structlog

from shared import metrics
from shared.dispatch.outbox import Entry, Outboxes

log = structlog.get_logger(__name__)

_BLOCK_MILLIS = 1000
_PAUSE_SECONDS = 0.2


class Dispatcher:
    """Reads outboxes until it is stopped. `send` hands an entry to the workers; it raises if they can't be reached."""

    def __init__(self, outboxes: Outboxes, send: Callable[[Entry], None], resend_seconds: float) -> None:
        self._outboxes = outboxes
        self._send = send
        self._resend_seconds = resend_seconds
        self._stopping = threading.Event()
        self._next_sweep = 0.0
        self._is_prepared = False

    def stop(self) -> None:
        """Ends `run` after what is in hand."""
        self._stopping.set()

    def run(self) -> None:
        """Until stopped; a lost connection is found again."""
        while not self._stopping.is_set():
            try:
                self.step(_BLOCK_MILLIS)
            except redis.RedisError as error:
                metrics.WORK.labels("all", "unreachable").inc()
                log.warning("outbox_unreachable", error=str(error))
                # A server that has lost its data has lost its groups.
                self._is_prepared = False
                self._stopping.wait(_PAUSE_SECONDS)

    def step(self, block_millis: int) -> None:
        """One look at the outboxes."""
        if not self._is_prepared:
            self._outboxes.prepare()
            self._is_prepared = True
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + self._resend_seconds / 3
            overdue = self._outboxes.take_overdue(int(self._resend_seconds * 1000))
            for entry in overdue:
                metrics.WORK.labels(entry.kind, "overdue").inc()
            if overdue:
                log.warning("work_sent_again", entries=len(overdue))
            self._send_all(overdue)
        self._send_all(self._outboxes.take_new(block_millis))

    def _send_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._send_one(entry)

    def _send_one(self, entry: Entry) -> None:
        """Until it is sent; if we stop or die before, the entry stays and a sweep finds it."""
        while not self._stopping.is_set():
            try:
                self._send(entry)
            except Exception as error:  # noqa: BLE001 - whatever the broker's client raises, the work must go out
                metrics.WORK.labels(entry.kind, "put_off").inc()
                log.warning("broker_unreachable", match=entry.match_id, kind=entry.kind, error=str(error))
                self._stopping.wait(_PAUSE_SECONDS)
            else:
                return
