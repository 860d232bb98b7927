"""Group commit: appends that arrive while a round trip is under way share the next one, and its fsync."""

import asyncio
import time
from pathlib import Path

import hiredis
import structlog

from shared import metrics
from shared.eventlog.pipe import Command, Pipe
from shared.eventlog.store import LogUnavailable

log = structlog.get_logger(__name__)

_FUNCTION = (Path(__file__).parent / "append.lua").read_text()
_APPEND = "meydan_append"
_MOST_AT_ONCE = 512
_PAUSE = 0.05
_TURNS_TO_JOIN = 3


class GroupCommit:
    """Sends commands over one connection, as many at a time as are waiting.

    A lost connection is opened again and what was under way is sent again: the commands must be safe to repeat. What
    has not been answered after `patience` seconds fails with LogUnavailable.
    """

    def __init__(self, url: str, patience: float) -> None:
        self._url = url
        self._patience = patience
        self._waiting: list[_Request] = []
        self._news = asyncio.Event()
        self._pipe: Pipe | None = None
        self._is_closing = False
        self._task = asyncio.create_task(self._supervise(), name="group-commit")

    async def call(self, command: Command) -> object:
        """The reply to a command; what the server refuses (it is full, say) raises LogUnavailable."""
        if self._is_closing:
            raise LogUnavailable("the log is closing")
        request = _Request(command, asyncio.get_running_loop().create_future(), time.monotonic() + self._patience)
        self._waiting.append(request)
        self._news.set()
        reply = await request.answer
        if isinstance(reply, LogUnavailable):
            raise reply
        if isinstance(reply, Exception):
            log.error("log_refuses", error=str(reply))
            raise LogUnavailable(str(reply)) from reply
        return reply

    async def close(self) -> None:
        """Finishes what was accepted, then closes the connection."""
        self._is_closing = True
        self._news.set()
        await self._task

    async def _supervise(self) -> None:
        """Keeps the sender alive whatever happens to it: an error fails those who wait, not those who come."""
        while True:
            try:
                return await self._run()
            except asyncio.CancelledError:
                self._fail(self._waiting, "the log was stopped")
                raise
            except Exception:
                log.exception("group_commit_failed", waiting=len(self._waiting))
                failed, self._waiting = self._waiting, []
                self._fail(failed, "the log failed")
                self._disconnect()

    async def _run(self) -> None:
        while self._waiting or not self._is_closing:
            if not self._waiting:
                self._news.clear()
                await self._news.wait()
                continue
            await self._round()
        self._disconnect()

    async def _round(self) -> None:
        # Whoever is ready in the next turns of the event loop comes along: the larger the group, the less a move costs.
        for _ in range(_TURNS_TO_JOIN):
            await asyncio.sleep(0)
        # Who has gone away meanwhile is not waiting any more, but what was asked is still sent: it was accepted.
        batch = self._waiting[:_MOST_AT_ONCE]
        replies = await self._exchange([request.command for request in batch])
        if replies is None:
            return
        del self._waiting[: len(batch)]
        self._count(batch)
        for request, reply in zip(batch, replies, strict=True):
            request.settle(reply)

    def _count(self, batch: "list[_Request]") -> None:
        """Of what shares the round trip, appends alone are counted."""
        appends = [request for request in batch if request.command[1] == _APPEND]
        if appends:
            metrics.APPEND_GROUP_SIZE.observe(len(appends))
            metrics.APPEND_SECONDS.observe(time.monotonic() - appends[0].deadline + self._patience)

    async def _exchange(self, commands: list[Command]) -> list[object] | None:
        """The replies, or None if the connection was lost and must be tried again."""
        try:
            async with asyncio.timeout(self._patience):
                if self._pipe is None:
                    self._pipe = await self._connect()
                replies = await self._pipe.batch(commands)
        except (OSError, TimeoutError, hiredis.ProtocolError, hiredis.ReplyError) as error:
            await self._after_failure(error)
            return None
        if any(map(_is_not_ready, replies)):
            await self._after_failure(next(reply for reply in replies if _is_not_ready(reply)))
            return None
        return replies

    async def _connect(self) -> Pipe:
        pipe = await Pipe.open(self._url)
        (reply,) = await pipe.batch([("FUNCTION", "LOAD", "REPLACE", _FUNCTION)])
        if isinstance(reply, Exception):
            pipe.close()
            raise reply
        return pipe

    async def _after_failure(self, error: object) -> None:
        log.warning("log_connection_lost", error=str(error), waiting=len(self._waiting))
        self._disconnect()
        now = time.monotonic()
        overdue = [request for request in self._waiting if request.deadline <= now]
        self._waiting = [request for request in self._waiting if request.deadline > now]
        self._fail(overdue, f"the log does not answer: {error}")
        await asyncio.sleep(_PAUSE)

    def _disconnect(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    @staticmethod
    def _fail(requests: "list[_Request]", why: str) -> None:
        for request in requests:
            request.settle(LogUnavailable(why))


class _Request:
    """A command that waits for its reply."""

    __slots__ = ("answer", "command", "deadline")

    def __init__(self, command: Command, answer: "asyncio.Future[object]", deadline: float) -> None:
        self.command = command
        self.answer = answer
        self.deadline = deadline

    def settle(self, reply: object) -> None:
        """Gives the reply to the caller, unless the caller has been cancelled meanwhile."""
        if not self.answer.done():
            self.answer.set_result(reply)


def _is_not_ready(reply: object) -> bool:
    """An answer of a server that is starting, read-only or has lost its functions: worth another try."""
    words = ("LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "ERR Function not found")
    return isinstance(reply, hiredis.ReplyError) and str(reply).startswith(words)
