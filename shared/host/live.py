"""Matches in memory: folds of their logs, loaded on demand, bounded in number."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

from shared.envelope import Envelope
from shared.eventlog.store import Unsubscribe
from shared.match.model import Match
from shared.metrics import GameMetrics

_MOST_RECENT = 64


class LiveMatch:
    """One match. Whoever changes it, or brings it up to date, holds the lock."""

    __slots__ = ("followers", "is_lost", "lock", "match", "noticed", "recent", "subscription")

    def __init__(self, match: Match) -> None:
        self.match = match
        self.lock = asyncio.Lock()
        # What it was folded from is not in the log any more.
        self.is_lost = False
        # The newest version that another process may have written.
        self.noticed = 0
        self.followers: list[Callable[[], None]] | None = None
        # The newest envelopes, kept only while somebody follows.
        self.recent: list[Envelope] | None = None
        # To the news of this match: under way, or in force.
        self.subscription: asyncio.Future[Unsubscribe] | None = None

    @property
    def is_in_use(self) -> bool:
        return self.lock.locked() or bool(self.followers)

    def advance(self, match: Match, envelopes: Sequence[Envelope]) -> None:
        """The match has moved on by these envelopes."""
        self.match = match
        if self.followers:
            self.recent = [*(self.recent or [])[-_MOST_RECENT:], *envelopes]
            for changed in tuple(self.followers):
                changed()

    def recent_after(self, version: int) -> list[Envelope] | None:
        """The envelopes after a version, if they are all at hand."""
        if version >= self.match.version:
            return []
        if not self.recent or self.recent[0].version > version + 1:
            return None
        return self.recent[version + 1 - self.recent[0].version :]


class LiveMatches:
    """The matches that were used last. One that is in use is not thrown out; any other can be loaded again."""

    def __init__(self, most: int, load: Callable[[str], Awaitable[Match]], metrics: GameMetrics) -> None:
        self._most = most
        self._load = load
        self._metrics = metrics
        self._matches: OrderedDict[str, LiveMatch] = OrderedDict()
        self._loading: dict[str, asyncio.Task[LiveMatch]] = {}

    def __len__(self) -> int:
        return len(self._matches)

    async def get(self, match_id: str) -> LiveMatch:
        """The match, from memory or from its log. Callers that want the same one share the work."""
        live = self._matches.get(match_id)
        if live is not None:
            self._matches.move_to_end(match_id)
            self._metrics.hits.inc()
            return live
        self._metrics.misses.inc()
        task = self._loading.get(match_id)
        if task is None:
            task = asyncio.create_task(self._fetch(match_id))
            self._loading[match_id] = task
            task.add_done_callback(lambda _: self._loading.pop(match_id, None))
        return await asyncio.shield(task)

    def add(self, match: Match) -> LiveMatch:
        """A match that has just been made; or the one that is there already."""
        live = self._matches.setdefault(match.id, LiveMatch(match))
        self._make_room()
        self._metrics.live_matches.set(len(self._matches))
        return live

    def forget(self, match_id: str) -> None:
        """Drops what is known of a match, its followers too; the next call loads it from its log."""
        live = self._matches.pop(match_id, None)
        if live is not None:
            self._metrics.live_matches.set(len(self._matches))
            live.is_lost = True
            for changed in tuple(live.followers or ()):
                changed()

    async def _fetch(self, match_id: str) -> LiveMatch:
        return self.add(await self._load(match_id))

    def _make_room(self) -> None:
        # Bounded work: look at a few of the oldest, so that many matches in use do not make every call slow.
        for _ in range(min(len(self._matches) - self._most, 8)):
            match_id, live = self._matches.popitem(last=False)
            if live.is_in_use:
                self._matches[match_id] = live
