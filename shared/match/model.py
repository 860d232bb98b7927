"""The state of a match."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from shared.envelope import Envelope
from shared.kernel import Places, Seat


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

    @property
    def is_taken(self) -> bool:
        return bool(self.ai_level or self.join_id)


class Match(NamedTuple):
    """A match at one version of its log: the fold of all envelopes up to it."""

    id: str
    game: str
    rules_version: int
    options: Any
    seats: tuple[SeatState, ...]
    status: Status
    version: int
    created_micros: int
    time_micros: int
    # Where all chance of the match comes from: never shown before the end.
    seed: bytes
    # The game's own state; None until the match starts.
    state: Any
    # Seats that went out, the first one first.
    out: tuple[Seat, ...]
    # Once finished.
    places: Places | None


class Stamp(NamedTuple):
    """What a decision is made with: the id of the command, and the time."""

    command_id: str
    now: int


class Decided(NamedTuple):
    """What an accepted command leads to: envelopes to append, and the match once they are in its log."""

    envelopes: tuple[Envelope, ...]
    match: Match
