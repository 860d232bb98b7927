"""Between gRPC and the servicer: parsing that can't blow up, request ids, and errors as statuses with details."""

import itertools
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn, TypeAlias

import grpc
import structlog
from google.protobuf import message_factory
from google.protobuf.message import DecodeError

from meydan.match.v1 import match_service_pb2
from shared.host import errors
from shared.host.play import as_refused
from shared.host.servicer import MatchServicer

SERVICE = "meydan.match.v1.MatchService"

# Both ways. No request comes near it; an answer is cut into pages or pieces.
MOST_BYTES = 1 << 20
MOST_REQUEST_BYTES = 64 << 10

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class _Unreadable:
    """Stands for a request whose bytes are not a message."""


_UNREADABLE = _Unreadable()

# Request ids of our own: of this process, one after the other.
_PROCESS = secrets.token_hex(6)
_CALLS = itertools.count(1)


def handlers(servicer: MatchServicer) -> grpc.GenericRpcHandler:
    """The handlers of all calls. The generated code would do, if its parser did not answer INTERNAL to bad bytes."""
    service = match_service_pb2.DESCRIPTOR.services_by_name["MatchService"]
    methods = {method.name: _handler(servicer, method) for method in service.methods}
    return grpc.method_handlers_generic_handler(SERVICE, methods)


def _handler(servicer: MatchServicer, method: Any) -> "grpc.RpcMethodHandler[Any, Any]":
    call = getattr(servicer, _snake(method.name))
    parse = _tolerant(message_factory.GetMessageClass(method.input_type))
    serialize = message_factory.GetMessageClass(method.output_type).SerializeToString
    if method.client_streaming:
        return grpc.stream_stream_rpc_method_handler(_both_ways(call), parse, serialize)
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(_one_to_many(call), parse, serialize)
    return grpc.unary_unary_rpc_method_handler(_one_to_one(call), parse, serialize)


def _one_to_one(call: Callable[[Any, str], Awaitable[Any]]) -> Any:
    async def handle(request: Any, context: Context) -> Any:
        try:
            return await call(_readable(request), _bind_request_id(context))
        except Exception as error:  # noqa: BLE001 - every error is an answer
            await _abort(context, error)

    return handle


def _one_to_many(call: Callable[[Any, str], AsyncIterator[Any]]) -> Any:
    async def handle(request: Any, context: Context) -> AsyncIterator[Any]:
        try:
            async for response in call(_readable(request), _bind_request_id(context)):
                yield response
        except Exception as error:  # noqa: BLE001 - every error is an answer
            await _abort(context, error)

    return handle


def _both_ways(call: Callable[[Any, Any, str], Awaitable[None]]) -> Any:
    async def handle(_requests: object, context: Context) -> None:
        async def read() -> Any:
            request = await context.read()
            return None if request is grpc.aio.EOF else _readable(request)

        try:
            # Reading and writing the stream itself costs half of what two asynchronous generators do.
            await call(read, context.write, _bind_request_id(context))
        except Exception as error:  # noqa: BLE001 - every error is an answer
            await _abort(context, error)

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


def _bind_request_id(context: Context) -> str:
    """The caller's x-request-id, or a new one; every log line of the call has it."""
    given = next((value for key, value in context.invocation_metadata() or () if key == "x-request-id"), None)
    request_id = given[:64] if isinstance(given, str) and given.isascii() else f"{_PROCESS}-{next(_CALLS):x}"
    # Each call runs in a context of its own, so that there is nothing to clear.
    structlog.contextvars.bind_contextvars(request_id=request_id)
    return request_id


async def _abort(context: Context, error: Exception) -> NoReturn:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    refused = as_refused(error)
    await context.abort(refused.code, refused.message, errors.details(refused))


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
