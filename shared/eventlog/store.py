"""What every store of logs promises. tests/contracts holds each of them to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from shared.match.model import Status

# The group in which dispatchers share the outboxes.
GROUP = "dispatch"

# The kinds of work.
AGENT_TURN = "agent_turn"
MATCH_ENDED = "match_ended"
PAIR_ROUND = "pair_round"
START_MATCHES = "start_matches"

# So many are remembered, the newest ones.
MOST_DOWNTIMES = 1_000


class Work(NamedTuple):
    """What must happen after an append: an AI's turn, or what follows the end of a match."""

    kind: str
    payload: bytes


class Append(NamedTuple):
    """The events of one command, to be written all or not at all, if the log stands at `expected`.

    `work` replaces whatever work was waiting for this match; None leaves that waiting. `digest` tells a repeated
    command from another one that uses the same id. `due`, in microseconds, is when the match needs attention if nothing
    is appended before that; 0 is never. `organiser` is whom the match counts for until it is finished: what the first
    append says holds.
    """

    match_id: str
    expected: int
    records: tuple[bytes, ...]
    command_id: str
    digest: bytes
    status: Status
    work: tuple[Work, ...] | None = ()
    due: int = 0
    organiser: str = ""


class Written(NamedTuple):
    """The command's events are in the log, durably, from `first` to `version`: now, or since an earlier call."""

    first: int
    version: int
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was written: the log stands at `version`, not at the expected one."""

    version: int


@dataclass(frozen=True, slots=True)
class CommandIdReused:
    """Nothing was written: this command id belongs to another command of the match."""


Answer: TypeAlias = Written | Conflict | CommandIdReused


class LogUnavailable(Exception):
    """The store does not answer. What was asked may or may not have happened; asking again is safe."""


Unsubscribe: TypeAlias = Callable[[], None]
# Called with the new version, or with None when news may have been missed.
Changed: TypeAlias = Callable[[int | None], None]


class EventLog(Protocol):
    """The logs of one game's matches."""

    async def append(self, entry: Append) -> Answer:
        """Write the events, or say why not."""
        ...

    async def read(self, match_id: str, after: int, limit: int | None = None) -> Sequence[bytes]:
        """The records after a version, oldest first; none if the match is not known."""
        ...

    async def find(self, match_id: str, command_id: str, digest: bytes) -> Written | CommandIdReused | None:
        """What became of a command: None if the log does not know it."""
        ...

    async def list_ids(self, status: Status | None, before: str, limit: int) -> Sequence[str]:
        """Ids of matches, newest first, beginning below `before` (from the newest if empty)."""
        ...

    async def due(self, now_micros: int, limit: int) -> Sequence[str]:
        """Ids of matches that are due at or before now, the longest overdue first."""
        ...

    async def open_matches(self, organiser: str) -> int:
        """How many matches of an organiser are not finished."""
        ...

    async def beat(self, now_micros: int, most_gap_micros: int) -> Sequence[tuple[int, int]]:
        """Notes that the platform is alive, and answers when it was away: (from, until), the oldest first.

        It was away between two beats, of whichever processes, that are more than `most_gap_micros` apart. A beat older
        than the newest one changes nothing.
        """
        ...

    async def subscribe(self, match_id: str, changed: Changed) -> Unsubscribe:
        """Calls `changed` after each append to the match, by any process.

        Returns once it is in force: what is appended later than that is not missed.
        """
        ...

    async def check(self) -> None:
        """Raises LogUnavailable unless the store answers and can write."""
        ...

    async def close(self) -> None:
        """Finish what was accepted, then let go."""
        ...
