"""Logs of one kind, such as the matches of a game, kept up to date in memory: commands, reading, following.

What a log folds to is kept at hand, perhaps behind what other processes have appended; an append finds that out.
"""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import structlog

from shared import tracing
from shared.clock import Clock
from shared.eventlog.store import Append, CommandIdReused, Conflict, EventLog, Unsubscribe, Work, Written
from shared.host import errors
from shared.host.live import Live, LiveLogs
from shared.host.pulse import Pulse
from shared.host.reader import Folder, LogReader
from shared.kernel import Refusal
from shared.match.ids import is_match_id
from shared.match.model import Decided, Logged, Stamp, Status
from shared.metrics import GameMetrics

log = structlog.get_logger(__name__)

T = TypeVar("T", bound=Logged)

_LOOK_AGAIN_SECONDS = 0.5

# What the log remembers its creation by.
CREATE = "platform create"

Decide: TypeAlias = Callable[[T, Stamp], Decided[T] | Refusal]
Stop: TypeAlias = Callable[[], None]


class Command(NamedTuple, Generic[T]):
    """A decision to be made, under an id that makes it safe to repeat.

    Ids are told apart by whose they are: nobody can use up the id of another's command.
    """

    owner: str
    id: str
    digest: bytes
    decide: Decide[T]
    expected_version: int | None = None
    request_id: str = ""
    # Deciding it takes so long that it must not stop all others.
    is_long: bool = False

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


class Aftermath(NamedTuple):
    """What goes into the indexes and the outbox with an append; work of None leaves there what waits already."""

    status: Status
    work: tuple[Work, ...] | None
    due: int
    organiser: str


def digest_of(*parts: object) -> bytes:
    """Tells commands with the same id apart."""
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest().encode()


class Keeper(ABC, Generic[T]):
    """The logs of one kind on one store. Any number of keepers may serve the same logs."""

    def __init__(
        self, name: str, folder: Folder[T], event_log: EventLog, clock: Clock, most_live: int, most_watchers: int
    ) -> None:
        self.name = name
        self.reader = LogReader(event_log, folder)
        self.metrics = GameMetrics(name)
        self.live = LiveLogs(most_live, self.reader.load, self.metrics)
        self.log = event_log
        self._clock = clock
        self.pulse = Pulse()
        self._most_watchers = most_watchers
        self._catching_up: set[asyncio.Task[None]] = set()
        self.is_stopping = False
        # Of the streams that are open: each wakes up one that waits for news.
        self.wakers: set[Callable[[], None]] = set()

    @abstractmethod
    def aftermath(self, before: T | None, after: T, request_id: str) -> Aftermath:
        """What an append that leads from one to the other brings with it."""

    @abstractmethod
    def expire(self, folded: T, stamp: Stamp) -> Decided[T] | Refusal:
        """Decides what becomes of a log that is due."""

    def expired(self, before: T, after: T) -> None:
        """What was due has been done."""

    # Commands

    async def begin(self, decided: Decided[T], *, digest: bytes, request_id: str) -> Accepted:
        """Makes a log, unless it was made before by the same call."""
        written = await self._append(None, decided, CREATE, digest, request_id)
        if isinstance(written, CommandIdReused | Conflict):
            raise errors.reused_command_id()
        if written.is_repeated:
            return await self._accepted_before(decided.after.id, written)
        self.live.add(decided.after)
        self.metrics.accepted.inc()
        return Accepted(written.first, written.version, decided.after.head)

    async def execute(self, live: Live[T], command: Command[T]) -> Accepted:
        """Decides, appends, and answers when the events are durable. A lost race is decided again on the new tail."""
        async with _Holding(self, live):
            while True:
                if command.is_long:
                    # Who else wants to change the same log waits; everybody else goes on.
                    decided = await asyncio.to_thread(self._decide, live.folded, command)
                else:
                    decided = self._decide(live.folded, command)
                if isinstance(decided, Decided):
                    accepted = await self._try_to_append(live, command, decided)
                else:
                    accepted = await self._try_to_refuse(live, command, decided)
                if accepted is not None:
                    return accepted

    def _decide(self, folded: T, command: Command[T]) -> Decided[T] | errors.Refused:
        expected = command.expected_version
        if expected is not None and expected != folded.version:
            return errors.stale(expected, folded.version)
        now = self._clock.now_micros()
        away = self.pulse.away(folded.time_micros, now)
        try:
            decided = command.decide(folded, Stamp(command.id, now, away))
        except errors.Refused as refused:
            return refused
        return decided if isinstance(decided, Decided) else errors.broken_rule(decided)

    async def _try_to_append(self, live: Live[T], command: Command[T], decided: Decided[T]) -> Accepted | None:
        """None if somebody else has appended meanwhile: then what is kept is up to date now."""
        before = live.folded
        answer = await self._append(before, decided, command.key, command.digest, command.request_id)
        if isinstance(answer, CommandIdReused):
            raise errors.reused_command_id()
        if isinstance(answer, Written):
            if answer.is_repeated:
                return await self._accepted_before(before.id, answer)
            live.advance(decided.after, decided.envelopes)
            self.metrics.accepted.inc()
            return Accepted(answer.first, answer.version, decided.after.head)
        if not await self.reader.catch_up(live):
            # The log stands behind what it once acknowledged: only its own word counts from here.
            log.error("log_went_back", match=before.id, known=before.version, found=answer.version)
            self.live.forget(before.id)
            raise errors.unavailable("it is being loaded again")
        return None

    async def _try_to_refuse(self, live: Live[T], command: Command[T], refused: errors.Refused) -> Accepted | None:
        """A no must be true of the newest version (None if it was not); a repeated command gets its first answer."""
        known = await self.log.find(live.folded.id, command.key, command.digest)
        if isinstance(known, CommandIdReused):
            raise errors.reused_command_id()
        if known is not None:
            return await self._accepted_before(live.folded.id, known)
        if not await self.reader.catch_up(live):
            raise refused
        return None

    async def _accepted_before(self, log_id: str, written: Written) -> Accepted:
        self.metrics.repeated.inc()
        return Accepted(written.first, written.version, await self.reader.hash_at(log_id, written.version))

    async def _append(
        self, before: T | None, decided: Decided[T], command_key: str, digest: bytes, request_id: str
    ) -> Written | Conflict | CommandIdReused:
        after = decided.after
        with tracing.span("append", self.name, after.id, after.version):
            status, work, due, organiser = self.aftermath(before, after, request_id)
            expected = 0 if before is None else before.version
            return await self.log.append(
                Append(after.id, expected, decided.records, command_key, digest, status, work, due, organiser)
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

    async def fresh(self, log_id: str) -> Live[T]:
        """What a log folds to now, whoever has appended to it."""
        live = await self.get(log_id)
        async with _Holding(self, live):
            await self.reader.catch_up(live)
        return live

    async def get(self, log_id: str) -> Live[T]:
        """What a log folds to as this process knows it: perhaps behind, which an append finds out."""
        if not is_match_id(log_id):
            raise self.reader.unknown(log_id)
        return await self.live.get(log_id)

    # Following

    async def follow(self, log_id: str, changed: Callable[[], None]) -> tuple[Live[T], Stop]:
        """Calls `changed` whenever the log has moved on, here or in another process, from this call on."""
        live = await self.get(log_id)
        if live.followers is None:
            live.followers = []
        if len(live.followers) >= self._most_watchers:
            raise errors.too_much("watchers", f"One log has at most {self._most_watchers} watchers here.")
        live.followers.append(changed)
        self.metrics.watchers.inc()
        try:
            if live.subscription is None:
                subscribe = self.log.subscribe(log_id, lambda new: self._noticed(live, new))
                live.subscription = asyncio.ensure_future(subscribe)
            # Not under the lock: a log that is away must not hold up commands.
            await asyncio.shield(live.subscription)
            async with _Holding(self, live):
                await self.reader.catch_up(live)
        except BaseException:
            self._unfollow(live, changed)
            raise
        return live, lambda: self._unfollow(live, changed)

    def _unfollow(self, live: Live[T], changed: Callable[[], None]) -> None:
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

    def _noticed(self, live: Live[T], version: int | None) -> None:
        live.noticed = live.folded.version + 1 if version is None else max(version, live.noticed)
        # Whoever holds the lock is writing this very version, or looks again when it is done.
        if live.noticed > live.folded.version and not live.lock.locked():
            self.catch_up_soon(live)

    def catch_up_soon(self, live: Live[T]) -> None:
        """Looks for what another process has written, in the background."""
        task = asyncio.create_task(self._catch_up_noticed(live))
        self._catching_up.add(task)
        task.add_done_callback(self._catching_up.discard)

    async def _catch_up_noticed(self, live: Live[T]) -> None:
        """Until it is done, as long as anybody follows: the news may be the last of the log."""
        while True:
            try:
                async with _Holding(self, live):
                    # What is noticed from here on is newer than what will be read.
                    live.noticed = 0
                    await self.reader.catch_up(live)
                return
            except Exception:
                log.exception("catch_up_failed", match=live.folded.id)
            if not live.followers:
                return
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)


def _has_failed(subscription: "asyncio.Future[Unsubscribe]") -> bool:
    return subscription.done() and (subscription.cancelled() or subscription.exception() is not None)


class _Holding(Generic[T]):
    """The lock of a log; what was noticed while it was held is looked for when it is let go."""

    __slots__ = ("_keeper", "_live")

    def __init__(self, keeper: Keeper[T], live: Live[T]) -> None:
        self._keeper = keeper
        self._live = live

    async def __aenter__(self) -> None:
        await self._live.lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._live.lock.release()
        if self._live.noticed > self._live.folded.version:
            self._keeper.catch_up_soon(self._live)
