"""K-1: the 48 dominoes, as they are printed."""

from enum import IntEnum
from typing import NamedTuple


class Terrain(IntEnum):
    """What a square shows. The numbers are places in tables."""

    WHEAT = 0
    FOREST = 1
    LAKE = 2
    GRASS = 3
    SWAMP = 4
    MINE = 5


class Square(NamedTuple):
    """Half a domino."""

    terrain: Terrain
    crowns: int


class Domino(NamedTuple):
    """Two squares. The one that is printed on the left is the first."""

    number: int
    first: Square
    second: Square

    @property
    def is_double(self) -> bool:
        """Its squares are equal, so that it is the same laid the other way round."""
        return self.first == self.second


# Number, then terrain and crowns of the left and of the right square.
_TABLE = """
 1 wheat  0  wheat  0     13 wheat  0  forest 0     25 forest 1  wheat  0     37 lake   0  grass  1
 2 wheat  0  wheat  0     14 wheat  0  lake   0     26 forest 1  wheat  0     38 wheat  0  swamp  1
 3 forest 0  forest 0     15 wheat  0  grass  0     27 forest 1  wheat  0     39 grass  0  swamp  1
 4 forest 0  forest 0     16 wheat  0  swamp  0     28 forest 1  lake   0     40 mine   1  wheat  0
 5 forest 0  forest 0     17 forest 0  lake   0     29 forest 1  grass  0     41 wheat  0  grass  2
 6 forest 0  forest 0     18 forest 0  grass  0     30 lake   1  wheat  0     42 lake   0  grass  2
 7 lake   0  lake   0     19 wheat  1  forest 0     31 lake   1  wheat  0     43 wheat  0  swamp  2
 8 lake   0  lake   0     20 wheat  1  lake   0     32 lake   1  forest 0     44 grass  0  swamp  2
 9 lake   0  lake   0     21 wheat  1  grass  0     33 lake   1  forest 0     45 mine   2  wheat  0
10 grass  0  grass  0     22 wheat  1  swamp  0     34 lake   1  forest 0     46 swamp  0  mine   2
11 grass  0  grass  0     23 wheat  1  mine   0     35 lake   1  forest 0     47 swamp  0  mine   2
12 swamp  0  swamp  0     24 forest 1  wheat  0     36 wheat  0  grass  1     48 wheat  0  mine   3
"""


def _parsed(number: str, terrain: str, crowns: str, other_terrain: str, other_crowns: str) -> Domino:
    first, second = (
        Square(Terrain[terrain.upper()], int(crowns)),
        Square(Terrain[other_terrain.upper()], int(other_crowns)),
    )
    return Domino(int(number), first, second)


_WORDS = _TABLE.split()
_COLUMNS = 5
_PRINTED = sorted(_parsed(*_WORDS[place : place + _COLUMNS]) for place in range(0, len(_WORDS), _COLUMNS))

NUMBERS = tuple(domino.number for domino in _PRINTED)
# By number.
DOMINOES = dict(zip(NUMBERS, _PRINTED, strict=True))
