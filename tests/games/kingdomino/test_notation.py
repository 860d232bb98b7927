"""Kingdomino as text: what players type, what logs and shells show, and positions that are read as they are written."""

import pytest

from services.kingdomino.rules import board, notation
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES, NUMBERS
from services.kingdomino.rules.events import (
    DominoChosen,
    DominoDiscarded,
    DominoPlaced,
    Event,
    GameDealt,
    GameEnded,
    LineDrawn,
)
from services.kingdomino.rules.model import (
    Direction,
    Options,
    State,
    Tally,
    cell_at,
    initial,
    is_within_reach,
    placement,
)
from services.kingdomino.rules.view import view
from shared.kernel import EVERYTHING, SPECTATOR, Malformed, Seat, Viewer
from tests.games.kingdomino.positions import (
    WITHOUT_LAKE,
    Stacked,
    after,
    kingdom,
    match_steps,
    numbers,
    position,
    seats,
    started,
)

REACH = range(-6, 7)
ANYWHERE = [placement(cell_at(x, y), direction) for x in REACH for y in REACH for direction in Direction]
PLACEMENTS = [where for where in ANYWHERE if is_within_reach(where)]
COMMANDS: list[Command] = [
    *(PlaceDomino(13, where, choose) for where in PLACEMENTS for choose in (None, 48)),
    *(DiscardDomino(number, choose) for number in NUMBERS for choose in (None, 1)),
    *(ChooseDomino(number) for number in NUMBERS),
]


def test_a_command_is_read_as_it_is_written() -> None:
    """Every placement of a domino, every discard and every choice come back from their texts."""
    assert [notation.parse_command(notation.format_command(command)) for command in COMMANDS] == COMMANDS


def test_every_command_has_a_text_of_its_own() -> None:
    """No two commands are written alike."""
    assert len({notation.format_command(command) for command in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize("number", [number for number in NUMBERS if DOMINOES[number].is_double])
def test_two_equal_squares_are_read_with_the_lower_cell_first(number: int) -> None:
    """Order: the other way round is the same command."""
    assert notation.parse_command(f"{number} at 2,0 west") == notation.parse_command(f"{number} at 1,0 east")
    assert notation.parse_command(f"{number} at 0,-1 north") == notation.parse_command(f"{number} at 0,-2 south")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("26 at 1,0 east", "26 at 1,0 east", id="as it is written"),
        pytest.param("place 26 at -1,0 west", "26 at -1,0 west", id="with a verb"),
        pytest.param("26 1,0 e", "26 at 1,0 east", id="in short"),
        pytest.param("26 at 0,1 S then 7", "26 at 0,1 south then 7", id="a letter for a direction"),
        pytest.param("26 AT 0,-1 North THEN 30", "26 at 0,-1 north then 30", id="in any case"),
        pytest.param("  26\tat  1 , 0   east ", "26 at 1,0 east", id="with space around"),
        pytest.param("discard 7", "discard 7", id="a discard"),
        pytest.param("Discard 7 then 12", "discard 7 then 12", id="a discard and a choice"),
        pytest.param(" CHOOSE 48 ", "choose 48", id="a choice"),
        pytest.param("choose 08", "choose 8", id="a number with a zero before it"),
    ],
)
def test_the_texts_of_a_command(text: str, expected: str) -> None:
    """With and without a verb, directions in short, in any case, with any space."""
    assert notation.format_command(notation.parse_command(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("26", id="no place"),
        pytest.param("26 at 1,0", id="no direction"),
        pytest.param("26 at 1 east", id="no y"),
        pytest.param("at 1,0 east", id="no domino"),
        pytest.param("26 at 1,0 up", id="a direction that is none"),
        pytest.param("26 at 1,0 eastern", id="more than a direction"),
        pytest.param("26 at 1,0 east then", id="no choice after then"),
        pytest.param("26 at 1,0 east 7", id="a choice without then"),
        pytest.param("26 at 10,0 east", id="x of two digits"),
        pytest.param("26 at +1,0 east", id="a plus"),
        pytest.param("choose", id="a choice of nothing"),
        pytest.param("choose 7 then 8", id="two choices"),
        pytest.param("choose 100", id="a number of three digits"),
        pytest.param("choose -7", id="a negative number"),
        pytest.param("discard 7\nchoose 8", id="two commands"),
        pytest.param("choose ٤", id="digits of another script"),
        pytest.param("7[l|l] at 1,0 east", id="a domino as it is drawn"),
    ],
)
def test_a_text_that_is_no_command_is_malformed(text: str) -> None:
    """The answer names the text, and says what a move looks like."""
    with pytest.raises(Malformed) as caught:
        notation.parse_command(text)
    assert (caught.value.field, notation.usage in caught.value.message) == ("text", True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("choose 0", "Dominoes have numbers from 1 to 48.", id="K-1: choosing 0"),
        pytest.param("choose 49", "Dominoes have numbers from 1 to 48.", id="K-1: choosing 49"),
        pytest.param("49 at 1,0 east", "Dominoes have numbers from 1 to 48.", id="K-1: placing 49"),
        pytest.param("discard 0", "Dominoes have numbers from 1 to 48.", id="K-1: discarding 0"),
        pytest.param("7 at 1,0 east then 49", "Dominoes have numbers from 1 to 48.", id="K-1: going on to 49"),
        pytest.param(
            "7 at 7,0 west", "No kingdom reaches farther than 6 cells from its castle.", id="K-14: far in the east"
        ),
        pytest.param(
            "7 at 0,-7 south", "No kingdom reaches farther than 6 cells from its castle.", id="K-14: far in the north"
        ),
        pytest.param(
            "1 at -6,0 west", "No kingdom reaches farther than 6 cells from its castle.", id="K-14: its second square"
        ),
    ],
)
def test_what_no_kingdom_can_have_is_malformed(text: str, message: str) -> None:
    """K-1, K-14: dominoes that are not there, and cells that no kingdom reaches."""
    with pytest.raises(Malformed) as caught:
        notation.parse_command(text)
    assert (caught.value.field, caught.value.message) == ("text", message)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param(
            GameDealt(2, seats("1 0 2"), 36, None, 12, None),
            "Game 2: 36 dominoes, 12 put aside; the kings choose in the order 1, 0, 2.",
            id="K-3: a deal, without the deck",
        ),
        pytest.param(LineDrawn((3, 17, 25)), "A line is drawn: 3, 17, 25.", id="K-5: a line"),
        pytest.param(DominoChosen(Seat(2), 17), "Seat 2 chooses 17.", id="K-6: a choice"),
        pytest.param(
            DominoPlaced(Seat(0), 26, placement(cell_at(-1, 0), Direction.NORTH)),
            "Seat 0 places 26 at -1,0 north.",
            id="K-8: a placement",
        ),
        pytest.param(DominoDiscarded(Seat(1), 7), "Seat 1 discards 7, which fits nowhere.", id="K-15: a discard"),
        pytest.param(
            GameEnded((Tally(12, 4, 3), Tally(0, 1, 0))),
            "The game is over: seat 0 has 12, seat 1 has 0.",
            id="K-10: the end",
        ),
    ],
)
def test_an_event_in_a_sentence(event: Event, expected: str) -> None:
    """Every kind of event, without what is hidden in it."""
    assert notation.describe_event(event) == expected


def test_a_deal_is_described_without_its_dominoes() -> None:
    """Hidden: the sentence on a deal is the same for who sees the deck."""
    full = GameDealt(1, seats("1 0 2 3"), 48, NUMBERS, 0, ())
    assert notation.describe_event(full) == notation.describe_event(full._replace(deck=None, aside=None))


def example() -> State:
    """A turn in a game with a bonus; seat 1 has discarded a domino."""
    own = """
                 0      1      2
          0 castle   25f*    25w
          1    46s     3f     3f
          2  46m**      .      .
    """
    chosen = [kingdom(own), kingdom(WITHOUT_LAKE, discarded="7 9")]
    state = position("8=1 >12=0 26=0 43=1", "4 20 36=1 47", kingdoms=chosen, deck="31 6 30 5", options=EXAMPLE_OPTIONS)
    return state._replace(aside=numbers("40 41"))


EXAMPLE_OPTIONS = Options(middle_kingdom=True, harmony=True)
SEEN_BY_SEAT_0 = """\
Kingdomino, game 1 of 1, seen by seat 0
options: middle kingdom, harmony
turn: seat 0 places
deck: 4 left, 2 aside
line: 8[l|l]=1 >12[s|s]=0 26[f*|w]=0 43[w|s**]=1
next: 4[f|f]= 20[w*|l]= 36[w|g*]=1 47[s|m**]=
seat 0: 10 points (mine 1x2, forest 3x1, harmony 5); largest property 3, crowns 3
            -2     -1      0      1      2      3      4
     -2      .      .      .      .      .      .      .
     -1      .      .      .      .      .      .      .
      0      .      . castle   25f*    25w      .      .
      1      .      .    46s     3f     3f      .      .
      2      .      .  46m**      .      .      .      .
      3      .      .      .      .      .      .      .
      4      .      .      .      .      .      .      .
seat 1: 10 points (middle kingdom 10); largest property 2, crowns 0; discarded 7 9
            -2     -1      0      1      2
     -2      .      .    16s      .      .
     -1      .      .    16w      .      .
      0     2w     2w castle     1w     1w
      1      .      .    13w      .      .
      2      .      .    13f      .      ."""


def test_a_view_as_a_board() -> None:
    """The lines with their kings, then every kingdom with all cells that it may grow to, and what it is worth."""
    assert notation.format_view(view(example(), Viewer(Seat(0)))) == SEEN_BY_SEAT_0


def test_who_sees_everything_sees_the_deck_in_its_order() -> None:
    """Hidden: only then, and not in the view of a spectator."""
    assert "\ndeck: 4 left (31 6 30 5), 2 aside (40 41)\n" in notation.format_view(view(example(), EVERYTHING))
    assert "\ndeck: 4 left, 2 aside\n" in notation.format_view(view(example(), SPECTATOR))


def opening() -> State:
    """The first line has one king."""
    _, state = started(Stacked("48 3 17 25", kings="1 0 0 1"), 2)
    return after(state, "choose 17")


def dynasty() -> State:
    """The third game of a match."""
    before = ((Tally(3, 1, 3), Tally(20, 7, 5)), (Tally(0, 0, 0), Tally(11, 2, 6)))
    return position("8=1 12=0 >26=0 43=1", options=Options(dynasty=True), before=before)


@pytest.mark.parametrize(
    ("state", "line"),
    [
        pytest.param(opening(), "line: 1 >0 0 1", id="K-6: the kings in the order in which they choose"),
        pytest.param(opening(), "next: 3[f|f]= 17[f|l]=1 25[f*|w]= 48[w|m***]=", id="K-6: a king on the first line"),
        pytest.param(opening(), "turn: seat 0 chooses", id="K-6: who chooses"),
        pytest.param(dynasty(), "game 2: 0/0/0 11/2/6", id="K-18: the tallies of an earlier game"),
        pytest.param(dynasty(), "Kingdomino, game 3 of 3", id="K-18: which game it is"),
        pytest.param(dynasty(), "next: ", id="K-11: no next line in the last round"),
        pytest.param(initial(Options(), 3), "turn: nobody", id="K-3: before the first deal"),
    ],
)
def test_a_line_of_the_text(state: State, line: str) -> None:
    """What is not in the example above."""
    assert line in notation.format_view(view(state, SPECTATOR)).split("\n")


@pytest.mark.parametrize("viewer", [Viewer(Seat(0)), Viewer(Seat(1)), SPECTATOR, EVERYTHING])
@pytest.mark.parametrize(
    "state",
    [
        pytest.param(initial(Options(), 2), id="before the first deal"),
        pytest.param(opening(), id="while the first line is chosen from"),
        pytest.param(example(), id="in the middle of a game"),
        pytest.param(after(example(), "12 at -1,0 west"), id="between the halves of a turn"),
        pytest.param(dynasty(), id="in the last round of the third game"),
        pytest.param(after(dynasty(), "26 at 1,0 east", "43 at 1,0 east"), id="after the end"),
    ],
)
def test_a_view_is_read_as_it_is_written(state: State, viewer: Viewer) -> None:
    """A position as text is the whole position as far as it is seen."""
    looking = view(state, viewer)
    assert board.parse_view(notation.format_view(looking)) == looking


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(Options(dynasty=True, harmony=True), id="K-18: three games"),
        pytest.param(Options(middle_kingdom=True, mighty_duel=True), id="K-21: kingdoms of 7 x 7"),
    ],
)
def test_every_view_of_a_match_is_read_as_it_is_written(options: Options) -> None:
    """From the deal to the end, whoever looks."""
    for number, step in enumerate(match_steps(2, options, b"read and written")):
        looking = view(step.state, (Viewer(Seat(0)), Viewer(Seat(1)), SPECTATOR, EVERYTHING)[number % 4])
        assert board.parse_view(notation.format_view(looking)) == looking


def test_dots_at_the_right_of_a_kingdom_may_be_left_out() -> None:
    """A kingdom can be drawn by hand: only what lies there counts."""
    drawn = "\n".join(["  -2 -1 0 1 2", "-1 . . 3f", "0 26w 26f* castle", "-2 . . 3f"])
    assert board.parse_kingdom(drawn, 5) == kingdom("""
            -2     -1      0
     -2      .      .     3f
     -1      .      .     3f
      0    26w   26f* castle
    """)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        pytest.param(7, "7[l|l]", id="K-1: two equal squares"),
        pytest.param(43, "43[w|s**]", id="K-1: a star for each crown"),
        pytest.param(48, "48[w|m***]", id="K-1: three crowns"),
    ],
)
def test_a_domino_as_text(number: int, expected: str) -> None:
    """K-1: its number, and the letters of its terrains with their crowns."""
    assert board.format_domino(DOMINOES[number]) == expected
