"""Positions as text, both ways: what `format_view` writes, `parse_view` reads.

A square is written as the number of its domino, the letter of its terrain and a star for each crown: `48m***`. A dot is
a cell that a kingdom may still grow to. A king is written as the number of its seat, after its domino; `>` marks the
king that moves.

    Kingdomino, game 1 of 1, seen by seat 1
    options: harmony
    turn: seat 1 places
    deck: 16 left, 24 aside
    line: 7[l|l]=1 >12[s|s]=1 26[f*|w]=0 43[w|s**]=0
    next: 2[w|w]= 20[w*|l]= 36[w|g*]=1 47[s|m**]=
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from services.kingdomino.rules.dominoes import DOMINOES, Domino, Square, Terrain
from services.kingdomino.rules.model import (
    CASTLE,
    Cell,
    Direction,
    Kingdom,
    Options,
    Phase,
    Placement,
    Property,
    Tally,
    castle_alone,
    cell_at,
    first_cell,
    placement,
    second_cell,
    with_domino,
    without_domino,
)
from services.kingdomino.rules.scoring import Score, score
from services.kingdomino.rules.view import View
from shared.kernel import Seat

_LETTERS = {terrain: terrain.name[0].lower() for terrain in Terrain}
_OPTIONS = tuple(Options.__dataclass_fields__)
_PHASES = {Phase.BETWEEN: "nobody", Phase.OVER: "over", Phase.PLACE: "places", Phase.CHOOSE: "chooses"}
_PHASE_OF = {word: phase for phase, word in _PHASES.items()}
_CASTLE = "castle"
_FREE = "."
_WIDTH = 7
_SQUARE = re.compile(r"(\d+)([wflgsm])(\**)")
_IN_LINE = re.compile(r"(>?)(\d+)\[[^]]*\]=(\d?)")
_DIGITS = re.compile(r"\d+")


def format_view(view: View) -> str:
    """The position as one text."""
    seats = (_format_seat(view, seat) for seat in range(len(view.kingdoms)))
    return "\n".join((*_format_head(view), *seats))


def _format_head(view: View) -> Iterator[str]:
    seen_by = "" if view.seat is None else f", seen by seat {view.seat}"
    yield f"Kingdomino, game {view.game} of {view.options.games}{seen_by}"
    yield f"options: {', '.join(_words(name) for name in _OPTIONS if getattr(view.options, name)) or 'none'}"
    yield f"turn: {'' if view.turn is None else f'seat {view.turn} '}{_PHASES[view.phase]}"
    yield f"deck: {_pile(view.deck_size, view.deck, 'left')}, {_pile(view.aside_size, view.aside, 'aside')}"
    yield f"line: {_format_line(view)}"
    yield f"next: {' '.join(map(_in_line, view.next_line, view.next_kings))}"
    for number, game in enumerate(view.tallies, 1):
        yield f"game {number}: {' '.join('{}/{}/{}'.format(*tally) for tally in game)}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _pile(size: int, numbers: tuple[int, ...] | None, where: str) -> str:
    shown = f" ({' '.join(map(str, numbers))})" if numbers else ""
    return f"{size} {where}{shown}"


def _format_line(view: View) -> str:
    """The dominoes with their kings; before the first line has its kings, these alone in their order."""
    shown = map(_in_line, view.line, view.kings) if view.line else map(str, view.kings)
    marked = view.at if view.turn is not None else None
    return " ".join(f"{'>' if place == marked else ''}{one}" for place, one in enumerate(shown))


def _in_line(number: int, king: Seat | None) -> str:
    return f"{format_domino(DOMINOES[number])}={'' if king is None else king}"


def format_domino(domino: Domino) -> str:
    """`43[w|s**]`."""
    return f"{domino.number}[{_face(domino.first)}|{_face(domino.second)}]"


def _face(square: Square) -> str:
    return _LETTERS[square.terrain] + "*" * square.crowns


def _format_seat(view: View, seat: int) -> str:
    kingdom = view.kingdoms[seat]
    discarded = f"; discarded {' '.join(map(str, kingdom.discarded))}" if kingdom.discarded else ""
    head = f"seat {seat}: {format_score(score(kingdom, view.options))}{discarded}"
    return f"{head}\n{format_kingdom(kingdom, view.options.side)}"


def format_score(counted: Score) -> str:
    """`19 points (lake 3x3, swamp 5x2); largest property 5, crowns 5`."""
    parts = [*map(_format_property, filter(_is_worth_something, counted.properties))]
    parts += [f"middle kingdom {counted.middle_kingdom}"] * bool(counted.middle_kingdom)
    parts += [f"harmony {counted.harmony}"] * bool(counted.harmony)
    points, largest, crowns = counted.tally
    reasons = f" ({', '.join(parts)})" if parts else ""
    return f"{points} points{reasons}; largest property {largest}, crowns {crowns}"


def _is_worth_something(one: Property) -> bool:
    return one.crowns > 0


def _format_property(one: Property) -> str:
    return f"{one.terrain.name.lower()} {one.squares}x{one.crowns}"


def format_kingdom(kingdom: Kingdom, side: int) -> str:
    """A grid of all cells that the kingdom may come to have, with x above it and y beside it."""
    left, top, right, bottom = kingdom.extent
    columns, rows = range(right - side + 1, left + side), range(bottom - side + 1, top + side)
    shown = {CASTLE: _CASTLE} | dict(_squares(kingdom))
    lines = ((y, *(shown.get(cell_at(x, y), _FREE) for x in columns)) for y in rows)
    return "\n".join("".join(f"{part:>{_WIDTH}}" for part in line) for line in (("", *columns), *lines))


def _squares(kingdom: Kingdom) -> Iterator[tuple[Cell, str]]:
    for number, where in kingdom.laid:
        domino = DOMINOES[number]
        yield first_cell(where), f"{number}{_face(domino.first)}"
        yield second_cell(where), f"{number}{_face(domino.second)}"


def parse_view(text: str) -> View:
    """The view that was written so."""
    rows = text.split("\n")
    head = {key: value for key, _, value in (row.partition(": ") for row in rows) if not key.startswith(" ")}
    options = _parse_options(head["options"])
    starts = [place for place, row in enumerate(rows) if row.startswith("seat ")]
    kingdoms = tuple(_parse_seat(rows[start:end], options.side) for start, end in _spans(starts, len(rows)))
    return _parse_head(rows[0], head, options, kingdoms)


def _spans(starts: list[int], end: int) -> Iterable[tuple[int, int]]:
    return zip(starts, (*starts[1:], end), strict=True)


def _parse_options(text: str) -> Options:
    return Options(**{name: _words(name) in text.split(", ") for name in _OPTIONS})


def _parse_head(title: str, head: dict[str, str], options: Options, kingdoms: tuple[Kingdom, ...]) -> View:
    game, *_ = _numbers(title)
    deck, aside = (_parse_pile(part) for part in head["deck"].split(", "))
    line, kings, at = _parse_line(head["line"])
    next_line, next_kings, _ = _parse_line(head["next"])
    return View(
        seat=Seat(int(title.rpartition(" ")[2])) if "seen by" in title else None,
        options=options,
        game=game,
        tallies=tuple(_parse_tallies(value) for key, value in head.items() if key.startswith("game ")),
        kingdoms=kingdoms,
        phase=_PHASE_OF[head["turn"].rpartition(" ")[2]],
        line=line,
        kings=tuple(king for king in kings if king is not None),
        at=at,
        next_line=next_line,
        next_kings=next_kings,
        deck_size=deck[0],
        deck=deck[1],
        aside_size=aside[0],
        aside=aside[1],
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, _DIGITS.findall(text)))


def _parse_pile(text: str) -> tuple[int, tuple[int, ...] | None]:
    size, *numbers = _numbers(text)
    return size, tuple(numbers) if len(numbers) == size else None


def _parse_line(text: str) -> tuple[tuple[int, ...], tuple[Seat | None, ...], int]:
    """Dominoes, kings, and the place of the king that moves."""
    parts = text.split()
    at = next((place for place, part in enumerate(parts) if part.startswith(">")), 0)
    found = _IN_LINE.findall(text)
    if not found:
        return (), tuple(map(Seat, _numbers(text))), at
    kings = tuple(Seat(int(king)) if king else None for _, _, king in found)
    return tuple(int(number) for _, number, _ in found), kings, at


def _parse_tallies(text: str) -> tuple[Tally, ...]:
    return tuple(Tally(*_numbers(part)) for part in text.split())


def _parse_seat(rows: list[str], side: int) -> Kingdom:
    kingdom = parse_kingdom("\n".join(rows[1:]), side)
    _, is_there, discarded = rows[0].partition("discarded ")
    for number in _numbers(discarded) if is_there else ():
        kingdom = without_domino(kingdom, number)
    return kingdom


def parse_kingdom(text: str, side: int) -> Kingdom:
    """The kingdom of a grid; dots may be left out at the right."""
    head, *rows = (row.split() for row in text.split("\n"))
    squares: defaultdict[int, list[tuple[Cell, str]]] = defaultdict(list)
    for y, *parts in rows:
        for x, part in zip(head, parts, strict=False):
            if found := _SQUARE.fullmatch(part):
                squares[int(found[1])].append((cell_at(int(x), int(y)), found[2] + found[3]))
    kingdom = castle_alone(side)
    for number, two in sorted(squares.items()):
        kingdom = with_domino(kingdom, number, _parse_placement(DOMINOES[number], sorted(two)), side)
    return kingdom


def _parse_placement(domino: Domino, two: list[tuple[Cell, str]]) -> Placement:
    """Which of the two squares is the first, their faces tell."""
    one, other = two if two[0][1] == _face(domino.first) else reversed(two)
    return next(where for where in _around(one[0]) if second_cell(where) == other[0])


def _around(cell: Cell) -> Iterator[Placement]:
    return (placement(cell, direction) for direction in Direction)
