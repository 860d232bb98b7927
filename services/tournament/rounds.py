"""Rounds of every system: who pairs them, who checks them, who explains them. Pure.

`propose` may take long, and is for workers. `check` takes linear time and does not trust it.
"""

from collections.abc import Callable

from services.tournament import formats, records
from services.tournament.model import Draw, Number, Player, Round, System
from services.tournament.pairing import (
    check,
    check_dutch,
    check_tables,
    dutch,
    explain,
    fast,
    table_explain,
    tables,
)
from services.tournament.pairing.pool import Pool, pool
from services.tournament.pairing.unsound import Unsound
from services.tournament.standings import Row, rank
from services.tournament.state import Tournament
from shared.match.model import Status

_SWISS = (System.SWISS, System.DUTCH)
_PAIR = 2


def is_due(tournament: Tournament) -> bool:
    """Whether the next round is to be paired now, or the end to be found."""
    if tournament.status is not Status.PLAYING or tournament.is_paused:
        return False
    if tournament.plan.system is System.ARENA and not tournament.is_closed:
        return len(records.idle(tournament)) >= tournament.plan.seats
    return _has_every_result(tournament)


def _has_every_result(tournament: Tournament) -> bool:
    """Also of earlier rounds, where a ruling may have been taken back."""
    return all(pairing.open_tables == 0 for pairing in tournament.rounds)


def propose(tournament: Tournament) -> Draw | None:
    """The next round; None: there is none."""
    if tournament.plan.system not in _SWISS:
        return None if tournament.is_closed else formats.draw(tournament.plan, *_laid_down(tournament))
    if is_over(tournament):
        return None
    found = pool_of(tournament)
    match tournament.plan.system, found.seats:
        case System.DUTCH, _:
            return dutch.pair(tournament.plan, records.players(tournament), found.round, found)
        case _, 2:
            return fast.pair(found)
        case _:
            return tables.pair(found)


def is_over(tournament: Tournament) -> bool:
    """Whether no round follows."""
    plan = tournament.plan
    if plan.system is System.ARENA:
        return tournament.is_closed and _has_every_result(tournament)
    if plan.system in _SWISS:
        return len(tournament.rounds) >= plan.rounds or len(tournament.present) < _PAIR
    return formats.is_over(plan, records.players(tournament), records.rounds(tournament))


def check_round(tournament: Tournament, draw: Draw) -> None:
    """Raises Unsound unless this may be the next round of the tournament."""
    if is_over(tournament):
        raise Unsound("No round follows: the tournament is over.")
    if tournament.plan.system not in _SWISS:
        formats.check(tournament.plan, *_laid_down(tournament), draw)
        return
    found = pool_of(tournament)
    match tournament.plan.system, found.seats:
        case System.DUTCH, _:
            check_dutch.check(found, draw)
        case _, 2:
            check.check(found, draw)
        case _:
            check_tables.check(found, draw)


def pool_of(tournament: Tournament) -> Pool:
    """Who is to be paired in the next round of a Swiss."""
    return pool(
        records.players(tournament),
        len(tournament.rounds) + 1,
        tournament.plan.seats,
        tournament.forbidden,
        tournament.forced,
    )


def _laid_down(tournament: Tournament) -> tuple[tuple[Player, ...], tuple[Round, ...]]:
    is_arena = tournament.plan.system is System.ARENA
    found = records.free(tournament) if is_arena else records.players(tournament)
    return found, records.rounds(tournament)


def explain_round(before: Tournament, draw: Draw, who: Number, name: Callable[[Number], str]) -> tuple[str, ...]:
    """Why an entrant sits where it does in the round that was paired next: sentences."""
    if before.plan.system not in _SWISS:
        return formats.explain(before.plan, *_laid_down(before), draw, who, name)
    found = pool_of(before)
    if found.seats == _PAIR:
        return explain.explain(found, draw, who, name)
    return table_explain.explain(found, draw, who, name)


def standings(tournament: Tournament) -> tuple[Row, ...]:
    """Everybody, the best first."""
    everybody = records.players(tournament)
    reached = formats.reached(tournament.plan, everybody, records.rounds(tournament))
    return rank(tournament.plan, everybody, reached)


def final_places(tournament: Tournament) -> tuple[tuple[Number, ...], ...]:
    """The places as they stand, those who share one together."""
    found: dict[int, list[Number]] = {}
    for row in standings(tournament):
        found.setdefault(row.place, []).append(row.number)
    return tuple([tuple(found[place]) for place in sorted(found)])


def in_all(tournament: Tournament) -> int:
    """How many rounds there will be, as far as that is known."""
    entrants = len(tournament.order or tournament.entrants)
    return formats.rounds_in_all(tournament.plan, entrants) if entrants else 0
