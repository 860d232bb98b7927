"""Time as logs have it: folded, and decided again."""

from dataclasses import replace

import pytest

from meydan.match.v1 import envelope_pb2 as pb
from shared.kernel import Seat
from shared.match.model import Terms
from shared.replay import Replay
from shared.verify import Wrong, verify
from tests.conformance.recording import SECOND, Recorder, play_on, player, rechained
from tests.kernel.matches import (
    BASE,
    BASE_AND_INCREMENT,
    DOMINO,
    JOIN_IN_TIME,
    MOVE,
    WAIT,
    WIRE,
    every_control,
    running,
)


def eventful(terms: Terms) -> Recorder:
    """A match in which everything happens that has to do with time."""
    laid_down = Terms(control=terms.control, join_micros=WAIT)
    recorder = Recorder(DOMINO, DOMINO.default_options, ("", "", "", "greedy"), b"eventful", laid_down, absent=(1, 2))
    recorder.wait(20 * SECOND, away=15 * SECOND)
    recorder.expire()
    recorder.wait(8 * SECOND, away=3 * SECOND)
    recorder.join(Seat(2), player("late"))
    recorder.wait(WAIT)
    recorder.expire()
    for _ in play_on(recorder, (1, 2), 3):
        recorder.wait(4 * SECOND)
    for _ in play_on(recorder, (1, 2), 3):
        recorder.wait(100 * SECOND, away=97 * SECOND)
    while not running(recorder.match):
        (computer,) = recorder.acting()
        recorder.submit(computer, recorder.legal(computer)[0])
    recorder.wait(50 * SECOND, away=50 * SECOND)
    recorder.expire()
    recorder.wait(max(MOVE, BASE))
    recorder.expire()
    for _ in play_on(recorder, (0,)):
        pass
    return recorder


@every_control
def test_time_is_in_the_log(terms: Terms) -> None:
    """The log folds to the match at every version that a command ended with, and all of it can be decided again."""
    recorder = eventful(terms)
    reasons = [
        pb.SeatWentOut.FromString(one.public).reason for one in recorder.envelopes if one.type.endswith("SeatWentOut")
    ]
    assert reasons == [pb.OUT_REASON_NO_SHOW, pb.OUT_REASON_TIME_UP]
    assert sum(one.type.endswith("TimeGivenBack") for one in recorder.envelopes) >= 4
    assert Replay(DOMINO, WIRE).fold(None, recorder.envelopes) == recorder.match
    assert verify(DOMINO, WIRE, recorder.envelopes) == recorder.match


@every_control
def test_a_start_after_the_platform_was_away_can_be_decided_again(terms: Terms) -> None:
    """With no deadline before it: what was given back was nobody's, but it is in the log."""
    recorder = Recorder(DOMINO, DOMINO.default_options, ("", ""), b"away", terms, absent=(1,))
    recorder.wait(10 * SECOND, away=10 * SECOND)
    recorder.join(Seat(1), player("last"))
    for _ in play_on(recorder, (0,)):
        pass
    assert verify(DOMINO, WIRE, recorder.envelopes) == recorder.match


def test_what_a_look_at_the_clock_gave_back_is_not_a_players() -> None:
    """Though the player's command, just before, has the id that the platform's own has."""
    recorder = Recorder(DOMINO, DOMINO.default_options, ("", ""), b"ids", JOIN_IN_TIME, absent=(0, 1))
    # The recorder names the platform's commands by the length of the log.
    recorder.join(Seat(0), replace(player("A"), join_id="command-2"))
    recorder.wait(10 * SECOND, away=10 * SECOND)
    recorder.expire()
    assert {one.command_id for one in recorder.envelopes[1:]} == {"command-2"}
    recorder.join(Seat(1), player("B"))
    for _ in play_on(recorder, (0,)):
        pass
    assert verify(DOMINO, WIRE, recorder.envelopes) == recorder.match


def test_a_clock_that_shows_another_time_is_found() -> None:
    """A log of a dishonest platform, whose links hold: one microsecond more is not what must follow."""
    recorder = eventful(BASE_AND_INCREMENT)
    place = next(place for place, one in enumerate(recorder.envelopes) if one.type.endswith("ClocksSet"))
    clocks = pb.ClocksSet.FromString(recorder.envelopes[place].public)
    clocks.clocks[0].remaining_micros += 1
    dishonest = recorder.envelopes[place]._replace(public=clocks.SerializeToString())
    log = rechained([*recorder.envelopes[:place], dishonest, *recorder.envelopes[place + 1 :]])
    with pytest.raises(Wrong) as error:
        verify(DOMINO, WIRE, log)
    assert error.value.version == place + 1
