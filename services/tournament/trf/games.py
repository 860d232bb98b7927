"""From the cells of a report to entries and rounds. Who says to have met whom must be met by them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from services.tournament.model import Entry, Kind, Number, Round, Scoring, Table, Units
from services.tournament.standings import draw_of
from services.tournament.standings.points import loss_of, win_of
from services.tournament.trf.columns import Unreadable
from services.tournament.trf.lines import Cell, Row

# What the other has if one has this.
_ANSWERS = {"1": "0", "0": "1", "=": "=", "W": "L", "L": "W", "D": "D", "+": "-", "-": "+-"}
_SEATS = {"w": 0, "b": 1}
_PLACES = {"1": (0, 1), "W": (0, 1), "+": (0, 1), "=": (0, 0), "D": (0, 0), "0": (1, 0), "L": (1, 0), "-": (1, 0)}
_FORFEITS = {"+": Kind.FORFEIT_WIN, "-": Kind.FORFEIT_LOSS}
_TWO = 2


class Annulled(NamedTuple):
    """Of a table without a result: the other, and the own seat."""

    opponent: Number
    seat: int


# By round and start number.
Voids: TypeAlias = Mapping[tuple[int, int], Annulled]


def check(table: Sequence[Row], cells: Sequence[Sequence[Cell]], number: int) -> None:
    """Whether a round fits together. Cells are those of the rows."""
    for row, of_row in zip(table, cells, strict=True):
        cell = of_row[number - 1]
        if cell.is_game:
            _check_game(row, cell, number, cells)
        elif cell.opponent or cell.colour != "-":
            raise Unreadable(row.line, f"round {number}: a bye has no opponent and no colour")


def _check_game(row: Row, cell: Cell, number: int, cells: Sequence[Sequence[Cell]]) -> None:
    if not 1 <= cell.opponent <= len(cells) or cell.opponent == row.start:
        raise Unreadable(row.line, f"round {number}: there is no opponent {cell.opponent}")
    answer = cells[cell.opponent - 1][number - 1]
    if answer.opponent != row.start or not answer.is_game:
        raise Unreadable(row.line, f"round {number}: entrant {cell.opponent} says nothing of this game")
    if {cell.colour, answer.colour} != {"w", "b"}:
        raise Unreadable(row.line, f"round {number}: one of the two has white, and the other black")
    if answer.result not in _ANSWERS[cell.result]:
        raise Unreadable(row.line, f"round {number}: {cell.result} for one is not {answer.result} for the other")


def entry(scoring: Scoring, number: int, start: int, cell: Cell, voids: Voids) -> Entry:
    """What an entrant did in a round."""
    if not cell.is_game:
        return _without_game(scoring, number, cell, voids.get((number, start)))
    mine, theirs = _PLACES[cell.result]
    return Entry(
        number,
        _FORFEITS.get(cell.result, Kind.PLAYED),
        worth(scoring, cell.result),
        (Number(cell.opponent - 1),),
        (theirs,),
        _SEATS[cell.colour],
        mine,
    )


def _without_game(scoring: Scoring, number: int, cell: Cell, annulled: Annulled | None) -> Entry:
    points = worth(scoring, cell.result)
    if annulled is not None:
        return Entry(number, Kind.VOID, points, (annulled.opponent,), (), annulled.seat)
    return Entry(number, Kind.BYE if cell.result in "UF" else Kind.ABSENT, points)


def worth(scoring: Scoring, result: str) -> Units:
    """The points of a result."""
    if result in "1W+F":
        return win_of(scoring)
    if result in "=DH":
        return draw_of(scoring, _TWO)
    return {"U": scoring.bye, "0": loss_of(scoring), "L": loss_of(scoring)}.get(result, 0)


def round_of(number: int, entries: Sequence[Entry]) -> Round:
    """A round by what its entrants did, whose numbers are their places in the sequence."""
    who = list(enumerate(entries))
    tables = tuple([_table(Number(one), entry, entries) for one, entry in who if entry.opponents and entry.seat == 0])
    return Round(number, tables, tuple([Number(one) for one, entry in who if entry.kind is Kind.BYE]))


def _table(white: Number, entry: Entry, entries: Sequence[Entry]) -> Table:
    """Nobody has won an annulled table, nor one that both forfeited."""
    black = entry.opponents[0]
    kinds = {entry.kind, entries[black].kind}
    if Kind.VOID in kinds or kinds == {Kind.FORFEIT_LOSS}:
        return Table((white, black))
    if entry.place == entries[black].place:
        return Table((white, black), ((white, black),))
    return Table((white, black), ((white,), (black,)) if entry.place == 0 else ((black,), (white,)))
