"""The pool as the search for tables sees it: entrants are their positions in the pool, and a table has one weight.

Compact, as the weight of a table is taken millions of times in a large field. The criteria are packed into one number,
each worth more than all that could come after it.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from services.tournament.model import Number
from services.tournament.pairing.pool import Contender, Pair, Pool

# Positions in the pool: the highest score is at 0.
Seating: TypeAlias = Sequence[int]


class Field(NamedTuple):
    """Scores and past meetings by position; and what each criterion weighs, where a unit of gap weighs 1."""

    scores: tuple[int, ...]
    # With whom a position should not sit again, once for each time they have met.
    met: tuple[tuple[int, ...], ...]
    # Only for positions that have any.
    apart: dict[int, frozenset[int]]
    together: dict[int, frozenset[int]]
    broken: int
    # For each place above the last at which somebody has a bye.
    place: int
    repeat: int


def field_of(pool: Pool) -> Field:
    """The field of a pool."""
    contenders = pool.contenders
    at = {one.number: position for position, one in enumerate(contenders)}
    met = tuple([tuple([at[number] for number in one.met if number in at]) for one in contenders])
    a_repeat = _spread(contenders) * len(contenders) + 1
    a_place = a_repeat * (sum(map(len, met)) + 1)
    broken = a_place * (len(contenders) ** 2 + 1)
    apart, together = _partners(pool.forbidden, at), _partners(pool.forced, at)
    return Field(tuple([one.score for one in contenders]), met, apart, together, broken, a_place, a_repeat)


def _spread(contenders: Sequence[Contender]) -> int:
    return contenders[0].score - contenders[-1].score + 1 if contenders else 1


def _partners(pairs: Iterable[Pair], at: dict[Number, int]) -> dict[int, frozenset[int]]:
    """By position, the others of its pairs; a pair of which one is not there says nothing."""
    found: dict[int, set[int]] = {}
    for one, other in pairs:
        if one in at and other in at:
            found.setdefault(at[one], set()).add(at[other])
            found.setdefault(at[other], set()).add(at[one])
    return {position: frozenset(others) for position, others in found.items()}


def weight(field: Field, table: Seating) -> int:
    """What a table costs: all that is minimised, the most important first."""
    scores, met = field.scores, field.met
    total = scores[min(table)] - scores[max(table)]
    for one, other in combinations(table, 2):
        if other in met[one]:
            total += field.repeat * meetings(field, one, other)
    if field.apart or field.together:
        total += field.broken * broken(field, table)
    return total


def meetings(field: Field, one: int, other: int) -> int:
    """How often the two have met: what both have played."""
    return min(field.met[one].count(other), field.met[other].count(one))


def broken(field: Field, table: Seating) -> int:
    """Forbidden pairs at the table, and forced pairs that are apart: these count where the higher of the two sits."""
    return sum([len(_enemies(field, one, table)) + len(_missing(field, one, table)) for one in table])


def _enemies(field: Field, one: int, table: Seating) -> list[int]:
    return [other for other in field.apart.get(one, ()) if other > one and other in table]


def _missing(field: Field, one: int, table: Seating) -> list[int]:
    return [other for other in field.together.get(one, ()) if other > one and other not in table]
