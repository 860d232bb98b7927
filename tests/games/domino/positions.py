"""Positions, deals and answers of Domino as text, so that a test reads like a board.

A line is drawn as it lies, `[6|6][6|4]`; a hand or the boneyard is a list of tiles, `4-1 2-2`, halves in either order.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from services.domino.rules import notation, rules
from services.domino.rules.events import Event, RoundEnded
from services.domino.rules.model import (
    NO_END,
    TILE_OF,
    End,
    Hand,
    Options,
    State,
    Tile,
    Turn,
    hand_of,
    initial,
    tiles_in,
)
from services.domino.rules.view import Lying, line_of
from shared.kernel import Chance, Refusal, Seat

T = TypeVar("T")

_LYING = re.compile(r"\[([0-6])\|([0-6])\]")
# For positions in which nothing is drawn by lot.
NO_CHANCE = Chance(b"no chance")


def tiles(text: str) -> tuple[Tile, ...]:
    """`4-1 2-2` as tiles, in the order of the text."""
    return tuple(map(tile, text.split()))


def tile(text: str) -> Tile:
    """`4-1` as a tile."""
    one, other = text.split("-")
    return TILE_OF[int(one), int(other)]


def hand(text: str) -> Hand:
    """`4-1 2-2` as a hand."""
    return hand_of(tiles(text))


def hand_text(held: Hand) -> str:
    """A hand as `1-4 2-2`: lower halves first, in the order of the tiles."""
    return " ".join(map(notation.format_tile, tiles_in(held)))


def position(
    line: str = "",
    hands: Sequence[str] = ("", ""),
    boneyard: str = "",
    turn: int = 0,
    target: int | None = None,
    scores: Sequence[int] | None = None,
) -> State:
    """The state that the text describes. Tiles that it does not name are nowhere."""
    lying = _lying(line)
    left_over = tiles(boneyard)
    _check_each_once([*(TILE_OF[both] for both in lying), *tiles(" ".join(hands)), *left_over])
    return initial(Options(target=target), len(hands))._replace(
        round=1,
        scores=tuple(scores or (0,) * len(hands)),
        hands=tuple(map(hand, hands)),
        boneyard=left_over,
        left=lying[0][0] if lying else NO_END,
        right=lying[-1][1] if lying else NO_END,
        turn=Seat(turn),
        turns=_turns(lying, turn, len(hands)),
    )


def _lying(line: str) -> list[Lying]:
    found = [(int(left), int(right)) for left, right in _LYING.findall(line)]
    if _draw(found) != line:
        raise ValueError(f"{line} is not a line of tiles")
    if any(left[1] != right[0] for left, right in pairwise(found)):
        raise ValueError(f"{line} joins halves that differ")
    return found


def _check_each_once(named: Sequence[Tile]) -> None:
    if len(named) != len(set(named)):
        raise ValueError("a tile is in two places")


def _turns(lying: Sequence[Lying], turn: int, players: int) -> tuple[Turn, ...]:
    """Turns that build the line: the first tile that lies low half left, what is right of it, what is left of it."""
    if not lying:
        return ()
    first = next(place for place, (left, right) in enumerate(lying) if left <= right)
    order = [first, *range(first + 1, len(lying)), *reversed(range(first))]
    return tuple(
        Turn(
            # The starter lays two tiles (D-5), then seats take turns up to the one whose turn it is.
            Seat((turn - len(order) + max(number, 1)) % players),
            0,
            TILE_OF[lying[place]],
            End.RIGHT if place > first else End.LEFT,
        )
        for number, place in enumerate(order)
    )


def line_text(state: State) -> str:
    """The line as it lies, `[6|6][6|4]`."""
    return _draw(line_of(state.turns))


def _draw(lying: Iterable[Lying]) -> str:
    return "".join(f"[{left}|{right}]" for left, right in lying)


class Stacked(Chance):
    """Chance that deals the named tiles first, in their order, and then the others in theirs."""

    __slots__ = ("_first",)

    def __init__(self, *dealt: str) -> None:
        super().__init__(b"stacked")
        self._first = tiles(" ".join(dealt))
        _check_each_once(self._first)

    def shuffled(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """The items at the named places first; there is nothing to shuffle but the tiles of a round."""
        assert purpose.startswith("domino/round/"), purpose
        rest = (item for place, item in enumerate(items) if place not in self._first)
        return (*(items[place] for place in self._first), *rest)


def finished(winners: Sequence[int], hands: Sequence[str], points: Sequence[int] = ()) -> RoundEnded:
    """A round that ended with these hands; with no empty one among them, it was blocked."""
    return RoundEnded(
        winners=tuple(map(Seat, winners)),
        is_blocked="" not in hands,
        hands=tuple(map(hand, hands)),
        points=tuple(points),
    )


def fold(state: State, events: Iterable[Event]) -> State:
    """The state after the events."""
    for event in events:
        state = rules.evolve(state, event)
    return state


def started(chance: Chance, players: int, options: Options | None = None) -> tuple[tuple[Event, ...], State]:
    """The events that set a match up, and the state after them."""
    empty = initial(options or Options(), players)
    events = rules.start(empty, chance)
    return events, fold(empty, events)


def play(state: State, command: str, chance: Chance = NO_CHANCE) -> tuple[tuple[Event, ...], State]:
    """What follows from a legal command of the seat whose turn it is, and the state after it."""
    events = rules.decide(state, state.turn, notation.parse_command(command), chance)
    assert not isinstance(events, Refusal), events
    return events, fold(state, events)


def after(state: State, *commands: str, chance: Chance = NO_CHANCE) -> State:
    """The state after legal commands, each of the seat whose turn it then is."""
    for command in commands:
        _, state = play(state, command, chance)
    return state


def answer(state: State, command: str, seat: int | None = None, chance: Chance = NO_CHANCE) -> list[str]:
    """What the rules answer: the events as sentences, or `refused: ` and the rule's id."""
    mover = state.turn if seat is None else Seat(seat)
    answered = rules.decide(state, mover, notation.parse_command(command), chance)
    return [f"refused: {answered.rule}"] if isinstance(answered, Refusal) else described(answered)


def described(events: Iterable[Event]) -> list[str]:
    """The events as sentences."""
    return list(map(notation.describe_event, events))


def choices(state: State) -> list[str]:
    """What the seat whose turn it is may play, as text in its fixed order."""
    if state.is_over:
        return []
    return list(map(notation.format_command, rules.playable(state.hands[state.turn], state.left, state.right)))
