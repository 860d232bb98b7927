"""What can happen. A None stands for something that the reader of a redacted event may not see."""

from typing import NamedTuple, TypeAlias

from services.domino.rules.model import End, Hand, Tile
from shared.kernel import Seat


class RoundDealt(NamedTuple):
    """D-2. Each hand is seen by its owner, the boneyard by nobody."""

    round: int
    starter: Seat
    hand_size: int
    hands: tuple[Hand | None, ...]
    boneyard_size: int
    boneyard: tuple[Tile, ...] | None


class TileLaid(NamedTuple):
    """D-7: a tile has been added to an end. The first tile of a round is laid at the left."""

    seat: Seat
    tile: Tile
    end: End


class TileDrawn(NamedTuple):
    """D-9: a forced draw; the tile is seen by its owner."""

    seat: Seat
    tile: Tile | None


class TurnPassed(NamedTuple):
    """D-10 (and D-6, for a starter who can't add a second tile): a forced pass."""

    seat: Seat


class RoundEnded(NamedTuple):
    """D-11: hands are shown and counted; `points` are those towards the target, one entry a seat (D-14)."""

    winners: tuple[Seat, ...]
    is_blocked: bool
    hands: tuple[Hand, ...]
    points: tuple[int, ...]


Event: TypeAlias = RoundDealt | TileLaid | TileDrawn | TurnPassed | RoundEnded
