"""Services over both kinds of log."""

from collections.abc import AsyncIterator, Callable

import pytest

from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from tests.host.clocked import Platform, clocked
from tests.host.service import Service, Table, new_table, serving


@pytest.fixture(params=["memory", "redis"])
async def service(request: pytest.FixtureRequest, open_redis_log: Callable[[], RedisLog]) -> AsyncIterator[Service]:
    """A service of Domino over each kind of log."""
    async with serving(open_redis_log() if request.param == "redis" else MemoryLog()) as started:
        yield started


@pytest.fixture
async def memory_service() -> AsyncIterator[Service]:
    """A service over a log in memory, for what does not depend on the log."""
    async with serving(MemoryLog()) as started:
        yield started


@pytest.fixture
async def table(service: Service) -> Table:
    """A match of two that has just started."""
    return await new_table(service)


@pytest.fixture
async def two_hosts(open_redis_log: Callable[[], RedisLog]) -> AsyncIterator[tuple[Service, Service]]:
    """Two services on the same logs, as two processes would be."""
    async with serving(open_redis_log()) as one, serving(open_redis_log()) as other:
        yield one, other


@pytest.fixture(params=["memory", "redis"])
async def platform(request: pytest.FixtureRequest, open_redis_log: Callable[[], RedisLog]) -> AsyncIterator[Platform]:
    """Two services and a clock, over each kind of log."""
    memory = MemoryLog()
    logs = [open_redis_log() if request.param == "redis" else memory for _ in range(2)]
    async with clocked(*logs) as started:
        yield started
