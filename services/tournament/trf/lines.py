"""From text to the lines that matter, each with its number."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.tournament.trf import columns
from services.tournament.trf.columns import Unreadable, number, one_line, units

# Records of team events, which are none of ours.
_TEAMS = ("013", "300", "310", "320", "330", "362", "801", "802")
_LETTERS = frozenset("-+WDL1=0HFUZ")
# With whom a game was played, or was to be.
GAMES = frozenset("-+WDL1=0")
_COLOURS = frozenset("wb-")


class Line(NamedTuple):
    """A record: where it stands, its code, and all of it."""

    number: int
    code: str
    text: str

    @property
    def value(self) -> str:
        return one_line(self.text[4:])


class Cell(NamedTuple):
    """One round of one entrant: the start number of the other (0: nobody), the colour and the result."""

    opponent: int
    colour: str
    result: str

    @property
    def is_game(self) -> bool:
        return self.result in GAMES


BLANK = Cell(0, "-", "Z")


class Row(NamedTuple):
    """An entrant as the report has it."""

    line: int
    start: int
    name: str
    rating: int
    points: int
    # None: blank.
    cells: tuple[Cell | None, ...]


def records(text: str) -> list[Line]:
    """All lines that are not blank."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [Line(at, line[:3], line) for at, line in enumerate(lines, 1) if line.strip()]


def rows(lines: Sequence[Line]) -> list[Row]:
    """The entrants in their order at the start, of which none is missing."""
    for line in lines:
        if line.code in _TEAMS:
            raise Unreadable(line.number, "this is the report of a team event")
    found = sorted((_row(line) for line in lines if line.code == "001"), key=lambda row: (row.start, row.line))
    for start, row in enumerate(found, 1):
        if row.start != start:
            raise Unreadable(
                row.line, f"start number {row.start} where {start} was to be: numbers go from 1, each once"
            )
    if not found:
        raise Unreadable(1, "there is no entrant (no line with 001)")
    if len(found) > columns.MOST_ENTRANTS:
        raise Unreadable(found[-1].line, f"there are more than {columns.MOST_ENTRANTS} entrants")
    return found


def _row(line: Line) -> Row:
    text, at = line.text, line.number
    return Row(
        at,
        number(text[columns.START], at, "start number"),
        one_line(text[columns.NAME]),
        number(text[columns.RATING], at, "rating"),
        units(text[columns.POINTS], at),
        tuple(_cells(line)),
    )


def _cells(line: Line) -> Iterator[Cell | None]:
    text = line.text.rstrip()
    for start in range(columns.ROUNDS, len(text), columns.ROUND_WIDTH):
        yield _cell(line.number, start, text[start : start + columns.ROUND_WIDTH].ljust(columns.ROUND_WIDTH))


def _cell(line: int, start: int, text: str) -> Cell | None:
    if not text.strip():
        return None
    opponent = number(text[columns.OPPONENT], line, f"start number (column {start + 1})")
    colour = text[columns.COLOUR].lower().replace(" ", "-")
    result = text[columns.RESULT].upper().replace(" ", "Z")
    if colour not in _COLOURS:
        raise Unreadable(line, f"{colour!r} is no colour (column {start + columns.COLOUR + 1})")
    if result not in _LETTERS:
        raise Unreadable(line, f"{result!r} is no result (column {start + columns.RESULT + 1})")
    if text[4] + text[6] + text[8:] != "    ":
        raise Unreadable(line, f"{text.rstrip()!r} is no round (column {start + 1})")
    return Cell(opponent, colour, result)
