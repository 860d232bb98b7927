"""Logs: JSON lines on standard error, each with what is known of match, seat, version and request."""

import logging
import sys

import structlog
from structlog.types import Processor

_PROCESSORS: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)


def configure(level: str) -> None:
    """Sets up structlog for this process, and lets the libraries that use the standard logging speak through it."""
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*_PROCESSORS, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_PROCESSORS,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(default=str),
            ],
        )
    )
    # What libraries say at info and below is theirs to know.
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)
