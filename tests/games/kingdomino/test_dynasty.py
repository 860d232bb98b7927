"""K-18: three games in a row."""

import pytest

from services.kingdomino.rules import rules, scoring, setup
from services.kingdomino.rules.events import Event, GameDealt, GameEnded
from services.kingdomino.rules.model import Options, Phase, State, Tally, castle_alone, initial
from shared.kernel import Chance, Places
from tests.games.kingdomino.positions import (
    WITHOUT_LAKE,
    Stacked,
    after,
    answer,
    kingdom,
    match_steps,
    numbers,
    play,
    position,
    whereabouts,
)

DYNASTY = Options(dynasty=True)
MINE_OF_3 = """
             0      1      2
      0 castle    48w 48m***
"""
NEXT_DEAL = Stacked("48 3 17 25", kings="1 1 0 0")


def game(text: str) -> tuple[Tally, ...]:
    """`20/5/3 18/6/2` as points, largest property and crowns of every seat."""
    return tuple(Tally(*numbers(one.replace("/", " "))) for one in text.split())


def ending(*before: str, options: Options = DYNASTY) -> State:
    """Seat 1 is about to discard the last domino of a game, after others that ended so."""
    own = [kingdom(MINE_OF_3), kingdom(WITHOUT_LAKE)]
    return position("3=0 4=0 5=1 >7=1", kingdoms=own, options=options, before=tuple(map(game, before)))


def log(seed: bytes, players: int = 3) -> list[Event]:
    """All events of a match."""
    return [event for step in match_steps(players, DYNASTY, seed) for event in step.events]


def test_a_game_is_followed_by_another_deal() -> None:
    """K-18: at once, with a deck and an order of kings of its own."""
    assert answer(ending(), "discard 7", chance=NEXT_DEAL) == [
        "Seat 1 discards 7, which fits nowhere.",
        "The game is over: seat 0 has 3, seat 1 has 0.",
        "Game 2: 24 dominoes, 24 put aside; the kings choose in the order 1, 1, 0, 0.",
        "A line is drawn: 3, 17, 25, 48.",
    ]


def test_nothing_of_a_game_is_left_in_the_next_but_its_tallies() -> None:
    """K-18: castles, no discards, the whole set dealt anew, and the first king to choose."""
    state = after(ending(), "discard 7", chance=NEXT_DEAL)
    assert state.kingdoms == (castle_alone(5),) * 2
    assert (state.game, state.tallies) == (2, (game("3/1/3 0/2/0"),))
    assert (state.phase, state.line, rules.to_act(state)) == (Phase.CHOOSE, (), (1,))
    assert whereabouts(state) == list(range(1, 49))


@pytest.mark.parametrize(
    ("before", "is_over"),
    [
        pytest.param([], False, id="K-18: not after the first game"),
        pytest.param(["9/1/1 8/1/1"], False, id="K-18: not after the second game"),
        pytest.param(["9/1/1 8/1/1", "9/1/1 8/1/1"], True, id="K-18: after the third game"),
    ],
)
def test_when_a_match_is_over(before: list[str], is_over: bool) -> None:
    """K-18: three games, not fewer and not more."""
    events, state = play(ending(*before), "discard 7", NEXT_DEAL)
    assert isinstance(events[-1], GameEnded) == is_over
    assert (rules.to_act(state) == (), scoring.outcome(state) is not None) == (is_over, is_over)


def test_without_the_variant_one_game_is_the_match() -> None:
    """K-18: no second deal."""
    events, state = play(ending(options=Options()), "discard 7", NEXT_DEAL)
    assert isinstance(events[-1], GameEnded)
    assert (rules.to_act(state), scoring.outcome(state)) == ((), ((0,), (1,)))


def test_the_match_goes_by_the_sum_and_not_by_the_last_game() -> None:
    """K-18: seat 0 wins the last game by 3 points, and seat 1 the match."""
    state = after(ending("10/1/1 9/1/1", "4/1/1 9/1/1"), "discard 7")
    assert scoring.outcome(state) == ((1,), (0,))


def ended(*games: str) -> State:
    """A match that ended with these games."""
    counted = tuple(map(game, games))
    return initial(DYNASTY, len(counted[0]))._replace(game=len(games), tallies=counted, phase=Phase.OVER)


@pytest.mark.parametrize(
    ("games", "expected"),
    [
        pytest.param(["9/1/1 8/9/9", "9/1/1 8/9/9", "0/1/1 3/9/9"], ((1,), (0,)), id="K-18: the highest sum"),
        pytest.param(["9/1/1 0/1/1", "9/1/1 0/1/1", "0/1/1 19/1/1"], ((1,), (0,)), id="K-18: not the most games won"),
        pytest.param(
            ["5/7/1 5/3/1", "5/2/1 5/6/1", "5/2/1 5/6/1"],
            ((0,), (1,)),
            id="K-18: the largest property of any game, not the sum of them",
        ),
        pytest.param(
            ["5/6/1 5/2/1", "5/2/1 5/7/1", "5/6/1 5/2/1"], ((1,), (0,)), id="K-18: the largest of the second game"
        ),
        pytest.param(
            ["5/2/9 5/2/1", "5/2/1 5/2/1", "5/2/1 5/3/1"], ((1,), (0,)), id="K-18: the property before the crowns"
        ),
        pytest.param(
            ["5/7/4 5/2/3", "5/2/1 5/2/3", "5/2/1 5/7/3"],
            ((1,), (0,)),
            id="K-18: all crowns added, not the most of any game",
        ),
        pytest.param(
            ["5/7/2 4/2/3", "4/2/3 5/2/3", "4/2/3 4/7/2"], ((0, 1),), id="K-18: all equal, and the win is shared"
        ),
        pytest.param(
            ["5/3/1 9/3/1 5/3/1", "5/4/1 9/3/1 5/3/1", "5/3/1 9/3/1 5/3/1"],
            ((1,), (0,), (2,)),
            id="K-18: ties are broken for the second place too",
        ),
        pytest.param(
            ["5/3/1 9/3/1 6/4/3 1/9/9", "5/4/1 9/3/1 4/3/1 1/9/9", "5/3/3 9/3/1 5/3/1 1/9/9"],
            ((1,), (0, 2), (3,)),
            id="K-18: a place in the middle is shared",
        ),
    ],
)
def test_the_places_of_a_match(games: list[str], expected: Places) -> None:
    """K-18: the sum of points, then the largest property of any of the three games, then all crowns added."""
    assert scoring.outcome(ended(*games)) == expected


@pytest.mark.parametrize("games", [[], ["9/1/1 8/1/1"], ["9/1/1 8/1/1", "9/1/1 8/1/1"]])
def test_there_are_no_places_before_the_third_game_is_over(games: list[str]) -> None:
    """K-18: also if one seat is far ahead."""
    assert scoring.outcome(ending(*games)) is None


def test_each_game_has_its_own_bonuses() -> None:
    """K-18, K-20: who discarded in one game may have Harmony in the next."""
    options = Options(dynasty=True, harmony=True)
    state = ending("0/0/0 0/0/0", options=options)
    assert answer(state, "discard 7", chance=NEXT_DEAL)[1] == "The game is over: seat 0 has 8, seat 1 has 0."
    state = after(state, "discard 7", chance=NEXT_DEAL)
    assert [scoring.score(built, options).harmony for built in state.kingdoms] == [5, 5]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_three_deals_in_one_log(players: int) -> None:
    """K-18: numbered from 1, each with a shuffle of its own; and the tallies of each game, in the state at the end."""
    events = log(b"three deals", players)
    deals = [event for event in events if isinstance(event, GameDealt)]
    counts = tuple(event.tallies for event in events if isinstance(event, GameEnded))
    assert [deal.game for deal in deals] == [1, 2, 3]
    assert len({deal.deck for deal in deals}) == 3
    assert len(counts) == 3
    assert [*match_steps(players, DYNASTY, b"three deals")][-1].state.tallies == counts


def test_the_kings_of_each_game_are_drawn_anew() -> None:
    """K-18: over many seeds, the order of one game says nothing about that of another."""
    orders = {
        tuple(setup.deal(initial(DYNASTY, 3)._replace(game=number), Chance(bytes([seed]))).kings for number in (0, 1))
        for seed in range(250)
    }
    assert len(orders) == 36


def test_the_first_game_of_a_dynasty_is_dealt_as_any_other() -> None:
    """K-18: the variant changes nothing before the first game is over."""
    chance = Chance(b"first game")
    assert rules.start(initial(DYNASTY, 4), chance) == rules.start(initial(Options(), 4), chance)
