"""The tournaments of the platform on one log."""

from typing import NamedTuple

from meydan.work.v1 import work_pb2
from services.tournament import lifecycle, rounds
from services.tournament.fold import TournamentFold
from services.tournament.lifecycle import Lifecycle
from services.tournament.model import System
from services.tournament.state import Tournament
from services.tournament.wire import NAME
from shared import tracing
from shared.clock import Clock
from shared.eventlog.store import PAIR_ROUND, START_MATCHES, EventLog, Work
from shared.host.keeper import Aftermath, Keeper
from shared.kernel import Refusal
from shared.match.model import Decided, Stamp, Status


class Need(NamedTuple):
    """What must happen next. `stand` tells an arena's needs apart: whatever happens may change who is free."""

    kind: str
    round: int
    stand: int = 0


def needs(tournament: Tournament) -> tuple[Need, ...]:
    """What workers must do for a tournament as it stands."""
    if tournament.status is not Status.PLAYING or tournament.is_paused:
        return ()
    waiting = [Need(START_MATCHES, pairing.number) for pairing in tournament.rounds if pairing.waiting_tables]
    if rounds.is_due(tournament):
        stand = tournament.version if tournament.plan.system is System.ARENA else 0
        waiting.append(Need(PAIR_ROUND, len(tournament.rounds) + 1, stand))
    return tuple(waiting)


class TournamentHost(Keeper[Tournament]):
    """Any number of hosts may serve the same tournaments."""

    def __init__(self, event_log: EventLog, clock: Clock, most_live: int, most_watchers: int = 10_000) -> None:
        self.lifecycle = Lifecycle()
        super().__init__(NAME, TournamentFold(), event_log, clock, most_live, most_watchers)

    def aftermath(self, before: Tournament | None, after: Tournament, request_id: str) -> Aftermath:
        """Work that goes on waiting is not handed out again."""
        wanted = needs(after)
        is_same = before is not None and needs(before) == wanted
        work = None if is_same else tuple([_work(after, need, request_id) for need in wanted])
        return Aftermath(after.status, work, lifecycle.due(after), after.organiser_id)

    def expire(self, folded: Tournament, stamp: Stamp) -> Decided[Tournament] | Refusal:
        """An arena closes."""
        return self.lifecycle.expire(folded, stamp)


def _work(tournament: Tournament, need: Need, request_id: str) -> Work:
    message = work_pb2.TournamentRound(
        tournament_id=tournament.id,
        version=tournament.version,
        round=need.round,
        request_id=request_id,
        traceparent=tracing.traceparent(),
    )
    return Work(need.kind, message.SerializeToString())
