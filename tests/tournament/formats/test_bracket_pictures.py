"""Brackets as pictures, worked out by hand: who stands where, who comes down where, and what a stage is called."""

from collections.abc import Callable

import pytest

from services.tournament.formats.bracket import standard
from services.tournament.model import Plan, System, Table
from tests.tournament.formats.pictures import picture, text
from tests.tournament.formats.playing import Event, better_wins, event, plan, standings

SINGLE = plan(System.SINGLE_ELIMINATION)
THIRD = plan(System.SINGLE_ELIMINATION, has_third_place=True)
DOUBLE = plan(System.DOUBLE_ELIMINATION)


def played(wanted: Plan, entrants: int, result: Callable[[Table], Table] = better_wins) -> Event:
    """An event to its end, all tables with results of one kind."""
    going = event(wanted, entrants)
    while (draw := going.draw()) is not None:
        going.add(draw, [result(table) for table in draw.tables])
    return going


def worse_wins(table: Table) -> Table:
    """The worse seeds are ahead."""
    return table._replace(places=tuple([(number,) for number in sorted(table.seats, reverse=True)]))


def test_the_standard_order_lets_the_best_meet_last() -> None:
    """1-16, 8-9, 5-12 and so on, as in every draw of sixteen."""
    assert [seed + 1 for seed in standard(4)] == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


def test_eight_in_a_single_elimination() -> None:
    """Nobody has a bye."""
    assert picture(*played(SINGLE, 8).rounds) == text("""
        quarter-final: 1-8  4-5  2-7  3-6
        semi-final: 1-4  2-3
        final: 1-2
    """)


def test_six_with_a_third_place() -> None:
    """The two best have byes. Who sat first in the round before sits second now: 4 and 3 in the semi-finals."""
    assert picture(*played(THIRD, 6).rounds) == text("""
        quarter-final: 4-5  3-6
        without a game: 1 2
        semi-final: 1-4  2-3
        final: 1-2
        third place: 3-4
    """)


def test_seventeen_begin_with_one_game() -> None:
    """All but the two worst have a bye."""
    first = played(SINGLE, 17).rounds[0]
    assert picture(first).startswith("round of 32: 16-17\nwithout a game: 1 8 9 4")
    assert len(first.byes) == 15


def test_eight_in_a_double_elimination_when_the_better_always_wins() -> None:
    """Who loses the winners' round 2 comes into the other half: 3 meets 5 there, and 4, who has beaten 5, meets 6."""
    assert picture(*played(DOUBLE, 8).rounds) == text("""
        winners' round 1: 1-8  4-5  2-7  3-6
        winners' round 2: 1-4  2-3
        losers' round 1: 5-8  6-7
        winners' final: 1-2
        losers' round 2: 3-5  4-6
        losers' round 3: 3-4
        without a game: 1 2
        losers' final: 2-3
        without a game: 1
        grand final: 2-1
    """)


def test_three_in_a_double_elimination_when_the_worse_always_wins() -> None:
    """The one who loses first has nobody to meet in the losers' round 1, and is at once in the losers' final."""
    assert picture(*played(DOUBLE, 3, worse_wins).rounds) == text("""
        winners' round 1: 2-3
        without a game: 1
        winners' final: 3-1
        without a game: 2
        losers' final: 1-2
        without a game: 3
        grand final: 2-3
    """)


def test_if_the_undefeated_loses_the_grand_final_there_is_a_second_one() -> None:
    """After it both have lost once, so that one game cannot decide."""

    def upset(table: Table) -> Table:
        return worse_wins(table) if table.label == "grand final" else better_wins(table)

    going = played(DOUBLE, 4, upset)
    assert picture(*going.rounds) == text("""
        winners' round 1: 1-4  2-3
        winners' final: 1-2
        losers' round 1: 3-4
        losers' final: 2-3
        without a game: 1
        grand final: 2-1
        second grand final: 1-2
    """)
    assert going.draw() is None


@pytest.mark.parametrize("wanted", [SINGLE, DOUBLE])
def test_two_meet(wanted: Plan) -> None:
    """The smallest bracket; in a double elimination the loser has another chance."""
    labels = [table.label for paired in played(wanted, 2).rounds for table in paired.tables]
    assert labels == (["final"] if wanted is SINGLE else ["winners' final", "grand final"])


def test_thirteen_at_tables_of_four_of_whom_two_go_on() -> None:
    """Dealt in a snake; in round 2 nobody is with the one from its own table, though 5 and 6 then change places."""
    assert picture(*played(plan(System.SINGLE_ELIMINATION, seats=4, advancing=2), 13).rounds) == text("""
        round 1: 1-8-9  2-7-10  3-6-11  4-5-12-13
        round 2: 6-1-4-7  5-2-3-8
        final: 1-3-2-4
    """)


def test_ten_in_three_groups_and_the_bracket_of_the_two_best_of_each() -> None:
    """The seconds of the groups are 6, 5 and 4; as 3 would meet 4 of its own group, 4 and 6 change places."""
    assert picture(*played(plan(System.GROUPS, groups=3), 10).rounds) == text("""
        group A: 6-7
        group B: 5-8
        group C: 3-10  4-9
        without a game: 1 2
        group A: 1-6
        group B: 2-5
        group C: 10-9  3-4
        without a game: 7 8
        group A: 7-1
        group B: 8-2
        group C: 4-10  9-3
        without a game: 6 5
        quarter-final: 5-4  6-3
        without a game: 1 2
        semi-final: 1-4  2-3
        final: 1-2
    """)


def test_of_four_at_a_table_of_the_final_all_are_placed_as_they_ended() -> None:
    """Not only its winner."""
    going = played(plan(System.SINGLE_ELIMINATION, seats=4, advancing=1), 4, worse_wins)
    assert [row.number + 1 for row in standings(going)] == [4, 3, 2, 1]
    assert [row.place for row in standings(going)] == [1, 2, 3, 4]
