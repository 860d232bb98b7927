"""Time left, as `play`, `watch` and `replay` show it."""

import re

import pytest

from services.cli import clocks
from services.cli.client import Client
from shared.match.clocks import SeatClock, TimeControl
from shared.match.model import Terms
from tests.cli.programs import Meydan

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("micros", "shown"),
    [
        (0, "0:00.0"),
        (-5 * SECOND, "0:00.0"),
        (9_960_000, "0:09.9"),
        (10 * SECOND, "0:10"),
        (59_999_999, "0:59"),
        (298 * SECOND, "4:58"),
        (3600 * SECOND, "1:00:00"),
        (90_061 * SECOND, "25:01:01"),
    ],
)
def test_time_left_is_never_shown_longer_than_it_is(micros: int, shown: str) -> None:
    """Minutes and seconds, rounded down; tenths at the end."""
    assert clocks.time_left(micros) == shown


def test_only_clocks_that_run_go_on() -> None:
    """What has passed since they were read is taken off."""
    read = (SeatClock(30 * SECOND, is_running=True), SeatClock(30 * SECOND, is_running=False))
    assert clocks.line(read, 5 * SECOND) == "seat 0 0:25 (running), seat 1 0:30"


def test_play_and_watch_show_the_time_of_the_seats(meydan: Meydan, client: Client) -> None:
    """On the board of who is to move, and with the events of who watches."""
    terms = Terms(control=TimeControl(base_micros=600 * SECOND, increment_micros=SECOND))
    match_id = client.create(("open", "greedy"), terms=terms).match_id
    printed = meydan("play", "domino", match_id, "--name", "Ada", typed="1\nresign\n").stdout
    assert re.search(r"│ time left: seat 0 (9:5\d|10:00) \(running\), seat 1 10:00", printed)
    watched = meydan("watch", match_id).stdout
    assert re.search(r"\d  Time left: seat 0 (9:5\d|10:0\d) \(running\), seat 1 10:00\.", watched)
    assert "Seat 0 resigns and is played for from now on." in watched


def test_without_a_clock_no_time_is_shown(meydan: Meydan, finished: str) -> None:
    """There is none."""
    assert "ime left" not in meydan("watch", finished).stdout
