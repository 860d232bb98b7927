"""How many sit at each table.

The rule: tables are full or have one seat fewer; the fewest entrants have a bye; the fewest tables are smaller. A game
that needs every seat (`fewest`) has no smaller tables. Who are too few for any of that sit at one table if the game
allows so few, or else all have a bye.

| entrants       | 1   | 2 | 3 | 4  | 5     | 6   | 7   | 8   | 9     | 10    | 11    | 12    | 13      |
|----------------|-----|---|---|----|-------|-----|-----|-----|-------|-------|-------|-------|---------|
| at tables of 4 | bye | 2 | 3 | 4  | 4 bye | 3 3 | 4 3 | 4 4 | 3 3 3 | 4 3 3 | 4 4 3 | 4 4 4 | 4 3 3 3 |
| at tables of 3 | bye | 2 | 3 | 22 | 3 2   | 3 3 | 322 | 332 | 3 3 3 | 3322  | 3332  | 3333  | 33322   |
"""

from typing import NamedTuple

# A match has two seats at least.
FEWEST = 2


class Sizes(NamedTuple):
    """The tables of a round, the larger first, and how many entrants have none."""

    tables: tuple[int, ...]
    byes: int


def sizes(entrants: int, seats: int, fewest: int = FEWEST) -> Sizes:
    """The sizes for so many entrants at tables of so many seats, in a game that needs at least `fewest`."""
    if entrants < seats and entrants < max(seats - 1, fewest):
        return Sizes((entrants,), 0) if entrants >= fewest else Sizes((), entrants)
    byes = 0
    while (smaller := _smaller(entrants - byes, seats, fewest)) is None:
        byes += 1
    full = (entrants - byes - smaller * (seats - 1)) // seats
    return Sizes((seats,) * full + (seats - 1,) * smaller, byes)


def _smaller(entrants: int, seats: int, fewest: int) -> int | None:
    """How many tables must be smaller if nobody has a bye; None: it can't be done."""
    smaller = -entrants % seats
    if smaller == 0:
        return 0
    return smaller if seats > fewest and smaller * (seats - 1) <= entrants else None
