"""The arithmetic of match clocks. All time is given: nothing here asks what time it is."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from shared.kernel import Seat


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How time is counted: so much for each turn, or so much for the match and some more with each turn."""

    move_micros: int = 0
    base_micros: int = 0
    increment_micros: int = 0

    @property
    def is_per_move(self) -> bool:
        return self.move_micros > 0


class SeatClock(NamedTuple):
    """The time that a seat has left, and whether it is going by."""

    remaining_micros: int
    is_running: bool


# Seat 0 first.
Clocks: TypeAlias = tuple[SeatClock, ...]


def started(control: TimeControl, seats: int) -> Clocks:
    """The clocks before anybody's time runs."""
    return (SeatClock(control.move_micros or control.base_micros, is_running=False),) * seats


def elapsed(clocks: Clocks, micros: int) -> Clocks:
    """What the clocks show when so much time has passed."""
    return tuple(
        clock._replace(remaining_micros=max(0, clock.remaining_micros - micros)) if clock.is_running else clock
        for clock in clocks
    )


def after_command(
    control: TimeControl, clocks: Clocks, micros_passed: int, mover: Seat | None, running: Collection[Seat]
) -> Clocks:
    """The clocks after a command that came so much later, with those of `running` going from here on.

    A turn ends with the command of a seat whose clock ran, and begins when a clock starts or its seat's turn has ended.
    """
    charged = elapsed(clocks, micros_passed)
    return tuple(
        _next(control, clock, ends_turn=clock.is_running and seat == mover, runs_on=seat in running)
        for seat, clock in enumerate(charged)
    )


def _next(control: TimeControl, clock: SeatClock, *, ends_turn: bool, runs_on: bool) -> SeatClock:
    if not control.is_per_move:
        return SeatClock(clock.remaining_micros + control.increment_micros * ends_turn, runs_on)
    begins_turn = runs_on and not clock.is_running
    return SeatClock(control.move_micros if ends_turn or begins_turn else clock.remaining_micros, runs_on)


def deadline(clocks: Clocks, time_micros: int) -> int | None:
    """When the first clock is at 0, if the clocks showed this at `time_micros`; None if none runs."""
    running = [clock.remaining_micros for clock in clocks if clock.is_running]
    return time_micros + min(running) if running else None


def overdue(clocks: Clocks, micros_passed: int) -> tuple[Seat, ...]:
    """The seats whose time is up when so much has passed, the first to run out first."""
    running = [(clock.remaining_micros, Seat(seat)) for seat, clock in enumerate(clocks) if clock.is_running]
    return tuple(seat for remaining, seat in sorted(running) if remaining <= micros_passed)


@dataclass(frozen=True, slots=True)
class Downtimes:
    """When the platform was away: (from, until), kept in order and apart from each other, however they were given."""

    intervals: Sequence[tuple[int, int]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "intervals", tuple(_merged(self.intervals)))

    def within(self, start: int, end: int) -> int:
        """Microseconds of downtime between two times."""
        # There may be many of them, and most are long past.
        first = bisect_right(self.intervals, start, key=lambda interval: interval[1])
        total = 0
        for began, ended in self.intervals[first:]:
            if began >= end:
                break
            total += min(ended, end) - max(began, start)
        return total


def _merged(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for began, ended in sorted(intervals):
        if merged and began <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], ended))
        elif began < ended:
            merged.append((began, ended))
    return merged
