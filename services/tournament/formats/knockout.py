"""Single elimination at tables of three or four: the `advancing` best of each table go on, until one table is left.

In each stage the best are dealt to the tables in a snake by seed, but not to those with whom they were at a table in
the stage before (or in a group), while there is a choice. All tables are as large as each other or one smaller, and
larger than `advancing`, so that somebody is out at each; where that needs it, the best seeds have byes. When all who
are left can sit at one table, that is the final; its winner is the first, and the others are behind it in the order
in which they ended.

Who is not there when a round is paired is out for good.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from services.tournament.formats.deal import dealt, fewest_repeats, repeats
from services.tournament.formats.decided import Seeds, order
from services.tournament.formats.heats import METHOD, seats
from services.tournament.formats.single import FINAL
from services.tournament.formats.sound import check_certificate, check_everybody
from services.tournament.model import Certificate, Draw, Number, Player, Round, Table
from services.tournament.pairing.unsound import Unsound


class Shape(NamedTuple):
    """How many tables there are in a stage, and how many entrants have a bye."""

    tables: int
    byes: int


class Step(NamedTuple):
    """Who is left, the best first; where each of them comes from; and what is played."""

    left: tuple[Number, ...]
    before: Mapping[Number, int]
    shape: Shape
    label: str


def shape(left: int, seats_at_table: int, advancing: int) -> Shape:
    """The tables of a stage with so many left."""
    if left <= seats_at_table:
        return Shape(1, 0)
    for byes in range(seats_at_table):
        tables = -((byes - left) // seats_at_table)
        if (left - byes) // tables > advancing:
            return Shape(tables, byes)
    raise AssertionError("Tables that are all full are larger than the number that goes on.")


def stages(entrants: int, seats_at_table: int, advancing: int) -> int:
    """How many stages there are if everybody stays."""
    count = 0
    while entrants > 1:
        count += 1
        tables, byes = shape(entrants, seats_at_table, advancing)
        entrants = 1 if entrants <= seats_at_table else tables * advancing + byes
    return count


def step(left: Sequence[Number], before: Mapping[Number, int], number: int, size: tuple[int, int]) -> Step | None:
    """The stage of this number, from 1; `size` is the seats of a table and how many go on. None: it is over."""
    if len(left) <= 1:
        return None
    label = FINAL if len(left) <= size[0] else f"round {number}"
    return Step(tuple(left), before, shape(len(left), *size), label)


def draw(now: Step, players: Mapping[Number, Player]) -> Draw:
    """The tables of a stage."""
    byes, members = now.left[: now.shape.byes], now.left[now.shape.byes :]
    found = dealt(members, now.shape.tables, now.before)
    tables = [Table(seats([players[number] for number in table]), label=now.label) for table in found]
    return Draw(tuple(tables), byes, certificate(now, found))


def certificate(now: Step, tables: Sequence[Sequence[Number]]) -> Certificate:
    """How many pairs were at one table in the stage before, and how few they could be."""
    known = [now.before[number] for table in tables for number in table if number in now.before]
    value, bound = repeats(tables, now.before), fewest_repeats(now.shape.tables, known)
    return Certificate(METHOD, ("repeats",), (value,), (bound,))


def check(now: Step, players: Mapping[Number, Player], draw: Draw) -> None:
    """Raises `Unsound` unless the tables are the snake's: dealing it again is as simple as any other look."""
    check_everybody(draw, now.left)
    if draw.byes != now.left[: now.shape.byes]:
        raise Unsound("The byes of this stage are not those of the best seeds.")
    found = dealt(now.left[now.shape.byes :], now.shape.tables, now.before)
    wanted = [seats([players[number] for number in table]) for table in found]
    if [table.seats for table in draw.tables] != wanted:
        raise Unsound("The tables are not those of the snake by seeds.")
    if any(table.label != now.label for table in draw.tables):
        raise Unsound(f"Not every table is labelled “{now.label}”.")
    check_certificate(draw, certificate(now, found))


def living(rounds: Sequence[Round], seeds: Seeds, advancing: int) -> list[Number]:
    """Who is not out after the last round, by seed."""
    last = rounds[-1]
    found = [number for table in last.tables for number in going(table, seeds, advancing)]
    return sorted([*found, *last.byes], key=lambda number: seeds[number])


def going(table: Table, seeds: Seeds, advancing: int) -> tuple[Number, ...]:
    """Who goes on from a table; from the final, its winner."""
    return order(table, seeds)[: 1 if table.label == FINAL else advancing]


def where(paired: Round) -> dict[Number, int]:
    """At which table of a round everybody was."""
    return {number: index for index, table in enumerate(paired.tables) for number in table.seats}
