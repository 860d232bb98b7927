"""A view as a picture: one SVG that stands alone.

It is made from a view only, so it cannot show what the viewer may not see. All looks are attributes, not a style sheet:
a page that forbids inline styles can still embed the picture. What a page or a test may look for has data attributes.
"""

from collections.abc import Iterator
from html import escape

from services.kingdomino.emblems import BOLD, BRIGHT, DEFINITIONS, FONT, GOLD, SOFT, emblem
from services.kingdomino.picture_kingdoms import panels
from services.kingdomino.picture_lines import lines, result
from services.kingdomino.picture_pieces import (
    INNER,
    MARGIN,
    SMALL_WIDTH,
    WIDTH,
    Block,
    draw_text,
    height_of,
    small_dominoes,
    stacked,
)
from services.kingdomino.rules.dominoes import Terrain
from services.kingdomino.rules.model import Phase
from services.kingdomino.rules.notation import format_view
from services.kingdomino.rules.scoring import match_tallies
from services.kingdomino.rules.setup import deck_size, kings_of
from services.kingdomino.rules.view import View

HEADER = 84
_PILE_LEFT = 110
_PILE_A_ROW = (INNER - _PILE_LEFT) // SMALL_WIDTH
_LEGEND_WIDTH = 104


def draw(view: View) -> str:
    """The position as SVG: the lines with their kings, the kingdoms, and what the terrains look like."""
    blocks = tuple(_blocks(view))
    height = HEADER + height_of(blocks) + MARGIN
    return "\n".join((*_draw_table(view, height), *stacked(blocks, MARGIN, HEADER), "</svg>\n"))


def _blocks(view: View) -> Iterator[Block]:
    yield result(view) if view.phase is Phase.OVER else lines(view)
    yield from panels(view)
    if view.deck:
        yield _pile("Deck", view.deck)
    if view.aside:
        yield _pile("Put aside", view.aside)
    yield _legend(view)


def _draw_table(view: View, height: int) -> tuple[str, ...]:
    """Everything up to the lines, with the position as text for those who do not see the picture."""
    size = f'width="{WIDTH}" height="{height}"'
    left, right, at_end = MARGIN + 4, WIDTH - MARGIN - 4, 'text-anchor="end"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} viewBox="0 0 {WIDTH} {height}" {FONT}>',
        f"<title>Kingdomino, {_stage(view).lower()}: {_status(view).lower()}</title>",
        f"<desc>{escape(format_view(view))}</desc>",
        DEFINITIONS,
        f'<rect {size} rx="20" fill="url(#kingdomino-table)"/>',
        draw_text(left, 38, 23, BRIGHT, _stage(view), BOLD),
        draw_text(left, 66, 18, GOLD, _status(view)),
        draw_text(right, 38, 18, SOFT, "Kingdomino", at_end),
        draw_text(right, 66, 16, SOFT, _variants(view), at_end),
    )


def _stage(view: View) -> str:
    """K-10, K-18: which game of how many, and which round of how many; round 0 is the choice from the first line."""
    game = f"Game {max(view.game, 1)} of 3, " if view.options.dynasty else ""
    kings = len(kings_of(len(view.kingdoms)))
    used = deck_size(view.options, len(view.kingdoms))
    drawn = (used - view.deck_size) // kings if view.game else 0
    current = drawn - bool(view.next_line)
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


def _pile(name: str, numbers: tuple[int, ...]) -> Block:
    """Dominoes that lie face down for most viewers."""
    small = small_dominoes(numbers, _PILE_A_ROW, BRIGHT)
    shown = f'<g transform="translate({_PILE_LEFT} 0)">{small.drawing}</g>'
    return Block(small.height, f'<g class="pile">{draw_text(8, 17, 16, SOFT, name)}{shown}</g>')


def _legend(view: View) -> Block:
    drawn = (
        f'<g transform="translate({place * _LEGEND_WIDTH + 8} 0)">'
        f'<use href="#{emblem(terrain)}" transform="scale(.55)"/>'
        f"{draw_text(33, 20, 16, BRIGHT, terrain.name.capitalize())}</g>"
        for place, terrain in enumerate(Terrain)
    )
    grow = "" if view.phase is Phase.OVER else _draw_room_to_grow()
    return Block(27, "\n".join(('<g class="legend">', *drawn, grow, "</g>")))


def _draw_room_to_grow() -> str:
    """K-14: what the small arrows round a kingdom say."""
    arrow = f'<use href="#kingdomino-more" transform="translate({INNER - 130} 14) rotate(-90)" stroke="{BRIGHT}"/>'
    return arrow + draw_text(INNER - 8, 20, 16, BRIGHT, "Room to grow", 'text-anchor="end"')
