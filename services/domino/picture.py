"""A view as a picture: one SVG that stands alone.

It is made from a view only, so it cannot show what the viewer may not see. All looks are attributes, not a style sheet:
a page that forbids inline styles can still embed the picture.
"""

from collections.abc import Iterable, Iterator
from html import escape
from math import ceil
from typing import NamedTuple

from services.domino.rules.model import HALVES, End, Tile, tiles_in
from services.domino.rules.notation import format_view
from services.domino.rules.view import Lying, View

WIDTH = 760
MARGIN = 24
# A tile is two squares. Their side is even, so that every centre is a whole number.
HALF = 32
LENGTH = 2 * HALF
GAP = 2
# How far the line goes to either side of its first tile before it bends; beyond is room for the mark of an open end.
REACH = WIDTH // 2 - MARGIN - 16
# A bend is a whole tile long, which keeps doubles that lie crosswise in neighbouring rows well apart.
ROW_PITCH = LENGTH + HALF + 2 * GAP

HEADER = 52
LINE_PADDING = 32
LABEL_WIDTH = 168
# Tiles in a rack are drawn smaller, upright and side by side; these distances are before they are scaled.
RACK_SCALE = 0.75
RACK_PITCH = HALF + 4
RACK_ROW_GAP = 8
RACK_ROW_PITCH = LENGTH + RACK_ROW_GAP
RACK_PADDING = 10
RACK_SPACING = 8
TILES_A_ROW = int((WIDTH - 2 * MARGIN - LABEL_WIDTH - RACK_PADDING) / (RACK_PITCH * RACK_SCALE))


class Spot(NamedTuple):
    """Where a tile of the line lies: its centre, seen from the centre of the first tile laid, and how it is turned.

    At angle 0 the half towards the left end of the line is on the left; angles go clockwise.
    """

    x: int
    y: int
    angle: int
    is_crosswise: bool

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the room it takes."""
        return (LENGTH, HALF) if self.angle % 180 == 0 else (HALF, LENGTH)

    @property
    def heading(self) -> int:
        """Where the line goes here, as an angle: from the left end to the right end."""
        return self.angle - 90 if self.is_crosswise else self.angle


class _Front(NamedTuple):
    """Where an arm goes on: the near edge of its next tile, the middle of the row, and 1 rightwards or -1 leftwards."""

    x: int
    y: int
    step: int
    is_corner: bool

    @property
    def room(self) -> int:
        return REACH - self.step * self.x


def lay_out(line: tuple[Lying, ...], first: int) -> tuple[Spot, ...]:
    """D-7: a spot for each tile. The line grows both ways from its first tile, so that a tile once laid stays in place.

    The right arm bends downwards, and the left arm is laid by the same rule, seen upside down.
    """
    if not line:
        return ()
    doubles = [left == right for left, right in line]
    middle = Spot(0, 0, 90, is_crosswise=True) if doubles[first] else Spot(0, 0, 0, is_crosswise=False)
    start = middle.size[0] // 2 + GAP
    left_arm = [spot._replace(x=-spot.x, y=-spot.y) for spot in _arm(reversed(doubles[:first]), start)]
    return (*reversed(left_arm), middle, *_arm(doubles[first + 1 :], start))


def _arm(doubles: Iterable[bool], start: int) -> Iterator[Spot]:
    """The spots of one arm. A spot never depends on later tiles."""
    front = _Front(start, 0, 1, is_corner=False)
    for is_double in doubles:
        spot, front = _bend(front) if front.room < LENGTH else _straight_on(front, is_double)
        yield spot


def _straight_on(front: _Front, is_double: bool) -> tuple[Spot, _Front]:
    """A double lies crosswise, but for the tiles before and after a bend: there it would be in the way of the bend."""
    is_crosswise = is_double and not front.is_corner and front.room >= HALF + GAP + LENGTH
    angle = (0 if front.step > 0 else 180) + (90 if is_crosswise else 0)
    length = HALF if is_crosswise else LENGTH
    spot = Spot(front.x + front.step * length // 2, front.y, angle, is_crosswise)
    return spot, front._replace(x=front.x + front.step * (length + GAP), is_corner=False)


def _bend(front: _Front) -> tuple[Spot, _Front]:
    """A tile that stands under the open half of its row; the next row starts under it and goes back."""
    edge = front.x - front.step * GAP
    spot = Spot(edge - front.step * HALF // 2, front.y + ROW_PITCH // 2, 90, is_crosswise=False)
    return spot, _Front(edge, front.y + ROW_PITCH, -front.step, is_corner=True)


class _Rack(NamedTuple):
    """A row under the table: what a seat holds, or the boneyard. A tile that is None lies face down."""

    name: str
    note: str
    tiles: tuple[Tile | None, ...]
    is_to_play: bool

    @property
    def height(self) -> int:
        rows = max(1, ceil(len(self.tiles) / TILES_A_ROW))
        return int((rows * RACK_ROW_PITCH - RACK_ROW_GAP) * RACK_SCALE) + 2 * RACK_PADDING


def _racks(view: View) -> tuple[_Rack, ...]:
    boneyard = _shown(view.boneyard, view.boneyard_size)
    seats = (_rack_of_seat(view, seat) for seat in range(len(view.hands)))
    return (*seats, _Rack("Boneyard", _count(len(boneyard), "tile"), boneyard, is_to_play=False))


def _rack_of_seat(view: View, seat: int) -> _Rack:
    hand = view.hands[seat]
    tiles = _shown(None if hand is None else tiles_in(hand), view.hand_sizes[seat])
    score = "" if view.options.target is None else f", {_count(view.scores[seat], 'point')}"
    return _Rack(f"Seat {seat}", _count(len(tiles), "tile") + score, tiles, seat == view.turn)


def _shown(tiles: tuple[Tile, ...] | None, size: int) -> tuple[Tile | None, ...]:
    """The tiles if the viewer sees them, or else as many face down."""
    return (None,) * size if tiles is None else tiles


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def draw(view: View) -> str:
    """The position as SVG: the line on the table, then a rack for each seat and one for the boneyard."""
    spots = lay_out(view.line, _first_laid(view))
    racks = _racks(view)
    middle = HEADER + LINE_PADDING + _extent(spot.size[1] // 2 - spot.y for spot in spots)
    racks_top = middle + _extent(spot.size[1] // 2 + spot.y for spot in spots) + LINE_PADDING
    height = racks_top + sum(rack.height + RACK_SPACING for rack in racks) - RACK_SPACING + MARGIN
    line = f'<g transform="translate({WIDTH // 2} {middle})">{_draw_line(view.line, spots)}</g>'
    return "\n".join((*_draw_table(view, height), line, *_draw_racks(racks, racks_top), "</svg>\n"))


def _first_laid(view: View) -> int:
    """The place in the line of the tile that was laid first: that one is laid at the left, too."""
    return sum(turn.end is End.LEFT for turn in view.turns) - 1


def _extent(edges: Iterable[int]) -> int:
    """How far the line goes up or down; at least as far as a double, so that no double moves the racks."""
    return max((HALF, *edges))


def _status(view: View) -> str:
    return "match over" if view.turn is None else f"seat {view.turn} to play"


def _draw_table(view: View, height: int) -> tuple[str, ...]:
    """Everything up to the line, with the position as text for those who do not see the picture."""
    size = f'width="{WIDTH}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} viewBox="0 0 {WIDTH} {height}" {_FONT}>',
        f"<title>Domino, round {view.round}: {_status(view)}</title>",
        f"<desc>{escape(format_view(view))}</desc>",
        _DEFINITIONS,
        f'<rect {size} rx="20" fill="url(#domino-table)"/>',
        _draw_header(view),
    )


def _draw_header(view: View) -> str:
    target = view.options.target
    goal = "" if target is None else f"First to {target} points"
    return (
        f'<text x="{MARGIN + 4}" y="38" font-size="18" font-weight="600" fill="{_BRIGHT}">Round {view.round}'
        f'<tspan dx="10" font-size="14" font-weight="400" fill="{_SOFT}">{_status(view)}</tspan></text>'
        f'<text x="{WIDTH - MARGIN - 4}" y="38" font-size="14" text-anchor="end" fill="{_SOFT}">{goal}</text>'
    )


def _draw_line(line: tuple[Lying, ...], spots: tuple[Spot, ...]) -> str:
    if not line:
        return _EMPTY_LINE
    tiles = (_draw_tile(lying, spot.x, spot.y, spot.angle) for lying, spot in zip(line, spots, strict=True))
    ends = _draw_open_end(spots[0], spots[0].heading + 180), _draw_open_end(spots[-1], spots[-1].heading)
    return "\n".join(('<g class="line" filter="url(#domino-shadow)">', *tiles, "</g>", *ends))


def _draw_open_end(spot: Spot, outwards: int) -> str:
    """A small arrow that points away from the line."""
    edge = HALF // 2 if spot.is_crosswise else HALF
    turned = f"translate({spot.x} {spot.y}) rotate({outwards % 360})"
    return f'<use href="#domino-end" transform="{turned} translate({edge})"/>'


def _draw_tile(lying: Lying, x: int, y: int, angle: int) -> str:
    first, second = lying
    return (
        f'<g class="tile" data-tile="{min(lying)}-{max(lying)}" transform="translate({x} {y}) rotate({angle})">'
        f'<use href="#domino-face"/><use href="#domino-{first}" x="{-HALF // 2}"/>'
        f'<use href="#domino-{second}" x="{HALF // 2}"/></g>'
    )


def _draw_racks(racks: tuple[_Rack, ...], top: int) -> Iterator[str]:
    for rack in racks:
        yield f'<g transform="translate({MARGIN} {top})">{_draw_rack(rack)}</g>'
        top += rack.height + RACK_SPACING


def _draw_rack(rack: _Rack) -> str:
    middle = rack.height // 2
    look = _TO_PLAY if rack.is_to_play else _WAITING
    tiles = (_draw_held(tile, *divmod(place, TILES_A_ROW)) for place, tile in enumerate(rack.tiles))
    parts = (
        f'<rect width="{WIDTH - 2 * MARGIN}" height="{rack.height}" rx="12" {look}/>',
        f'<use href="#domino-turn" x="15" y="{middle}"/>' if rack.is_to_play else "",
        f'<text x="30" y="{middle - 4}" font-size="16" font-weight="600" fill="{_BRIGHT}">{rack.name}</text>',
        f'<text x="30" y="{middle + 15}" font-size="12" fill="{_SOFT}">{rack.note}</text>',
        f'<g transform="translate({LABEL_WIDTH} {RACK_PADDING}) scale({RACK_SCALE})" filter="url(#domino-shadow)">',
        *tiles,
        "</g>",
    )
    return "\n".join(filter(None, parts))


def _draw_held(tile: Tile | None, row: int, column: int) -> str:
    x, y = HALF // 2 + column * RACK_PITCH, HALF + row * RACK_ROW_PITCH
    if tile is None:
        return f'<use href="#domino-back" transform="translate({x} {y}) rotate(90)"/>'
    return _draw_tile(HALVES[tile], x, y, 90)


_FONT = 'font-family="system-ui, sans-serif"'
_BRIGHT = "#f4efdf"
_SOFT = "#dbe6d8"
_GOLD = "#e8c670"
_ROUNDED = f'stroke="{_GOLD}" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"'
_TO_PLAY = f'fill="#fff" fill-opacity=".16" stroke="{_GOLD}"'
_WAITING = 'fill="#000" fill-opacity=".14"'
_BODY = f'x="{-HALF}" y="{-HALF // 2}" width="{LENGTH}" height="{HALF}" rx="6"'
_BACK = f'x="{5 - HALF}" y="{5 - HALF // 2}" width="{LENGTH - 10}" height="{HALF - 10}" rx="3"'
_EMPTY_LINE = (
    f'<rect {_BODY} fill="none" stroke="{_SOFT}" stroke-dasharray="5 5" stroke-opacity=".7"/>'
    f'<text y="{HALF + 10}" font-size="14" text-anchor="middle" fill="{_SOFT}">No tile laid yet</text>'
)
# The squares of a three by three grid that have a pip. As on real tiles, the two rows of a six lie along the tile.
_DIAGONAL = ((-1, -1), (1, 1))
_CORNERS = (*_DIAGONAL, (-1, 1), (1, -1))
_CENTRE = ((0, 0),)
_PIPS = ((), _CENTRE, _DIAGONAL, _DIAGONAL + _CENTRE, _CORNERS, _CORNERS + _CENTRE, (*_CORNERS, (0, -1), (0, 1)))


def _define_half(number: int) -> str:
    pips = "".join(f'<circle cx="{x}" cy="{y}" r=".37"/>' for x, y in _PIPS[number])
    return f'<g id="domino-{number}" transform="scale(8.5)" fill="#27302f">{pips}</g>'


_DEFINITIONS = "\n".join(
    (
        "<defs>",
        '<radialGradient id="domino-table" cy=".35" r=".85">',
        '<stop stop-color="#3f7f62"/><stop offset="1" stop-color="#235340"/></radialGradient>',
        # In small steps, as not every program that shows SVG knows the newer feDropShadow.
        '<filter id="domino-shadow" x="-20%" y="-20%" width="140%" height="140%">',
        '<feGaussianBlur in="SourceAlpha" stdDeviation="2"/><feOffset dy="2"/>',
        '<feColorMatrix values="0 0 0 0 0  0 0 0 0 .1  0 0 0 0 .06  0 0 0 .55 0"/>',
        '<feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge></filter>',
        *map(_define_half, range(len(_PIPS))),
        f'<g id="domino-face"><rect {_BODY} fill="#fbf6e6" stroke="#d9cdb0"/>',
        f'<path d="M0 {6 - HALF // 2}V{HALF // 2 - 6}" stroke="#bfb190" stroke-width="1.5"/>',
        '<circle r="2.2" fill="#c39a45"/></g>',
        f'<g id="domino-back"><rect {_BODY} fill="#7a5440" stroke="#5f3f2f"/>',
        f'<rect {_BACK} fill="none" stroke="#a07a60"/></g>',
        f'<path id="domino-end" d="M7 -6L13 0L7 6" fill="none" {_ROUNDED}/>',
        f'<path id="domino-turn" d="M-4 -7L6 0L-4 7Z" fill="{_GOLD}" {_ROUNDED}/>',
        "</defs>",
    )
)
