"""Domino as text: commands such as `4-6 left`, events as sentences, and a view as a small board."""

import re
from typing import assert_never

from services.domino.rules.commands import Command, LayTile
from services.domino.rules.events import Event, RoundDealt, RoundEnded, TileDrawn, TileLaid, TurnPassed
from services.domino.rules.model import HALVES, TILE_OF, End, Hand, Tile, tiles_in
from services.domino.rules.view import View
from shared.kernel import Malformed

usage = "A tile and an end of the line, such as '4-6 left' or '0-3 right' (l and r will do)."

_COMMAND = re.compile(r"\s*([0-6])-([0-6])\s+(l|r|left|right)\s*", re.ASCII | re.IGNORECASE)


def format_command(command: Command) -> str:
    """`4-6 left`."""
    return f"{format_tile(command.tile)} {command.end.value}"


def parse_command(text: str) -> Command:
    """The command that the text stands for; the halves may come in either order."""
    found = _COMMAND.fullmatch(text)
    if found is None:
        raise Malformed("text", f"This is not a move in Domino. {usage}")
    tile = TILE_OF[int(found[1]), int(found[2])]
    return LayTile(tile, End.LEFT if found[3].lower().startswith("l") else End.RIGHT)


def format_tile(tile: Tile) -> str:
    """`4-6`."""
    low, high = HALVES[tile]
    return f"{low}-{high}"


def describe_event(event: Event) -> str:
    """The event in a sentence, without what is hidden in it."""
    match event:
        case RoundDealt():
            tiles = f"{event.hand_size} tiles each, {event.boneyard_size} in the boneyard"
            return f"Round {event.round}: {tiles}; seat {event.starter} starts."
        case TileLaid():
            return f"Seat {event.seat} lays {format_tile(event.tile)} at the {event.end.value} end."
        case TileDrawn():
            return f"Seat {event.seat} draws{'' if event.tile is None else f' {format_tile(event.tile)}'}."
        case TurnPassed():
            return f"Seat {event.seat} passes."
        case RoundEnded():
            return _describe_end(event)
        case _:
            assert_never(event)


def _describe_end(event: RoundEnded) -> str:
    seats = " and ".join(f"seat {seat}" for seat in event.winners)
    how = "is blocked" if event.is_blocked else "is over"
    won = "wins" if len(event.winners) == 1 else "share the win"
    scored = f" and scores {max(event.points)}" if any(event.points) else ""
    return f"The round {how}: {seats} {won}{scored}."


def format_view(view: View) -> str:
    """The line, then one row a seat."""
    line = "".join(f"[{left}|{right}]" for left, right in view.line) or "(no tile laid yet)"
    head = f"Round {view.round}, {view.boneyard_size} in the boneyard"
    return "\n".join((head, line, *(_format_seat(view, seat) for seat in range(len(view.hands)))))


def _format_seat(view: View, seat: int) -> str:
    marker = ">" if seat == view.turn else " "
    score = "" if view.options.target is None else f"  {view.scores[seat]} points"
    return f"{marker} seat {seat}: {_format_hand(view.hands[seat], view.hand_sizes[seat])}{score}"


def _format_hand(hand: Hand | None, size: int) -> str:
    if hand is None:
        return " ".join(["[?]"] * size) or "-"
    return " ".join(map(format_tile, tiles_in(hand))) or "-"
