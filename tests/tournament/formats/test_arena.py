"""The arena: everybody free once, neighbours meet, nobody at once again who need not, and who waits."""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import pytest

from services.tournament import formats
from services.tournament.formats.arena import least_gap
from services.tournament.model import POINT, Draw, Entry, Kind, Number, Plan, Player, System
from tests.tournament.formats.playing import entries, event, plan, result

SEATS = [2, 3, 4]


def arena(seats: int) -> Plan:
    """An arena of tables of a size."""
    return plan(System.ARENA, seats=seats, arena_seconds=600)


def accepted(wanted: Plan, free: Sequence[Player]) -> Draw | None:
    """What is drawn, if its checker says so too."""
    draw = formats.draw(wanted, free, ())
    if draw is not None:
        formats.check(wanted, free, (), draw)
    return draw


def rounds(seats: int, entrants: int, seed: int, count: int = 12) -> Iterator[tuple[list[Player], Draw]]:
    """Those who were free, some of all, and how they were paired."""
    wanted, chance = arena(seats), random.Random(f"{seats} {entrants} {seed}")
    players = event(wanted, entrants).players
    for number in range(1, count + 1):
        free = [one for one in players if chance.random() < 0.7]
        draw = accepted(wanted, free)
        if draw is None:
            assert len(free) < seats
            continue
        yield free, draw
        done = {key: one for table in draw.tables for key, one in entries(result(table, chance), number).items()}
        players = [
            one._replace(entries=(*one.entries, done[one.number])) if one.number in done else one for one in players
        ]


def last(player: Player) -> tuple[int, frozenset[Number]]:
    """Its last game, and who was there."""
    entry = player.entries[-1]
    return entry.round, frozenset([player.number, *entry.opponents])


def again(free: Sequence[Player], tables: Sequence[Sequence[Number]]) -> int:
    """How many pairs sit together as they did in the last game of both."""
    known = {one.number: last(one) for one in free if one.entries}
    pairs = [pair for table in tables for pair in combinations(table, 2)]
    return sum(one in known and known[one] == known.get(other) for one, other in pairs)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("seed", range(12))
def test_everybody_who_is_free_sits_once_at_a_full_table_or_waits(seats: int, seed: int) -> None:
    """Fewer wait than sit at a table; who waits has played as much as anybody who plays, where tables are many."""
    for free, draw in rounds(seats, 5 + 3 * seed, seed):
        playing = [one for table in draw.tables for one in table.seats]
        assert len(set(playing)) == len(playing) == len(free) - len(free) % seats
        assert {len(table.seats) for table in draw.tables} == {seats}
        assert draw.byes == ()
        waits = [len(one.entries) for one in free if one.number not in playing]
        plays = [len(one.entries) for one in free if one.number in playing]
        assert len(draw.tables) < seats or not waits or min(waits) >= max(plays)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("seed", range(12))
def test_nobody_sits_with_those_of_its_last_game_where_that_can_be_avoided(seats: int, seed: int) -> None:
    """With as many tables as seats always; the certificate tells the truth in any case."""
    for free, draw in rounds(seats, 5 + 3 * seed, seed):
        found = again(free, [table.seats for table in draw.tables])
        assert draw.certificate.value[0] == draw.certificate.bound[0] == found
        assert found == 0 or len(draw.tables) < seats


@pytest.mark.parametrize("seed", range(30))
def test_in_small_fields_nothing_has_fewer_repeats_or_a_gap_below_the_bound(seed: int) -> None:
    """Every way to seat up to seven, tried."""
    seats = 2 + seed % 2
    for free, draw in rounds(seats, 6 + seed % 2, seed, count=5):
        points = {one.number: one.points for one in free}
        ways = [
            [order[start : start + seats] for start in range(0, len(order) - seats + 1, seats)]
            for order in permutations([one.number for one in free])
        ]
        assert min(again(free, way) for way in ways) == draw.certificate.value[0]
        gaps = [
            sum(max(points[one] for one in table) - min(points[one] for one in table) for table in way) for way in ways
        ]
        assert min(gaps) == draw.certificate.bound[1] <= draw.certificate.value[1]


def test_neighbours_in_points_meet() -> None:
    """Four with 3, 2, 1 and 0 points, none of whom has met another."""
    won = [Entry(one, Kind.PLAYED, POINT, (Number(50 + one),), (1,), 0, 0) for one in range(3)]
    free = [Player(Number(number), "", 0, number + 1, tuple(won[:count])) for number, count in enumerate((0, 3, 1, 2))]
    draw = accepted(arena(2), free)
    assert draw is not None
    assert [set(table.seats) for table in draw.tables] == [{1, 3}, {2, 0}]
    assert draw.certificate.value == (0, 2 * POINT)


def test_two_who_have_just_met_meet_again_if_nobody_else_is_free() -> None:
    """It can't be avoided, and the certificate says so."""
    free = event(arena(2), 2).players
    first = accepted(arena(2), free)
    assert first is not None
    done = entries(first.tables[0]._replace(places=((Number(0),), (Number(1),))), 1)
    free = [one._replace(entries=(done[one.number],)) for one in free]
    second = accepted(arena(2), free)
    assert second is not None
    assert second.certificate.value[0] == second.certificate.bound[0] == 1
    # Who sat first sits second now.
    assert second.tables[0].seats == first.tables[0].seats[::-1]


def test_of_three_the_one_who_parts_the_other_two_plays() -> None:
    """Of two who have just met, one waits."""
    free = event(arena(2), 3).players
    done = entries(formats.draw(arena(2), free[:2], ()).tables[0]._replace(places=((Number(0),), (Number(1),))), 1)  # type: ignore[union-attr]
    free = [*[one._replace(entries=(done[one.number],)) for one in free[:2]], free[2]]
    draw = accepted(arena(2), free)
    assert draw is not None
    assert set(draw.tables[0].seats) == {0, 2}


def test_one_alone_waits() -> None:
    """There is no round, and it is not over."""
    free = event(arena(2), 1).players
    assert formats.draw(arena(2), free, ()) is None
    assert not formats.is_over(arena(2), free, ())


def test_the_least_gap_leaves_out_whoever_costs_most() -> None:
    """By hand: of 9, 5, 5, 1, 1 at tables of two the first waits, and nobody meets another score."""
    assert least_gap([9, 5, 5, 1, 1], 2) == 0
    assert least_gap([9, 5, 4, 1], 2) == 7
    assert least_gap([9, 8, 4, 3, 3], 3) == 1
