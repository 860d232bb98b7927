"""How many sit at each table, for fields that do not divide."""

from itertools import product

import pytest

from services.tournament.pairing.table_sizes import Sizes, sizes


@pytest.mark.parametrize(
    ("entrants", "seats", "fewest", "tables", "byes"),
    [
        (0, 4, 2, (), 0),
        (1, 4, 2, (), 1),
        (2, 4, 2, (2,), 0),
        (2, 4, 3, (), 2),
        (3, 4, 3, (3,), 0),
        (3, 4, 4, (), 3),
        (5, 4, 2, (4,), 1),
        (6, 4, 2, (3, 3), 0),
        (9, 4, 2, (3, 3, 3), 0),
        (10, 4, 2, (4, 3, 3), 0),
        (13, 4, 2, (4, 3, 3, 3), 0),
        (13, 4, 4, (4, 4, 4), 1),
        (4, 3, 2, (2, 2), 0),
        (4, 3, 3, (3,), 1),
        (7, 3, 2, (3, 2, 2), 0),
        (8, 3, 2, (3, 3, 2), 0),
        (8, 3, 3, (3, 3), 2),
    ],
)
def test_tables_have_these_sizes(entrants: int, seats: int, fewest: int, tables: tuple[int, ...], byes: int) -> None:
    assert sizes(entrants, seats, fewest) == Sizes(tables, byes)


@pytest.mark.parametrize(("seats", "fewest"), [(3, 2), (3, 3), (4, 2), (4, 3), (4, 4)])
def test_the_fewest_have_a_bye_and_then_the_fewest_tables_are_smaller(seats: int, fewest: int) -> None:
    for entrants in range(seats, 60):
        allowed = range(max(fewest, seats - 1), seats + 1)
        every = [
            (entrants - full * seats - smaller * (seats - 1), smaller)
            for full, smaller in product(range(entrants + 1), repeat=2)
            if not smaller or seats - 1 in allowed
        ]
        found = sizes(entrants, seats, fewest)
        assert (found.byes, found.tables.count(seats - 1)) == min(one for one in every if one[0] >= 0)
        assert sum(found.tables) + found.byes == entrants
        assert set(found.tables) <= set(allowed)
