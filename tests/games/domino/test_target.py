"""D-14: rounds that repeat until a seat has scored the target."""

from collections.abc import Sequence

import pytest

from services.domino.rules import rules, scoring, setup
from services.domino.rules.events import RoundDealt, RoundEnded
from services.domino.rules.model import Options, State, initial
from shared.kernel import Chance, Places, Seat
from tests.games.domino.positions import (
    Stacked,
    after,
    answer,
    choices,
    described,
    hand,
    line_text,
    play,
    position,
    started,
)

LAST_TILE = "4-1 right"
# The next deal: seat 0 has no double, seat 1 the highest of all.
NEXT_DEAL = Stacked("0-1 0-2 0-3 4-5 2-6", "6-6 1-6 1-1 2-2 3-3", "5-5")


def ending(target: int | None = None, scores: Sequence[int] = (0, 0)) -> State:
    """Seat 0 is about to lay its last tile and to win the 5 + 5 pips of seat 1."""
    return position("[6|6][6|4]", ["4-1", "2-3 5-5"], boneyard="1-1", target=target, scores=scores)


def sharing(hands: Sequence[str] = ("4-1 2-3", "5-5")) -> State:
    """Seat 0 is about to block the round with a tile that leaves equal totals."""
    return position("[6|6][6|4]", hands, target=50)


def opened(hands: Sequence[str] = ("0-1 0-2 4-5", "6-6 5-6 1-1"), boneyard: str = "3-3 2-6 4-6 1-3") -> State:
    """A repeated round that seat 0 has won the right to start."""
    return position("", hands, boneyard, target=50)


def test_without_a_target_one_round_is_played() -> None:
    """D-14: the default is a single round, which scores nothing."""
    events, state = play(ending(), LAST_TILE)
    assert described(events)[1:] == ["The round is over: seat 0 wins."]
    assert (state.is_over, state.scores) == (True, (0, 0))


def test_with_a_target_the_first_round_starts_by_the_highest_double() -> None:
    """D-14: D-4 and D-5 hold for the first round of a match with a target."""
    events, state = started(NEXT_DEAL, 2, Options(target=50))
    assert described(events)[1:] == ["Seat 1 lays 6-6 at the left end."]
    assert rules.to_act(state) == (1,)


def test_the_winner_scores_and_starts_the_next_round() -> None:
    """D-14: the winner scores the pips of the others and starts, though another holds the highest double."""
    assert answer(ending(target=50), LAST_TILE, chance=NEXT_DEAL) == [
        "Seat 0 lays 1-4 at the right end.",
        "The round is over: seat 0 wins and scores 10.",
        "Round 2: 5 tiles each, 18 in the boneyard; seat 0 starts.",
    ]
    state = after(ending(target=50), LAST_TILE, chance=NEXT_DEAL)
    assert (state.scores, state.round, rules.to_act(state), line_text(state)) == ((10, 0), 2, (0,), "")


def test_any_seat_that_wins_starts_the_next_round() -> None:
    """D-14: the winner of the last round starts, whichever seat it is."""
    events, state = play(position("[6|6][6|4]", ["2-3", "0-5", "4-1"], turn=2, target=50), LAST_TILE, Stacked("6-6"))
    assert described(events)[-1] == "Round 2: 5 tiles each, 13 in the boneyard; seat 2 starts."
    assert rules.to_act(state) == (2,)


def test_the_winner_of_a_blocked_round_scores_and_starts() -> None:
    """D-14: in a blocked round the lowest total scores the other hands, not its own."""
    state = position("[6|6][6|4]", ["4-1 5-5", "0-2 0-3", "2-2 0-0"], target=50)
    events, state = play(state, LAST_TILE, Stacked("6-6"))
    assert described(events)[1:] == [
        "The round is blocked: seat 2 wins and scores 10.",
        "Round 2: 5 tiles each, 13 in the boneyard; seat 2 starts.",
    ]
    assert (state.scores, rules.to_act(state)) == ((0, 0, 10), (2,))


def test_a_winner_with_nothing_to_score_starts_all_the_same() -> None:
    """D-14: 0-0 is worth nothing, but the round was won."""
    state = position("[6|6][6|4]", ["4-1", "0-0"], target=50)
    assert answer(state, LAST_TILE, chance=NEXT_DEAL)[1:] == [
        "The round is over: seat 0 wins.",
        "Round 2: 5 tiles each, 18 in the boneyard; seat 0 starts.",
    ]


@pytest.mark.parametrize(
    ("hands", "target", "points"),
    [
        pytest.param(["", "2-3 0-1"], 50, (6, 0), id="D-14: the winner scores the pips of the other hand"),
        pytest.param(["1-2", "", "3-4"], 50, (0, 10, 0), id="D-14: the winner scores the pips of all other hands"),
        pytest.param(["", "6-6 1-2"], 50, (9, 0), id="D-14: doubles are scored once"),
        pytest.param(
            ["1-2", "5-5 0-1", "6-4"], 50, (16, 0, 0), id="D-14: a blocked winner does not score its own pips"
        ),
        pytest.param(["2-3", "5-5"], 50, (0, 0), id="D-14: a shared win is scored for nobody"),
        pytest.param(["2-3", "6-4", "5-5"], 50, (0, 0, 0), id="D-14: nor if another seat has lost"),
        pytest.param(["", "2-3 0-1"], None, (), id="D-14: without a target there are no points"),
    ],
)
def test_what_a_round_scores(hands: Sequence[str], target: int | None, points: tuple[int, ...]) -> None:
    """D-14: the winner of a round scores the pips left in the other hands, doubles once."""
    assert scoring.end_of_round(position(hands=hands, target=target)).points == points


def test_scores_add_up_over_rounds() -> None:
    """D-14: the points of a round are added to those of the rounds before."""
    assert after(ending(target=50, scores=(7, 30)), LAST_TILE, chance=NEXT_DEAL).scores == (17, 30)


@pytest.mark.parametrize(
    ("target", "is_over"),
    [
        pytest.param(49, True, id="D-14: more than the target ends the match"),
        pytest.param(50, True, id="D-14: exactly the target ends the match"),
        pytest.param(51, False, id="D-14: one less than the target does not"),
    ],
)
def test_the_first_to_reach_the_target_wins(target: int, is_over: bool) -> None:
    """D-14: a match is over when a score reaches the target, and no round is dealt after it."""
    events, state = play(ending(target, scores=(40, 48)), LAST_TILE, NEXT_DEAL)
    assert state.scores == (50, 48)
    assert (state.is_over, isinstance(events[-1], RoundEnded)) == (is_over, is_over)
    assert scoring.outcome(state) == (((0,), (1,)) if is_over else None)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param((45, 0, 20), ((0,), (2,), (1,)), id="D-14: the others go by score, highest first"),
        pytest.param((45, 20, 20), ((0,), (1, 2)), id="D-14: equal scores share a place"),
        pytest.param((45, 0, 0), ((0,), (1, 2)), id="D-14: also at 0"),
        pytest.param((45, 49, 1), ((0,), (1,), (2,)), id="D-14: who was ahead before the last round may lose"),
    ],
)
def test_the_final_places_go_by_score(scores: Sequence[int], expected: Places) -> None:
    """D-14: places by match score, whatever is left in the hands (seat 1 holds more than seat 2)."""
    state = position("[6|6][6|4]", ["4-1", "2-3 5-5", "0-1"], target=50, scores=scores)
    assert scoring.outcome(after(state, LAST_TILE)) == expected


@pytest.mark.parametrize(
    ("deal", "expected"),
    [
        pytest.param(
            ["0-1 0-2 0-3 4-5 2-6", "6-6 1-6 1-1 2-2 3-3"],
            ["Round 2: 5 tiles each, 18 in the boneyard; seat 1 starts.", "Seat 1 lays 6-6 at the left end."],
            id="D-14: the highest double starts",
        ),
        pytest.param(
            ["4-5 4-0 0-1 0-2 0-3", "3-6 3-5 1-2 1-3 1-4"],
            ["Round 2: 5 tiles each, 18 in the boneyard; seat 1 starts.", "Seat 1 lays 3-6 at the left end."],
            id="D-14: without a double, 6-3 starts before 5-4",
        ),
    ],
)
def test_after_a_shared_win_the_next_starter_is_found_as_in_the_first_round(
    deal: Sequence[str], expected: Sequence[str]
) -> None:
    """D-14: a shared win is scored for nobody, and D-4 decides who starts next, with a forced tile."""
    assert answer(sharing(), LAST_TILE, chance=Stacked(*deal)) == [
        "Seat 0 lays 1-4 at the right end.",
        "The round is blocked: seat 0 and seat 1 share the win.",
        *expected,
    ]
    state = after(sharing(), LAST_TILE, chance=Stacked(*deal))
    assert (state.scores, rules.to_act(state)) == ((0, 0), (1,))


def test_a_shared_win_of_some_seats_lets_a_loser_start() -> None:
    """D-14: D-4 looks at all hands, those of the losers too."""
    state = sharing(["4-1 2-3", "5-5", "2-4"])
    deal = Stacked("0-1 0-2 0-3 4-5 2-6", "1-2 1-3 1-4 3-4 3-5", "6-6 1-6 1-1 2-2 3-3")
    assert answer(state, LAST_TILE, chance=deal)[1:] == [
        "The round is blocked: seat 0 and seat 1 share the win.",
        "Round 2: 5 tiles each, 13 in the boneyard; seat 2 starts.",
        "Seat 2 lays 6-6 at the left end.",
    ]


def test_the_winner_may_start_with_any_tile() -> None:
    """D-14: no double is needed, and every tile of the hand may be the first."""
    assert choices(opened()) == ["0-1 left", "0-2 left", "4-5 left"]
    assert line_text(after(opened(), "0-2 left")) == "[0|2]"


@pytest.mark.parametrize(
    ("command", "seat", "expected"),
    [
        pytest.param(
            "0-2 right", 0, "D-7", id="D-14: the first tile lies at the left, so the right is no other choice"
        ),
        pytest.param("6-6 left", 0, "D-8", id="D-14: not a tile that is not held, even the highest double"),
        pytest.param("6-6 left", 1, "D-7", id="D-14: not another seat, even with the highest double"),
    ],
)
def test_what_may_not_start_a_repeated_round(command: str, seat: int, expected: str) -> None:
    """D-14: only the winner starts, with a tile of its hand."""
    assert answer(opened(), command, seat) == [f"refused: {expected}"]


def test_the_winner_adds_a_second_tile_in_the_same_turn() -> None:
    """D-14: D-5 holds for a repeated round, and then the next seat plays."""
    state = opened(hands=["0-1 0-2 4-5", "1-6 5-6 1-1"])
    assert answer(state, "0-2 left") == ["Seat 0 lays 0-2 at the left end."]
    state = after(state, "0-2 left")
    assert (rules.to_act(state), choices(state)) == ((0,), ["0-1 left"])
    assert answer(state, "0-1 left") == ["Seat 0 lays 0-1 at the left end."]
    assert rules.to_act(after(state, "0-1 left")) == (1,)


def test_a_winner_without_a_second_tile_draws() -> None:
    """D-14: D-6 holds for a repeated round, draws until one matches."""
    state = opened()
    assert answer(state, "4-5 left") == [
        "Seat 0 lays 4-5 at the left end.",
        "Seat 0 draws 3-3.",
        "Seat 0 draws 2-6.",
        "Seat 0 draws 4-6.",
    ]
    assert choices(after(state, "4-5 left")) == ["4-6 left"]


def test_a_winner_whom_the_boneyard_cannot_help_ends_the_turn_with_one_tile() -> None:
    """D-14: D-6 holds for a repeated round, to the end of the boneyard."""
    state = opened(boneyard="3-3 2-6")
    assert answer(state, "4-5 left") == [
        "Seat 0 lays 4-5 at the left end.",
        "Seat 0 draws 3-3.",
        "Seat 0 draws 2-6.",
        "Seat 0 passes.",
    ]
    assert rules.to_act(after(state, "4-5 left")) == (1,)


def dealt(rounds_played: int) -> RoundDealt:
    """The deal after so many rounds, from one chance."""
    state = initial(Options(hand_size=7, target=50), 3)._replace(round=rounds_played, winners=(Seat(1),))
    deal = setup.deal(state, Chance(b"rounds"))[0]
    assert isinstance(deal, RoundDealt)
    return deal


def test_a_repeated_round_is_dealt_anew() -> None:
    """D-14: the whole set is shuffled again, in another order, for hands of the same size."""
    first, second = (dealt(number) for number in (0, 1))
    assert (first.round, second.round, second.hand_size, second.boneyard_size) == (1, 2, 7, 7)
    assert first.hands != second.hands


def test_nothing_of_the_last_round_is_left_in_the_next() -> None:
    """D-14: line, turns and winners start anew; the scores stay."""
    state = after(ending(target=50), LAST_TILE, chance=NEXT_DEAL)
    assert (state.turns, state.winners, state.drawn) == ((), (), 0)
    assert state.hands == (hand("0-1 0-2 0-3 4-5 2-6"), hand("6-6 1-6 1-1 2-2 3-3"))
