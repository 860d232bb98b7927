"""A service as the commands use it: each call is a method, each failure a sentence, and who waits is told so."""

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import grpc
from google.protobuf.message import Message

from services.cli.failures import Unreachable, Wrong, from_call
from shared import tls
from shared.settings import Settings

# Longer than a service waits for its log, so that its own explanation arrives.
CALL_SECONDS = 15.0
_PAUSE_SECONDS = 0.25
# After a restart of the service a watcher is back at once, not when a long back-off ends.
_CHANNEL = (("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 1000))

T = TypeVar("T")


class Connection:
    """Every call that changes something has an id of its own, so that it may be repeated while the patience lasts."""

    def __init__(
        self, name: str, address: str, settings: Settings, token: str = "", options: tuple[tuple[str, int], ...] = ()
    ) -> None:
        """`name` is what failures call the service. Without a token, only what everybody may know can be asked."""
        self.address = address
        # How long an unreachable service is asked again, and who is told when that begins.
        self.patience = 0.0
        self.on_pause: Callable[[str], None] = lambda _: None
        self.name = f"{name} at {address}"
        self.metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._is_away = False
        try:
            self.channel = tls.channel(address, settings, (*_CHANNEL, *options))
        except tls.BadTls as error:
            raise Wrong(str(error)) from None

    def call(self, call: Callable[..., T], request: Message, timeout: float = CALL_SECONDS) -> T:
        """The answer of a call; raises a failure."""
        asked = time.monotonic()
        while True:
            try:
                answer = call(request, timeout=timeout, metadata=self.metadata)
            except grpc.RpcError as error:
                self.wait_or_raise(error, asked)
            else:
                self.is_back()
                return answer

    def stream(self, call: Callable[..., Any], request: Any, timeout: float | None = None) -> Iterator[Any]:
        """The answers of a call that has many; raises a failure."""
        try:
            yield from call(request, timeout=timeout, metadata=self.metadata)
        except grpc.RpcError as error:
            raise from_call(error, self.name) from None

    def wait_or_raise(self, error: grpc.RpcError, since: float) -> None:
        """Waits a moment before another try; raises the failure if it is no use, or if patience since then is over."""
        failure = from_call(error, self.name)
        if not isinstance(failure, Unreachable) or time.monotonic() >= since + self.patience:
            raise failure from None
        if not self._is_away:
            self._is_away = True
            self.on_pause(f"{self.name} is away; trying again ...")
        time.sleep(_PAUSE_SECONDS)

    def is_back(self) -> None:
        """The service has answered."""
        self._is_away = False

    def close(self) -> None:
        """Ends every call that still runs."""
        self.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Following(Generic[T]):
    """Answers without a gap, to the end of what is followed. If the service goes away, it goes on from the last."""

    def __init__(self, connection: Connection, watch: Callable[[], Any], take: Callable[[Any], tuple[T, bool]]) -> None:
        """`take` notes how far an answer has come; it says what to give, and whether that is the end."""
        self._connection = connection
        self._watch = watch
        self._take = take
        self._call: Any = None
        self._has_ended = False
        self._good = time.monotonic()

    def __iter__(self) -> Iterator[T]:
        while not self._has_ended:
            try:
                yield from self._answers()
                self._has_ended = True
            except grpc.RpcError as error:
                if not self._has_ended:
                    self._connection.wait_or_raise(error, self._good)

    def _answers(self) -> Iterator[T]:
        self._call = self._watch()
        for answer in self._call:
            taken, is_last = self._take(answer)
            self._good = time.monotonic()
            self._connection.is_back()
            self._has_ended = self._has_ended or is_last
            yield taken

    def cancel(self) -> None:
        """Ends it, from any thread."""
        self._has_ended = True
        if self._call is not None:
            self._call.cancel()
