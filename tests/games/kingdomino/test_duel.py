"""K-21: the Mighty Duel; and every combination of variants, played to its end."""

from collections import Counter
from dataclasses import astuple
from itertools import product

import pytest

from services.kingdomino.rules import scoring, setup
from services.kingdomino.rules.events import DominoDiscarded, DominoPlaced, GameDealt, GameEnded, LineDrawn
from services.kingdomino.rules.model import Extent, Options
from shared.kernel import Chance, Refusal
from tests.games.kingdomino.positions import kingdom, match_steps, started

DUEL = Options(mighty_duel=True)
NAMES = ("dynasty", "middle kingdom", "harmony", "mighty duel")
COMBINATIONS = [Options(*chosen) for chosen in product((False, True), repeat=4)]
# Three columns and three rows on each side of the castle: seven by seven, with gaps.
SEVEN_BY_SEVEN = """
            -3     -2     -1      0      1      2      3
     -3      .      .     3f      .      .      .      .
     -2      .      .     3f      .      .      .      .
     -1      .      .    13f      .      .      .      .
      0     1w     1w    13w castle    14w     2w     2w
      1      .      .      .      .    14l      .      .
      2      .      .      .      .     7l      .      .
      3      .      .      .      .     7l      .      .
"""
# Two columns in the west and four in the east.
SEVEN_IN_A_ROW = """
            -2     -1      0      1      2      3      4
      0    13f    13w castle     1w     1w     2w     2w
"""


def name(options: Options) -> str:
    """The variants in words."""
    return ", ".join(word for word, chosen in zip(NAMES, astuple(options), strict=True) if chosen) or "no variant"


def test_the_duel_uses_every_domino() -> None:
    """K-21: 48 in the deck, none put aside, four of them in the first line."""
    events, state = started(Chance(b"duel"), 2, DUEL)
    deal = events[0]
    assert isinstance(deal, GameDealt)
    assert (deal.deck_size, deal.aside_size, sorted(deal.deck or ())) == (48, 0, list(range(1, 49)))
    assert (len(state.next_line), len(state.deck)) == (4, 44)


def test_a_kingdom_of_the_duel_grows_to_seven_by_seven() -> None:
    """K-14, K-21: domino by domino, to three cells from the castle on every side."""
    assert kingdom(SEVEN_BY_SEVEN, side=DUEL.side).extent == Extent(-3, -3, 3, 3)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("options", [one for one in COMBINATIONS if one.mighty_duel], ids=name)
def test_the_duel_is_for_two(players: int, options: Options) -> None:
    """K-21: any other number of players is refused, with whatever other variants."""
    refusal = Refusal("K-21", f"The Mighty Duel is for 2 players, not {players}.")
    assert setup.check_options(options, players) == refusal


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", COMBINATIONS, ids=name)
def test_every_other_combination_is_allowed(players: int, options: Options) -> None:
    """K-18 to K-21: the player count forbids the duel, and nothing else."""
    assert (setup.check_options(options, players) is None) == (players == 2 or not options.mighty_duel)


@pytest.mark.parametrize(
    ("drawing", "bonus"),
    [
        pytest.param(SEVEN_BY_SEVEN, 10, id="K-19: three columns and three rows on each side"),
        pytest.param(SEVEN_IN_A_ROW, 0, id="K-19: two columns in the west and four in the east"),
    ],
)
def test_the_middle_of_a_kingdom_of_the_duel(drawing: str, bonus: int) -> None:
    """K-19, K-21: the middle of the kingdom is that of seven columns and rows."""
    options = Options(middle_kingdom=True, mighty_duel=True)
    assert scoring.score(kingdom(drawing, side=options.side), options).middle_kingdom == bonus


PLAYED = [
    pytest.param(players, options, id=f"K-18 to K-21: {players} players, {name(options)}")
    for options in COMBINATIONS
    for players in (2, 3, 4)
    if players == 2 or not options.mighty_duel
]


@pytest.mark.parametrize(("players", "options"), PLAYED)
def test_every_combination_plays_to_an_end(players: int, options: Options) -> None:
    """K-10, K-18, K-21: the right number of games, of rounds and of dominoes, and a place for every seat."""
    *before, last = match_steps(players, options, b"to the end")
    events = [event for step in (*before, last) for event in step.events]
    kinds = Counter(map(type, events))
    games = 3 if options.dynasty else 1
    rounds = 6 if players == 2 and not options.mighty_duel else 12
    assert kinds[GameDealt] == kinds[GameEnded] == games
    assert kinds[LineDrawn] == games * rounds
    assert kinds[DominoPlaced] + kinds[DominoDiscarded] == games * rounds * (3 if players == 3 else 4)
    outcome = scoring.outcome(last.state)
    assert outcome is not None
    assert sorted(seat for tied in outcome for seat in tied) == list(range(players))
    assert [scoring.outcome(step.state) for step in before] == [None] * len(before)


@pytest.mark.parametrize(("players", "options"), PLAYED)
def test_the_points_of_every_combination_are_those_of_its_kingdoms(players: int, options: Options) -> None:
    """K-16, K-19, K-20: what ends a game are the tallies of the kingdoms as they then are, bonuses and all."""
    last = [*match_steps(players, options, b"points")][-1].state
    plain = [sum(one.squares * one.crowns for one in built.properties) for built in last.kingdoms]
    for built, points, tally in zip(last.kingdoms, plain, last.tallies[-1], strict=True):
        left, top, right, bottom = built.extent
        is_middle = options.middle_kingdom and (left, top) == (-right, -bottom)
        is_whole = options.harmony and not built.discarded
        assert tally.points == points + 10 * is_middle + 5 * is_whole
