"""Kingdomino written plainly: what the rules are measured against, and checked against.

A kingdom is a dict from (x, y) to the square that lies there; every cell and direction is tried to find the placements;
properties are found by flood fill. Nothing is remembered that can be looked up, and nothing is hidden from the reader.
It shares with the project's rules the dominoes as they are printed, and no code.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, TypeAlias

from services.kingdomino.rules.dominoes import DOMINOES, Domino, Square, Terrain

Position: TypeAlias = tuple[int, int]

CASTLE: Position = (0, 0)
# From a cell to its neighbours, in the order of (x, y).
STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))


class Placement(NamedTuple):
    """Where the two squares of a domino lie."""

    first: Position
    second: Position


class Tally(NamedTuple):
    """K-17: what ranks a seat, the most important first."""

    points: int
    largest: int
    crowns: int


@dataclass
class Property:
    """K-16: connected squares of one terrain."""

    squares: int = 0
    crowns: int = 0


@dataclass
class Variant:
    """K-14 and K-19 to K-21: what can differ between two games of as many players."""

    is_duel: bool = False
    middle_kingdom: bool = False
    harmony: bool = False

    @property
    def side(self) -> int:
        """K-14, K-21: of the square in which a kingdom must fit."""
        return 7 if self.is_duel else 5


class Kingdom:
    """K-4: the squares of a seat around its castle."""

    def __init__(self, side: int) -> None:
        self.side = side
        # The castle is no square of a domino: there, it is None.
        self.squares: dict[Position, Square | None] = {CASTLE: None}
        self.discarded: list[Domino] = []

    def placements(self, domino: Domino) -> list[Placement]:
        """All that are legal, by the cell of the first square, then of the second."""
        return [placement for placement in self._candidates() if self._is_legal(domino, placement)]

    def place(self, domino: Domino, placement: Placement) -> None:
        """K-8: lays the domino."""
        self.squares[placement.first] = domino.first
        self.squares[placement.second] = domino.second

    def discard(self, domino: Domino) -> None:
        """K-15: puts the domino away."""
        self.discarded.append(domino)

    def _candidates(self) -> Iterator[Placement]:
        """Two cells next to each other, as far from the castle as a kingdom can reach."""
        reach = range(-self.side + 1, self.side)
        for x in reach:
            for y in reach:
                for dx, dy in STEPS:
                    yield Placement((x, y), (x + dx, y + dy))

    def _is_legal(self, domino: Domino, placement: Placement) -> bool:
        first, second = placement
        # K-12.
        if first in self.squares or second in self.squares:
            return False
        # Two equal squares: the other way round is the same placement.
        if domino.is_double and second < first:
            return False
        # K-13.
        if not self._connects(domino.first, first) and not self._connects(domino.second, second):
            return False
        return self._fits(placement)

    def _connects(self, square: Square, position: Position) -> bool:
        """K-13: it would touch the castle or a square of its own terrain."""
        for neighbour in neighbours(position):
            if neighbour in self.squares:
                other = self.squares[neighbour]
                if other is None or other.terrain == square.terrain:
                    return True
        return False

    def _fits(self, placement: Placement) -> bool:
        """K-14: with these two cells, the kingdom is not too wide and not too high."""
        cells = [*self.squares, *placement]
        left, top, right, bottom = bounds(cells)
        return right - left < self.side and bottom - top < self.side

    def tally(self, variant: Variant) -> Tally:
        """K-16, K-19, K-20."""
        properties = self.properties()
        points = sum(one.squares * one.crowns for one in properties)
        if variant.middle_kingdom and self.is_in_the_middle():
            points += 10
        if variant.harmony and not self.discarded:
            points += 5
        largest = max((one.squares for one in properties), default=0)
        return Tally(points, largest, sum(one.crowns for one in properties))

    def properties(self) -> list[Property]:
        """K-16: all of them, by flood fill."""
        seen: set[Position] = set()
        found = []
        for position, square in self.squares.items():
            if square is not None and position not in seen:
                found.append(self._flood(position, square.terrain, seen))
        return found

    def _flood(self, start: Position, terrain: Terrain, seen: set[Position]) -> Property:
        found = Property()
        waiting = [start]
        while waiting:
            position = waiting.pop()
            square = self.squares.get(position)
            if position in seen or square is None or square.terrain != terrain:
                continue
            seen.add(position)
            found.squares += 1
            found.crowns += square.crowns
            waiting.extend(neighbours(position))
        return found

    def is_in_the_middle(self) -> bool:
        """K-19: as many columns left of the castle as right, as many rows above as below; a castle alone is not."""
        left, top, right, bottom = bounds(list(self.squares))
        return len(self.squares) > 1 and -left == right and -top == bottom


def neighbours(position: Position) -> list[Position]:
    """The cells that share an edge with a cell."""
    x, y = position
    return [(x + dx, y + dy) for dx, dy in STEPS]


def bounds(cells: list[Position]) -> tuple[int, int, int, int]:
    """The first column and row of these cells, then the last."""
    xs = [x for x, _ in cells]
    ys = [y for _, y in cells]
    return min(xs), min(ys), max(xs), max(ys)


@dataclass
class Slot:
    """A place in a line: a domino and the king on it."""

    domino: Domino
    king: int | None = None


@dataclass
class Turn:
    """K-8: a king's turn in a round, and the domino under it until it is laid; in the first round there is none."""

    seat: int
    domino: Domino | None = None


@dataclass
class Game:
    """One game. Who drives it asks what `seat` may do, and calls `place`, `discard` or `choose`."""

    players: int
    # K-3: the numbers of the dominoes that are used, the next first.
    deck: list[int]
    # K-6: the owners of the kings, in the order in which they were drawn.
    kings: Sequence[int]
    variant: Variant = field(default_factory=Variant)

    def __post_init__(self) -> None:
        self.kingdoms = [Kingdom(self.variant.side) for _ in range(self.players)]
        self.turns = [Turn(king) for king in self.kings]
        self.line = self._draw()

    def _draw(self) -> list[Slot]:
        """K-5: as many dominoes as there are kings, by number; none when the deck is empty."""
        count = len(self.kings)
        drawn, self.deck = self.deck[:count], self.deck[count:]
        return [Slot(DOMINOES[number]) for number in sorted(drawn)]

    @property
    def is_over(self) -> bool:
        """K-10: every king of the last line has moved."""
        return not self.turns

    @property
    def seat(self) -> int:
        """Who is to act."""
        return self.turns[0].seat

    @property
    def domino(self) -> Domino | None:
        """What the seat must place or discard now; if it is None, the seat must choose."""
        return self.turns[0].domino

    def placements(self) -> list[Placement]:
        """K-12 to K-15: of the domino under the king; if there are none, it must be discarded."""
        return [] if self.domino is None else self.kingdoms[self.seat].placements(self.domino)

    def choices(self) -> list[int]:
        """K-6: the free dominoes of the next line."""
        return [slot.domino.number for slot in self.line if slot.king is None]

    def place(self, placement: Placement) -> None:
        """K-8: the first half of a turn."""
        assert self.domino is not None
        self.kingdoms[self.seat].place(self.domino, placement)
        self._after_domino()

    def discard(self) -> None:
        """K-15: the first half of a turn, if there is no placement."""
        assert self.domino is not None
        self.kingdoms[self.seat].discard(self.domino)
        self._after_domino()

    def choose(self, number: int) -> None:
        """K-6, K-8: the second half of a turn."""
        for slot in self.line:
            if slot.domino.number == number:
                slot.king = self.seat
        self._end_turn()

    def _after_domino(self) -> None:
        self.turns[0].domino = None
        if not self.line:
            # K-11: in the last round there is nothing to choose.
            self._end_turn()
        else:
            self._choose_if_forced()

    def _end_turn(self) -> None:
        self.turns.pop(0)
        if not self.turns:
            self._next_round()
        elif self.domino is None:
            self._choose_if_forced()

    def _choose_if_forced(self) -> None:
        """K-6: the last king has no choice."""
        choices = self.choices()
        if len(choices) == 1:
            self.choose(choices[0])

    def _next_round(self) -> None:
        """K-7, K-9: the kings move in the order of the line on which they stand."""
        self.turns = [Turn(slot.king, slot.domino) for slot in self.line if slot.king is not None]
        self.line = self._draw()

    def tallies(self) -> list[Tally]:
        """What every seat has."""
        return [kingdom.tally(self.variant) for kingdom in self.kingdoms]

    def places(self) -> list[list[int]]:
        """K-17: the best first, with ties."""
        tallies = self.tallies()
        ranked = sorted(range(self.players), key=lambda seat: tallies[seat], reverse=True)
        return [list(tied) for _, tied in groupby(ranked, key=lambda seat: tallies[seat])]


def dealt(players: int, variant: Variant, chance: random.Random) -> Game:
    """K-2, K-3, K-6, K-21: a game with a shuffled deck, and the kings in random order."""
    numbers = list(DOMINOES)
    chance.shuffle(numbers)
    kings = list(range(players)) * (2 if players == 2 else 1)
    chance.shuffle(kings)
    return Game(players, numbers if variant.is_duel else numbers[: 12 * players], kings, variant)


def play(game: Game, chance: random.Random) -> int:
    """Plays to the end, every legal decision as likely as any other; answers the number of decisions."""
    decisions = 0
    while not game.is_over:
        decisions += 1
        if game.domino is None:
            game.choose(chance.choice(game.choices()))
        elif placements := game.placements():
            game.place(chance.choice(placements))
        else:
            game.discard()
    return decisions
