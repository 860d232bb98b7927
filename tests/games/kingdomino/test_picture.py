"""The picture of a Kingdomino position: what is drawn and where, and that nothing hidden is."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from services.kingdomino.emblems import SEAT_COLOURS
from services.kingdomino.picture import draw
from services.kingdomino.rules.board import parse_view
from services.kingdomino.rules.model import Options, Phase, State, first_cell, second_cell
from services.kingdomino.rules.model import position as coordinates
from services.kingdomino.rules.view import View, view
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from tests.games.kingdomino import drawn
from tests.games.kingdomino.drawn import (
    EVERY_VARIANT,
    POSITIONS,
    STATES,
    SVG,
    VIEWERS,
    Box,
    boxes,
    find,
    panel,
    picture_of,
    playing,
    states,
    uses,
    walk,
    words,
)
from tests.games.kingdomino.positions import (
    WITHOUT_LAKE,
    after,
    kingdom,
    match_steps,
    numbers,
    squares,
    whereabouts,
)

DOCS = Path(__file__).parents[3] / "docs"
BONUSES = Options(middle_kingdom=True, harmony=True)
PLAYED = {name: state for name, state in STATES.items() if state.phase is not Phase.OVER}
FIVE_WIDE = """
             0      1      2      3      4
     -1      .      .    20l      .      .
      0 castle   19w*   20w*   48w  48m***
      1      .    19f      .      .      .
"""


# What stands alone


@POSITIONS
@VIEWERS
def test_a_picture_is_svg_that_stands_alone(state: State, viewer: Viewer) -> None:
    """It is well-formed, says what it is, and refers only to its own definitions, each of which is there once."""
    text = draw(view(state, viewer))
    root = ET.fromstring(text)
    ids = Counter(element.get("id") for element in root.iter() if "id" in element.attrib)
    referred = set(re.findall(r'(?:href="#|url\(#)([^")]*)', text))
    assert (root.tag, root.get("role"), root[0].tag) == (f"{SVG}svg", "img", f"{SVG}title")
    assert set(ids.values()) == {1}
    assert referred <= set(ids)
    assert all(str(name).startswith("kingdomino-") for name in ids)


@VIEWERS
def test_all_looks_are_attributes(viewer: Viewer) -> None:
    """A page that forbids inline styles and scripts can embed it."""
    root = ET.fromstring(draw(view(playing(FIVE_WIDE, WITHOUT_LAKE), viewer)))
    assert not {f"{SVG}style", f"{SVG}script"} & {element.tag for element in root.iter()}
    assert not any(name == "style" or name.startswith("on") for element in root.iter() for name in element.attrib)


@POSITIONS
def test_the_position_as_text_is_in_the_picture(state: State) -> None:
    """For those who do not see it; the view can be read off the picture."""
    seen = view(state, Viewer(Seat(1)))
    text = draw(seen)
    assert draw(parse_view(ET.fromstring(text).findtext(f"{SVG}desc", ""))) == text


# Kingdoms


@POSITIONS
def test_every_square_of_a_kingdom_is_drawn_on_its_cell(state: State) -> None:
    """K-1, K-4: with its terrain and its crowns, counted from the castle."""
    picture = picture_of(state)
    for seat, built in enumerate(state.kingdoms):
        assert drawn.squares_of(panel(picture, seat)) == squares(built)


@POSITIONS
def test_every_domino_of_a_kingdom_is_drawn_as_one_piece(state: State) -> None:
    """K-12: its border is round its own two cells."""
    picture = picture_of(state)
    for seat, built in enumerate(state.kingdoms):
        (castle,) = find(panel(picture, seat), "castle")
        (board,) = find(panel(picture, seat), "kingdom")
        found = {
            int(domino.number("data-domino")): {drawn.cell_of(square, castle) for square in find(domino, "square")}
            for domino in find(board, "domino")
        }
        assert found == {n: {coordinates(first_cell(w)), coordinates(second_cell(w))} for n, w in built.laid}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_castle_and_its_kings_have_the_colour_of_their_seat(players: int) -> None:
    """K-4: no two seats share one; the number of the seat is there for who cannot tell colours apart."""
    picture = picture_of(states(players, Options())["first"])
    for seat in range(players):
        own = [one for one in find(picture, "king") if one.element.get("data-seat") == str(seat)]
        pieces = [*find(panel(picture, seat), "castle"), *own]
        assert {use.get("fill") for piece in pieces for use in piece.element.iter(f"{SVG}use")} == {SEAT_COLOURS[seat]}
        assert {word for piece in pieces for word in words(piece)} == {str(seat)}
    assert len(set(SEAT_COLOURS)) == 4


@pytest.mark.parametrize(("options", "side"), [(Options(), 5), (EVERY_VARIANT, 7)], ids=["K-14: 5 x 5", "K-21: 7 x 7"])
def test_a_board_has_as_many_cells_as_a_kingdom_may_have(options: Options, side: int) -> None:
    """K-14: and the castle alone is in the middle of it."""
    part = panel(picture_of(playing(options=options)), 0)
    (cells,) = (one for one in walk(part) if one.element.get("fill") == "url(#kingdomino-free)")
    (castle,) = uses(part, "castle")
    assert (cells.number("width"), cells.number("height")) == (48 * side, 48 * side)
    outer, inner = boxes((cells, castle))
    assert (outer.left + outer.right, outer.top + outer.bottom) == pytest.approx(
        (inner.left + inner.right, inner.top + inner.bottom)
    )


@pytest.mark.parametrize(
    ("drawing", "sides"),
    [
        pytest.param("", "above below left right", id="K-14: a castle alone may grow to every side"),
        pytest.param(FIVE_WIDE, "above below", id="K-14: five columns are the most"),
        pytest.param(WITHOUT_LAKE, "", id="K-14: five columns and five rows"),
    ],
)
def test_small_arrows_say_where_a_kingdom_may_grow_past_its_board(drawing: str, sides: str) -> None:
    """K-14: the kingdom is in the middle of its board, so that what is free on one side may be used on the other."""
    part = panel(picture_of(playing(drawing)), 0)
    (board,) = boxes(one for one in walk(part) if one.element.get("fill") == "url(#kingdomino-free)")
    found = {side_of(board, box) for box in boxes(uses(part, "more"))}
    assert found == set(sides.split())


def side_of(board: Box, mark: Box) -> str:
    """On which side of a board a mark is."""
    is_beside = {
        "above": mark.bottom < board.top,
        "below": mark.top > board.bottom,
        "left": mark.right < board.left,
        "right": mark.left > board.right,
    }
    (side,) = (side for side, is_it in is_beside.items() if is_it)
    return side


def test_discarded_dominoes_are_in_the_panel_of_their_seat() -> None:
    """K-15: drawn small, with their numbers, outside of the kingdom."""
    picture = picture_of(playing(kingdom(WITHOUT_LAKE, discarded="7 8")))
    (found,) = find(picture, "discarded")
    assert drawn.dominoes(found) == [7, 8]
    assert words(found) == ["Discarded", "7", "8"]
    assert find(panel(picture, 0), "discarded")


# Lines and kings


@pytest.mark.parametrize(
    ("is_choosing", "line", "following", "status"),
    [
        pytest.param(
            False, "_ >12=0 26=0 43=1", "3 21 36=1 44", "Seat 0 places domino 12", id="K-8: the king places its domino"
        ),
        pytest.param(
            True,
            "_ >=0 26=0 43=1",
            "*3 *21 36=1 *44",
            "Seat 0 chooses from the next line",
            id="K-8: then it chooses a free one",
        ),
    ],
)
def test_both_lines_show_their_dominoes_and_kings(is_choosing: bool, line: str, following: str, status: str) -> None:
    """K-8: the moving king is marked, and so is what it may choose; whoever has moved on has left the line."""
    picture = picture_of(playing(is_choosing=is_choosing))
    assert (drawn.line(picture, "line"), drawn.line(picture, "next-line")) == (line, following)
    assert status in words(picture)


def test_before_the_first_line_has_its_kings_they_stand_in_their_order() -> None:
    """K-5, K-6: above the first line."""
    first = next(match_steps(4, Options(), b"first")).state
    picture = picture_of(first)
    kings = " ".join(f"={king}" for king in first.kings)
    assert drawn.line(picture, "line") == f">{kings}"
    assert drawn.line(picture, "next-line") == " ".join(f"*{number}" for number in sorted(first.next_line))
    assert "First line" in words(picture)
    chosen = picture_of(after(first, f"choose {first.next_line[2]}"))
    assert drawn.line(chosen, "line") == f"_ >{kings.partition(' ')[2]}"
    assert f"{first.next_line[2]}={first.kings[0]}" in drawn.line(chosen, "next-line").split()


@pytest.mark.parametrize(
    ("state", "note"),
    [
        pytest.param(states(3, Options())["undealt"], "not dealt yet", id="before the first deal"),
        pytest.param(states(3, Options())["first"], "33 in the deck", id="K-5: the first line is there"),
        pytest.param(states(3, Options())["last"], "none: last round", id="K-11: there is no next line"),
    ],
)
def test_what_is_still_to_come_is_said_below_the_name_of_the_next_line(state: State, note: str) -> None:
    """K-11: an empty place is explained."""
    (following,) = find(picture_of(state), "next-line")
    assert words(following)[1] == note


@pytest.mark.parametrize("state", PLAYED.values(), ids=PLAYED)
def test_the_lines_of_a_match_are_all_there(state: State) -> None:
    """K-5, K-7: every domino once, by number, and every king that is on a domino."""
    picture = picture_of(state)
    (line,), (following,) = find(picture, "line"), find(picture, "next-line")
    placed = state.at + (state.phase is Phase.CHOOSE)
    assert drawn.dominoes(line) == list(state.line[placed:])
    assert drawn.dominoes(following) == sorted(state.next_line)
    kings = [king for king in state.next_kings if king is not None]
    assert [int(one.number("data-seat")) for one in find(line, "king")] == list(state.kings[state.at :])
    assert [int(one.number("data-seat")) for one in find(following, "king")] == kings


@POSITIONS
def test_every_domino_in_sight_is_drawn_once(state: State) -> None:
    """K-1, K-3: with the deck and what was put aside revealed, all 48 of them."""
    assert sorted(drawn.dominoes(picture_of(state, EVERYTHING))) == whereabouts(state)
    hidden = {*state.deck, *state.aside}
    assert sorted(drawn.dominoes(picture_of(state))) == [n for n in whereabouts(state) if n not in hidden]


@pytest.mark.parametrize("seat", range(4))
def test_the_panel_of_the_seat_to_act_is_marked_and_no_other(seat: int) -> None:
    """K-8."""
    state = states(4, Options())["early"]
    picture = picture_of(state._replace(kings=(Seat(seat),) * 4))
    assert [len(uses(panel(picture, other), "turn")) for other in range(4)] == [other == seat for other in range(4)]


def test_the_seat_that_looks_is_named() -> None:
    """Nobody is, where a spectator looks."""
    assert [word for word in words(picture_of(playing(), Viewer(Seat(1)))) if "you" in word] == ["Seat 1 (you)"]
    assert not [word for word in words(picture_of(playing())) if "you" in word]


# What is hidden


def deck_in_another_order(state: State) -> State:
    """The same state to everybody: other dominoes come next."""
    hidden = (*state.deck, *state.aside)[::-1]
    return state._replace(deck=hidden[: len(state.deck)], aside=hidden[len(state.deck) :])


@POSITIONS
def test_a_picture_does_not_depend_on_what_is_hidden(state: State) -> None:
    """Hidden: states that differ in the deck and in what was put aside give the same picture, byte for byte."""
    other = deck_in_another_order(state)
    for viewer in (SPECTATOR, *(Viewer(Seat(seat)) for seat in range(len(state.kingdoms)))):
        assert draw(view(other, viewer)) == draw(view(state, viewer))
    assert other == state or draw(view(other, EVERYTHING)) != draw(view(state, EVERYTHING))


def test_the_deck_is_drawn_only_where_it_is_revealed() -> None:
    """Hidden: until then there are two numbers, of how many dominoes there are."""
    state = playing()._replace(deck=numbers("31 9 30"), aside=numbers("40 41"))
    closed, open_ = picture_of(state), picture_of(state, EVERYTHING)
    assert not find(closed, "pile")
    assert {"3 in the deck", "2 put aside"} <= set(words(closed))
    assert [drawn.dominoes(pile) for pile in find(open_, "pile")] == [[31, 9, 30], [40, 41]]
    assert [words(pile)[0] for pile in find(open_, "pile")] == ["Deck", "Put aside"]


# The picture of the documents


def documented() -> View:
    """The position that the picture of the documents says it shows."""
    root = ET.parse(DOCS / "kingdomino.svg").getroot()
    return parse_view(root.findtext(f"{SVG}desc", ""))


def test_the_picture_of_the_documents_is_what_is_drawn_today() -> None:
    """A change of the picture has to be made there, too."""
    assert (DOCS / "kingdomino.svg").read_text() == draw(documented())


def test_the_picture_of_the_documents_shows_a_match_of_four_in_its_middle() -> None:
    """K-8: kings on both lines, and something in every kingdom."""
    shown = documented()
    assert (len(shown.kingdoms), shown.seat, shown.deck) == (4, None, None)
    assert all(len(built.laid) > 3 for built in shown.kingdoms)
    assert 0 < sum(king is not None for king in shown.next_kings) < 4
