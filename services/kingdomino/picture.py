"""A view as a picture: one SVG that stands alone.

It is made from a view only, so it cannot show what the viewer may not see. All looks are attributes, not a style sheet:
a page that forbids inline styles can still embed the picture. What a page or a test may look for has data attributes.
"""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import zip_longest
from math import ceil
from typing import NamedTuple, TypeAlias

from services.kingdomino.emblems import (
    BOLD,
    BRIGHT,
    CENTRED,
    DEFINITIONS,
    FADED,
    FONT,
    GOLD,
    GONE,
    INK,
    MARK,
    PAPER,
    SEAT_COLOURS,
    SOFT,
    SQUARE,
    emblem,
)
from services.kingdomino.rules.dominoes import DOMINOES, Square, Terrain
from services.kingdomino.rules.model import CASTLE, Kingdom, Laid, Phase, Tally, first_cell, position, second_cell
from services.kingdomino.rules.notation import format_view
from services.kingdomino.rules.scoring import match_tallies, score
from services.kingdomino.rules.setup import deck_size, kings_of
from services.kingdomino.rules.view import View

WIDTH = 800
MARGIN = 20
SPACING = 16
INNER = WIDTH - 2 * MARGIN
HEADER = 84

# Two kingdoms are side by side, each in a panel; small and large kingdoms take the same room.
PANEL = (INNER - SPACING) // 2
BOARD = 336
BOARD_LEFT = (PANEL - BOARD) // 2
NAME_HEIGHT = 56
FACT_HEIGHT = 23

# A row of the lines: its name, then a slot for each king.
ROW = 92
LABEL = 172
SLOT = 152
LINE_SCALE = 1.25

# A chip is a small domino that shows its number only.
CHIP, CHIP_HEIGHT = 32, 30
CHIPS_A_ROW = (INNER - LABEL) // CHIP
DISCARDS_A_ROW = 7


Spot: TypeAlias = tuple[int, int]


class Block(NamedTuple):
    """A part of the picture that goes from its left to its right margin."""

    height: int
    drawing: str


class Frame(NamedTuple):
    """K-14: a square as large as a kingdom may become, with the kingdom in its middle, by the cell in its corner."""

    left: int
    top: int
    side: int


def frame_of(kingdom: Kingdom, side: int) -> Frame:
    """Where the middle falls between two cells, there is one more column at the right, or row at the bottom."""
    left, top, right, bottom = kingdom.extent
    return Frame(left - (side - 1 - right + left) // 2, top - (side - 1 - bottom + top) // 2, side)


def draw(view: View) -> str:
    """The position as SVG: the lines with their kings, the kingdoms, and what the terrains look like."""
    blocks = tuple(_blocks(view))
    height = HEADER + sum(block.height + SPACING for block in blocks) - SPACING + MARGIN
    return "\n".join((*_draw_table(view, height), *_stacked(blocks), "</svg>\n"))


def _blocks(view: View) -> Iterator[Block]:
    yield _result(view) if view.phase is Phase.OVER else _lines(view)
    panels = [_panel(view, seat) for seat in range(len(view.kingdoms))]
    for pair in zip_longest(panels[::2], panels[1::2]):
        yield _panels(tuple(filter(None, pair)))
    yield from filter(None, (_pile("Deck", view.deck), _pile("Put aside", view.aside)))
    yield _legend()


def _stacked(blocks: Iterable[Block]) -> Iterator[str]:
    top = HEADER
    for height, drawing in blocks:
        yield f'<g transform="translate({MARGIN} {top})">{drawing}</g>'
        top += height + SPACING


# The header


def _draw_table(view: View, height: int) -> tuple[str, ...]:
    """Everything up to the lines, with the position as text for those who do not see the picture."""
    size = f'width="{WIDTH}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} viewBox="0 0 {WIDTH} {height}" {FONT}>',
        f"<title>Kingdomino, {_stage(view).lower()}: {_status(view).lower()}</title>",
        f"<desc>{escape(format_view(view))}</desc>",
        DEFINITIONS,
        f'<rect {size} rx="20" fill="url(#kingdomino-table)"/>',
        _text(MARGIN + 4, 38, 23, BRIGHT, _stage(view), BOLD),
        _text(MARGIN + 4, 66, 18, GOLD, _status(view)),
        _text(WIDTH - MARGIN - 4, 38, 16, SOFT, _variants(view), 'text-anchor="end"'),
    )


def _stage(view: View) -> str:
    """K-10, K-18: which game of how many, and which round of how many; round 0 is the choice from the first line."""
    game = f"Game {max(view.game, 1)} of 3, " if view.options.dynasty else ""
    kings = len(kings_of(len(view.kingdoms)))
    used = deck_size(view.options, len(view.kingdoms))
    lines = (used - view.deck_size) // kings if view.game else 0
    current = lines - bool(view.next_line)
    stage = f"round {current} of {used // kings}" if current else "before the first round"
    return (game + stage).capitalize()


def _status(view: View) -> str:
    if view.phase is Phase.OVER:
        return _win(_winners(view))
    if view.turn is None:
        return "Nobody's turn"
    if view.phase is Phase.PLACE:
        return f"Seat {view.turn} places domino {view.line[view.at]}"
    return f"Seat {view.turn} chooses from the {'next' if view.line else 'first'} line"


def _win(winners: tuple[int, ...]) -> str:
    *others, last = winners
    return f"Seats {', '.join(map(str, others))} and {last} share the win" if others else f"Seat {last} wins"


def _winners(view: View) -> tuple[int, ...]:
    """K-17, K-18."""
    totals = match_tallies(view.tallies, len(view.kingdoms))
    return tuple(seat for seat, total in enumerate(totals) if total == max(totals))


def _variants(view: View) -> str:
    options = view.options
    names = {
        "Dynasty": options.dynasty,
        "Middle Kingdom": options.middle_kingdom,
        "Harmony": options.harmony,
        "Mighty Duel": options.mighty_duel,
    }
    return ", ".join(name for name, is_on in names.items() if is_on)


# The lines


class _Slot(NamedTuple):
    """A place of a line: its domino, unless that has been taken away, and the king there."""

    number: int | None
    king: int | None
    is_marked: bool


def _lines(view: View) -> Block:
    names = ("Line", "Next line") if view.line else ("Kings", "First line")
    notes = ("lowest first",) if view.line else ("in their order",)
    stock = (f"{view.deck_size} in the deck", *[f"{view.aside_size} put aside"] * bool(view.aside_size))
    drawing = (
        f'<rect width="{INNER}" height="{2 * ROW}" rx="14" fill="#000" fill-opacity=".2"/>'
        f'<g class="line">{_draw_row((names[0], *notes), _line(view))}</g>'
        f'<g class="next-line" transform="translate(0 {ROW})">{_draw_row((names[1], *stock), _next_line(view))}</g>'
    )
    return Block(2 * ROW, drawing)


def _line(view: View) -> tuple[_Slot, ...]:
    """K-8: a domino is gone once it has been placed, and a king once it has moved on."""
    is_on = view.turn is not None
    if not view.line:
        return tuple(_Slot(None, king, is_on and not place) for place, king in enumerate(view.kings[view.at :]))
    gone = (_Slot(None, None, is_marked=False),) * view.at
    here = zip(view.line[view.at :], view.kings[view.at :], strict=True)
    left = [_Slot(number, king, is_on and not place) for place, (number, king) in enumerate(here)]
    if view.phase is Phase.CHOOSE:
        left[0] = left[0]._replace(number=None)
    return (*gone, *left)


def _next_line(view: View) -> tuple[_Slot, ...]:
    """K-6: while a king is to choose, the free dominoes are marked."""
    pairs = zip(view.next_line, view.next_kings, strict=True)
    return tuple(_Slot(number, king, view.phase is Phase.CHOOSE and king is None) for number, king in pairs)


def _draw_row(label: tuple[str, ...], slots: tuple[_Slot, ...]) -> str:
    name, *notes = label
    shown = (_text(16, 56 + 20 * row, 15, SOFT, note) for row, note in enumerate(notes))
    placed = (
        f'<g transform="translate({LABEL + place * SLOT} 14) scale({LINE_SCALE})">{_draw_slot(slot)}</g>'
        for place, slot in enumerate(slots)
    )
    return "\n".join((_text(16, 33, 19, BRIGHT, name, BOLD), *shown, *placed))


def _draw_slot(slot: _Slot) -> str:
    parts = (
        GONE if slot.number is None and slot.king is None else "",
        _draw_mark(slot) if slot.is_marked else "",
        "" if slot.number is None else _draw_offered(slot.number),
        "" if slot.king is None else f'<g transform="translate({SQUARE} 55)">{_draw_king(slot.king)}</g>',
    )
    return "".join(parts)


def _draw_mark(slot: _Slot) -> str:
    """Round the king that is to move, and round each domino that it may be put on."""
    look = 'class="turn" fill-opacity=".2"' if slot.king is not None else 'class="choice" fill-opacity="0"'
    return f'<rect x="-4" y="-4" width="{2 * SQUARE + 8}" height="{SQUARE + 8}" rx="9" fill="#fff" {look} {MARK}/>'


def _draw_offered(number: int) -> str:
    plate = f'<circle cx="-14" cy="{SQUARE // 2}" r="11" fill="{PAPER}" stroke="{INK}"/>'
    return _draw_domino(number, (0, 0), (1, 0)) + plate + _text(-14, SQUARE // 2 + 5, 13, INK, number, BOLD, CENTRED)


def _draw_king(seat: int) -> str:
    body = f'<use href="#kingdomino-king" fill="{SEAT_COLOURS[seat]}"/>'
    return f'<g class="king" data-seat="{seat}">{body}{_text(0, -5, 13, INK, seat, BOLD, CENTRED)}</g>'


def _result(view: View) -> Block:
    """K-17, K-18: in place of the lines, the kings in the order of their places."""
    totals = match_tallies(view.tallies, len(view.kingdoms))
    order = sorted(range(len(totals)), key=lambda seat: totals[seat], reverse=True)
    kings = (
        f'<g transform="translate({place * INNER // len(order) + 40} 72) scale({LINE_SCALE})">'
        f"{_draw_king(seat)}{_draw_place(totals, seat)}</g>"
        for place, seat in enumerate(order)
    )
    back = f'<rect width="{INNER}" height="{ROW}" rx="14" fill="#000" fill-opacity=".2"/>'
    return Block(ROW, "\n".join((back, '<g class="result">', *kings, "</g>")))


def _draw_place(totals: tuple[Tally, ...], seat: int) -> str:
    place = 1 + sum(total > totals[seat] for total in totals)
    name = "Winner" if place == 1 else f"Place {place}"
    return _text(24, -22, 15, BRIGHT, name, BOLD) + _text(24, -5, 13, SOFT, _count(totals[seat].points, "point"))


# The kingdoms


class _Panel(NamedTuple):
    """A kingdom, and what is said about it."""

    seat: int
    kingdom: Kingdom
    side: int
    name: str
    points: int
    facts: tuple[str, ...]
    is_to_act: bool
    is_over: bool

    @property
    def board_top(self) -> int:
        return NAME_HEIGHT + FACT_HEIGHT * len(self.facts) + BOARD_LEFT

    @property
    def height(self) -> int:
        rows = ceil(len(self.kingdom.discarded) / DISCARDS_A_ROW)
        return self.board_top + BOARD + BOARD_LEFT + CHIP_HEIGHT * rows + 6 * bool(rows)


def _panel(view: View, seat: int) -> _Panel:
    kingdom, is_over = view.kingdoms[seat], view.phase is Phase.OVER
    name = f"Seat {seat}{' (you)' if seat == view.seat else ''}"
    tally = score(kingdom, view.options).tally
    facts = tuple(_facts(view, seat))
    return _Panel(seat, kingdom, view.options.side, name, tally.points, facts, seat == view.turn, is_over)


def _facts(view: View, seat: int) -> Iterator[str]:
    """K-16 to K-20: why a kingdom is worth what it is, and what counts when there is a tie."""
    _, middle_kingdom, harmony, tally = score(view.kingdoms[seat], view.options)
    yield f"Largest property {tally.largest}, {_count(tally.crowns, 'crown')}"
    bonuses = [f"Middle Kingdom +{middle_kingdom}"] * view.options.middle_kingdom
    bonuses += [f"Harmony +{harmony}"] * view.options.harmony
    if bonuses:
        yield ", ".join(bonuses)
    if view.options.dynasty:
        yield _sum_of_games(view, seat, tally.points)


def _sum_of_games(view: View, seat: int, points: int) -> str:
    """K-18: a game that is over is in the tallies, and its kingdoms lie there until the next one is dealt."""
    before = [tallies[seat].points for tallies in view.tallies[: max(view.game - 1, 0)]]
    games = " + ".join(map(str, (*before, points)))
    return f"All games: {games} = {sum(before) + points}" if before else f"All games: {games}"


def _panels(pair: tuple[_Panel, ...]) -> Block:
    """A kingdom without a neighbour is in the middle."""
    left = (INNER - len(pair) * PANEL - (len(pair) - 1) * SPACING) // 2
    height = max(panel.height for panel in pair)
    drawn = (
        f'<g class="seat" data-seat="{panel.seat}" transform="translate({left + place * (PANEL + SPACING)} 0)">'
        f"{_draw_panel(panel, height)}</g>"
        for place, panel in enumerate(pair)
    )
    return Block(height, "\n".join(drawn))


def _draw_panel(panel: _Panel, height: int) -> str:
    edge = MARK if panel.is_to_act else 'stroke="#000" stroke-opacity=".25"'
    facts = (_text(18, NAME_HEIGHT + 11 + FACT_HEIGHT * row, 16, FADED, fact) for row, fact in enumerate(panel.facts))
    parts = (
        f'<rect width="{PANEL}" height="{height}" rx="16" fill="{PAPER}" {edge} filter="url(#kingdomino-shadow)"/>',
        f'<g transform="translate(36 52)">{_draw_king(panel.seat)}</g>',
        _text(62, 42, 21, INK, panel.name, BOLD),
        '<use href="#kingdomino-turn" x="8" y="36"/>' if panel.is_to_act else "",
        _text(PANEL - 18, 42, 21, INK, _count(panel.points, "point"), BOLD, 'text-anchor="end"'),
        *facts,
        f'<g transform="translate({BOARD_LEFT} {panel.board_top})">{_draw_board(panel)}</g>',
        _draw_discards(panel),
    )
    return "\n".join(filter(None, parts))


def _draw_discards(panel: _Panel) -> str:
    """K-15."""
    if not panel.kingdom.discarded:
        return ""
    chips = _draw_chips(panel.kingdom.discarded, DISCARDS_A_ROW)
    label, left = _text(0, 18, 16, FADED, "Discarded"), BOARD - DISCARDS_A_ROW * CHIP
    return (
        f'<g class="discarded" transform="translate({BOARD_LEFT} {panel.board_top + BOARD + BOARD_LEFT})">'
        f'{label}<g transform="translate({left} 0)">{chips}</g></g>'
    )


def _draw_board(panel: _Panel) -> str:
    frame = frame_of(panel.kingdom, panel.side)
    dominoes = (_draw_laid(laid, frame) for laid in panel.kingdom.laid)
    more = () if panel.is_over else map(_draw_more, _edges_to_grow(panel.kingdom, frame))
    scale, size = BOARD / (panel.side * SQUARE), panel.side * SQUARE
    return "\n".join(
        (
            f'<rect x="-5" y="-5" width="{BOARD + 10}" height="{BOARD + 10}" rx="10" fill="#fffaf0" stroke="#c8b48c"/>',
            *more,
            f'<g class="kingdom" data-left="{frame.left}" data-top="{frame.top}" data-side="{frame.side}"'
            f' transform="scale({scale:g})"><rect width="{size}" height="{size}" fill="url(#kingdomino-free)"/>',
            '<g filter="url(#kingdomino-shadow)">',
            *dominoes,
            _draw_castle(panel.seat, frame),
            "</g></g>",
        )
    )


def _edges_to_grow(kingdom: Kingdom, frame: Frame) -> Iterator[int]:
    """K-14: past which edges of the frame the kingdom may grow, as angles from the lower one: what is free at one edge
    may be used at the opposite edge instead.
    """
    left, top, right, bottom = kingdom.extent
    last = frame.side - 1
    free = top - frame.top, frame.left + last - right, frame.top + last - bottom, left - frame.left
    return (90 * quarter for quarter, cells in enumerate(free) if cells)


def _draw_more(angle: int) -> str:
    middle = BOARD // 2
    turned = f"translate({middle} {middle}) rotate({angle}) translate(0 {middle + 11})"
    return f'<use href="#kingdomino-more" transform="{turned}"/>'


def _draw_castle(seat: int, frame: Frame) -> str:
    """K-4."""
    x, y = position(CASTLE)
    castle = (
        f'<use href="#kingdomino-castle" fill="{SEAT_COLOURS[seat]}"/>{_text(24, 38, 14, INK, seat, BOLD, CENTRED)}'
    )
    return f'<g class="castle" {_at(x, y)} transform="{_shift(x - frame.left, y - frame.top)}">{castle}</g>'


def _draw_laid(laid: Laid, frame: Frame) -> str:
    one, other = position(first_cell(laid.where)), position(second_cell(laid.where))
    return _draw_domino(laid.number, one, other, frame.left, frame.top)


def _draw_domino(number: int, one: Spot, other: Spot, left: int = 0, top: int = 0) -> str:
    """A domino on two neighbouring cells. Its squares are drawn upright, however it lies."""
    x, y = min(one, other)
    name = "across" if one[1] == other[1] else "down"
    squares = (
        _draw_square(square, cell, (x, y)) for square, cell in zip(DOMINOES[number][1:], (one, other), strict=True)
    )
    return (
        f'<g class="domino" data-domino="{number}" transform="{_shift(x - left, y - top)}">'
        f'<g clip-path="url(#kingdomino-cut-{name})">{"".join(squares)}</g><use href="#kingdomino-{name}"/></g>'
    )


def _draw_square(square: Square, cell: Spot, corner: Spot) -> str:
    x, y = cell
    return (
        f'<g class="square" data-terrain="{square.terrain.name.lower()}" {_at(x, y)}'
        f' transform="{_shift(x - corner[0], y - corner[1])}"><use href="#{emblem(square.terrain)}"/>'
        f"{_draw_crowns(square.crowns)}</g>"
    )


def _draw_crowns(crowns: int) -> str:
    """K-1: on a dark plate, as gold does not show on wheat."""
    if not crowns:
        return ""
    width, middle = 14 * crowns + 4, SQUARE // 2
    drawn = (
        f'<use href="#kingdomino-crown" x="{middle + 14 * place - 7 * (crowns - 1)}" y="11"/>'
        for place in range(crowns)
    )
    return f'<rect x="{middle - width // 2}" y="3" width="{width}" height="15" rx="5" fill="{INK}"/>{"".join(drawn)}'


# Small things


def _pile(name: str, numbers: tuple[int, ...] | None) -> Block | None:
    """Dominoes that lie face down for most viewers."""
    if not numbers:
        return None
    height = CHIP_HEIGHT * ceil(len(numbers) / CHIPS_A_ROW)
    chips = f'<g transform="translate({LABEL} 0)">{_draw_chips(numbers, CHIPS_A_ROW)}</g>'
    return Block(height, f'<g class="pile">{_text(16, 18, 16, SOFT, name)}{chips}</g>')


def _draw_chips(numbers: tuple[int, ...], a_row: int) -> str:
    placed = ((number, *divmod(place, a_row)) for place, number in enumerate(numbers))
    return "".join(
        f'<g class="chip" data-domino="{number}" transform="translate({column * CHIP} {row * CHIP_HEIGHT})">'
        f'<use href="#kingdomino-chip"/>{_text(14, 17, 14, INK, number, CENTRED)}</g>'
        for number, row, column in placed
    )


def _legend() -> Block:
    width = INNER // len(Terrain)
    drawn = (
        f'<g transform="translate({place * width + 8} 0)"><use href="#{emblem(terrain)}" transform="scale(.6)"/>'
        f"{_text(38, 20, 16, BRIGHT, terrain.name.capitalize())}</g>"
        for place, terrain in enumerate(Terrain)
    )
    return Block(29, "\n".join(('<g class="legend">', *drawn, "</g>")))


def _text(x: int, y: int, size: int, fill: str, content: object, *more: str) -> str:
    look = " ".join((f'x="{x}" y="{y}" font-size="{size}" fill="{fill}"', *more))
    return f"<text {look}>{content}</text>"


def _at(x: int, y: int) -> str:
    return f'data-x="{x}" data-y="{y}"'


def _shift(columns: int, rows: int) -> str:
    return f"translate({columns * SQUARE} {rows * SQUARE})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
