"""Everybody meets everybody: by the tables of Berger for two at a table, by gatherings for three and four."""

from collections.abc import Sequence

from services.tournament.formats import circles, gatherings
from services.tournament.formats.berger import Circle
from services.tournament.formats.circles import Division, Schedule
from services.tournament.formats.entrants import active, field
from services.tournament.formats.heats import TWO
from services.tournament.model import Draw, Plan, Player, Round


def league(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> Schedule:
    """A round robin: one division, without a label."""
    return Schedule((Division(tuple([one.number for one in field(players, rounds)])),), plan.legs)


def draw(plan: Plan, schedule: Schedule, players: Sequence[Player], rounds: Sequence[Round]) -> Draw | None:
    """The next round; None: all have met."""
    here = active(players)
    if plan.seats == TWO:
        return circles.draw(schedule, rounds, here)
    return gatherings.draw(schedule, plan.seats, rounds, here)


def check(plan: Plan, schedule: Schedule, players: Sequence[Player], rounds: Sequence[Round], draw: Draw) -> None:
    """Raises `Unsound` unless it is the next round."""
    here = active(players)
    if plan.seats == TWO:
        circles.check(schedule, rounds, here, draw)
    else:
        gatherings.check(schedule, plan.seats, rounds, here, draw)


def is_over(plan: Plan, schedule: Schedule, players: Sequence[Player], rounds: Sequence[Round]) -> bool:
    """Whether all who are here have met."""
    here = active(players)
    if plan.seats == TWO:
        return circles.turn_of(schedule, rounds, here) is None
    return gatherings.is_through(schedule, rounds, here)


def rounds_in_all(plan: Plan, entrants: int) -> int:
    """How many rounds so many need; at tables of three and four at least so many."""
    if plan.seats == TWO or entrants <= 1:
        return Circle(entrants, plan.legs).turns
    return plan.legs * -((1 - entrants) // (plan.seats - 1))
