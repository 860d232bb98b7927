"""A store in memory, for tests of rules and of everything that needs no Redis."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.eventlog.store import (
    MOST_DOWNTIMES,
    Answer,
    Append,
    Changed,
    CommandIdReused,
    Conflict,
    Unsubscribe,
    Work,
    Written,
)
from shared.match.model import Status


@dataclass(slots=True)
class _Log:
    organiser: str = ""
    records: list[bytes] = field(default_factory=list)
    commands: dict[str, tuple[bytes, Written]] = field(default_factory=dict)
    status: Status = Status.WAITING
    work: tuple[Work, ...] = ()
    due: int = 0


class MemoryLog:
    """Forgets everything when the process ends."""

    def __init__(self) -> None:
        self._logs: dict[str, _Log] = {}
        self._changed: dict[str, list[Changed]] = defaultdict(list)
        self._newest_beat: int | None = None
        self._downtimes: deque[tuple[int, int]] = deque(maxlen=MOST_DOWNTIMES)

    async def append(self, entry: Append) -> Answer:
        known = await self.find(entry.match_id, entry.command_id, entry.digest)
        if known is not None:
            return known
        log = self._logs.get(entry.match_id, _Log(entry.organiser))
        if entry.expected != len(log.records):
            return Conflict(len(log.records))
        self._logs[entry.match_id] = log
        log.records.extend(entry.records)
        log.status, log.due = entry.status, entry.due
        log.work = log.work if entry.work is None else entry.work
        written = Written(entry.expected + 1, len(log.records))
        log.commands[entry.command_id] = (entry.digest, written)
        for changed in tuple(self._changed[entry.match_id]):
            asyncio.get_running_loop().call_soon(changed, written.version)
        return written

    async def read(self, match_id: str, after: int, limit: int | None = None) -> Sequence[bytes]:
        records = self._logs.get(match_id, _Log()).records
        return records[after:] if limit is None else records[after : after + limit]

    async def find(self, match_id: str, command_id: str, digest: bytes) -> Written | CommandIdReused | None:
        known = self._logs.get(match_id, _Log()).commands.get(command_id)
        if known is None:
            return None
        return Written(known[1].first, known[1].version, is_repeated=True) if known[0] == digest else CommandIdReused()

    async def list_ids(self, status: Status | None, before: str, limit: int) -> Sequence[str]:
        ids = (match_id for match_id, log in self._logs.items() if status in (None, log.status))
        return sorted((one for one in ids if not before or one < before), reverse=True)[:limit]

    async def due(self, now_micros: int, limit: int) -> Sequence[str]:
        waiting = sorted((log.due, match_id) for match_id, log in self._logs.items() if 0 < log.due <= now_micros)
        return [match_id for _, match_id in waiting[:limit]]

    async def open_matches(self, organiser: str) -> int:
        unfinished = [log for log in self._logs.values() if log.status is not Status.FINISHED]
        return sum(log.organiser == organiser for log in unfinished) if organiser else 0

    async def beat(self, now_micros: int, most_gap_micros: int) -> Sequence[tuple[int, int]]:
        last = now_micros if self._newest_beat is None else self._newest_beat
        if now_micros - last > most_gap_micros:
            self._downtimes.append((last, now_micros))
        self._newest_beat = max(last, now_micros)
        return tuple(self._downtimes)

    async def subscribe(self, match_id: str, changed: Changed) -> Unsubscribe:
        self._changed[match_id].append(changed)
        return lambda: self._changed[match_id].remove(changed)

    def waiting_work(self, match_id: str) -> tuple[Work, ...]:
        """What must happen next for a match."""
        return self._logs[match_id].work

    async def check(self) -> None:
        """Memory is always there."""

    async def close(self) -> None:
        """Nothing to let go."""
