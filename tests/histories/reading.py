"""Stored histories, read."""

from pathlib import Path
from typing import NamedTuple

from services.registry import load
from shared import export
from shared.envelope import Envelope
from shared.game import AnyGame
from shared.match.wire import Wire


class History(NamedTuple):
    """A stored history, and the game that it is of. The oldest are neither chained nor signed."""

    game: AnyGame
    wire: Wire
    signed: export.Signed | None
    envelopes: list[Envelope]


def stored(path: Path) -> History:
    """A history from its file."""
    name, signed, envelopes = export.read(path.read_text().splitlines(keepends=True))
    game = load(name)
    return History(game, Wire(game), signed, list(envelopes))
