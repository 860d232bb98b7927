"""Round robins of two at a table, held to the tables that FIDE prints (Handbook C.05, annex 1)."""

import random
from collections import Counter
from itertools import combinations

import pytest

from services.tournament import formats
from services.tournament.model import Draw, Kind, System
from tests.tournament.formats.playing import LIVELY, Event, event, plan, play

PRINTED = {
    4: """
        1-4 2-3
        4-3 1-2
        2-4 3-1
    """,
    6: """
        1-6 2-5 3-4
        6-4 5-3 1-2
        2-6 3-1 4-5
        6-5 1-4 2-3
        3-6 4-2 5-1
    """,
    8: """
        1-8 2-7 3-6 4-5
        8-5 6-4 7-3 1-2
        2-8 3-1 4-7 5-6
        8-6 7-5 1-4 2-3
        3-8 4-2 5-1 6-7
        8-7 1-6 2-5 3-4
        4-8 5-3 6-2 7-1
    """,
}


def league(entrants: int, legs: int = 1) -> Event:
    """A round robin that is over."""
    return play(event(plan(System.ROUND_ROBIN, legs=legs), entrants), random.Random(entrants))


def printed(going: Event) -> list[str]:
    """The rounds as FIDE prints them."""
    return [
        " ".join("-".join(str(one + 1) for one in table.seats) for table in paired.tables) for paired in going.rounds
    ]


@pytest.mark.parametrize("entrants", PRINTED)
def test_the_tables_are_those_that_fide_prints(entrants: int) -> None:
    """Also their order, and who has the first seat."""
    assert printed(league(entrants)) == [line.strip() for line in PRINTED[entrants].split("\n") if line.strip()]


@pytest.mark.parametrize("entrants", [3, 5, 7])
def test_an_odd_field_plays_the_table_of_the_next_even_one_and_who_meets_the_last_has_a_bye(entrants: int) -> None:
    """The printed pair with the last number is the bye."""
    going = league(entrants)
    for paired, line in zip(going.rounds, PRINTED[entrants + 1].split("\n")[1:], strict=False):
        last = next(pair for pair in line.split() if str(entrants + 1) in pair.split("-"))
        assert [one + 1 for one in paired.byes] == [int(one) for one in last.split("-") if one != str(entrants + 1)]


@pytest.mark.parametrize(
    ("entrants", "legs"), [*[(count, 1) for count in range(2, 34)], (2, 5), (3, 2), (4, 3), (7, 4), (8, 2), (10, 3)]
)
def test_everybody_meets_everybody_in_each_leg_and_starts_as_often_as_not(entrants: int, legs: int) -> None:
    """In every second leg the seats of a pair are turned."""
    going = league(entrants, legs=legs)
    met: Counter[tuple[int, ...]] = Counter(table.seats for paired in going.rounds for table in paired.tables)
    for one, other in combinations(range(entrants), 2):
        assert sorted((met[one, other], met[other, one])) == [legs // 2, legs - legs // 2]
    first, second = [Counter(pair[seat] for pair in met.elements()) for seat in (0, 1)]
    assert all(abs(first[one] - second[one]) <= 1 for one in range(entrants))
    assert len(going.rounds) == formats.rounds_in_all(going.plan, entrants)


@pytest.mark.parametrize("seed", range(40))
def test_who_is_there_meets_everybody_who_is_there_and_has_a_bye_otherwise(seed: int) -> None:
    """Withdrawals and returns: no round is empty, nobody who is there is forgotten, nobody meets anybody twice."""
    entrants = 2 + seed % 20

    def seen(going: Event, draw: Draw) -> None:
        assert draw.tables
        there = {one.number for one in going.players if one.is_active and one.number in field}
        assert there == {*draw.byes, *(one for table in draw.tables for one in table.seats)}

    going = event(plan(System.ROUND_ROBIN), entrants)
    field = {one.number for one in going.players}
    play(going, random.Random(seed), LIVELY, seen)
    met = Counter(frozenset(table.seats) for paired in going.rounds for table in paired.tables)
    assert set(met.values()) <= {1}
    stayed = [one for one in going.players if one.is_active]
    always = [one.number for one in stayed if all(entry.kind is not Kind.ABSENT for entry in one.entries)]
    assert all(frozenset(pair) in met for pair in combinations(always, 2))


def test_a_round_that_nobody_would_play_is_left_out() -> None:
    """Of four, two withdraw: the round in which the other two meet is the next, not an empty one."""
    going = event(plan(System.ROUND_ROBIN), 4)
    first = going.draw()
    assert first is not None
    going.add(first, first.tables)
    going.turn(2, is_active=False)
    going.turn(3, is_active=False)
    after = going.draw()
    assert after is not None
    assert [table.seats for table in after.tables] == [(0, 1)]
    going.add(after, after.tables)
    assert going.draw() is None


def test_who_comes_after_the_first_round_is_not_in_the_table() -> None:
    """A round robin is laid down for those who were there."""
    going = event(plan(System.ROUND_ROBIN), 5)
    going.turn(4, is_active=False)
    first = going.draw()
    assert first is not None
    going.add(first, first.tables)
    going.turn(4, is_active=True)
    later = going.draw()
    assert later is not None
    assert all(4 not in table.seats for table in later.tables)
    assert later.byes == ()
