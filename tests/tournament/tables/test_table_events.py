"""Whole events of 5 to 200 with late entries, withdrawals, forfeits, voids, byes, forbidden and forced pairs."""

from collections import Counter

import pytest

from services.tournament.model import Number, Table
from services.tournament.pairing import tables
from services.tournament.pairing.check_tables import check
from services.tournament.pairing.pool import Contender, Pool
from services.tournament.pairing.table_sizes import sizes
from tests.tournament.tables.events import Paired, Setting, rounds
from tests.tournament.tables.fields import all_neighbours_met

_EVENTS = {
    "small": [Setting(entrants, seats, 0) for entrants in range(5, 37) for seats in (3, 4)],
    "large": [Setting(entrants, seats, 0) for entrants in range(40, 201, 16) for seats in (3, 4)],
    "strict": [Setting(entrants, seats, 0, fewest=seats) for entrants in range(5, 60, 4) for seats in (3, 4)],
    "lively": [Setting(entrants, seats, 0, unrest=0.3) for entrants in range(6, 60, 4) for seats in (3, 4)],
    "wishful": [Setting(entrants, seats, 0, pairs=2) for entrants in range(7, 100, 7) for seats in (3, 4)],
}


@pytest.mark.parametrize("kind", _EVENTS)
def test_in_every_round_all_that_was_promised_holds(kind: str) -> None:
    for setting in _EVENTS[kind]:
        for paired in rounds(setting):
            check(paired.pool, paired.draw, setting.fewest)
            _check_everybody_once(paired, setting)
            _check_sizes(paired, setting)
            _check_byes(paired)
            _check_repeats(paired, setting)


def _check_everybody_once(paired: Paired, setting: Setting) -> None:
    seated = [one for table in paired.draw.tables for one in table.seats]
    assert sorted([*seated, *paired.draw.byes]) == sorted([one.number for one in paired.pool.contenders]), setting


def _check_sizes(paired: Paired, setting: Setting) -> None:
    wanted = sizes(len(paired.pool.contenders), setting.seats, setting.fewest)
    found = sorted([len(table.seats) for table in paired.draw.tables], reverse=True)
    assert (tuple(found), len(paired.draw.byes)) == (wanted.tables, wanted.byes), setting


def _check_byes(paired: Paired) -> None:
    """No second one while somebody had none, and the lowest first; where pairs are laid down, they come before that."""
    if paired.pool.forced or paired.pool.forbidden:
        return
    first = [one.number for one in paired.pool.contenders if not one.had_bye]
    again = [one.number for one in paired.pool.contenders if one.had_bye]
    count = len(paired.draw.byes)
    expected = first[max(len(first) - count, 0) :]
    expected += again[len(again) - (count - len(expected)) :]
    assert set(paired.draw.byes) == set(expected)


def _check_repeats(paired: Paired, setting: Setting) -> None:
    """None above the bound where that is easy; else few for each entrant."""
    certificate, count = paired.draw.certificate, len(paired.pool.contenders)
    if certificate.value[:2] != certificate.bound[:2]:
        return
    above = certificate.value[2] - certificate.bound[2]
    assert 3 * above <= 2 * count, setting
    assert above == 0 or not _is_easy(paired), setting


def _is_easy(paired: Paired) -> bool:
    """More than twice as many as anybody has met; more tables than seats, so that each old table can be spread."""
    if paired.pool.forced:
        return False
    most = max([len(set(one.met)) for one in paired.pool.contenders], default=0)
    return len(paired.pool.contenders) > 2 * most and len(paired.draw.tables) > paired.pool.seats


@pytest.mark.parametrize("seats", [3, 4])
def test_after_nine_rounds_nobody_has_sat_much_more_often_in_one_seat_than_in_another(seats: int) -> None:
    spreads: Counter[int] = Counter()
    for entrants in range(4 * seats, 20 * seats, 3 * seats):
        *_, last = rounds(Setting(entrants, seats, 0, unrest=0, rounds=10))
        spreads.update([max(one.sat) - min(one.sat) for one in last.pool.contenders])
    assert max(spreads) <= 3
    assert spreads[3] < spreads.total() // 50


def test_where_all_always_draw_nobody_meets_again_as_long_as_that_is_easy() -> None:
    for seats in (3, 4):
        contenders = [Contender(Number(number), 0, number + 1) for number in range(seats * 40)]
        for number in range(1, 8):
            draw = tables.pair(Pool(number, seats, tuple(contenders)))
            assert draw.certificate.value == (0, 0, 0, 0)
            contenders = [_having_met(one, draw.tables) for one in contenders]


def _having_met(one: Contender, found: tuple[Table, ...]) -> Contender:
    (seats,) = [table.seats for table in found if one.number in table.seats]
    return one._replace(met=(*one.met, *[other for other in seats if other != one.number]))


@pytest.mark.parametrize("block", [4, 16, 64])
def test_where_all_neighbours_have_met_nobody_meets_again(block: int) -> None:
    found = tables.pair(all_neighbours_met(2000, block))
    assert found.certificate.value[:3] == (0, 0, 0)
    # Somebody from each of four blocks: this far apart must two of them be at least.
    assert found.certificate.value[3] <= 2 * 3 * block * 500


def test_a_pair_that_must_not_meet_does_not_and_one_that_must_does_from_however_far() -> None:
    contenders = tuple([Contender(Number(number), 600 - number, number + 1) for number in range(600)])
    apart, together = (Number(0), Number(1)), (Number(0), Number(599))
    draw = tables.pair(Pool(1, 4, contenders, frozenset([apart]), frozenset([together])))
    (table,) = [table.seats for table in draw.tables if 0 in table.seats]
    assert 599 in table
    assert 1 not in table
    assert draw.certificate.value[0] == 0


def test_the_same_players_in_any_order_get_the_same_round() -> None:
    *_, last = rounds(Setting(50, 4, 7, pairs=3))
    again = last.pool._replace(
        forbidden=frozenset(sorted(last.pool.forbidden, reverse=True)),
        forced=frozenset(sorted(last.pool.forced, reverse=True)),
    )
    assert tables.pair(again) == last.draw


@pytest.mark.parametrize("seats", [3, 4])
def test_who_are_too_few_have_byes_or_one_table(seats: int) -> None:
    assert tables.pair(Pool(1, seats, ())).tables == ()
    alone = tables.pair(Pool(1, seats, (Contender(Number(7), 0, 1),)))
    assert (alone.tables, alone.byes) == ((), (7,))
    two = tuple([Contender(Number(number), 0, number) for number in (1, 2)])
    assert [sorted(table.seats) for table in tables.pair(Pool(1, seats, two)).tables] == [[1, 2]]
    assert tables.pair(Pool(1, seats, two), fewest=seats).byes == (1, 2)
