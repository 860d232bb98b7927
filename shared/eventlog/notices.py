"""News of appends, for everything that is watched in this process, over one connection.

Each watched log is a channel on which the append function publishes the new version. Published news can be lost with a
connection; so after each reconnection everybody is told to look again. Nothing polls.
"""

import asyncio

import hiredis
import structlog

from shared.eventlog.pipe import Command, Pipe
from shared.eventlog.store import Changed, Unsubscribe

log = structlog.get_logger(__name__)

_PAUSE = 0.1
_SILENCE = 10.0


class Notices:
    """The channels that this process listens to."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._listeners: dict[bytes, list[Changed]] = {}
        self._confirmed: dict[bytes, asyncio.Future[None]] = {}
        self._pipe: Pipe | None = None
        self._task: asyncio.Task[None] | None = None

    async def subscribe(self, channel: str, changed: Changed) -> Unsubscribe:
        """Calls `changed` at each notice. Returns once the server has confirmed the channel."""
        name = channel.encode()
        if self._task is None:
            self._task = asyncio.create_task(self._listen(), name="notices")
        self._listeners.setdefault(name, []).append(changed)
        if name not in self._confirmed:
            self._confirmed[name] = asyncio.get_running_loop().create_future()
            self._send(("SUBSCRIBE", name))
        try:
            await asyncio.shield(self._confirmed[name])
        except asyncio.CancelledError:
            self._leave(name, changed)
            raise
        return lambda: self._leave(name, changed)

    async def close(self) -> None:
        """Stops listening."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _leave(self, name: bytes, changed: Changed) -> None:
        listeners = self._listeners[name]
        listeners.remove(changed)
        if not listeners:
            del self._listeners[name]
            del self._confirmed[name]
            self._send(("UNSUBSCRIBE", name))

    def _send(self, command: Command) -> None:
        # Without a connection there is nothing to say: all channels are asked for when it is back.
        if self._pipe is not None:
            self._pipe.send([command])

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except (OSError, TimeoutError, hiredis.ProtocolError, hiredis.ReplyError) as error:
                log.warning("notices_connection_lost", error=str(error), channels=len(self._listeners))
            finally:
                self._disconnect()
            await asyncio.sleep(_PAUSE)

    async def _listen_once(self) -> None:
        pipe = await Pipe.open(self._url)
        channels = tuple(self._listeners)
        if channels:
            pipe.send([("SUBSCRIBE", *channels)])
        self._pipe = pipe
        while True:
            for reply in await self._receive(pipe):
                self._handle(reply)

    async def _receive(self, pipe: Pipe) -> list[object]:
        """What arrives next. A long silence is broken by a ping: a connection may have died without a word."""
        try:
            async with asyncio.timeout(_SILENCE):
                return await pipe.receive()
        except TimeoutError:
            pipe.send([("PING",)])
        async with asyncio.timeout(_SILENCE):
            return await pipe.receive()

    def _handle(self, reply: object) -> None:
        match reply:
            case [b"message", bytes(name), bytes(version)]:
                # Anybody could publish here: what is no version means no more than that there may be news.
                self._tell(name, int(version) if version.isdigit() else None)
            case [b"subscribe", bytes(name), _]:
                confirmed = self._confirmed.get(name)
                if confirmed is not None and not confirmed.done():
                    confirmed.set_result(None)
                else:
                    self._tell(name, None)
            case Exception() as error:
                raise error
            case _:
                # The confirmation of an unsubscription, or the answer to a ping.
                pass

    def _tell(self, name: bytes, version: int | None) -> None:
        for changed in tuple(self._listeners.get(name, ())):
            try:
                changed(version)
            except Exception:
                # One listener's error is nobody else's.
                log.exception("listener_failed", channel=name.decode())

    def _disconnect(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
