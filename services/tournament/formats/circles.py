"""Everybody meets everybody at tables of two, in one division or in several at the same time, by the tables of Berger.

Places in a table go by seed. The table is laid down before the first round and does not change: who withdraws leaves
byes to those it had still to meet, and finds the games that are left when it comes back. Turns in which nobody would
play are left out. A division that is through before the others has byes.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from services.tournament.formats.berger import Circle, pairs, partner, sits_first, step
from services.tournament.formats.entrants import present
from services.tournament.formats.sound import check_certificate, check_everybody, check_order, laid_down
from services.tournament.model import Certificate, Draw, Number, Round, Table
from services.tournament.pairing.unsound import Unsound


class Division(NamedTuple):
    """Entrants who are all to meet each other, by seed."""

    members: tuple[Number, ...]
    label: str = ""


class Schedule(NamedTuple):
    """The divisions that play side by side, and how often all meet."""

    divisions: tuple[Division, ...]
    legs: int

    @property
    def turns(self) -> int:
        return max([circle_of(self, one).turns for one in self.divisions], default=0)

    @property
    def method(self) -> str:
        return "groups" if any(one.label for one in self.divisions) else "berger"


class Spot(NamedTuple):
    """Where an entrant is: the division, counted from 0, and its place there, from 1."""

    division: int
    place: int


def circle_of(schedule: Schedule, division: Division) -> Circle:
    """The Berger table of a division."""
    return Circle(len(division.members), schedule.legs)


def turn_of(schedule: Schedule, rounds: Sequence[Round], here: frozenset[Number]) -> int | None:
    """Which turn is played next; None: all have been."""
    at: int | None = 0
    for paired in rounds:
        at = None if at is None else _following(schedule, at, present(paired))
        at = None if at is None else at + 1
    return None if at is None else _following(schedule, at, here)


def _following(schedule: Schedule, at: int, here: frozenset[Number]) -> int | None:
    turns = range(at, schedule.turns)
    return next((turn for turn in turns if next(_all_tables(schedule, turn, here), None)), None)


def _all_tables(schedule: Schedule, turn: int, here: frozenset[Number]) -> Iterator[Table]:
    return chain.from_iterable(_tables(schedule, one, turn, here) for one in schedule.divisions)


def _tables(schedule: Schedule, division: Division, turn: int, here: frozenset[Number]) -> Iterator[Table]:
    circle = circle_of(schedule, division)
    # Of an odd field the missing one is nobody.
    names = (*division.members, Number(-1))
    for one, other in pairs(circle, turn) if turn < circle.turns else ():
        seats = names[one - 1], names[other - 1]
        if here.issuperset(seats):
            yield Table(seats, label=division.label)


def draw(schedule: Schedule, rounds: Sequence[Round], here: frozenset[Number]) -> Draw | None:
    """The next turn, for those who are here."""
    turn = turn_of(schedule, rounds, here)
    if turn is None:
        return None
    tables = list(_all_tables(schedule, turn, here))
    playing = {number for table in tables for number in table.seats}
    byes = [number for number in entrants(schedule) if number in here and number not in playing]
    return Draw(tuple(tables), tuple(byes), certificate(schedule))


def certificate(schedule: Schedule) -> Certificate:
    """There is no choice in a turn."""
    return laid_down(schedule.method)


def entrants(schedule: Schedule) -> list[Number]:
    """All of all divisions, in order."""
    return [number for division in schedule.divisions for number in division.members]


def spots(schedule: Schedule) -> dict[Number, Spot]:
    """Where everybody is."""
    return {
        number: Spot(index, place)
        for index, division in enumerate(schedule.divisions)
        for place, number in enumerate(division.members, 1)
    }


def opponent(schedule: Schedule, turn: int, spot: Spot) -> Number | None:
    """Whom somebody meets in a turn; None: nobody, as its field is odd or its division is through."""
    division = schedule.divisions[spot.division]
    circle = circle_of(schedule, division)
    other = partner(circle, turn, spot.place) if turn < circle.turns else 0
    return division.members[other - 1] if 0 < other <= len(division.members) else None


def check(schedule: Schedule, rounds: Sequence[Round], here: frozenset[Number], draw: Draw) -> None:
    """Raises `Unsound` unless the round is the next turn: who meets whom is asked of each entrant, not drawn again."""
    turn = turn_of(schedule, rounds, here)
    if turn is None:
        raise Unsound("Everybody has met everybody: there is no other round.")
    at = spots(schedule)
    check_everybody(draw, [number for number in at if number in here])
    check_certificate(draw, certificate(schedule))
    for table in draw.tables:
        _check_table(schedule, turn, at, table)
    for number in draw.byes:
        _check_bye(schedule, turn, at[number], here)
    check_order("tables", [_order(schedule, turn, at[table.seats[0]]) for table in draw.tables])
    check_order("byes", [at[number] for number in draw.byes])


def _check_table(schedule: Schedule, turn: int, at: dict[Number, Spot], table: Table) -> None:
    spot = at[table.seats[0]]
    division = schedule.divisions[spot.division]
    if table.label != division.label:
        raise Unsound(f"A table of “{division.label}” is labelled “{table.label}”.")
    if table.seats[1:] != (opponent(schedule, turn, spot),):
        raise Unsound(f"{table.seats} do not meet in turn {turn + 1} of the Berger table.")
    if not sits_first(circle_of(schedule, division), turn, spot.place):
        raise Unsound(f"{table.seats} are in the wrong seats for turn {turn + 1} of the Berger table.")


def _check_bye(schedule: Schedule, turn: int, spot: Spot, here: frozenset[Number]) -> None:
    if opponent(schedule, turn, spot) in here:
        raise Unsound("Somebody has a bye whose opponent is there.")


def _order(schedule: Schedule, turn: int, spot: Spot) -> tuple[int, int]:
    circle = circle_of(schedule, schedule.divisions[spot.division])
    return spot.division, step(circle, turn, spot.place)
