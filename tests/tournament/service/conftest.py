"""The tournament service over both kinds of log."""

from collections.abc import AsyncIterator, Callable

import pytest

from shared.eventlog.memory import MemoryLog
from shared.eventlog.redis_log import RedisLog
from tests.host.service import StillClock
from tests.tournament.service.serving import Service, serving


@pytest.fixture(params=["memory", "redis"])
async def service(request: pytest.FixtureRequest, open_redis_log: Callable[[], RedisLog]) -> AsyncIterator[Service]:
    """A service over each kind of log."""
    async with serving(open_redis_log() if request.param == "redis" else MemoryLog()) as started:
        yield started


@pytest.fixture
async def memory_service() -> AsyncIterator[Service]:
    """A service over a log in memory, for what does not depend on the log."""
    async with serving(MemoryLog()) as started:
        yield started


@pytest.fixture
async def two_services(open_redis_log: Callable[[], RedisLog]) -> AsyncIterator[tuple[Service, Service]]:
    """Two on the same logs and the same clock, as two processes would be."""
    clock = StillClock()
    async with serving(open_redis_log(), clock) as one, serving(open_redis_log(), clock) as other:
        yield one, other
