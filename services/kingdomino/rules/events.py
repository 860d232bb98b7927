"""What can happen. A None stands for something that the reader of a redacted event may not see."""

from typing import NamedTuple, TypeAlias

from services.kingdomino.rules.model import Placement, Tally
from shared.kernel import Seat


class GameDealt(NamedTuple):
    """K-3, K-6: a game begins, the first or (K-18) a later one. Nobody sees the deck, nor what was put aside."""

    game: int
    # The order in which the kings were drawn.
    kings: tuple[Seat, ...]
    deck_size: int
    deck: tuple[int, ...] | None
    aside_size: int
    aside: tuple[int, ...] | None


class LineDrawn(NamedTuple):
    """K-5, K-7, K-9: the next dominoes of the deck, by number."""

    numbers: tuple[int, ...]


class DominoChosen(NamedTuple):
    """K-6, K-8: a king has been put on a domino of the line that was drawn last."""

    seat: Seat
    number: int


class DominoPlaced(NamedTuple):
    """K-8: a domino has been added to its owner's kingdom."""

    seat: Seat
    number: int
    where: Placement


class DominoDiscarded(NamedTuple):
    """K-15."""

    seat: Seat
    number: int


class GameEnded(NamedTuple):
    """K-10: the kingdoms are counted, one tally a seat."""

    tallies: tuple[Tally, ...]


Event: TypeAlias = GameDealt | LineDrawn | DominoChosen | DominoPlaced | DominoDiscarded | GameEnded
