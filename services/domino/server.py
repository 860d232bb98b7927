"""The Domino service."""

from services.domino.game import GAME
from shared.host.server import serve

if __name__ == "__main__":
    serve(GAME)
