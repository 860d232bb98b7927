"""What several parts of the picture are made of: dominoes, kings, words, and blocks that lie below each other."""

from collections.abc import Iterable, Iterator
from math import ceil
from typing import NamedTuple, TypeAlias

from services.kingdomino.emblems import BOLD, CENTRED, INK, SEAT_COLOURS, SQUARE, emblem
from services.kingdomino.rules.dominoes import DOMINOES, Square

WIDTH = 800
MARGIN = 20
SPACING = 16
INNER = WIDTH - 2 * MARGIN

# A small domino has its number on its left.
SMALL_SCALE = 0.5
SMALL_WIDTH, SMALL_HEIGHT = 80, 30
_SMALL_LEFT = 26

# x and y of a cell.
Spot: TypeAlias = tuple[int, int]


class Block(NamedTuple):
    """A part of the picture, or of a panel, that takes its whole width."""

    height: int
    drawing: str


def height_of(blocks: Iterable[Block]) -> int:
    """The room that blocks take with the space between them."""
    return sum(block.height + SPACING for block in blocks) - SPACING


def stacked(blocks: Iterable[Block], left: int, top: int) -> Iterator[str]:
    """The blocks, each below the one before."""
    for height, drawing in blocks:
        yield f'<g transform="translate({left} {top})">{drawing}</g>'
        top += height + SPACING


def draw_text(x: int, y: int, size: int, fill: str, content: object, *more: str) -> str:
    """Words on one line."""
    look = " ".join((f'x="{x}" y="{y}" font-size="{size}" fill="{fill}"', *more))
    return f"<text {look}>{content}</text>"


def count(number: int, noun: str) -> str:
    """`1 crown`, `2 crowns`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def draw_king(seat: int) -> str:
    """K-2: in the colour of its seat, with the seat's number for who cannot tell colours apart."""
    body = f'<use href="#kingdomino-king" fill="{SEAT_COLOURS[seat]}"/>'
    return f'<g class="king" data-seat="{seat}">{body}{draw_text(0, -4, 16, INK, seat, BOLD, CENTRED)}</g>'


def shift(x: int, y: int) -> str:
    """The transform that moves a drawing by cells."""
    return f"translate({x * SQUARE} {y * SQUARE})"


def draw_domino(number: int, one: Spot = (0, 0), other: Spot = (1, 0)) -> str:
    """K-1: a domino on two neighbouring cells. Its squares are drawn upright, however it lies."""
    corner = min(one, other)
    name = "across" if one[1] == other[1] else "down"
    _, first, second = DOMINOES[number]
    return (
        f'<g class="domino" data-domino="{number}" transform="{shift(*corner)}">'
        f'<g clip-path="url(#kingdomino-cut-{name})">{_draw_square(first, one, corner)}'
        f'{_draw_square(second, other, corner)}</g><use href="#kingdomino-{name}"/></g>'
    )


def _draw_square(square: Square, cell: Spot, corner: Spot) -> str:
    x, y = cell[0] - corner[0], cell[1] - corner[1]
    return (
        f'<g class="square" data-terrain="{square.terrain.name.lower()}" transform="{shift(x, y)}">'
        f'<use href="#{emblem(square.terrain)}"/>{_draw_crowns(square.crowns)}</g>'
    )


def _draw_crowns(crowns: int) -> str:
    """On a dark plate, as gold does not show on wheat."""
    if not crowns:
        return ""
    width, middle = 14 * crowns + 4, SQUARE // 2
    places = range(middle - 7 * (crowns - 1), SQUARE, 14)[:crowns]
    drawn = (f'<use href="#kingdomino-crown" x="{x}" y="11"/>' for x in places)
    return f'<rect x="{middle - width // 2}" y="3" width="{width}" height="15" rx="5" fill="{INK}"/>{"".join(drawn)}'


def small_dominoes(numbers: tuple[int, ...], a_row: int, fill: str) -> Block:
    """Dominoes in rows, each with its number."""
    places = (divmod(place, a_row) for place in range(len(numbers)))
    drawn = (
        f'<g transform="translate({column * SMALL_WIDTH} {row * SMALL_HEIGHT})">{_draw_small(number, fill)}</g>'
        for number, (row, column) in zip(numbers, places, strict=True)
    )
    return Block(ceil(len(numbers) / a_row) * SMALL_HEIGHT, "".join(drawn))


def _draw_small(number: int, fill: str) -> str:
    name = draw_text(_SMALL_LEFT - 4, 18, 16, fill, number, 'text-anchor="end"')
    return f'{name}<g transform="translate({_SMALL_LEFT} 0) scale({SMALL_SCALE})">{draw_domino(number)}</g>'
