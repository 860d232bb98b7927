"""Kingdomino as text: commands such as `12 at 1,0 east then 30`, events as sentences; `board.py` draws positions."""

import re
from typing import assert_never

from services.kingdomino.rules.board import format_view
from services.kingdomino.rules.commands import ChooseDomino, Command, DiscardDomino, PlaceDomino
from services.kingdomino.rules.dominoes import DOMINOES
from services.kingdomino.rules.events import (
    DominoChosen,
    DominoDiscarded,
    DominoPlaced,
    Event,
    GameDealt,
    GameEnded,
    LineDrawn,
)
from services.kingdomino.rules.model import (
    FARTHEST,
    Direction,
    Placement,
    cell_at,
    direction_of,
    first_cell,
    is_within_reach,
    placement,
    position,
)
from services.kingdomino.rules.rules import straight
from shared.kernel import Malformed

__all__ = ["describe_event", "format_command", "format_view", "parse_command", "usage"]

usage = (
    "A domino's number, where its first square goes and in which direction its second lies, such as '12 at 1,0 east'; "
    "'choose 30' for your next domino, or both in one: '12 at 1,0 east then 30'. What fits nowhere: 'discard 12'. "
    "x grows to the east, y to the south, and the castle is at 0,0."
)

_PLACE = re.compile(
    r"\s*(?:place\s+)?(\d{1,2})\s+(?:at\s+)?(-?\d)\s*,\s*(-?\d)\s+(w|n|s|e|west|north|south|east)(?:\s+then\s+(\d{1,2}))?\s*",
    re.ASCII | re.IGNORECASE,
)
_DISCARD = re.compile(r"\s*discard\s+(\d{1,2})(?:\s+then\s+(\d{1,2}))?\s*", re.ASCII | re.IGNORECASE)
_CHOOSE = re.compile(r"\s*choose\s+(\d{1,2})\s*", re.ASCII | re.IGNORECASE)
_DIRECTIONS = {direction.name[0]: direction for direction in Direction}


def format_command(command: Command) -> str:
    """`12 at 1,0 east then 30`, `discard 12`, `choose 30`."""
    match command:
        case PlaceDomino():
            return f"{command.number} at {format_placement(command.where)}{_format_choice(command.choose)}"
        case DiscardDomino():
            return f"discard {command.number}{_format_choice(command.choose)}"
        case ChooseDomino():
            return f"choose {command.number}"
        case _:
            assert_never(command)


def format_placement(where: Placement) -> str:
    """`1,0 east`."""
    x, y = position(first_cell(where))
    return f"{x},{y} {direction_of(where).name.lower()}"


def _format_choice(number: int | None) -> str:
    return "" if number is None else f" then {number}"


def parse_command(text: str) -> Command:
    """The command that the text stands for."""
    if found := _PLACE.fullmatch(text):
        number, x, y, direction, choose = found.groups()
        return PlaceDomino(*_parse_placement(_number(number), int(x), int(y), direction), _choice(choose))
    if found := _DISCARD.fullmatch(text):
        return DiscardDomino(_number(found[1]), _choice(found[2]))
    if found := _CHOOSE.fullmatch(text):
        return ChooseDomino(_number(found[1]))
    raise Malformed("text", f"This is not a move in Kingdomino. {usage}")


def _parse_placement(number: int, x: int, y: int, direction: str) -> tuple[int, Placement]:
    where = placement(cell_at(x, y), _DIRECTIONS[direction[0].upper()])
    if max(abs(x), abs(y)) > FARTHEST or not is_within_reach(where):
        raise Malformed("text", f"No kingdom reaches farther than {FARTHEST} cells from its castle.")
    return number, straight(number, where)


def _number(text: str) -> int:
    if int(text) not in DOMINOES:
        raise Malformed("text", f"Dominoes have numbers from 1 to {len(DOMINOES)}.")
    return int(text)


def _choice(text: str | None) -> int | None:
    return None if text is None else _number(text)


def describe_event(event: Event) -> str:
    """The event in a sentence, without what is hidden in it."""
    match event:
        case DominoPlaced():
            return f"Seat {event.seat} places {event.number} at {format_placement(event.where)}."
        case DominoChosen():
            return f"Seat {event.seat} chooses {event.number}."
        case DominoDiscarded():
            return f"Seat {event.seat} discards {event.number}, which fits nowhere."
        case LineDrawn():
            return f"A line is drawn: {_listed(event.numbers)}."
        case GameDealt():
            order = f"the kings choose in the order {_listed(event.kings)}"
            return f"Game {event.game}: {event.deck_size} dominoes, {event.aside_size} put aside; {order}."
        case GameEnded():
            points = ", ".join(f"seat {seat} has {tally.points}" for seat, tally in enumerate(event.tallies))
            return f"The game is over: {points}."
        case _:
            assert_never(event)


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
