"""Groups, then a bracket: who is with whom, who goes on, and who cannot meet again at once."""

import random
from itertools import combinations

import pytest

from services.tournament import formats
from services.tournament.formats import groups
from services.tournament.formats.groups import apart
from services.tournament.model import Number, Round, System
from tests.tournament.formats.playing import LIVELY, QUIET, Event, Unrest, event, plan, play, result, standings


def cup(entrants: int, seed: int = 0, unrest: Unrest = QUIET, **changes: object) -> Event:
    """Groups and bracket, over."""
    return play(event(plan(System.GROUPS, **changes), entrants), random.Random(f"{entrants} {seed} {changes}"), unrest)


def members(paired: Round) -> dict[str, set[Number]]:
    """Who plays in which group in a round."""
    found: dict[str, set[Number]] = {}
    for table in paired.tables:
        found.setdefault(table.label, set()).update(table.seats)
    return found


@pytest.mark.parametrize("entrants", range(4, 34))
@pytest.mark.parametrize("count", [2, 3, 4])
def test_in_a_group_all_meet_and_then_the_best_go_on(entrants: int, count: int) -> None:
    """Groups differ by one at most; as many rounds as was said; the winner comes from the bracket."""
    going = cup(entrants, groups=count)
    found = groups.parts(going.rounds)
    divisions = groups.schedule(going.plan, going.players, going.rounds).divisions
    sizes = [len(one.members) for one in divisions]
    assert max(sizes) - min(sizes) <= 1
    met = {frozenset(table.seats) for paired in found.groups for table in paired.tables}
    assert met == {frozenset(pair) for one in divisions for pair in combinations(one.members, 2)}
    assert len(going.rounds) == formats.rounds_in_all(going.plan, entrants)
    last = found.bracket[-1].tables[0]
    assert last.label == "final"
    assert standings(going)[0].number in last.seats


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("advancing", [1, 2, 3, 4])
def test_nobody_meets_its_own_group_in_the_first_round_of_the_bracket(count: int, advancing: int) -> None:
    """From two groups on it can always be avoided."""
    going = cup(count * (advancing + 1), groups=count, advancing=advancing)
    divisions = groups.schedule(going.plan, going.players, going.rounds).divisions
    group = {number: one.label for one in divisions for number in one.members}
    first = groups.parts(going.rounds).bracket[0]
    assert len(first.byes) + 2 * len(first.tables) == count * advancing
    assert all(group[one] != group[other] for one, other in (table.seats for table in first.tables))


def test_where_only_one_group_is_left_its_members_meet() -> None:
    """It can't be avoided, and nothing is changed."""
    numbers = [Number(one) for one in range(4)]
    place = {number: index for index, number in enumerate(numbers)}
    assert apart(numbers, dict.fromkeys(numbers, 0), place) == numbers


@pytest.mark.parametrize("seed", range(60))
def test_a_lively_cup_ends_with_everybody_placed_and_who_was_in_the_bracket_first(seed: int) -> None:
    """With withdrawals, returns, ties and annulled tables; at tables of two, three and four."""
    seats = 2 + seed % 3
    entrants = 4 + seed % 23 if seats == 2 else 4 + seed % 11
    going = cup(entrants, seed, LIVELY, groups=2 + seed % 3, seats=seats, advancing=1 + seed % 2)
    rows = standings(going)
    assert sorted(row.number for row in rows) == list(range(entrants))
    bracket = groups.parts(going.rounds).bracket
    if bracket:
        there = {*bracket[0].byes, *(one for table in bracket[0].tables for one in table.seats)}
        assert {row.number for row in rows[: len(there)]} == there


def test_who_has_left_when_the_groups_are_through_makes_way_for_the_next() -> None:
    """The first of group A withdraws: the second and the third of it go on."""
    going = event(plan(System.GROUPS, groups=2), 8)
    chance = random.Random(1)
    for _ in range(3):
        draw = going.draw()
        assert draw is not None
        going.add(draw, [result(table, chance) for table in draw.tables])
    first, second, third, _ = groups.standings(going.plan, going.players, going.rounds)[0]
    going.turn(first, is_active=False)
    draw = going.draw()
    assert draw is not None
    there = {one for table in draw.tables for one in table.seats}
    assert {second, third} <= there
    assert first not in there


def test_the_bracket_is_what_was_paired_when_a_result_of_the_groups_is_changed_later() -> None:
    """Who is in it stays in it: what was paired stands."""
    going = event(plan(System.GROUPS, groups=2), 8)
    chance = random.Random(1)
    for _ in range(4):
        draw = going.draw()
        assert draw is not None
        going.add(draw, [result(table, chance) for table in draw.tables])
    before = going.draw()
    entries = [
        one._replace(entries=(one.entries[0]._replace(points=-one.entries[0].points), *one.entries[1:]))
        for one in going.players
    ]
    going.players = entries
    assert going.draw() == before


def test_groups_are_called_by_letters() -> None:
    """A to Z, then AA."""
    assert [groups.label(index) for index in (0, 25, 26, 27, groups.MOST - 1)] == [
        "group A",
        "group Z",
        "group AA",
        "group AB",
        "group ZZ",
    ]
