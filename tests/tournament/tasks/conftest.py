"""A platform of one process, and the spans that are made in it."""

from collections.abc import AsyncIterator, Iterator

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared import tracing
from tests.host.test_tracing import Spans
from tests.tournament.tasks.platform import Platform, platform


@pytest.fixture
async def here(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Platform]:
    """Services, dispatcher and worker."""
    async with platform(monkeypatch) as found:
        yield found


@pytest.fixture
def spans() -> Iterator[Spans]:
    """Tracing is on, and what it makes stays here."""
    exporter = InMemorySpanExporter()
    tracing.start("test", SimpleSpanProcessor(exporter))
    yield Spans(exporter)
    tracing.stop()
