"""Domino as text: what players type, and what logs and shells show."""

import pytest

from services.domino.rules import notation
from services.domino.rules.commands import LayTile
from services.domino.rules.events import Event, RoundDealt, TileDrawn, TileLaid, TurnPassed
from services.domino.rules.model import TILES, End, Tile
from services.domino.rules.view import view
from shared.kernel import EVERYTHING, SPECTATOR, Malformed, Seat, Viewer
from tests.games.domino.positions import after, finished, hand, position, tile, tiles


@pytest.mark.parametrize("end", list(End))
@pytest.mark.parametrize("number", TILES)
def test_a_command_is_read_as_it_is_written(number: Tile, end: End) -> None:
    """Each of the 56 commands comes back from its text."""
    command = LayTile(number, end)
    assert notation.parse_command(notation.format_command(command)) == command


def test_every_command_has_a_text_of_its_own() -> None:
    """No two of the 56 commands are written alike."""
    assert len({notation.format_command(LayTile(number, end)) for number in TILES for end in End}) == 56


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("4-6 left", "4-6 left", id="as it is written"),
        pytest.param("6-4 left", "4-6 left", id="the halves in the other order"),
        pytest.param("0-3 r", "0-3 right", id="r for right"),
        pytest.param("0-3 l", "0-3 left", id="l for left"),
        pytest.param("0-3 RIGHT", "0-3 right", id="in capitals"),
        pytest.param("  5-5\t L ", "5-5 left", id="with space around"),
    ],
)
def test_the_texts_of_a_command(text: str, expected: str) -> None:
    """Halves in either order, ends in short, in any case, with any space."""
    assert notation.format_command(notation.parse_command(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("4-6", id="no end"),
        pytest.param("left", id="no tile"),
        pytest.param("4-7 left", id="a half above 6"),
        pytest.param("-1-2 left", id="a half below 0"),
        pytest.param("4-6left", id="no space before the end"),
        pytest.param("46 left", id="no dash"),
        pytest.param("4-6-1 left", id="three halves"),
        pytest.param("10-6 left", id="a half of two digits"),
        pytest.param("4-6 middle", id="an end that is none"),
        pytest.param("4-6 lef", id="half a word"),
        pytest.param("4-6 left right", id="two ends"),
        pytest.param("4-6 left\n0-1 left", id="two commands"),
        pytest.param("٤-٦ left", id="digits of another script"),
        pytest.param("[4|6] left", id="a tile as it lies"),
    ],
)
def test_a_text_that_is_no_command_is_malformed(text: str) -> None:
    """The answer names the text, and says what a move looks like."""
    with pytest.raises(Malformed) as caught:
        notation.parse_command(text)
    assert caught.value.field == "text"
    assert notation.usage in caught.value.message


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param(
            RoundDealt(3, Seat(1), 5, (None, None), 18, None),
            "Round 3: 5 tiles each, 18 in the boneyard; seat 1 starts.",
            id="D-2: a deal, without the hands",
        ),
        pytest.param(
            TileLaid(Seat(0), tile("6-4"), End.LEFT), "Seat 0 lays 4-6 at the left end.", id="D-7: at the left"
        ),
        pytest.param(
            TileLaid(Seat(2), tile("0-0"), End.RIGHT), "Seat 2 lays 0-0 at the right end.", id="D-7: at the right"
        ),
        pytest.param(TileDrawn(Seat(1), tile("5-2")), "Seat 1 draws 2-5.", id="D-9: a draw, as its owner sees it"),
        pytest.param(TileDrawn(Seat(1), tile("0-0")), "Seat 1 draws 0-0.", id="D-9: a draw of 0-0 is not a hidden one"),
        pytest.param(TileDrawn(Seat(1), None), "Seat 1 draws.", id="D-9: a draw, as others see it"),
        pytest.param(TurnPassed(Seat(3)), "Seat 3 passes.", id="D-10: a pass"),
        pytest.param(
            finished([1], ["1-2", ""]),
            "The round is over: seat 1 wins.",
            id="D-12: a win by the last tile",
        ),
        pytest.param(
            finished([0], ["0-0", "1-2"]),
            "The round is blocked: seat 0 wins.",
            id="D-12: a win of a blocked round",
        ),
        pytest.param(
            finished([0, 2], ["0-3", "6-5", "1-2"], [0, 0, 0]),
            "The round is blocked: seat 0 and seat 2 share the win.",
            id="D-14: a shared win",
        ),
        pytest.param(
            finished([1], ["1-2", ""], [0, 3]),
            "The round is over: seat 1 wins and scores 3.",
            id="D-14: a win with points",
        ),
    ],
)
def test_an_event_in_a_sentence(event: Event, expected: str) -> None:
    """Every kind of event, without what is hidden in it."""
    assert notation.describe_event(event) == expected


def test_a_deal_is_described_without_its_tiles() -> None:
    """Hidden: the sentence on a deal is the same for who sees the hands."""
    full = RoundDealt(1, Seat(0), 2, (hand("6-6 0-1"), hand("0-0 2-3")), 24, tiles("5-5"))
    hidden = RoundDealt(1, Seat(0), 2, (None, None), 24, None)
    assert notation.describe_event(full) == notation.describe_event(hidden)


SEEN_BY_SEAT_0 = """\
Round 1, 2 in the boneyard
[6|6][6|4]
  seat 0: 1-4 2-2
> seat 1: [?] [?] [?]"""

SEEN_BY_A_SPECTATOR = """\
Round 1, 2 in the boneyard
[6|6][6|4]
  seat 0: [?] [?]
> seat 1: [?] [?] [?]"""

SEEN_WITH_A_TARGET = """\
Round 1, 2 in the boneyard
(no tile laid yet)
> seat 0: 1-4 2-2  12 points
  seat 1: 0-3 1-1 4-4  0 points"""

SEEN_AFTER_THE_END = """\
Round 1, 0 in the boneyard
[6|6][6|4][4|1]
  seat 0: -
  seat 1: 2-3"""


def test_a_view_as_a_board() -> None:
    """The line, then one row a seat, with a mark for whose turn it is and hidden tiles counted."""
    state = position("[6|6][6|4]", ["4-1 2-2", "0-3 4-4 1-1"], boneyard="0-0 1-5", turn=1)
    assert notation.format_view(view(state, Viewer(Seat(0)))) == SEEN_BY_SEAT_0
    assert notation.format_view(view(state, SPECTATOR)) == SEEN_BY_A_SPECTATOR


def test_a_view_with_a_target_shows_the_points() -> None:
    """D-14: scores are shown where they count, and an empty line in words."""
    state = position("", ["4-1 2-2", "0-3 4-4 1-1"], boneyard="0-0 1-5", target=50, scores=(12, 0))
    assert notation.format_view(view(state, EVERYTHING)) == SEEN_WITH_A_TARGET


def test_a_view_after_the_end_marks_nobody() -> None:
    """D-11: nobody is to act, and an empty hand is a dash."""
    state = after(position("[6|6][6|4]", ["4-1", "2-3"]), "4-1 right")
    assert notation.format_view(view(state, EVERYTHING)) == SEEN_AFTER_THE_END
