"""Who starts."""

import pytest

from services.tournament.model import Number
from services.tournament.pairing.pool import Contender
from services.tournament.pairing.seating import seated, strain


def _one(number: int, sat: tuple[int, int] = (0, 0), last_seat: int = -1) -> Contender:
    return Contender(Number(number), 0, number, (), sat, last_seat)


def _starts(higher: Contender, lower: Contender, table: int = 0) -> int:
    first, second = seated(higher, lower, table)
    assert {first, second} == {higher, lower}
    return first.number


def test_who_has_started_less_often_starts() -> None:
    assert _starts(_one(1, (2, 1)), _one(2, (1, 2))) == 2
    assert _starts(_one(1, (1, 2)), _one(2, (2, 1))) == 1


def test_the_surplus_counts_and_not_the_number_of_games() -> None:
    assert _starts(_one(1, (3, 3)), _one(2, (1, 0))) == 1


def test_if_that_is_equal_who_did_not_start_the_last_time_starts() -> None:
    assert _starts(_one(1, (1, 1), 0), _one(2, (1, 1), 1)) == 2
    assert _starts(_one(1, (1, 1), 1), _one(2, (1, 1), 0), table=1) == 1


def test_if_all_is_equal_tables_take_turns() -> None:
    assert [_starts(_one(1), _one(2), table) for table in range(4)] == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("one", "other", "past_two"),
    [(0, 0, 0), (2, -2, 0), (1, 2, 0), (2, 2, 1), (2, 3, 1), (3, 3, 2), (-2, -2, 1), (-4, -3, 2), (-2, 5, 0)],
)
def test_strain_is_how_far_past_two_the_better_balanced_of_them_goes(one: int, other: int, past_two: int) -> None:
    assert strain(one, other) == strain(other, one) == past_two
