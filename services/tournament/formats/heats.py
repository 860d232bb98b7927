"""What is played at the same time in a bracket for two at a table: who is in which part of it, and so meets whom."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from services.tournament.formats.sound import check_certificate, check_everybody, laid_down
from services.tournament.model import Draw, Number, Player, Table
from services.tournament.pairing.pool import contender
from services.tournament.pairing.table_seating import seated
from services.tournament.pairing.unsound import Unsound

METHOD = "bracket"
# At a table.
TWO = 2


class Heat(NamedTuple):
    """Games of one stage, and all who could be in it, by the part of the tree where they are: two in one part meet."""

    label: str
    nodes: Mapping[Number, int]


class Stage(NamedTuple):
    """The heats of a round, and all who have a table or a bye in it, in order."""

    heats: tuple[Heat, ...]
    there: tuple[Number, ...]


def draw(stage: Stage, players: Mapping[Number, Player], method: str = METHOD) -> Draw | None:
    """The tables of a stage; None: nobody meets anybody."""
    tables = [
        Table(seats([players[number] for number in pair]), label=heat.label)
        for heat in stage.heats
        for pair in _pairs(heat)
    ]
    playing = {number for table in tables for number in table.seats}
    byes = tuple([number for number in stage.there if number not in playing])
    return Draw(tuple(tables), byes, laid_down(method)) if tables else None


def _pairs(heat: Heat) -> Iterable[tuple[Number, ...]]:
    found: dict[int, tuple[Number, ...]] = {}
    for number, node in heat.nodes.items():
        found[node] = (*found.get(node, ()), number)
    # Where an earlier result was changed there may be more: two of them meet, and the others wait for who is left.
    return [found[node][:TWO] for node in sorted(found) if len(found[node]) >= TWO]


def seats(members: Iterable[Player]) -> tuple[Number, ...]:
    """Who sits where: most evenly; and where it is all the same, the better seed first."""
    known = sorted(members, key=lambda one: one.seed)
    return tuple([one.number for one in seated([contender(player, len(known)) for player in known])])


def check(stage: Stage, players: Mapping[Number, Player], draw: Draw, method: str = METHOD) -> None:
    """Raises `Unsound` unless two sit at a table exactly if they are in one part of the tree."""
    check_everybody(draw, stage.there)
    check_certificate(draw, laid_down(method))
    left = list(draw.tables)
    for heat in stage.heats:
        count = sum([there >= TWO for there in Counter(heat.nodes.values()).values()])
        _check_heat(heat, left[:count])
        del left[:count]
    if left or not draw.tables:
        raise Unsound("The tables are not as many as are to be played now.")
    _check_order(stage, draw)
    for table in draw.tables:
        _check_seats(players, table)


def _check_heat(heat: Heat, tables: Sequence[Table]) -> None:
    found = [_node(heat, table) for table in tables]
    if any(one >= other for one, other in pairwise(found)):
        raise Unsound(f"The tables of the {heat.label} are not in the order of the bracket.")


def _node(heat: Heat, table: Table) -> int:
    if table.label != heat.label:
        raise Unsound(f"A table of the {heat.label} is labelled “{table.label}”.")
    found = {heat.nodes.get(number, -1) for number in table.seats}
    if len(table.seats) != TWO or len(found) != 1 or -1 in found:
        raise Unsound(f"{table.seats} do not meet in the {heat.label}: they are in different parts of the bracket.")
    return found.pop()


def _check_order(stage: Stage, draw: Draw) -> None:
    byes = frozenset(draw.byes)
    if draw.byes != tuple([number for number in stage.there if number in byes]):
        raise Unsound("The byes are not in the order of the bracket.")


def _check_seats(players: Mapping[Number, Player], table: Table) -> None:
    if table.seats != seats([players[number] for number in table.seats]):
        raise Unsound(f"{table.seats} would be fairer in other seats, or the better seed does not sit first.")
