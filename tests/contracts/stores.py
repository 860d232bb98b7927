"""What the tests of both kinds of store share."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import redis.asyncio

from shared.eventlog.keys import outbox_key, partition_of
from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from shared.eventlog.store import Append, EventLog, Work
from shared.match.ids import new_match_id
from shared.match.model import Status

OpenLog: TypeAlias = Callable[[], RedisLog]
Admin: TypeAlias = Callable[..., Awaitable[Any]]
# Before this, a wait for something that must happen has failed.
PATIENCE = 30.0


@dataclass(frozen=True)
class Store:
    """A store under test, and how to open the same logs a second time."""

    log: EventLog
    again: Callable[[], EventLog]
    url: str | None
    key_space: str

    async def waiting_work(self, match_id: str) -> list[Work]:
        """What the store says is still to be done for a match."""
        if isinstance(self.log, MemoryLog):
            return list(self.log.waiting_work(match_id))
        assert self.url is not None
        async with redis.asyncio.from_url(self.url) as client:
            rows: Any = await client.xrange(outbox_key(self.key_space, partition_of(match_id)))
        return [Work(row[b"kind"].decode(), row[b"payload"]) for _, row in rows if row[b"match"].decode() == match_id]


def match_id(number: int) -> str:
    """A match id that sorts by its number."""
    return new_match_id(number * 1000)


def entry(
    match: str,
    expected: int,
    command_id: str,
    records: tuple[bytes, ...] | None = None,
    digest: bytes = b"d",
    status: Status = Status.PLAYING,
    work: tuple[Work, ...] | None = (),
    due: int = 0,
    organiser: str = "",
) -> Append:
    """An append; without records, of one that names the command."""
    written = records or (command_id.encode(),)
    return Append(match, expected, written, command_id, digest, status, work, due, organiser)


async def until(is_so: Callable[[], bool]) -> None:
    """Lets the loop run until something is so; fails if that never happens."""
    async with asyncio.timeout(PATIENCE):
        while not is_so():  # noqa: ASYNC110 - what is waited for happens in code that knows no event of ours
            await asyncio.sleep(0.001)


@contextlib.asynccontextmanager
async def opened(url: str, patience: float = PATIENCE) -> AsyncIterator[RedisLog]:
    """A log that is closed in the end."""
    log = RedisLog(url, "own", patience)
    yield log
    await log.close()
