"""The checkers reject a draw that was changed in anything, and a draw of another moment."""

import random
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest

from services.tournament import formats
from services.tournament.model import Draw, Number, Plan, System, Table
from services.tournament.pairing.unsound import Unsound
from tests.tournament.formats.playing import LIVELY, Event, event, plan, play

PLANS = {
    "Berger": (plan(System.ROUND_ROBIN, legs=2), 9),
    "tables of four": (plan(System.ROUND_ROBIN, seats=4), 15),
    "single elimination": (plan(System.SINGLE_ELIMINATION, has_third_place=True), 21),
    "single elimination at tables of three": (plan(System.SINGLE_ELIMINATION, seats=3, advancing=1), 25),
    "double elimination": (plan(System.DOUBLE_ELIMINATION), 21),
    "groups": (plan(System.GROUPS, groups=3), 14),
    "groups at tables of three": (plan(System.GROUPS, groups=2, seats=3), 13),
    "arena": (plan(System.ARENA, arena_seconds=60), 11),
}
every_plan = pytest.mark.parametrize(("wanted", "entrants"), PLANS.values(), ids=PLANS.keys())


def moments(wanted: Plan, entrants: int) -> list[tuple[Event, Draw]]:
    """Each round of an event, with the event as it was before it."""
    found: list[tuple[Event, Draw]] = []

    def seen(going: Event, draw: Draw) -> None:
        found.append((Event(going.plan, [*going.players], [*going.rounds]), draw))

    going = event(wanted, entrants)
    if wanted.system is System.ARENA:
        seen(going, formats.draw(wanted, going.players, ()))  # type: ignore[arg-type]
    else:
        play(going, random.Random(entrants), LIVELY, seen)
    return found


def is_accepted(going: Event, draw: Draw) -> bool:
    """Whether the checker has nothing to say."""
    try:
        formats.check(going.plan, going.players, going.rounds, draw)
    except Unsound:
        return False
    return True


def exchanged(draw: Draw, one: Number, other: Number) -> Draw:
    """Two have changed places."""
    turn = {one: other, other: one}
    tables = [table._replace(seats=tuple([turn.get(seat, seat) for seat in table.seats])) for table in draw.tables]
    return draw._replace(tables=tuple(tables), byes=tuple([turn.get(bye, bye) for bye in draw.byes]))


def each_table(draw: Draw, change: Callable[[Table], Table]) -> Iterator[Draw]:
    """One table after the other is changed."""
    for at, table in enumerate(draw.tables):
        yield draw._replace(tables=(*draw.tables[:at], change(table), *draw.tables[at + 1 :]))


def changes(draw: Draw) -> Iterator[Draw]:
    """Whatever should not pass as the same round."""
    yield from each_table(draw, lambda table: table._replace(label=table.label + "!"))
    yield from each_table(draw, lambda table: table._replace(places=(table.seats,)))
    yield from each_table(draw, lambda table: table._replace(seats=table.seats[:-1]))
    yield from each_table(draw, lambda table: table._replace(seats=(*table.seats, table.seats[0])))
    yield from (draw._replace(tables=draw.tables[:at] + draw.tables[at + 1 :]) for at in range(len(draw.tables)))
    yield draw._replace(tables=(*draw.tables, draw.tables[0]))
    yield draw._replace(tables=(), byes=tuple([one for table in draw.tables for one in table.seats]) + draw.byes)
    yield draw._replace(byes=(*draw.byes, Number(99)))
    yield draw._replace(byes=(*draw.byes, draw.tables[0].seats[0]))
    yield draw._replace(certificate=draw.certificate._replace(method="another"))
    yield draw._replace(certificate=draw.certificate._replace(value=(*draw.certificate.value, 1)))
    yield draw._replace(
        certificate=draw.certificate._replace(bound=tuple([one - 1 for one in (*draw.certificate.bound, 1)]))
    )
    if draw.byes:
        yield draw._replace(byes=draw.byes[1:])
    if len(draw.byes) > 1:
        yield draw._replace(byes=draw.byes[::-1])
    if len(draw.tables) > 1:
        yield draw._replace(tables=draw.tables[::-1])


@every_plan
def test_a_changed_draw_is_rejected(wanted: Plan, entrants: int) -> None:
    """A label, a result, a seat, a table, a bye, their order, or a number of the certificate."""
    for going, draw in moments(wanted, entrants):
        assert is_accepted(going, draw)
        for changed in changes(draw):
            assert not is_accepted(going, changed), changed


LAID_DOWN = [name for name in PLANS if name not in ("tables of four", "groups at tables of three", "arena")]


@pytest.mark.parametrize("name", LAID_DOWN)
def test_where_rounds_are_laid_down_no_two_can_change_places(name: str) -> None:
    """Every two of every round, those at one table too: seats are laid down as well."""
    for going, draw in moments(*PLANS[name]):
        everybody = [*draw.byes, *(one for table in draw.tables for one in table.seats)]
        byes = set(draw.byes)
        for one, other in combinations(everybody, 2):
            if not {one, other} <= byes:
                assert not is_accepted(going, exchanged(draw, one, other)), (one, other)


@pytest.mark.parametrize("name", ["tables of four", "groups at tables of three", "arena"])
def test_where_there_is_a_choice_no_two_can_change_places_for_the_worse(name: str) -> None:
    """The certificate is not true of other tables, but for those that are exactly as good."""
    rejected = 0
    for going, draw in moments(*PLANS[name]):
        everybody = [one for table in draw.tables for one in table.seats]
        for one, other in combinations(everybody, 2):
            rejected += not is_accepted(going, exchanged(draw, one, other))
    assert rejected > 0


@every_plan
def test_a_draw_is_for_one_moment_only(wanted: Plan, entrants: int) -> None:
    """Somebody leaves, or a round has been added: it does not hold any more."""
    for going, draw in moments(wanted, entrants):
        leaver = draw.tables[0].seats[0]
        players = [one._replace(is_active=one.is_active and one.number != leaver) for one in going.players]
        assert not is_accepted(Event(going.plan, players, going.rounds), draw)


@pytest.mark.parametrize("name", [name for name in PLANS if name != "arena"])
def test_when_it_is_over_no_round_is_accepted(name: str) -> None:
    """Neither the last one again, nor one without tables. (An arena is over when its time is.)"""
    wanted, entrants = PLANS[name]
    found = moments(wanted, entrants)
    going = event(wanted, entrants)
    play(going, random.Random(entrants), LIVELY)
    empty = found[-1][1]._replace(tables=(), byes=tuple([one.number for one in going.players if one.is_active]))
    assert not is_accepted(going, found[-1][1])
    assert not is_accepted(going, empty)
