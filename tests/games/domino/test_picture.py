"""The picture of a Domino position: where tiles lie, what is drawn, and that nothing hidden is."""

import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, groupby, pairwise, product
from typing import NamedTuple

import pytest

from services.domino.picture import GAP, HALF, LENGTH, WIDTH, Spot, draw, lay_out
from services.domino.rules.model import HALVES, TILES, End, Options, State, Tile, Turn, hand_of, initial, tiles_in
from services.domino.rules.notation import format_tile
from services.domino.rules.rules import decide, evolve, playable, start
from services.domino.rules.view import Lying, View, view
from shared.kernel import EVERYTHING, SPECTATOR, Chance, Refusal, Seat, Viewer

SVG = "{http://www.w3.org/2000/svg}"
SEEDS = (b"anise", b"basil", b"cumin", b"dill")
FIVE_SEATS = Options(hand_size=5, target=100)

# Lines that play hardly ever makes: only what the layout looks at matters, which tiles are doubles.
ONLY_DOUBLES: tuple[Lying, ...] = ((3, 3),) * 28
NO_DOUBLE: tuple[Lying, ...] = ((1, 2), (2, 1)) * 14
EVERY_OTHER_DOUBLE: tuple[Lying, ...] = ((1, 1), (1, 2), (2, 2), (2, 1)) * 7


class Box(NamedTuple):
    """What something covers of a picture."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0 and down > 0

    def contains(self, other: "Box") -> bool:
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom

    def distance(self, other: "Box") -> float:
        """The gap between two boxes that do not overlap."""
        across = max(self.left - other.right, other.left - self.right, 0)
        down = max(self.top - other.bottom, other.top - self.bottom, 0)
        return math.hypot(across, down)


def play(seed: bytes, players: int, options: Options, moves: int = 10_000) -> State:
    """The state after so many random moves, or at the end of the match."""
    chance, state = Chance(seed), initial(options, players)
    for event in start(state, chance):
        state = evolve(state, event)
    for move in range(moves):
        if state.is_over:
            break
        command = chance.pick(f"test/{move}", playable(state.hands[state.turn], state.left, state.right))
        events = decide(state, state.turn, command, chance)
        assert not isinstance(events, Refusal)
        for event in events:
            state = evolve(state, event)
    return state


def line_with_every_tile(seed: bytes) -> tuple[Lying, ...]:
    """All 28 tiles in one line: every number is on an even number of ends, so a walk over all of them exists."""
    left = set(HALVES)
    ends, walk = [0], []
    while ends:
        options = sorted(halves for halves in left if ends[-1] in halves)
        if options:
            low, high = chosen = Chance(seed).pick(f"test/{len(left)}", options)
            left.remove(chosen)
            ends.append(high if low == ends[-1] else low)
        else:
            walk.append(ends.pop())
    return tuple(pairwise(walk))


def view_of(line: tuple[Lying, ...], first: int) -> View:
    """A spectator's view of a line whose tile at `first` was laid before all others."""
    ends = [End.LEFT] * (first + 1) + [End.RIGHT] * (len(line) - first - 1)
    turns = tuple(Turn(Seat(0), 0, Tile(0), end) for end in ends)
    return replace(view(initial(Options(), 2), SPECTATOR), line=line, turns=turns)


LONG_LINES = pytest.mark.parametrize(
    "line",
    [
        pytest.param(ONLY_DOUBLES, id="only doubles"),
        pytest.param(NO_DOUBLE, id="no double"),
        pytest.param(EVERY_OTHER_DOUBLE, id="every other tile a double"),
        *(pytest.param(line_with_every_tile(seed), id=f"the whole set, {seed.decode()}") for seed in SEEDS),
    ],
)
POSITIONS = pytest.mark.parametrize(
    "state",
    [
        pytest.param(play(seed, players, Options(), moves), id=f"{players} seats, {moves} moves, {seed.decode()}")
        for seed, players, moves in product(SEEDS, (2, 3, 5), (0, 4, 9, 99))
    ],
)


def box_of(spot: Spot) -> Box:
    return around(spot.x, spot.y, *spot.size)


def is_close(one: Box, other: Box) -> bool:
    return one.distance(other) <= GAP


def half_of(spot: Spot, side: int) -> tuple[float, float]:
    """The middle of the half towards the left (-1) or the right (1) end of the line."""
    turned = math.radians(spot.angle)
    return spot.x + side * HALF / 2 * math.cos(turned), spot.y + side * HALF / 2 * math.sin(turned)


def elements(picture: str) -> Iterator[tuple[ET.Element, float, float, float]]:
    """All that is drawn, with the place of its origin in the picture and its scale."""
    waiting = [(ET.fromstring(picture), 0.0, 0.0, 1.0)]
    while waiting:
        element, x, y, scale = waiting.pop()
        for name, arguments in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
            numbers = [float(number) for number in arguments.split()]
            if name == "translate" and len(numbers) == 2:
                x, y = x + scale * numbers[0], y + scale * numbers[1]
            elif name == "scale":
                scale *= numbers[0]
        yield element, x, y, scale
        waiting.extend((child, x, y, scale) for child in element if child.tag != f"{SVG}defs")


def around(x: float, y: float, width: float, height: float) -> Box:
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def tile_boxes(picture: str) -> list[Box]:
    """What the tiles of a picture cover, face up or face down."""
    return [
        around(x, y, HALF * scale, LENGTH * scale)
        if re.search(r"rotate\((90|270)\)", element.get("transform", ""))
        else around(x, y, LENGTH * scale, HALF * scale)
        for element, x, y, scale in elements(picture)
        if element.get("class") == "tile" or element.get("href") == "#domino-back"
    ]


def rack_boxes(picture: str) -> list[Box]:
    """The rows of the seats and of the boneyard."""
    return [
        Box(x, y, x + float(element.get("width", 0)), y + float(element.get("height", 0)))
        for element, x, y, _ in elements(picture)
        if element.tag == f"{SVG}rect" and element.get("rx") == "12"
    ]


def tiles_in_line(picture: str) -> list[str | None]:
    (line,) = (element for element, *_ in elements(picture) if element.get("class") == "line")
    return [tile.get("data-tile") for tile in line]


def tiles_face_up(picture: str) -> Counter[str | None]:
    return Counter(element.get("data-tile") for element, *_ in elements(picture) if element.get("class") == "tile")


def uses(picture: str, name: str) -> int:
    return sum(element.get("href") == name for element, *_ in elements(picture))


def texts(picture: str) -> list[str]:
    return ["".join(element.itertext()) for element, *_ in elements(picture) if element.tag == f"{SVG}text"]


def names(line: tuple[Lying, ...]) -> list[str]:
    return [f"{min(lying)}-{max(lying)}" for lying in line]


def hidden_tiles_dealt_anew(state: State) -> State:
    """The same state to a spectator: the tiles that nobody has laid are in other hands."""
    hidden = [*(tile for hand in state.hands for tile in tiles_in(hand)), *state.boneyard]
    hidden.reverse()
    hands = []
    for hand in state.hands:
        size = hand.bit_count()
        hands.append(hand_of(tuple(hidden[:size])))
        hidden = hidden[size:]
    return state._replace(hands=tuple(hands), boneyard=tuple(hidden))


# Where the tiles of the line lie


@LONG_LINES
def test_no_two_tiles_of_a_line_overlap(line: tuple[Lying, ...]) -> None:
    """Lines of 1 to 28 tiles, begun at any of their tiles."""
    for length in range(1, len(line) + 1):
        for first in range(length):
            boxes = list(map(box_of, lay_out(line[:length], first)))
            assert not any(one.overlaps(other) for one, other in combinations(boxes, 2)), (length, first)


@LONG_LINES
def test_neighbours_in_the_line_lie_side_by_side(line: tuple[Lying, ...]) -> None:
    """Between a tile and the next there is the small gap, and between others there is more."""
    for first in range(len(line)):
        boxes = list(map(box_of, lay_out(line, first)))
        close = [
            (one, other) for one, other in combinations(range(len(boxes)), 2) if is_close(boxes[one], boxes[other])
        ]
        assert close == list(pairwise(range(len(boxes)))), first


@LONG_LINES
def test_tiles_are_turned_so_that_equal_halves_meet(line: tuple[Lying, ...]) -> None:
    """Of a tile that lies along the line, the half that is joined is the one nearer to the neighbour."""
    for first in range(len(line)):
        for one, other in pairwise(lay_out(line, first)):
            for spot, joined, neighbour in ((one, 1, other), (other, -1, one)):
                near, far = (math.dist(half_of(spot, side), neighbour[:2]) for side in (joined, -joined))
                assert near < far or spot.is_crosswise, (first, spot)


@LONG_LINES
def test_a_laid_tile_stays_where_it_is(line: tuple[Lying, ...]) -> None:
    """A tile added to either end moves no other tile."""
    for first in range(1, len(line) - 1):
        spots = lay_out(line, first)
        assert lay_out(line[:-1], first) == spots[:-1]
        assert lay_out(line[1:], first - 1) == spots[1:]


def test_the_line_bends_to_stay_compact() -> None:
    """D-7: rows go right, then left, then right again and so on, with one upright tile from row to row."""
    runs = [(heading, len(list(run))) for heading, run in groupby(lay_out(NO_DOUBLE, 0), key=lambda spot: spot.heading)]
    assert [heading for heading, _ in runs] == [0, 90, 180, 90, 0, 90, 180]
    assert [length for heading, length in runs if heading == 90] == [1, 1, 1]


def test_the_left_arm_mirrors_the_right_arm() -> None:
    """D-7: the line grows upwards at its left end as it grows downwards at its right end."""
    spots = lay_out((*NO_DOUBLE, NO_DOUBLE[0]), 14)
    assert [(spot.x, spot.y) for spot in spots[:14]] == [(-spot.x, -spot.y) for spot in reversed(spots[15:])]


def test_a_double_in_a_straight_run_lies_crosswise() -> None:
    """D-7: it takes half the length of another tile and stands out on both sides."""
    before, double, after = lay_out(((0, 1), (1, 1), (1, 2)), 0)
    assert (before.size, double.size, after.size) == ((LENGTH, HALF), (HALF, LENGTH), (LENGTH, HALF))


def test_a_double_at_a_bend_lies_along_the_line() -> None:
    """D-7: the tile before a bend, the bend and the tile after it are never crosswise."""
    spots = lay_out(ONLY_DOUBLES, 0)
    bends = [place for place, spot in enumerate(spots) if spot.heading == 90]
    assert bends
    assert not any(spot.is_crosswise for place in bends for spot in spots[place - 1 : place + 2])


def test_an_empty_line_has_no_spots() -> None:
    """Before the first tile there is nothing to lay out."""
    assert lay_out((), -1) == ()


# What is drawn


@POSITIONS
@pytest.mark.parametrize("viewer", [SPECTATOR, Viewer(Seat(1)), EVERYTHING], ids=["spectator", "seat", "everything"])
def test_a_picture_is_svg_that_stands_alone(state: State, viewer: Viewer) -> None:
    """It is well-formed, says what it is, and refers only to its own definitions, each of which is there once."""
    root = ET.fromstring(draw(view(state, viewer)))
    ids = Counter(element.get("id") for element in root.iter() if "id" in element.attrib)
    assert (root.tag, root.get("role"), root[0].tag) == (f"{SVG}svg", "img", f"{SVG}title")
    assert set(ids.values()) == {1}
    assert {element.get("href", "#")[1:] for element in root.iter(f"{SVG}use")} <= set(ids)


def test_each_half_has_as_many_pips_as_it_counts() -> None:
    """The drawing of a number from 0 to 6 has that many dots, no two of them in one place."""
    root = ET.fromstring(draw(view(play(b"ginger", 2, Options(), moves=2), SPECTATOR)))
    halves = {element.get("id"): element for element in root.iter(f"{SVG}g")}
    for number in range(7):
        assert len({(pip.get("cx"), pip.get("cy")) for pip in halves[f"domino-{number}"]}) == number


@POSITIONS
def test_every_laid_tile_is_drawn_once_and_in_order(state: State) -> None:
    """The line of the picture is the line of the view."""
    seen = view(state, SPECTATOR)
    assert tiles_in_line(draw(seen)) == names(seen.line)


@LONG_LINES
def test_a_laid_tile_is_drawn_on_its_spot_and_the_right_way_round(line: tuple[Lying, ...]) -> None:
    """The half towards the left end is drawn on the left of a tile, and then the tile is turned as the layout says."""
    (drawn,) = (element for element, *_ in elements(draw(view_of(line, 10))) if element.get("class") == "line")
    for tile, (left, right), spot in zip(drawn, line, lay_out(line, 10), strict=True):
        halves = {int(use.get("x", 0)): use.get("href") for use in tile}
        assert halves == {0: "#domino-face", -HALF // 2: f"#domino-{left}", HALF // 2: f"#domino-{right}"}
        assert tile.get("transform") == f"translate({spot.x} {spot.y}) rotate({spot.angle})"


@LONG_LINES
def test_a_line_of_any_length_lies_on_the_table(line: tuple[Lying, ...]) -> None:
    """The tiles are inside the picture and above the rows of the seats, for 1 to 28 tiles and any first tile."""
    for length in range(1, len(line) + 1):
        for first in {0, length // 2, length - 1}:
            picture = draw(view_of(line[:length], first))
            boxes, racks = tile_boxes(picture), rack_boxes(picture)
            table = Box(0, 0, WIDTH, min(rack.top for rack in racks))
            assert len(boxes) == length
            assert all(table.contains(box) for box in boxes)


@pytest.mark.parametrize("viewer", [SPECTATOR, EVERYTHING], ids=["spectator", "everything"])
@pytest.mark.parametrize("held", [0, 1, 19, 20, 27])
def test_nothing_overlaps_however_many_tiles_a_hand_has(held: int, viewer: Viewer) -> None:
    """A long hand is wrapped: all its tiles are in its own row, and the rows are inside the picture."""
    hands = (hand_of(TILES[:held]), *(hand_of((tile,)) for tile in TILES[held : held + 4]))
    state = initial(Options(), len(hands))._replace(hands=hands, boneyard=TILES[held + 4 :])
    picture = draw(view(state, viewer))
    height = float(ET.fromstring(picture).get("height", 0))
    boxes, racks = tile_boxes(picture), rack_boxes(picture)
    assert Counter(sum(rack.contains(box) for rack in racks) for box in boxes) == {1: 28}
    assert not any(one.overlaps(other) for one, other in (*combinations(boxes, 2), *combinations(racks, 2)))
    assert all(Box(0, 0, WIDTH, height).contains(rack) for rack in racks)


def test_each_seat_has_a_row_with_its_count_and_score() -> None:
    """With a target, the score is beside the number of tiles."""
    state = play(b"fennel", 5, FIVE_SEATS, moves=3)._replace(scores=(0, 1, 20, 33, 99))
    sizes = view(state, SPECTATOR).hand_sizes
    scores = ("0 points", "1 point", "20 points", "33 points", "99 points")
    shown = texts(draw(view(state, SPECTATOR)))
    for seat, (size, score) in enumerate(zip(sizes, scores, strict=True)):
        assert f"Seat {seat}" in shown
        assert f"{size} tiles, {score}" in shown
    assert f"{len(state.boneyard)} tiles" in shown


def test_without_a_target_there_are_no_points() -> None:
    """A match of one round has no score to show."""
    assert "point" not in draw(view(play(b"ginger", 2, Options(), moves=2), EVERYTHING))


@pytest.mark.parametrize("seat", range(3))
def test_the_row_of_the_seat_to_play_is_marked(seat: int) -> None:
    """The one mark of the picture is in the row that has the name of that seat."""
    state = play(b"ginger", 3, Options(), moves=2)._replace(turn=Seat(seat))
    picture = draw(view(state, SPECTATOR))
    (row,) = (group for group, *_ in elements(picture) if any(child.get("href") == "#domino-turn" for child in group))
    assert row.findtext(f"{SVG}text") == f"Seat {seat}"


def test_nobody_is_marked_once_the_match_is_over() -> None:
    """There is no turn any more, and the picture says why."""
    picture = draw(view(play(b"ginger", 3, Options()), SPECTATOR))
    assert uses(picture, "#domino-turn") == 0
    assert "match over" in picture


def test_the_two_open_ends_are_marked_and_point_outwards() -> None:
    """The left end of a straight line points to the left, and the right end to the right."""
    line = ((0, 1), (1, 1), (1, 2))
    marks = [
        element.get("transform")
        for element, *_ in elements(draw(view_of(line, 1)))
        if element.get("href") == "#domino-end"
    ]
    reach = HALF // 2 + GAP + LENGTH // 2
    assert sorted(filter(None, marks)) == [
        f"translate({-reach} 0) rotate(180) translate({HALF})",
        f"translate({reach} 0) rotate(0) translate({HALF})",
    ]


def test_an_empty_line_is_drawn_as_such() -> None:
    """No tile and no open end, but a word about it."""
    picture = draw(view(initial(Options(), 2), SPECTATOR))
    assert "No tile laid yet" in texts(picture)
    assert not tiles_face_up(picture)
    assert uses(picture, "#domino-end") == 0


# What is hidden


@POSITIONS
def test_a_spectator_sees_the_line_face_up_and_the_rest_face_down(state: State) -> None:
    """Every tile that is not laid is there, but only its back."""
    seen = view(state, SPECTATOR)
    picture = draw(seen)
    assert tiles_face_up(picture) == Counter(names(seen.line))
    assert uses(picture, "#domino-back") == 28 - len(seen.line)


@POSITIONS
def test_a_spectators_picture_does_not_depend_on_hidden_tiles(state: State) -> None:
    """States that differ only in hands and boneyard give the same picture, byte for byte."""
    other = hidden_tiles_dealt_anew(state)
    assert draw(view(other, SPECTATOR)) == draw(view(state, SPECTATOR))
    assert state.is_over or draw(view(other, EVERYTHING)) != draw(view(state, EVERYTHING))


@POSITIONS
def test_a_seat_sees_its_own_hand_and_no_other(state: State) -> None:
    """Face up are the line and the hand of the seat that looks."""
    for seat, hand in enumerate(state.hands):
        seen = view(state, Viewer(Seat(seat)))
        own = list(map(format_tile, tiles_in(hand)))
        assert tiles_face_up(draw(seen)) == Counter(names(seen.line) + own)


@POSITIONS
def test_once_all_is_revealed_every_tile_of_the_set_is_face_up_once(state: State) -> None:
    """D-1: the line, the hands and the boneyard are the 28 tiles."""
    assert tiles_face_up(draw(view(state, EVERYTHING))) == Counter(map(format_tile, TILES))


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_matches_give_equal_pictures(seed: bytes) -> None:
    """A picture is a function of the view: what is built twice is drawn alike, byte for byte."""
    one, other = (draw(view(play(seed, 4, FIVE_SEATS, moves=20), Viewer(Seat(2)))) for _ in range(2))
    assert one == other
