"""Names of keys in Redis.

A match belongs to one of a fixed number of partitions. The partition is the hash tag of all of its keys and of the
outbox that its appends write to, so that one function call may touch them all, in a cluster too; and a dispatcher has
a known, small number of outboxes to read.
"""

import zlib
from functools import lru_cache

from shared.match.model import Status

PARTITIONS = 64
# As append.lua numbers them.
STATUS_NUMBERS = {Status.WAITING: 1, Status.PLAYING: 2, Status.FINISHED: 3}


def partition_of(match_id: str) -> int:
    """The partition of a match."""
    return zlib.crc32(match_id.encode()) % PARTITIONS


def log_key(game: str, match_id: str) -> str:
    """The stream of a match's events."""
    return f"meydan:{{{game}:{partition_of(match_id)}}}:log:{match_id}"


def match_key(game: str, match_id: str) -> str:
    """The hash with a match's version, status, waiting work, due time, organiser and command ids."""
    return f"meydan:{{{game}:{partition_of(match_id)}}}:match:{match_id}"


def outbox_key(game: str, partition: int) -> str:
    """The stream of work that waits in a partition."""
    return f"meydan:{{{game}:{partition}}}:outbox"


def index_key(game: str, partition: int, status: Status) -> str:
    """The sorted set of a partition's matches of one status."""
    return f"meydan:{{{game}:{partition}}}:{status.value}"


def due_key(game: str, partition: int) -> str:
    """The sorted set of a partition's matches by the time at which they are due."""
    return f"meydan:{{{game}:{partition}}}:due"


def open_key(game: str, partition: int) -> str:
    """The hash of organisers with the number of their matches in a partition that are not finished."""
    return f"meydan:{{{game}:{partition}}}:open"


def beat_keys(game: str) -> tuple[str, str]:
    """The newest beat, and the list of downtimes: the keys of the beat function."""
    return f"meydan:{{{game}}}:alive", f"meydan:{{{game}}}:downtimes"


@lru_cache(maxsize=4096)
def append_keys(game: str, match_id: str) -> tuple[str, ...]:
    """The keys of the append function, in its order."""
    partition = partition_of(match_id)
    return (
        log_key(game, match_id),
        match_key(game, match_id),
        outbox_key(game, partition),
        due_key(game, partition),
        open_key(game, partition),
        *(index_key(game, partition, status) for status in STATUS_NUMBERS),
    )
