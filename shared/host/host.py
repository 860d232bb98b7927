"""Matches of one game: every call of the API, without gRPC."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import structlog
from google.protobuf.any_pb2 import Any as AnyMessage

from shared import tracing
from shared.clock import Clock
from shared.eventlog.store import Append, CommandIdReused, Conflict, EventLog, Unsubscribe, Written
from shared.game import AnyGame
from shared.host import errors
from shared.host.live import LiveMatch, LiveMatches
from shared.host.pulse import Pulse
from shared.host.reader import LogReader
from shared.host.work import work_of
from shared.kernel import Refusal, Viewer
from shared.match import timing
from shared.match.ids import is_match_id
from shared.match.lifecycle import Lifecycle
from shared.match.model import Decided, Match, SeatState, Stamp, Status, Terms
from shared.match.wire import Wire
from shared.metrics import GameMetrics
from shared.replay import Replay

log = structlog.get_logger(__name__)


_LOOK_AGAIN_SECONDS = 0.5

# What the log remembers the creation of a match by.
CREATE = "platform create"

Decide: TypeAlias = Callable[[Match, Stamp], Decided | Refusal]
Stop: TypeAlias = Callable[[], None]


class Command(NamedTuple):
    """A decision to be made about a match, under an id that makes it safe to repeat.

    Ids are told apart by whose they are: nobody can use up the id of another's command.
    """

    owner: str
    id: str
    digest: bytes
    decide: Decide
    expected_version: int | None = None
    request_id: str = ""

    @property
    def key(self) -> str:
        """What the log remembers the command by."""
        # An owner may have any name, but an id has no space.
        return f"{self.owner} {self.id}"


class Accepted(NamedTuple):
    """The command's events are in the log, from `first` to `version`, where the log has the hash `head`."""

    first: int
    version: int
    head: bytes


def digest_of(*parts: object) -> bytes:
    """Tells commands with the same id apart."""
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest().encode()


class Host:
    """The matches of one game on one log. Any number of hosts may serve the same matches."""

    def __init__(
        self, game: AnyGame, event_log: EventLog, clock: Clock, most_live: int, most_watchers: int = 10_000
    ) -> None:
        self.game = game
        self.wire = Wire(game)
        self.lifecycle = Lifecycle(game, self.wire)
        self.reader = LogReader(event_log, Replay(game, self.wire))
        self.metrics = GameMetrics(game.name)
        self.live = LiveMatches(most_live, self.reader.load, self.metrics)
        self.log = event_log
        self._clock = clock
        self.pulse = Pulse()
        self._most_watchers = most_watchers
        self._catching_up: set[asyncio.Task[None]] = set()
        self.is_stopping = False
        # Of the streams that are open: each wakes up one that waits for news.
        self.wakers: set[Callable[[], None]] = set()

    # Commands

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
        written = await self._append(0, decided, CREATE, digest, request_id)
        if isinstance(written, CommandIdReused | Conflict):
            raise errors.reused_command_id()
        if written.is_repeated:
            return await self._accepted_before(match_id, written)
        self.live.add(decided.match)
        self.metrics.accepted.inc()
        return Accepted(written.first, written.version, decided.match.head)

    async def execute(self, live: LiveMatch, command: Command) -> Accepted:
        """Decides, appends, and answers when the events are durable. A lost race is decided again on the new tail."""
        async with _Holding(self, live):
            while True:
                decided = self._decide(live.match, command)
                if isinstance(decided, Decided):
                    accepted = await self._try_to_append(live, command, decided)
                else:
                    accepted = await self._try_to_refuse(live, command, decided)
                if accepted is not None:
                    return accepted

    def _decide(self, match: Match, command: Command) -> Decided | errors.Refused:
        expected = command.expected_version
        if expected is not None and expected != match.version:
            return errors.stale(expected, match.version)
        now = self._clock.now_micros()
        away = self.pulse.away(match.time_micros, now)
        try:
            decided = command.decide(match, Stamp(command.id, now, away))
        except errors.Refused as refused:
            return refused
        return decided if isinstance(decided, Decided) else errors.broken_rule(decided)

    async def _try_to_append(self, live: LiveMatch, command: Command, decided: Decided) -> Accepted | None:
        """None if somebody else has appended meanwhile: then the match is up to date now."""
        match = live.match
        answer = await self._append(match.version, decided, command.key, command.digest, command.request_id)
        if isinstance(answer, CommandIdReused):
            raise errors.reused_command_id()
        if isinstance(answer, Written):
            if answer.is_repeated:
                return await self._accepted_before(match.id, answer)
            live.advance(decided.match, decided.envelopes)
            self.metrics.accepted.inc()
            return Accepted(answer.first, answer.version, decided.match.head)
        if not await self.reader.catch_up(live):
            # The log stands behind what it once acknowledged: only its own word counts from here.
            log.error("log_went_back", match=match.id, known=match.version, found=answer.version)
            self.live.forget(match.id)
            raise errors.unavailable("the match is being loaded again")
        return None

    async def _try_to_refuse(self, live: LiveMatch, command: Command, refused: errors.Refused) -> Accepted | None:
        """A no must be true of the newest version (None if it was not); a repeated command gets its first answer."""
        known = await self.log.find(live.match.id, command.key, command.digest)
        if isinstance(known, CommandIdReused):
            raise errors.reused_command_id()
        if known is not None:
            return await self._accepted_before(live.match.id, known)
        if not await self.reader.catch_up(live):
            raise refused
        return None

    async def _accepted_before(self, match_id: str, written: Written) -> Accepted:
        self.metrics.repeated.inc()
        return Accepted(written.first, written.version, await self.reader.hash_at(match_id, written.version))

    async def _append(
        self, expected: int, decided: Decided, command_key: str, digest: bytes, request_id: str
    ) -> Written | Conflict | CommandIdReused:
        match = decided.match
        with tracing.span("append", self.game.name, match.id, match.version):
            return await self.log.append(
                Append(
                    match.id,
                    expected,
                    decided.records,
                    command_key,
                    digest,
                    match.status,
                    work_of(self.game, match, request_id),
                    timing.due(match),
                    match.terms.organiser_id,
                )
            )

    def stop(self) -> None:
        """Asks open streams to end; calls under way go on to their answer."""
        self.is_stopping = True
        for wake in tuple(self.wakers):
            wake()

    # Reading

    def now(self) -> int:
        """The platform's time in microseconds."""
        return self._clock.now_micros()

    async def fresh(self, match_id: str) -> LiveMatch:
        """The match as it is now, whoever has appended to it."""
        live = await self.get(match_id)
        async with _Holding(self, live):
            await self.reader.catch_up(live)
        return live

    async def get(self, match_id: str) -> LiveMatch:
        """The match as this process knows it: perhaps behind, which an append finds out."""
        if not is_match_id(match_id):
            raise errors.unknown_match(match_id)
        return await self.live.get(match_id)

    async def list_matches(self, status: Status | None, before: str, limit: int) -> list[Match]:
        """Matches, newest first."""
        ids = await self.log.list_ids(status, before, limit)
        lives = await asyncio.gather(*map(self.fresh, ids))
        return [live.match for live in lives]

    def packed_view(self, match: Match, viewer: Viewer) -> AnyMessage:
        """The game's view message for a viewer."""
        packed = AnyMessage()
        packed.Pack(self.game.codec.encode_view(self.game.view(match.state, viewer)))
        return packed

    # Following

    async def follow(self, match_id: str, changed: Callable[[], None]) -> tuple[LiveMatch, Stop]:
        """Calls `changed` whenever the match has moved on, here or in another process, from this call on."""
        live = await self.get(match_id)
        if live.followers is None:
            live.followers = []
        if len(live.followers) >= self._most_watchers:
            raise errors.too_much("watchers", f"One match has at most {self._most_watchers} watchers here.")
        live.followers.append(changed)
        self.metrics.watchers.inc()
        try:
            if live.subscription is None:
                subscribe = self.log.subscribe(match_id, lambda new: self._noticed(live, new))
                live.subscription = asyncio.ensure_future(subscribe)
            # Not under the lock: a log that is away must not hold up commands.
            await asyncio.shield(live.subscription)
            async with _Holding(self, live):
                await self.reader.catch_up(live)
        except BaseException:
            self._unfollow(live, changed)
            raise
        return live, lambda: self._unfollow(live, changed)

    def _unfollow(self, live: LiveMatch, changed: Callable[[], None]) -> None:
        self.metrics.watchers.dec()
        if live.followers is not None:
            live.followers.remove(changed)
        subscription = live.subscription
        if live.followers and subscription is not None and not _has_failed(subscription):
            return
        live.subscription = None
        if not live.followers:
            live.followers = live.recent = None
        if subscription is not None and not subscription.cancel() and not _has_failed(subscription):
            subscription.result()()

    def _noticed(self, live: LiveMatch, version: int | None) -> None:
        live.noticed = live.match.version + 1 if version is None else max(version, live.noticed)
        # Whoever holds the lock is writing this very version, or looks again when it is done.
        if live.noticed > live.match.version and not live.lock.locked():
            self.catch_up_soon(live)

    def catch_up_soon(self, live: LiveMatch) -> None:
        """Looks for what another process has written, in the background."""
        task = asyncio.create_task(self._catch_up_noticed(live))
        self._catching_up.add(task)
        task.add_done_callback(self._catching_up.discard)

    async def _catch_up_noticed(self, live: LiveMatch) -> None:
        """Until it is done, as long as anybody follows: the news may be the last of the match."""
        while True:
            try:
                async with _Holding(self, live):
                    # What is noticed from here on is newer than what will be read.
                    live.noticed = 0
                    await self.reader.catch_up(live)
                return
            except Exception:
                log.exception("catch_up_failed", match=live.match.id)
            if not live.followers:
                return
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)


def _has_failed(subscription: "asyncio.Future[Unsubscribe]") -> bool:
    return subscription.done() and (subscription.cancelled() or subscription.exception() is not None)


class _Holding:
    """The lock of a match; what was noticed while it was held is looked for when it is let go."""

    __slots__ = ("_host", "_live")

    def __init__(self, host: Host, live: LiveMatch) -> None:
        self._host = host
        self._live = live

    async def __aenter__(self) -> None:
        await self._live.lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._live.lock.release()
        if self._live.noticed > self._live.match.version:
            self._host.catch_up_soon(self._live)
