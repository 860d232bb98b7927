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

# The service beside those of games.
TOURNAMENT = "tournament"
SERVICES = (*NAMES, TOURNAMENT)
_PORTS = {name: entry.port for name, entry in _GAMES.items()} | {TOURNAMENT: 50550}


def load(name: str) -> AnyGame:
    """The game of this name; a process imports only the games that it asks for."""
    game: AnyGame = import_module(_GAMES[name].module).GAME
    return game


def load_all() -> tuple[AnyGame, ...]:
    """Every game: for who reads logs that hold messages of any of them."""
    return tuple(map(load, NAMES))


def port(name: str, settings: Settings) -> int:
    """The port that a service listens on."""
    return settings.ports.get(name, _PORTS[name])


def address(name: str, settings: Settings) -> str:
    """Where a service is found."""
    return settings.addresses.get(name) or f"127.0.0.1:{port(name, settings)}"
