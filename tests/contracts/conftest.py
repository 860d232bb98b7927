"""The stores that the contract binds, and ways past them."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import redis.asyncio

from shared.eventlog.embedded import EmbeddedServer
from shared.eventlog.memory import MemoryLog
from tests.contracts.stores import Admin, OpenLog, Store


@pytest.fixture(params=["memory", "redis"])
async def store(request: pytest.FixtureRequest, redis_url: str, key_space: str, open_redis_log: OpenLog) -> Store:
    """Each kind of store in turn."""
    if request.param == "redis":
        return Store(open_redis_log(), open_redis_log, redis_url, key_space)
    log = MemoryLog()
    return Store(log, lambda: log, None, key_space)


@pytest.fixture
async def admin(redis_url: str) -> AsyncIterator[Admin]:
    """Sends commands to the server, past the log."""
    async with redis.asyncio.from_url(redis_url) as client:
        send: Admin = client.execute_command
        yield send
        # A test that failed may have left it waiting.
        await send("CLIENT", "UNPAUSE")


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A durable server that a test may kill."""
    with EmbeddedServer(tmp_path / "redis", is_durable=True) as server:
        yield server
