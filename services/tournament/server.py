"""The tournament service."""

from pathlib import Path

from meydan.tournament.v1 import tournament_service_pb2
from services import registry
from services.tournament.gate import Gate
from services.tournament.host import TournamentHost
from services.tournament.servicer import TournamentServicer
from services.tournament.wire import NAME
from shared.clock import SystemClock
from shared.eventlog.store import EventLog
from shared.host import process, rpc
from shared.host.access import Access
from shared.host.limits import Limits
from shared.host.process import Keys, Service
from shared.proof import published
from shared.proof.keys import BadKey, PublicKey
from shared.settings import Settings

SERVICE = tournament_service_pb2.DESCRIPTOR.services_by_name["TournamentService"]

# A round of the largest tournament is one message.
MOST_BYTES = 32 << 20


def build(event_log: EventLog, settings: Settings, keys: Keys) -> Service:
    """The service on its log."""
    # A plan holds the options of its game.
    registry.load_all()
    host = TournamentHost(event_log, SystemClock(), settings.live_matches, settings.match_watchers)
    limits = Limits(settings.open_matches, settings.connection_streams)
    gate = Gate(Access(keys.tokens))
    servicer = TournamentServicer(
        host, gate, keys.signing, limits, settings.token_seconds, _import_keys(settings.import_keys)
    )
    return Service(host, rpc.handlers(servicer, SERVICE, NAME), SERVICE.full_name, MOST_BYTES, MOST_BYTES)


def _import_keys(file: Path | None) -> dict[str, PublicKey]:
    try:
        return {} if file is None else published.read(file)
    except BadKey as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    settings = Settings()
    process.run(NAME, build, settings, registry.port(NAME, settings))
