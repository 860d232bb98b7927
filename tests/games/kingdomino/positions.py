"""Positions, deals and answers of Kingdomino as text, so that a test reads like a board.

A kingdom is drawn as `board.format_kingdom` draws it, with x above it and y beside it. A line is a list of dominoes,
each with the seat of the king on it: `7=1 >12=1 26=0 43=0`, where `>` marks the king that moves.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import count
from typing import NamedTuple, TypeAlias, TypeVar, cast

from services.kingdomino.rules import board, notation, rules, setup
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES, NUMBERS, Square
from services.kingdomino.rules.events import Event
from services.kingdomino.rules.model import (
    SIDE,
    Kingdom,
    Options,
    Phase,
    State,
    Tally,
    castle_alone,
    first_cell,
    initial,
    second_cell,
    with_domino,
    without_domino,
)
from services.kingdomino.rules.model import position as coordinates
from shared.kernel import Chance, Refusal, Seat

T = TypeVar("T")
# x and y.
Cell: TypeAlias = tuple[int, int]

# For positions in which nothing is drawn by lot.
NO_CHANCE = Chance(b"no chance")
STANDARD = Options()
# There is wheat on every side of the castle, and no lake: domino 7 fits nowhere.
WITHOUT_LAKE = """
            -2     -1      0      1      2
     -2      .      .    16s      .      .
     -1      .      .    16w      .      .
      0     2w     2w castle     1w     1w
      1      .      .    13w      .      .
      2      .      .    13f      .      .
"""
_IN_LINE = re.compile(r"(>?)(\d+)(?:=(\d))?")


class InLine(NamedTuple):
    """A domino of a line, the king on it, and whether that king moves."""

    number: int
    king: Seat | None
    is_marked: bool


def numbers(text: str) -> tuple[int, ...]:
    """`4 1 2` as numbers, in the order of the text."""
    return tuple(map(int, text.split()))


def seats(text: str) -> tuple[Seat, ...]:
    """`0 1 1 0` as seats."""
    return tuple(map(Seat, numbers(text)))


def kingdom(drawing: str, discarded: str = "", side: int = SIDE) -> Kingdom:
    """The kingdom that is drawn, which dominoes laid one by one can lead to; an empty drawing is a castle alone."""
    drawn = board.parse_kingdom(drawing.strip(), side) if drawing else castle_alone(side)
    if drawing and _shown(board.format_kingdom(drawn, side)) != _shown(drawing.strip()):
        raise ValueError(f"no kingdom looks like this:\n{drawing}")
    _check_can_be_built(drawn, side)
    return reduce(without_domino, numbers(discarded), drawn)


def _shown(drawing: str) -> dict[tuple[str, str], str]:
    """What is drawn, by x and y."""
    head, *rows = (row.split() for row in drawing.split("\n"))
    cells = (((x, y), part) for y, *parts in rows for x, part in zip(head, parts, strict=False))
    return {cell: part for cell, part in cells if part != "."}


def _check_can_be_built(wanted: Kingdom, side: int) -> None:
    """K-13: in some order, each domino connects. What connects once does so for ever, so any such order will do."""
    built, left = castle_alone(side), set(wanted.laid)
    while left:
        one = next((one for one in left if one.where in rules.placements(built, one.number)), None)
        if one is None:
            raise ValueError(f"nothing leads to this kingdom:\n{board.format_kingdom(wanted, side)}")
        built = with_domino(built, *one, side)
        left.remove(one)


def kingdom_text(built: Kingdom, side: int = SIDE) -> list[str]:
    """A kingdom as rows of squares, without the cells around it that are empty."""
    shown = board.format_kingdom(built, side).split("\n")[1:]
    rows = [row.split()[1:] for row in shown]
    return [" ".join(part for part in row if part != ".") for row in rows if {*row} != {"."}]


def position(
    line: str,
    following: str = "",
    kingdoms: Sequence[Kingdom | str] = ("", ""),
    deck: str = "",
    is_choosing: bool = False,
    options: Options = STANDARD,
    before: tuple[tuple[Tally, ...], ...] = (),
) -> State:
    """The state that the text describes. Dominoes that it does not name are nowhere."""
    own = _line(line)
    offered = _line(following)
    built = tuple(one if isinstance(one, Kingdom) else kingdom(one, side=options.side) for one in kingdoms)
    state = initial(options, len(built))._replace(
        game=len(before) + 1,
        tallies=before,
        kingdoms=built,
        deck=numbers(deck),
        phase=Phase.CHOOSE if is_choosing else Phase.PLACE,
        line=tuple(one.number for one in own),
        kings=tuple(one.king for one in own if one.king is not None),
        at=next(place for place, one in enumerate(own) if one.is_marked),
        next_line=tuple(one.number for one in offered),
        next_kings=tuple(one.king for one in offered),
    )
    _check(state)
    return state


def _line(text: str) -> list[InLine]:
    found = map(_IN_LINE.fullmatch, text.split())
    return [InLine(int(one[2]), Seat(int(one[3])) if one[3] else None, bool(one[1])) for one in found if one]


def _check(state: State) -> None:
    """K-2, K-5, K-6: all kings are on the line, those that have moved on the next one too."""
    moved = [king for king in state.next_kings if king is not None]
    if sorted(state.kings) != sorted(setup.kings_of(len(state.kingdoms))):
        raise ValueError("not the kings of this number of players")
    if state.next_line and sorted(moved) != sorted(state.kings[: state.at]):
        raise ValueError("not the kings that have moved")
    if [state.line, state.next_line] != [tuple(sorted(line)) for line in (state.line, state.next_line)]:
        raise ValueError("a line is not in order")
    if len(set(whereabouts(state))) < len(whereabouts(state)):
        raise ValueError("a domino is in two places")


def whereabouts(state: State) -> list[int]:
    """The dominoes of every place: deck, aside, under a king, to choose from, laid, discarded."""
    done = state.at + (state.phase is Phase.CHOOSE)
    used = [[*(laid.number for laid in built.laid), *built.discarded] for built in state.kingdoms]
    return sorted([*state.deck, *state.aside, *state.line[done:], *state.next_line, *(n for own in used for n in own)])


class Stacked(Chance):
    """Chance that deals the named dominoes first, in their order, and draws the kings in the named order."""

    __slots__ = ("_deck", "_kings")

    def __init__(self, deck: str = "", kings: str = "") -> None:
        super().__init__(b"stacked")
        self._deck = numbers(deck)
        self._kings = seats(kings)

    def shuffled(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """There is nothing to shuffle but the deck and the kings of a game."""
        if purpose.startswith("kingdomino/kings/"):
            assert sorted(self._kings) == sorted(cast("Sequence[int]", items))
            return cast("tuple[T, ...]", self._kings)
        assert purpose.startswith("kingdomino/deck/"), purpose
        assert tuple(items) == NUMBERS
        rest = tuple(number for number in NUMBERS if number not in self._deck)
        return cast("tuple[T, ...]", (*self._deck, *rest))


def fold(state: State, events: Iterable[Event]) -> State:
    """The state after the events."""
    return reduce(rules.evolve, events, state)


def started(chance: Chance, players: int, options: Options = STANDARD) -> tuple[tuple[Event, ...], State]:
    """The events that set a match up, and the state after them."""
    empty = initial(options, players)
    events = rules.start(empty, chance)
    return events, fold(empty, events)


def decided(state: State, command: Command, chance: Chance = NO_CHANCE) -> tuple[Event, ...]:
    """The events of a legal command of the seat that is to act."""
    (seat,) = rules.to_act(state)
    events = rules.decide(state, seat, command, chance)
    assert not isinstance(events, Refusal), events
    return events


def play(state: State, command: str, chance: Chance = NO_CHANCE) -> tuple[tuple[Event, ...], State]:
    """What follows from a legal command of the seat that is to act, and the state after it."""
    events = decided(state, notation.parse_command(command), chance)
    return events, fold(state, events)


def after(state: State, *commands: str, chance: Chance = NO_CHANCE) -> State:
    """The state after legal commands, each of the seat that is then to act."""
    for command in commands:
        _, state = play(state, command, chance)
    return state


def answer(state: State, command: str, seat: int | None = None, chance: Chance = NO_CHANCE) -> list[str]:
    """What the rules answer: the events as sentences, or `refused: `, the rule's id and its sentence."""
    mover = rules.to_act(state)[0] if seat is None else Seat(seat)
    answered = rules.decide(state, mover, notation.parse_command(command), chance)
    return [f"refused: {answered.rule}", answered.message] if isinstance(answered, Refusal) else described(answered)


def described(events: Iterable[Event]) -> list[str]:
    """The events as sentences."""
    return list(map(notation.describe_event, events))


def free(state: State) -> list[int]:
    """K-6: the dominoes that a king may be put on."""
    return [number for number, king in zip(state.next_line, state.next_kings, strict=True) if king is None]


def places(built: Kingdom, number: int) -> list[str]:
    """Where a domino may be placed, as text in its fixed order."""
    return list(map(notation.format_placement, rules.placements(built, number)))


def squares(built: Kingdom) -> dict[Cell, Square | None]:
    """What lies on which cell, looked up anew; None is the castle."""
    found: dict[Cell, Square | None] = {(0, 0): None}
    for number, where in built.laid:
        found[coordinates(first_cell(where))] = DOMINOES[number].first
        found[coordinates(second_cell(where))] = DOMINOES[number].second
    return found


def neighbours(cell: Cell) -> tuple[Cell, ...]:
    """The cells that share an edge with it, by (x, y)."""
    x, y = cell
    return (x - 1, y), (x, y - 1), (x, y + 1), (x + 1, y)


def plain_placements(built: Kingdom, number: int, side: int) -> list[tuple[Cell, Cell]]:
    """K-12 to K-14 tried one by one: every cell, with every cell beside it, in order."""
    lying, domino, reach = squares(built), DOMINOES[number], range(-side, side + 1)
    pairs = [((x, y), other) for x in reach for y in reach for other in neighbours((x, y))]
    return [
        (one, other)
        for one, other in pairs
        if {one, other}.isdisjoint(lying)
        and (touches(lying, one, domino.first) or touches(lying, other, domino.second))
        and all(max(line) - min(line) < side for line in zip(*lying, one, other, strict=True))
        and not (domino.is_double and other < one)
    ]


def touches(lying: dict[Cell, Square | None], cell: Cell, square: Square) -> bool:
    """K-13: an edge of the castle, or of a square of the same terrain."""
    near = [lying[other] for other in neighbours(cell) if other in lying]
    return any(other is None or other.terrain == square.terrain for other in near)


def decisions(state: State) -> list[Command]:
    """The single decisions of the seat that is to act: a placement, or the discard if there is none, or a choice."""
    if not rules.to_act(state):
        return []
    if state.phase is Phase.CHOOSE:
        return [ChooseDomino(number) for number in free(state)]
    number = state.line[state.at]
    legal = rules.placements(state.kingdoms[state.kings[state.at]], number)
    return [PlaceDomino(number, where) for where in legal] or [DiscardDomino(number)]


class Step(NamedTuple):
    """Events that were decided together, and the state after them."""

    events: tuple[Event, ...]
    state: State


def match_steps(players: int, options: Options, seed: bytes, picks: Iterable[int] = ()) -> Iterator[Step]:
    """A match to its end: each pick stands for one of the decisions, and after the last of them the seed picks."""
    chance = Chance(seed)
    events, state = started(chance, players, options)
    yield Step(events, state)
    remaining = iter(picks)
    for number in count():
        legal = decisions(state)
        if not legal:
            return
        pick = next(remaining, None)
        command = chance.pick(f"decision {number}", legal) if pick is None else legal[pick % len(legal)]
        events = decided(state, command, chance)
        state = fold(state, events)
        yield Step(events, state)
