"""The computer player `search`: it tries its turns in worlds that may be the real one.

An iteration shuffles the dominoes that the seat has not seen into a deck, and for each turn that is still tried it
plays the game out by the real rules. All turns meet the same decks, so that luck does not tell them apart. In a
play-out every seat places its dominoes where they score most, and chooses those that suit what it has. What counts is
the lead over the best of the others, in points; the turn with the highest sum is chosen.

The turns that promise most are tried. After 4, 8, 16, ... iterations the worse half of them is given up, so that most
of the time goes into telling the best apart. All of that depends on the view, the seed and how many iterations there
were before: a search that was cut short is a short search.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from typing import TypeVar

from services.kingdomino.rules import rules
from services.kingdomino.rules.commands import ChooseDomino, Command, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES, NUMBERS, Square, Terrain
from services.kingdomino.rules.heuristic import Step, after_step, best_step, choices, own_kingdom, steps
from services.kingdomino.rules.model import COLUMNS, DUEL_SIDE, ROWS, SIDE, Kingdom, Options, Phase, State
from services.kingdomino.rules.scoring import MIDDLE_KINGDOM, match_tallies, points
from services.kingdomino.rules.view import View
from shared.kernel import Chance, Refusal, Seat

T = TypeVar("T")

# How many turns are tried; after how many iterations half of them are given up; and how many are never given up.
_TURNS = 24
_CUTS = frozenset(4 << power for power in range(10))
_FEWEST = 2
# K-19: a kingdom that does not leave these cells can have its castle in the middle.
_MIDDLE = {side: COLUMNS[-(side // 2), side // 2] & ROWS[-(side // 2), side // 2] for side in (SIDE, DUEL_SIDE)}


class _Unshuffled(Chance):
    """For the deal of a game that nobody looks at (K-18)."""

    __slots__ = ()

    def shuffled(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:  # noqa: ARG002 - as in Chance
        """The items as they are."""
        return tuple(items)


_NEXT_GAME = _Unshuffled(b"")


def search(view: View, chance: Chance, numbers: Iterator[int]) -> Command:
    """The turn that did best in as many iterations as there are numbers."""
    turns = promising(view)
    if len(turns) == 1:
        return turns[0]
    if not view.deck_size:
        # Nothing in this game is left to chance: any turn can be tried, and no other iteration would tell more.
        return _best(view, chance, turns, islice(numbers, 1))
    return _best(view, chance, turns[:_TURNS], numbers)


def _best(view: View, chance: Chance, turns: Sequence[Command], numbers: Iterator[int]) -> Command:
    unseen, seat = _unseen(view), view.kings[view.at]
    totals = dict.fromkeys(turns, 0)
    for done, number in enumerate(numbers, 1):
        state = _state_with(view, chance.shuffled(f"kingdomino/search/{number}", unseen))
        for turn in totals:
            totals[turn] += _lead(_played_out(_after(state, turn), view.game), seat)
        if done in _CUTS:
            totals = _better_half(totals)
    return max(totals, key=totals.__getitem__)


def _better_half(totals: dict[Command, int]) -> dict[Command, int]:
    ranked = sorted(totals.items(), key=itemgetter(1), reverse=True)
    return dict(ranked[: max(_FEWEST, (len(ranked) + 1) // 2)])


def promising(view: View) -> list[Command]:
    """All whole turns, those that promise most first: points of the placement, and of the domino as if placed next."""
    promises: dict[Command, int] = {}
    if view.phase is Phase.CHOOSE:
        promises.update({ChooseDomino(one): best_step(own_kingdom(view), one).gain for one in choices(view)})
    else:
        for step in steps(view):
            promises.update(_turns_with(view, step))
    return sorted(promises, key=promises.__getitem__, reverse=True)


def _turns_with(view: View, step: Step) -> dict[Command, int]:
    """The turns that begin with a step, and what each of them promises."""
    kingdom, numbers = after_step(own_kingdom(view), step, view.options.side), choices(view)
    promise = points(kingdom) + _hoped_for(kingdom, view.options)
    if not numbers:
        return {step: promise}
    return {replace(step, choose=number): promise + best_step(kingdom, number).gain for number in numbers}


def _hoped_for(kingdom: Kingdom, options: Options) -> int:
    """K-19: the bonus, as long as it can still be had."""
    left, top, right, bottom = kingdom.extent
    can_be_had = options.middle_kingdom and max(-left, -top, right, bottom) <= options.side // 2
    return MIDDLE_KINGDOM if can_be_had else 0


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


def _played_out(state: State, game: int) -> State:
    """The state after this game."""
    while len(state.tallies) < game:
        state = _after(state, _next_command(state))
    return state


def _after(state: State, command: Command) -> State:
    advanced = rules.advance(state, state.kings[state.at], command, _NEXT_GAME)
    assert not isinstance(advanced, Refusal)
    return advanced[0]


def _next_command(state: State) -> Command:
    kingdom = state.kingdoms[state.kings[state.at]]
    if state.phase is Phase.CHOOSE:
        return ChooseDomino(_most_suitable(kingdom, rules.free_dominoes(state.next_line, state.next_kings)))
    return _next_step(kingdom, state.line[state.at], state.options)


def _next_step(kingdom: Kingdom, number: int, options: Options) -> Step:
    """Where most points are; where Middle Kingdom is played, around the castle as long as there is room (K-19)."""
    if options.middle_kingdom:
        step = best_step(kingdom._replace(free=kingdom.free & _MIDDLE[options.side]), number).step
        if isinstance(step, PlaceDomino):
            return step
    return best_step(kingdom, number).step


def _most_suitable(kingdom: Kingdom, numbers: Sequence[int]) -> int:
    """The domino that would add most if its squares could join the largest properties; the lowest of several.

    Where it would fit is not looked at: that takes far longer, and is hardly stronger even at the same number of
    play-outs.
    """
    squares, crowns = [0] * len(Terrain), [0] * len(Terrain)
    for one in kingdom.properties:
        squares[one.terrain] = max(squares[one.terrain], one.squares)
        crowns[one.terrain] = max(crowns[one.terrain], one.crowns)

    def added(square: Square) -> int:
        return crowns[square.terrain] + square.crowns * (squares[square.terrain] + 1)

    return max(numbers, key=lambda number: added(DOMINOES[number].first) + added(DOMINOES[number].second))


def _lead(state: State, seat: Seat) -> int:
    """By how many points a seat is ahead of the best of the others, or behind; in all games so far (K-18)."""
    totals = [tally.points for tally in match_tallies(state.tallies, len(state.kingdoms))]
    return totals.pop(seat) - max(totals)
