"""From the rounds so far to the next one, for every system whose rounds are laid down, and for the arena. Pure.

| system             | two at a table                       | three or four at a table                    |
|--------------------|--------------------------------------|---------------------------------------------|
| round robin        | circles.py, by Berger (berger.py)    | gatherings.py                               |
| single elimination | single.py, third place if wanted     | knockout.py, the `advancing` best go on     |
| double elimination | double.py                            | -                                           |
| groups             | groups.py: the first row, then the second                                          |
| arena              | arena.py, streaks.py                                                               |

What all of them have in common:

- `draw` and `check` are asked when every table of the last round is over (an arena: at any time, with those who are
  free).
- Who has a bye has no game, but is in: also who waits in a bracket, or for the other groups. Who is in neither a
  table nor a bye is out, or away. No round is without a table: where nobody would play, a stage is left out.
- Who is there for the first round is the field. In a round robin or group who withdraws leaves byes, and may come
  back; in a bracket it is out for good when a round is paired without it, and whom it was to meet goes on.
- A table that does not part those who go on from those who don't, by a tie or because it was annulled, is decided by
  the seeds (decided.py). In a round robin an annulled table is not played again.
- What was paired stands: who is in a bracket, and where, is read off its rounds, not off results that are changed
  later.
"""

from collections.abc import Mapping, Sequence

from services.tournament.formats import arena, brackets, everybody, groups
from services.tournament.formats.explaining import explain
from services.tournament.formats.plans import check_field, check_plan
from services.tournament.formats.streaks import streak_points
from services.tournament.model import Draw, Number, Plan, Player, Round, System

__all__ = [
    "check",
    "check_field",
    "check_plan",
    "draw",
    "explain",
    "is_over",
    "reached",
    "rounds_in_all",
    "streak_points",
]


def draw(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> Draw | None:
    """The next round, after all tables of the last one are over; None: there is nothing more to pair."""
    match plan.system:
        case System.ROUND_ROBIN:
            return everybody.draw(plan, everybody.league(plan, players, rounds), players, rounds)
        case System.SINGLE_ELIMINATION | System.DOUBLE_ELIMINATION:
            return brackets.draw(plan, brackets.start(players, rounds), players, rounds)
        case System.GROUPS:
            return groups.draw(plan, players, rounds)
        case System.ARENA:
            return arena.draw(plan, players)
        case System.SWISS | System.DUTCH:
            raise ValueError("A Swiss is paired by the pairing package.")


def check(plan: Plan, players: Sequence[Player], rounds: Sequence[Round], draw: Draw) -> None:
    """Raises `Unsound` (pairing/unsound.py) unless the round is what the system lays down."""
    match plan.system:
        case System.ROUND_ROBIN:
            everybody.check(plan, everybody.league(plan, players, rounds), players, rounds, draw)
        case System.SINGLE_ELIMINATION | System.DOUBLE_ELIMINATION:
            brackets.check(plan, brackets.start(players, rounds), players, rounds, draw)
        case System.GROUPS:
            groups.check(plan, players, rounds, draw)
        case System.ARENA:
            arena.check(plan, players, draw)
        case System.SWISS | System.DUTCH:
            raise ValueError("A Swiss is checked by the pairing package.")


def is_over(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> bool:
    """Whether no round is to come after these; of an arena the clock knows."""
    match plan.system:
        case System.SWISS | System.DUTCH:
            return len(rounds) >= plan.rounds
        case System.ROUND_ROBIN:
            return everybody.is_over(plan, everybody.league(plan, players, rounds), players, rounds)
        case System.SINGLE_ELIMINATION | System.DOUBLE_ELIMINATION:
            return brackets.is_over(plan, brackets.start(players, rounds), players, rounds)
        case System.GROUPS:
            return groups.is_over(plan, players, rounds)
        case System.ARENA:
            return False


def rounds_in_all(plan: Plan, entrants: int) -> int:
    """How many rounds there are for so many, as far as is known before: 0 for an arena.

    More come of a round robin at tables of three or four than the fewest there can be, and of a double elimination one
    if the undefeated loses the grand final; fewer where entrants withdraw.
    """
    match plan.system:
        case System.SWISS | System.DUTCH:
            return plan.rounds
        case System.ROUND_ROBIN:
            return everybody.rounds_in_all(plan, entrants)
        case System.SINGLE_ELIMINATION | System.DOUBLE_ELIMINATION:
            return brackets.rounds_in_all(plan, entrants)
        case System.GROUPS:
            return groups.rounds_in_all(plan, entrants)
        case System.ARENA:
            return 0


def reached(plan: Plan, players: Sequence[Player], rounds: Sequence[Round]) -> Mapping[Number, int] | None:
    """How far everybody has come, more is better, to go before points in the standings; None: points alone count."""
    match plan.system:
        case System.SINGLE_ELIMINATION | System.DOUBLE_ELIMINATION:
            return brackets.reached(plan, players, rounds)
        case System.GROUPS:
            return groups.reached(plan, players, rounds)
        case _:
            return None
