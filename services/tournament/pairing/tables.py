"""Swiss pairing for tables of three and four.

What is minimised, the most important first: `broken` (forbidden pairs at one table, forced pairs that are apart, second
byes), `byes` (how many places those with a bye stand above the last), `repeats` (pairs at one table, as often as they
have met before) and `gap` (over all tables, the highest score minus the lowest, in units). Then the seats of each table
are the best of all orders; they are not part of the certificate's numbers, and the checker looks at them too.

Up to 12 entrants the tables are the best there are. For more, neighbours in the order of scores have the least gap
(table_start.py); each table takes the next who have not met those at it (table_fill.py); exchanges between tables, and
in fields of some hundreds a tabu search, part who still should not sit together, and make the gap smaller. The bound is
what the checker (check_tables.py) finds by itself: no tables come before it in the order of the criteria.
"""

from collections.abc import Sequence

from services.tournament.model import Certificate, Draw, Table
from services.tournament.pairing import table_bound, table_byes, table_exact, table_exchange, table_fill, table_tabu
from services.tournament.pairing.pool import Pool
from services.tournament.pairing.table_field import Field, field_of, weight
from services.tournament.pairing.table_seating import seated
from services.tournament.pairing.table_sizes import FEWEST, Sizes, sizes
from services.tournament.pairing.table_start import start
from services.tournament.pairing.table_value import CRITERIA, Value, height, value_of

METHOD = "tables"


def pair(pool: Pool, fewest: int = FEWEST) -> Draw:
    """The round of a pool, for a game that needs at least `fewest` at a table."""
    wanted = sizes(len(pool.contenders), pool.seats, fewest)
    is_small = len(pool.contenders) <= table_exact.MOST
    least = None if is_small else table_bound.linear(pool, fewest)
    field = field_of(pool)
    tables, byes = _small(pool, field, wanted) if least is None else _large(pool, field, wanted, least)
    return _draw(pool, sorted([sorted(table) for table in tables]), sorted(byes), least)


def _draw(pool: Pool, tables: list[list[int]], byes: list[int], least: Value | None) -> Draw:
    value = value_of(pool, tables, byes)
    return Draw(
        tuple([_seated(pool, table) for table in tables]),
        tuple([pool.contenders[at].number for at in byes]),
        Certificate(METHOD, CRITERIA, value, least or value),
    )


def _seated(pool: Pool, table: Sequence[int]) -> Table:
    return Table(tuple([one.number for one in seated([pool.contenders[at] for at in table])]))


def _small(pool: Pool, field: Field, wanted: Sizes) -> tuple[list[list[int]], list[int]]:
    """The best tables and byes of all; those to start from, if they are as good."""
    count = len(pool.contenders)

    def weigh(table: Sequence[int]) -> int:
        if len(table) > 1:
            return weight(field, table)
        (at,) = table
        return weight(field, table) + field.broken * pool.contenders[at].had_bye + field.place * height(count, table)

    first_byes = table_byes.chosen(pool, field, wanted.byes)
    first = [*_start(pool, field, first_byes, wanted), *[[at] for at in first_byes]]
    least, best = table_exact.best(range(count), (*wanted.tables, *(1,) * wanted.byes), weigh)
    found = first if sum(map(weigh, first)) == least else list(map(list, best))
    return [table for table in found if len(table) > 1], [table[0] for table in found if len(table) == 1]


def _start(pool: Pool, field: Field, byes: Sequence[int], wanted: Sizes) -> list[list[int]]:
    without = set(byes)
    members = [at for at in range(len(field.scores)) if at not in without]
    return start(field, members, wanted.tables, pool.round)


def _large(pool: Pool, field: Field, wanted: Sizes, least: Value) -> tuple[list[list[int]], list[int]]:
    byes = table_byes.chosen(pool, field, wanted.byes)
    first = table_fill.filled(field, _start(pool, field, byes, wanted))
    hall = table_exchange.hall(field, first)
    table_exchange.gather(hall)
    table_exchange.part(hall)
    if len(field.scores) <= table_tabu.MOST:
        floor = field.repeat * least[CRITERIA.index("repeats")]
        hall = table_exchange.hall(field, table_tabu.untangle(field, hall.tables, floor))
    table_exchange.tighten(hall)
    return hall.tables, byes
