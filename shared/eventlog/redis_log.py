"""Logs on Redis streams: one stream a match, appended to by one function."""

import asyncio
from collections.abc import Sequence
from typing import Any

from shared.eventlog import keys
from shared.eventlog.group_commit import GroupCommit
from shared.eventlog.notices import Notices
from shared.eventlog.store import (
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
        work = [part for work in entry.work for part in (work.kind, work.payload)]
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
        # All partitions in one round trip.
        pages = await asyncio.gather(
            *(
                self._list_one(partition, wanted, before, limit)
                for partition in range(keys.PARTITIONS)
                for wanted in (Status if status is None else (status,))
            )
        )
        return sorted((one for page in pages for one in page), reverse=True)[:limit]

    async def _list_one(self, partition: int, status: Status, before: str, limit: int) -> list[str]:
        key = keys.index_key(self._game, partition, status)
        rows: Any = await self._reader.call(
            ("ZREVRANGEBYLEX", key, f"({before}" if before else "+", "-", "LIMIT", 0, limit)
        )
        return [row.decode() for row in rows]

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
