"""`meydan play`: a person plays in the terminal."""

import re
import time
from typing import NamedTuple

import pytest

from meydan.match.v1.match_service_pb2 import SeatCredential
from services.cli.client import Client
from services.cli.stream_player import StreamPlayer
from services.domino.rules.model import TILES, End
from services.domino.rules.notation import format_tile
from shared.match.model import Terms
from tests.cli import programs
from tests.cli.programs import Meydan

ALWAYS_THE_FIRST = "1\n" * 500


class Turn(NamedTuple):
    """A seat that is to act."""

    match_id: str
    token: str
    legal: tuple[str, ...]


@pytest.fixture
def turn(client: Client) -> Turn:
    """Seat 0 of a match against a computer player, once it has a choice."""
    match_id = client.create(("open", "greedy")).match_id
    joined = client.join(match_id, 0, "Ada")
    credential = SeatCredential(seat=0, token=joined.token)
    deadline = time.monotonic() + programs.MOST_SECONDS
    while not (legal := client.legal(match_id, credential)).commands:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return Turn(match_id, joined.token, tuple(command.text for command in legal.commands))


@pytest.mark.parametrize("opponents", [("greedy",), ("random", "greedy", "random")])
def test_play_to_the_end_against_computer_players(meydan: Meydan, opponents: tuple[str, ...]) -> None:
    """By numbers alone: board, moves, the others' moves as sentences, and the places at the end."""
    against = [word for level in opponents for word in ("--against", level)]
    printed = meydan("play", "domino", "--name", "Ada", *against, typed=ALWAYS_THE_FIRST)
    assert printed.exit_code == 0, printed.output
    assert f"seat 0 Ada (you), seat 1 {opponents[0]}" in printed.stdout
    assert "The match is over: 1. seat" in printed.stdout
    assert re.search(r"│ \d +│ 0 +│ Ada", printed.stdout)


def test_options_and_the_seat_can_be_chosen(meydan: Meydan) -> None:
    """Several rounds are played, from seat 1."""
    words = ("--seat", "1", "--option", "target=1", "--option", "hand_size=3")
    printed = meydan("play", "domino", *words, typed=ALWAYS_THE_FIRST)
    assert printed.exit_code == 0, printed.output
    assert "3 tiles each" in printed.stdout
    assert "(you)" in printed.stdout.split("seat 1", 1)[1]
    assert "points" in printed.stdout


def test_a_token_comes_back_and_q_leaves(meydan: Meydan, turn: Turn) -> None:
    """The seat is found by its token; leaving says how to come back."""
    printed = meydan("play", "domino", turn.match_id, "--token", turn.token, typed="q\n")
    assert printed.exit_code == 0, printed.output
    assert "you are seat 0" in printed.stdout
    assert all(text in printed.stdout for text in turn.legal)
    assert f"play domino {turn.match_id} --token={turn.token}" in printed.stdout.rpartition("To come back")[2]


def test_the_holder_of_a_seat_comes_back_without_its_token(meydan: Meydan) -> None:
    """By the player's own token a new one of the seat is given: as the printed way back says, or by the match alone."""
    left = meydan("play", "domino", "--name", "Ada", typed="q\n")
    [way_back] = re.findall(r"play (domino \w{26} --seat 0)\n", left.stdout.rpartition("To come back")[2])
    for words in (way_back.split(), way_back.split()[:2]):
        again = meydan("play", *words, typed="q\n")
        assert again.exit_code == 0, again.output
        assert "seat 0 Ada (you), seat 1 greedy" in again.stdout


def test_the_seat_of_somebody_else_stays_theirs(meydan: Meydan, turn: Turn) -> None:
    """Who knows the match but holds no seat of it is told that there is none."""
    for words in ((), ("--seat", "0")):
        refused = meydan("play", "domino", turn.match_id, *words)
        assert refused.exit_code == 2
        assert "taken" in refused.stderr


def test_a_match_for_invited_spectators_can_be_joined(meydan: Meydan, client: Client) -> None:
    """Who can't watch it can take a seat, and then sees it."""
    match_id = client.create(("open", "greedy"), terms=Terms(is_public=False)).match_id
    assert meydan("watch", match_id).exit_code == 2
    joined = meydan("play", "domino", match_id, typed="")
    assert joined.exit_code == 0, joined.output
    assert "you are seat 0" in joined.stdout


def test_the_end_of_the_input_leaves_too(meydan: Meydan, turn: Turn) -> None:
    """A closed standard input is no traceback."""
    printed = meydan("play", "domino", turn.match_id, f"--token={turn.token}", "--seat", "0", typed="")
    assert printed.exit_code == 0
    assert "To come back" in printed.stdout


def test_a_move_in_notation_is_played(meydan: Meydan, turn: Turn, client: Client) -> None:
    """What is typed is the game's own notation."""
    before = client.look(turn.match_id).match.version
    printed = meydan("play", "domino", turn.match_id, "--token", turn.token, typed=f"{turn.legal[0]}\nq\n")
    tile, end = turn.legal[0].split()
    assert f"Seat 0 lays {tile} at the {end} end." in printed.stdout
    assert client.look(turn.match_id).match.version > before


def test_refusals_name_the_rule_and_ask_again(meydan: Meydan, turn: Turn) -> None:
    """What is no move, and a move that a rule forbids, each get a sentence; nothing has changed."""
    every = [f"{format_tile(tile)} {end.value}" for tile in TILES for end in End]
    illegal = next(text for text in every if text not in turn.legal)
    printed = meydan("play", "domino", turn.match_id, "--token", turn.token, typed=f"99\n\n?\n{illegal}\nq\n")
    assert "This is not a move in Domino." in printed.stdout
    assert "? for help, q to leave" in printed.stdout
    assert re.search(r"Rule D-[78]: ", printed.stdout)
    assert printed.exit_code == 0


def test_resign_gives_up(meydan: Meydan, turn: Turn, client: Client) -> None:
    """The seat is out for good, also for who comes back with its token."""
    printed = meydan("play", "domino", turn.match_id, "--token", turn.token, typed="resign\n")
    assert printed.exit_code == 0
    assert "Seat 0 resigns" in printed.stdout
    assert client.look(turn.match_id).match.seats[0].is_out
    assert meydan("play", "domino", turn.match_id, "--token", turn.token).exit_code == 0


def test_two_players_meet(client: Client, program_environment: dict[str, str]) -> None:
    """One waits and is told how another can join; the match starts when one does."""
    waiting = programs.start("play", "domino", "--against", "open", environment=program_environment)
    invitation = programs.read_until(waiting, "Another one joins with:")
    match_id = re.findall(r"match (\w{26})", invitation)[0]
    joined = client.join(match_id, None, "Grace")
    assert waiting.stdin is not None
    waiting.stdin.write(ALWAYS_THE_FIRST)
    waiting.stdin.flush()
    credential = SeatCredential(seat=joined.seat, token=joined.token)
    StreamPlayer(client, match_id, credential).play(programs.MOST_SECONDS, lambda _: None)
    printed = waiting.communicate(timeout=programs.MOST_SECONDS)[0]
    assert waiting.returncode == 0
    assert "Grace takes seat 1." in printed
    assert "The match is over" in printed
