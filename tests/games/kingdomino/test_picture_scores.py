"""The picture of a Kingdomino position shows what each kingdom is worth and why, and who has won."""

import re

import pytest

from services.kingdomino.rules.model import Options, Phase, State, Tally, initial
from services.kingdomino.rules.scoring import score
from tests.games.kingdomino.drawn import (
    EVERY_VARIANT,
    POSITIONS,
    Drawn,
    find,
    panel,
    picture_of,
    playing,
    states,
    uses,
    words,
)
from tests.games.kingdomino.positions import WITHOUT_LAKE, kingdom, position

BONUSES = Options(middle_kingdom=True, harmony=True)
SCORING = """
            -1      0      1      2
      0    45w castle    47s 47m**
      1  45m**     7l     7l 46m**
      2      .      .      .    46s
"""


def properties(part: Drawn) -> list[str]:
    """`mine 2 x 4`, for each property that is listed."""
    found = [
        (one.element[0].get("href", "").removeprefix("#kingdomino-"), words(one)) for one in find(part, "property")
    ]
    return [f"{terrain} {' '.join(said)}" for terrain, said in found]


def test_a_panel_says_why_its_kingdom_is_worth_what_it_is() -> None:
    """K-16, K-17: squares by crowns for each property that has crowns, and what breaks ties."""
    part = panel(picture_of(playing(SCORING)), 0)
    assert properties(part) == ["mine 2 x 4", "mine 1 x 2"]
    assert {"10 points", "Largest property 2, 6 crowns"} <= set(words(part))


@POSITIONS
def test_the_parts_of_a_score_add_up_to_its_points(state: State) -> None:
    """K-16, K-19, K-20: what is listed, and the bonuses."""
    picture = picture_of(state)
    for seat, built in enumerate(state.kingdoms):
        shown = " ".join(words(panel(picture, seat)))
        products = [int(one) * int(other) for one, other in re.findall(r"(\d+) x (\d+)", shown)]
        bonuses = map(int, re.findall(r"\+(\d+)", shown))
        (points,) = re.findall(r"(\d+) points?\b", shown)
        assert sum(products) + sum(bonuses) == int(points) == score(built, state.options).tally.points


@pytest.mark.parametrize(
    ("options", "drawing", "discarded", "fact"),
    [
        pytest.param(Options(middle_kingdom=True), WITHOUT_LAKE, "", "Middle Kingdom +10", id="K-19: in the middle"),
        pytest.param(Options(middle_kingdom=True), SCORING, "", "Middle Kingdom +0", id="K-19: not in the middle"),
        pytest.param(Options(harmony=True), SCORING, "", "Harmony +5", id="K-20: complete"),
        pytest.param(Options(harmony=True), WITHOUT_LAKE, "7", "Harmony +0", id="K-20: one was discarded"),
        pytest.param(BONUSES, WITHOUT_LAKE, "", "Middle Kingdom +10, Harmony +5", id="K-19, K-20: both"),
    ],
)
def test_bonuses_that_are_played_for_are_shown(options: Options, drawing: str, discarded: str, fact: str) -> None:
    """K-19, K-20: also while they are not reached; without the variant there is no word of them."""
    built = kingdom(drawing, discarded=discarded)
    state = position("10=1 >12=0 26=0 43=1", kingdoms=[built, ""], options=options)
    assert fact in words(panel(picture_of(state), 0))
    assert not [word for word in words(picture_of(state._replace(options=Options()))) if "+" in word]


def test_a_dynasty_shows_the_sum_of_its_games() -> None:
    """K-18."""
    before = ((Tally(31, 5, 4), Tally(40, 6, 4)), (Tally(50, 5, 9), Tally(1, 1, 1)))
    state = position("10=1 >12=0 26=0 43=1", kingdoms=[SCORING, ""], options=Options(dynasty=True), before=before)
    assert "All games: 31 + 50 + 10 = 91" in words(panel(picture_of(state), 0))
    assert "All games: 40 + 1 + 0 = 41" in words(panel(picture_of(state), 1))
    assert "Game 3 of 3, round 6 of 6" in words(picture_of(state))


@pytest.mark.parametrize(
    ("tallies", "shown", "status"),
    [
        pytest.param(
            ((30, 5, 4), (41, 6, 4), (30, 6, 1)), "1: Winner, 2: Place 2, 0: Place 3", "Seat 1 wins", id="K-17: points"
        ),
        pytest.param(
            ((30, 5, 4), (30, 5, 9), (30, 6, 1)),
            "2: Winner, 1: Place 2, 0: Place 3",
            "Seat 2 wins",
            id="K-17: tie-breaks",
        ),
        pytest.param(
            ((30, 5, 4), (12, 5, 9), (30, 5, 4)),
            "0: Winner, 2: Winner, 1: Place 3",
            "Seats 0 and 2 share the win",
            id="K-17: the win is shared",
        ),
    ],
)
def test_the_end_shows_the_places(tallies: tuple[tuple[int, int, int], ...], shown: str, status: str) -> None:
    """K-17: the kings in their order, each with what its place came from."""
    state = initial(Options(), 3)._replace(game=1, phase=Phase.OVER, tallies=(tuple(Tally(*one) for one in tallies),))
    picture = picture_of(state)
    (result,) = find(picture, "result")
    said = words(result)
    assert ", ".join(f"{seat}: {name}" for seat, name in zip(said[::5], said[1::5], strict=True)) == shown
    for place, seat in enumerate(map(int, said[::5])):
        points, largest, crowns = tallies[seat]
        ones = "" if crowns == 1 else "s"
        facts = [f"{points} points", f"Largest {largest}", f"{crowns} crown{ones}"]
        assert said[5 * place + 2 : 5 * place + 5] == facts
    assert status in words(picture)


def test_the_end_has_no_lines_and_nobodys_turn() -> None:
    """K-10, K-11: and nowhere to grow."""
    picture = picture_of(states(4, Options())["over"])
    assert not find(picture, "line") + find(picture, "turn") + find(picture, "choice")
    assert not uses(picture, "turn") + uses(picture, "more")


def test_the_variants_that_are_played_are_named() -> None:
    """K-18 to K-21."""
    assert "Dynasty, Middle Kingdom, Harmony, Mighty Duel" in words(picture_of(playing(options=EVERY_VARIANT)))
