"""Everybody meets everybody at tables of three and four: what is guaranteed, and how many rounds it takes."""

import random
from collections import Counter
from itertools import chain, combinations

import pytest

from services.tournament import formats
from services.tournament.formats.gatherings import meetings
from services.tournament.model import Draw, Number, System, Table
from services.tournament.pairing.table_sizes import sizes
from tests.tournament.formats.playing import LIVELY, QUIET, Event, Unrest, event, plan, play

# Fields for which the least number of rounds is reached, in which everybody meets everybody about once.
PERFECT = [(9, 3), (8, 3), (9, 4)]


def league(entrants: int, seats: int, legs: int = 1, unrest: Unrest = QUIET) -> Event:
    """A round robin that is over."""
    return play(event(plan(System.ROUND_ROBIN, seats=seats, legs=legs), entrants), random.Random(entrants), unrest)


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("entrants", [*range(2, 14), 16, 21])
def test_everybody_meets_everybody_and_nobody_much_more_often(entrants: int, seats: int) -> None:
    """Once to four times; in no more rounds than two and a half times the least; at tables sized by the rule."""
    going = league(entrants, seats)
    met = meetings(going.rounds)
    assert all(1 <= met[Number(one), Number(other)] <= 4 for one, other in combinations(range(entrants), 2))
    least = formats.rounds_in_all(going.plan, entrants)
    assert least <= len(going.rounds) <= 2.5 * least
    for paired in going.rounds:
        assert sorted(map(len, (table.seats for table in paired.tables)), reverse=True) == [
            *sizes(entrants, seats).tables
        ]


@pytest.mark.parametrize(("entrants", "seats"), PERFECT)
def test_where_a_perfect_table_is_known_it_is_found(entrants: int, seats: int) -> None:
    """Nine at tables of three: four rounds, and no pair twice (the affine plane of order 3)."""
    going = league(entrants, seats)
    assert set(meetings(going.rounds).values()) == {1}


@pytest.mark.parametrize(("entrants", "seats", "legs"), [(6, 3, 2), (7, 4, 3), (4, 4, 3), (5, 4, 2)])
def test_all_meet_once_for_each_leg_and_sit_everywhere(entrants: int, seats: int, legs: int) -> None:
    """Seats differ by three at most; byes, where tables can't take all, by one."""
    going = league(entrants, seats, legs)
    met = meetings(going.rounds)
    assert all(met[Number(one), Number(other)] >= legs for one, other in combinations(range(entrants), 2))
    byes = Counter(chain.from_iterable(paired.byes for paired in going.rounds))
    assert max(byes[Number(one)] for one in range(entrants)) - min(byes[Number(one)] for one in range(entrants)) <= 1
    for one in range(entrants):
        sat = Counter(table.seats.index(Number(one)) for table in tables(going) if one in table.seats)
        assert max(sat.values()) - min(sat[seat] for seat in range(seats - 1)) <= 3


def tables(going: Event) -> list[Table]:
    """All tables of an event."""
    return [table for paired in going.rounds for table in paired.tables]


@pytest.mark.parametrize("seed", range(12))
def test_who_leaves_is_not_waited_for(seed: int) -> None:
    """With withdrawals and annulled tables it ends, each round has a table, and all who are there have met."""

    def seen(going: Event, draw: Draw) -> None:
        assert draw.tables
        assert all(going.players[one].is_active for table in draw.tables for one in table.seats)

    going = event(plan(System.ROUND_ROBIN, seats=3 + seed % 2), 3 + seed)
    play(going, random.Random(seed), LIVELY, seen)
    met = meetings(going.rounds)
    there = [one.number for one in going.players if one.is_active]
    assert all(met[one, other] >= 1 for one, other in combinations(there, 2))
