"""A store in memory, for tests of rules and of everything that needs no Redis."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.eventlog.store import Answer, Append, Changed, CommandIdReused, Conflict, Unsubscribe, Work, Written
from shared.match.model import Status


@dataclass(slots=True)
class _Log:
    records: list[bytes] = field(default_factory=list)
    commands: dict[str, tuple[bytes, Written]] = field(default_factory=dict)
    status: Status = Status.WAITING
    work: tuple[Work, ...] = ()


class MemoryLog:
    """Forgets everything when the process ends."""

    def __init__(self) -> None:
        self._logs: dict[str, _Log] = {}
        self._changed: dict[str, list[Changed]] = defaultdict(list)

    async def append(self, entry: Append) -> Answer:
        known = await self.find(entry.match_id, entry.command_id, entry.digest)
        if known is not None:
            return known
        log = self._logs.get(entry.match_id, _Log())
        if entry.expected != len(log.records):
            return Conflict(len(log.records))
        self._logs[entry.match_id] = log
        log.records.extend(entry.records)
        log.status, log.work = entry.status, entry.work
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
