"""Accepts a round by FIDE's Dutch system if it is legal: in linear time, from the pool alone.

That no other round is better by the system's many criteria is not proved: that would take the engine again. What is:
all are there once, nobody meets again, no forbidden pair meets and all forced ones do, nobody has a second bye, and
how often somebody's colours become more uneven than two more of one (which the rules allow among the best in the last
round) is what the certificate says. A round that cannot be legal is paired by `fast`, with the certificate of that.
"""

from typing import TypeAlias

from services.tournament.model import Certificate, Draw, Number
from services.tournament.pairing import check as check_fast
from services.tournament.pairing import criteria
from services.tournament.pairing.pool import Pool
from services.tournament.pairing.seating import surplus
from services.tournament.pairing.unsound import Unsound

METHOD = "dutch"
CRITERIA = ("broken", "rematches", "colours")
LEAST = (0, 0, 0)
# All that a certificate says but its value.
_SAID = Certificate(METHOD, CRITERIA, LEAST, LEAST)
Value: TypeAlias = tuple[int, int, int]


def check(pool: Pool, draw: Draw) -> None:
    """Raises `Unsound` unless the round is what its certificate says, by whichever method it was paired."""
    if draw.certificate.method == criteria.METHOD:
        check_fast.check(pool, draw)
    else:
        _check_dutch(pool, draw)


def _check_dutch(pool: Pool, draw: Draw) -> None:
    check_fast.check_everybody(pool, draw)
    certificate = draw.certificate
    if certificate._replace(value=LEAST) != _SAID:
        raise Unsound("The certificate is not one of the Dutch system.")
    value = value_of(pool, draw)
    if certificate.value != value:
        raise Unsound(f"The certificate says {certificate.value}, but the pairs come to {value}.")
    if value[:2] != LEAST[:2]:
        raise Unsound("The round has a rematch, a second bye, or a pair that is not as it must be.")


def value_of(pool: Pool, draw: Draw) -> Value:
    """What a round comes to; the first two are counted as `fast` counts them."""
    field = criteria.field(pool)
    broken, rematches, *_ = field.value(field.total(criteria.pairs_of(draw)))
    uneven = {one.number: surplus(one) for one in pool.contenders}
    return broken, rematches, sum([_past_two(uneven, table.seats) for table in draw.tables])


def _past_two(uneven: dict[Number, int], seats: tuple[Number, ...]) -> int:
    first, second = seats
    return (uneven[first] >= 2) + (uneven[second] <= -2)
