"""Who sits where at a table."""

from itertools import permutations, product

from services.tournament.model import Number
from services.tournament.pairing.pool import Contender
from services.tournament.pairing.table_seating import imbalance, seated


def _who(number: int, sat: tuple[int, ...] = (), last_seat: int = -1) -> Contender:
    return Contender(Number(number), 0, number, (), sat, last_seat)


def _numbers(table: tuple[Contender, ...]) -> list[int]:
    return [one.number for one in table]


def test_those_who_never_sat_sit_in_the_order_of_the_pool() -> None:
    assert _numbers(seated([_who(number) for number in range(4)])) == [0, 1, 2, 3]


def test_who_sat_first_more_often_sits_elsewhere() -> None:
    assert _numbers(seated([_who(0, (2, 0, 1)), _who(1, (1, 1, 1)), _who(2, (0, 2, 1))])) == [2, 0, 1]


def test_of_orders_equally_even_that_is_taken_in_which_fewer_sit_where_they_sat_the_last_time() -> None:
    assert _numbers(seated([_who(0, (1, 1, 1), 0), _who(1, (1, 1, 1), 1), _who(2, (1, 1, 1), 0)])) == [1, 0, 2]


def test_the_squares_of_all_counts_are_the_least_that_they_can_be() -> None:
    for counts in product(((0, 0, 0), (1, 0, 0), (0, 2, 1), (3, 1, 0)), repeat=3):
        table = [_who(number, sat) for number, sat in enumerate(counts)]
        best = min(_squares(order) for order in permutations(table))
        assert _squares(seated(table)) == best
        assert imbalance(seated(table)) == min(map(imbalance, permutations(table)))


def _squares(order: tuple[Contender, ...]) -> int:
    return sum(
        [(count + (seat == at)) ** 2 for at, one in enumerate(order) for seat, count in enumerate(one.sat)],
    )
