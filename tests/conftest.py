"""A real, durable Redis for every test that wants one: in a container where an engine answers, else embedded."""

import uuid
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from docker.errors import DockerException  # type: ignore[import-untyped]
from testcontainers.community.redis import RedisContainer

from shared.eventlog.embedded import EmbeddedServer
from shared.eventlog.redis_log import RedisLog

_IMAGE = "redis:7-alpine"
_DURABLE = "redis-server --appendonly yes --appendfsync always"


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has written what it acknowledges; one for each worker process."""
    try:
        container = RedisContainer(_IMAGE).with_command(_DURABLE)
    except DockerException:
        with EmbeddedServer(tmp_path_factory.mktemp("redis"), is_durable=True) as server:
            yield server.url
    else:
        with container:
            yield f"redis://{container.get_container_host_ip()}:{container.get_exposed_port(6379)}/0"


@pytest.fixture
def key_space() -> str:
    """A name that no other test writes under."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
async def open_redis_log(redis_url: str, key_space: str) -> AsyncIterator[Callable[[], RedisLog]]:
    """Opens the test's own logs on Redis, each time with connections of its own, as another process would."""
    opened: list[RedisLog] = []

    def open_log() -> RedisLog:
        opened.append(RedisLog(redis_url, key_space))
        return opened[-1]

    yield open_log
    for log in opened:
        await log.close()
