"""What each viewer sees, the order of legal commands, and the default for a seat that is out."""

from collections.abc import Sequence

import pytest

from services.domino.rules import heuristic, notation, rules
from services.domino.rules.commands import Command
from services.domino.rules.events import RoundDealt, TileDrawn
from services.domino.rules.model import End, State, Turn
from services.domino.rules.view import View, line_of, view
from shared.kernel import EVERYTHING, SPECTATOR, Chance, Seat, Viewer
from tests.games.domino.positions import after, choices, hand, hand_text, position, tile, tiles


def seen_by(state: State, seat: int) -> View:
    """The view of a seat."""
    return view(state, Viewer(Seat(seat)))


def written(commands: Sequence[Command]) -> list[str]:
    """Commands as text."""
    return list(map(notation.format_command, commands))


def taken(turn: tuple[str, End] | None) -> Turn:
    """A turn: a tile and its end, or a pass."""
    return Turn(Seat(0), 0, None, None) if turn is None else Turn(Seat(0), 0, tile(turn[0]), turn[1])


def three_hands() -> State:
    """A position with something hidden from everybody."""
    return position("[6|6][6|4]", ["4-1 2-2", "0-3 4-4 1-1", "5-5"], boneyard="0-0 1-5", turn=1)


def drawing() -> State:
    """Seat 1 has just drawn three tiles and has to play the last."""
    return after(position("[6|6][6|4]", ["4-1 1-2", "2-3 5-5"], boneyard="0-2 3-3 6-5 1-1"), "4-1 right")


@pytest.mark.parametrize(
    ("seat", "expected"),
    [
        pytest.param(0, ["1-4 2-2", None, None], id="Hidden: seat 0 sees the hand of seat 0"),
        pytest.param(1, [None, "0-3 1-1 4-4", None], id="Hidden: seat 1 sees the hand of seat 1"),
        pytest.param(2, [None, None, "5-5"], id="Hidden: seat 2 sees the hand of seat 2"),
        pytest.param(None, [None, None, None], id="Hidden: a spectator sees no hand"),
    ],
)
def test_a_hand_is_seen_by_its_owner_only(seat: int | None, expected: list[str | None]) -> None:
    """Hidden: each hand is seen by its owner only, the boneyard by nobody."""
    looking = view(three_hands(), SPECTATOR if seat is None else Viewer(Seat(seat)))
    assert [None if held is None else hand_text(held) for held in looking.hands] == expected
    assert (looking.seat, looking.boneyard) == (seat, None)


def test_everything_is_seen_once_all_is_revealed() -> None:
    """Hidden: nothing is missing from the view that shows everything."""
    looking = view(three_hands(), EVERYTHING)
    assert looking.hands == (hand("4-1 2-2"), hand("0-3 4-4 1-1"), hand("5-5"))
    assert looking.boneyard == tiles("0-0 1-5")


@pytest.mark.parametrize("viewer", [Viewer(Seat(0)), Viewer(Seat(1)), SPECTATOR, EVERYTHING])
def test_everybody_sees_the_numbers_the_line_and_the_turn(viewer: Viewer) -> None:
    """Hidden: everyone sees how many tiles are in each hand and in the boneyard."""
    looking = view(three_hands(), viewer)
    assert (looking.hand_sizes, looking.boneyard_size, looking.turn) == ((2, 3, 1), 2, 1)
    assert (looking.line, looking.ends) == (((6, 6), (6, 4)), (6, 4))


@pytest.mark.parametrize("viewer", [Viewer(Seat(0)), Viewer(Seat(1)), SPECTATOR])
def test_everybody_sees_how_many_tiles_are_drawn_in_a_turn(viewer: Viewer) -> None:
    """Hidden: everyone sees the number of draws, in the present turn and after it."""
    assert view(drawing(), viewer).drawn == 3
    looking = view(after(drawing(), "6-5 left"), viewer)
    assert (looking.drawn, looking.turns[-1]) == (0, Turn(Seat(1), 3, tile("5-6"), End.LEFT))


def test_everybody_sees_a_pass_and_the_draws_before_it() -> None:
    """Hidden: a pass is a turn without a tile, with the number of tiles drawn in vain."""
    state = after(position("[6|6][6|4]", ["4-1 1-2", "2-3 5-5"], boneyard="0-2 3-3"), "4-1 right")
    assert seen_by(state, 0).turns[-1] == Turn(Seat(1), 2, None, None)
    assert seen_by(state, 0).drawn == 0


@pytest.mark.parametrize(
    ("seat", "other"),
    [
        pytest.param(0, ["4-1 2-2", "5-5 0-0 1-5", "0-3"], id="Hidden: seat 0 can't tell the hands of the others"),
        pytest.param(1, ["1-5 5-5", "0-3 4-4 1-1", "0-0"], id="Hidden: seat 1 can't tell the hands of the others"),
        pytest.param(None, ["0-0 1-5", "2-2 4-4 1-1", "0-3"], id="Hidden: a spectator can't tell any hand"),
    ],
)
def test_what_a_viewer_cannot_see_does_not_change_its_view(seat: int | None, other: Sequence[str]) -> None:
    """Hidden: two states that differ only in what is hidden look the same."""
    viewer = SPECTATOR if seat is None else Viewer(Seat(seat))
    held = set(tiles(" ".join(other)))
    rest = [tile for tile in tiles("5-1 0-0 5-5 1-1 4-4 0-3 2-2 4-1") if tile not in held]
    changed = position("[6|6][6|4]", other, turn=1)._replace(boneyard=tuple(rest))
    assert view(changed, viewer) == view(three_hands(), viewer)
    assert view(changed, EVERYTHING) != view(three_hands(), EVERYTHING)


def test_the_order_of_the_boneyard_is_hidden() -> None:
    """Hidden: a boneyard in another order looks the same to every seat."""
    turned = three_hands()._replace(boneyard=tiles("1-5 0-0"))
    assert [seen_by(turned, seat) for seat in range(3)] == [seen_by(three_hands(), seat) for seat in range(3)]


def test_an_empty_hand_or_boneyard_hides_nothing() -> None:
    """Hidden: where there is no tile, everybody knows it."""
    state = after(position("[6|6][6|4]", ["4-1", "2-3 5-5"]), "4-1 right")
    assert (view(state, SPECTATOR).hands, view(state, SPECTATOR).boneyard) == ((0, None), ())


def test_nobody_is_to_act_in_a_match_that_is_over() -> None:
    """D-11: a finished match shows no turn and gives no seat a command."""
    state = after(position("[6|6][6|4]", ["4-1", "6-3 5-5"]), "4-1 right")
    assert [seen_by(state, seat).turn for seat in (0, 1)] == [None, None]
    assert [heuristic.legal(seen_by(state, seat)) for seat in (0, 1)] == [(), ()]


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        pytest.param([], (), id="D-7: no turn, no line"),
        pytest.param([("4-6", End.LEFT)], ((4, 6),), id="D-7: the first tile lies with its lower half to the left"),
        pytest.param([("4-6", End.LEFT), None, ("1-6", End.RIGHT)], ((4, 6), (6, 1)), id="D-7: a pass adds nothing"),
        pytest.param(
            [("4-6", End.LEFT), ("4-5", End.LEFT), ("5-5", End.LEFT), ("0-6", End.RIGHT)],
            ((5, 5), (5, 4), (4, 6), (6, 0)),
            id="D-7: tiles are turned to join the end",
        ),
    ],
)
def test_the_line_follows_from_the_turns(
    turns: Sequence[tuple[str, End] | None], expected: tuple[tuple[int, int], ...]
) -> None:
    """D-7: the line from its left end to its right end."""
    assert line_of(tuple(map(taken, turns))) == expected


@pytest.mark.parametrize(
    ("line", "held", "expected"),
    [
        pytest.param(
            "[6|6][6|4]",
            "6-5 4-4 4-0 6-0 4-1",
            ["0-4 right", "0-6 left", "1-4 right", "4-4 right", "5-6 left"],
            id="Order: by the lower half, then the higher half",
        ),
        pytest.param(
            "[6|6][6|1][1|4]",
            "4-6 6-5 0-4",
            ["0-4 right", "4-6 left", "4-6 right", "5-6 left"],
            id="Order: the left end before the right for each tile",
        ),
        pytest.param(
            "[3|6][6|1][1|3]",
            "3-4 3-3",
            ["3-3 left", "3-3 right", "3-4 left", "3-4 right"],
            id="Order: equal ends, the left before the right",
        ),
        pytest.param(
            "", "6-6 0-5 1-1", ["0-5 left", "1-1 left", "6-6 left"], id="Order: a free start, at the left only"
        ),
    ],
)
def test_the_order_of_legal_commands_is_fixed(line: str, held: str, expected: list[str]) -> None:
    """Order: tiles by (lower half, higher half), the left end before the right."""
    state = position(line, [held, "0-0 2-2"])
    assert written(heuristic.legal(seen_by(state, 0))) == expected
    assert choices(state) == expected


@pytest.mark.parametrize("viewer", [Viewer(Seat(0)), Viewer(Seat(2)), SPECTATOR, EVERYTHING])
def test_only_the_seat_to_act_has_legal_commands(viewer: Viewer) -> None:
    """D-7: one seat at a time, and nobody else learns what it could play."""
    assert heuristic.legal(view(three_hands(), viewer)) == ()
    assert written(heuristic.legal(seen_by(three_hands(), 1))) == ["4-4 right"]


@pytest.mark.parametrize(
    ("line", "held", "expected"),
    [
        pytest.param("[6|6][6|4]", "6-0 4-1 4-3", "3-4 right", id="Default: the largest sum, not the highest half"),
        pytest.param("[6|6][6|4]", "5-5 4-1", "1-4 right", id="Default: only of the tiles that fit"),
        pytest.param("[6|6][6|4]", "4-4 6-1", "4-4 right", id="Default: a double has the sum of both its halves"),
        pytest.param("[6|6][6|4]", "4-5 6-3", "3-6 left", id="Default: of equal sums, the higher half: 6-3 before 5-4"),
        pytest.param("[4|6][6|6]", "4-3 6-1", "1-6 right", id="Default: the higher half counts before the left end"),
        pytest.param("[6|6][6|1][1|4]", "4-6 6-0", "4-6 left", id="Default: one tile at both ends, the left"),
        pytest.param("", "0-1 5-6 5-5", "5-6 left", id="Default: the heaviest tile starts a repeated round"),
        pytest.param("", "4-4 2-6 0-1", "2-6 left", id="Default: of equal sums, 2-6 starts before 4-4"),
    ],
)
def test_what_is_played_for_a_seat_that_is_out(line: str, held: str, expected: str) -> None:
    """Default: the fitting tile with the largest sum of its halves, ties by the higher half, then the left end."""
    looking = seen_by(position(line, [held, "0-0 2-2"]), 0)
    assert notation.format_command(heuristic.heaviest(looking)) == expected
    assert notation.format_command(heuristic.greedy(looking, Chance(b"any"), iter(()))) == expected


def test_a_random_player_chooses_any_legal_command() -> None:
    """Every legal command is chosen by some chance, and no other."""
    looking = seen_by(position("[6|6][6|1][1|4]", ["4-6 6-0 2-2 0-4", "0-0"]), 0)
    chosen = {heuristic.random_choice(looking, Chance(bytes([number])), iter(())) for number in range(100)}
    assert chosen == set(heuristic.legal(looking))


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(TileDrawn(Seat(1), None), id="Hidden: a draw of an unknown tile"),
        pytest.param(RoundDealt(2, Seat(0), 2, (3, 12), 24, None), id="Hidden: a deal with an unknown boneyard"),
        pytest.param(RoundDealt(2, Seat(0), 2, (3, None), 24, tiles("6-6")), id="Hidden: a deal with an unknown hand"),
    ],
)
def test_what_a_seat_sees_of_an_event_cannot_pass_for_the_event(event: TileDrawn | RoundDealt) -> None:
    """Hidden: a state is folded from full events only."""
    with pytest.raises(ValueError, match="redacted"):
        rules.evolve(position("[6|6][6|4]", ["4-1", "2-3"]), event)
