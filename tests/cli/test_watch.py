"""`meydan watch`: a match as it happens."""

import os
import pty
import re
import subprocess

from meydan.match.v1.match_service_pb2 import SeatCredential
from services.cli.client import Client
from services.cli.stream_player import StreamPlayer
from services.launcher import Launcher
from tests.cli import programs
from tests.cli.programs import Meydan


def versions(printed: str) -> list[int]:
    """The versions that stand before sentences."""
    return [int(number) for number in re.findall(r"^ +(\d+)  \S", printed, re.MULTILINE)]


def test_watch_tells_a_match_to_its_end(meydan: Meydan, finished: str, client: Client) -> None:
    """Every event is a sentence; then come the open board and the places."""
    printed = meydan("watch", finished)
    match = client.look(finished).match
    assert printed.exit_code == 0
    assert versions(printed.stdout) == list(range(1, match.version + 1))
    assert "The match starts." in printed.stdout
    assert "The match is over: 1. seat" in printed.stdout
    assert "everything revealed" in printed.stdout
    assert "[?]" not in printed.stdout


def test_watch_goes_on_when_the_service_comes_back(
    platform: Launcher, client: Client, program_environment: dict[str, str]
) -> None:
    """The service is killed in the middle and started again: no event is missing, none is told twice."""
    match_id = client.create(("open", "greedy")).match_id
    watching = programs.start("watch", match_id, environment=program_environment)
    printed = programs.read_until(watching, "The match is made")
    platform.processes["domino"].kill()
    printed += programs.read_until(watching, "is away; trying again")
    platform.start_service("domino")
    joined = client.join(match_id, 0, "Ada")
    credential = SeatCredential(seat=joined.seat, token=joined.token)
    StreamPlayer(client, match_id, credential).play(programs.MOST_SECONDS, lambda _: None)
    printed += watching.communicate(timeout=programs.MOST_SECONDS)[0]
    assert watching.returncode == 0
    assert versions(printed) == list(range(1, client.look(match_id).match.version + 1))
    assert "Ada takes seat 0." in printed


def test_watch_on_a_terminal_has_colours_and_the_board(finished: str, program_environment: dict[str, str]) -> None:
    """On a terminal the board is drawn again and again below the sentences."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [programs.PROGRAM, "watch", finished],
        env=program_environment | {"TERM": "xterm-256color", "COLUMNS": "100"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as watching:
        os.close(theirs)
        printed = read_terminal(ours)
    assert watching.returncode == 0
    assert "\x1b[" in printed
    assert "Domino Double 6, version" in printed
    assert "The match is over" in printed


def read_terminal(end: int) -> str:
    """Everything that is written to a terminal until it is closed."""
    read = b""
    while True:
        try:
            piece = os.read(end, 65536)
        except OSError:
            # What Linux answers when the other side is closed.
            piece = b""
        if not piece:
            os.close(end)
            return read.decode()
        read += piece
