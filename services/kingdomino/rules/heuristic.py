"""What a seat may do as far as it sees, what is played for a seat that is out, and the simple computer players."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeGuard

from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES
from services.kingdomino.rules.model import (
    NEIGHBOURS,
    Cells,
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
from services.kingdomino.rules.scoring import added_points, bonuses, points
from services.kingdomino.rules.view import View
from shared.kernel import Chance


def legal(view: View) -> tuple[Command, ...]:
    """The legal commands of the seat that looks, in their fixed order; none if it is not its turn.

    First what decides one thing, then what decides a whole turn: by placement, then by the domino chosen. Where a king
    has no choice of a domino, a placement is the whole turn.
    """
    if view.seat is None or view.turn != view.seat:
        return ()
    free = free_dominoes(view.next_line, view.next_kings)
    if view.phase is Phase.CHOOSE:
        return tuple(map(ChooseDomino, free))
    number = view.line[view.at]
    steps = _placing(number, placements(view.kingdoms[view.seat], number))
    return (*steps, *(_with_choice(step, choice) for step in steps for choice in free if len(free) > 1))


def _placing(number: int, places: Sequence[Placement]) -> tuple[PlaceDomino | DiscardDomino, ...]:
    return tuple(PlaceDomino(number, where) for where in places) or (DiscardDomino(number),)


def _with_choice(step: PlaceDomino | DiscardDomino, choice: int | None) -> PlaceDomino | DiscardDomino:
    if isinstance(step, DiscardDomino):
        return DiscardDomino(step.number, choice)
    return PlaceDomino(step.number, step.where, choice)


def most_points(view: View) -> Command:
    """The default of a seat that is out: the placement with most points for its properties, then the lowest domino."""
    if view.phase is Phase.CHOOSE:
        return legal(view)[0]
    number, kingdom = view.line[view.at], view.kingdoms[view.kings[view.at]]
    best = best_placement(kingdom, number, Options())
    return DiscardDomino(number) if best is None else PlaceDomino(number, best.where)


class Best(NamedTuple):
    """A placement, and what it adds to the score of a kingdom."""

    gain: int
    where: Placement


def best_placement(kingdom: Kingdom, number: int, options: Options) -> Best | None:
    """The placement that adds most, the first of several; None if there is none."""
    places = placements(kingdom, number)
    if not places:
        return None
    gains = added_by(kingdom, number, places)
    if options.middle_kingdom:
        bonus = bonuses(kingdom, options)
        gains = [
            gain + bonuses(with_domino(kingdom, number, where, options.side), options) - bonus
            for gain, where in zip(gains, places, strict=True)
        ]
    most = max(gains)
    return Best(most, places[gains.index(most)])


def added_by(kingdom: Kingdom, number: int, places: Sequence[Placement]) -> list[int]:
    """K-16: what a domino adds to the points of a kingdom, for each of these placements."""
    _, (terrain, crowns), (other_terrain, other_crowns) = DOMINOES[number]
    if terrain == other_terrain:
        return [added_points(kingdom, terrain, _around(where), 2, crowns + other_crowns) for where in places]
    ones, others = [first_cell(where) for where in places], [second_cell(where) for where in places]
    # The squares of a domino are counted one by one, and each cell once.
    of_one = {cell: added_points(kingdom, terrain, NEIGHBOURS[cell], 1, crowns) for cell in set(ones)}
    of_other = {cell: added_points(kingdom, other_terrain, NEIGHBOURS[cell], 1, other_crowns) for cell in set(others)}
    return [of_one[one] + of_other[other] for one, other in zip(ones, others, strict=True)]


def _around(where: Placement) -> Cells:
    return NEIGHBOURS[first_cell(where)] | NEIGHBOURS[second_cell(where)]


def best_domino(kingdom: Kingdom, free: Sequence[int], options: Options) -> int:
    """The domino that could add most if it were placed at once; the lowest of several, whose king moves first."""
    return max(free, key=lambda number: _promise(kingdom, number, options))


def _promise(kingdom: Kingdom, number: int, options: Options) -> int:
    best = best_placement(kingdom, number, options)
    if best is None:
        return bonuses(without_domino(kingdom, number), options) - bonuses(kingdom, options)
    return best.gain


def _is_whole(command: Command) -> TypeGuard[PlaceDomino | DiscardDomino]:
    return not isinstance(command, ChooseDomino) and command.choose is not None


def turns(view: View) -> list[Command]:
    """Whole turns, those that promise most first: by what the placement adds, and the domino after it."""
    seat, options = view.kings[view.at], view.options
    kingdom, free = view.kingdoms[seat], free_dominoes(view.next_line, view.next_kings)
    found: dict[Command, int] = {}
    for command in legal(view):
        if isinstance(command, ChooseDomino):
            found[command] = _promise(kingdom, command.number, options)
        elif command.choose is not None or len(free) < 2:
            after = kingdom
            if isinstance(command, PlaceDomino):
                after = with_domino(kingdom, command.number, command.where, options.side)
            v = points(after) + bonuses(after, options)
            found[command] = v + (_promise(after, command.choose, options) if command.choose else 0)
    return sorted(found, key=lambda c: -found[c])


def random_choice(view: View, chance: Chance, _search: Iterator[int]) -> Command:
    """Any placement, then any domino: a whole turn at once."""
    commands = legal(view)
    step = chance.pick("kingdomino/random/step", [command for command in commands if not _is_whole(command)])
    whole = [command for command in commands if _is_whole(command) and _with_choice(command, None) == step]
    return chance.pick("kingdomino/random/choice", whole) if whole else step


def greedy(view: View, _chance: Chance, _search: Iterator[int]) -> Command:
    """The placement that scores most, then the domino that would: both with the bonuses that are played for."""
    seat, options = view.kings[view.at], view.options
    kingdom, free = view.kingdoms[seat], free_dominoes(view.next_line, view.next_kings)
    if view.phase is Phase.CHOOSE:
        return ChooseDomino(best_domino(kingdom, free, options))
    number = view.line[view.at]
    best = best_placement(kingdom, number, options)
    step, after = _taken(kingdom, number, best, options)
    return _with_choice(step, best_domino(after, free, options)) if len(free) > 1 else step


def _taken(
    kingdom: Kingdom, number: int, best: Best | None, options: Options
) -> tuple[PlaceDomino | DiscardDomino, Kingdom]:
    """The command, and the kingdom after it."""
    if best is None:
        return DiscardDomino(number), without_domino(kingdom, number)
    return PlaceDomino(number, best.where), with_domino(kingdom, number, best.where, options.side)
