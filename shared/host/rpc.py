"""Between gRPC and the servicer: parsing that can't blow up, request ids, and errors as statuses with details."""

import itertools
import keyword
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn, TypeAlias

import grpc
import structlog
from google.protobuf import message_factory
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import DecodeError

from meydan.match.v1 import match_service_pb2
from shared import metrics, tracing
from shared.host import errors
from shared.host.access import Caller
from shared.host.play import answer_to

MATCH_SERVICE = match_service_pb2.DESCRIPTOR.services_by_name["MatchService"]
SERVICE = MATCH_SERVICE.full_name

# Both ways. No request comes near it; an answer is cut into pages or pieces.
MOST_BYTES = 1 << 20
MOST_REQUEST_BYTES = 64 << 10

# It is sent three times, and gRPC drops an answer with more than 8 KiB beside it.
_LONGEST_MESSAGE = 1_000

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class _Unreadable:
    """Stands for a request whose bytes are not a message."""


_UNREADABLE = _Unreadable()

# Request ids of our own: of this process, one after the other.
_PROCESS = secrets.token_hex(6)
_CALLS = itertools.count(1)


def handlers(servicer: object, service: ServiceDescriptor, game: str) -> grpc.GenericRpcHandler:
    """The handlers of all calls of a service; `game` is what they are counted as.

    The generated code would do, if its parser did not answer INTERNAL to bad bytes.
    """
    methods = {method.name: _handler(servicer, method, game) for method in service.methods}
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def _handler(servicer: object, method: Any, game: str) -> "grpc.RpcMethodHandler[Any, Any]":
    call = getattr(servicer, method_name(method.name))
    parse = _tolerant(message_factory.GetMessageClass(method.input_type))
    serialize = message_factory.GetMessageClass(method.output_type).SerializeToString
    name = method.name
    if method.client_streaming:
        return grpc.stream_stream_rpc_method_handler(_both_ways(call, game, name), parse, serialize)
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(_one_to_many(call, game, name), parse, serialize)
    return grpc.unary_unary_rpc_method_handler(_one_to_one(call, game, name), parse, serialize)


def _one_to_one(call: Callable[[Any, Caller], Awaitable[Any]], game: str, name: str) -> Any:
    async def handle(request: Any, context: Context) -> Any:
        with tracing.call(name, game, _log_id(request), context):
            try:
                return await call(_readable(request), _caller(context))
            except Exception as error:  # noqa: BLE001 - every error is an answer
                refused = _answer(error, game, name)
        return await _abort(context, refused)

    return handle


def _log_id(request: object) -> str:
    """Which match or tournament it is about."""
    return str(getattr(request, "match_id", "") or getattr(request, "tournament_id", ""))


def _one_to_many(call: Callable[[Any, Caller], AsyncIterator[Any]], game: str, name: str) -> Any:
    open_streams = metrics.OPEN_STREAMS.labels(game, name)

    async def handle(request: Any, context: Context) -> AsyncIterator[Any]:
        with open_streams.track_inprogress():
            try:
                async for response in call(_readable(request), _caller(context)):
                    yield response
            except Exception as error:  # noqa: BLE001 - every error is an answer
                await _abort(context, _answer(error, game, name))

    return handle


def _both_ways(call: Callable[[Any, Any, Caller], Awaitable[None]], game: str, name: str) -> Any:
    open_streams = metrics.OPEN_STREAMS.labels(game, name)

    async def handle(_requests: object, context: Context) -> None:
        async def read() -> Any:
            request = await context.read()
            return None if request is grpc.aio.EOF else _readable(request)

        with open_streams.track_inprogress(), tracing.stream(context):
            try:
                # Reading and writing the stream itself costs half of what two asynchronous generators do.
                await call(read, context.write, _caller(context))
            except Exception as error:  # noqa: BLE001 - every error is an answer
                await _abort(context, _answer(error, game, name))

    return handle


def _readable(request: Any) -> Any:
    if request is _UNREADABLE:
        raise errors.malformed("request", "These bytes are not a message of this call.")
    return request


def _tolerant(message_type: Any) -> Callable[[bytes], Any]:
    def parse(data: bytes) -> Any:
        try:
            return message_type.FromString(data)
        except DecodeError:
            return _UNREADABLE

    return parse


def _caller(context: Context) -> Caller:
    """Who calls. Every log line of the call has its request id: the caller's x-request-id, or a new one."""
    metadata = dict(context.invocation_metadata() or ())
    given = metadata.get("x-request-id")
    request_id = given[:64] if isinstance(given, str) and given.isascii() else f"{_PROCESS}-{next(_CALLS):x}"
    # Each call runs in a context of its own, so that there is nothing to clear.
    structlog.contextvars.bind_contextvars(request_id=request_id)
    authorization = metadata.get("authorization")
    scheme, _, token = authorization.partition(" ") if isinstance(authorization, str) else ("", "", "")
    return Caller(request_id, token if scheme.lower() == "bearer" else "", context.peer())


def _answer(error: Exception, game: str, name: str) -> errors.Refused:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    return answer_to(error, game, name)


async def _abort(context: Context, refused: errors.Refused) -> NoReturn:
    refused.message = refused.message[:_LONGEST_MESSAGE]
    await context.abort(refused.code, refused.message, errors.details(refused))


def method_name(name: str) -> str:
    """What serves a call: `get_view` of GetView; a word of the language gets an underscore."""
    found = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
    return f"{found}_" if keyword.iskeyword(found) else found
