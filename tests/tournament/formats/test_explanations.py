"""Explanations: true sentences for everybody of every round, and the words for what matters."""

import random

import pytest

from services.tournament import formats
from services.tournament.model import Draw, Number, Plan, System, Table
from tests.tournament.formats.playing import LIVELY, Event, better_wins, event, plan, play

NAMES = ("Anna", "Bob", "Carl", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Kurt", "Lea")
PLANS = [
    plan(System.ROUND_ROBIN, legs=2),
    plan(System.ROUND_ROBIN, seats=4),
    plan(System.SINGLE_ELIMINATION, has_third_place=True),
    plan(System.SINGLE_ELIMINATION, seats=4),
    plan(System.DOUBLE_ELIMINATION),
    plan(System.GROUPS, groups=3),
    plan(System.GROUPS, groups=2, seats=3),
]


def name(number: Number) -> str:
    """What an entrant is called."""
    return NAMES[number]


def told(going: Event, draw: Draw, who: int) -> str:
    """What is said to somebody."""
    return " ".join(formats.explain(going.plan, going.players, going.rounds, draw, Number(who), name))


def after(going: Event, rounds: int) -> Draw:
    """The draw after so many rounds in which the better won."""
    for _ in range(rounds):
        draw = going.draw()
        assert draw is not None
        going.add(draw, [better_wins(table) for table in draw.tables])
    draw = going.draw()
    assert draw is not None
    return draw


def second(wanted: Plan, entrants: int, result: object) -> tuple[Event, Draw]:
    """The second round after a first in which one table ended otherwise."""
    going = event(wanted, entrants)
    draw = going.draw()
    assert draw is not None
    going.add(draw, [draw.tables[0]._replace(places=result), *map(better_wins, draw.tables[1:])])  # type: ignore[arg-type]
    return going, after(going, 0)


@pytest.mark.parametrize("wanted", PLANS, ids=[f"{one.system.value} {one.seats}" for one in PLANS])
def test_everybody_is_told_something_and_hears_of_all_at_its_table(wanted: Plan) -> None:
    """In every round of a lively event, also who is out, away, or has a bye."""

    def seen(going: Event, draw: Draw) -> None:
        for player in going.players:
            words = told(going, draw, player.number)
            assert name(player.number) in words
            assert words.endswith(".")
            table = next((one for one in draw.tables if player.number in one.seats), None)
            assert table is None or all(name(one) in words for one in table.seats)

    for seed in range(4):
        play(event(wanted, 12), random.Random(seed), LIVELY, seen)


def test_a_round_robin_tells_the_round_of_the_table() -> None:
    """Numbers are those of the Berger table."""
    going = event(plan(System.ROUND_ROBIN), 8)
    words = told(going, after(going, 2), 2)
    assert words.startswith("It is round 3 of 7 of the Berger table, in which Carl is number 3.")
    assert "Numbers 3 and 1 meet in this round: Carl and Anna. Number 3, Carl, sits first" in words


def test_a_bye_of_a_round_robin_tells_who_is_not_there() -> None:
    """Or that the field is odd."""
    going = event(plan(System.ROUND_ROBIN), 5)
    assert "the number of entrants is odd" in told(going, after(going, 0), 0).lower()
    draw = after(going, 1)
    going.turn(draw.tables[0].seats[0], is_active=False)
    words = told(going, after(going, 0), draw.tables[0].seats[1])
    assert f"{name(draw.tables[0].seats[0])}, who is not there: it has a bye." in words


def test_a_bracket_tells_the_standard_order_and_then_the_last_games() -> None:
    """First by seeds, later by results."""
    going = event(plan(System.SINGLE_ELIMINATION), 8)
    first = told(going, after(going, 0), 4)
    assert "Emil plays the quarter-final against Dora." in first
    assert "In the standard order of a bracket of 8, number 4 meets number 5 in the first round." in first
    later = told(going, after(going, 1), 0)
    assert "Anna won the quarter-final against Hana. Dora won the quarter-final against Emil." in later
    assert "Their parts of the bracket meet in the semi-final." in later
    assert told(going, after(going, 0), 7) == "Hana lost the quarter-final against Anna. So Hana is out."


def test_a_tie_in_a_bracket_tells_that_the_better_seed_goes_on() -> None:
    """They shared the first place."""
    going, draw = second(plan(System.SINGLE_ELIMINATION), 4, ((Number(0), Number(3)),))
    words = told(going, draw, 0)
    assert "They were equal there, so Anna as the better seed went before Dora: 1 before 4." in words
    assert words.count("They were equal") == 1


def test_an_annulled_table_of_a_bracket_tells_that_the_better_seed_goes_on() -> None:
    """It has no places."""
    going, draw = second(plan(System.SINGLE_ELIMINATION), 4, None)
    assert "That table was annulled, so Anna as the better seed went before Dora" in told(going, draw, 3)


def test_at_tables_of_four_only_a_tie_at_the_cut_is_told() -> None:
    """The first two of a table go on: that they are equal parts nobody."""
    wanted = plan(System.SINGLE_ELIMINATION, seats=4, advancing=2)
    a, b, c, d = (Number(0), Number(3), Number(4), Number(7))
    going, draw = second(wanted, 8, ((a, b), (c,), (d,)))
    assert "They were equal" not in told(going, draw, 0)
    going, draw = second(wanted, 8, ((a,), (b, c), (d,)))
    assert "so Dora as the better seed went before Emil: 4 before 5." in told(going, draw, 3)


def test_a_double_elimination_tells_who_comes_down() -> None:
    """And why there is a second grand final."""
    going = event(plan(System.DOUBLE_ELIMINATION), 4)
    words = told(going, after(going, 1), 3)
    assert "Dora lost the winners' round 1 against Anna, and goes on among the losers." in words
    draw = after(going, 2)
    assert "One of them is undefeated" in told(going, draw, 0)
    (final,) = draw.tables
    going.add(draw, [Table(final.seats, ((Number(1),), (Number(0),)), final.label)])
    assert "After the grand final both have lost once" in told(going, after(going, 0), 0)


def test_groups_tell_the_places_that_led_into_the_bracket() -> None:
    """And who did not go on, and why."""
    going = event(plan(System.GROUPS, groups=2), 8)
    draw = after(going, 3)
    assert "Anna came 1st in group A." in told(going, draw, 0)
    assert told(going, draw, 7) == "Hana came 4th in group A. The 2 best of each group went on who were there."


def test_an_arena_tells_the_points_and_who_waits() -> None:
    """Nobody has points before the first game."""
    going = event(plan(System.ARENA, arena_seconds=60), 5)
    draw = formats.draw(going.plan, going.players, ())
    assert draw is not None
    assert told(going, draw, 1).startswith("5 were free, and Bob was the 2nd of them with 0 points. It sits with Anna")
    assert "Emil waits." in told(going, draw, 4)
