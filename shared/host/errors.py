"""How the service says no: a status code, a reason (a rule id or a name) and a sentence."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from shared import metrics
from shared.kernel import Malformed, Refusal

_DOMAIN = "meydan"
_OVER_THE_WIRE = "grpc-status-details-bin"


@dataclass(eq=False)
class Refused(Exception):
    """The answer to a call that changes nothing."""

    code: grpc.StatusCode
    reason: str
    message: str
    field: str | None = None
    current_version: int | None = None


_UNKNOWN = {"match": "UNKNOWN_MATCH", "tournament": "UNKNOWN_TOURNAMENT"}


def unknown(noun: str, log_id: str) -> Refused:
    return Refused(grpc.StatusCode.NOT_FOUND, _UNKNOWN[noun], f"There is no {noun} {log_id[:40]!r} here.")


def not_your_seat() -> Refused:
    return Refused(grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT", "This token does not open this seat.")


def still_secret() -> Refused:
    return Refused(
        grpc.StatusCode.PERMISSION_DENIED, "STILL_SECRET", "Everything is revealed only when the match is over."
    )


def malformed(field: str, message: str, reason: str = "MALFORMED") -> Refused:
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, reason, message, field=field)


def from_malformed(error: Malformed) -> Refused:
    return malformed(error.field, error.message)


def broken_rule(refusal: Refusal) -> Refused:
    return Refused(grpc.StatusCode.FAILED_PRECONDITION, refusal.rule, refusal.message)


def stale(expected: int, current: int) -> Refused:
    return Refused(
        grpc.StatusCode.ABORTED,
        "STALE_VERSION",
        f"The log is at version {current}, not at {expected}.",
        current_version=current,
    )


def reused_command_id() -> Refused:
    return Refused(
        grpc.StatusCode.ALREADY_EXISTS,
        "COMMAND_ID_REUSED",
        "This command id was used for another command here.",
    )


def too_much(limit: str, message: str) -> Refused:
    # Here, so that there is no limit that is not counted.
    metrics.LIMITS_HIT.labels(limit).inc()
    return Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MUCH", message)


def unavailable(message: str) -> Refused:
    return Refused(
        grpc.StatusCode.UNAVAILABLE, "LOG_UNAVAILABLE", f"The log can't be reached just now; try again. ({message})"
    )


def stopping() -> Refused:
    return Refused(
        grpc.StatusCode.UNAVAILABLE, "STOPPING", "This process is stopping; go on with the next from where you are."
    )


def unforeseen() -> Refused:
    return Refused(grpc.StatusCode.INTERNAL, "UNFORESEEN", "Something went wrong on our side. It has been recorded.")


def details(refused: Refused) -> tuple[tuple[str, bytes], ...]:
    """The refusal as trailing metadata, in the form of google.rpc.Status."""
    status = status_pb2.Status(code=status_number(refused), message=refused.message)
    info = error_details_pb2.ErrorInfo(reason=refused.reason, domain=_DOMAIN)
    if refused.current_version is not None:
        info.metadata["current_version"] = str(refused.current_version)
    _attach(status, info)
    if refused.field is not None:
        violation = error_details_pb2.BadRequest.FieldViolation(field=refused.field, description=refused.message)
        _attach(status, error_details_pb2.BadRequest(field_violations=[violation]))
    if refused.code is grpc.StatusCode.FAILED_PRECONDITION:
        broken = error_details_pb2.PreconditionFailure.Violation(
            type="RULE", subject=refused.reason, description=refused.message
        )
        _attach(status, error_details_pb2.PreconditionFailure(violations=[broken]))
    return ((_OVER_THE_WIRE, status.SerializeToString()),)


class Told(NamedTuple):
    """What a refused call says of itself."""

    reason: str
    message: str


def told_in(trailing: Iterable[tuple[str, str | bytes]]) -> Told | None:
    """The same from its trailing metadata; None where they have nothing of ours."""
    packed = next((value for key, value in trailing if key == _OVER_THE_WIRE), None)
    if not isinstance(packed, bytes):
        return None
    try:
        status = status_pb2.Status.FromString(packed)
    except DecodeError:
        # Between the services there may be somebody who answers in their place.
        return None
    info = error_details_pb2.ErrorInfo()
    return Told(next((info.reason for detail in status.details if detail.Unpack(info)), ""), status.message)


def status_number(refused: Refused) -> int:
    """The number of the gRPC status code."""
    number: int = refused.code.value[0]
    return number


def _attach(
    status: status_pb2.Status,
    detail: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest | error_details_pb2.PreconditionFailure,
) -> None:
    packed = AnyMessage()
    packed.Pack(detail)
    status.details.append(packed)
