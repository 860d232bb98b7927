"""Brackets of every kind, from where they start: single elimination at tables of any size, and double elimination."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from services.tournament.formats import double, heats, knockout, progress, single
from services.tournament.formats.bracket import levels_for
from services.tournament.formats.entrants import active, by_number, field, seeds
from services.tournament.formats.heats import TWO, Stage
from services.tournament.model import Draw, Number, Plan, Player, Round, System
from services.tournament.pairing.unsound import Unsound


class Start(NamedTuple):
    """Who is in a bracket, the best first, and in which group somebody was who should not be met again at once."""

    order: tuple[Number, ...]
    before: Mapping[Number, int]


def start(players: Sequence[Player], rounds: Sequence[Round]) -> Start:
    """All entrants, by seed."""
    return Start(tuple([one.number for one in field(players, rounds)]), {})


def draw(plan: Plan, begin: Start, players: Sequence[Player], rounds: Sequence[Round]) -> Draw | None:
    """The next round of a bracket; `rounds` are its own. None: it is over."""
    known = by_number(players)
    if plan.seats == TWO:
        return heats.draw(_stage(plan, begin, players, rounds), known)
    now = _step(plan, begin, players, rounds)
    return None if now is None else knockout.draw(now, known)


def check(plan: Plan, begin: Start, players: Sequence[Player], rounds: Sequence[Round], draw: Draw) -> None:
    """Raises `Unsound` unless it is the next round."""
    if plan.seats == TWO:
        return heats.check(_stage(plan, begin, players, rounds), by_number(players), draw)
    now = _step(plan, begin, players, rounds)
    if now is None:
        raise Unsound("The bracket is over: there is no other round.")
    return knockout.check(now, by_number(players), draw)


def is_over(plan: Plan, begin: Start, players: Sequence[Player], rounds: Sequence[Round]) -> bool:
    """Whether nobody has anybody left to meet."""
    if plan.seats == TWO:
        return not _stage(plan, begin, players, rounds).heats
    return _step(plan, begin, players, rounds) is None


def _stage(plan: Plan, begin: Start, players: Sequence[Player], rounds: Sequence[Round]) -> Stage:
    here, order = active(players), seeds(players)
    if plan.system is System.DOUBLE_ELIMINATION:
        return double.stage(begin.order, rounds, here, order)
    return single.stage(begin.order, rounds, here, order, third=plan.has_third_place)


def _step(plan: Plan, begin: Start, players: Sequence[Player], rounds: Sequence[Round]) -> knockout.Step | None:
    here = active(players)
    left = [number for number in (living(plan, seeds(players))(rounds) if rounds else begin.order) if number in here]
    before = knockout.where(rounds[-1]) if rounds else begin.before
    return knockout.step(left, before, len(rounds) + 1, (plan.seats, plan.advancing))


def living(plan: Plan, order: Mapping[Number, int]) -> Callable[[Sequence[Round]], Collection[Number]]:
    """Says who is not out after the last of some rounds."""
    if plan.system is System.DOUBLE_ELIMINATION:
        return lambda rounds: double.state_after(rounds, order).lost
    if plan.seats == TWO:
        return lambda rounds: single.living(rounds, order)
    return lambda rounds: knockout.living(rounds, order, plan.advancing)


def reached(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> dict[Number, int]:
    """How far everybody came who was in the bracket."""
    order = seeds(players)
    return progress.reached(rounds, active(players), order, living(plan, order))


def rounds_in_all(plan: Plan, entrants: int) -> int:
    """How many rounds so many need if all stay; of a double elimination, without the second grand final."""
    if plan.seats > TWO:
        return knockout.stages(entrants, plan.seats, plan.advancing)
    return levels_for(entrants) * (2 if plan.system is System.DOUBLE_ELIMINATION else 1)
