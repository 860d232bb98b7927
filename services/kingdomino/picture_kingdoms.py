"""The panels of the picture: each seat's kingdom, what it is worth and why."""

from collections.abc import Iterator
from itertools import zip_longest
from math import ceil
from typing import NamedTuple

from services.kingdomino.emblems import BOLD, CENTRED, FADED, INK, MARK, PAPER, SEAT_COLOURS, SQUARE, emblem
from services.kingdomino.picture_pieces import (
    INNER,
    SMALL_WIDTH,
    SPACING,
    Block,
    count,
    draw_domino,
    draw_king,
    draw_text,
    height_of,
    shift,
    small_dominoes,
    stacked,
)
from services.kingdomino.rules.model import CASTLE, Kingdom, Laid, Phase, Property, first_cell, position, second_cell
from services.kingdomino.rules.scoring import score
from services.kingdomino.rules.view import View

# Two kingdoms are side by side, each in a panel; small and large kingdoms take the same room.
PANEL = (INNER - SPACING) // 2
BOARD = 336
LEFT = (PANEL - BOARD) // 2
_TOP = 12
_FACT = 23
# Below a board there is room for an arrow.
_BELOW = 8
# What a property scores: a small square, then `5 x 2`.
PROPERTY_WIDTH, PROPERTY_HEIGHT = BOARD // 3, 35
_PROPERTIES_A_ROW = BOARD // PROPERTY_WIDTH
_DISCARDS_A_ROW = BOARD // SMALL_WIDTH


class Frame(NamedTuple):
    """K-14: a square as large as a kingdom may become, with the kingdom in its middle, by the cell in its corner."""

    left: int
    top: int
    side: int


def frame_of(kingdom: Kingdom, side: int) -> Frame:
    """Where the middle falls between two cells, there is one more column at the right, or row at the bottom."""
    left, top, right, bottom = kingdom.extent
    return Frame(left - (side - 1 - right + left) // 2, top - (side - 1 - bottom + top) // 2, side)


def panels(view: View) -> Iterator[Block]:
    """The kingdoms by seat, two in a row; one without a neighbour is in the middle."""
    seats = range(len(view.kingdoms))
    for pair in zip_longest(seats[::2], seats[1::2]):
        yield _side_by_side(view, [seat for seat in pair if seat is not None])


def _side_by_side(view: View, seats: list[int]) -> Block:
    contents = [tuple(_contents(view, seat)) for seat in seats]
    height = max(map(height_of, contents)) + _TOP + LEFT
    left = (INNER - len(seats) * PANEL - (len(seats) - 1) * SPACING) // 2
    drawn = (
        f'<g class="seat" data-seat="{seat}" transform="translate({left + place * (PANEL + SPACING)} 0)">'
        f"{_draw_back(height, seat == view.turn)}{''.join(stacked(content, LEFT, _TOP))}</g>"
        for place, (seat, content) in enumerate(zip(seats, contents, strict=True))
    )
    return Block(height, "\n".join(drawn))


def _draw_back(height: int, is_to_act: bool) -> str:
    edge = MARK if is_to_act else 'stroke="#000" stroke-opacity=".25"'
    mark = '<use href="#kingdomino-turn" x="12" y="40"/>' if is_to_act else ""
    back = f'<rect class="panel" width="{PANEL}" height="{height}" rx="16" fill="{PAPER}" {edge}'
    return f'{back} filter="url(#kingdomino-shadow)"/>{mark}'


def _contents(view: View, seat: int) -> Iterator[Block]:
    kingdom = view.kingdoms[seat]
    scoring = sorted((one for one in kingdom.properties if one.crowns), key=lambda one: -one.points)
    yield _head(view, seat)
    yield Block(BOARD + _BELOW, _draw_board(view, seat))
    if scoring:
        yield _properties(scoring)
    if kingdom.discarded:
        yield _discarded(kingdom.discarded)


def _head(view: View, seat: int) -> Block:
    name = f"Seat {seat}{' (you)' if seat == view.seat else ''}"
    points = score(view.kingdoms[seat], view.options).tally.points
    facts = [draw_text(46, 47 + _FACT * row, 17, FADED, fact) for row, fact in enumerate(_facts(view, seat))]
    drawing = (
        f'<g transform="translate(22 46)">{draw_king(seat)}</g>',
        draw_text(46, 24, 20, INK, name, BOLD),
        draw_text(BOARD, 24, 21, INK, count(points, "point"), BOLD, 'text-anchor="end"'),
        *facts,
    )
    return Block(38 + _FACT * len(facts), "\n".join(drawing))


def _facts(view: View, seat: int) -> Iterator[str]:
    """K-17 to K-20: what counts when there is a tie, and what is added to the properties."""
    _, middle_kingdom, harmony, tally = score(view.kingdoms[seat], view.options)
    yield f"Largest property {tally.largest}, {count(tally.crowns, 'crown')}"
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


def _properties(properties: list[Property]) -> Block:
    """K-16: squares by crowns, for each property that scores."""
    places = (divmod(place, _PROPERTIES_A_ROW) for place in range(len(properties)))
    drawn = (
        f'<g class="property" transform="translate({column * PROPERTY_WIDTH} {row * PROPERTY_HEIGHT})">'
        f'<use href="#{emblem(one.terrain)}" transform="scale(.6)"/>'
        f"{draw_text(37, 21, 19, INK, f'{one.squares} x {one.crowns}')}</g>"
        for one, (row, column) in zip(properties, places, strict=True)
    )
    return Block(ceil(len(properties) / _PROPERTIES_A_ROW) * PROPERTY_HEIGHT, "".join(drawn))


def _discarded(numbers: tuple[int, ...]) -> Block:
    """K-15."""
    small = small_dominoes(numbers, _DISCARDS_A_ROW, INK)
    name = draw_text(0, 12, 17, FADED, "Discarded")
    return Block(
        22 + small.height, f'<g class="discarded">{name}<g transform="translate(0 22)">{small.drawing}</g></g>'
    )


def _draw_board(view: View, seat: int) -> str:
    kingdom, frame = view.kingdoms[seat], frame_of(view.kingdoms[seat], view.options.side)
    left, top, size = frame.left * SQUARE, frame.top * SQUARE, frame.side * SQUARE
    more = () if view.phase is Phase.OVER else map(_draw_more, _edges_to_grow(kingdom, frame))
    return "\n".join(
        (
            f'<rect x="-5" y="-5" width="{BOARD + 10}" height="{BOARD + 10}" rx="10" fill="#fffaf0" stroke="#c8b48c"/>',
            *more,
            f'<g class="kingdom" transform="scale({BOARD / size:g}) translate({-left} {-top})">',
            f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="url(#kingdomino-free)"/>',
            '<g filter="url(#kingdomino-shadow)">',
            *map(_draw_laid, kingdom.laid),
            f"{_draw_castle(seat)}</g></g>",
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
    return f'<use href="#kingdomino-more" stroke="{FADED}" transform="{turned}"/>'


def _draw_castle(seat: int) -> str:
    """K-4."""
    drawn = f'<use href="#kingdomino-castle" fill="{SEAT_COLOURS[seat]}"/>'
    name = draw_text(24, 39, 16, INK, seat, BOLD, CENTRED)
    return f'<g class="castle" transform="{shift(*position(CASTLE))}">{drawn}{name}</g>'


def _draw_laid(laid: Laid) -> str:
    return draw_domino(laid.number, position(first_cell(laid.where)), position(second_cell(laid.where)))
