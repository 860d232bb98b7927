"""Time left, in words."""

import time
from collections.abc import Sequence
from typing import Protocol

_MICROS = 1_000_000
_TENTH = _MICROS // 10
_LAST_SECONDS = 10


class ShownClock(Protocol):
    """A seat's time; of a match's summary, of an event and of a replayed match alike."""

    @property
    def remaining_micros(self) -> int: ...
    @property
    def is_running(self) -> bool: ...


def time_left(micros: int) -> str:
    """`4:58`, `1:00:00`; in the last seconds `0:09.5`."""
    tenths = max(0, micros) // _TENTH
    seconds = tenths // 10
    if seconds < _LAST_SECONDS:
        return f"0:0{seconds}.{tenths % 10}"
    minutes, hours = seconds // 60, seconds // 3600
    return f"{hours}:{minutes % 60:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def line(clocks: Sequence[ShownClock], passed_micros: int = 0) -> str:
    """`seat 0 4:58 (running), seat 1 5:00`, so much later; empty if there is no clock."""
    return ", ".join(f"seat {seat} {_shown(clock, passed_micros)}" for seat, clock in enumerate(clocks))


def _shown(clock: ShownClock, passed_micros: int) -> str:
    if not clock.is_running:
        return time_left(clock.remaining_micros)
    return f"{time_left(clock.remaining_micros - passed_micros)} (running)"


class Ticking:
    """Clocks that were read once, and go on from there."""

    def __init__(self, clocks: Sequence[ShownClock]) -> None:
        self._clocks = clocks
        self._read = time.monotonic()

    def __bool__(self) -> bool:
        return bool(self._clocks)

    def __str__(self) -> str:
        return line(self._clocks, int((time.monotonic() - self._read) * _MICROS))
