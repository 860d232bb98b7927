"""Computer players of Domino against each other, over seeded deals."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.domino.game import GAME
from services.domino.rules import rules, scoring
from services.domino.rules.model import Options
from services.domino.rules.view import view
from shared.kernel import Chance, Places, Refusal, Viewer
from tests.games.domino.positions import started


@dataclass(frozen=True)
class Player:
    """A level, and how often it searches."""

    level: str
    iterations: int = 0


def share_of_wins(player: Player, others: Player, seats: int, options: Options, deals: int) -> float:
    """Of all matches, those that the player wins against so many others, from each seat of each deal.

    A shared win counts for its part. Who is as strong as the others wins one match in as many as there are seats.
    """
    won = 0.0
    for deal in range(deals):
        for seat in range(seats):
            players = [player if number == seat else others for number in range(seats)]
            first = played(players, options, Chance(f"deal {deal}".encode()))[0]
            won += (seat in first) / len(first)
    return won / (deals * seats)


def played(players: Sequence[Player], options: Options, chance: Chance) -> Places:
    """The places of a match; each turn has chance of its own, as in a match of the platform."""
    _, state = started(chance, len(players), options)
    while (places := scoring.outcome(state)) is None:
        own = Chance(chance.derive(f"seat {state.turn}, round {state.round}, turn {len(state.turns)}"))
        player = players[state.turn]
        choose = GAME.agents[player.level].choose
        command = choose(view(state, Viewer(state.turn)), own, iter(range(player.iterations)))
        advanced = rules.advance(state, state.turn, command, chance)
        assert not isinstance(advanced, Refusal), advanced
        state, _ = advanced
    return places
