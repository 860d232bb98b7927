"""The picture of a Kingdomino position can be read: there is room for all of it, and terrains are told apart."""

import xml.etree.ElementTree as ET
from itertools import combinations, product

import pytest

from services.kingdomino.emblems import TERRAIN_COLOURS
from services.kingdomino.picture import draw
from services.kingdomino.rules.dominoes import NUMBERS, Terrain
from services.kingdomino.rules.model import Options, State, initial
from services.kingdomino.rules.view import view
from shared.kernel import EVERYTHING, SPECTATOR, Viewer
from tests.games.kingdomino.drawn import (
    POSITIONS,
    SVG,
    VIEWERS,
    Box,
    Drawn,
    boxes,
    find,
    panel,
    picture_of,
    playing,
    uses,
    walk,
    words,
)

# Room


def crowded(discarded: int, deck: int) -> State:
    """A seat that has discarded so many dominoes, and a deck of so many."""
    state = initial(Options(mighty_duel=True), 2)
    first = state.kingdoms[0]._replace(discarded=NUMBERS[:discarded])
    return state._replace(game=1, kingdoms=(first, state.kingdoms[1]), deck=NUMBERS[discarded : discarded + deck])


def things(picture: Drawn) -> list[Drawn]:
    """Words that are on no piece, kings, crowns and marks: what has to be seen whole."""
    on_pieces = {id(text) for one in walk(picture) if one.name in ("king", "castle") for text in one.element}
    texts = [one for one in walk(picture) if one.element.tag == f"{SVG}text" and id(one.element) not in on_pieces]
    return [*texts, *(use for name in ("king", "crown", "turn", "more") for use in uses(picture, name))]


def canvas(picture: Drawn) -> Box:
    return Box(0, 0, picture.number("width"), picture.number("height"))


def assert_has_room(picture: Drawn) -> None:
    """Nothing is hidden or cut off."""
    seen = boxes(things(picture))
    assert not [(one, other) for one, other in combinations(seen, 2) if one.overlaps(other)]
    pieces = [one for terrain in Terrain for one in uses(picture, terrain.name.lower())] + uses(picture, "castle")
    lying = boxes(pieces)
    assert not [(one, other) for one, other in combinations(lying, 2) if one.overlaps(other)]
    assert all(canvas(picture).contains(box) for box in boxes(walk(picture)))


@POSITIONS
@VIEWERS
def test_nothing_overlaps_and_nothing_leaves_the_picture(state: State, viewer: Viewer) -> None:
    """Words, kings and crowns do not cover each other, nor do the squares."""
    assert_has_room(picture_of(state, viewer))


@pytest.mark.parametrize(("discarded", "deck"), [(20, 28), (47, 1), (0, 48)])
def test_there_is_room_however_many_dominoes_are_discarded_or_revealed(discarded: int, deck: int) -> None:
    """K-15: long rows are wrapped, and the panel grows with them."""
    assert_has_room(picture_of(crowded(discarded, deck), EVERYTHING))


@POSITIONS
def test_words_outside_the_lines_are_not_on_squares(state: State) -> None:
    """Only the number of a domino of a line is on its edge."""
    picture = picture_of(state, EVERYTHING)
    on_edges = {id(part.element) for slot in find(picture, "slot") for part in walk(slot)}
    texts = boxes(one for one in things(picture) if one.element.tag == f"{SVG}text" and id(one.element) not in on_edges)
    squares_drawn = boxes(one for terrain in Terrain for one in uses(picture, terrain.name.lower()))
    assert not [(text, square) for text, square in product(texts, squares_drawn) if text.overlaps(square)]


@POSITIONS
def test_small_arrows_stand_clear_of_words_and_squares(state: State) -> None:
    """K-14: one that touches something would seem to belong to it."""
    picture = picture_of(state, EVERYTHING)
    arrows = boxes(uses(picture, "more"))
    texts = boxes(one for one in walk(picture) if one.element.tag == f"{SVG}text")
    squares_drawn = boxes(one for terrain in Terrain for one in uses(picture, terrain.name.lower()))
    assert not [(arrow, text) for arrow, text in product(arrows, texts) if widened(arrow, 10).overlaps(text)]
    assert not [(arrow, one) for arrow, one in product(arrows, squares_drawn) if widened(arrow, 6).overlaps(one)]


def widened(box: Box, by: int) -> Box:
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


@POSITIONS
def test_words_can_be_read_on_a_phone(state: State) -> None:
    """On a screen 400 pixels wide, none is smaller than 8 pixels."""
    picture = picture_of(state, EVERYTHING)
    scale = 400 / picture.number("width")
    texts = [one for one in walk(picture) if one.element.tag == f"{SVG}text"]
    assert texts
    assert not [one.element.text for one in texts if one.number("font-size") * abs(one.factor) * scale < 8]


@POSITIONS
def test_everything_of_a_seat_is_in_its_panel(state: State) -> None:
    """Panels do not overlap, and a kingdom stays on its board (K-14)."""
    picture = picture_of(state)
    backs = [box for seat in range(len(state.kingdoms)) for box in boxes(find(panel(picture, seat), "panel"))]
    assert not any(one.overlaps(other) for one, other in combinations(backs, 2))
    for seat, back in enumerate(backs):
        part = panel(picture, seat)
        (board,) = boxes(one for one in walk(part) if one.element.get("fill") == "url(#kingdomino-free)")
        assert all(back.contains(box) for box in boxes(walk(part)))
        assert all(
            board.contains(box) for square in find(find(part, "kingdom")[0], "square") for box in boxes(walk(square))
        )


# Colours and patterns


def luminance(colour: str) -> float:
    """How light a colour is to any eye, 0 to 1 (WCAG)."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1, equal, to 21, black on white (WCAG)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def terrain_drawing(terrain: Terrain) -> ET.Element:
    root = ET.fromstring(draw(view(playing(), SPECTATOR)))
    (found,) = (element for element in root.iter() if element.get("id") == f"kingdomino-{terrain.name.lower()}")
    return found


def outlines(terrain: Terrain) -> list[tuple[str, ...]]:
    """The shapes of a terrain's pattern without their colours."""
    _, *motif = (element for element in terrain_drawing(terrain).iter() if element.tag != f"{SVG}g")
    return [tuple(element.get(name, "") for name in ("d", "x", "y", "cx", "cy")) for element in motif]


@pytest.mark.parametrize(("one", "other"), list(combinations(Terrain, 2)))
def test_terrains_are_told_apart_by_colour_and_by_pattern(one: Terrain, other: Terrain) -> None:
    """K-1: they differ in lightness, which no colour-blind eye misses, and share no shape of their patterns."""
    assert contrast(TERRAIN_COLOURS[one], TERRAIN_COLOURS[other]) > 1.35
    assert not set(outlines(one)) & set(outlines(other))


@pytest.mark.parametrize("terrain", Terrain)
def test_a_pattern_shows_on_its_ground(terrain: Terrain) -> None:
    """Its ground is the terrain's colour, and some part of the pattern is much lighter or darker than it."""
    ground, *motif = (element for element in terrain_drawing(terrain).iter() if {"fill", "stroke"} & {*element.attrib})
    colours = [element.get(name, "") for element in motif for name in ("fill", "stroke")]
    assert ground.get("fill") == TERRAIN_COLOURS[terrain]
    assert max(contrast(TERRAIN_COLOURS[terrain], colour) for colour in colours if colour.startswith("#")) > 3


def test_the_legend_names_every_terrain_beside_its_square() -> None:
    """K-1."""
    (legend,) = find(picture_of(playing()), "legend")
    for item in legend.element.findall(f"{SVG}g"):
        assert item[0].get("href") == f"#kingdomino-{(item[1].text or '').lower()}"
    assert words(legend)[: len(Terrain)] == [terrain.name.capitalize() for terrain in Terrain]
