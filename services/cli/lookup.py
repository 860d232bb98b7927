"""Which game, at which address, and whose match: what the arguments of a command stand for."""

from pydantic import ValidationError
from pydantic_settings import SettingsError

from meydan.match.v1 import match_service_pb2 as pb
from services import registry
from services.cli import identity
from services.cli.client import Client
from services.cli.failures import Refused, Unreachable, Wrong
from shared.game import AnyGame
from shared.match.ids import is_match_id
from shared.settings import Settings

_UNKNOWN_MATCH = "UNKNOWN_MATCH"


def settings() -> Settings:
    """The settings of the environment."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"][:1]).upper()
        raise Wrong(f"MEYDAN_{name.removeprefix('MEYDAN_')} is not set right: {first['msg']}.") from None
    except SettingsError as error:
        raise Wrong(f"The settings in the environment are not right: {error}.") from None


def game_named(name: str) -> AnyGame:
    """A game of the registry."""
    if name not in registry.NAMES:
        raise Wrong(f"There is no game {name!r}; the games are {', '.join(registry.NAMES)}.")
    return registry.load(name)


def client_of(game: AnyGame, address: str | None = None, token: str | None = None) -> Client:
    """A client of a game's service, where and as whom the settings say, unless address or token are given."""
    read = settings()
    return Client(game, address or registry.address(game.name, read), read, token or identity.own_token(read))


def match_named(match_id: str, name: str | None, address: str | None) -> tuple[Client, pb.MatchSummary]:
    """The match of this id, and a client of the service that has it: each game's is asked unless one is named."""
    if not is_match_id(match_id):
        raise Wrong(f"{match_id!r} is not the id of a match, which has 26 digits and capital letters.")
    away: Unreachable | None = None
    for game in _candidates(name, address):
        client = client_of(game, address)
        try:
            return client, client.look(match_id).match
        except Unreachable as failure:
            away = failure
        except Refused as refused:
            if refused.reason != _UNKNOWN_MATCH:
                raise
        client.close()
    raise away or Wrong(f"There is no match {match_id}.")


def _candidates(name: str | None, address: str | None) -> list[AnyGame]:
    if name is not None:
        return [game_named(name)]
    games = list(map(registry.load, registry.NAMES))
    if address is None:
        return games
    with Client(games[0], address, settings()) as client:
        return [game_named(client.describe().game)]
