"""What can go wrong, each as one sentence and an exit code: 2 for a wrong argument or unknown thing, 1 for the rest."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import grpc
from typer import TyperException

from shared.proof.keys import BadKey

# The caller asked for something that is not there or not allowed; asking again will not help.
_CALLERS_FAULT = (
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.ABORTED,
)
# A service that stops cancels the calls that it has not begun.
_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)


class Failure(TyperException):
    """The command can't be carried out. The message is shown as it is."""

    exit_code = 1


class Wrong(Failure):
    """The arguments are wrong, or name something that does not exist."""

    exit_code = 2


class Unreachable(Failure):
    """A service does not answer, or can't just now."""


class Refused(Failure):
    """A service said no."""

    def __init__(self, code: grpc.StatusCode, reason: str, message: str) -> None:
        super().__init__(f"Rule {reason}: {message}" if is_rule(reason) else message)
        self.code = code
        self.reason = reason
        self.exit_code = Wrong.exit_code if code in _CALLERS_FAULT else Failure.exit_code


@contextmanager
def keys_in_a_sentence() -> Iterator[None]:
    """A file that is no key is a wrong argument."""
    try:
        yield
    except BadKey as error:
        raise Wrong(str(error)) from None


def is_rule(reason: str) -> bool:
    """Whether a reason is the id of a rule, such as D-8, rather than a name, such as MATCH_OVER."""
    return bool(reason) and not reason.replace("_", "").isalpha()


def from_call(error: grpc.RpcError, service: str) -> Failure:
    """A failed call as a failure of the command; `service` names what was called."""
    # Only where something has gone wrong: it brings the metrics with it.
    from shared.host.errors import told_in

    call = cast("grpc.Call", error)
    code = call.code()
    told = told_in(call.trailing_metadata() or ())
    if told is not None:
        return Unreachable(told.message) if code in _AWAY else Refused(code, told.reason, told.message)
    if code in _AWAY:
        return Unreachable(f"{service} does not answer; `make up` starts the platform.")
    return Failure(f"{service} failed with {code.name}: {call.details()}")
