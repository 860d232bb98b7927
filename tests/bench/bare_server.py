"""The bare ceiling: gRPC and a durable append with nothing in between.

A message is some bytes that nobody parses. Each is one XADD; those that arrive during a round trip to Redis share the
next one, over one connection: our own, as lean as it gets, or a pipeline of redis-py, as most services have it. When
its append is on disk, a message is answered with its own first bytes.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import redis.asyncio
import uvloop

from shared.eventlog.pipe import Pipe
from shared.settings import Settings

SERVICE = "meydan.bench.Bare"
# Of the sizes of an acknowledgement with its receipt, in a Play stream and as an answer of its own.
STREAM_ANSWER_BYTES = 205
UNARY_ANSWER_BYTES = 161
_RECORD = b"r" * 180
# If it is set, appends go through redis-py.
CLIENT_VARIABLE = "BENCH_REDIS_PY"


class GroupedAppend:
    """One connection; whoever comes during a round trip is in the next."""

    def __init__(self, write: Callable[[int], Awaitable[object]]) -> None:
        self._write = write
        self._waiting: list[Callable[[], None]] = []
        self._news = asyncio.Event()

    def append(self, done: Callable[[], None]) -> None:
        """Calls `done` when it is on disk."""
        self._waiting.append(done)
        self._news.set()

    async def run(self) -> None:
        """For ever."""
        while True:
            await self._news.wait()
            self._news.clear()
            batch, self._waiting = self._waiting, []
            await self._write(len(batch))
            for done in batch:
                done()


class Bare:
    """The two calls."""

    def __init__(self, appends: GroupedAppend) -> None:
        self._appends = appends

    async def submit(self, message: bytes, _context: Any) -> bytes:
        written = asyncio.Event()
        self._appends.append(written.set)
        await written.wait()
        return message[:UNARY_ANSWER_BYTES]

    async def play(self, _messages: Any, context: Any) -> None:
        answers: deque[bytes] = deque()
        news = asyncio.Event()
        reading = asyncio.create_task(self._read(context, answers, news))
        try:
            while not reading.done() or answers:
                await news.wait()
                news.clear()
                while answers:
                    await context.write(answers.popleft())
        finally:
            reading.cancel()

    async def _read(self, context: Any, answers: deque[bytes], news: asyncio.Event) -> None:
        def answer(message: bytes) -> None:
            answers.append(message[:STREAM_ANSWER_BYTES])
            news.set()

        while (message := await context.read()) is not grpc.aio.EOF:
            self._appends.append(partial(answer, message))
        news.set()


async def _writer(redis_url: str) -> Callable[[int], Awaitable[object]]:
    """What appends so many records in one round trip."""
    if CLIENT_VARIABLE in os.environ:
        client = redis.asyncio.from_url(redis_url)

        async def by_redis_py(count: int) -> object:
            pipeline = client.pipeline(transaction=False)
            for _ in range(count):
                pipeline.xadd("bare", {"e": _RECORD})
            return await pipeline.execute()

        return by_redis_py
    pipe = await Pipe.open(redis_url)
    return lambda count: pipe.batch([("XADD", "bare", "*", "e", _RECORD)] * count)


async def _serve(redis_url: str, ready_file: Path) -> None:
    appends = GroupedAppend(await _writer(redis_url))
    appending = asyncio.create_task(appends.run())
    bare = Bare(appends)
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Submit": grpc.unary_unary_rpc_method_handler(bare.submit),
        "Play": grpc.stream_stream_rpc_method_handler(bare.play),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    ready_file.write_text(f"127.0.0.1:{port}")  # noqa: ASYNC240 - nothing else runs yet
    await stopping.wait()
    await server.stop(1.0)
    appending.cancel()


def main() -> None:
    settings = Settings()
    assert settings.ready_file is not None
    uvloop.run(_serve(settings.redis_url, settings.ready_file))


if __name__ == "__main__":
    main()
