"""One event loop for the whole run: gRPC's client holds on to the first that it meets."""

import asyncio
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

import uvloop

T = TypeVar("T")


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


def run(work: Coroutine[Any, Any, T]) -> T:
    """What the coroutine gives."""
    return _runner().run(work)
