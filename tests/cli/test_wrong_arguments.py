"""Whatever is wrong: one sentence on standard error, an exit code that tells whose fault it is, no traceback."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from services.cli.app import app
from services.cli.client import Client
from services.launcher import Launcher
from tests.cli.programs import Meydan

NO_MATCH = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
NOWHERE = "127.0.0.1:1"


def check(result: Result, code: int, sentence: str) -> None:
    """One line on standard error, nothing on standard output, and the exit code."""
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("dance", "No such command 'dance'."),
        ("games --loud", "No such option: --loud"),
        ("create", "Missing argument 'GAME'."),
        ("create chess", "There is no game 'chess'; the games are domino, kingdomino."),
        ("play chess", "There is no game 'chess'"),
        ("watch", "Missing argument 'MATCH'."),
        ("watch nonsense", "'nonsense' is not the id of a match"),
        (f"watch {NO_MATCH}", f"There is no match {NO_MATCH}."),
        (f"watch {NO_MATCH} --game chess", "There is no game 'chess'"),
        ("replay nonsense", "'nonsense' is neither the id of a match nor a file."),
        (f"replay {NO_MATCH}", f"There is no match {NO_MATCH}."),
        (f"replay {NO_MATCH} --at 0", "greater than or equal to 1"),
        (f"replay {NO_MATCH} --at soon", "Invalid value for '--at'"),
        ("create domino --option hand_size", "An option is written name=value, not 'hand_size'."),
        ("create domino --option size=5", "has no option 'size'; its options are hand_size, target."),
        ("create domino --option hand_size=many", "hand_size is a number from 2 to 14, not 'many'."),
        ("create domino --option hand_size=-2", "hand_size is a number from 2 to 14, not '-2'."),
        ("create domino --option hand_size=1", "Rule D-14: hand_size must be 2 or more."),
        (
            "create kingdomino --seat open --seat open --seat open --option mighty_duel=true",
            "Rule K-21: The Mighty Duel is for 2 players, not 3.",
        ),
        (
            "play kingdomino --against greedy --against random --against greedy --option mighty_duel=true",
            "Rule K-21: The Mighty Duel is for 2 players, not 4.",
        ),
        ("create kingdomino --option dynasty=maybe", "dynasty is true or false, not 'maybe'."),
        ("create kingdomino --option duel=true", "its options are dynasty, middle_kingdom, harmony, mighty_duel."),
        ("create domino --seat open --seat genius", "A seat of Domino Double 6 is open, random"),
        ("create domino --seat open", "Domino Double 6 has 2 to 5 seats, not 1."),
        ("play domino --against genius", "A seat of Domino Double 6 is open, random"),
        ("play domino --seat 3", "The match has the seats 0 to 1, not 3."),
        ("play domino --seat -1", "Invalid value for '--seat'"),
        ("play domino --token secret", "--token opens a seat of a match: name the match too."),
        (f"play domino {NO_MATCH} --token secret", "The token is not valid."),
        ("play domino --entropy xyz", "Entropy is written as 1 to 32 bytes in hexadecimal digits, not 'xyz'."),
        (f"play domino --entropy {'00' * 33}", "Entropy is written as 1 to 32 bytes"),
        ("play domino --receipts missing/file", "missing/file can't be written: No such file or directory."),
        ("create domino --clock soon", "A clock is seconds a move, such as 30, or base and increment, such as 300+5"),
        ("create domino --clock 0", "A time is 1 to 2,592,000 seconds."),
        ("create domino --join-within -1", "Invalid value for '--join-within'"),
        ("token", "Missing argument 'SCOPE...'."),
        ("token king", "The scope of a token is one or more of organiser, player, public, not 'king'."),
        ("token seat", "not 'seat'."),
        ("token player --subject=", "A subject has 1 to 64 visible ASCII characters."),
        ("token player --subject=Zoë", "A subject has 1 to 64 visible ASCII characters."),
        ("token player --hours 0", "Invalid value for '--hours'"),
        ("verify missing.jsonl", "missing.jsonl can't be read: No such file or directory."),
        ("verify README.md", "README.md is not an exported match."),
        ("rerun-ai README.md", "README.md is not an exported match."),
        ("receipt README.md README.md", "README.md is not an exported match."),
        ("verify README.md --keys README.md", "README.md does not hold public keys as `meydan keys --json` prints"),
        (f"play domino {NO_MATCH}", f"There is no match '{NO_MATCH}' here."),
        (f"play domino {NO_MATCH} --against greedy", "--against and --option are for a new match"),
    ],
)
def test_a_wrong_argument_is_told_in_one_sentence(meydan: Meydan, words: str, sentence: str) -> None:
    """Exit code 2: asking again in the same words will not help."""
    check(meydan(*words.split()), 2, sentence)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("replay {finished} --at 999", "The match has the versions 1 to "),
        ("replay {finished} --at 1 --svg board.svg", "there is nothing to draw."),
        ("replay {finished} --export missing/match.jsonl", "missing/match.jsonl can't be written"),
        ("replay {waiting} --svg board.svg", "there is nothing to draw."),
        ("play domino {finished}", "The match is over."),
        ("play domino {waiting} --seat 1", "Seat 1 is taken"),
        ("play domino {waiting} --seat 9", "This match has the seats 0 to 1."),
        ("play domino {waiting} --token {token}", "The token opens no seat of this match."),
        ("play domino {waiting} --token {token} --seat 0", "The token does not open seat 0."),
        ("play domino {waiting} --name=", "A name has 1 to 40 printable characters"),
    ],
)
def test_what_does_not_fit_a_match_is_told_in_one_sentence(
    meydan: Meydan,
    platform: Launcher,
    finished: str,
    waiting: str,
    words: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 2, and no file is written."""
    monkeypatch.chdir(tmp_path)
    token = platform.development_token()
    check(meydan(*words.format(finished=finished, waiting=waiting, token=token).split()), 2, sentence)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="an empty file"),
        pytest.param(b"Dear diary\n", id="a text"),
        pytest.param(bytes(range(256)), id="bytes"),
        pytest.param(b'{"format": "meydan-log", "format_version": 99}\n', id="a format of the future"),
    ],
)
def test_a_file_that_is_no_match_is_told_in_one_sentence(meydan: Meydan, tmp_path: Path, content: bytes) -> None:
    """Exit code 2."""
    file = tmp_path / "file"
    file.write_bytes(content)
    check(meydan("replay", str(file)), 2, "is not an exported match.")


def test_a_file_is_not_exported_again(meydan: Meydan, tmp_path: Path) -> None:
    """Exit code 2: --export is for a match of a service."""
    file = tmp_path / "match.jsonl"
    file.write_text(json.dumps({"format": "meydan-log", "format_version": 1, "game": "domino"}) + "\n")
    check(meydan("replay", str(file), "--export", "other"), 2, "is an exported match already")


@pytest.mark.parametrize(
    "words",
    [f"watch {NO_MATCH}", f"replay {NO_MATCH}", "create domino", "play domino", f"play domino {NO_MATCH}", "keys"],
)
def test_a_service_that_is_not_there_is_told_in_one_sentence(meydan: Meydan, words: str) -> None:
    """Exit code 1, and what to do about it."""
    check(meydan(*words.split(), "--address", NOWHERE), 1, "does not answer; `make up` starts the platform.")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [("MEYDAN_PORTS", "many", '"ports"'), ("MEYDAN_LIVE_MATCHES", "0", "MEYDAN_LIVE_MATCHES is not set right: ")],
)
def test_settings_that_are_wrong_are_told_in_one_sentence(name: str, value: str, sentence: str) -> None:
    """Exit code 2, before anything is started."""
    for command in ("games", "up"):
        check(CliRunner(env={name: value}).invoke(app, [command]), 2, sentence)


def test_an_address_alone_is_asked_what_it_plays(meydan: Meydan, finished: str, client: Client) -> None:
    """Nobody need say which game it is."""
    assert meydan("watch", finished, "--address", client.address).exit_code == 0
