"""Cells, placements, kingdoms, options and the state of a match.

A set of cells is bits: the cell at (x, y) is one bit of a whole number, so that where a domino may lie is a few shifts
and `and`s for all cells at once. x grows to the east, y to the south, and the castle is at (0, 0). Columns follow each
other, so that the order of bits is the order of (x, y).
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, NewType, TypeAlias

from services.kingdomino.rules.dominoes import DOMINOES, Terrain
from shared.kernel import Seat

# A cell as the number of its bit.
Cell = NewType("Cell", int)
# A set of cells.
Cells: TypeAlias = int
# Where a domino lies: the cell of its first square, and the direction of its second, in one number. Their order is that
# of the rules page: by (x, y) of the first square, then of the second.
Placement = NewType("Placement", int)

# K-14: the longest side of a kingdom, and that of the Mighty Duel (K-21).
SIDE, DUEL_SIDE = 5, 7
# How far from its castle a kingdom can reach, and one more, so that no neighbour of a cell is outside of the numbers.
FARTHEST = DUEL_SIDE - 1
_ORIGIN = FARTHEST + 1
_STRIDE = 2 * _ORIGIN + 1


class Direction(IntEnum):
    """Where the second square lies, seen from the first; in the order of (x, y)."""

    WEST = 0
    NORTH = 1
    SOUTH = 2
    EAST = 3


STEPS = (-_STRIDE, -1, 1, _STRIDE)


def cell_at(x: int, y: int) -> Cell:
    """The cell at a position."""
    return Cell((x + _ORIGIN) * _STRIDE + y + _ORIGIN)


def position(cell: Cell) -> tuple[int, int]:
    """x and y of a cell."""
    column, row = divmod(cell, _STRIDE)
    return column - _ORIGIN, row - _ORIGIN


def placement(cell: Cell, direction: int) -> Placement:
    """The placement of a domino whose first square is on the cell."""
    return Placement(cell << 2 | direction)


def first_cell(where: Placement) -> Cell:
    """Where the first square lies."""
    return Cell(where >> 2)


def direction_of(where: Placement) -> Direction:
    """From the first square to the second."""
    return Direction(where & 3)


def second_cell(where: Placement) -> Cell:
    """Where the second square lies."""
    return Cell((where >> 2) + STEPS[where & 3])


def is_within_reach(where: Placement) -> bool:
    """K-14: whether any kingdom could have both squares there."""
    cells = position(first_cell(where)), position(second_cell(where))
    return all(max(abs(x), abs(y)) <= FARTHEST for x, y in cells)


def turned_round(where: Placement) -> Placement:
    """The same two cells with the squares the other way round."""
    return placement(second_cell(where), 3 - (where & 3))


def cells_in(cells: Cells) -> tuple[Cell, ...]:
    """The cells of a set, by (x, y)."""
    found: list[Cell] = []
    while cells:
        lowest = cells & -cells
        found.append(Cell(lowest.bit_length() - 1))
        cells ^= lowest
    return tuple(found)


CASTLE = cell_at(0, 0)
# The cells that share an edge with a cell, by cell. Those of the outermost cells are not needed.
NEIGHBOURS = tuple(sum(1 << cell + step for step in STEPS if cell + step >= 0) for cell in range(_STRIDE**2))
# The cells of the columns, and of the rows, from one coordinate to another.
_COLUMN = sum(1 << row for row in range(_STRIDE))
_ROW = sum(1 << column * _STRIDE for column in range(_STRIDE))


def _span(line: int, step: int, first: int, last: int) -> Cells:
    return sum(line << (place + _ORIGIN) * step for place in range(first, last + 1))


_RANGE = range(-FARTHEST, FARTHEST + 1)
_SPANS = tuple((first, last) for first in _RANGE for last in _RANGE if first <= last)
COLUMNS = {(first, last): _span(_COLUMN, _STRIDE, first, last) for first, last in _SPANS}
ROWS = {(first, last): _span(_ROW, 1, first, last) for first, last in _SPANS}


@dataclass(frozen=True, slots=True)
class Options:
    """K-18 to K-21: the variants, in any combination."""

    dynasty: bool = False
    middle_kingdom: bool = False
    harmony: bool = False
    mighty_duel: bool = False

    @property
    def side(self) -> int:
        """K-14."""
        return DUEL_SIDE if self.mighty_duel else SIDE

    @property
    def games(self) -> int:
        """K-18."""
        return 3 if self.dynasty else 1


class Property(NamedTuple):
    """K-16: connected squares of one terrain. No two of a kingdom share a cell, which orders them."""

    cells: Cells
    terrain: Terrain
    crowns: int

    @property
    def squares(self) -> int:
        """How many."""
        return self.cells.bit_count()

    @property
    def points(self) -> int:
        """No crowns, no points."""
        return self.cells.bit_count() * self.crowns


class Laid(NamedTuple):
    """A domino in a kingdom."""

    number: int
    where: Placement


class Extent(NamedTuple):
    """The rectangle that a kingdom takes up."""

    left: int
    top: int
    right: int
    bottom: int


class Kingdom(NamedTuple):
    """What a seat has built: dominoes by number, whatever order they came in. The rest follows from them."""

    laid: tuple[Laid, ...]
    discarded: tuple[int, ...]
    extent: Extent
    # K-12, K-14: the cells on which a square may still be laid, as far as the kingdom's size goes.
    free: Cells
    # K-13: by terrain, the cells that share an edge with the castle or with a square of it.
    touching: tuple[Cells, ...]
    properties: tuple[Property, ...]


class Tally(NamedTuple):
    """What a seat has at the end of a game: its points, and what breaks ties (K-17)."""

    points: int
    largest: int
    crowns: int


class Phase(IntEnum):
    """What is to be done next."""

    # Between the events of one decision: a game is to be dealt or counted.
    BETWEEN = 0
    PLACE = 1
    CHOOSE = 2
    OVER = 3


class State(NamedTuple):
    """Everything about a match, hidden things included."""

    options: Options
    # K-18: of the match, 1 for the first; and what the seats had at the end of those before.
    game: int
    tallies: tuple[tuple[Tally, ...], ...]
    kingdoms: tuple[Kingdom, ...]
    # In the order in which it will be drawn, and what was put aside (K-3).
    deck: tuple[int, ...]
    aside: tuple[int, ...]
    phase: Phase
    # K-8: the dominoes of the line with the kings on them, and which of the kings moves. Before the first line has its
    # kings there are no dominoes here, and the kings are in the order of K-6.
    line: tuple[int, ...]
    kings: tuple[Seat, ...]
    at: int
    # The line to choose from, and the kings on it as yet.
    next_line: tuple[int, ...]
    next_kings: tuple[Seat | None, ...]


def initial(options: Options, players: int) -> State:
    """Before the first deal."""
    return State(
        options=options,
        game=0,
        tallies=(),
        kingdoms=(castle_alone(options.side),) * players,
        deck=(),
        aside=(),
        phase=Phase.BETWEEN,
        line=(),
        kings=(),
        at=0,
        next_line=(),
        next_kings=(),
    )


def castle_alone(side: int) -> Kingdom:
    """K-4: where everybody starts. The castle goes with every terrain (K-13)."""
    extent = Extent(0, 0, 0, 0)
    return Kingdom((), (), extent, _room(extent, side) ^ 1 << CASTLE, (NEIGHBOURS[CASTLE],) * len(Terrain), ())


def _room(extent: Extent, side: int) -> Cells:
    """K-14: the cells on which one more square leaves the kingdom within its size."""
    left, top, right, bottom = extent
    reach = side - 1
    return COLUMNS[right - reach, left + reach] & ROWS[bottom - reach, top + reach]


def with_domino(kingdom: Kingdom, number: int, where: Placement, side: int) -> Kingdom:
    """The kingdom with one domino more."""
    laid, discarded, extent, free, touching, properties = kingdom
    _, first, second = DOMINOES[number]
    one, other = first_cell(where), second_cell(where)
    wider = _with_cells(extent, one, other)
    free &= ~(1 << one | 1 << other)
    if wider != extent:
        free &= _room(wider, side)
    reached = list(touching)
    reached[first.terrain] |= NEIGHBOURS[one]
    reached[second.terrain] |= NEIGHBOURS[other]
    joined = _joined(_joined(properties, one, *first), other, *second)
    joined.sort()
    return Kingdom(tuple(sorted((*laid, Laid(number, where)))), discarded, wider, free, tuple(reached), tuple(joined))


def without_domino(kingdom: Kingdom, number: int) -> Kingdom:
    """The kingdom after a discard (K-15)."""
    return kingdom._replace(discarded=tuple(sorted((*kingdom.discarded, number))))


def occupied(kingdom: Kingdom) -> Cells:
    """The cells with a square on them, the castle's among them."""
    return sum([cells for cells, _, _ in kingdom.properties]) | 1 << CASTLE


def _with_cells(extent: Extent, one: Cell, other: Cell) -> Extent:
    left, top, right, bottom = extent
    (x, y), (other_x, other_y) = position(one), position(other)
    return Extent(min(left, x, other_x), min(top, y, other_y), max(right, x, other_x), max(bottom, y, other_y))


def _joined(
    properties: list[Property] | tuple[Property, ...], cell: Cell, terrain: Terrain, crowns: int
) -> list[Property]:
    """K-16: the properties after one square more, which may connect several."""
    near, cells = NEIGHBOURS[cell], 1 << cell
    found: list[Property] = []
    for one in properties:
        if one[1] == terrain and one[0] & near:
            cells |= one[0]
            crowns += one[2]
        else:
            found.append(one)
    found.append(Property(cells, terrain, crowns))
    return found
