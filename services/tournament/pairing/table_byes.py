"""Who has a bye where tables can't take all: the lowest who had none, and nobody who is to meet somebody.

In fields of a few entrants every choice of byes is tried instead (table_exact.py), and the lowest are the second
criterion.
"""

from services.tournament.pairing.pool import Pool
from services.tournament.pairing.table_field import Field


def chosen(pool: Pool, field: Field, count: int) -> list[int]:
    """The positions of those who have a bye."""
    positions = range(len(pool.contenders) - 1, -1, -1)
    return sorted(positions, key=lambda at: pool.contenders[at].had_bye + len(_waiting(field, at)))[:count]


def _waiting(field: Field, at: int) -> frozenset[int]:
    """Those it must meet, and may."""
    return field.together.get(at, frozenset()) - field.apart.get(at, frozenset())
