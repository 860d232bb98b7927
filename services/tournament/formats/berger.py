"""The tables of Berger: everybody meets everybody once, and nobody starts more than once more often than not.

Entrants are their places in the table, from 1; an odd field is filled up with one who is not there, the last. Turns
count from 0. In each turn the last meets a *pivot*, and then those meet who are as far above the pivot as below it,
all round the circle of the others; who is above sits first. In every second leg the seats are turned.
"""

from collections.abc import Iterator
from typing import NamedTuple


class Circle(NamedTuple):
    """A table for so many entrants, one of them perhaps missing, gone through so many times."""

    entrants: int
    legs: int

    @property
    def last(self) -> int:
        """The place that does not go round; nobody is there if the field is odd."""
        return self.entrants + self.entrants % 2

    @property
    def turns(self) -> int:
        return self.legs * (self.last - 1) if self.entrants > 1 else 0


def pairs(circle: Circle, turn: int) -> Iterator[tuple[int, int]]:
    """Who meets whom in a turn, the first seat first; the missing one too."""
    ring = circle.last - 1
    pivot = _pivot(circle, turn)
    top = (pivot, circle.last) if pivot <= circle.last // 2 else (circle.last, pivot)
    around = ((_at(pivot + step, ring), _at(pivot - step, ring)) for step in range(1, circle.last // 2))
    for one, other in (top, *around):
        yield (other, one) if _is_turned(circle, turn) else (one, other)


def _pivot(circle: Circle, turn: int) -> int:
    """1, then half-way round, then 2, and so on: the solution of 2 * pivot = turn + 2 on the circle."""
    return _at((turn % (circle.last - 1) + 2) * circle.last // 2, circle.last - 1)


def _at(place: int, ring: int) -> int:
    return (place - 1) % ring + 1


def _is_turned(circle: Circle, turn: int) -> bool:
    return turn // (circle.last - 1) % 2 == 1


def partner(circle: Circle, turn: int, place: int) -> int:
    """Whom a place meets in a turn: two on the circle whose sum is the turn + 2, all round it."""
    if place == circle.last:
        return _pivot(circle, turn)
    found = _at(turn + 2 - place, circle.last - 1)
    return circle.last if found == place else found


def sits_first(circle: Circle, turn: int, place: int) -> bool:
    """The lower place if the sum of both is odd, else the higher; against the last, the lower half.

    In every second leg it is the other way round.
    """
    other = partner(circle, turn, place)
    low, high = sorted((place, other))
    first = _first(low, high, is_last=high == circle.last, half=circle.last // 2)
    return (place == first) != _is_turned(circle, turn)


def _first(low: int, high: int, *, is_last: bool, half: int) -> int:
    if is_last:
        return low if low <= half else high
    return low if (low + high) % 2 else high


def step(circle: Circle, turn: int, place: int) -> int:
    """How far round the circle a place is from the pivot, 0 for the last: in this order the pairs of a turn stand."""
    if place == circle.last:
        return 0
    around = (place - _pivot(circle, turn)) % (circle.last - 1)
    return min(around, circle.last - 1 - around)
