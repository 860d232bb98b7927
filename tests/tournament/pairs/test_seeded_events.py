"""Whole events of 5 to 200 with late entries, withdrawals, forfeits, voids, byes, forbidden and forced pairs."""

from collections import Counter

import pytest
import rustworkx

from services.tournament.model import Number
from services.tournament.pairing.check import check
from services.tournament.pairing.pool import BYE, Pool, pair_of
from tests.tournament.pairs.events import Paired, Setting, rounds

_SMALL = [Setting(entrants, seed) for entrants in range(5, 37) for seed in range(6)]
_MIDDLE = [Setting(entrants, seed, draws=seed / 2) for entrants in range(40, 120, 4) for seed in range(2)]
_LARGE = [Setting(entrants, entrants) for entrants in range(125, 201, 5)]
_WISHFUL = [Setting(entrants, seed, wishes=2) for entrants in range(6, 170, 6) for seed in range(1)]
_EVENTS = {"small": _SMALL, "middle": _MIDDLE, "large": _LARGE, "wishful": _WISHFUL}


@pytest.mark.parametrize("kind", _EVENTS)
def test_in_every_round_all_that_was_promised_holds(kind: str) -> None:
    for setting in _EVENTS[kind]:
        for paired in rounds(setting):
            check(paired.pool, paired.draw)
            assert paired.draw.certificate.value == paired.draw.certificate.bound, setting
            _check_everybody_once(paired)
            _check_no_needless_fault(paired)
            _check_seats(paired)
            _check_bye(paired)


def test_more_entrants_than_are_matched_at_once_are_proved_too() -> None:
    for entrants in (401, 600, 1000):
        for paired in rounds(Setting(entrants, entrants, wishes=1)):
            certificate = paired.draw.certificate
            assert certificate.value == certificate.bound
            assert certificate.value[:2] == (0, 0)


def _check_everybody_once(paired: Paired) -> None:
    active = [one.number for one in paired.players if one.is_active]
    assert sorted([*paired.draw.byes, *[one for table in paired.draw.tables for one in table.seats]]) == active
    assert len(paired.draw.byes) == len(active) % 2


def _check_no_needless_fault(paired: Paired) -> None:
    """A rematch, a forbidden pair, a second bye: only if there is no pairing without any."""
    if paired.draw.certificate.value[:2] == (0, 0):
        return
    assert not _is_clean_possible(paired.pool)


def _is_clean_possible(pool: Pool) -> bool:
    """Whether the graph of those who may meet has a perfect matching; forced pairs may meet nobody else."""
    numbers = [one.number for one in pool.contenders] + [BYE] * (len(pool.contenders) % 2)
    if any(len(_wanted(pool, one)) > 1 or _wanted(pool, one) & pool.forbidden for one in numbers):
        return False
    graph: rustworkx.PyGraph[Number, None] = rustworkx.PyGraph()
    graph.add_nodes_from(numbers)
    for at in range(len(numbers)):
        for before in range(at):
            if _may_meet(pool, before, at):
                graph.add_edge(before, at, None)
    return 2 * len(rustworkx.max_weight_matching(graph, max_cardinality=True)) == len(numbers)


def _may_meet(pool: Pool, before: int, at: int) -> bool:
    one = pool.contenders[before]
    if at == len(pool.contenders):
        return not one.had_bye and not _wanted(pool, one.number)
    pair = pair_of(one.number, pool.contenders[at].number)
    others = (_wanted(pool, one.number) | _wanted(pool, pool.contenders[at].number)) - {pair}
    return pair not in pool.forbidden and pool.contenders[at].number not in one.met and not others


def _wanted(pool: Pool, number: Number) -> set[tuple[Number, Number]]:
    there = {one.number for one in pool.contenders}
    return {pair for pair in pool.forced if number in pair and there.issuperset(pair)}


def _check_seats(paired: Paired) -> None:
    """Nobody comes to more than two more of one seat, but where the certificate says so."""
    first = {table.seats[0] for table in paired.draw.tables}
    second = {table.seats[1] for table in paired.draw.tables}
    for one in paired.pool.contenders:
        surplus = one.sat[0] - one.sat[1] + (one.number in first) - (one.number in second)
        before = abs(one.sat[0] - one.sat[1])
        assert abs(surplus) <= max(2, before) or paired.draw.certificate.value[3] > 0


def _check_bye(paired: Paired) -> None:
    """The last who had none has it, if nothing that matters more has another have it."""
    had = Counter([one.had_bye for one in paired.pool.contenders])
    for number in paired.draw.byes:
        place, holder = next((at, one) for at, one in enumerate(paired.pool.contenders) if one.number == number)
        assert not holder.had_bye or not had[False] or paired.draw.certificate.value[0] > 0
        assert paired.draw.certificate.value[2] == len(paired.pool.contenders) - 1 - place
