"""From logs to matches: read and folded a piece at a time, so that a long match does not stop all others."""

import asyncio
from collections.abc import Sequence

from shared.envelope import Envelope, hash_of, unpack
from shared.eventlog.store import EventLog
from shared.host import errors
from shared.host.live import LiveMatch
from shared.match.model import Match
from shared.replay import Replay

# A fold of this many events takes a few milliseconds; then other matches get their turn.
_FOLD_AT_ONCE = 256
_READ_AT_ONCE = 512


class LogReader:
    """Reads the logs of one game. Envelopes come as they were stored: the fold knows what to make of older shapes."""

    def __init__(self, event_log: EventLog, replay: Replay) -> None:
        self._log = event_log
        self._replay = replay

    async def load(self, match_id: str) -> Match:
        """A match from its log alone."""
        envelopes = await self._read(match_id, 0, None)
        if not envelopes:
            raise errors.unknown_match(match_id)
        return await self._fold(None, envelopes)

    async def at_version(self, match_id: str, version: int) -> Match:
        """The match as it was at a version."""
        return await self._fold(None, await self._read(match_id, 0, version))

    async def catch_up(self, live: LiveMatch) -> bool:
        """Folds in what others have appended; says whether there was anything. The lock must be held."""
        envelopes = await self._read(live.match.id, live.match.version, None)
        if not envelopes:
            return False
        live.advance(await self._fold(live.match, envelopes), envelopes)
        return True

    async def hash_at(self, match_id: str, version: int) -> bytes:
        """The hash of the log as it was at a version."""
        (record,) = await self._log.read(match_id, version - 1, 1)
        return hash_of(unpack(record))

    async def page(self, live: LiveMatch, after: int, limit: int) -> Sequence[Envelope]:
        """A piece of the log up to where the match is known, complete: to be redacted before it goes anywhere."""
        recent = live.recent_after(after)
        if recent is not None:
            return recent[:limit]
        most = min(limit, live.match.version - after)
        return list(map(unpack, await self._log.read(live.match.id, after, most)))

    async def _read(self, match_id: str, after: int, until: int | None) -> list[Envelope]:
        found: list[Envelope] = []
        while until is None or after < until:
            limit = _READ_AT_ONCE if until is None else min(_READ_AT_ONCE, until - after)
            records = await self._log.read(match_id, after, limit)
            found.extend(map(unpack, records))
            if len(records) < limit:
                break
            after += len(records)
        return found

    async def _fold(self, match: Match | None, envelopes: list[Envelope]) -> Match:
        for start in range(0, len(envelopes), _FOLD_AT_ONCE):
            if start:
                await asyncio.sleep(0)
            match = self._replay.fold(match, envelopes[start : start + _FOLD_AT_ONCE])
        if match is None:
            raise ValueError("nothing to fold")
        return match
