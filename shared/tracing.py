"""Traces (OpenTelemetry): a move from its call to the append, and on to the computer player that answers it.

Off, with no span made at all, unless an endpoint is set. A span has a name, a game, the id of a match (or of a
tournament, whose game is `tournament`), a version, the kind of a command, the code of a refusal, and of an error its
type. There is no way to put in anything else, so that no token, seed, view or command gets out by a trace.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

if TYPE_CHECKING:
    import grpc
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

_Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

_TRACEPARENT = "traceparent"
_W3C = TraceContextTextMapPropagator()
# A collector that is away must not hold up a process that stops.
_EXPORT_SECONDS = 2.0
# What a client calls a match is not longer than a match id can be.
_LONGEST_ID = 26
# Refusals that are our fault; any other is an answer like a yes.
_FAILURES = frozenset({"internal", "unavailable"})
_NOTHING = nullcontext()


class _Traces:
    """Where this process's spans go: nowhere, until it is told."""

    provider: "TracerProvider | None" = None
    tracer: trace.Tracer | None = None


_traces = _Traces()


def configure(endpoint: str, process: str) -> None:
    """Sends this process's traces to an endpoint, if there is one. After a fork: threads do not survive it."""
    if not endpoint:
        return
    # Imported by those who have traces only: it takes longer than anything else that a process begins with.
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    start(process, BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=_EXPORT_SECONDS)))


def start(process: str, processor: "SpanProcessor") -> None:
    """Makes spans from here on, and gives them to the processor. Ends with the process, if not by `stop`."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider

    _traces.provider = TracerProvider(resource=Resource.create({SERVICE_NAME: f"meydan-{process}"}))
    _traces.provider.add_span_processor(processor)
    _traces.tracer = _traces.provider.get_tracer("meydan")


def stop() -> None:
    """Makes no more spans, and sends those that are left."""
    provider, _traces.provider, _traces.tracer = _traces.provider, None, None
    if provider is not None:
        provider.shutdown()


def span(name: str, game: str, match_id: str, version: int = 0, parent: str = "") -> AbstractContextManager[None]:
    """A part of the way. Its parent is the one that a traceparent names, or else the span that it is inside of."""
    tracer = _traces.tracer
    if tracer is None:
        return _NOTHING
    return _recorded(tracer, SpanKind.INTERNAL, name, _attributes(game, match_id, version), parent)


def call(name: str, game: str, match_id: str, context: _Context) -> AbstractContextManager[None]:
    """A call, as a part of what its caller is tracing."""
    tracer = _traces.tracer
    if tracer is None:
        return _NOTHING
    return _recorded(tracer, SpanKind.SERVER, name, _attributes(game, match_id), _given(context))


def _attributes(game: str, match_id: str, version: int = 0) -> dict[str, str | int]:
    known: dict[str, str | int] = {"game": game, "match": match_id[:_LONGEST_ID], "version": version}
    return {name: value for name, value in known.items() if value}


@contextmanager
def _recorded(
    tracer: trace.Tracer, kind: SpanKind, name: str, attributes: dict[str, str | int], parent: str
) -> Iterator[None]:
    with tracer.start_as_current_span(
        name, _context(parent), kind, attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except Exception as error:
            # Not its words: they may quote what was sent.
            current.set_status(StatusCode.ERROR, type(error).__name__)
            raise


def stream(context: _Context) -> AbstractContextManager[None]:
    """A stream may last for days: it has no span, but those made in it are part of what its caller is tracing."""
    return _NOTHING if _traces.tracer is None else _continued(_given(context))


@contextmanager
def _continued(parent: str) -> Iterator[None]:
    token = contexts.attach(_context(parent) or contexts.get_current())
    try:
        yield
    finally:
        contexts.detach(token)


def of_kind(command: object) -> None:
    """Says which kind of command the current span is about, and nothing else of it."""
    if _traces.tracer is not None:
        trace.get_current_span().set_attribute("command", type(command).__name__)


def refused(code: str) -> None:
    """Says that the current span ends with a refusal."""
    if _traces.tracer is None:
        return
    current = trace.get_current_span()
    current.set_attribute("refusal", code)
    if code in _FAILURES:
        current.set_status(StatusCode.ERROR)


def traceparent() -> str:
    """Names the current span to others; empty if there is none."""
    if _traces.tracer is None:
        return ""
    carrier: dict[str, str] = {}
    _W3C.inject(carrier)
    return carrier.get(_TRACEPARENT, "")


def metadata() -> tuple[tuple[str, str], ...]:
    """The same as metadata of a gRPC call."""
    here = traceparent()
    return ((_TRACEPARENT, here),) if here else ()


def _context(parent: str) -> contexts.Context | None:
    return _W3C.extract({_TRACEPARENT: parent}) if parent else None


def _given(context: _Context) -> str:
    given = dict(context.invocation_metadata() or ()).get(_TRACEPARENT)
    return given if isinstance(given, str) else ""
