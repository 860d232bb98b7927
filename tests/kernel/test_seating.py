"""Seats: taken, released, taken again, never taken; and the places that they end at."""

from typing import Any

import pytest

from meydan.match.v1 import envelope_pb2 as pb
from shared.kernel import Places, Seat
from shared.match.model import Match, SeatState, Stamp, Status, Terms
from shared.match.seating import final_places
from shared.replay import Replay
from shared.verify import verify
from tests.conformance.recording import MATCH_ID, Recorder, finished, play_on, player
from tests.kernel.matches import (
    DOMINO,
    JOIN_IN_TIME,
    LIFECYCLE,
    WAIT,
    WIRE,
    accepted,
    created,
    events,
    joined,
    names,
    refused,
    started,
)


@pytest.mark.parametrize(
    ("places", "out", "expected"),
    [
        pytest.param(None, (), None, id="nobody is out, and the game goes on"),
        pytest.param(None, (1,), None, id="one is out, and the game goes on"),
        pytest.param(((0,), (1,), (2,)), (), ((0,), (1,), (2,)), id="nobody is out"),
        pytest.param(((0,), (1,), (2,)), (0,), ((1,), (2,), (0,)), id="the winner is out, and last"),
        pytest.param(((0,), (1,), (2,)), (2,), ((0,), (1,), (2,)), id="the last is out"),
        pytest.param(((0,), (1,), (2,)), (1, 0), ((2,), (0,), (1,)), id="the first to go out is last"),
        pytest.param(((0,), (1,), (2,)), (0, 1), ((2,), (1,), (0,)), id="the other way round"),
        pytest.param(((0, 1), (2,)), (1,), ((0,), (2,), (1,)), id="out of a tie"),
        pytest.param(((0, 1, 2),), (2,), ((0, 1), (2,)), id="a tie of the others stays"),
        pytest.param(None, (2, 0, 1), ((1,), (0,), (2,)), id="all are out: the last to leave is first"),
        pytest.param(((0,), (1, 2)), (2, 0, 1), ((1,), (0,), (2,)), id="all are out: the game's places do not count"),
    ],
)
def test_final_places_put_those_who_left_last(places: Any, out: Any, expected: Places | None) -> None:
    """The first seat that went out is last, the next one before it, and so on."""
    assert final_places(places, out, 3) == expected


@pytest.mark.parametrize(
    ("places", "out", "no_shows", "expected"),
    [
        pytest.param(None, (1, 2), 2, None, id="the game goes on"),
        pytest.param(((1,), (0,), (2,), (3,)), (1,), 1, ((0,), (2,), (3,), (1,)), id="one of them, though it won"),
        pytest.param(((0,), (1,), (2,), (3,)), (1, 2), 2, ((0,), (3,), (1, 2)), id="two of them"),
        pytest.param(((0,), (1,), (2,), (3,)), (1, 3, 0), 2, ((2,), (0,), (1, 3)), id="one left later, and is before"),
        pytest.param(None, (1, 3, 0, 2), 2, ((2,), (0,), (1, 3)), id="all others have left"),
        pytest.param(None, (0, 1, 2, 3), 4, ((0, 1, 2, 3),), id="nobody came at all"),
    ],
)
def test_seats_that_were_never_taken_share_the_last_place(
    places: Any, out: Any, no_shows: int, expected: Places | None
) -> None:
    """Behind everybody who was there."""
    assert final_places(places, out, 4, no_shows) == expected


def test_a_match_waits_until_its_last_seat_is_taken() -> None:
    """Then the game's own events follow in the same command."""
    match = created("", "greedy", "")
    assert (match.status, match.version, match.state) == (Status.WAITING, 1, None)
    first = joined(match, "A")
    assert names(first) == ["SeatTaken"]
    second = joined(first.after, "B")
    assert names(second)[:4] == ["SeatTaken", "MatchStarted", "RoundDealt", "TileLaid"]
    assert [seat.player_name for seat in second.after.seats] == ["A", "", "B"]
    assert second.after.status is Status.PLAYING
    assert second.after.version == 2 + len(second.envelopes)


def test_the_log_says_who_took_a_seat() -> None:
    """Name, id and entropy, and the join that a token of the seat is bound to."""
    decided = joined(created("", ""), "A", seat=1)
    (taken,) = events(decided, pb.SeatTaken)
    who = player("A")
    assert taken == pb.SeatTaken(seat=1, player_name="A", player_id=who.player_id, entropy=who.entropy)
    assert decided.envelopes[0].command_id == decided.after.seats[1].join_id == who.join_id
    assert decided.after.seats[1] == who


@pytest.mark.parametrize("wanted", [pytest.param(0, id="a player's"), pytest.param(1, id="a computer's")])
def test_a_seat_is_taken_once(wanted: int) -> None:
    """Neither a player's nor a computer's seat is open."""
    match = joined(created("", "greedy", ""), "A", seat=0).after
    assert refused(LIFECYCLE.join(match, Seat(wanted), player("B"), Stamp("b", 3))) == "SEAT_TAKEN"


@pytest.mark.parametrize("wanted", [None, Seat(0)])
def test_nobody_joins_a_full_match(wanted: Seat | None) -> None:
    """There is no seat left, whichever is asked for."""
    assert refused(LIFECYCLE.join(started(), wanted, player("D"), Stamp("d", 2))) == "NO_OPEN_SEAT"


@pytest.mark.parametrize("wanted", [None, Seat(0)])
def test_nobody_joins_a_match_that_is_over(wanted: Seat | None) -> None:
    """Whichever seat is asked for."""
    over = finished(DOMINO, DOMINO.default_options, ("", ""), b"end").match
    assert refused(LIFECYCLE.join(over, wanted, player("D"), Stamp("d", 2))) == "MATCH_OVER"


def released(match: Match, seat: int) -> Match:
    """The match with a seat open again."""
    decided = accepted(LIFECYCLE.release(match, Seat(seat), Stamp("release", 2)))
    assert names(decided) == ["SeatReleased"]
    assert (decided.envelopes[0].seat, events(decided, pb.SeatReleased)[0].seat) == (None, seat)
    assert decided.after.seats[seat] == SeatState()
    return decided.after


def test_a_seat_that_is_released_before_the_start_is_open_again() -> None:
    """The match waits for one more, and whoever comes is the player whose entropy counts."""
    match = released(joined(created("", ""), "A", seat=0).after, 0)
    match = joined(match, "B", seat=1).after
    assert match.status is Status.WAITING
    match = joined(match, "C").after
    assert match.status is Status.PLAYING
    assert [seat.player_name for seat in match.seats] == ["C", "B"]
    never_there = joined(joined(created("", ""), "B", seat=1).after, "C").after
    assert match.seed == never_there.seed


def test_a_seat_that_is_released_after_the_start_goes_on_with_another_player() -> None:
    """The match is not started again, and its chance stays as it was: only who sits there has changed."""
    before = started()
    taken = joined(released(before, 1), "D")
    assert names(taken) == ["SeatTaken"]
    after = taken.after
    assert [seat.player_name for seat in after.seats] == ["P0", "D", "P2"]
    assert (after.status, after.state, after.seed, after.out) == (Status.PLAYING, before.state, before.seed, ())


def test_a_released_seat_may_be_taken_by_who_had_it() -> None:
    """By a new join, so that tokens of the old one stay worth nothing."""
    match = released(started(), 1)
    again = SeatState("", "P1", "another-join", player("P1").player_id)
    taken = accepted(LIFECYCLE.join(match, Seat(1), again, Stamp(again.join_id, 3)))
    assert taken.after.seats[1].join_id == "another-join"


def test_nobody_is_played_for_in_a_seat_that_waits_for_a_player() -> None:
    """It is not out: it is still the seat's turn, and everybody waits."""
    match = started()
    (acting,) = DOMINO.to_act(match.state)
    after = released(match, acting)
    assert DOMINO.to_act(after.state) == (acting,)
    assert after.out == ()


@pytest.mark.parametrize(
    ("match", "seat", "rule"),
    [
        pytest.param(lambda: joined(created("", ""), "A").after, 1, "SEAT_NOT_TAKEN", id="nobody has taken it"),
        pytest.param(lambda: created("", "greedy"), 1, "SEAT_NOT_TAKEN", id="a computer's"),
        pytest.param(lambda: released(started(), 1), 1, "SEAT_NOT_TAKEN", id="released already"),
        pytest.param(
            lambda: accepted(LIFECYCLE.resign(started(), Seat(1), Stamp("leave", 2))).after,
            1,
            "SEAT_NOT_TAKEN",
            id="it has left",
        ),
        pytest.param(
            lambda: finished(DOMINO, DOMINO.default_options, ("", ""), b"end").match, 0, "MATCH_OVER", id="at the end"
        ),
    ],
)
def test_what_no_player_holds_is_not_released(match: Any, seat: int, rule: str) -> None:
    """There is nothing to be opened again."""
    assert refused(LIFECYCLE.release(match(), Seat(seat), Stamp("release", 3))) == rule


def absentees(*absent: int, seats: tuple[str, ...] = ("", "", "", "")) -> Recorder:
    """A match that has started without some of its players."""
    recorder = Recorder(DOMINO, DOMINO.default_options, seats, b"absent", JOIN_IN_TIME, absent)
    recorder.wait(WAIT)
    recorder.expire()
    return recorder


def check_log(recorder: Recorder) -> None:
    """The log folds to the match, and everything in it can be decided again."""
    assert Replay(DOMINO, WIRE).fold(None, recorder.envelopes) == recorder.match
    assert verify(DOMINO, WIRE, recorder.envelopes) == recorder.match


def test_a_match_starts_without_those_who_did_not_come() -> None:
    """They are out, the default plays for them, and all of them share the last place."""
    recorder = absentees(1, 3)
    assert (recorder.match.status, recorder.match.out, recorder.match.no_shows) == (Status.PLAYING, (1, 3), 2)
    left = [pb.SeatWentOut.FromString(one.public) for one in recorder.envelopes if one.type.endswith("SeatWentOut")]
    assert [(one.seat, one.reason) for one in left] == [(1, pb.OUT_REASON_NO_SHOW), (3, pb.OUT_REASON_NO_SHOW)]
    for seat, _ in play_on(recorder, (1, 2)):
        assert seat in (0, 2)
    assert recorder.match.places is not None
    assert recorder.match.places[-1] == (1, 3)
    check_log(recorder)


def test_who_leaves_later_is_before_those_who_did_not_come() -> None:
    """Having been there counts."""
    recorder = absentees(0)
    recorder.resign(Seat(2))
    for _ in play_on(recorder, (1, 2)):
        pass
    assert recorder.match.places is not None
    assert recorder.match.places[-2:] == ((2,), (0,))
    check_log(recorder)


def test_a_match_that_nobody_came_to_is_over_at_once() -> None:
    """All share one place."""
    recorder = absentees(0, 1, 2, 3)
    assert (recorder.match.status, recorder.match.places) == (Status.FINISHED, ((0, 1, 2, 3),))
    check_log(recorder)


def test_computers_play_on_when_nobody_else_came() -> None:
    """They are there."""
    recorder = absentees(0, 2, seats=("", "greedy", "", "random"))
    assert recorder.match.out == (0, 2)
    assert set(recorder.acting()) <= {1, 3}
    assert recorder.match.status is Status.PLAYING


def test_a_seat_that_was_never_taken_is_not_taken_after_the_start() -> None:
    """It is out for good."""
    match = absentees(1, 3).match
    for wanted in (None, Seat(1)):
        assert (
            refused(LIFECYCLE.join(match, wanted, player("late"), Stamp("late", match.time_micros))) == "NO_OPEN_SEAT"
        )


def test_released_seats_are_in_the_log() -> None:
    """Released and taken again, before the start and after it: the log folds to the match, and can be decided again."""
    recorder = Recorder(DOMINO, DOMINO.default_options, ("", "", ""), b"released", absent=(2,))
    recorder.release(Seat(0))
    recorder.join(Seat(2), player("third"))
    recorder.join(Seat(0), player("first"))
    (acting,) = recorder.acting()
    recorder.release(acting)
    recorder.join(acting, player("substitute"))
    for _ in play_on(recorder, (1, 2)):
        pass
    check_log(recorder)
    assert recorder.match.seats[acting].player_name == "substitute"


# player("Ada") has the id id-of-Ada.
KEPT = (SeatState(player_id="id-of-Cy"), SeatState(player_id="id-of-Ada"), SeatState())


def kept_seats() -> Match:
    """Seats for Cy and Ada, and one for anybody."""
    return LIFECYCLE.create(MATCH_ID, DOMINO.default_options, KEPT, Terms(), b"seed", Stamp("create", 1)).after


@pytest.mark.parametrize(
    ("name", "wanted", "seat"),
    [
        pytest.param("Ada", None, 1, id="who has a seat kept gets that one"),
        pytest.param("Ada", 2, 2, id="or asks for an open one"),
        pytest.param("Bob", None, 2, id="others get the open one"),
    ],
)
def test_a_seat_is_kept_for_a_player(name: str, wanted: int | None, seat: int) -> None:
    """The organiser has named who may take it."""
    decided = joined(kept_seats(), name, wanted)
    assert decided.after.seats[seat] == player(name)
    assert decided.after.seats[0] == SeatState(player_id="id-of-Cy")


@pytest.mark.parametrize("wanted", [0, 1])
def test_nobody_else_takes_a_seat_that_is_kept(wanted: int) -> None:
    """Not even when it is the only one that is empty."""
    who = player("Bob")
    assert refused(LIFECYCLE.join(kept_seats(), Seat(wanted), who, Stamp("x", 1))) == "SEAT_TAKEN"
    full = joined(kept_seats(), "Eve").after
    assert refused(LIFECYCLE.join(full, None, who, Stamp("x", 1))) == "NO_OPEN_SEAT"


def test_a_match_with_kept_seats_folds_to_what_it_was() -> None:
    """The first event says whom they are kept for."""
    decided = LIFECYCLE.create(MATCH_ID, DOMINO.default_options, KEPT, Terms(), b"seed", Stamp("create", 1))
    assert Replay(DOMINO, WIRE).fold(None, decided.envelopes) == decided.after
