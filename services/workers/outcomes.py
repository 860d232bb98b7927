"""How tasks end. Every end is counted, and what was not done is said in the log; the outbox hands it out again."""

import functools
from collections.abc import Callable
from enum import StrEnum
from typing import ParamSpec

import redis
import structlog

from services.workers.calls import NotAccepted, ServiceUnavailable
from shared import metrics

log = structlog.get_logger(__name__)

P = ParamSpec("P")


class Outcome(StrEnum):
    """As it is counted."""

    DONE = "done"
    # Somebody else has done it, or nobody wants it any more.
    REPEATED = "repeated"
    # Something is away, or has just changed.
    PUT_OFF = "put_off"
    # A service says no to what its own worker has worked out.
    REFUSED = "refused"
    FAILED = "failed"


def counted(task: Callable[P, Outcome]) -> Callable[P, None]:
    """A task, or a part of one, that is counted under its name. What it raises goes on, so that it is tried again."""
    name = task.__name__

    @functools.wraps(task)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        outcome = Outcome.FAILED
        try:
            outcome = task(*args, **kwargs)
        except Exception as error:
            outcome = _told(name, error)
            raise
        finally:
            metrics.TASKS.labels(name, outcome.value).inc()

    return run


def _told(task: str, error: Exception) -> Outcome:
    """What an error comes to; the log has its words only where they are ours."""
    match error:
        case ServiceUnavailable() | redis.ConnectionError():
            log.warning("task_put_off", task=task, error=str(error))
            return Outcome.PUT_OFF
        case NotAccepted():
            log.error("task_refused", task=task, error=str(error))
            return Outcome.REFUSED
        case _:
            log.error("task_failed", task=task, error=type(error).__name__)
            return Outcome.FAILED
