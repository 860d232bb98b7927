"""Matches of one game: every call of the API, without gRPC."""

import asyncio
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage

from shared import metrics
from shared.clock import Clock
from shared.eventlog.store import EventLog
from shared.game import AnyGame
from shared.host.keeper import Accepted, Aftermath, Keeper
from shared.host.work import work_of
from shared.kernel import Refusal, Viewer
from shared.match import timing
from shared.match.lifecycle import Lifecycle
from shared.match.model import Decided, Match, SeatState, Stamp, Status, Terms
from shared.match.wire import Wire
from shared.replay import Replay


class Host(Keeper[Match]):
    """The matches of one game on one log. Any number of hosts may serve the same matches."""

    def __init__(
        self, game: AnyGame, event_log: EventLog, clock: Clock, most_live: int, most_watchers: int = 10_000
    ) -> None:
        self.game = game
        self.wire = Wire(game)
        self.lifecycle = Lifecycle(game, self.wire)
        super().__init__(game.name, Replay(game, self.wire), event_log, clock, most_live, most_watchers)

    def aftermath(self, before: Match | None, after: Match, request_id: str) -> Aftermath:  # noqa: ARG002
        """A match's work is that of its newest version alone."""
        work = work_of(self.game, after, request_id)
        return Aftermath(after.status, work, timing.due(after), after.terms.organiser_id)

    def expire(self, folded: Match, stamp: Stamp) -> Decided[Match] | Refusal:
        """Turns, and seats that nobody has taken, whose time is up."""
        return self.lifecycle.expire(folded, stamp)

    def expired(self, before: Match, after: Match) -> None:
        """Counts the seats that went out."""
        reason = "no_show" if before.status is Status.WAITING else "time_up"
        metrics.CLOCK_EXPIRIES.labels(self.name, reason).inc(len(after.out) - len(before.out))

    async def create(
        self,
        match_id: str,
        options: Any,
        seats: tuple[SeatState, ...],
        terms: Terms,
        *,
        seed: bytes,
        digest: bytes,
        request_id: str,
    ) -> Accepted:
        """Makes a match, unless it was made before by the same call."""
        decided = self.lifecycle.create(match_id, options, seats, terms, seed, Stamp("create", self.now()))
        return await self.begin(decided, digest=digest, request_id=request_id)

    async def list_matches(self, status: Status | None, before: str, limit: int) -> list[Match]:
        """Matches, newest first."""
        ids = await self.log.list_ids(status, before, limit)
        lives = await asyncio.gather(*map(self.fresh, ids))
        return [live.folded for live in lives]

    def packed_view(self, match: Match, viewer: Viewer) -> AnyMessage:
        """The game's view message for a viewer."""
        packed = AnyMessage()
        packed.Pack(self.game.codec.encode_view(self.game.view(match.state, viewer)))
        return packed
