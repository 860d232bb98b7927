"""The outboxes of a game: work that an append has written and that is not done yet.

An entry stays until its effect is there: an AI's turn is taken out by the append that moves the match on, the end of a
match by the task that has handled it. So the outboxes are at every moment exactly what is still to be done, and nobody
needs to look at the matches themselves.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import redis

from shared.eventlog.keys import PARTITIONS, outbox_key
from shared.eventlog.store import GROUP


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece of work in an outbox."""

    game: str
    outbox: str
    id: str
    match_id: str
    kind: str
    payload: bytes


class Outboxes:
    """All partitions' outboxes of some games, as one dispatcher reads them. Several dispatchers share the work."""

    def __init__(self, client: redis.Redis, games: Iterable[str], consumer: str) -> None:
        # redis-py types every answer as "perhaps awaitable".
        self._client: Any = client
        self._consumer = consumer
        self._games = {outbox_key(game, partition): game for game in games for partition in range(PARTITIONS)}

    def prepare(self) -> None:
        """Makes the group where it is not there yet. It begins at the beginning: nothing that waits is passed over."""
        for key in self._games:
            try:
                self._client.xgroup_create(key, GROUP, id="0", mkstream=True)
            except redis.ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise

    def take_new(self, block_millis: int, most: int = 100) -> list[Entry]:
        """Work that no dispatcher has taken; waits a while if there is none."""
        streams = dict.fromkeys(self._games, ">")
        answer = self._client.xreadgroup(GROUP, self._consumer, streams, count=most, block=block_millis)
        return [entry for key, rows in answer or () for entry in self._entries(key.decode(), rows)]

    def take_overdue(self, idle_millis: int, most: int = 100) -> list[Entry]:
        """Work that was sent this long ago, by whichever dispatcher, and is still not done."""
        pipe = self._client.pipeline(transaction=False)
        for key in self._games:
            pipe.xautoclaim(key, GROUP, self._consumer, min_idle_time=idle_millis, count=most)
        answers = zip(self._games, pipe.execute(), strict=True)
        return [entry for key, answer in answers for entry in self._entries(key, answer[1])]

    def count(self) -> int:
        """How much work waits."""
        pipe = self._client.pipeline(transaction=False)
        for key in self._games:
            pipe.xlen(key)
        return sum(pipe.execute())

    def oldest_seconds(self) -> float:
        """How long the oldest work has been waiting, by the server's own clock; 0 if there is none."""
        pipe = self._client.pipeline(transaction=False)
        pipe.time()
        for key in self._games:
            pipe.xrange(key, count=1)
        (seconds, micros), *pages = pipe.execute()
        # The server makes ids of entries from the time.
        written = [int(entry_id.partition(b"-")[0]) / 1e3 for rows in pages for entry_id, _ in rows]
        return max(0.0, seconds + micros / 1e6 - min(written)) if written else 0.0

    def _entries(self, key: str, rows: Any) -> list[Entry]:
        # An entry that was deleted while it was claimed comes back without fields.
        return [_entry(self._games[key], key, entry_id, fields) for entry_id, fields in rows if fields]


def _entry(game: str, key: str, entry_id: bytes, fields: dict[bytes, bytes]) -> Entry:
    return Entry(game, key, entry_id.decode(), fields[b"match"].decode(), fields[b"kind"].decode(), fields[b"payload"])


def mark_done(client: redis.Redis, outbox: str, entry_id: str) -> None:
    """Takes out work whose effect is not an append to the match."""
    pipe: Any = client.pipeline(transaction=True)
    pipe.xack(outbox, GROUP, entry_id)
    pipe.xdel(outbox, entry_id)
    pipe.execute()
