"""What a seat can do: one thing."""

from dataclasses import dataclass
from typing import TypeAlias

from services.domino.rules.model import End, Tile


@dataclass(frozen=True, slots=True)
class LayTile:
    """Lay a tile of your hand at an end of the line. On an empty line the end is the left one."""

    tile: Tile
    end: End


Command: TypeAlias = LayTile
