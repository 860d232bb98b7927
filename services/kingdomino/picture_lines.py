"""The upper part of the picture: both lines with the kings on them, or the places once the match is over."""

from collections.abc import Iterator
from typing import NamedTuple

from services.kingdomino.emblems import BOLD, BRIGHT, CENTRED, GONE, INK, MARK, PAPER, SOFT, SQUARE
from services.kingdomino.picture_pieces import INNER, Block, count, draw_domino, draw_king, draw_text
from services.kingdomino.rules.model import Phase, Tally
from services.kingdomino.rules.scoring import match_tallies
from services.kingdomino.rules.view import View

# A row is the name of a line, then a slot for each king.
ROW = 112
LABEL = 160
SLOT = 150
SCALE = 1.25
RESULT = 114


class _Slot(NamedTuple):
    """A place of a line: its domino, unless that has been taken away, and the king there."""

    number: int | None
    king: int | None
    is_marked: bool


_TAKEN = _Slot(None, None, is_marked=False)


def lines(view: View) -> Block:
    """K-5, K-7: the line, and below it the next one."""
    name, note, following = ("Line", "lowest first", "Next") if view.line else ("Kings", "in their order", "First")
    drawing = (
        _back(2 * ROW),
        f'<g class="line">{_draw_row(name, [note], _line(view))}</g>',
        f'<g class="next-line" transform="translate(0 {ROW})">',
        f"{_draw_row(f'{following} line', list(_stock(view)), _next_line(view))}</g>",
    )
    return Block(2 * ROW, "\n".join(drawing))


def _stock(view: View) -> Iterator[str]:
    """K-11: after the last line there is no other. Before the deal there is no deck."""
    missing = "none: last round" if view.line else "not dealt yet"
    yield f"{view.deck_size} in the deck" if view.next_line else missing
    if view.aside_size:
        yield f"{view.aside_size} put aside"


def _back(height: int) -> str:
    return f'<rect width="{INNER}" height="{height}" rx="14" fill="#000" fill-opacity=".2"/>'


def _line(view: View) -> Iterator[_Slot]:
    """K-8: a domino is gone once it has been placed, and a king once it has moved on."""
    numbers = view.line or (None,) * len(view.kings)
    placed = view.at + (view.phase is Phase.CHOOSE)
    for place, (number, king) in enumerate(zip(numbers, view.kings, strict=True)):
        is_marked = place == view.at and view.turn is not None
        yield _TAKEN if place < view.at else _Slot(None if place < placed else number, king, is_marked)


def _next_line(view: View) -> Iterator[_Slot]:
    """K-6: while a king is to choose, the free dominoes are marked."""
    for number, king in zip(view.next_line, view.next_kings, strict=True):
        yield _Slot(number, king, view.phase is Phase.CHOOSE and king is None)


def _draw_row(name: str, notes: list[str], slots: Iterator[_Slot]) -> str:
    shown = (draw_text(16, 69 + 22 * row, 16, SOFT, note) for row, note in enumerate(notes))
    placed = (
        f'<g class="slot" transform="translate({LABEL + place * SLOT + 10} 30) scale({SCALE})">{_draw_slot(slot)}</g>'
        for place, slot in enumerate(slots)
    )
    return "\n".join((draw_text(16, 46, 19, BRIGHT, name, BOLD), *shown, *placed))


def _draw_slot(slot: _Slot) -> str:
    """A king stands on the lower edge of its domino, where it hides no crown."""
    parts = (
        GONE if slot == _TAKEN else "",
        _draw_mark(slot) if slot.is_marked else "",
        "" if slot.number is None else draw_domino(slot.number) + _draw_number(slot.number),
        "" if slot.king is None else f'<g transform="translate({SQUARE} 62)">{draw_king(slot.king)}</g>',
    )
    return "".join(parts)


def _draw_mark(slot: _Slot) -> str:
    """Round the king that is to move, and round each domino that it may be put on."""
    look = 'class="turn" fill-opacity=".2"' if slot.king is not None else 'class="choice" fill-opacity="0"'
    return f'<rect x="-4" y="-4" width="{2 * SQUARE + 8}" height="{SQUARE + 8}" rx="9" fill="#fff" {look} {MARK}/>'


def _draw_number(number: int) -> str:
    """On a plate over the upper edge, above where crowns are."""
    plate = f'<rect x="{SQUARE - 15}" y="-18" width="30" height="20" rx="6" fill="{PAPER}" stroke="{INK}"/>'
    return plate + draw_text(SQUARE, -2, 16, INK, number, BOLD, CENTRED)


def result(view: View) -> Block:
    """K-17, K-18: in place of the lines, the kings in the order of their places."""
    totals = match_tallies(view.tallies, len(view.kingdoms))
    order = sorted(range(len(totals)), key=lambda seat: totals[seat], reverse=True)
    kings = (
        f'<g transform="translate({place * INNER // len(order)} 0)">{_draw_place(totals, seat)}</g>'
        for place, seat in enumerate(order)
    )
    return Block(RESULT, "\n".join((_back(RESULT), '<g class="result">', *kings, "</g>")))


def _draw_place(totals: tuple[Tally, ...], seat: int) -> str:
    points, largest, crowns = totals[seat]
    place = 1 + sum(total > totals[seat] for total in totals)
    parts = (
        f'<g transform="translate(30 84) scale({SCALE})">{draw_king(seat)}</g>',
        draw_text(60, 34, 20, BRIGHT, "Winner" if place == 1 else f"Place {place}", BOLD),
        draw_text(60, 58, 18, BRIGHT, count(points, "point")),
        draw_text(60, 80, 16, SOFT, f"Largest {largest}"),
        draw_text(60, 100, 16, SOFT, count(crowns, "crown")),
    )
    return "".join(parts)
