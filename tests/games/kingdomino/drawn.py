"""Pictures of Kingdomino to be looked at, read back: what is drawn where, and what it covers.

A line is written as the tests of the rules write it, `7=1 >12=1 26=0`, where `>` marks the king that moves; `*` marks a
domino that may be chosen, and `_` is a place that is empty.
"""

import cmath
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest

from services.kingdomino.emblems import SQUARE
from services.kingdomino.picture import draw
from services.kingdomino.rules.dominoes import Square, Terrain
from services.kingdomino.rules.model import Kingdom, Options, State, initial
from services.kingdomino.rules.view import view
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from tests.games.kingdomino.positions import STANDARD, Cell, match_steps, position

SVG = "{http://www.w3.org/2000/svg}"
_TERRAINS = {f"#kingdomino-{terrain.name.lower()}": (0, 0, SQUARE, SQUARE) for terrain in Terrain}
# What the drawings cover, seen from their origin.
SHAPES = _TERRAINS | {
    "#kingdomino-castle": (0, 0, SQUARE, SQUARE),
    "#kingdomino-crown": (-7, -5, 7, 5),
    "#kingdomino-king": (-14, -44, 14, 0),
    "#kingdomino-more": (-5, -4, 5, 4),
    "#kingdomino-turn": (-5, -8, 7, 8),
}
# How wide a letter is, as a part of the font's size: that of a wide font.
_LETTER, _BOLD_LETTER = 0.56, 0.62

EVERY_VARIANT = Options(dynasty=True, middle_kingdom=True, harmony=True, mighty_duel=True)
_MATCHES = {
    "two seats": (2, STANDARD),
    "a duel with every variant": (2, EVERY_VARIANT),
    "a dynasty of three": (3, Options(dynasty=True, harmony=True)),
    "four seats and their bonuses": (4, Options(middle_kingdom=True, harmony=True)),
}


def states(players: int, options: Options, seed: bytes = b"drawn") -> dict[str, State]:
    """A match that the seed plays, at some of its moments."""
    found = [initial(options, players), *(step.state for step in match_steps(players, options, seed))]
    moments = {"undealt": 0, "first": 1, "early": len(found) // 4, "late": 3 * len(found) // 5, "last": -2, "over": -1}
    return {name: found[place] for name, place in moments.items()}


STATES = {f"{name}, {moment}": state for name, match in _MATCHES.items() for moment, state in states(*match).items()}
POSITIONS = pytest.mark.parametrize("state", STATES.values(), ids=STATES)
VIEWERS = pytest.mark.parametrize(
    "viewer", [SPECTATOR, Viewer(Seat(1)), EVERYTHING], ids=["spectator", "seat", "everything"]
)


def playing(*kingdoms: Kingdom | str, options: Options = STANDARD, is_choosing: bool = False) -> State:
    """Seat 0 is to place 12, or has placed it; the kingdoms are those of the first seats, and castles alone."""
    built = [*kingdoms, *[""] * (2 - len(kingdoms))]
    return position("10=1 >12=0 26=0 43=1", "3 21 36=1 44", kingdoms=built, options=options, is_choosing=is_choosing)


class Box(NamedTuple):
    """What something covers of a picture."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        """Whether they share more than a hair's breadth."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0.01 and down > 0.01

    def contains(self, other: "Box") -> bool:
        """Whether nothing of the other is outside."""
        across = self.left <= other.left + 0.01 and other.right <= self.right + 0.01
        return across and self.top <= other.top + 0.01 and other.bottom <= self.bottom + 0.01


class Drawn(NamedTuple):
    """An element, where its origin is in the picture, and how it is scaled and turned."""

    element: ET.Element
    origin: complex
    factor: complex

    @property
    def name(self) -> str | None:
        """Its class."""
        return self.element.get("class")

    @property
    def href(self) -> str:
        """The drawing that it uses."""
        return self.element.get("href", "")

    def number(self, attribute: str) -> float:
        """An attribute; those that are not there are 0."""
        return float(self.element.get(attribute, 0))

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """What a rectangle of its own coordinates covers."""
        corners = [self.origin + self.factor * complex(x, y) for x in (left, right) for y in (top, bottom)]
        across, down = [corner.real for corner in corners], [corner.imag for corner in corners]
        return Box(min(across), min(down), max(across), max(down))


def picture_of(state: State, viewer: Viewer = SPECTATOR) -> Drawn:
    """All that is drawn for a viewer."""
    return Drawn(ET.fromstring(draw(view(state, viewer))), 0, 1)


def walk(one: Drawn) -> Iterator[Drawn]:
    """An element and all that is drawn in it."""
    yield one
    for child in one.element:
        if child.tag != f"{SVG}defs":
            yield from walk(_placed(child, one))


def _placed(element: ET.Element, parent: Drawn) -> Drawn:
    _, origin, factor = parent
    for name, arguments in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
        first, *others = map(float, arguments.split())
        if name == "translate":
            origin += factor * complex(first, *others)
        elif name == "scale":
            factor *= first
        else:
            assert name == "rotate", name
            factor *= cmath.exp(1j * math.radians(first))
    return Drawn(element, origin, factor)


def find(one: Drawn, name: str) -> list[Drawn]:
    """What has that class."""
    return [part for part in walk(one) if part.name == name]


def uses(one: Drawn, name: str) -> list[Drawn]:
    """Where a drawing is used."""
    return [part for part in walk(one) if part.href == f"#kingdomino-{name}"]


def words(one: Drawn) -> list[str]:
    """All texts."""
    return [part.element.text or "" for part in walk(one) if part.element.tag == f"{SVG}text"]


def panel(picture: Drawn, seat: int) -> Drawn:
    """The part of the picture that shows a seat's kingdom."""
    (found,) = (one for one in find(picture, "seat") if one.element.get("data-seat") == str(seat))
    return found


def box_of(one: Drawn) -> Box | None:
    """What an element covers, as far as it is a rectangle, a drawing that is used, or words."""
    x, y = one.number("x"), one.number("y")
    if one.element.tag == f"{SVG}rect":
        return one.box(x, y, x + one.number("width"), y + one.number("height"))
    if one.element.tag == f"{SVG}text":
        return _box_of_words(one)
    if one.href not in SHAPES:
        return None
    left, top, right, bottom = SHAPES[one.href]
    return one.box(x + left, y + top, x + right, y + bottom)


def _box_of_words(one: Drawn) -> Box:
    """From the tops of its capitals to the baseline."""
    size, x, y = one.number("font-size"), one.number("x"), one.number("y")
    width = len(one.element.text or "") * size * (_BOLD_LETTER if "font-weight" in one.element.attrib else _LETTER)
    left = x - width * {"middle": 0.5, "end": 1}.get(one.element.get("text-anchor", ""), 0)
    return one.box(left, y - 0.73 * size, left + width, y)


def boxes(found: Iterable[Drawn]) -> list[Box]:
    """What they cover."""
    return [box for box in map(box_of, found) if box]


def face(square: Drawn) -> Square:
    """Terrain and crowns of a square: as it is named and as it is drawn are the same."""
    terrain = square.element.get("data-terrain", "")
    assert len(uses(square, terrain)) == 1
    return Square(Terrain[terrain.upper()], len(uses(square, "crown")))


def squares_of(part: Drawn) -> dict[Cell, Square | None]:
    """What is drawn on which cell, counted from the castle, which is None."""
    (castle,) = find(part, "castle")
    (kingdom,) = find(part, "kingdom")
    found = {cell_of(square, castle): face(square) for square in find(kingdom, "square")}
    assert len(found) == len(find(kingdom, "square"))
    return found | {(0, 0): None}


def cell_of(square: Drawn, castle: Drawn) -> Cell:
    """How many columns and rows from the castle; it is exactly on a cell."""
    away = (square.origin - castle.origin) / castle.factor / SQUARE
    x, y = round(away.real), round(away.imag)
    assert cmath.isclose(away, complex(x, y), abs_tol=1e-3)
    return x, y


def dominoes(part: Drawn) -> list[int]:
    """The numbers of the dominoes that are drawn, in the order of the drawing."""
    return [int(one.number("data-domino")) for one in find(part, "domino")]


def line(picture: Drawn, name: str) -> str:
    """The places of a line from left to right, as text."""
    (found,) = find(picture, name)
    slots = sorted(find(found, "slot"), key=lambda slot: slot.origin.real)
    return " ".join(map(_slot, slots))


def _slot(slot: Drawn) -> str:
    """The number that is written is the number of the domino that is drawn."""
    mark = ">" * len(find(slot, "turn")) + "*" * len(find(slot, "choice"))
    numbers = list(map(str, dominoes(slot)))
    assert [child.text for child in slot.element.findall(f"{SVG}text")] == numbers
    kings = [f"={king.element.get('data-seat')}" for king in find(slot, "king")]
    return "".join((mark, *numbers, *kings)) or "_"
