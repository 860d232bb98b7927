"""The one list of games. A new game adds a line here."""

from importlib import import_module
from typing import NamedTuple

from shared.game import AnyGame
from shared.settings import Settings


class Entry(NamedTuple):
    """Where a game is: its module, and the port of its service unless the settings name another."""

    module: str
    port: int


_GAMES = {
    "domino": Entry("services.domino.game", port=50551),
    "kingdomino": Entry("services.kingdomino.game", port=50552),
}

NAMES = tuple(_GAMES)


def load(name: str) -> AnyGame:
    """The game of this name; a process imports only the games that it asks for."""
    game: AnyGame = import_module(_GAMES[name].module).GAME
    return game


def port(name: str, settings: Settings) -> int:
    """The port that a game's service listens on."""
    return settings.ports.get(name, _GAMES[name].port)


def address(name: str, settings: Settings) -> str:
    """Where a game's service is found."""
    return settings.addresses.get(name) or f"127.0.0.1:{port(name, settings)}"
