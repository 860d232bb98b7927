"""The one list of games. A new game adds a line here."""

from importlib import import_module

from shared.game import AnyGame

_GAMES = {
    "domino": "services.domino.game",
}

NAMES = tuple(_GAMES)


def load(name: str) -> AnyGame:
    """The game of this name; a process imports only the games that it asks for."""
    game: AnyGame = import_module(_GAMES[name]).GAME
    return game
