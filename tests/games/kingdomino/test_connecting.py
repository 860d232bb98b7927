"""K-12 to K-15: where a domino may lie, in which order that is listed, and when it is discarded."""

import pytest

from services.kingdomino.rules import notation, scoring
from services.kingdomino.rules.commands import PlaceDomino
from services.kingdomino.rules.dominoes import NUMBERS
from services.kingdomino.rules.model import Direction, Options, State, cell_at, placement
from tests.games.kingdomino.positions import (
    WITHOUT_LAKE,
    after,
    answer,
    decided,
    described,
    kingdom,
    kingdom_text,
    places,
    play,
    position,
)

DUEL = Options(mighty_duel=True)
ALONE = ""
ONE_DOMINO = """
             0      1      2
      0 castle    13w    13f
"""
# Single free cells at 0,-1 (next to the castle), at -3,1 and at -2,3 (next to forest). Three in a row are left above.
THREE_IN_A_ROW = """
            -4     -3     -2     -1      0
     -1      .      .      .    21g      .
      0    12s  43s**    43w   21w* castle
      1    12s      .    27w  46m**    46s
      2     4f     4f   27f*  41g**    16s
      3     6f     6f      .    41w    16w
"""
TOUCHES_NOTHING = "Neither square would touch the castle or a square of its own terrain."
TOO_LARGE = "The kingdom would not fit in a square of 5 x 5."
TOO_LARGE_FOR_THE_DUEL = "The kingdom would not fit in a square of 7 x 7."


def to_place(number: int, drawing: str, options: Options | None = None) -> State:
    """Seat 0 has a domino to place in this kingdom; it is the last round."""
    chosen = options or Options()
    own = kingdom(drawing, side=chosen.side)
    others = [other for other in NUMBERS if other not in (number, *(laid.number for laid in own.laid))]
    kings = {number: ">{}=0", others[0]: "{}=0", others[1]: "{}=1", others[2]: "{}=1"}
    line = " ".join(kings[one].format(one) for one in sorted(kings))
    return position(line, kingdoms=[own, ""], options=chosen)


def placed(command: str, drawing: str, options: Options | None = None) -> list[str]:
    """The answer to a placement in this kingdom, without what follows from it."""
    number = int(command.split()[0])
    answered = answer(to_place(number, drawing, options), command)
    return answered if answered[0].startswith("refused") else answered[:1]


def accepted(command: str) -> list[str]:
    """The answer to a placement that is legal."""
    return [f"Seat 0 places {notation.format_command(notation.parse_command(command))}."]


@pytest.mark.parametrize(
    ("command", "drawing", "expected"),
    [
        pytest.param("26 at 1,0 east", ALONE, ["castle 26f* 26w"], id="K-12: to the east"),
        pytest.param("26 at -1,0 west", ALONE, ["26w 26f* castle"], id="K-12: to the west"),
        pytest.param("26 at 0,-1 north", ALONE, ["26w", "26f*", "castle"], id="K-12: to the north"),
        pytest.param("26 at 0,1 south", ALONE, ["castle", "26f*", "26w"], id="K-12: to the south"),
        pytest.param("26 at 2,0 west", ALONE, ["castle 26w 26f*"], id="K-12: turned round"),
        pytest.param("3 at 2,1 south", ONE_DOMINO, ["castle 13w 13f", "3f", "3f"], id="K-12: beside a square"),
    ],
)
def test_a_domino_lies_in_any_direction(command: str, drawing: str, expected: list[str]) -> None:
    """K-12: its first square on the cell that is named, its second next to it."""
    number = int(command.split()[0])
    assert kingdom_text(after(to_place(number, drawing), command).kingdoms[0]) == expected


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        pytest.param("26 at 0,0 south", "The cell at 0, 0 is taken.", id="K-12: the first square on the castle"),
        pytest.param("26 at -1,0 east", "The cell at 0, 0 is taken.", id="K-12: the second square on the castle"),
        pytest.param("26 at 1,0 south", "The cell at 1, 0 is taken.", id="K-12: the first square on another"),
        pytest.param("26 at 2,1 north", "The cell at 2, 0 is taken.", id="K-12: the second square on another"),
        pytest.param("26 at 1,0 east", "The cell at 1, 0 is taken.", id="K-12: both squares on another domino"),
    ],
)
def test_both_cells_must_be_free(command: str, sentence: str) -> None:
    """K-12: two free cells; the answer names the one that is not."""
    assert placed(command, ONE_DOMINO) == ["refused: K-12", sentence]


@pytest.mark.parametrize("number", [1, 3, 7, 10, 12, 46, 48])
@pytest.mark.parametrize("where", ["1,0 east", "-1,0 north", "0,1 west", "0,-2 south", "1,-1 west"])
def test_the_castle_goes_with_every_terrain(number: int, where: str) -> None:
    """K-13: wheat, forest, lake, grass, swamp and mine, on all four sides, with either square."""
    assert placed(f"{number} at {where}", ALONE) == accepted(f"{number} at {where}")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("3 at 3,0 east", id="K-13: forest at forest"),
        pytest.param("1 at 1,1 south", id="K-13: wheat at wheat"),
        pytest.param("26 at 3,0 north", id="K-13: with crowns or without"),
        pytest.param("17 at 2,1 east", id="K-13: the first square is enough, the lake touches nothing"),
        pytest.param("33 at 4,0 west", id="K-13: the second square is enough, the lake touches nothing"),
        pytest.param("26 at 2,1 west", id="K-13: both squares touch their own terrain"),
        pytest.param("17 at 2,-1 west", id="K-13: one square fits, though the other touches another terrain"),
        pytest.param("7 at -1,1 north", id="K-13: the castle is enough, whatever else is in the kingdom"),
    ],
)
def test_one_square_at_its_own_terrain_or_the_castle_is_enough(command: str) -> None:
    """K-13: at least one of the two, by an edge."""
    assert placed(command, ONE_DOMINO) == accepted(command)


@pytest.mark.parametrize(
    ("command", "drawing"),
    [
        pytest.param("1 at 2,0 east", ALONE, id="K-13: its own two squares do not count"),
        pytest.param("7 at 1,1 east", ALONE, id="K-13: a corner of the castle is no edge"),
        pytest.param("1 at 3,0 east", ONE_DOMINO, id="K-13: wheat at forest"),
        pytest.param("3 at 1,1 south", ONE_DOMINO, id="K-13: forest at wheat"),
        pytest.param("26 at 1,1 east", ONE_DOMINO, id="K-13: each square at the other's terrain"),
        pytest.param("26 at 4,0 west", ONE_DOMINO, id="K-13: its forest is near, but its wheat touches"),
        pytest.param("3 at 3,1 east", ONE_DOMINO, id="K-13: a corner of its own terrain is no edge"),
        pytest.param("7 at 2,1 south", ONE_DOMINO, id="K-13: a terrain that is not in the kingdom"),
        pytest.param("3 at 1,3 east", ONE_DOMINO, id="K-13: far from everything"),
    ],
)
def test_a_domino_that_touches_nothing_of_its_own_is_refused(command: str, drawing: str) -> None:
    """K-13: neither the castle nor a square of the same terrain of another domino."""
    assert placed(command, drawing) == ["refused: K-13", TOUCHES_NOTHING]


TO_THE_EAST = """
             0      1      2      3      4
      0 castle     1w     1w     2w     2w
"""
TO_THE_WEST = """
            -4     -3     -2     -1      0
      0     2w     2w     1w     1w castle
"""
TO_THE_NORTH = """
             0
     -4     2w
     -3     2w
     -2     1w
     -1     1w
      0 castle
"""
TO_THE_SOUTH = """
             0
      0 castle
      1     1w
      2     1w
      3     2w
      4     2w
"""
# Four columns and two rows: there is room for one more column, on either side.
FOUR_COLUMNS = """
             0      1      2      3
      0 castle     1w     1w     2w
      1      .      .      .     2w
"""
DUEL_ROW = """
            -2     -1      0      1      2      3      4
      0    13f    13w castle     1w     1w     2w     2w
"""
DUEL_COLUMN = """
             0
     -4     2w
     -3     2w
     -2     1w
     -1     1w
      0 castle
      1    13w
      2    13f
"""


@pytest.mark.parametrize(
    ("drawing", "command", "fits"),
    [
        pytest.param(TO_THE_EAST, "14 at 5,0 east", False, id="K-14: five columns, and two more in the east"),
        pytest.param(TO_THE_EAST, "14 at -1,0 south", False, id="K-14: five columns, and one more in the west"),
        pytest.param(TO_THE_EAST, "14 at 4,1 east", False, id="K-14: five columns, and one square outside"),
        pytest.param(TO_THE_EAST, "14 at 4,1 south", True, id="K-14: five columns, and inside of them"),
        pytest.param(TO_THE_EAST, "14 at 0,-1 north", True, id="K-14: the castle in the west column"),
        pytest.param(TO_THE_WEST, "14 at -5,0 north", False, id="K-14: five columns, and one more in the west"),
        pytest.param(TO_THE_WEST, "14 at 1,0 south", False, id="K-14: five columns, and one more in the east"),
        pytest.param(TO_THE_WEST, "14 at -4,1 south", True, id="K-14: the castle in the east column"),
        pytest.param(TO_THE_NORTH, "14 at 0,-5 west", False, id="K-14: five rows, and one more in the north"),
        pytest.param(TO_THE_NORTH, "14 at 0,1 east", False, id="K-14: five rows, and one more in the south"),
        pytest.param(TO_THE_NORTH, "14 at 1,-4 north", False, id="K-14: five rows, and one square outside"),
        pytest.param(TO_THE_NORTH, "14 at 1,-4 east", True, id="K-14: the castle in the south row"),
        pytest.param(TO_THE_SOUTH, "14 at 0,5 south", False, id="K-14: five rows, and two more in the south"),
        pytest.param(TO_THE_SOUTH, "14 at 0,-1 west", False, id="K-14: five rows, and one more in the north"),
        pytest.param(TO_THE_SOUTH, "14 at 1,4 east", True, id="K-14: the castle in the north row"),
        pytest.param(FOUR_COLUMNS, "14 at 4,0 south", True, id="K-14: the fifth column in the east"),
        pytest.param(FOUR_COLUMNS, "14 at -1,0 south", True, id="K-14: the fifth column in the west"),
        pytest.param(FOUR_COLUMNS, "14 at 4,0 east", False, id="K-14: a fifth and a sixth column in the east"),
        pytest.param(FOUR_COLUMNS, "14 at -1,0 west", False, id="K-14: a fifth and a sixth column in the west"),
        pytest.param(FOUR_COLUMNS, "14 at 3,-1 north", True, id="K-14: a third and a fourth row"),
    ],
)
def test_a_kingdom_fits_in_a_square_of_five(drawing: str, command: str, fits: bool) -> None:
    """K-14: five columns and five rows at most, wherever the castle ends up in them."""
    assert placed(command, drawing) == (accepted(command) if fits else ["refused: K-14", TOO_LARGE])


@pytest.mark.parametrize(
    ("drawing", "command", "fits"),
    [
        pytest.param(TO_THE_EAST, "14 at 5,0 east", True, id="K-21: seven columns in the duel"),
        pytest.param(DUEL_ROW, "14 at 5,0 south", False, id="K-21: seven columns, and one more in the east"),
        pytest.param(DUEL_ROW, "3 at -3,0 south", False, id="K-21: seven columns, and one more in the west"),
        pytest.param(DUEL_ROW, "3 at -2,1 south", True, id="K-21: seven columns, and inside of them"),
        pytest.param(DUEL_COLUMN, "14 at 0,-5 east", False, id="K-21: seven rows, and one more in the north"),
        pytest.param(DUEL_COLUMN, "3 at 0,3 east", False, id="K-21: seven rows, and one more in the south"),
        pytest.param(DUEL_COLUMN, "3 at 1,2 east", True, id="K-21: seven rows, and inside of them"),
    ],
)
def test_in_the_duel_a_kingdom_fits_in_a_square_of_seven(drawing: str, command: str, fits: bool) -> None:
    """K-14, K-21: seven columns and seven rows."""
    expected = accepted(command) if fits else ["refused: K-14", TOO_LARGE_FOR_THE_DUEL]
    assert placed(command, drawing, DUEL) == expected


# By hand: a domino that only the castle connects has a square on -1,0, on 0,-1 or on 0,1. Each of these has three free
# cells beside it, so there are nine pairs of cells, and two ways round for each.
NINE_PAIRS = """
-2,0 east / -1,-1 south / -1,-1 east / -1,0 south / -1,1 east / 0,-2 south / 0,-1 east / 0,1 south / 0,1 east
"""
BOTH_WAYS_ROUND = """
-2,0 east / -1,-1 south / -1,-1 east / -1,0 west / -1,0 north / -1,0 south / -1,1 north / -1,1 east / 0,-2 south /
0,-1 west / 0,-1 north / 0,-1 east / 0,1 west / 0,1 south / 0,1 east / 0,2 north / 1,-1 west / 1,1 west
"""


@pytest.mark.parametrize(
    ("drawing", "number", "expected"),
    [
        pytest.param(ONE_DOMINO, 7, NINE_PAIRS, id="Order: two equal squares, the lower cell first"),
        pytest.param(ONE_DOMINO, 46, BOTH_WAYS_ROUND, id="Order: by the first square, then by the second"),
        pytest.param(THREE_IN_A_ROW, 10, "-3,-1 east", id="Order: two equal squares, only where one connects"),
        pytest.param(THREE_IN_A_ROW, 22, "-4,-1 east / -3,-1 west / -2,-1 west", id="Order: not either way round"),
        pytest.param(THREE_IN_A_ROW, 32, "", id="K-12: no room for two squares where one connects"),
        pytest.param(WITHOUT_LAKE, 7, "", id="K-13: room enough, but nothing to connect with"),
    ],
)
def test_the_placements_of_a_domino_in_order(drawing: str, number: int, expected: str) -> None:
    """Order: by (x, y) of the first square, then of the second; all of them, worked out by hand."""
    assert places(kingdom(drawing), number) == [one.strip() for one in expected.split("/") if one]


@pytest.mark.parametrize("number", range(1, 13))
@pytest.mark.parametrize(
    ("x", "y", "direction", "expected"),
    [
        pytest.param(2, 0, Direction.WEST, "1,0 east", id="Order: from east to west"),
        pytest.param(0, 2, Direction.NORTH, "0,1 south", id="Order: from south to north"),
        pytest.param(-1, 0, Direction.WEST, "-2,0 east", id="Order: from east to west, at negative x"),
    ],
)
def test_two_equal_squares_the_other_way_round_are_the_same_command(
    number: int, x: int, y: int, direction: Direction, expected: str
) -> None:
    """Order: it is accepted, and the event says that the lower cell is the first."""
    state = to_place(number, ALONE)
    events = decided(state, PlaceDomino(number, placement(cell_at(x, y), direction)))
    assert described(events)[0] == f"Seat 0 places {number} at {expected}."
    assert events == decided(state, notation.parse_command(f"{number} at {expected}"))


def test_two_different_squares_the_other_way_round_are_another_command() -> None:
    """Order: both are legal, and they lead to different kingdoms."""
    east, west = (after(to_place(26, ALONE), command).kingdoms[0] for command in ("26 at 1,0 east", "26 at 2,0 west"))
    assert (kingdom_text(east), kingdom_text(west)) == (["castle 26f* 26w"], ["castle 26w 26f*"])


@pytest.mark.parametrize(
    ("number", "drawing"),
    [
        pytest.param(7, WITHOUT_LAKE, id="K-15: nothing to connect with"),
        pytest.param(32, THREE_IN_A_ROW, id="K-15: no room for it where it connects"),
    ],
)
def test_a_domino_that_fits_nowhere_is_discarded(number: int, drawing: str) -> None:
    """K-15: it is put away, and the kingdom and its points stay as they are."""
    state = to_place(number, drawing)
    events, following = play(state, f"discard {number}")
    assert described(events)[0] == f"Seat 0 discards {number}, which fits nowhere."
    assert following.kingdoms == (kingdom(drawing, discarded=str(number)), state.kingdoms[1])
    assert scoring.points(following.kingdoms[0]) == scoring.points(state.kingdoms[0])


@pytest.mark.parametrize(
    ("number", "drawing", "options"),
    [
        pytest.param(7, ALONE, Options(), id="K-15: it fits at the castle"),
        pytest.param(10, THREE_IN_A_ROW, Options(), id="K-15: it has a single placement"),
        pytest.param(32, THREE_IN_A_ROW, DUEL, id="K-15: what is too large for 5 x 5 fits in the duel"),
    ],
)
@pytest.mark.parametrize("then", ["", " then 48"], ids=["alone", "in a whole turn"])
def test_a_domino_that_fits_cannot_be_discarded(number: int, drawing: str, options: Options, then: str) -> None:
    """K-15: a discard is legal only without a legal placement, alone or in a whole turn."""
    state = to_place(number, drawing, options)
    sentence = f"Domino {number} can be placed, so it can't be discarded."
    assert answer(state, f"discard {number}{then}") == ["refused: K-15", sentence]
    assert state == to_place(number, drawing, options)
