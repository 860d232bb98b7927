"""What a seat may do as far as it sees, what is played for a seat that is out, and the simple computer players."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES, Square
from services.kingdomino.rules.model import (
    NEIGHBOURS,
    Cell,
    Kingdom,
    Options,
    Phase,
    Placement,
    first_cell,
    second_cell,
    with_domino,
    without_domino,
)
from services.kingdomino.rules.rules import free_dominoes, placements
from services.kingdomino.rules.scoring import added_points, bonuses, of_terrain
from services.kingdomino.rules.view import View
from shared.kernel import Chance

# The first half of a turn (K-8).
Step: TypeAlias = PlaceDomino | DiscardDomino


def legal(view: View) -> tuple[Command, ...]:
    """The legal commands of the seat that looks, in their fixed order; none if it is not its turn.

    First what decides one thing, then what decides a whole turn: by placement, then by the domino chosen. Where a king
    has no choice of a domino, a placement is the whole turn.
    """
    if view.seat is None or view.turn != view.seat:
        return ()
    if view.phase is Phase.CHOOSE:
        return tuple(map(ChooseDomino, choices(view)))
    first = steps(view)
    return (*first, *(replace(step, choose=number) for step in first for number in choices(view)))


def choices(view: View) -> list[int]:
    """The dominoes that the king to move may be put on, by number; none where it has no choice (K-6, K-11)."""
    free = free_dominoes(view.next_line, view.next_kings)
    return free if len(free) > 1 else []


def steps(view: View) -> list[Step]:
    """What may be done with the domino under the king to move, in order (K-15)."""
    number = view.line[view.at]
    found: list[Step] = [PlaceDomino(number, where) for where in placements(own_kingdom(view), number)]
    return found or [DiscardDomino(number)]


def own_kingdom(view: View) -> Kingdom:
    """That of the king to move."""
    return view.kingdoms[view.kings[view.at]]


def most_points(view: View) -> Command:
    """The default of a seat that is out: the placement with most points for its properties, then the lowest domino."""
    if view.phase is Phase.CHOOSE:
        return ChooseDomino(choices(view)[0])
    return best_step(own_kingdom(view), view.line[view.at]).step


class Best(NamedTuple):
    """A step, and what it adds to the score of a kingdom."""

    gain: int
    step: Step


def best_step(kingdom: Kingdom, number: int, options: Options | None = None) -> Best:
    """The step that adds most, the first of several; bonuses count only if there are options that play for them."""
    places = placements(kingdom, number)
    if not places:
        return Best(_bonus_of_discard(kingdom, number, options), DiscardDomino(number))
    gains = added_by(kingdom, number, places)
    if options is not None and options.middle_kingdom:
        gains = [gain + _bonus(kingdom, number, where, options) for gain, where in zip(gains, places, strict=True)]
    most = max(gains)
    return Best(most, PlaceDomino(number, places[gains.index(most)]))


def _bonus(kingdom: Kingdom, number: int, where: Placement, options: Options) -> int:
    return bonuses(with_domino(kingdom, number, where, options.side), options) - bonuses(kingdom, options)


def _bonus_of_discard(kingdom: Kingdom, number: int, options: Options | None) -> int:
    """K-20: the first discard costs the bonus."""
    return 0 if options is None else bonuses(without_domino(kingdom, number), options) - bonuses(kingdom, options)


def added_by(kingdom: Kingdom, number: int, places: Sequence[Placement]) -> list[int]:
    """K-16: what a domino adds to the points of a kingdom, for each of these placements."""
    _, first, second = DOMINOES[number]
    ones, others = [first_cell(where) for where in places], [second_cell(where) for where in places]
    if first.terrain == second.terrain:
        own, crowns = of_terrain(kingdom, first.terrain), first.crowns + second.crowns
        return [added_points(own, NEIGHBOURS[a] | NEIGHBOURS[b], 2, crowns) for a, b in zip(ones, others, strict=True)]
    # Squares of two terrains are counted one by one, and each cell once.
    by_one, by_other = _by_cell(kingdom, first, set(ones)), _by_cell(kingdom, second, set(others))
    return [by_one[a] + by_other[b] for a, b in zip(ones, others, strict=True)]


def _by_cell(kingdom: Kingdom, square: Square, cells: set[Cell]) -> dict[Cell, int]:
    own, crowns = of_terrain(kingdom, square.terrain), square.crowns
    return {cell: added_points(own, NEIGHBOURS[cell], 1, crowns) for cell in cells}


def best_domino(kingdom: Kingdom, numbers: Sequence[int], options: Options | None = None) -> int:
    """The domino that could add most if it were placed at once; the lowest of several, whose king moves first."""
    return max(numbers, key=lambda number: best_step(kingdom, number, options).gain)


def after_step(kingdom: Kingdom, step: Step, side: int) -> Kingdom:
    """The kingdom with one domino more, laid or discarded."""
    if isinstance(step, DiscardDomino):
        return without_domino(kingdom, step.number)
    return with_domino(kingdom, step.number, step.where, side)


def random_choice(view: View, chance: Chance, _search: Iterator[int]) -> Command:
    """Any placement, then any domino: a whole turn at once."""
    if view.phase is Phase.CHOOSE:
        return chance.pick("kingdomino/random/step", legal(view))
    step, numbers = chance.pick("kingdomino/random/step", steps(view)), choices(view)
    return replace(step, choose=chance.pick("kingdomino/random/choice", numbers)) if numbers else step


def greedy(view: View, _chance: Chance, _search: Iterator[int]) -> Command:
    """The placement that scores most, then the domino that would: both with the bonuses that are played for."""
    kingdom, numbers, options = own_kingdom(view), choices(view), view.options
    if view.phase is Phase.CHOOSE:
        return ChooseDomino(best_domino(kingdom, numbers, options))
    step = best_step(kingdom, view.line[view.at], options).step
    if not numbers:
        return step
    return replace(step, choose=best_domino(after_step(kingdom, step, options.side), numbers, options))
