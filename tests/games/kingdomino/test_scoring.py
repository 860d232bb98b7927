"""K-16, K-17, K-19 and K-20: what kingdoms are worth, who wins, and the two bonuses."""

import pytest

from services.kingdomino.rules import board, scoring
from services.kingdomino.rules.model import Options, Phase, State, Tally, initial
from shared.kernel import Places
from tests.games.kingdomino.positions import WITHOUT_LAKE, after, answer, kingdom, numbers, position

MIDDLE = Options(middle_kingdom=True)
HARMONY = Options(harmony=True)
BOTH = Options(middle_kingdom=True, harmony=True)
ALONE = ""
MINE_OF_3 = """
             0      1      2
      0 castle    48w 48m***
"""
NO_CROWNS = """
             0      1      2
      0 castle     1w     1w
      1      .     2w     2w
"""
FOREST_ON_BOTH_SIDES = """
            -2     -1      0      1      2
      0    26w   26f* castle   25f*    25w
"""
FOREST_AT_A_CORNER = """
             0      1      2
      0 castle   25f*    25w
      1   26f*      .      .
      2    26w      .      .
"""
FOREST_JOINED = """
             0      1      2
      0 castle   25f*    25w
      1   26f*     3f      .
      2    26w     3f      .
"""
CROWNS_ON_TWO_SQUARES = """
             0      1      2
      0 castle    41w  41g**
      1      .    36w   36g*
"""
LAKE_WITH_AND_WITHOUT_A_CROWN = """
            -2     -1      0      1      2
      0     7l     7l castle   30l*    30w
"""
# Lake 5 x 2, grass 4 x (2 + 2), wheat 2 x 1 in the corner, swamp 6 x (2 + 2), mine 1 x 2. Wheat at -2,0, at -2,2 and at
# 0,2, forest at 0,-2 and the mine at 1,-2 have no crowns.
COMPLETE = """
            -2     -1      0      1      2
     -2     8l   35l*    35f    23m   23w*
     -1     8l   34l*    34f  43s**    43w
      0    15w    42l castle    12s    12s
      1    15g  42g**    44g  44s**    46s
      2    41w  41g**    16w    16s  46m**
"""
COLUMN_OF_FIVE = """
             0
     -2     1w
     -1     1w
      0 castle
      1     2w
      2     2w
"""
THREE_BY_THREE = """
            -1      0      1
     -1     7l      .      .
      0     7l castle     1w
      1      .      .     1w
"""
# Two columns on either side, but all rows from the castle's down.
ROWS_BELOW_ONLY = """
            -2     -1      0      1      2
      0    26w   26f* castle   25f*    25w
      1      .      .     3f      .      .
      2      .      .     3f      .      .
"""
# One row above and one below, but two columns in the east and one in the west.
ONE_COLUMN_MORE_IN_THE_EAST = """
            -1      0      1      2
     -1     7l      .      .      .
      0     7l castle     1w     1w
      1      .      .     2w     2w
"""
# Two columns on either side, but one row above and none below.
ONE_ROW_MORE_ABOVE = """
            -2     -1      0      1      2
     -1      .      .     7l     7l      .
      0    26w   26f* castle   25f*    25w
"""


def worth(drawing: str, options: Options | None = None, discarded: str = "") -> str:
    """What a kingdom is worth, and why."""
    return board.format_score(scoring.score(kingdom(drawing, discarded), options or Options()))


def points(drawing: str, options: Options, discarded: str = "") -> int:
    """The points of a kingdom, bonuses and all."""
    return scoring.score(kingdom(drawing, discarded), options).tally.points


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        pytest.param(ALONE, "0 points; largest property 0, crowns 0", id="K-16: the castle is no property"),
        pytest.param(
            MINE_OF_3, "3 points (mine 1x3); largest property 1, crowns 3", id="K-16: one square by three crowns"
        ),
        pytest.param(NO_CROWNS, "0 points; largest property 4, crowns 0", id="K-16: no crowns, no points"),
        pytest.param(
            FOREST_ON_BOTH_SIDES,
            "2 points (forest 1x1, forest 1x1); largest property 1, crowns 2",
            id="K-16: the castle does not connect",
        ),
        pytest.param(
            FOREST_AT_A_CORNER,
            "2 points (forest 1x1, forest 1x1); largest property 1, crowns 2",
            id="K-16: a corner does not connect",
        ),
        pytest.param(
            FOREST_JOINED,
            "8 points (forest 4x2); largest property 4, crowns 2",
            id="K-16: all squares by all crowns of a property",
        ),
        pytest.param(
            CROWNS_ON_TWO_SQUARES, "6 points (grass 2x3); largest property 2, crowns 3", id="K-16: crowns are added"
        ),
        pytest.param(
            LAKE_WITH_AND_WITHOUT_A_CROWN,
            "1 points (lake 1x1); largest property 2, crowns 1",
            id="K-16: several properties of a terrain count one by one, and the largest may have no crown",
        ),
        pytest.param(
            COMPLETE,
            "54 points (lake 5x2, grass 4x4, wheat 2x1, swamp 6x4, mine 1x2); largest property 6, crowns 13",
            id="K-16: a complete kingdom",
        ),
    ],
)
def test_what_a_kingdom_is_worth(drawing: str, expected: str) -> None:
    """K-16: squares by crowns for each property, worked out by hand."""
    assert worth(drawing) == expected


def test_how_a_domino_joins_properties() -> None:
    """K-16: two properties of one square become one of four when a domino lies between them."""
    state = position("1=0 >3=0 4=1 5=1", kingdoms=[FOREST_AT_A_CORNER, ""])
    assert after(state, "3 at 1,1 south").kingdoms[0] == kingdom(FOREST_JOINED)


def tallies(text: str) -> tuple[Tally, ...]:
    """`20/5/3 18/6/2` as points, largest property and crowns of every seat."""
    return tuple(Tally(*numbers(one.replace("/", " "))) for one in text.split())


def ended(text: str) -> State:
    """A match of one game that ended so."""
    counted = tallies(text)
    return initial(Options(), len(counted))._replace(game=1, tallies=(counted,), phase=Phase.OVER)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("20/5/3 21/4/2", ((1,), (0,)), id="K-17: two seats, the highest total"),
        pytest.param("20/5/9 20/6/2", ((1,), (0,)), id="K-17: two seats, the larger property before more crowns"),
        pytest.param("20/6/3 20/6/4", ((1,), (0,)), id="K-17: two seats, more crowns"),
        pytest.param("20/6/3 20/6/3", ((0, 1),), id="K-17: two seats share the win"),
        pytest.param("0/0/0 0/0/0", ((0, 1),), id="K-17: two seats with nothing share the win"),
        pytest.param("7/1/1 9/1/1 8/9/9", ((1,), (2,), (0,)), id="K-17: three seats by total"),
        pytest.param("9/1/1 8/5/1 8/6/1", ((0,), (2,), (1,)), id="K-17: the larger property ranks the second place"),
        pytest.param("8/5/1 9/1/1 8/5/2", ((1,), (2,), (0,)), id="K-17: crowns rank the second place"),
        pytest.param("8/5/2 9/1/1 8/5/2", ((1,), (0, 2)), id="K-17: the second place is shared"),
        pytest.param("8/5/2 7/1/1 8/5/2", ((0, 2), (1,)), id="K-17: three seats, two share the win"),
        pytest.param("8/5/2 8/5/2 8/5/2", ((0, 1, 2),), id="K-17: three seats share the win"),
        pytest.param("4/1/1 5/1/1 6/1/1 7/1/1", ((3,), (2,), (1,), (0,)), id="K-17: four seats by total"),
        pytest.param("9/9/9 8/3/1 8/4/1 8/3/2", ((0,), (2,), (3,), (1,)), id="K-17: each tie-break at another place"),
        pytest.param("8/3/1 9/3/1 8/3/1 9/3/1", ((1, 3), (0, 2)), id="K-17: two places are shared"),
        pytest.param("9/3/1 8/3/1 8/3/1 8/3/1", ((0,), (1, 2, 3)), id="K-17: three seats share the second place"),
        pytest.param("9/3/1 9/3/2 8/3/1 8/3/1", ((1,), (0,), (2, 3)), id="K-17: the last place is shared"),
        pytest.param("8/3/1 8/3/1 8/3/1 8/3/1", ((0, 1, 2, 3),), id="K-17: four seats share the win"),
    ],
)
def test_who_takes_which_place(text: str, expected: Places) -> None:
    """K-17: total, then the largest property, then all crowns, for every place; what is equal is shared."""
    assert scoring.outcome(ended(text)) == expected


EQUAL_KINGDOMS = [
    MINE_OF_3,
    """
            -2     -1      0      1      2
      0    25w   25f* castle    46s  46m**
    """,
]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        pytest.param(7, ((1,), (0,)), id="K-17: two squares of lake without a crown are the largest property"),
        pytest.param(17, ((0, 1),), id="K-17: two properties of one square leave all equal"),
    ],
)
def test_the_last_domino_may_break_a_tie(number: int, expected: Places) -> None:
    """K-17: both have 3 points and 3 crowns, whatever the last domino adds."""
    state = position(f"3=0 4=0 5=1 >{number}=1", kingdoms=EQUAL_KINGDOMS)
    assert scoring.outcome(state) is None
    command = f"{number} at 0,1 south"
    assert answer(state, command)[1] == "The game is over: seat 0 has 3, seat 1 has 3."
    assert scoring.outcome(after(state, command)) == expected


@pytest.mark.parametrize(
    ("drawing", "bonus"),
    [
        pytest.param(ALONE, 0, id="K-19: a castle alone does not count"),
        pytest.param(MINE_OF_3, 0, id="K-19: columns on one side only"),
        pytest.param(FOREST_ON_BOTH_SIDES, 10, id="K-19: a row of five with the castle in the middle"),
        pytest.param(COLUMN_OF_FIVE, 10, id="K-19: a column of five with the castle in the middle"),
        pytest.param(THREE_BY_THREE, 10, id="K-19: three columns and three rows with gaps"),
        pytest.param(WITHOUT_LAKE, 10, id="K-19: five columns and five rows with gaps"),
        pytest.param(COMPLETE, 10, id="K-19: a complete kingdom"),
        pytest.param(ROWS_BELOW_ONLY, 0, id="K-19: the columns are even, but the rows are all below"),
        pytest.param(ONE_ROW_MORE_ABOVE, 0, id="K-19: the columns are even, but there is one row more above"),
        pytest.param(ONE_COLUMN_MORE_IN_THE_EAST, 0, id="K-19: the rows are even, but there is one column more"),
        pytest.param(FOREST_AT_A_CORNER, 0, id="K-19: the castle in a corner"),
    ],
)
def test_the_middle_kingdom(drawing: str, bonus: int) -> None:
    """K-19: +10 for as many columns left as right and as many rows above as below, in kingdoms of any size."""
    assert points(drawing, MIDDLE) - points(drawing, Options()) == bonus


@pytest.mark.parametrize(
    ("discarded", "bonus"),
    [
        pytest.param("", 5, id="K-20: nothing discarded"),
        pytest.param("7", 0, id="K-20: one domino discarded"),
        pytest.param("7 8", 0, id="K-20: two dominoes discarded"),
    ],
)
@pytest.mark.parametrize("drawing", [WITHOUT_LAKE, ALONE], ids=["nine squares", "a castle alone"])
def test_harmony(drawing: str, discarded: str, bonus: int) -> None:
    """K-20: +5 for a player who discarded no domino, whatever the kingdom looks like."""
    assert points(drawing, HARMONY, discarded) - points(drawing, Options(), discarded) == bonus


@pytest.mark.parametrize(
    ("discarded", "options", "expected"),
    [
        pytest.param("", Options(), "54 points", id="K-16: no bonus without a variant"),
        pytest.param("", MIDDLE, "64 points", id="K-19: Middle Kingdom alone"),
        pytest.param("", HARMONY, "59 points", id="K-20: Harmony alone"),
        pytest.param("", BOTH, "69 points", id="K-19, K-20: both"),
        pytest.param("7", BOTH, "64 points", id="K-20: a discard costs one of both"),
    ],
)
def test_the_bonuses_together(discarded: str, options: Options, expected: str) -> None:
    """K-19, K-20: they are added to the points, and change neither the largest property nor the crowns."""
    told = worth(COMPLETE, options, discarded)
    assert told.startswith(expected)
    assert told.endswith("; largest property 6, crowns 13")


def test_bonuses_are_counted_at_the_end_of_the_game() -> None:
    """K-17, K-19, K-20: seat 0 has 3 points and Harmony, seat 1 nothing but the middle of its kingdom."""
    discarded = kingdom(WITHOUT_LAKE, discarded="9")
    state = position("3=0 4=0 5=1 >7=1", kingdoms=[MINE_OF_3, discarded], options=BOTH)
    assert answer(state, "discard 7")[1] == "The game is over: seat 0 has 8, seat 1 has 10."
    assert scoring.outcome(after(state, "discard 7")) == ((1,), (0,))


def test_a_discard_in_the_last_turn_costs_the_harmony() -> None:
    """K-20: the last domino counts as well."""
    state = position("3=0 4=0 5=1 >7=1", kingdoms=[MINE_OF_3, WITHOUT_LAKE], options=HARMONY)
    assert answer(state, "discard 7")[1] == "The game is over: seat 0 has 8, seat 1 has 0."
