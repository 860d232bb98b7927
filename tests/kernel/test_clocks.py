"""Match clocks: who is charged how much, whose time is up, and when the platform was away."""

import sys
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.kernel import Seat
from shared.match.clocks import (
    Clocks,
    Downtimes,
    SeatClock,
    TimeControl,
    after_command,
    deadline,
    elapsed,
    overdue,
    started,
)

PER_MOVE = TimeControl(move_micros=100)
INCREMENT = TimeControl(base_micros=1000, increment_micros=7)
SUDDEN = TimeControl(base_micros=1000)


def clocks(drawn: str) -> Clocks:
    """Clocks drawn as text, such as `100 60>`: seat 0 stands at 100, and seat 1 runs with 60 left."""
    return tuple(SeatClock(int(one.removesuffix(">")), one.endswith(">")) for one in drawn.split())


def drawn(shown: Clocks) -> str:
    """The reverse of `clocks`."""
    return " ".join(f"{clock.remaining_micros}{'>' * clock.is_running}" for clock in shown)


def seats(numbers: tuple[int, ...]) -> tuple[Seat, ...]:
    return tuple(map(Seat, numbers))


@pytest.mark.parametrize(
    ("control", "is_per_move", "expected"),
    [
        pytest.param(PER_MOVE, True, "100 100 100", id="per move"),
        pytest.param(INCREMENT, False, "1000 1000 1000", id="base and increment"),
        pytest.param(TimeControl(increment_micros=7), False, "0 0 0", id="increment only"),
    ],
)
def test_all_clocks_stand_before_the_first_turn(control: TimeControl, is_per_move: bool, expected: str) -> None:
    """Everybody begins with the same time."""
    assert control.is_per_move is is_per_move
    assert drawn(started(control, 3)) == expected


@pytest.mark.parametrize(
    ("before", "passed", "after"),
    [
        pytest.param("100 60>", 25, "100 35>", id="only a running clock goes down"),
        pytest.param("50> 60>", 25, "25> 35>", id="all running clocks go down at once"),
        pytest.param("50> 60>", 55, "0> 5>", id="a clock stops at 0"),
        pytest.param("50 60", 999, "50 60", id="when none runs, time costs nothing"),
    ],
)
def test_time_passes_for_running_clocks(before: str, passed: int, after: str) -> None:
    """What the clocks show some time later."""
    assert drawn(elapsed(clocks(before), passed)) == after


@pytest.mark.parametrize(
    ("control", "before", "passed", "mover", "running", "after"),
    [
        pytest.param(PER_MOVE, "100 100", 0, None, (0,), "100> 100", id="the first turn begins"),
        pytest.param(PER_MOVE, "80> 35", 30, 0, (1,), "100 100>", id="a turn ends, and the next has its full time"),
        pytest.param(PER_MOVE, "80> 35", 30, 0, (0,), "100> 35", id="a seat that acts again begins a new turn"),
        pytest.param(PER_MOVE, "80> 35", 30, None, (0,), "50> 35", id="somebody joins: the turn goes on"),
        pytest.param(PER_MOVE, "80> 35", 30, 1, (0,), "50> 35", id="a seat out of turn resigns: the turn goes on"),
        pytest.param(PER_MOVE, "80> 35>", 30, 0, (1,), "100 5>", id="one of two has bid, the other is still charged"),
        pytest.param(PER_MOVE, "80> 35>", 50, 0, (1,), "100 0>", id="the other one's time is up"),
        pytest.param(PER_MOVE, "80> 35>", 30, 0, (), "100 5", id="the phase ends: the other's clock stops"),
        pytest.param(PER_MOVE, "100 5", 30, None, (0, 1), "100> 100>", id="a new phase begins for both"),
        pytest.param(PER_MOVE, "80> 35", 30, None, (1,), "50 100>", id="a seat that went out is not reset"),
        pytest.param(INCREMENT, "1000 1000", 0, None, (0,), "1000> 1000", id="the base is given once"),
        pytest.param(INCREMENT, "800> 350", 30, 0, (1,), "777 350>", id="a turn ends with the increment"),
        pytest.param(INCREMENT, "800> 350", 30, 0, (0,), "777> 350", id="each command of a seat is a turn"),
        pytest.param(INCREMENT, "800> 350", 30, None, (0,), "770> 350", id="no turn ended, no increment"),
        pytest.param(INCREMENT, "800> 350", 30, 1, (0,), "770> 350", id="no increment out of turn"),
        pytest.param(INCREMENT, "800> 350>", 30, 1, (0,), "770> 327", id="both are charged, the mover gains"),
        pytest.param(SUDDEN, "800> 350", 30, 0, (1,), "770 350>", id="without increment nothing comes back"),
        pytest.param(INCREMENT, "1000> 350", 0, 0, (1,), "1007 350>", id="saved time is kept above the base"),
        pytest.param(INCREMENT, "800> 350", 900, 0, (), "7 350", id="a late command is charged to 0, no further"),
    ],
)
def test_a_command_moves_the_clocks_on(
    control: TimeControl, before: str, passed: int, mover: int | None, running: tuple[int, ...], after: str
) -> None:
    """Charged first; then the mover's turn ends; then turns begin."""
    seat = None if mover is None else Seat(mover)
    assert drawn(after_command(control, clocks(before), passed, seat, seats(running))) == after


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        pytest.param("10 20", None, id="none runs"),
        pytest.param("10 20>", 1020, id="only a running clock counts"),
        pytest.param("50> 20> 30>", 1020, id="the first to run out"),
        pytest.param("0>", 1000, id="it is up already"),
    ],
)
def test_the_deadline_is_when_the_first_running_clock_is_at_0(shown: str, expected: int | None) -> None:
    """Counted from the time at which the clocks showed this."""
    assert deadline(clocks(shown), 1000) == expected


@pytest.mark.parametrize(
    ("shown", "passed", "expected"),
    [
        pytest.param("10 20>", 19, (), id="a microsecond before"),
        pytest.param("10 20>", 20, (1,), id="at its time"),
        pytest.param("0 20>", 19, (), id="a clock that stands at 0 is no matter"),
        pytest.param("30> 10> 20>", 25, (1, 2), id="the first to run out first"),
        pytest.param("20> 10> 20> 10>", 20, (1, 3, 0, 2), id="ties by seat"),
    ],
)
def test_overdue_seats_come_in_the_order_in_which_their_time_was_up(
    shown: str, passed: int, expected: tuple[int, ...]
) -> None:
    """Who ran out first went out first."""
    assert overdue(clocks(shown), passed) == expected


@pytest.mark.parametrize(
    ("intervals", "start", "end", "expected"),
    [
        pytest.param([], 0, 100, 0, id="never away"),
        pytest.param([(10, 20)], 0, 100, 10, id="all of it within"),
        pytest.param([(10, 20)], 15, 100, 5, id="began before"),
        pytest.param([(10, 20)], 0, 12, 2, id="ended after"),
        pytest.param([(10, 20)], 12, 15, 3, id="away all the time"),
        pytest.param([(10, 20)], 20, 30, 0, id="ended as it began"),
        pytest.param([(10, 20)], 0, 10, 0, id="began as it ended"),
        pytest.param([(10, 20), (40, 50), (60, 70)], 15, 65, 20, id="several"),
        pytest.param([(40, 50), (10, 20)], 0, 45, 15, id="in any order"),
        pytest.param([(10, 30), (20, 40)], 0, 100, 30, id="overlaps count once"),
        pytest.param([(10, 40), (20, 30)], 0, 100, 30, id="one inside another"),
        pytest.param([(10, 20), (10, 20)], 0, 100, 10, id="the same twice"),
        pytest.param([(20, 20), (30, 10)], 0, 100, 0, id="intervals without length"),
    ],
)
def test_downtime_is_counted_within_an_interval(
    intervals: list[tuple[int, int]], start: int, end: int, expected: int
) -> None:
    """Whatever part of a downtime lies in it, once."""
    assert Downtimes(intervals).within(start, end) == expected


def test_downtimes_are_equal_when_they_cover_the_same_time() -> None:
    """However they were told."""
    assert Downtimes([(20, 30), (10, 20)]) == Downtimes(((10, 30),))
    assert Downtimes() == Downtimes([])


MICROS = st.integers(0, 10**13)
SOME_CLOCKS = st.lists(st.builds(SeatClock, MICROS, st.booleans()), min_size=1, max_size=6).map(tuple)
PER_MOVE_CONTROLS = st.builds(TimeControl, move_micros=st.integers(1, 10**13))
BASE_CONTROLS = st.builds(TimeControl, base_micros=MICROS, increment_micros=MICROS)


class Step(NamedTuple):
    """One command of a match, with the clocks before and after it."""

    before: Clocks
    passed: int
    mover: Seat | None
    running: frozenset[Seat]
    after: Clocks


class Played(NamedTuple):
    """A match, as its clocks see it."""

    control: TimeControl
    steps: list[Step]


@st.composite
def played(draw: st.DrawFn, controls: st.SearchStrategy[TimeControl]) -> Played:
    """Any commands, by anybody, after any time."""
    control, count = draw(controls), draw(st.integers(1, 5))
    seat = st.integers(0, count - 1).map(Seat)
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 12))):
        before = steps[-1].after if steps else started(control, count)
        passed, mover, running = draw(MICROS), draw(st.none() | seat), draw(st.frozensets(seat))
        steps.append(Step(before, passed, mover, running, after_command(control, before, passed, mover, running)))
    return Played(control, steps)


@given(SOME_CLOCKS, MICROS, MICROS)
def test_time_that_passes_in_parts_is_time_that_passes_at_once(shown: Clocks, first: int, second: int) -> None:
    """It does not matter how often somebody looks."""
    assert elapsed(elapsed(shown, first), second) == elapsed(shown, first + second)


@given(SOME_CLOCKS, MICROS)
def test_every_running_clock_is_charged_exactly_what_passed(shown: Clocks, passed: int) -> None:
    """Unless it had less than that, and then all it had; the others are charged nothing."""
    for before, after in zip(shown, elapsed(shown, passed), strict=True):
        charged = before.remaining_micros - after.remaining_micros
        assert charged == (min(passed, before.remaining_micros) if before.is_running else 0)
        assert after.is_running == before.is_running


@given(played(BASE_CONTROLS))
def test_time_is_neither_made_nor_lost(match: Played) -> None:
    """With a base, what a seat has left is the base, less what it was charged, and an increment for each turn."""
    for seat, clock in enumerate(match.steps[-1].after):
        ran = [step for step in match.steps if step.before[seat].is_running]
        charged = sum(min(step.passed, step.before[seat].remaining_micros) for step in ran)
        gained = sum(step.mover == seat for step in ran) * match.control.increment_micros
        assert clock.remaining_micros == match.control.base_micros - charged + gained


@given(played(PER_MOVE_CONTROLS))
def test_a_turns_time_is_full_or_charged(match: Played) -> None:
    """Per move, a running clock shows the move's time where a turn begins; all others show what time has left them."""
    for step in match.steps:
        left = elapsed(step.before, step.passed)
        for seat in step.running:
            is_new = step.mover == seat or not step.before[seat].is_running
            expected = match.control.move_micros if is_new else left[seat].remaining_micros
            assert step.after[seat].remaining_micros == expected


@given(played(PER_MOVE_CONTROLS | BASE_CONTROLS))
def test_clocks_stay_within_their_bounds(match: Played) -> None:
    """Nobody has less than nothing, nor more than a move's time; and those run who should."""
    most = match.control.move_micros or sys.maxsize
    for step in match.steps:
        assert all(0 <= clock.remaining_micros <= most for clock in step.after)
        assert {seat for seat, clock in enumerate(step.after) if clock.is_running} == step.running


@given(SOME_CLOCKS, MICROS, MICROS)
def test_somebody_is_overdue_from_the_deadline_on(shown: Clocks, time_micros: int, passed: int) -> None:
    """The sweep looks at the deadline, the decision at the seats: they agree; and whose time is up has none left."""
    due = deadline(shown, time_micros)
    late = overdue(shown, passed)
    assert bool(late) == (due is not None and due <= time_micros + passed)
    left = elapsed(shown, passed)
    assert set(late) == {seat for seat, clock in enumerate(left) if clock.is_running and not clock.remaining_micros}
    assert [shown[seat].remaining_micros for seat in late] == sorted(shown[seat].remaining_micros for seat in late)


SMALL = st.integers(0, 60)


@given(st.lists(st.tuples(SMALL, SMALL)), SMALL, SMALL)
def test_downtime_is_what_a_count_of_every_moment_finds(intervals: list[tuple[int, int]], one: int, two: int) -> None:
    """Moment by moment: away if any of the downtimes covers it."""
    start, end = sorted((one, two))
    away = sum(any(began <= moment < ended for began, ended in intervals) for moment in range(start, end))
    assert Downtimes(intervals).within(start, end) == away


@given(st.lists(st.tuples(MICROS, MICROS)), st.lists(MICROS, min_size=2).map(sorted))
def test_downtime_of_parts_adds_up(intervals: list[tuple[int, int]], times: list[int]) -> None:
    """However a time is cut by commands, the same is given back; never more than has passed."""
    downtimes = Downtimes(intervals)
    parts = [downtimes.within(start, end) for start, end in pairwise(times)]
    assert sum(parts) == downtimes.within(times[0], times[-1]) <= times[-1] - times[0]
