"""Who starts: the one who has more often been second than first, compared with the other.

If that is equal, who did not start the last time; then the higher-ranked at the first table, the lower-ranked at the
second, and so on.
"""

from services.tournament.pairing.pool import Contender


def surplus(one: Contender) -> int:
    """How many times more it was first than second."""
    return sum(one.sat[:1]) - sum(one.sat[1:])


def seated(higher: Contender, lower: Contender, table: int) -> tuple[Contender, Contender]:
    """Two in the order of their seats; tables count from 0."""
    wishes = _wish(higher), _wish(lower)
    if wishes[0] == wishes[1]:
        return (lower, higher) if table % 2 else (higher, lower)
    return (higher, lower) if wishes[0] < wishes[1] else (lower, higher)


def _wish(one: Contender) -> tuple[int, bool]:
    """The lower, the sooner it starts."""
    return surplus(one), one.last_seat == 0


def strain(one: int, other: int) -> int:
    """How far past a surplus of two goes the one of two who gets the seat that both have had too often."""
    return max(min(one, other) - 1, -max(one, other) - 1, 0)
