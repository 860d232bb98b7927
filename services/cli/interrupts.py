"""Ctrl-C and SIGTERM, for commands that must clean up whatever happens."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """The first signal raises KeyboardInterrupt, at once or when it suits; later ones can't disturb the cleaning up."""

    def __init__(self) -> None:
        self._has_come = False
        self._is_held = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """For steps that must not be left half done: an interrupt waits until they are."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._has_come:
            raise KeyboardInterrupt

    def receive(self, _number: int, _frame: FrameType | None) -> None:
        """A signal has come."""
        is_first, self._has_come = not self._has_come, True
        if is_first and not self._is_held:
            raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[Interrupts]:
    """Both signals are the same in here."""
    interrupts = Interrupts()
    before = [signal.signal(number, interrupts.receive) for number in _SIGNALS]
    try:
        yield interrupts
    finally:
        for number, handler in zip(_SIGNALS, before, strict=True):
            signal.signal(number, handler)
