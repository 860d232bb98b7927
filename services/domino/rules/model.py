"""Tiles, hands, options and the state of a match.

Hands are sets of tiles, and sets are bits: tile t is bit t. That makes the rules' one question, which tiles of a hand
fit an end, a single `and`.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, NewType, TypeAlias

from shared.kernel import Seat

# A tile is its place in the order of (lower half, higher half): 0-0 is 0, 0-1 is 1, 6-6 is 27.
Tile = NewType("Tile", int)
# A set of tiles as bits.
Hand: TypeAlias = int

HIGHEST_PIP = 6
# D-1: every unordered pair of 0..6, once.
HALVES = tuple((low, high) for low in range(HIGHEST_PIP + 1) for high in range(low, HIGHEST_PIP + 1))
TILES = tuple(map(Tile, range(len(HALVES))))
DOUBLES = sum(1 << tile for tile in TILES if HALVES[tile][0] == HALVES[tile][1])
# D-12: what a tile left in hand counts; a double counts only one of its halves.
PIPS = tuple(low if low == high else low + high for low, high in HALVES)
# The sum of both halves: less an end that a tile is joined to, it is the new end.
SUMS = tuple(map(sum, HALVES))
# The tiles that fit an end of 0..6 pips, as bits.
FITS = tuple(sum(1 << tile for tile in TILES if end in HALVES[tile]) for end in range(HIGHEST_PIP + 1))
TILE_OF = {(a, b): tile for tile in TILES for low, high in (HALVES[tile],) for a, b in ((low, high), (high, low))}

DEFAULT_HAND_SIZE = 5
MIN_HAND_SIZE = 2
MAX_TARGET = 1000
# No end yet: the line is empty.
NO_END = -1


class End(Enum):
    """An open end of the line."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Options:
    """D-14: tiles a hand, and the score that ends a match of several rounds (None: one round)."""

    hand_size: int = DEFAULT_HAND_SIZE
    target: int | None = None


class Turn(NamedTuple):
    """What everybody saw of a turn: tiles drawn, then a tile laid or (None) a pass. An opening has two (D-5)."""

    seat: Seat
    drawn: int
    tile: Tile | None
    end: End | None


class State(NamedTuple):
    """Everything about a match, hidden things included."""

    options: Options
    round: int
    scores: tuple[int, ...]
    hands: tuple[Hand, ...]
    # In the order in which it will be drawn.
    boneyard: tuple[Tile, ...]
    left: int
    right: int
    turn: Seat
    # Of this round, oldest first.
    turns: tuple[Turn, ...]
    # Tiles drawn so far in the present turn.
    drawn: int
    # D-12: of the last round, from its end to the next deal.
    winners: tuple[Seat, ...]
    is_over: bool


def initial(options: Options, players: int) -> State:
    """Before the first deal."""
    return State(
        options=options,
        round=0,
        scores=(0,) * players,
        hands=(0,) * players,
        boneyard=(),
        left=NO_END,
        right=NO_END,
        turn=Seat(0),
        turns=(),
        drawn=0,
        winners=(),
        is_over=False,
    )


def tiles_in(hand: Hand) -> tuple[Tile, ...]:
    """The tiles of a hand, in order."""
    found: list[Tile] = []
    while hand:
        lowest = hand & -hand
        found.append(TILES[lowest.bit_length() - 1])
        hand ^= lowest
    return tuple(found)


def hand_of(tiles: tuple[Tile, ...]) -> Hand:
    """The hand that holds these tiles."""
    return sum([1 << tile for tile in tiles])


def pip_total(hand: Hand) -> int:
    """D-12: the pips of a hand, doubles counted once."""
    return sum([PIPS[tile] for tile in tiles_in(hand)])
