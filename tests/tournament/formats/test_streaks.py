"""Points of an arena with streaks: a win after two wins in a row counts double."""

import pytest

from services.tournament.formats import streak_points
from services.tournament.model import POINT, Entry, Kind, Number

LETTERS = {
    "w": Entry(1, Kind.PLAYED, POINT, (Number(1),), (1,), 0, 0),
    "l": Entry(1, Kind.PLAYED, 0, (Number(1),), (0,), 0, 1),
    "d": Entry(1, Kind.PLAYED, POINT // 2, (Number(1),), (0,), 0, 0),
    "f": Entry(1, Kind.FORFEIT_WIN, POINT, (Number(1),), (1,), 0, 0),
    "x": Entry(1, Kind.FORFEIT_LOSS, 0, (Number(1),), (0,), 0, 1),
    "b": Entry(1, Kind.BYE, POINT),
    "a": Entry(1, Kind.ABSENT, 0),
    "v": Entry(1, Kind.VOID, 0, (Number(1),)),
}
# What was played so far, what comes, and what counts.
CASES = [
    pytest.param("", "w", 1, id="the first win counts once"),
    pytest.param("w", "w", 1, id="so does the second"),
    pytest.param("ww", "w", 2, id="the third counts double"),
    pytest.param("www", "w", 2, id="and all after it"),
    pytest.param("wwl", "w", 1, id="a loss ends it"),
    pytest.param("wwd", "w", 1, id="a shared first place ends it"),
    pytest.param("wwx", "w", 1, id="a forfeit loss ends it"),
    pytest.param("lww", "w", 2, id="what was before does not matter"),
    pytest.param("wbwv", "w", 2, id="a bye and an annulled table do not end it"),
    pytest.param("wfa", "w", 1, id="a forfeit win is none of the two"),
    pytest.param("wfaw", "w", 2, id="and does not end it"),
    pytest.param("ww", "f", 1, id="a forfeit win is not doubled"),
    pytest.param("ww", "d", 0.5, id="a draw is not doubled"),
    pytest.param("ww", "b", 1, id="a bye is not doubled"),
    pytest.param("wl", "w", 1, id="one win and one loss are no row"),
]


@pytest.mark.parametrize(("so_far", "comes", "points"), CASES)
def test_a_win_after_two_wins_counts_double(so_far: str, comes: str, points: float) -> None:
    """By letters: won, lost, drawn, forfeit won, forfeit lost (x), bye, absent, void."""
    assert streak_points([LETTERS[letter] for letter in so_far], LETTERS[comes]) == points * POINT


def test_at_a_table_of_four_only_the_first_place_alone_is_a_win() -> None:
    """The second place has points, but they are not doubled."""
    second = Entry(3, Kind.PLAYED, POINT // 2, (Number(1), Number(2), Number(3)), (0, 2, 3), 0, 1)
    assert streak_points([LETTERS["w"]] * 2, second) == POINT // 2
    assert streak_points([LETTERS["w"], second], LETTERS["w"]) == POINT
