"""The computer player `search`: it tries its turns in worlds that may be the real one.

An iteration shuffles the dominoes that the seat has not seen into a deck, and for each turn that looks promising it
plays the game out by the real rules. In a play-out every seat places its dominoes where they score most, and chooses
them by an order drawn by lot. All turns meet the same deck and the same order, so that luck does not tell them apart.
The turn with the best lead over the best of the others is chosen; the first of several.

An iteration depends on its number and on nothing before it: a search that was cut short is a short search.
"""

from collections.abc import Iterator, Sequence

from services.kingdomino.rules import rules
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import NUMBERS
from services.kingdomino.rules.heuristic import best_placement, turns
from services.kingdomino.rules.model import Options, Phase, State
from services.kingdomino.rules.scoring import match_tallies
from services.kingdomino.rules.view import View
from shared.kernel import Chance, Refusal, Seat

# As many turns are tried: those that score most at once, placement and domino together.
TURNS = 12
_NO_BONUSES = Options()
_NEXT_GAME = Chance(b"")


def search(view: View, chance: Chance, numbers: Iterator[int]) -> Command:
    """The turn that did best in as many iterations as there are numbers."""
    commands = turns(view)[:TURNS]
    if len(commands) == 1:
        return commands[0]
    unseen = _unseen(view)
    totals = [0] * len(commands)
    for number in numbers:
        deck = chance.shuffled(f"kingdomino/search/{number}", unseen)
        order = chance.shuffled(f"kingdomino/order/{number}", NUMBERS)
        state = _state_with(view, deck)
        for place, command in enumerate(commands):
            totals[place] += _lead(_played_out(_after(state, command), view.game, order), view.kings[view.at])
    return commands[totals.index(max(totals))]


def _unseen(view: View) -> tuple[int, ...]:
    """The dominoes of the deck and of what was put aside, as far as the seat knows."""
    seen = {*view.line, *view.next_line}
    for kingdom in view.kingdoms:
        seen.update(kingdom.discarded, (laid.number for laid in kingdom.laid))
    return tuple(number for number in NUMBERS if number not in seen)


def _state_with(view: View, unseen: tuple[int, ...]) -> State:
    """The match, if the dominoes that nobody has seen lie in this order."""
    return State(
        view.options,
        view.game,
        view.tallies,
        view.kingdoms,
        unseen[: view.deck_size],
        unseen[view.deck_size :],
        view.phase,
        view.line,
        view.kings,
        view.at,
        view.next_line,
        view.next_kings,
    )


def _played_out(state: State, game: int, order: Sequence[int]) -> State:
    """The state after this game."""
    while len(state.tallies) < game:
        state = _after(state, _next_command(state, order))
    return state


def _next_command(state: State, order: Sequence[int]) -> Command:
    if state.phase is Phase.CHOOSE:
        return ChooseDomino(min(rules.free_dominoes(state.next_line, state.next_kings), key=order.index))
    number = state.line[state.at]
    best = best_placement(state.kingdoms[state.kings[state.at]], number, _NO_BONUSES)
    return DiscardDomino(number) if best is None else PlaceDomino(number, best.where)


def _after(state: State, command: Command) -> State:
    advanced = rules.advance(state, state.kings[state.at], command, _NEXT_GAME)
    assert not isinstance(advanced, Refusal)
    return advanced[0]


def _lead(state: State, seat: Seat) -> int:
    """By how many points a seat is ahead of the best of the others, or behind."""
    points = [tally.points for tally in match_tallies(state.tallies, len(state.kingdoms))]
    return points.pop(seat) - max(points)
