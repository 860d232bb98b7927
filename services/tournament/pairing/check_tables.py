"""Accepts a round of tables and its certificate, or says what is wrong: from the pool alone, in linear time.

It knows nothing of the search. What it proves: everybody is there once, the sizes are those of the rule, the value is
what these tables come to, no tables of this pool come before the bound, and no other order of seats at any table is
better. Not proved: that a value above its bound can't be made smaller.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

from services.tournament.model import Certificate, Draw, Proof, Table
from services.tournament.pairing.pool import Contender, Pool
from services.tournament.pairing.table_bound import bound
from services.tournament.pairing.table_seating import imbalance
from services.tournament.pairing.table_sizes import FEWEST, sizes
from services.tournament.pairing.table_value import CRITERIA, value_of
from services.tournament.pairing.unsound import Unsound

_METHOD = "tables"


def check(pool: Pool, draw: Draw, fewest: int = FEWEST) -> None:
    """Raises `Unsound` unless the round is what its certificate says."""
    _check_everybody(pool, draw)
    _check_sizes(pool, draw, fewest)
    at = {one.number: position for position, one in enumerate(pool.contenders)}
    tables = [[at[number] for number in table.seats] for table in draw.tables]
    byes = [at[number] for number in draw.byes]
    _check_order(tables, byes)
    _check_numbers(pool, draw.certificate, tables, byes, fewest)
    for table in tables:
        _check_seats([pool.contenders[position] for position in table])


def _check_everybody(pool: Pool, draw: Draw) -> None:
    if any(table != Table(table.seats) for table in draw.tables):
        raise Unsound("A table of this round has a result or a label before it is played.")
    present = Counter([number for table in draw.tables for number in table.seats])
    present.update(draw.byes)
    if present != Counter([one.number for one in pool.contenders]):
        raise Unsound("Not everybody of the pool is at one table or has a bye, once.")


def _check_sizes(pool: Pool, draw: Draw, fewest: int) -> None:
    wanted = sizes(len(pool.contenders), pool.seats, fewest)
    found = sorted([len(table.seats) for table in draw.tables], reverse=True)
    if found != list(wanted.tables):
        raise Unsound("The tables do not have the sizes of the rule for so many entrants.")


def _check_order(tables: Sequence[Sequence[int]], byes: Sequence[int]) -> None:
    best = [min(table) for table in tables]
    if best != sorted(best) or list(byes) != sorted(byes):
        raise Unsound(
            "The tables are not in the order of the best who sits there, or the byes not in that of the pool."
        )


def _check_numbers(
    pool: Pool, certificate: Certificate, tables: Sequence[Sequence[int]], byes: Sequence[int], fewest: int
) -> None:
    if (certificate.method, certificate.criteria, certificate.proof) != (_METHOD, CRITERIA, Proof()):
        raise Unsound("The certificate is not one of tables by their four criteria.")
    value = value_of(pool, tables, byes)
    if certificate.value != value:
        raise Unsound(f"The certificate says {certificate.value}, but the tables come to {value}.")
    least = bound(pool, fewest)
    if certificate.bound != least:
        raise Unsound(f"The certificate says that {certificate.bound} is the least, but it is {least}.")


def _check_seats(table: Sequence[Contender]) -> None:
    found = imbalance(table)
    # Nothing is less than nothing: most tables need no other look.
    if found and any(imbalance(other) < found for other in permutations(table)):
        names = ", ".join([str(one.number) for one in table])
        raise Unsound(f"The seats of {names} would be more even in another order.")
