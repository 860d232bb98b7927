"""Logs on Redis streams: one stream a match, appended to by one function."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from shared.eventlog import keys
from shared.eventlog.group_commit import GroupCommit
from shared.eventlog.notices import Notices
from shared.eventlog.pipe import Command
from shared.eventlog.store import (
    MOST_DOWNTIMES,
    Answer,
    Append,
    Changed,
    CommandIdReused,
    Conflict,
    LogUnavailable,
    Unsubscribe,
    Written,
)
from shared.match.model import Status

# In place of work: what waits goes on waiting.
_KEPT = ("=",)


class RedisLog:
    """The logs of one game's matches on one Redis. Must be made inside a running event loop."""

    def __init__(self, url: str, game: str, patience: float = 10.0) -> None:
        self._game = game
        self._patience = patience
        self._writer = GroupCommit(url, patience)
        # Reads have a connection of their own, so that a long one does not hold up moves.
        self._reader = GroupCommit(url, patience)
        self._notices = Notices(url)

    async def append(self, entry: Append) -> Answer:
        names = keys.append_keys(self._game, entry.match_id)
        work = _KEPT if entry.work is None else [part for work in entry.work for part in (work.kind, work.payload)]
        reply = await self._writer.call(
            (
                "FCALL",
                "meydan_append",
                len(names),
                *names,
                entry.match_id,
                entry.expected,
                entry.command_id,
                entry.digest,
                keys.STATUS_NUMBERS[entry.status],
                entry.due,
                entry.organiser,
                len(entry.records),
                *entry.records,
                *work,
            )
        )
        return _answer(reply)

    async def read(self, match_id: str, after: int, limit: int | None = None) -> Sequence[bytes]:
        # By command, not by redis-py's xrange: its dict of fields would drop a repeated name.
        count = () if limit is None else ("COUNT", limit)
        rows: Any = await self._reader.call(
            ("XRANGE", keys.log_key(self._game, match_id), f"{after + 1}-0", "+", *count)
        )
        return [fields[1] for _, fields in rows]

    async def find(self, match_id: str, command_id: str, digest: bytes) -> Written | CommandIdReused | None:
        row: Any = await self._reader.call(("HGET", keys.match_key(self._game, match_id), f"c:{command_id}"))
        if row is None:
            return None
        first, version, known = row.split(b" ", 2)
        return Written(int(first), int(version), is_repeated=True) if known == digest else CommandIdReused()

    async def list_ids(self, status: Status | None, before: str, limit: int) -> Sequence[str]:
        below = f"({before}" if before else "+"
        pages = await self._read_all(
            ("ZREVRANGEBYLEX", keys.index_key(self._game, partition, wanted), below, "-", "LIMIT", 0, limit)
            for partition in range(keys.PARTITIONS)
            for wanted in (Status if status is None else (status,))
        )
        return sorted((row.decode() for page in pages for row in page), reverse=True)[:limit]

    async def due(self, now_micros: int, limit: int) -> Sequence[str]:
        pages = await self._read_all(
            ("ZRANGEBYSCORE", keys.due_key(self._game, partition), 0, now_micros, "WITHSCORES", "LIMIT", 0, limit)
            for partition in range(keys.PARTITIONS)
        )
        # A page is id, time, id, time, and so on.
        waiting = sorted((float(due), row) for page in pages for row, due in zip(page[::2], page[1::2], strict=True))
        return [row.decode() for _, row in waiting[:limit]]

    async def open_matches(self, organiser: str) -> int:
        counts = await self._read_all(
            ("HGET", keys.open_key(self._game, partition), organiser) for partition in range(keys.PARTITIONS)
        )
        return sum(int(count or 0) for count in counts)

    async def _read_all(self, commands: Iterable[Command]) -> Sequence[Any]:
        """The replies of all partitions, in one round trip."""
        return await asyncio.gather(*map(self._reader.call, commands))

    async def beat(self, now_micros: int, most_gap_micros: int) -> Sequence[tuple[int, int]]:
        names = keys.beat_keys(self._game)
        rows: Any = await self._writer.call(
            ("FCALL", "meydan_beat", len(names), *names, now_micros, most_gap_micros, MOST_DOWNTIMES)
        )
        return [(int(began), int(ended)) for began, ended in map(bytes.split, rows)]

    async def subscribe(self, match_id: str, changed: Changed) -> Unsubscribe:
        try:
            async with asyncio.timeout(self._patience):
                return await self._notices.subscribe(keys.log_key(self._game, match_id), changed)
        except TimeoutError:
            raise LogUnavailable("Redis does not answer") from None

    async def check(self) -> None:
        info: Any = await self._reader.call(("INFO", "persistence"))
        if b"aof_last_write_status:err" in info or b"loading:1" in info:
            raise LogUnavailable("Redis can't write its log")

    async def close(self) -> None:
        await self._writer.close()
        await self._reader.close()
        await self._notices.close()


def _answer(reply: Any) -> Answer:
    match reply:
        case [0, first, version]:
            return Written(first, version)
        case [1, first, version]:
            return Written(first, version, is_repeated=True)
        case [2, version]:
            return Conflict(version)
        case [3]:
            return CommandIdReused()
        case _:
            raise LogUnavailable(f"the append function answered {reply!r}")
