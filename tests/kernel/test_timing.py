"""Clocks in a match: after each command, who is late, and what is given back."""

from meydan.match.v1 import envelope_pb2 as pb
from shared.kernel import Refusal, Seat, Viewer
from shared.match.clocks import SeatClock
from shared.match.model import Decided, Match, Stamp, Status, Terms
from shared.match.timing import due
from tests.conformance.recording import SECOND, finished
from tests.kernel.matches import (
    BASE,
    BASE_AND_INCREMENT,
    DOMINO,
    INCREMENT,
    LIFECYCLE,
    MOVE,
    PER_MOVE,
    accepted,
    created,
    events,
    every_control,
    expire,
    joined,
    names,
    refused,
    running,
    started,
)

START = 1_000 * SECOND


def playing(terms: Terms, seats: int = 3) -> Match:
    """A match that has just started."""
    return started(seats, terms, START)


def acting(match: Match) -> Seat:
    """The seat whose turn it is."""
    (seat,) = DOMINO.to_act(match.state)
    return seat


def move(match: Match, after: int, away: int = 0) -> Decided[Match] | Refusal:
    """The first legal command of the seat whose turn it is, so much later."""
    command = DOMINO.legal(DOMINO.view(match.state, Viewer(acting(match))))[0]
    return LIFECYCLE.submit(match, acting(match), command, None, Stamp("move", match.time_micros + after, away))


def shown(match: Match) -> tuple[SeatClock, ...]:
    """The clocks of a match that has them."""
    assert match.clocks is not None
    return match.clocks


def left(match: Match, seat: int) -> int:
    """The time that a seat has left."""
    return shown(match)[seat].remaining_micros


@every_control
def test_every_command_ends_with_the_clocks(terms: Terms) -> None:
    """From the start on, and before the end; what is shown is what the match goes on with."""
    recorder = finished(DOMINO, DOMINO.default_options, ("", "", ""), b"clocks", terms=terms)
    commands: dict[str, list[str]] = {}
    for envelope in recorder.envelopes:
        commands.setdefault(envelope.command_id, []).append(envelope.type.rpartition(".")[2])
    before = [commands.pop(name) for name in ("create", "join-of-player-0", "join-of-player-1")]
    assert [kinds[-1] for kinds in before] == ["MatchCreated", "SeatTaken", "SeatTaken"]
    *others, last = commands.values()
    assert all(kinds[-1] == "ClocksSet" and kinds.count("ClocksSet") == 1 for kinds in others)
    assert last[-2:] == ["ClocksSet", "MatchFinished"]


@every_control
def test_clocks_are_there_from_the_start_on(terms: Terms) -> None:
    """Nobody's time runs before; then that of the seat whose turn it is."""
    assert joined(created("", "", terms=terms), "A").after.clocks is None
    match = playing(terms)
    assert running(match) == [acting(match)]
    assert {left(match, seat) for seat in range(3)} == {MOVE if terms is PER_MOVE else BASE}


def test_a_match_without_a_clock_has_none() -> None:
    """Nor is anything ever due, or given back."""
    match = playing(Terms())
    moved = accepted(move(match, 1_000_000 * SECOND, away=SECOND))
    assert moved.after.clocks is None
    assert not {"ClocksSet", "TimeGivenBack"} & set(names(moved))
    assert due(match) == due(moved.after) == 0
    assert refused(expire(match, 1_000_000 * SECOND)) == "NOT_DUE"


def test_per_move_each_turn_has_its_full_time() -> None:
    """Whatever the seat before has used."""
    match = playing(PER_MOVE)
    mover = acting(match)
    decided = accepted(move(match, 7 * SECOND))
    after = decided.after
    assert (left(after, mover), left(after, acting(after))) == (MOVE, MOVE)
    assert running(after) == [acting(after)]
    (event,) = events(decided, pb.ClocksSet)
    assert tuple(SeatClock(one.remaining_micros, one.is_running) for one in event.clocks) == shown(after)


def test_with_a_base_the_mover_pays_for_its_time_and_gets_the_increment() -> None:
    """The others pay nothing."""
    match = playing(BASE_AND_INCREMENT)
    mover = acting(match)
    after = accepted(move(match, 7 * SECOND)).after
    assert left(after, mover) == BASE - 7 * SECOND + INCREMENT
    assert {left(after, seat) for seat in range(3) if seat != mover} == {BASE}


@every_control
def test_the_time_of_computers_does_not_run(terms: Terms) -> None:
    """They move when a worker comes to it."""
    match = created("greedy", "random", terms=terms, now=START)
    assert running(match) == []
    assert due(match) == 0
    assert refused(expire(match, 1_000_000 * SECOND)) == "NOT_DUE"
    assert running(accepted(move(match, 1_000_000 * SECOND)).after) == []


@every_control
def test_the_time_of_a_seat_that_is_out_does_not_run(terms: Terms) -> None:
    """Its default is played at once, and the next one's time begins."""
    match = playing(terms)
    gone = acting(match)
    after = accepted(LIFECYCLE.resign(match, gone, Stamp("leave", match.time_micros + SECOND))).after
    assert running(after) == [acting(after)] != [gone]


@every_control
def test_the_time_of_a_seat_that_was_released_runs_on(terms: Terms) -> None:
    """Whoever takes it next has what is left of the turn."""
    match = playing(terms)
    seat = acting(match)
    before = left(match, seat)
    open_again = accepted(LIFECYCLE.release(match, seat, Stamp("release", match.time_micros + SECOND)))
    assert names(open_again) == ["SeatReleased", "ClocksSet"]
    taken = joined(open_again.after, "D", now=open_again.after.time_micros + SECOND)
    assert names(taken) == ["SeatTaken", "ClocksSet"]
    assert left(taken.after, seat) == before - 2 * SECOND
    assert running(taken.after) == [seat]


@every_control
def test_a_command_is_in_time_until_the_clock_is_at_0(terms: Terms) -> None:
    """A microsecond before it is played, from then on it is refused; and the seat goes out exactly from then on."""
    match = playing(terms)
    time = left(match, acting(match))
    assert due(match) == match.time_micros + time
    accepted(move(match, time - 1))
    assert refused(expire(match, time - 1)) == "NOT_DUE"
    for late in (time, time + 1, 1_000 * time):
        assert refused(move(match, late)) == "TIME_IS_UP"
        assert names(accepted(expire(match, late)))[0] == "SeatWentOut"


@every_control
def test_a_seat_whose_time_is_up_is_out_and_its_default_is_played(terms: Terms) -> None:
    """As if it had left, but by the platform; the next seat's time begins."""
    match = playing(terms)
    late = acting(match)
    decided = accepted(expire(match, left(match, late)))
    (event,) = events(decided, pb.SeatWentOut)
    assert (event.seat, event.reason, decided.envelopes[0].seat) == (late, pb.OUT_REASON_TIME_UP, None)
    assert names(decided)[1] == "TileLaid"
    assert names(decided)[-1] == "ClocksSet"
    after = decided.after
    assert (after.status, after.out, after.no_shows) == (Status.PLAYING, (late,), 0)
    assert running(after) == [acting(after)] != [late]


@every_control
def test_a_match_whose_seats_all_run_out_of_time_ends(terms: Terms) -> None:
    """The last to run out is first."""
    match = playing(terms, seats=2)
    first = acting(match)
    match = accepted(expire(match, left(match, first))).after
    decided = accepted(expire(match, left(match, 1 - first)))
    assert names(decided) == ["SeatWentOut", "ClocksSet", "MatchFinished"]
    assert decided.after.places == ((1 - first,), (first,))
    assert running(decided.after) == []
    assert due(decided.after) == 0
    assert refused(expire(decided.after, 1_000 * SECOND)) == "NOT_DUE"


def test_a_seat_may_leave_though_its_time_is_up() -> None:
    """It is out either way."""
    match = playing(PER_MOVE)
    seat = acting(match)
    decided = accepted(LIFECYCLE.resign(match, seat, Stamp("leave", match.time_micros + 2 * MOVE)))
    assert events(decided, pb.SeatWentOut)[0].reason == pb.OUT_REASON_RESIGNED


@every_control
def test_time_that_the_platform_was_away_is_given_back_to_who_moves(terms: Terms) -> None:
    """A command that would have been late is in time, and the mover has paid for the rest only."""
    match = playing(terms)
    mover = acting(match)
    time = left(match, mover)
    assert refused(move(match, time + 5 * SECOND)) == "TIME_IS_UP"
    decided = accepted(move(match, time + 5 * SECOND, away=6 * SECOND))
    assert [event.micros for event in events(decided, pb.TimeGivenBack)] == [6 * SECOND]
    assert names(decided)[-2:] == ["TimeGivenBack", "ClocksSet"]
    assert left(decided.after, mover) == (MOVE if terms is PER_MOVE else SECOND + INCREMENT)


@every_control
def test_time_that_the_platform_was_away_puts_nobody_out(terms: Terms) -> None:
    """Whoever looks at the clock gives it back, once; then there is as much time left as when it went away."""
    match = playing(terms)
    seat = acting(match)
    time = left(match, seat)
    decided = accepted(expire(match, 100 * time, away=100 * time - SECOND))
    assert names(decided) == ["TimeGivenBack", "ClocksSet"]
    after = decided.after
    assert (after.out, running(after), left(after, seat)) == ((), [seat], time - SECOND)
    assert due(after) == after.time_micros + time - SECOND
    assert refused(expire(after, 0)) == "NOT_DUE"
    assert names(accepted(expire(after, time - SECOND)))[0] == "SeatWentOut"


def test_who_is_late_all_the_same_goes_out() -> None:
    """The time that was counted was enough."""
    match = playing(PER_MOVE)
    decided = accepted(expire(match, MOVE + 5 * SECOND, away=5 * SECOND))
    assert names(decided)[0] == "SeatWentOut"
    assert [event.micros for event in events(decided, pb.TimeGivenBack)] == [5 * SECOND]


def test_no_more_is_given_back_than_has_passed() -> None:
    """However long the platform was away before the newest event."""
    match = playing(PER_MOVE)
    decided = accepted(move(match, 3 * SECOND, away=1_000 * SECOND))
    assert [event.micros for event in events(decided, pb.TimeGivenBack)] == [3 * SECOND]
    at_once = accepted(move(match, 0, away=1_000 * SECOND))
    assert events(at_once, pb.TimeGivenBack) == []


def test_a_clock_that_goes_back_charges_nobody() -> None:
    """Time within a match stands still until the clock of the process has come up to it."""
    match = playing(BASE_AND_INCREMENT)
    mover = acting(match)
    decided = accepted(move(match, -500 * SECOND, away=100 * SECOND))
    assert decided.after.time_micros == match.time_micros
    assert left(decided.after, mover) == BASE + INCREMENT
    assert events(decided, pb.TimeGivenBack) == []
