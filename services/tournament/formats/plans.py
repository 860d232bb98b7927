"""What a plan must be so that it can be played: a sentence for the first thing that is wrong with it."""

from collections.abc import Iterator
from typing import TypeAlias

from services.tournament.formats import groups
from services.tournament.model import Plan, Scoring, System

TWO, MOST_SEATS = 2, 4
# More rounds, and more often everybody against everybody, nobody plays.
MOST_ROUNDS, MOST_LEGS = 1000, 100
# Everybody against everybody: so many entrants, by the seats of a table.
MOST_IN_LEAGUE = {2: 512, 3: 128, 4: 128}
MOST_ENTRANTS = 100_000
MOST_IN_DUTCH = 1_000

_SWISS = (System.SWISS, System.DUTCH)
_OF_TWO = (System.DUTCH, System.DOUBLE_ELIMINATION)
_ALL_MEET = (System.ROUND_ROBIN, System.GROUPS)
_OUT = (System.SINGLE_ELIMINATION, System.GROUPS)
_Faults: TypeAlias = Iterator[str]


def check_plan(plan: Plan, seat_counts: range) -> str | None:
    """Why this plan can't be played, in a game for so many seats; None: it can."""
    return next(_faults(plan, seat_counts), None)


def check_field(plan: Plan, entrants: int) -> str | None:
    """Why so many entrants can't play this plan, to be asked at the start; None: they can."""
    return next(_field_faults(plan, entrants), None)


def _faults(plan: Plan, seat_counts: range) -> _Faults:
    yield from _seats(plan, seat_counts)
    for found in (_rounds, _legs, _groups, _advancing, _third_place, _arena, _entrants, _tie_breaks):
        yield from found(plan)
    yield from _scoring(plan.scoring, plan.seats)


def _seats(plan: Plan, seat_counts: range) -> _Faults:
    if not TWO <= plan.seats <= MOST_SEATS:
        yield f"A tournament's tables have {TWO} to {MOST_SEATS} seats, not {plan.seats}."
    if plan.seats not in seat_counts:
        yield f"{plan.game} is played by {_counts(seat_counts)}, not by {plan.seats}."
    if plan.system in _OF_TWO and plan.seats != TWO:
        yield f"The system {_name(plan)} is for two at a table, not for {plan.seats}."
    # Who withdraws leaves smaller tables; Swiss gives byes instead, and an arena waits.
    smaller = [count for count in range(TWO, plan.seats) if count not in seat_counts]
    if plan.system in (*_ALL_MEET, *_OUT) and smaller:
        yield f"Some tables may have fewer than {plan.seats} here, but {plan.game} can't be played by {smaller[0]}."


def _counts(seat_counts: range) -> str:
    known = [str(count) for count in seat_counts]
    return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} or {known[-1]}"


def _name(plan: Plan) -> str:
    return plan.system.value.replace("_", " ")


def _rounds(plan: Plan) -> _Faults:
    if plan.system in _SWISS and not 1 <= plan.rounds <= MOST_ROUNDS:
        yield f"A Swiss has 1 to {MOST_ROUNDS} rounds: say how many, not {plan.rounds}."
    if plan.system not in _SWISS and plan.rounds:
        yield f"The system {_name(plan)} knows itself when it is over: leave the rounds at 0."


def _legs(plan: Plan) -> _Faults:
    if not 1 <= plan.legs <= MOST_LEGS:
        yield f"Everybody meets everybody 1 to {MOST_LEGS} times, not {plan.legs} times."
    if plan.legs > 1 and plan.system not in _ALL_MEET:
        yield f"Legs are for a round robin and for groups, not for the system {_name(plan)}."


def _groups(plan: Plan) -> _Faults:
    if plan.system is System.GROUPS and not TWO <= plan.groups <= groups.MOST:
        yield f"There are {TWO} to {groups.MOST} groups, not {plan.groups}."
    if plan.system is not System.GROUPS and plan.groups:
        yield f"The system {_name(plan)} has no groups: leave them at 0."


def _advancing(plan: Plan) -> _Faults:
    if plan.system in _OUT and plan.advancing < 1:
        yield f"One at least goes on, not {plan.advancing}."
    if plan.system in _OUT and plan.seats > TWO and plan.advancing >= plan.seats:
        yield f"Fewer go on from a table than its {plan.seats} seats, not {plan.advancing}: somebody must be out."


def _third_place(plan: Plan) -> _Faults:
    if plan.has_third_place and (plan.system not in _OUT or plan.seats != TWO):
        yield "A game for the third place is for single eliminations of two at a table: elsewhere it is known without."


def _arena(plan: Plan) -> _Faults:
    if plan.system is System.ARENA and plan.arena_seconds < 1:
        yield "An arena needs a time: say how many seconds it goes on."
    if plan.system is not System.ARENA and (plan.arena_seconds or plan.has_streaks):
        yield f"A time and streaks are for an arena, not for the system {_name(plan)}."


def _entrants(plan: Plan) -> _Faults:
    if plan.no_show_seconds < 0:
        yield f"The limit for who does not come is 0 or more seconds, not {plan.no_show_seconds}."
    if not 0 <= plan.late_until <= MOST_ROUNDS:
        yield f"Entrants may come until a round from 0 to {MOST_ROUNDS}, not {plan.late_until}."
    if plan.late_until and plan.system not in (*_SWISS, System.ARENA):
        yield f"In the system {_name(plan)} nobody can come after the start: leave late_until at 0."
    if plan.system in _SWISS and plan.late_until > plan.rounds:
        yield f"Nobody can come before round {plan.late_until} of {plan.rounds}."
    if not 0 <= plan.fill_to <= MOST_ENTRANTS:
        yield f"Computer players fill up to {MOST_ENTRANTS} entrants, not to {plan.fill_to}."
    if bool(plan.fill_to) != bool(plan.fill_level):
        yield "Computer players need both, a level and how many entrants there are to be."
    yield from _field_faults(plan, plan.fill_to) if plan.fill_to else ()


def _tie_breaks(plan: Plan) -> _Faults:
    for at, tie_break in enumerate(plan.tie_breaks):
        if tie_break in plan.tie_breaks[:at]:
            yield f"The tie-break {tie_break.value} is there twice."


def _scoring(scoring: Scoring, seats: int) -> _Faults:
    if not 1 <= len(scoring.places) <= seats:
        yield f"There are points for 1 to {seats} places at a table, not for {len(scoring.places)}."
    if list(scoring.places) != sorted(scoring.places, reverse=True):
        yield "Nobody gets more for a worse place."
    if min([*scoring.places, scoring.bye, scoring.draw or 0]) < 0:
        yield "Points are 0 or more."
    if scoring.draw is not None and seats != TWO:
        yield f"Points for a draw are for two at a table: those who share places among {seats} share their points."
    if max(scoring.bye, scoring.draw or 0) > max(scoring.places, default=0):
        yield "Nobody gets more for a bye or a draw than for a first place."
    yield from _shares(scoring, seats)


def _shares(scoring: Scoring, seats: int) -> _Faults:
    points = [*scoring.places, *[0] * (seats - len(scoring.places))]
    has_draw = scoring.draw is not None
    for first in range(seats):
        for heads in range(2, seats - first + 1):
            shared = sum(points[first : first + heads])
            if shared % heads and not (has_draw and seats == TWO):
                yield f"{shared} units of points can't be shared by {heads}: there are 24 to a point."


def _field_faults(plan: Plan, entrants: int) -> _Faults:
    if entrants < TWO:
        yield f"A tournament needs {TWO} entrants at least, not {entrants}."
    if entrants > MOST_ENTRANTS:
        yield f"A tournament has {MOST_ENTRANTS} entrants at most, not {entrants}."
    if plan.system is System.GROUPS and entrants < TWO * plan.groups:
        yield f"{plan.groups} groups need {TWO} entrants each, and {entrants} are too few."
    if plan.system is System.DUTCH and entrants > MOST_IN_DUTCH:
        yield f"The Dutch system is for {MOST_IN_DUTCH:,} entrants at most, not {entrants:,}: a Swiss takes any number."
    together = _in_one_league(plan, entrants)
    if together > (most := MOST_IN_LEAGUE.get(plan.seats, 0)):
        yield f"{most} entrants at most can all meet each other, not {together}."


def _in_one_league(plan: Plan, entrants: int) -> int:
    if plan.system is System.ROUND_ROBIN:
        return entrants
    return -(-entrants // plan.groups) if plan.system is System.GROUPS else 0
