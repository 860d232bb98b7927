"""Folds of logs in memory, loaded on demand, bounded in number."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from shared.envelope import Envelope
from shared.eventlog.store import Unsubscribe
from shared.match.model import Logged
from shared.metrics import GameMetrics

T = TypeVar("T", bound=Logged)

_MOST_RECENT = 64


class Live(Generic[T]):
    """One log: a match, a tournament. Whoever changes it, or brings it up to date, holds the lock."""

    __slots__ = ("folded", "followers", "is_lost", "lock", "noticed", "recent", "subscription")

    def __init__(self, folded: T) -> None:
        self.folded = folded
        self.lock = asyncio.Lock()
        # What it was folded from is not in the log any more.
        self.is_lost = False
        # The newest version that another process may have written.
        self.noticed = 0
        self.followers: list[Callable[[], None]] | None = None
        # The newest envelopes, kept only while somebody follows.
        self.recent: list[Envelope] | None = None
        # To the news of this log: under way, or in force.
        self.subscription: asyncio.Future[Unsubscribe] | None = None

    @property
    def is_in_use(self) -> bool:
        return self.lock.locked() or bool(self.followers)

    def advance(self, folded: T, envelopes: Sequence[Envelope]) -> None:
        """The log has moved on by these envelopes."""
        self.folded = folded
        if self.followers:
            self.recent = [*(self.recent or [])[-_MOST_RECENT:], *envelopes]
            for changed in tuple(self.followers):
                changed()

    def recent_after(self, version: int) -> list[Envelope] | None:
        """The envelopes after a version, if they are all at hand."""
        if version >= self.folded.version:
            return []
        if not self.recent or self.recent[0].version > version + 1:
            return None
        return self.recent[version + 1 - self.recent[0].version :]


class LiveLogs(Generic[T]):
    """The logs that were used last. One that is in use is not thrown out; any other can be loaded again."""

    def __init__(self, most: int, load: Callable[[str], Awaitable[T]], metrics: GameMetrics) -> None:
        self._most = most
        self._load = load
        self._metrics = metrics
        self._logs: OrderedDict[str, Live[T]] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Live[T]]] = {}

    def __len__(self) -> int:
        return len(self._logs)

    async def get(self, log_id: str) -> Live[T]:
        """What is kept of a log, from memory or from the log itself. Callers that want the same one share the work."""
        live = self._logs.get(log_id)
        if live is not None:
            self._logs.move_to_end(log_id)
            self._metrics.hits.inc()
            return live
        self._metrics.misses.inc()
        task = self._loading.get(log_id)
        if task is None:
            task = asyncio.create_task(self._fetch(log_id))
            self._loading[log_id] = task
            task.add_done_callback(lambda _: self._loading.pop(log_id, None))
        return await asyncio.shield(task)

    def add(self, folded: T) -> Live[T]:
        """What has just been made; or what is there already."""
        live = self._logs.setdefault(folded.id, Live(folded))
        self._make_room()
        self._metrics.live_matches.set(len(self._logs))
        return live

    def forget(self, log_id: str) -> None:
        """Drops what is known of a log, its followers too; the next call loads it from its log."""
        live = self._logs.pop(log_id, None)
        if live is not None:
            self._metrics.live_matches.set(len(self._logs))
            live.is_lost = True
            for changed in tuple(live.followers or ()):
                changed()

    async def _fetch(self, log_id: str) -> Live[T]:
        return self.add(await self._load(log_id))

    def _make_room(self) -> None:
        # Bounded work: look at a few of the oldest, so that many logs in use do not make every call slow.
        for _ in range(min(len(self._logs) - self._most, 8)):
            log_id, live = self._logs.popitem(last=False)
            if live.is_in_use:
                self._logs[log_id] = live
