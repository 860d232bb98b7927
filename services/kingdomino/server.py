"""The Kingdomino service."""

from services import registry
from services.kingdomino.game import GAME
from shared.host.server import serve
from shared.settings import Settings

if __name__ == "__main__":
    settings = Settings()
    serve(GAME, settings, registry.port(GAME.name, settings))
