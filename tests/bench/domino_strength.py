"""`domino-strength`: how many matches Domino's player `search` wins, against as many as one of equals would win.

The same deals are played from each seat; the search is as long as that of a match without a time limit. So the figures
are the same on every machine, and change only with the player or the rules.
"""

from typing import NamedTuple

from services.domino.game import GAME
from services.domino.rules.model import Options
from tests.bench.report import Result
from tests.games.domino.contest import Player, share_of_wins

NAME = "domino-strength"


class _Contest(NamedTuple):
    """One seat searches, all others play at this level."""

    others: str
    seats: int
    target: int | None
    deals: int
    bar: float


_CONTESTS = (
    _Contest("greedy", 2, None, 60, 1.2),
    _Contest("random", 2, None, 60, 1.15),
    _Contest("greedy", 2, 50, 10, 1.3),
    _Contest("greedy", 3, None, 40, 1.15),
)


def run(is_quick: bool) -> list[Result]:
    """Matches won, in per cent."""
    iterations = 20 if is_quick else GAME.agents["search"].iterations
    return [_measured(contest, 5 if is_quick else contest.deals, iterations) for contest in _CONTESTS]


def _measured(contest: _Contest, deals: int, iterations: int) -> Result:
    others, seats, target, _, bar = contest
    value = 100 * share_of_wins(Player("search", iterations), Player(others), seats, Options(target=target), deals)
    even = 100 / seats
    name = f"{NAME}, {seats} seats, {others}{'' if target is None else f', to {target}'}"
    extra: dict[str, object] = {"matches": deals * seats, "iterations": iterations}
    return Result(name, value, "% won", even, value / even, bar, others, extra)
