"""One connection to Redis on which many commands share a round trip.

redis-py is used everywhere else. Here, where every move of every match passes, its pipeline costs 31 us of CPU a
command; hiredis, which it is built on, costs 2.
"""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from typing import TypeAlias

import hiredis
from redis.asyncio.connection import parse_url

Argument: TypeAlias = str | bytes | int
Command: TypeAlias = tuple[Argument, ...]

_READ_SIZE = 1 << 18
# Its stub says that a command is a tuple of one.
_pack: Callable[[Command], bytes] = hiredis.pack_command  # type: ignore[assignment]


class Pipe:
    """An open connection. Use `open` to make one; after any error it is closed and of no further use."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._replies = hiredis.Reader()

    @classmethod
    async def open(cls, url: str) -> "Pipe":
        """Connects to a redis://, rediss:// or unix:// address, with its password and database."""
        parts = parse_url(url)
        if path := parts.get("path"):
            streams = await asyncio.open_unix_connection(path, limit=_READ_SIZE)
        else:
            secure = ssl.create_default_context() if url.startswith("rediss:") else None
            address = parts.get("host", "localhost"), parts.get("port", 6379)
            streams = await asyncio.open_connection(*address, ssl=secure, limit=_READ_SIZE)
        pipe = cls(*streams)
        await pipe._greet(parts.get("username"), parts.get("password"), parts.get("db"))
        return pipe

    async def _greet(self, username: str | None, password: str | None, database: int | None) -> None:
        greetings: list[Command] = []
        if password:
            greetings.append(("AUTH", username or "default", password))
        if database:
            greetings.append(("SELECT", database))
        for reply in await self.batch(greetings):
            if isinstance(reply, Exception):
                raise reply

    async def batch(self, commands: Sequence[Command]) -> list[object]:
        """The replies to all commands, in order; an error reply is a value."""
        if not commands:
            return []
        self.send(commands)
        replies: list[object] = []
        while len(replies) < len(commands):
            replies.extend(await self.receive())
        return replies

    def send(self, commands: Sequence[Command]) -> None:
        """Writes commands without waiting."""
        self._writer.write(b"".join([_pack(command) for command in commands]))

    async def receive(self) -> list[object]:
        """Whatever has arrived: at least a part of a reply, so that the list may be empty."""
        data = await self._reader.read(_READ_SIZE)
        if not data:
            raise ConnectionError("Redis has closed the connection")
        self._replies.feed(data)
        replies: list[object] = []
        while (reply := self._replies.gets()) is not False:
            replies.append(reply)
        return replies

    def close(self) -> None:
        """Lets go of the connection."""
        self._writer.close()
