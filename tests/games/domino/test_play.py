"""D-7 to D-10: the line, one tile a turn, draws and passes."""

from collections.abc import Sequence
from typing import get_args

import pytest

from meydan.domino.v1 import domino_pb2 as pb
from services.domino import codec
from services.domino.rules import notation, rules
from services.domino.rules.commands import Command, LayTile
from services.domino.rules.events import TileDrawn
from shared.kernel import Malformed, Seat
from tests.games.domino.positions import after, answer, choices, hand_text, line_text, play, position, tile, tiles


@pytest.mark.parametrize(
    ("line", "command", "expected"),
    [
        pytest.param(
            "[6|6][6|4]", "4-1 right", "[6|6][6|4][4|1]", id="D-7: at the right, the lower half is the new end"
        ),
        pytest.param(
            "[6|6][6|4]", "4-5 right", "[6|6][6|4][4|5]", id="D-7: at the right, the higher half is the new end"
        ),
        pytest.param("[6|6][6|4]", "6-1 left", "[1|6][6|6][6|4]", id="D-7: at the left, the lower half is the new end"),
        pytest.param(
            "[2|2][2|4]", "2-5 left", "[5|2][2|2][2|4]", id="D-7: at the left, the higher half is the new end"
        ),
        pytest.param("[6|6][6|4]", "4-4 right", "[6|6][6|4][4|4]", id="D-7: a double leaves the end as it was"),
        pytest.param("[4|6]", "6-1 right", "[4|6][6|1]", id="D-7: at the right of a single tile"),
        pytest.param("[4|6]", "4-1 left", "[1|4][4|6]", id="D-7: at the left of a single tile"),
        pytest.param("[2|3][3|1][1|2]", "2-0 left", "[0|2][2|3][3|1][1|2]", id="D-7: equal ends, at the left"),
        pytest.param("[2|3][3|1][1|2]", "2-0 right", "[2|3][3|1][1|2][2|0]", id="D-7: equal ends, at the right"),
    ],
)
def test_a_tile_that_fits_is_added_and_its_other_half_is_the_new_end(line: str, command: str, expected: str) -> None:
    """D-7: a half that equals the end joins it; the other half becomes the end."""
    tile = command.split()[0]
    state = after(position(line, hands=[f"{tile} 0-0", "1-1 5-5"], boneyard="3-3"), command)
    assert line_text(state) == expected
    assert (str(state.left), str(state.right)) == (expected[1], expected[-2])


@pytest.mark.parametrize(
    ("line", "command", "seat", "expected"),
    [
        pytest.param("[6|6][6|4]", "4-1 left", 0, "D-7", id="D-7: a tile that fits the other end only"),
        pytest.param("[6|6][6|4]", "1-2 left", 0, "D-7", id="D-7: a tile that fits neither end, at the left"),
        pytest.param("[6|6][6|4]", "1-2 right", 0, "D-7", id="D-7: a tile that fits neither end, at the right"),
        pytest.param("[2|5][5|3][3|4]", "3-1 right", 0, "D-7", id="D-7: a tile that fits the middle of the line only"),
        pytest.param("[6|6][6|4]", "5-6 left", 1, "D-7", id="D-7: a tile that fits, out of turn"),
        pytest.param("[6|6][6|4]", "6-5 left", 0, "D-8", id="D-8: a tile that fits, but which somebody else holds"),
        pytest.param("[6|6][6|4]", "0-6 left", 0, "D-8", id="D-8: a tile that fits, but which is in the boneyard"),
        pytest.param(
            "[6|6][6|4]", "6-4 left", 0, "D-8", id="D-8: a tile that fits, but which lies in the line already"
        ),
    ],
)
def test_what_the_rules_forbid_is_refused_by_id(line: str, command: str, seat: int, expected: str) -> None:
    """D-7, D-8: a refusal names the rule that is broken."""
    state = position(line, hands=["4-1 1-2 3-1", "5-6 2-2"], boneyard="0-6")
    assert answer(state, command, seat) == [f"refused: {expected}"]


@pytest.mark.parametrize(
    ("players", "turn", "following"),
    [
        pytest.param(2, 0, 1, id="D-7: of two seats, 1 follows 0"),
        pytest.param(2, 1, 0, id="D-7: of two seats, 0 follows 1"),
        pytest.param(3, 1, 2, id="D-7: of three seats, 2 follows 1"),
        pytest.param(3, 2, 0, id="D-7: of three seats, 0 follows 2"),
        pytest.param(5, 4, 0, id="D-7: of five seats, 0 follows 4"),
    ],
)
def test_turns_go_clockwise(players: int, turn: int, following: int) -> None:
    """D-7: the next seat plays after each tile."""
    hands = ["6-0 4-0", "6-1 4-1", "6-2 4-2", "6-3 4-3", "6-5 4-5"][:players]
    state = position("[6|6][6|4]", hands, boneyard="0-0", turn=turn)
    assert rules.to_act(after(state, choices(state)[0])) == (following,)


@pytest.mark.parametrize(
    ("line", "hand", "expected"),
    [
        pytest.param("[6|6][6|4]", "4-1 2-2", ["1-4 right"], id="D-8: the one tile that fits"),
        pytest.param("[6|6][6|4]", "4-1 6-1 4-4", ["1-4 right", "1-6 left", "4-4 right"], id="D-8: any tile that fits"),
        pytest.param("[6|6][6|1][1|4]", "6-4", ["4-6 left", "4-6 right"], id="D-7: a tile that fits both ends"),
        pytest.param("[2|3][3|1][1|2]", "2-5", ["2-5 left", "2-5 right"], id="D-7: equal ends are two commands"),
        pytest.param(
            "[2|3][3|1][1|2]", "2-2", ["2-2 left", "2-2 right"], id="D-7: equal ends are two for a double too"
        ),
    ],
)
def test_what_a_hand_can_play(line: str, hand: str, expected: list[str]) -> None:
    """D-7, D-8: every tile that fits, once for each end that it fits, and nothing else."""
    assert choices(position(line, hands=[hand, "0-0"])) == expected


def test_nothing_is_done_for_a_seat_that_holds_a_tile_that_fits() -> None:
    """D-8: with a fitting tile in hand there is neither a pass nor a draw, only the choice of what to play."""
    state = position("[6|6][6|4]", hands=["4-1 0-0", "2-3 6-5"], boneyard="1-1 1-5")
    events, state = play(state, "4-1 right")
    assert len(events) == 1
    assert (rules.to_act(state), choices(state), state.boneyard) == ((1,), ["5-6 left"], tiles("1-1 1-5"))


def test_there_is_no_command_but_to_lay_a_tile() -> None:
    """D-8: nobody can ask for a pass or a draw."""
    assert codec.command_types == (pb.LayTile,)
    assert (get_args(Command) or (Command,)) == (LayTile,)


@pytest.mark.parametrize("text", ["pass", "draw", "knock", ""])
def test_a_pass_or_a_draw_cannot_be_written(text: str) -> None:
    """D-8: a text that is no tile and end is no move."""
    with pytest.raises(Malformed):
        notation.parse_command(text)


def test_a_turn_is_one_tile() -> None:
    """D-8: exactly one tile is played, even if the player holds more that fit."""
    state = position("[6|6][6|4]", hands=["4-1 6-1 1-1", "6-5 2-2"], boneyard="0-0")
    state = after(state, "4-1 right")
    assert rules.to_act(state) == (1,)
    assert answer(state, "6-1 left", seat=0) == ["refused: D-7"]


@pytest.mark.parametrize(
    ("boneyard", "expected", "then"),
    [
        pytest.param("6-5 1-1", ["Seat 1 draws 5-6."], ["5-6 left"], id="D-9: one draw, if the first tile fits"),
        pytest.param(
            "0-2 3-3 6-5 1-1",
            ["Seat 1 draws 0-2.", "Seat 1 draws 3-3.", "Seat 1 draws 5-6."],
            ["5-6 left"],
            id="D-9: one event for each draw, until a tile fits",
        ),
        pytest.param(
            "0-2 6-1 1-1",
            ["Seat 1 draws 0-2.", "Seat 1 draws 1-6."],
            ["1-6 left", "1-6 right"],
            id="D-9: a drawn tile that fits both ends gives two commands",
        ),
        pytest.param(
            "0-2 1-1", ["Seat 1 draws 0-2.", "Seat 1 draws 1-1."], ["1-1 right"], id="D-9: the last tile may fit"
        ),
    ],
)
def test_a_seat_with_no_fitting_tile_draws_until_one_fits(
    boneyard: str, expected: Sequence[str], then: list[str]
) -> None:
    """D-9: draws are forced; then the drawn tile that fits is the only one to play."""
    state = position("[6|6][6|4]", hands=["4-1 1-2", "2-3 5-5"], boneyard=boneyard)
    assert answer(state, "4-1 right") == ["Seat 0 lays 1-4 at the right end.", *expected]
    state = after(state, "4-1 right")
    assert (rules.to_act(state), choices(state)) == ((1,), then)


def test_a_draw_takes_the_next_tile_of_the_boneyard() -> None:
    """D-9: the tile goes from the boneyard to the hand of the seat that draws, which stays at the turn."""
    state = position("[6|6][6|4]", hands=["4-1", "2-3 5-5"], boneyard="0-2 3-3", turn=1)
    state = rules.evolve(state, TileDrawn(Seat(1), tile("0-2")))
    assert (list(map(hand_text, state.hands)), state.boneyard) == (["1-4", "0-2 2-3 5-5"], tiles("3-3"))
    assert rules.to_act(state) == (1,)


def test_drawn_tiles_stay_in_the_hand() -> None:
    """D-9: drawn tiles are never put back, and the boneyard is shorter by them."""
    state = position("[6|6][6|4]", hands=["4-1 1-2", "2-3 5-5"], boneyard="0-2 3-3 6-5 1-1 0-0")
    state = after(state, "4-1 right")
    assert (hand_text(state.hands[1]), state.boneyard) == ("0-2 2-3 3-3 5-5 5-6", tiles("1-1 0-0"))
    state = after(state, "6-5 left")
    assert (hand_text(state.hands[1]), state.boneyard) == ("0-2 2-3 3-3 5-5", tiles("1-1 0-0"))


def test_only_one_tile_is_played_after_draws() -> None:
    """D-9: the turn is over after the drawn tile, even if 5-5 would fit now."""
    state = position("[6|6][6|4]", hands=["4-1 1-2", "2-3 5-5"], boneyard="0-2 6-5 1-1")
    state = after(state, "4-1 right")
    assert answer(state, "6-5 left") == ["Seat 1 lays 5-6 at the left end."]
    state = after(state, "6-5 left")
    assert rules.to_act(state) == (0,)
    assert answer(state, "5-5 left", seat=1) == ["refused: D-7"]


def test_a_tile_that_did_not_fit_before_the_draws_cannot_be_played_instead() -> None:
    """D-9: the drawn tile is played, not one that was in the hand before."""
    state = position("[6|6][6|4]", hands=["4-1 1-2", "2-3 5-5"], boneyard="0-2 6-5 1-1")
    state = after(state, "4-1 right")
    assert [answer(state, text) for text in ("2-3 left", "5-5 right", "0-2 left")] == [["refused: D-7"]] * 3


def test_the_next_seat_draws_too_if_nothing_fits() -> None:
    """D-9: each seat draws in its own turn, after the tile of the seat before."""
    state = position("[6|6][6|4]", hands=["4-1 0-0 3-3", "2-3 5-5"], boneyard="1-5 0-2 2-5 1-1")
    state = after(state, "4-1 right")
    assert answer(state, "1-5 right") == [
        "Seat 1 lays 1-5 at the right end.",
        "Seat 0 draws 0-2.",
        "Seat 0 draws 2-5.",
    ]


def test_a_seat_that_empties_the_boneyard_in_vain_passes() -> None:
    """D-9, D-10: every draw and the pass are events of their own, and the next seat plays."""
    state = position("[6|6][6|4]", hands=["4-1 1-2", "2-3 5-5"], boneyard="0-2 3-3")
    assert answer(state, "4-1 right") == [
        "Seat 0 lays 1-4 at the right end.",
        "Seat 1 draws 0-2.",
        "Seat 1 draws 3-3.",
        "Seat 1 passes.",
    ]
    state = after(state, "4-1 right")
    assert (rules.to_act(state), choices(state)) == ((0,), ["1-2 right"])


@pytest.mark.parametrize(
    ("hands", "expected", "turn"),
    [
        pytest.param(
            ["4-1 0-0", "2-3 5-5", "6-5 3-3"],
            ["Seat 1 passes."],
            2,
            id="D-10: one seat passes, once",
        ),
        pytest.param(
            ["4-1 1-2", "2-3 5-5", "0-5 3-3"],
            ["Seat 1 passes.", "Seat 2 passes."],
            0,
            id="D-10: two seats pass, and the same player has the next turn",
        ),
        pytest.param(
            ["4-1 0-0", "2-3 5-5", "0-5 3-3", "6-0 2-2"],
            ["Seat 1 passes.", "Seat 2 passes."],
            3,
            id="D-10: passing ends at the first seat that can play",
        ),
        pytest.param(["4-1 0-0", "2-1 5-5", "0-5 3-3"], [], 1, id="D-8: who holds a tile that fits does not pass"),
    ],
)
def test_with_an_empty_boneyard_a_seat_that_cannot_play_passes(
    hands: Sequence[str], expected: Sequence[str], turn: int
) -> None:
    """D-10: passes are forced, one event each."""
    state = position("[6|6][6|4]", hands)
    assert answer(state, "4-1 right") == ["Seat 0 lays 1-4 at the right end.", *expected]
    assert rules.to_act(after(state, "4-1 right")) == (turn,)


def test_nobody_passes_while_there_are_tiles_to_draw() -> None:
    """D-10: a pass needs an empty boneyard; before, D-9 holds."""
    state = position("[6|6][6|4]", hands=["4-1 1-2", "2-3 5-5"], boneyard="1-5")
    assert answer(state, "4-1 right") == ["Seat 0 lays 1-4 at the right end.", "Seat 1 draws 1-5."]
