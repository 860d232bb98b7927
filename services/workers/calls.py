"""The services as workers call them: with tokens that are made here and go nowhere else."""

from functools import cache, lru_cache
from typing import Any, TypeAlias, cast

import grpc
from celery.signals import worker_init

from meydan.match.v1 import match_service_pb2, match_service_pb2_grpc
from meydan.tournament.v1 import tournament_service_pb2_grpc
from services import registry
from services.workers.app import settings
from shared import tls, tracing
from shared.access.tokens import TOURNAMENT, Claims, Scope, Tokens
from shared.clock import SystemClock
from shared.envelope import Envelope
from shared.host import errors
from shared.host.access import AGENT
from shared.host.messages import envelope_of
from shared.kernel import Seat
from shared.proof.keys import BadKey, SigningKey

CALL_SECONDS = 10.0
# Of one answer of the tournament service: a round of the largest tournament is one message.
MOST_BYTES = 32 << 20
_PAGE = 500
_HOUR = 3600
_HOUR_MICROS = _HOUR * 1_000_000
_AT_HAND = 4096
_WORKER = "worker"
_TRY_AGAIN = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    # A service that stops may cancel a call that it has not begun.
    grpc.StatusCode.CANCELLED,
)
_NO = (
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.OUT_OF_RANGE,
)


Metadata: TypeAlias = tuple[tuple[str, str], ...]


class ServiceUnavailable(Exception):
    """The game's service did not answer: worth another try."""


class NotAccepted(Exception):
    """The service says no to its own worker: to the same again, it will say the same."""


class CallFailed(Exception):
    """The service could not do it, or did not let the worker in."""


@cache
def service(game_name: str) -> Any:
    """One channel a process and game: made after the fork, in the child that uses it."""
    return match_service_pb2_grpc.MatchServiceStub(tls.channel(registry.address(game_name, settings), settings))


@cache
def tournaments() -> Any:
    """The tournament service, likewise."""
    options = (("grpc.max_receive_message_length", MOST_BYTES), ("grpc.max_send_message_length", MOST_BYTES))
    channel = tls.channel(registry.address(registry.TOURNAMENT, settings), settings, options)
    return tournament_service_pb2_grpc.TournamentServiceStub(channel)


def history(game_name: str, match_id: str, request_id: str) -> list[Envelope]:
    """The whole log of a finished match."""
    found: list[Envelope] = []
    everything = match_service_pb2.Viewer(everything=match_service_pb2.Everything())
    while True:
        request = match_service_pb2.GetHistoryRequest(
            match_id=match_id, viewer=everything, after_version=len(found), limit=_PAGE
        )
        page = service(game_name).GetHistory(request, timeout=CALL_SECONDS, metadata=as_watcher(match_id, request_id))
        found.extend(map(envelope_of, page.envelopes))
        if len(found) >= page.current_version:
            return found


def as_agent(match_id: str, seat: Seat, request_id: str) -> Metadata:
    """The metadata of a call for a computer player's seat."""
    return _metadata(Claims(AGENT, frozenset({Scope.SEAT}), _expiry(), match_id, seat, AGENT), request_id)


def as_organiser(tournament_id: str, request_id: str) -> Metadata:
    """The metadata of a call that makes a match of a tournament."""
    claims = Claims(f"{TOURNAMENT}{tournament_id}", frozenset({Scope.ORGANISER}), _expiry())
    return _metadata(claims, request_id)


def as_worker(tournament_id: str, request_id: str) -> Metadata:
    """The metadata of a call of the platform's own to a tournament."""
    return _metadata(Claims(_WORKER, frozenset({Scope.WORKER}), _expiry(), tournament_id), request_id)


def as_watcher(match_id: str, request_id: str) -> Metadata:
    """The metadata of a call that reads a match."""
    return _metadata(Claims(_WORKER, frozenset({Scope.SPECTATOR}), _expiry(), match_id), request_id)


def _metadata(claims: Claims, request_id: str) -> Metadata:
    return (("authorization", f"Bearer {_token(claims)}"), ("x-request-id", request_id), *tracing.metadata())


def _expiry() -> int:
    """At a full hour, one to two hours from now: so the same token serves for a while, in all workers."""
    return _tokens().expiry(2 * _HOUR) // _HOUR_MICROS * _HOUR_MICROS


@lru_cache(maxsize=_AT_HAND)
def _token(claims: Claims) -> str:
    return _tokens().issue(claims)


@worker_init.connect
def check_settings(**_: Any) -> None:
    """A worker that could not call any service says so before it takes work."""
    try:
        tls.client_credentials(settings)
        _tokens()
    except (BadKey, tls.BadTls) as error:
        raise SystemExit(str(error)) from None


@cache
def _tokens() -> Tokens:
    if settings.token_key is None:
        raise SystemExit("A worker needs MEYDAN_TOKEN_KEY; `make up` starts everything.")
    return Tokens(SigningKey.read(settings.token_key), SystemClock())


def failure(error: grpc.RpcError) -> ServiceUnavailable | NotAccepted | CallFailed:
    """A failed call as what it is to a task: in words that fit into a log."""
    code = code_of(error)
    if code in _TRY_AGAIN:
        return ServiceUnavailable(code.name)
    # The service's own sentence, which tells no secret.
    kind = NotAccepted if code in _NO else CallFailed
    return kind(f"{code.name} {reason_of(error)}: {_call(error).details()}")


def code_of(error: grpc.RpcError) -> grpc.StatusCode:
    """The status of a failed call."""
    return _call(error).code()


def reason_of(error: grpc.RpcError) -> str:
    """By which rule, or why else, the service said no; empty if it did not say."""
    told = errors.told_in(_call(error).trailing_metadata() or ())
    return "" if told is None else told.reason


def _call(error: grpc.RpcError) -> grpc.Call:
    # What a stub raises is both, but no type says so.
    return cast("grpc.Call", error)
