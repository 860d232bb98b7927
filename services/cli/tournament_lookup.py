"""Which tournament, and which of its entrants: what the arguments of a command stand for."""

import jwt

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services import registry
from services.cli import identity, lookup
from services.cli.failures import Wrong
from services.cli.tournament_client import TournamentClient
from services.tournament.wire import WIRE
from shared.envelope import Envelope
from shared.match.ids import is_match_id


def client_of(address: str | None = None, token: str | None = None) -> TournamentClient:
    """A client of the tournament service, where and as whom the settings say, unless address or token are given."""
    read = lookup.settings()
    at = address or registry.address(registry.TOURNAMENT, read)
    return TournamentClient(at, read, token or identity.own_token(read))


def own_subject() -> str:
    """Who the caller's token says that the caller is; the service does not take its word for it."""
    try:
        claims = jwt.decode(identity.own_token(lookup.settings()), options={"verify_signature": False})
    except jwt.PyJWTError:
        raise Wrong("MEYDAN_TOKEN is not a token.") from None
    return str(claims.get("sub", ""))


def is_id(word: str) -> bool:
    """Ids are of the form that those of matches have."""
    return is_match_id(word)


def tournament_id(word: str) -> str:
    """An id, if it is one."""
    if not is_id(word):
        raise Wrong(f"{word!r} is not the id of a tournament, which has 26 digits and capital letters.")
    return word


def entrant(client: TournamentClient, tournament: str, word: str) -> int:
    """The number of an entrant who is named by number, or by name."""
    if word.isascii() and word.isdigit():
        return int(word)
    found = [number for number, name in names(client, tournament).items() if name == word]
    if not found:
        raise Wrong(f"Nobody is called {word!r} in this tournament; `standings` and `show` list who takes part.")
    if len(found) > 1:
        raise Wrong(f"{len(found)} entrants are called {word!r}: name one by number, {', '.join(map(str, found))}.")
    return found[0]


def names(client: TournamentClient, tournament: str) -> dict[int, str]:
    """Everybody who takes part, by number."""
    if client.look(tournament).status == api.TOURNAMENT_STATUS_REGISTERING:
        return {number: one.name for number, one in registered(client.history(tournament)).items()}
    return {row.number: row.name for row in client.standings(tournament).rows}


def registered(envelopes: list[Envelope]) -> dict[int, pb.Entrant]:
    """Everybody who has registered, from the log."""
    events = map(WIRE.public, envelopes)
    return {event.number: event.entrant for event in events if isinstance(event, pb.EntrantRegistered)}
