"""Standings tell why one stands above another."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from services.tournament.model import POINT, Number, Plan, System, TieBreak
from services.tournament.standings import Row, Value, points_shown, rank, reason, shown
from tests.tournament.standings.fields import drawn, plan_of, played, settings

PLAN = Plan("Event", System.SWISS, "domino", tie_breaks=(TieBreak.DIRECT_ENCOUNTER, TieBreak.BUCHHOLZ, TieBreak.WINS))


def _name(number: Number) -> str:
    return ("Ann", "Bob")[number]


def _why(ann: Row, bob: Row) -> str:
    return reason(PLAN, ann, bob, _name)


def _row(number: int, place: int, points: int, values: tuple[Value, ...], reached: int = 0) -> Row:
    return Row(Number(number), place, points, values, reached)


LEVEL = (Value(0), Value(7 * POINT, POINT), Value(2))


@pytest.mark.parametrize(
    ("ann", "bob", "expected"),
    [
        pytest.param(
            _row(0, 1, 60, LEVEL), _row(1, 2, 48, LEVEL), "Ann stands above Bob by points: 2.5 to 2.", id="points"
        ),
        pytest.param(
            _row(0, 2, 60, LEVEL),
            _row(1, 1, 24, LEVEL, 3),
            "Bob stands above Ann for having come further.",
            id="reached",
        ),
        pytest.param(
            _row(0, 2, 24, (Value(0), *LEVEL[1:])),
            _row(1, 1, 24, (Value(1), *LEVEL[1:])),
            "Bob stands above Ann by direct encounter: ahead of 1 of those who were equal, against 0 "
            "(both have 1 point).",
            id="direct encounter",
        ),
        pytest.param(
            _row(0, 1, 36, LEVEL),
            _row(1, 2, 36, (LEVEL[0], Value(20, 3), LEVEL[2])),
            "Ann stands above Bob by Buchholz: 7 to 6.67 (both have 1.5 points, equal in direct encounter).",
            id="a tie-break",
        ),
        pytest.param(
            _row(0, 1, 36, LEVEL),
            _row(1, 2, 36, (*LEVEL[:2], Value(1))),
            "Ann stands above Bob by wins: 2 to 1 "
            "(both have 1.5 points, equal in direct encounter, equal in Buchholz).",
            id="the last tie-break",
        ),
        pytest.param(
            _row(0, 3, 36, LEVEL),
            _row(1, 3, 36, LEVEL),
            "Ann and Bob share place 3: they are equal in points and in direct encounter, Buchholz, wins.",
            id="equal",
        ),
    ],
)
def test_a_reason_names_what_decided(ann: Row, bob: Row, expected: str) -> None:
    assert _why(ann, bob) == expected


def test_the_order_in_which_rows_are_given_does_not_matter() -> None:
    ann, bob = _row(0, 1, 60, LEVEL), _row(1, 2, 48, LEVEL)
    assert _why(ann, bob) == _why(bob, ann)


def test_values_that_look_the_same_are_shown_until_they_differ() -> None:
    more, less = Value(70_004, 10_000), Value(70_001, 10_000)
    ann, bob = _row(0, 1, 24, (LEVEL[0], more, LEVEL[2])), _row(1, 2, 24, (LEVEL[0], less, LEVEL[2]))
    assert "Buchholz: 7.0004 to 7.0001" in _why(ann, bob)


def test_without_tie_breaks_equal_points_share_a_place() -> None:
    plan = replace(PLAN, tie_breaks=())
    ann, bob = rank(plan, drawn("Ann w2=\n Bob b1="))
    assert (
        reason(plan, ann, bob, _name) == "Ann and Bob share place 1: they are equal in points and in all that counts."
    )


def test_every_neighbour_in_seeded_standings_has_a_reason_that_names_the_better_first() -> None:
    for setting in settings(60, 400):
        chance = random.Random(setting.seed)
        plan = plan_of(setting, *chance.sample(list(TieBreak), chance.randint(0, 5)))
        rows = rank(plan, played(setting))
        for above, below in pairwise(rows):
            sentence = reason(plan, above, below, lambda number: f"<{number}>")
            verb = "share" if above.place == below.place else "stands above"
            assert sentence.startswith(f"<{above.number}>")
            assert verb in sentence


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (Value(0), 2, "0"),
        (Value(100), 2, "100"),
        (Value(61, 2), 2, "30.5"),
        (Value(1, 3), 2, "0.33"),
        (Value(2, 3), 2, "0.67"),
        (Value(1, 200), 2, "0.01"),
        (Value(-1, 3), 2, "-0.33"),
        (Value(-1, 1000), 2, "0"),
        (Value(-5), 2, "-5"),
        (Value(1999, 2000), 3, "1"),
        (Value(5, 2), 0, "3"),
        (Value(10), 0, "10"),
    ],
)
def test_exact_numbers_as_text(value: Value, digits: int, expected: str) -> None:
    assert shown(value, digits) == expected


def test_points_as_text() -> None:
    assert [points_shown(units) for units in (0, 12, 24, 8, 108)] == ["0", "0.5", "1", "0.33", "4.5"]
