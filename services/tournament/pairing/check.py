"""Accepts a round for two at a table and its certificate, or says what is wrong: in linear time, from the pool alone.

It knows nothing of how pairs are found. What it proves: everybody is there once, the order of tables and seats is
that of the rule, the value is what these pairs come to, and nothing comes before the bound (least.py). So a value
that is equal to its bound can't be made better.
"""

from collections import Counter

from services.tournament.model import Draw, Table
from services.tournament.pairing.criteria import CRITERIA, METHOD, field, pairs_of
from services.tournament.pairing.least import least
from services.tournament.pairing.pool import Contender, Pool
from services.tournament.pairing.seating import seated
from services.tournament.pairing.unsound import Unsound


def check(pool: Pool, draw: Draw) -> None:
    """Raises `Unsound` unless the round is what its certificate says."""
    check_everybody(pool, draw)
    check_seats(pool, draw)
    certificate = draw.certificate
    if (certificate.method, certificate.criteria) != (METHOD, CRITERIA):
        raise Unsound("The certificate is not one of pairs by their five criteria.")
    of_pool = field(pool)
    value = of_pool.value(of_pool.total(pairs_of(draw)))
    if certificate.value != value:
        raise Unsound(f"The certificate says {certificate.value}, but the pairs come to {value}.")
    bound = of_pool.value(least(of_pool, certificate.proof))
    if certificate.bound != bound:
        raise Unsound(f"The certificate says that {certificate.bound} is the least, but its proof shows {bound}.")


def check_everybody(pool: Pool, draw: Draw) -> None:
    """All are at one table, or have the one bye if their number is odd."""
    if any(table != Table(table.seats) or len(table.seats) != 2 for table in draw.tables):
        raise Unsound("A table of this round is not one for two, or has a result or a label before it is played.")
    present = Counter([number for table in draw.tables for number in table.seats])
    present.update(draw.byes)
    if present != Counter([one.number for one in pool.contenders]) or len(draw.byes) > 1:
        raise Unsound("Not everybody of the pool is at one table or has the one bye, once.")


def check_seats(pool: Pool, draw: Draw) -> None:
    """Tables are in the order of the better-placed of the two, and the seats are those of the rule."""
    place = {one.number: at for at, one in enumerate(pool.contenders)}
    last = -1
    for number, table in enumerate(draw.tables):
        higher, lower = sorted([place[one] for one in table.seats])
        if higher < last:
            raise Unsound("The tables are not in the order of the better-placed of the two who sit there.")
        last = higher
        _check_seats(table, number, pool.contenders[higher], pool.contenders[lower])


def _check_seats(table: Table, number: int, higher: Contender, lower: Contender) -> None:
    if table.seats != tuple([one.number for one in seated(higher, lower, number)]):
        raise Unsound(f"At table {number + 1} the seats are not those of the rule.")
