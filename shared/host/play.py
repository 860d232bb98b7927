"""One Play stream: commands of many matches in, answers and events out.

Answers and events that become known while a response is being written share the next one, so that a busy stream costs
less a move than a quiet one. Nothing piles up: of a followed match only the position is kept, and its events are read
when there is room to send them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

import structlog

from meydan.match.v1 import match_service_pb2 as pb
from shared import metrics, tracing
from shared.eventlog.store import LogUnavailable
from shared.host import errors, messages
from shared.host.access import Caller, Sight, sight
from shared.host.keeper import Stop
from shared.host.live import Live
from shared.kernel import Malformed
from shared.match.model import Match

if TYPE_CHECKING:
    from shared.host.servicer import MatchServicer

log = structlog.get_logger(__name__)

# The next request, or None after the last one.
Read: TypeAlias = Callable[[], Awaitable[pb.PlayRequest | None]]
Write: TypeAlias = Callable[[pb.PlayResponse], Awaitable[None]]

_MOST_UNANSWERED = 1024
_MOST_FOLLOWED = 1000
_EVENTS_AT_ONCE = 100
_TURNS_TO_JOIN = 2


class PlayStream:
    """The state of one stream."""

    def __init__(self, servicer: "MatchServicer", read: Read, caller: Caller) -> None:
        self._servicer = servicer
        self._game = servicer.host.game.name
        self._next_request = read
        self._caller = caller
        self._answers: list[pb.PlayAnswer] = []
        self._followed: dict[str, _Followed] = {}
        self._changed: dict[str, _Followed] = {}
        self._news = asyncio.Event()
        self._working: set[asyncio.Task[None]] = set()
        self._room = asyncio.Event()
        self._has_ended = False
        self._is_closed = False

    async def run(self, write: Write) -> None:
        """Answers until the client has said its last and all of it is answered."""
        host = self._servicer.host
        host.wakers.add(self._news.set)
        reading = asyncio.create_task(self._read())
        try:
            while not (self._has_ended and not self._working and not self._answers):
                await self._news.wait()
                # What becomes known in the next turns of the event loop shares the response.
                for _ in range(_TURNS_TO_JOIN):
                    await asyncio.sleep(0)
                self._news.clear()
                if host.is_stopping:
                    reading.cancel()
                response = await self._response()
                if response is not None:
                    await write(response)
            if host.is_stopping:
                raise errors.stopping()
            await reading
        finally:
            host.wakers.discard(self._news.set)
            reading.cancel()
            self._is_closed = True
            for followed in self._followed.values():
                followed.stop()

    async def _read(self) -> None:
        try:
            while (request := await self._next_request()) is not None:
                while len(self._working) + len(self._answers) >= _MOST_UNANSWERED:
                    # A client that does not take its answers is not listened to any more.
                    metrics.LIMITS_HIT.labels("unanswered_requests").inc()
                    self._room.clear()
                    await self._room.wait()
                task = asyncio.create_task(self._handle(request))
                self._working.add(task)
                task.add_done_callback(self._finished)
        finally:
            self._has_ended = True
            self._news.set()

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._working.discard(task)
        self._news.set()
        self._room.set()

    async def _handle(self, request: pb.PlayRequest) -> None:
        match request.WhichOneof("action"):
            case "submit":
                await self._submit(request.submit)
            case "follow":
                await self._follow(request.follow)
            case "unfollow":
                self._unfollow(request.unfollow.match_id)
            case _:
                refused = errors.malformed("action", "A request submits, follows or unfollows.")
                self._refuse("", "", answer_to(refused, self._game, "Play"))

    async def _submit(self, request: pb.SubmitCommandRequest) -> None:
        with tracing.span("SubmitCommand", self._game, request.match_id):
            try:
                accepted = await self._servicer.submit(request, self._caller)
            except Exception as error:  # noqa: BLE001 - every error is an answer
                refused = answer_to(error, self._game, "SubmitCommand")
                self._refuse(request.match_id, request.command_id, refused)
                return
        acknowledgement = self._servicer.acknowledgement(request.match_id, accepted)
        self._answers.append(
            pb.PlayAnswer(match_id=request.match_id, command_id=request.command_id, acknowledgement=acknowledgement)
        )

    async def _follow(self, request: pb.FollowMatch) -> None:
        try:
            version = await self._start_following(request)
        except Exception as error:  # noqa: BLE001 - every error is an answer
            self._refuse(request.match_id, "", answer_to(error, self._game, "Follow"))
            return
        answer = pb.PlayAnswer(match_id=request.match_id)
        answer.acknowledgement.first_version = min(request.after_version, version) + 1
        answer.acknowledgement.version = version
        self._answers.append(answer)

    async def _start_following(self, request: pb.FollowMatch) -> int:
        match_id = request.match_id
        claims = self._servicer.access.holder(request.viewer.seat, self._caller)
        self._check_room(match_id)

        def changed() -> None:
            followed = self._followed.get(match_id)
            if followed is not None:
                self._changed[match_id] = followed
                self._news.set()

        live, stop = await self._servicer.host.follow(match_id, changed)
        try:
            self._check_room(match_id)
            seen_by = sight(live.folded, request.viewer, claims)
        except BaseException:
            stop()
            raise
        if self._is_closed:
            stop()
            return live.folded.version
        self._unfollow(match_id)
        self._followed[match_id] = _Followed(live, seen_by, request.after_version, stop)
        changed()
        return live.folded.version

    def _check_room(self, match_id: str) -> None:
        if len(self._followed) >= _MOST_FOLLOWED and match_id not in self._followed:
            raise errors.too_much("followed_matches", f"One stream follows at most {_MOST_FOLLOWED} matches.")

    def _unfollow(self, match_id: str) -> None:
        followed = self._followed.pop(match_id, None)
        self._changed.pop(match_id, None)
        if followed is not None:
            followed.stop()

    def _refuse(self, match_id: str, command_id: str, refused: errors.Refused) -> None:
        self._answers.append(
            pb.PlayAnswer(match_id=match_id, command_id=command_id, refusal=messages.refusal_message(refused))
        )

    async def _response(self) -> pb.PlayResponse | None:
        changed, self._changed = self._changed, {}
        events = [await self._events(match_id, followed) for match_id, followed in changed.items()]
        answers, self._answers = self._answers, []
        self._room.set()
        told = [one for one in events if one is not None]
        return pb.PlayResponse(answers=answers, events=told) if answers or told else None

    async def _events(self, match_id: str, followed: "_Followed") -> pb.MatchEvents | None:
        live = followed.live
        if live.is_lost:
            raise errors.unavailable("a match is being loaded again")
        if followed.after >= live.folded.version:
            return None
        envelopes = await self._servicer.host.reader.page(live, followed.after, _EVENTS_AT_ONCE)
        try:
            self._servicer.access.check_still(live.folded, followed.sight)
        except errors.Refused as refused:
            self._unfollow(match_id)
            self._refuse(match_id, "", answer_to(refused, self._game, "Follow"))
            return None
        if not envelopes:
            return None
        followed.after = envelopes[-1].version
        if followed.after < live.folded.version:
            self._changed[match_id] = followed
            self._news.set()
        viewer = followed.sight.viewer
        return pb.MatchEvents(
            match_id=match_id, envelopes=[messages.envelope_message(envelope, viewer) for envelope in envelopes]
        )


class _Followed:
    """Where a stream is in a match that it follows."""

    __slots__ = ("after", "live", "sight", "stop")

    def __init__(self, live: Live[Match], sight: Sight, after: int, stop: Stop) -> None:
        self.live = live
        self.sight = sight
        self.after = after
        self.stop = stop


def answer_to(error: Exception, game: str, call: str) -> errors.Refused:
    """Any error as the answer to a call: it is counted, and the trace has it."""
    refused = as_refused(error)
    code = refused.code.name.lower()
    metrics.count_refusal(game, call, code, refused.reason)
    tracing.refused(code)
    return refused


def as_refused(error: Exception) -> errors.Refused:
    """Any error as an answer; one that nobody foresaw is logged, and its text is not shown."""
    match error:
        case errors.Refused():
            return error
        case Malformed():
            return errors.from_malformed(error)
        case LogUnavailable():
            # Not its words, which may tell where the log is.
            log.warning("log_unavailable", error=str(error))
            return errors.unavailable("it does not answer")
        case _:
            log.error("unforeseen_error", exc_info=error)
            return errors.unforeseen()
