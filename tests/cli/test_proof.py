"""`meydan verify`, `receipt`, `rerun-ai` and `keys`: proofs that need no server, and what breaks them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from services import registry
from services.cli.client import EVERYTHING, Client
from services.launcher import Launcher
from shared import export
from shared.proof.heads import SignedHead, from_row, sign, to_row
from shared.proof.keys import SigningKey
from tests.cli.programs import Meydan
from tests.conformance import recording

CHECKS = ["signature", "length", "chain", "commitments", "seed", "draws and rules", "outcome"]
ALWAYS_THE_FIRST = "1\n" * 500


@pytest.fixture(scope="module")
def receipts(meydan: Meydan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The receipts of a match that somebody has played to its end."""
    file = tmp_path_factory.mktemp("receipts") / "receipts.jsonl"
    words = ("--name", "Ada", "--entropy", "00ff" * 8, "--receipts", str(file))
    played = meydan("play", "domino", *words, typed=ALWAYS_THE_FIRST)
    assert played.exit_code == 0, played.output
    assert f"receipts are in {file}" in played.stdout
    return file


@pytest.fixture(scope="module")
def exported(client: Client, receipts: Path) -> Path:
    """That match as a file."""
    match_id = heads_in(receipts)[0].match_id
    file = receipts.with_name("match.jsonl")
    file.write_bytes(client.export(match_id, EVERYTHING))
    return file


def heads_in(file: Path) -> list[SignedHead]:
    """The receipts of a file."""
    return [from_row(json.loads(line)) for line in file.read_text().splitlines()]


def checks_in(printed: str) -> dict[str, str]:
    """The marks of the checks that were printed, by their names."""
    rows = re.findall(r"^│ (\S) │ ([a-z ]+?) +│", printed, re.MULTILINE)
    return {name: mark for mark, name in rows}


def test_a_finished_match_is_proved_with_no_server(elsewhere: Meydan, exported: Path, keys: Path) -> None:
    """Every check is named, with what was counted, and whose key has signed."""
    printed = elsewhere("verify", exported, "--keys", keys)
    events = len(exported.read_text().splitlines()) - 1
    assert printed.exit_code == 0, printed.output
    assert checks_in(printed.stdout) == dict.fromkeys(CHECKS, "✓")
    assert f"published in {keys}" in printed.stdout
    assert f"{events} events, as signed" in printed.stdout
    assert "1 of 1 players have added theirs" in printed.stdout
    assert f"{exported} is what happened, and it happened by the rules." in printed.stdout


def test_the_key_of_the_platform_here_is_known(meydan: Meydan, exported: Path, folder: Path) -> None:
    """Where the platform has its data, nobody need name its key."""
    assert f"of the platform in {folder}" in meydan("verify", str(exported)).stdout


def test_without_a_published_key_little_is_claimed(elsewhere: Meydan, exported: Path) -> None:
    """The file's own key shows that it holds together, and this is said plainly."""
    printed = elsewhere("verify", exported)
    assert printed.exit_code == 0
    assert "which only the file itself vouches for" in printed.stdout
    assert "is what happened" not in printed.stdout
    assert "who has made the file may have made its key" in printed.stdout


def test_verify_as_json(elsewhere: Meydan, exported: Path, keys: Path) -> None:
    """A program gets the same."""
    row = json.loads(elsewhere("verify", exported, "--keys", keys, "--json").stdout)
    assert (row["is_good"], row["is_redacted"], row["is_key_published"]) == (True, False, True)
    assert list(row["checks"]) == CHECKS
    assert sorted(seat for tied in row["places"] for seat in tied) == [0, 1]


def test_a_match_that_goes_on_is_proved_as_far_as_it_is_open(
    elsewhere: Meydan, client: Client, keys: Path, tmp_path: Path
) -> None:
    """Links and signature hold; what is hidden is said to be left."""
    match_id = client.create(("open", "greedy")).match_id
    client.join(match_id, 0, "Ada")
    file = tmp_path / "running.jsonl"
    file.write_bytes(client.export(match_id))
    printed = elsewhere("verify", file, "--keys", keys)
    assert printed.exit_code == 0, printed.output
    marks = checks_in(printed.stdout)
    assert [name for name in CHECKS if marks[name] == "✓"] == CHECKS[:4]
    assert [name for name in CHECKS if marks[name] == "?"] == CHECKS[4:]
    assert "is a part of what has happened so far" in printed.stdout
    refused = elsewhere("rerun-ai", file, "--keys", keys)
    assert refused.exit_code == 2
    assert "lacks what was hidden" in refused.stderr


def changed_text(lines: list[str]) -> list[str]:
    """Something else in the part that people read."""
    return [line.replace('"Ada"', '"Bob"') for line in lines]


def changed_time(lines: list[str]) -> list[str]:
    """A later time in the fifth event."""
    row = json.loads(lines[5])
    row["time_micros"] += 1
    return [*lines[:5], json.dumps(row) + "\n", *lines[6:]]


def forged(lines: list[str]) -> list[str]:
    """The same log under the word of somebody else."""
    read = export.read(lines)
    assert read.signed is not None
    key, head = SigningKey.generate(), read.signed.head
    signed = sign(key, head.match_id, head.version, head.hash)
    return [export.header_line(read.game, signed, key.public), *lines[1:]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(changed_text, r"is wrong at version 2, line 3: the line was changed\.", id="a readable name"),
        pytest.param(changed_time, r"is wrong at version 6, line 7: the hash of the envelope before", id="a time"),
        pytest.param(
            lambda lines: lines[:-1], r"the log has \d+ events, but \d+ are signed\.", id="the end is missing"
        ),
        pytest.param(lambda lines: [*lines[:4], *lines[5:]], r"is wrong at version \d+", id="an event is missing"),
        pytest.param(lambda lines: [*lines[:7], "\n", *lines[7:]], r"is damaged: Line 8 of the file", id="a line more"),
        pytest.param(
            forged, r"is wrong in its first line: .* key \w{16}, which is not a published one\.", id="a forgery"
        ),
    ],
)
def test_whatever_was_changed_is_told_in_one_sentence(
    elsewhere: Meydan,
    exported: Path,
    keys: Path,
    tmp_path: Path,
    change: Callable[[list[str]], list[str]],
    sentence: str,
) -> None:
    """Exit code 1, what and where; as JSON too."""
    file = tmp_path / "changed.jsonl"
    file.write_text("".join(change(exported.read_text().splitlines(keepends=True))))
    failed = elsewhere("verify", file, "--keys", keys)
    assert failed.exit_code == 1, failed.output
    assert failed.stdout == ""
    assert failed.stderr.count("\n") == 1
    assert re.search(sentence, failed.stderr), failed.stderr
    row = json.loads(elsewhere("verify", file, "--keys", keys, "--json").stdout)
    assert (row["is_good"], failed.stderr.strip()) == (False, row["message"])


@pytest.mark.parametrize("place", [0.2, 0.4, 0.6, 0.8, 0.99])
def test_a_single_byte_breaks_the_proof(elsewhere: Meydan, exported: Path, tmp_path: Path, place: float) -> None:
    """Wherever it is: no traceback, exit code 1."""
    data = bytearray(exported.read_bytes())
    data[int(len(data) * place)] ^= 0x01
    file = tmp_path / "changed.jsonl"
    file.write_bytes(data)
    failed = elsewhere("verify", file)
    assert failed.exit_code == 1, failed.output
    assert "Traceback" not in failed.output


def test_every_receipt_of_a_player_is_found(elsewhere: Meydan, exported: Path, receipts: Path, keys: Path) -> None:
    """The join and each move, in words, where the log has them."""
    printed = elsewhere("receipt", exported, receipts, "--keys", keys)
    assert printed.exit_code == 0, printed.output
    rows = printed.stdout.splitlines()
    assert len(rows) == len(heads_in(receipts))
    assert "Ada takes seat 0." in rows[0]
    assert all(re.match(r"✓ +\d+  Seat 0 lays \d-\d", row) for row in rows[1:])


def test_what_a_player_adds_is_in_the_log(exported: Path) -> None:
    """The entropy of the command line is the one of the seat."""
    taken = next(json.loads(line) for line in exported.read_text().splitlines() if "SeatTaken" in line)
    assert taken["readable"]["entropy"] == "AP8A/wD/AP8A/wD/AP8A/w=="


def test_receipts_that_do_not_hold_are_told(
    elsewhere: Meydan, exported: Path, receipts: Path, keys: Path, tmp_path: Path
) -> None:
    """Each is judged by itself; exit code 1, and how many."""
    good, *_ = heads_in(receipts)
    stranger = SigningKey.generate()
    wrong = [
        good._replace(signature=bytes(64)),
        good._replace(version=good.version + 1),
        sign(stranger, good.match_id, good.version, good.hash),
    ]
    file = tmp_path / "receipts.jsonl"
    file.write_text("".join(json.dumps(to_row(head)) + "\n" for head in (good, *wrong)))
    failed = elsewhere("receipt", exported, file, "--keys", keys)
    assert failed.exit_code == 1
    assert [row[0] for row in failed.stdout.splitlines()] == ["✓", "✗", "✗", "✗"]
    assert "3 of 4 receipts do not hold" in failed.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no receipt in it."),
        ("Dear diary\n", "Line 1 of "),
        ("[]\n", "is not a receipt."),
    ],
)
def test_what_is_no_receipt_is_told(
    elsewhere: Meydan, exported: Path, tmp_path: Path, text: str, sentence: str
) -> None:
    """Exit code 2."""
    file = tmp_path / "receipts.jsonl"
    file.write_text(text)
    refused = elsewhere("receipt", exported, file)
    assert refused.exit_code == 2
    assert sentence in refused.stderr


def test_a_match_of_computer_players_is_computed_again(
    elsewhere: Meydan, client: Client, finished: str, keys: Path, tmp_path: Path
) -> None:
    """A row for each player, all of whose moves agree."""
    file = tmp_path / "finished.jsonl"
    file.write_bytes(client.export(finished, EVERYTHING))
    printed = elsewhere("rerun-ai", file, "--keys", keys)
    assert printed.exit_code == 0, printed.output
    rows = re.findall(r"│ (\d) +│ (\w+) +│ \d+ +│ (\d+) +│ (\d+) +│", printed.stdout)
    assert [row[:2] for row in rows] == [("0", "greedy"), ("1", "random"), ("2", "greedy")]
    assert [moves for _, _, moves, _ in rows] == [agreed for _, _, _, agreed in rows]


def test_a_player_that_has_moved_in_another_way_is_found(elsewhere: Meydan, tmp_path: Path) -> None:
    """A log by the rules, in which somebody else has moved for greedy: exit code 1, where, and what greedy chooses."""
    game, key = registry.load("domino"), SigningKey.generate()
    played = recording.finished(game, game.default_options, ("greedy", "greedy"), b"seed")
    head = sign(key, played.match.id, played.match.version, played.match.head)
    lines = [export.envelope_line(played.wire, envelope) for envelope in played.envelopes]
    file = tmp_path / "match.jsonl"
    file.write_text("".join([export.header_line(game.name, head, key.public), *lines]))
    assert elsewhere("verify", file).exit_code == 0
    failed = elsewhere("rerun-ai", file)
    assert failed.exit_code == 1
    assert failed.stderr.count("\n") == 1
    assert re.search(r"at version \d+, line \d+: the computer player greedy chooses another move here", failed.stderr)


def test_keys_are_those_of_the_platform(meydan: Meydan, platform: Launcher, folder: Path, keys: Path) -> None:
    """The published key is the public part of the one in the data folder; a table for people, JSON for files."""
    own = SigningKey.read(folder / "keys" / "signing.pem").public
    assert json.loads(keys.read_text()) == {own.id: own.data.hex()}
    assert own.data.hex() in meydan("keys").stdout
    assert own.id in meydan("keys", "--address", platform.addresses["domino"]).stdout


@pytest.mark.parametrize(
    "rows", ["{}", "[]", '{"0000000000000000": "00"}', '{"0123456789abcdef": "' + "00" * 32 + '"}']
)
def test_a_file_of_keys_must_be_one(elsewhere: Meydan, exported: Path, tmp_path: Path, rows: str) -> None:
    """Neither nothing, nor keys under ids that are not theirs."""
    file = tmp_path / "keys.json"
    file.write_text(rows)
    refused = elsewhere("verify", exported, "--keys", file)
    assert refused.exit_code == 2
    assert "does not hold public keys" in refused.stderr
