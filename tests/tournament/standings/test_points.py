"""Points for places, shared where places are."""

import pytest

from services.tournament.model import POINT, Number, Scoring
from services.tournament.standings import check_scoring, draw_of, points_of
from shared.kernel import Malformed

A, B, C, D = map(Number, (7, 3, 9, 0))
FOUR = Scoring((3 * POINT, 2 * POINT, POINT, 0))
FOOTBALL = Scoring((3 * POINT, 0), draw=POINT)


@pytest.mark.parametrize(
    ("scoring", "places", "expected"),
    [
        pytest.param(Scoring(), ((A,), (B,)), {A: POINT, B: 0}, id="a win for two"),
        pytest.param(Scoring(), ((A, B),), {A: 12, B: 12}, id="a draw is half of all"),
        pytest.param(FOOTBALL, ((A, B),), {A: POINT, B: POINT}, id="a draw that is laid down"),
        pytest.param(FOOTBALL, ((B,), (A,)), {A: 0, B: 72}, id="a win where draws are laid down"),
        pytest.param(FOUR, ((C,), (A,), (D,), (B,)), {C: 72, A: 48, D: 24, B: 0}, id="four places"),
        pytest.param(FOUR, ((C,), (A, D), (B,)), {C: 72, A: 36, D: 36, B: 0}, id="two share the middle"),
        pytest.param(FOUR, ((C, A, D), (B,)), {C: 48, A: 48, D: 48, B: 0}, id="three share the top"),
        pytest.param(FOUR, ((C, A, D, B),), {C: 36, A: 36, D: 36, B: 36}, id="all share"),
        pytest.param(FOUR, ((C,), (A,), (B,)), {C: 72, A: 48, B: 24}, id="three at a table for four"),
        pytest.param(Scoring(), ((A,), (B, C)), {A: POINT, B: 0, C: 0}, id="places beyond the points"),
        pytest.param(Scoring(), ((A,), (B,), (C,)), {A: POINT, B: 0, C: 0}, id="a place beyond the points"),
        pytest.param(Scoring(), ((A, B, C),), {A: 8, B: 8, C: 8}, id="thirds are exact"),
    ],
)
def test_points_for_places(
    scoring: Scoring, places: tuple[tuple[Number, ...], ...], expected: dict[Number, int]
) -> None:
    assert points_of(scoring, places) == expected


def test_nobody_has_two_places() -> None:
    with pytest.raises(Malformed, match="name everybody once"):
        points_of(FOUR, ((A,), (B, A)))


def test_points_that_cannot_be_shared_to_the_last_unit_are_no_points() -> None:
    with pytest.raises(Malformed, match="25 units can't be shared by 2"):
        points_of(Scoring((25, 0)), ((A, B),))


def test_a_draw_of_four_is_a_quarter_of_all() -> None:
    assert draw_of(FOUR, 4) == 36
    assert draw_of(FOOTBALL, 2) == POINT


@pytest.mark.parametrize(
    ("scoring", "seats", "message"),
    [
        (Scoring((25, 0)), 2, "25 units can't be shared by 2"),
        (Scoring((24, 24, 1, 0)), 4, "can't be shared"),
        (Scoring((0, 24)), 2, "a worse place does not give more"),
        (Scoring((24, -24)), 2, "never less than 0"),
    ],
)
def test_a_scoring_that_cannot_score_every_result_is_refused_beforehand(
    scoring: Scoring, seats: int, message: str
) -> None:
    with pytest.raises(Malformed, match=message):
        check_scoring(scoring, seats)


@pytest.mark.parametrize(
    ("scoring", "seats"), [(Scoring(), 2), (FOUR, 4), (FOUR, 3), (FOOTBALL, 2), (Scoring((12,)), 4)]
)
def test_scorings_of_whole_and_half_points_can_be_shared_by_all_tables(scoring: Scoring, seats: int) -> None:
    check_scoring(scoring, seats)
