"""`kingdomino-strength`: how often Kingdomino's player `search` wins against `greedy`, and by how many points it leads.

The same decks are played from each seat; the search is as long as that of a match without a time limit. So the figures
are the same on every machine, and change only with the player or the rules. Their errors are standard errors, for which
the matches of one deck count as one.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console

from services.kingdomino.game import GAME
from services.kingdomino.rules.model import Options
from tests.bench.report import Result
from tests.games.kingdomino.contest import Contest, Match, Player, matches, of_decks

NAME = "kingdomino-strength"
_BONUSES = Options(middle_kingdom=True, harmony=True)
_PROGRESS = Console(stderr=True)


class _Row(NamedTuple):
    """One seat searches, all others are greedy; what is wanted are so many times the wins of one of equals."""

    seats: int
    options: Options
    decks: int
    bar: float

    @property
    def name(self) -> str:
        return f"{NAME}, {self.seats} seats{', both bonuses' if self.options == _BONUSES else ''}"


_ROWS = (
    _Row(2, Options(), 40, 1.4),
    _Row(4, Options(), 15, 1.5),
    _Row(4, _BONUSES, 15, 1.5),
)


def run(is_quick: bool) -> list[Result]:
    """Matches won, in per cent."""
    iterations = 4 if is_quick else GAME.agents["search"].iterations
    return [_measured(row, range(2 if is_quick else row.decks), iterations) for row in _ROWS]


def _measured(row: _Row, decks: range, iterations: int) -> Result:
    found = _played(row, Contest(Player("search", iterations), Player("greedy"), row.seats, row.options), decks)
    won = of_decks([[100 * match.won for match in deck] for deck in found])
    lead = of_decks([[match.lead for match in deck] for deck in found])
    even = 100 / row.seats
    extra: dict[str, object] = {"error": won.error, "lead": lead.mean, "lead_error": lead.error}
    extra |= {"matches": len(found) * row.seats, "iterations": iterations}
    return Result(row.name, won.mean, "% won", even, won.mean / even, row.bar, "greedy", extra)


def _played(row: _Row, contest: Contest, decks: range) -> Sequence[tuple[Match, ...]]:
    """The matches of each deck; how many decks are done is shown, and how many matches are won so far."""
    found: list[tuple[Match, ...]] = []
    for deck in matches(contest, decks):
        found.append(deck)
        won = sum(match.won for played in found for match in played)
        progress = f"deck {len(found)} of {len(decks)}, {won:.1f} of {len(found) * row.seats} won"
        _PROGRESS.print(f"{row.name}: {progress}", style="dim")
    return found
