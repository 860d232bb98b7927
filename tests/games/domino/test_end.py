"""D-11 to D-13: when a round ends, who wins it, and the places of the others."""

from collections.abc import Sequence

import pytest

from services.domino.rules import rules, scoring
from services.domino.rules.events import RoundEnded
from services.domino.rules.model import Options
from shared.kernel import Places
from tests.games.domino.positions import Stacked, after, answer, choices, finished, play, position, started

BLOCKING = "4-1 right"


def ended(hands: Sequence[str]) -> RoundEnded:
    """The end of a round in which these hands are left."""
    return scoring.end_of_round(position(hands=hands))


def places(hands: Sequence[str]) -> Places | None:
    """The places after a round in which these hands are left."""
    return scoring.outcome(rules.evolve(position(hands=hands), ended(hands)))


@pytest.mark.parametrize(
    ("hands", "boneyard", "expected"),
    [
        pytest.param(
            ["4-1", "2-3 5-5"],
            "1-1",
            ["The round is over: seat 0 wins."],
            id="D-11: at the last tile, though the next seat could draw",
        ),
        pytest.param(
            ["4-1", "6-5 5-5"],
            "",
            ["The round is over: seat 0 wins."],
            id="D-11: at the last tile, though the next seat could play",
        ),
        pytest.param(
            ["4-1", "0-0"],
            "",
            ["The round is over: seat 0 wins."],
            id="D-11: at the last tile, which also blocks the line",
        ),
        pytest.param(
            ["4-1 0-0", "2-3 5-5"],
            "",
            ["The round is blocked: seat 0 wins."],
            id="D-11: blocked by a tile, without a pass",
        ),
        pytest.param(
            ["4-1 4-4", "2-3 0-0", "0-2"],
            "",
            ["The round is blocked: seat 2 wins."],
            id="D-11: three seats are blocked by a tile, without a pass",
        ),
        pytest.param(
            ["4-1 0-0", "2-3 5-5"],
            "3-3",
            ["Seat 1 draws 3-3.", "The round is blocked: seat 0 wins."],
            id="D-11: blocked by a draw that empties the boneyard, without a pass",
        ),
        pytest.param(
            ["4-1 0-0", "2-3 5-5", "2-4"],
            "3-3 0-2",
            ["Seat 1 draws 3-3.", "Seat 1 draws 0-2.", "The round is blocked: seat 0 wins."],
            id="D-11: blocked by the last of several draws",
        ),
        pytest.param(
            ["4-1 0-0", "2-3 5-5"],
            "3-3 1-5",
            ["Seat 1 draws 3-3.", "Seat 1 draws 1-5."],
            id="D-11: not blocked while there are tiles to draw",
        ),
        pytest.param(
            ["4-1 0-0", "2-3 5-5", "1-2"],
            "3-3",
            ["Seat 1 draws 3-3.", "Seat 1 passes."],
            id="D-11: not blocked if a later seat can play",
        ),
        pytest.param(
            ["4-1 1-2", "2-3 5-5"],
            "",
            ["Seat 1 passes."],
            id="D-11: not blocked if only the seat that has just played can play on",
        ),
    ],
)
def test_a_round_ends_at_once_when_it_is_over_or_blocked(
    hands: Sequence[str], boneyard: str, expected: Sequence[str]
) -> None:
    """D-11: tested after every tile laid and every draw."""
    state = position("[6|6][6|4]", hands, boneyard)
    assert answer(state, BLOCKING) == ["Seat 0 lays 1-4 at the right end.", *expected]


def test_the_opening_turn_can_end_the_round() -> None:
    """D-11: with hands of two, the starter's second tile is the last."""
    _, state = started(Stacked("0-1 0-2", "6-6 6-1"), 2, Options(hand_size=2))
    assert answer(state, "6-1 left") == ["Seat 1 lays 1-6 at the left end.", "The round is over: seat 1 wins."]


def test_a_round_can_be_blocked_by_the_tile_after_draws() -> None:
    """D-11: a drawn tile may block the line when it is laid."""
    state = position("[6|6][6|4]", hands=["4-1 0-0 3-3", "2-3 5-5"], boneyard="0-2 1-6")
    state = after(state, "4-1 right")
    assert answer(state, "1-6 right") == [
        "Seat 1 lays 1-6 at the right end.",
        "The round is blocked: seat 0 wins.",
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_nothing_can_be_played_after_the_end(seat: int) -> None:
    """D-11: when the match is over no seat is to act, and a command of either is refused."""
    state = after(position("[6|6][6|4]", hands=["4-1", "6-5 5-5"]), "4-1 right")
    assert (rules.to_act(state), choices(state)) == ((), [])
    assert answer(state, "6-5 left", seat) == ["refused: D-11"]


def test_the_end_shows_what_is_left_in_the_hands() -> None:
    """D-11, D-12: the hands are shown to be counted; there are no points without a target."""
    events, _ = play(position("[6|6][6|4]", hands=["4-1 0-0", "2-3 5-5"], boneyard="3-3"), BLOCKING)
    assert events[-1] == finished([0], ["0-0", "2-3 3-3 5-5"])


def test_there_are_no_places_before_the_end() -> None:
    """D-13: places are given when the match is over."""
    assert scoring.outcome(position("[6|6][6|4]", hands=["4-1", "6-5 5-5"])) is None


@pytest.mark.parametrize(
    ("hands", "winners"),
    [
        pytest.param(["", "1-2"], (0,), id="D-12: whoever laid every tile wins"),
        pytest.param(["0-0", ""], (1,), id="D-12: whoever laid every tile wins alone, though 0-0 counts 0 as well"),
        pytest.param(["3-4", "1-5", "2-5"], (1,), id="D-12: the lowest total wins a blocked round"),
        pytest.param(["6-5", "0-1 0-2 1-2"], (1,), id="D-12: the lowest total, not the fewest tiles"),
        pytest.param(["6-6", "3-4"], (0,), id="D-12: 6-6 counts 6, less than 3-4"),
        pytest.param(["6-6", "1-4"], (1,), id="D-12: 6-6 counts 6, more than 1-4"),
        pytest.param(["6-6", "2-4"], (0, 1), id="D-12: 6-6 counts 6, as 2-4 does"),
        pytest.param(["1-1 2-2", "0-3"], (0, 1), id="D-12: every double of a hand counts once"),
        pytest.param(["0-0", "0-1"], (0,), id="D-12: 0-0 counts 0, less than 0-1"),
        pytest.param(["0-0 0-1", "1-1"], (0, 1), id="D-12: 0-0 adds nothing to a hand"),
        pytest.param(["2-3", "0-5", "1-4", "0-6"], (0, 1, 2), id="D-12: equal lowest totals share the win"),
    ],
)
def test_who_wins_a_round(hands: Sequence[str], winners: tuple[int, ...]) -> None:
    """D-12: an empty hand, else the lowest pip total with doubles counted once."""
    assert ended(hands).winners == winners


@pytest.mark.parametrize(
    ("hands", "is_blocked"),
    [
        pytest.param(["", "1-2"], False, id="D-12: a round that somebody finished is not blocked"),
        pytest.param(["0-0", "1-2"], True, id="D-12: a hand of 0-0 alone has not finished"),
    ],
)
def test_whether_a_round_was_blocked(hands: Sequence[str], is_blocked: bool) -> None:
    """D-12: the end says in which of the two ways the round ended."""
    assert ended(hands).is_blocked is is_blocked


@pytest.mark.parametrize(
    ("hands", "expected"),
    [
        pytest.param(["6-5", "", "1-2"], ((1,), (2,), (0,)), id="D-13: the others go by total, lowest first"),
        pytest.param(["0-0", "", "0-1"], ((1,), (0,), (2,)), id="D-13: a total of 0 is still behind the winner"),
        pytest.param(["6-6", "", "3-4"], ((1,), (0,), (2,)), id="D-13: doubles count once for the other places"),
        pytest.param(["2-3", "", "1-4"], ((1,), (0, 2)), id="D-13: equal totals share the second place"),
        pytest.param(["", "2-3", "1-2", "5-5"], ((0,), (2,), (1, 3)), id="D-13: equal totals share the last place"),
        pytest.param(["4-5", "2-3", "0-1", "1-4", "3-6"], ((2,), (1, 3), (0, 4)), id="D-13: several places are shared"),
        pytest.param(["2-3", "6-5", "1-4"], ((0, 2), (1,)), id="D-13: a shared win, and the place after it"),
        pytest.param(["2-3", "5-5", "1-4"], ((0, 1, 2),), id="D-13: all may share the win"),
    ],
)
def test_the_places_after_a_round(hands: Sequence[str], expected: Places) -> None:
    """D-13: by pip total, doubles counted once, and equal totals share a place."""
    assert places(hands) == expected
