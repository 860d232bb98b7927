"""How long seats wait to be taken, and what becomes of those that nobody takes."""

import pytest

from shared.match.clocks import TimeControl
from shared.match.model import Stamp, Status, Terms
from shared.match.timing import due
from tests.conformance.recording import SECOND, player
from tests.kernel.matches import (
    JOIN_IN_TIME,
    LIFECYCLE,
    MOVE,
    WAIT,
    accepted,
    created,
    expire,
    joined,
    names,
    refused,
    started,
)

START = 1_000 * SECOND


def test_seats_wait_to_be_taken_until_their_time_is_up() -> None:
    """Counted from the creation; who comes later is too late, also if no sweep has come before."""
    match = joined(created("", "", terms=JOIN_IN_TIME, now=START), "A", now=START + 5).after
    assert due(match) == match.join_deadline == START + WAIT
    assert refused(LIFECYCLE.expire(match, Stamp("clock", START + WAIT - 1))) == "NOT_DUE"
    assert joined(match, "B", now=START + WAIT - 1).after.status is Status.PLAYING
    late = player("B")
    assert refused(LIFECYCLE.join(match, None, late, Stamp(late.join_id, START + WAIT))) == "TIME_IS_UP"
    given_time = Stamp(late.join_id, START + WAIT, away=1)
    assert accepted(LIFECYCLE.join(match, None, late, given_time)).after.status is Status.PLAYING
    decided = accepted(LIFECYCLE.expire(match, Stamp("clock", START + WAIT)))
    assert names(decided)[:2] == ["SeatWentOut", "MatchStarted"]
    assert (decided.after.out, decided.after.join_deadline) == ((1,), 0)
    assert [one.seat for one in decided.envelopes[:3]] == [None] * 3


def test_a_match_without_a_deadline_waits_for_ever() -> None:
    """Nothing is due."""
    match = created("", "", now=START)
    assert due(match) == match.join_deadline == 0
    assert refused(expire(match, 1_000_000 * SECOND)) == "NOT_DUE"
    assert refused(expire(match, 1_000_000 * SECOND, away=1_000_000 * SECOND)) == "NOT_DUE"


def test_a_full_match_waits_no_more() -> None:
    """The deadline is gone with the start."""
    match = started(3, JOIN_IN_TIME, START)
    assert due(match) == match.join_deadline == 0


@pytest.mark.parametrize("late", [0, WAIT, 10 * WAIT])
def test_the_deadline_moves_by_the_time_that_is_given_back(late: int) -> None:
    """Those who come have as long as they would have had."""
    match = created("", "", terms=JOIN_IN_TIME, now=START)
    away = 5 * SECOND + late
    decided = accepted(expire(match, away + SECOND, away=away))
    assert names(decided) == ["TimeGivenBack"]
    after = decided.after
    assert due(after) == after.join_deadline == START + WAIT + away
    assert refused(LIFECYCLE.expire(after, Stamp("clock", after.join_deadline - 1))) == "NOT_DUE"
    assert accepted(LIFECYCLE.expire(after, Stamp("clock", after.join_deadline))).after.out == (0, 1)


def test_who_joins_after_the_platform_was_away_moves_the_deadline_for_the_others() -> None:
    """It is given back with the join."""
    match = created("", "", terms=JOIN_IN_TIME, now=START)
    who = player("A")
    decided = accepted(LIFECYCLE.join(match, None, who, Stamp(who.join_id, START + 20 * SECOND, away=10 * SECOND)))
    assert names(decided) == ["SeatTaken", "TimeGivenBack"]
    assert decided.after.join_deadline == START + WAIT + 10 * SECOND


def test_those_who_had_their_time_in_spite_of_it_are_out() -> None:
    """The platform was away, but not for as long as that."""
    match = created("", "", terms=JOIN_IN_TIME, now=START)
    decided = accepted(expire(match, WAIT + 5 * SECOND, away=5 * SECOND))
    assert decided.after.out == (0, 1)


def test_the_sooner_of_joining_and_moving_is_due() -> None:
    """Until the start the deadline, then the clock."""
    terms = Terms(control=TimeControl(move_micros=MOVE), join_micros=WAIT)
    match = joined(created("", "", terms=terms, now=START), "A", now=START).after
    assert due(match) == START + WAIT
    match = joined(match, "B", now=START + SECOND).after
    assert due(match) == START + SECOND + MOVE
