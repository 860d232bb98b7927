"""Who goes on from a table of a bracket.

The places decide. Where they don't, as two are equal there or the table was annulled, the better seed is ahead: a
bracket must go on, and nobody is to wait for a game that may end the same way. An arbiter who wants it otherwise
rules so before the next round is paired; afterwards, what was paired stands.
"""

from collections.abc import Mapping

from services.tournament.model import Number, Table

Seeds = Mapping[Number, int]


def order(table: Table, seeds: Seeds) -> tuple[Number, ...]:
    """Who was at a table, the best first."""
    places = _places(table)
    return tuple(sorted(table.seats, key=lambda number: (places[number], seeds[number])))


def is_by_seed(table: Table, seeds: Seeds, going: int) -> bool:
    """Whether the last to go on and the first who does not are parted by their seeds alone."""
    found, places = order(table, seeds), _places(table)
    return len(found) > going and places[found[going - 1]] == places[found[going]]


def _places(table: Table) -> dict[Number, int]:
    """Who has no place is behind all who have one."""
    shown = table.places or ()
    places = dict.fromkeys(table.seats, len(shown))
    return places | {number: place for place, shared in enumerate(shown) for number in shared}
