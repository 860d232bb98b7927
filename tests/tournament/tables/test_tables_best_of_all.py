"""Small fields: the tables are the best of all that there are, and so is the bound that the checker finds."""

import pytest

from services.tournament.pairing import table_bound
from services.tournament.pairing.check_tables import check
from tests.tournament.tables.events import Paired, Setting, rounds
from tests.tournament.tables.every_table import Seating, best_of_all, judged

# Events for each number of entrants: the most have thousands of seatings a round.
_EVENTS = {2: 6, 3: 6, 4: 6, 5: 6, 6: 6, 7: 6, 8: 6, 9: 4, 10: 2}
_TABLES = [(3, 2), (3, 3), (4, 2), (4, 3), (4, 4)]


@pytest.mark.parametrize(("seats", "fewest"), _TABLES)
@pytest.mark.parametrize("pairs", [0, 1])
def test_after_any_three_rounds_no_tables_are_better(seats: int, fewest: int, pairs: int) -> None:
    for entrants, events in _EVENTS.items():
        for seed in range(events):
            setting = Setting(entrants, seats, seed, rounds=4, fewest=fewest, unrest=0.1, pairs=pairs)
            for paired in rounds(setting):
                certificate = paired.draw.certificate
                best = best_of_all(paired.pool, [*map(len, _seating(paired))])
                assert judged(paired.pool, _seating(paired)) == best == certificate.value == certificate.bound, setting
                check(paired.pool, paired.draw, fewest)


@pytest.mark.parametrize(("pairs", "often"), [(0, 300), (2, 120)])
def test_the_bound_for_large_fields_is_never_above_the_best_of_a_small_one(pairs: int, often: int) -> None:
    reached = 0
    for entrants in range(2, table_bound.FEW + 1):
        for seats, fewest in _TABLES:
            for paired in rounds(Setting(entrants, seats, 0, fewest=fewest, unrest=0.1, pairs=pairs)):
                least = table_bound.linear(paired.pool, fewest)
                assert least <= paired.draw.certificate.value
                reached += least[:3] == paired.draw.certificate.value[:3]
    # A bound of nothing would pass too: this one is often exact in all but the gap.
    assert reached > often


def _seating(paired: Paired) -> Seating:
    tables = [frozenset(table.seats) for table in paired.draw.tables]
    return tables + [frozenset([one]) for one in paired.draw.byes]
