"""Figures that others have published of Kingdomino, found again: `docs/ai.md` has what is compared with what."""

import pytest

from services.kingdomino.rules.model import Options
from shared.kernel import Chance
from tests.games.kingdomino.contest import Contest, Figure, Player, matches, of_decks, played
from tests.games.kingdomino.positions import STANDARD

RANDOM, GREEDY = Player("random"), Player("greedy")
GAMES = 1_000
# So many standard errors may lie between a figure and the published one.
FAR = 3


def is_near(found: Figure, published: float) -> bool:
    return abs(found.mean - published) < FAR * found.error


@pytest.fixture(scope="module")
def random_scores() -> list[list[int]]:
    """Of 1,000 games of four that play at random, without bonuses."""
    ends = (played([RANDOM] * 4, STANDARD, Chance(f"deck {deck}".encode())) for deck in range(GAMES))
    return [[tally.points for tally in end.tallies[0]] for end in ends]


def test_random_play_of_four_scores_as_much_as_was_published(random_scores: list[list[int]]) -> None:
    """K-16: a mean of 19.3 points, and a standard error small enough to tell it from 18.9 or 19.7."""
    found = of_decks(random_scores)
    assert found.error < 0.1
    assert is_near(found, 19.3)


def test_random_play_favours_no_seat(random_scores: list[list[int]]) -> None:
    """K-6: the kings are drawn by lot, so that seats differ by luck alone: here, in pairs by the same decks."""
    for one, other in ((0, 1), (0, 3), (1, 2), (2, 3)):
        assert is_near(of_decks([[scores[one] - scores[other]] for scores in random_scores]), 0)


def test_greedy_play_wins_as_often_against_three_at_random_as_was_published() -> None:
    """K-19, K-20: about 97 % of 1,000 games with both bonuses, from each seat of 250 decks."""
    contest = Contest(GREEDY, RANDOM, 4, Options(middle_kingdom=True, harmony=True))
    found = of_decks([[match.won for match in deck] for deck in matches(contest, range(GAMES // 4))])
    assert found.error < 0.012
    assert is_near(found, 0.97)
