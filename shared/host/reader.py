"""From logs to what they fold to: read and folded a piece at a time, so that a long log does not stop all others."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from shared.envelope import Envelope, hash_of, unpack
from shared.eventlog.store import EventLog
from shared.host import errors
from shared.host.errors import Refused
from shared.host.live import Live
from shared.match.model import Logged

T = TypeVar("T", bound=Logged)

# A fold of this many events takes a few milliseconds; then others get their turn.
_FOLD_AT_ONCE = 256
_READ_AT_ONCE = 512


class Folder(Protocol[T]):
    """Folds logs of one kind."""

    # What a log of this kind is called, such as `match`.
    noun: str

    def fold(self, folded: T | None, envelopes: Iterable[Envelope], /) -> T: ...


class LogReader(Generic[T]):
    """Reads the logs of one kind. Envelopes come as they were stored: the fold knows what to make of older shapes."""

    def __init__(self, event_log: EventLog, folder: Folder[T]) -> None:
        self._log = event_log
        self._folder = folder

    async def load(self, log_id: str) -> T:
        """What a log folds to, from it alone."""
        envelopes = await self._read(log_id, 0, None)
        if not envelopes:
            raise self.unknown(log_id)
        return await self._fold(None, envelopes)

    def unknown(self, log_id: str) -> Refused:
        """There is no such log."""
        return errors.unknown(self._folder.noun, log_id)

    async def at_version(self, log_id: str, version: int) -> T:
        """What it folded to at a version."""
        return await self._fold(None, await self._read(log_id, 0, version))

    async def catch_up(self, live: Live[T]) -> bool:
        """Folds in what others have appended; says whether there was anything. The lock must be held."""
        envelopes = await self._read(live.folded.id, live.folded.version, None)
        if not envelopes:
            return False
        live.advance(await self._fold(live.folded, envelopes), envelopes)
        return True

    async def hash_at(self, log_id: str, version: int) -> bytes:
        """The hash of the log as it was at a version."""
        (record,) = await self._log.read(log_id, version - 1, 1)
        return hash_of(unpack(record))

    async def page(self, live: Live[T], after: int, limit: int) -> Sequence[Envelope]:
        """A piece of the log up to where it is known, complete: to be redacted before it goes anywhere."""
        recent = live.recent_after(after)
        if recent is not None:
            return recent[:limit]
        most = min(limit, live.folded.version - after)
        return list(map(unpack, await self._log.read(live.folded.id, after, most)))

    async def _read(self, log_id: str, after: int, until: int | None) -> list[Envelope]:
        found: list[Envelope] = []
        while until is None or after < until:
            limit = _READ_AT_ONCE if until is None else min(_READ_AT_ONCE, until - after)
            records = await self._log.read(log_id, after, limit)
            found.extend(map(unpack, records))
            if len(records) < limit:
                break
            after += len(records)
        return found

    async def _fold(self, folded: T | None, envelopes: list[Envelope]) -> T:
        for start in range(0, len(envelopes), _FOLD_AT_ONCE):
            if start:
                await asyncio.sleep(0)
            folded = self._folder.fold(folded, envelopes[start : start + _FOLD_AT_ONCE])
        if folded is None:
            raise ValueError("nothing to fold")
        return folded
