"""Fields that are hard to pair."""

from services.tournament.model import Number
from services.tournament.pairing.pool import Contender, Pool


def all_neighbours_met(entrants: int, block: int) -> Pool:
    """A field of scores all different, in which everybody has met everybody of its block."""
    contenders = [
        Contender(Number(number), entrants - number, number + 1, _others(number, block)) for number in range(entrants)
    ]
    return Pool(6, 4, tuple(contenders))


def _others(number: int, block: int) -> tuple[Number, ...]:
    first = number - number % block
    return tuple([Number(other) for other in range(first, first + block) if other != number])
