"""The state of a match."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from shared.envelope import Envelope
from shared.kernel import Places, Seat
from shared.match.clocks import Clocks, TimeControl


class Status(Enum):
    """Where a match is in its life."""

    WAITING = "waiting"
    PLAYING = "playing"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class SeatState:
    """Who sits here: a computer player of a level, or the player whose join has this id, or nobody yet."""

    ai_level: str = ""
    player_name: str = ""
    join_id: str = ""
    # Whose token took it, and what that player added to the seed.
    player_id: str = ""
    entropy: bytes = b""

    @property
    def is_taken(self) -> bool:
        return bool(self.ai_level or self.join_id)


@dataclass(frozen=True, slots=True)
class Terms:
    """What the organiser has laid down for a match, beside the options of its game."""

    organiser_id: str = ""
    is_public: bool = True
    # None: nobody's time is counted.
    control: TimeControl | None = None
    # How long seats wait to be taken; 0: for ever.
    join_micros: int = 0


class Match(NamedTuple):
    """A match at one version of its log: the fold of all envelopes up to it."""

    id: str
    game: str
    rules_version: int
    options: Any
    terms: Terms
    seats: tuple[SeatState, ...]
    status: Status
    version: int
    created_micros: int
    time_micros: int
    # The hash of the log up to here.
    head: bytes
    # Never shown before the end: the server's part of the seed, and the seed of all chance (empty until the start).
    server_seed: bytes
    seed: bytes
    # The game's own state; None until the match starts.
    state: Any
    # Seats that went out, the first one first; those that were never taken come before all others.
    out: tuple[Seat, ...]
    no_shows: int
    # When seats that are not taken go out; 0: never.
    join_deadline: int
    # As they stood at `time_micros`; None if nobody's time is counted, or before the start.
    clocks: Clocks | None
    # Once finished.
    places: Places | None


class Logged(Protocol):
    """What a log folds to: a match, or a tournament, at one version."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def time_micros(self) -> int: ...
    @property
    def head(self) -> bytes: ...
    @property
    def server_seed(self) -> bytes: ...
    @property
    def seed(self) -> bytes: ...


T = TypeVar("T", bound=Logged)


class Stamp(NamedTuple):
    """What a decision is made with: the id of the command, the time, and how long the platform was away before.

    Only time since the newest event of the log counts as away.
    """

    command_id: str
    now: int
    away: int = 0


class Decided(NamedTuple, Generic[T]):
    """What an accepted command leads to: envelopes to append, their stored bytes, and what the log folds to then."""

    envelopes: tuple[Envelope, ...]
    records: tuple[bytes, ...]
    after: T
