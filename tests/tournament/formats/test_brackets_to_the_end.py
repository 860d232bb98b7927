"""Brackets of every size, played to their ends: one winner, everybody placed, and nobody meets before they must."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from services.tournament import formats
from services.tournament.formats.decided import order
from services.tournament.formats.entrants import seeds
from services.tournament.model import Draw, Number, System, Table
from tests.tournament.formats.playing import (
    LIVELY,
    QUIET,
    Event,
    better_wins,
    event,
    games,
    plan,
    play,
    result,
    standings,
)

SIZES = range(2, 34)
SINGLE, DOUBLE = System.SINGLE_ELIMINATION, System.DOUBLE_ELIMINATION
AT_TABLES = [(3, 1), (3, 2), (4, 1), (4, 2), (4, 3)]


def ended(system: System, entrants: int, seed: int = 0, *, lively: bool = False, **changes: object) -> Event:
    """An event that is over."""
    chance = random.Random(f"{system} {entrants} {seed} {changes}")
    return play(event(plan(system, **changes), entrants), chance, LIVELY if lively else QUIET)


def losses(going: Event) -> Counter[Number]:
    """How often everybody was not the one who went on from a table of two."""
    known = seeds(going.players)
    return Counter(order(table, known)[1] for paired in going.rounds for table in paired.tables)


def meetings(going: Event) -> Iterator[Table]:
    """Every table, the first round first."""
    return (table for paired in going.rounds for table in paired.tables)


@pytest.mark.parametrize("entrants", SIZES)
def test_a_single_elimination_has_one_game_fewer_than_entrants(entrants: int) -> None:
    """Everybody but one loses once; nobody has a bye after the first round, and the rounds are as many as was said."""
    going = ended(SINGLE, entrants)
    assert games(going) == entrants - 1
    assert len(going.rounds) == formats.rounds_in_all(going.plan, entrants)
    assert sorted(losses(going).values()) == [1] * (entrants - 1)
    assert not any(paired.byes for paired in going.rounds[1:])
    assert all(one < 2 ** len(going.rounds) - entrants for one in going.rounds[0].byes)


@pytest.mark.parametrize("entrants", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_a_double_elimination_ends_when_all_but_one_have_lost_twice(entrants: int, seed: int) -> None:
    """2n - 2 games, and one more with a second grand final; then the winner has lost once as well."""
    going = ended(DOUBLE, entrants, seed)
    (winner,) = {one.number for one in going.players} - {one for one, count in losses(going).items() if count == 2}
    again = going.rounds[-1].tables[0].label == "second grand final"
    assert games(going) == 2 * entrants - 2 + again
    assert losses(going)[winner] == again
    assert standings(going)[0].number == winner
    assert len(going.rounds) == formats.rounds_in_all(going.plan, entrants) + again


@pytest.mark.parametrize("entrants", SIZES)
@pytest.mark.parametrize("system", [SINGLE, DOUBLE])
def test_there_is_one_winner_and_everybody_is_placed(system: System, entrants: int) -> None:
    """With withdrawals, returns, ties, annulled tables. Only if all who were left have gone, they share the first."""
    for seed in range(8):
        going = ended(system, entrants, seed, lively=True)
        rows = standings(going)
        assert sorted(row.number for row in rows) == list(range(entrants))
        assert [row.place for row in rows][:2] == [1, 2] or not going.players[rows[0].number].is_active
        assert games(going) <= (entrants - 1 if system is SINGLE else 2 * entrants - 1)


@pytest.mark.parametrize("entrants", SIZES)
def test_in_a_single_elimination_the_better_half_of_each_round_cannot_meet_in_it(entrants: int) -> None:
    """If the better always wins, the two best meet in the final, the four best not before the semi-finals, ..."""
    going = event(plan(SINGLE), entrants)
    while (draw := going.draw()) is not None:
        left = len(draw.byes) + 2 * len(draw.tables)
        size = 2 ** (left - 1).bit_length()
        assert all(sum(table.seats) == size - 1 for table in draw.tables)
        going.add(draw, [better_wins(table) for table in draw.tables])


@pytest.mark.parametrize("entrants", [*SIZES, 64, 100])
def test_losers_meet_again_only_where_no_crossing_can_part_them(entrants: int) -> None:
    """Not in the rounds 2g - 3 and 2g - 2 of the losers' bracket while these have g parts or more."""
    levels = (entrants - 1).bit_length()
    for seed in range(10 if entrants < 64 else 3):
        met: set[frozenset[Number]] = set()
        for table in meetings(ended(DOUBLE, entrants, seed)):
            if frozenset(table.seats) in met and table.label.startswith("losers' round"):
                level = (int(table.label.split()[-1]) + 3) // 2
                assert 2 ** (levels - level) < level, table
            met.add(frozenset(table.seats))


@pytest.mark.parametrize("entrants", range(4, 20))
def test_the_third_place_is_played_for_by_those_who_lost_the_semi_finals(entrants: int) -> None:
    """With the final, and its winner is third; the other one is fourth."""
    going = ended(SINGLE, entrants, has_third_place=True)
    final, third = going.rounds[-1].tables
    assert (final.label, third.label) == ("final", "third place")
    known = seeds(going.players)
    semi_finals = [order(table, known)[1] for table in going.rounds[-2].tables]
    assert sorted(third.seats) == sorted(semi_finals)
    assert [row.number for row in standings(going)][:4] == [*order(final, known), *order(third, known)]
    assert games(going) == entrants


def test_of_three_nobody_plays_for_the_third_place() -> None:
    """Only one has lost a semi-final."""
    going = ended(SINGLE, 3, has_third_place=True)
    assert [table.label for table in meetings(going)] == ["semi-final", "final"]


@pytest.mark.parametrize(("seats", "advancing"), AT_TABLES)
def test_at_tables_of_three_and_four_somebody_is_out_at_each(seats: int, advancing: int) -> None:
    """Every size: larger tables than go on, all but equal, byes for the best seeds only, one final, one winner."""
    for entrants in range(2, 40):
        going = ended(SINGLE, entrants, seats=seats, advancing=advancing)
        for paired in going.rounds:
            sizes = [len(table.seats) for table in paired.tables]
            is_final = paired.tables[0].label == "final"
            assert max(sizes) - min(sizes) <= 1
            assert is_final or min(sizes) > advancing
            assert is_final == (paired is going.rounds[-1])
            assert not paired.byes or max(paired.byes) < min(one for table in paired.tables for one in table.seats)
        assert len(going.rounds) == formats.rounds_in_all(going.plan, entrants)
        assert [row.place for row in standings(going)][:2] == [1, 2]


@pytest.mark.parametrize(("seats", "advancing"), AT_TABLES)
def test_at_tables_of_three_and_four_a_lively_event_ends_with_one_winner(seats: int, advancing: int) -> None:
    """With withdrawals, returns, ties and annulled tables."""
    for seed in range(40):
        going = ended(SINGLE, 2 + seed, seed, lively=True, seats=seats, advancing=advancing)
        rows = standings(going)
        assert [row.place for row in rows][:2] == [1, 2] or not going.players[rows[0].number].is_active


@pytest.mark.parametrize("entrants", [16, 29, 64, 100])
def test_at_tables_of_four_those_who_were_together_are_parted_if_there_is_more_than_one_table(entrants: int) -> None:
    """The certificate's value is its bound in each round, and the pairs are counted here once more."""
    going = event(plan(SINGLE, seats=4), entrants)
    before: set[frozenset[Number]] = set()
    chance = random.Random(entrants)
    while (draw := going.draw()) is not None:
        pairs = {frozenset(pair) for table in draw.tables for pair in combinations(table.seats, 2)}
        assert draw.certificate.value == draw.certificate.bound == (len(pairs & before),)
        assert len(draw.tables) == 1 or not pairs & before
        before = pairs
        going.add(draw, [result(table, chance) for table in draw.tables])


def changed(going: Event, at: int, table: int) -> Event:
    """The same event, but one of its tables ended the other way round."""
    paired = going.rounds[at]
    places = paired.tables[table].places
    assert places is not None
    tables = [*paired.tables]
    tables[table] = tables[table]._replace(places=places[::-1])
    rounds = [*going.rounds[:at], paired._replace(tables=tuple(tables)), *going.rounds[at + 1 :]]
    return Event(going.plan, going.players, rounds)


def is_settled(going: Event, at: int, table: Table) -> bool:
    """Whether one of a table has sat at a later one, or it was no table of the winners' bracket."""
    later = [seat for paired in going.rounds[at + 1 :] for one in paired.tables for seat in one.seats]
    return not table.label.startswith("winners'") or any(seat in later for seat in table.seats)


@pytest.mark.parametrize(
    ("system", "entrants"),
    [(SINGLE, 16), (SINGLE, 11), (DOUBLE, 4), (DOUBLE, 7), (DOUBLE, 8), (DOUBLE, 13), (DOUBLE, 16)],
)
def test_what_was_paired_stands_when_an_earlier_result_is_changed(system: System, entrants: int) -> None:
    """An arbiter turns the result of any settled table of any round but the last: the next round is the same."""

    def seen(going: Event, draw: Draw) -> None:
        for at in range(len(going.rounds) - 1):
            for index, table in enumerate(going.rounds[at].tables):
                if is_settled(going, at, table):
                    assert changed(going, at, index).draw() == draw, (at, table)

    for seed in range(3):
        play(event(plan(system), entrants), random.Random(seed), QUIET, seen)


def test_a_result_of_the_winners_is_still_changed_while_both_wait() -> None:
    """The winners' final is annulled for the other one before either has played again: it is the other who waits."""
    going = event(plan(DOUBLE), 8)
    for _ in range(4):
        draw = going.draw()
        assert draw is not None
        going.add(draw, [better_wins(table) for table in draw.tables])
    before, after = going.draw(), changed(going, 2, 0).draw()
    assert before is not None
    assert after is not None
    assert (before.byes, after.byes) == ((0,), (1,))


@pytest.mark.parametrize("system", [SINGLE, DOUBLE, System.GROUPS, System.ROUND_ROBIN])
@pytest.mark.parametrize("entrants", [0, 1])
def test_without_two_entrants_there_is_nothing_to_play(system: System, entrants: int) -> None:
    """No round, and it is over."""
    going = event(plan(system, groups=2 if system is System.GROUPS else 0), entrants)
    assert going.draw() is None
    assert formats.rounds_in_all(going.plan, entrants) == 0
    assert len(standings(going)) == entrants
