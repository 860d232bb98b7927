"""The service of a game."""

from shared.clock import SystemClock
from shared.eventlog.store import EventLog
from shared.game import AnyGame
from shared.host import process, rpc
from shared.host.access import Access
from shared.host.host import Host
from shared.host.limits import Limits
from shared.host.process import Keys, Service
from shared.host.servicer import MatchServicer
from shared.settings import Settings


def serve(game: AnyGame, settings: Settings, port: int) -> None:
    """Runs the service of a game until it is told to stop."""

    def build(event_log: EventLog, settings: Settings, keys: Keys) -> Service:
        host = Host(game, event_log, SystemClock(), settings.live_matches, settings.match_watchers)
        limits = Limits(settings.open_matches, settings.connection_streams)
        servicer = MatchServicer(host, Access(keys.tokens), keys.signing, limits, settings.token_seconds)
        handlers = rpc.handlers(servicer, rpc.MATCH_SERVICE, game.name)
        return Service(host, handlers, rpc.SERVICE, rpc.MOST_REQUEST_BYTES, rpc.MOST_BYTES)

    process.run(game.name, build, settings, port)
