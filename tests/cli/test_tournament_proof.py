"""`meydan tournament export`, `verify` and `replay`: one hash for the whole event, with no server."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import proofs, tournament_matches, tournament_proof
from services.cli.client import EVERYTHING, Client
from services.cli.proofs import Unproved
from services.cli.tournament_client import TournamentClient
from services.cli.tournament_matches import Recorded
from services.tournament.wire import EVENTS
from shared import export
from shared.match.wire import full_name
from shared.proof.heads import sign
from shared.proof.keys import SigningKey
from shared.settings import Settings
from tests.cli.cups import Cup, of_people, play_cup
from tests.cli.programs import Meydan
from tests.cli.test_wrong_arguments import check
from tests.histories.make_tournaments import WHERE

MATCHES = 8
CHECKS = [
    *("signature", "length", "chain", "order at the start", "rounds", "decisions", "rulings", "matches", "places"),
]
STORED = sorted(WHERE.glob("*.jsonl"))
every_history = pytest.mark.parametrize("stored", [pytest.param(path, id=path.stem) for path in STORED])


@pytest.fixture(scope="module")
def exported(meydan: Meydan, cup: Cup, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament as a file, and its matches in a folder beside it."""
    file = tmp_path_factory.mktemp("exported") / "cup.jsonl"
    printed = meydan("tournament", "export", cup.id, str(file), "--matches", str(file.with_name("matches")))
    assert printed.exit_code == 0, printed.output
    assert f"Wrote {MATCHES} matches into" in printed.stdout
    return file


@pytest.fixture
def matches(exported: Path, tmp_path: Path) -> Path:
    """A copy of the folder with the matches, to be spoiled."""
    return Path(shutil.copytree(exported.with_name("matches"), tmp_path / "matches"))


def verified(elsewhere: Meydan, file: Path, keys: Path, *words: object) -> Any:
    """What `verify` says where there is no platform."""
    return elsewhere("tournament", "verify", file, "--keys", keys, *words)


def marks_in(printed: str) -> dict[str, str]:
    """Each check with its mark."""
    rows = re.findall(r"^│ (.) │ ([\w ]+?) +│", printed, re.MULTILINE)
    return {name: mark for mark, name in rows if name != "check"}


def test_a_tournament_and_its_matches_are_proved_with_no_server(elsewhere: Meydan, exported: Path, keys: Path) -> None:
    """Every check is named, with what was counted, and whose key has signed."""
    printed = verified(elsewhere, exported, keys, "--matches", exported.with_name("matches"))
    assert printed.exit_code == 0, printed.output
    assert marks_in(printed.stdout) == dict.fromkeys(CHECKS, "✓")
    assert f"published in {keys}" in printed.stdout
    assert f"{len(exported.read_text().splitlines()) - 1} events, as signed" in printed.stdout
    assert "2 rounds of 8 tables: every certificate is accepted, 2 of 2 prove" in printed.stdout
    assert f"{MATCHES} of {MATCHES} files have the hash that is in the log" in printed.stdout
    assert printed.stdout.rstrip().endswith(f"{exported} is what happened, and it happened by the rules.")


def test_verify_as_json(elsewhere: Meydan, exported: Path, keys: Path) -> None:
    """A program gets the same; without a folder no match is looked at, and this is said."""
    row = json.loads(verified(elsewhere, exported, keys, "--json").stdout)
    assert (row["is_good"], row["is_over"], row["is_key_published"]) == (True, True, True)
    assert (row["matches"], row["matches_checked"], list(row["checks"])) == (MATCHES, None, CHECKS)
    assert sorted(number for tied in row["places"] for number in tied) == list(range(9))
    plain = verified(elsewhere, exported, keys).stdout
    assert f"Its {MATCHES} matches were not looked at: --matches FOLDER checks their files too." in plain


def test_without_a_published_key_little_is_claimed(elsewhere: Meydan, exported: Path) -> None:
    """The file's own key shows that it holds together, and this is said plainly."""
    printed = elsewhere("tournament", "verify", exported)
    assert printed.exit_code == 0
    assert "which only the file itself vouches for" in printed.stdout
    assert "is what happened" not in printed.stdout


def test_a_tournament_that_goes_on_is_proved_as_far_as_it_is_open(
    meydan: Meydan, elsewhere: Meydan, tournaments: TournamentClient, keys: Path, tmp_path: Path
) -> None:
    """All but the lots, whose seed is in no byte of the file."""
    file = tmp_path / "running.jsonl"
    tournament = of_people(meydan, tournaments, "Ada Ben Cem Dee")
    assert meydan("tournament", "export", tournament, str(file)).exit_code == 0
    printed = verified(elsewhere, file, keys)
    assert printed.exit_code == 0, printed.output
    assert [name for name, mark in marks_in(printed.stdout).items() if mark == "?"] == ["order at the start"]
    assert "is what has happened so far, and it happened by the rules." in printed.stdout
    (sealed,) = json.loads(file.read_text().splitlines()[1])["sealed"]
    assert (sealed["content"], sealed["salt"]) == (None, "")


@every_history
def test_stored_histories_are_proved(elsewhere: Meydan, stored: Path) -> None:
    """Every system, with rulings and their undoing, brackets and an arena."""
    printed = elsewhere("tournament", "verify", stored)
    assert printed.exit_code == 0, printed.output
    assert marks_in(printed.stdout) == dict.fromkeys(CHECKS, "✓")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("swiss_of_two", "5 rounds of 23 tables: every certificate is accepted, 5 of 5 prove that nothing is better"),
        ("league", "all are what the system lays down"),
        ("single_elimination", "all are what the system lays down"),
    ],
)
def test_no_more_is_claimed_than_certificates_prove(elsewhere: Meydan, name: str, told: str) -> None:
    """Where nothing was minimised, nothing is called the least."""
    assert told in elsewhere("tournament", "verify", WHERE / f"{name}.jsonl").stdout


def forged(lines: list[str]) -> list[str]:
    """The same log under the word of somebody else."""
    read = export.read(lines)
    assert read.signed is not None
    key, head = SigningKey.generate(), read.signed.head
    return [export.header_line(read.game, sign(key, head.match_id, head.version, head.hash), key.public), *lines[1:]]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(
            lambda lines: [line.replace('"random 1"', '"random 9"') for line in lines],
            r"is wrong at version 2, line 3: the line was changed\.",
            id="a readable name",
        ),
        pytest.param(lambda lines: lines[:-1], r"the log has \d+ events, but \d+ are signed\.", id="no end"),
        pytest.param(lambda lines: [*lines[:14], *lines[15:]], r"is wrong at version \d+", id="an event is missing"),
        pytest.param(lambda lines: [*lines[:7], "\n", *lines[7:]], r"is damaged: Line 8 of the file", id="a line more"),
        pytest.param(forged, r"is wrong in its first line: .* which is not a published one\.", id="a forgery"),
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
    failed = verified(elsewhere, file, keys)
    check(failed, 1, "")
    assert re.search(sentence, failed.stderr), failed.stderr
    row = json.loads(verified(elsewhere, file, keys, "--json").stdout)
    assert (row["is_good"], failed.stderr.strip()) == (False, row["message"])


def test_a_single_byte_in_any_line_breaks_the_proof(elsewhere: Meydan, exported: Path, tmp_path: Path) -> None:
    """Wherever it is: no traceback, exit code 1."""
    lines = exported.read_bytes().splitlines(keepends=True)
    file = tmp_path / "changed.jsonl"
    for at in range(len(lines)):
        changed = bytearray(lines[at])
        changed[len(changed) // 2] ^= 0x01
        file.write_bytes(b"".join([*lines[:at], bytes(changed), *lines[at + 1 :]]))
        failed = elsewhere("tournament", "verify", file)
        assert failed.exit_code == 1, (at, failed.output)
        assert "Traceback" not in failed.output


def test_a_changed_match_is_told_by_its_file(elsewhere: Meydan, exported: Path, keys: Path, matches: Path) -> None:
    """The tournament itself is good, but not this match of it."""
    spoiled = sorted(matches.iterdir())[3]
    data = bytearray(spoiled.read_bytes())
    data[len(data) // 2] ^= 0x01
    spoiled.write_bytes(data)
    check(verified(elsewhere, exported, keys, "--matches", matches), 1, f"{spoiled} ")


def test_a_match_of_another_event_is_refused(
    meydan: Meydan, elsewhere: Meydan, exported: Path, keys: Path, matches: Path, client: Client, finished: str
) -> None:
    """One of no tournament, and one of another, however good they are themselves; also under a good name."""
    names = sorted(matches.iterdir())
    other = play_cup(meydan, "Other").id
    assert (
        meydan("tournament", "export", other, str(matches / "../other.jsonl"), "--matches", str(matches)).exit_code == 0
    )
    check(
        verified(elsewhere, exported, keys, "--matches", matches),
        1,
        "is a match of another event: the tournament's log",
    )
    for file in set(matches.iterdir()) - set(names):
        file.unlink()
    names[0].write_bytes(client.export(finished, EVERYTHING))
    refused = verified(elsewhere, exported, keys, "--matches", matches)
    check(refused, 1, f"{names[0]} is a match of another event: the tournament's log does not know {finished}.")


def test_matches_that_are_missing_are_told(elsewhere: Meydan, exported: Path, keys: Path, matches: Path) -> None:
    """What is there is good; how much is not there is said, and not called proved."""
    for file in sorted(matches.iterdir())[:3]:
        file.unlink()
    printed = verified(elsewhere, exported, keys, "--matches", matches)
    assert printed.exit_code == 0
    assert f"{MATCHES - 3} of {MATCHES} files have the hash" in printed.stdout
    assert "The files of 3 matches are not in the folder: their results were taken as they are." in printed.stdout


def test_the_file_of_the_tournament_may_be_in_the_folder(
    elsewhere: Meydan, exported: Path, keys: Path, matches: Path
) -> None:
    """It is no match."""
    beside = Path(shutil.copy(exported, matches / "cup.jsonl"))
    assert verified(elsewhere, beside, keys, "--matches", matches).exit_code == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(lambda one: _with(one, head=bytes(32)), "has another hash than", id="another hash"),
        pytest.param(
            lambda one: _with(one, version=one.result.version + 1), "has another hash than", id="a longer log"
        ),
        pytest.param(lambda one: _with(one, points=[]), "has ended otherwise than", id="no points"),
        pytest.param(lambda one: _with(one, no_shows=[0]), "has ended otherwise than", id="a seat that nobody took"),
        pytest.param(
            lambda one: one._replace(entrants=one.entrants[::-1]), "was played by others than those", id="other seats"
        ),
        pytest.param(lambda one: one._replace(entrants=one.entrants[:1]), "was played by others", id="a smaller table"),
    ],
)
def test_a_match_must_be_what_the_log_says(
    exported: Path, keys: Path, change: Callable[[Recorded], Recorded], sentence: str
) -> None:
    """Its hash, who sat there, and the result with every detail: a log that says anything else is not believed."""
    by = proofs.trusted(keys, Settings())
    found = tournament_proof.checked(exported, by)
    known = tournament_matches.recorded(found.tournament, found.envelopes)
    # Of different levels, so that exchanged seats show.
    chosen = next(one for one in known.values() if one.entrants[0].ai_level != one.entrants[1].ai_level)
    file = exported.with_name("matches") / f"{chosen.result.match_id}.jsonl"
    assert tournament_matches.check(file, found.tournament, known, by) == chosen.result.match_id
    with pytest.raises(Unproved, match=sentence):
        tournament_matches.check(file, found.tournament, {chosen.result.match_id: change(chosen)}, by)
    with pytest.raises(Unproved, match="was made for another event"):
        tournament_matches.check(file, found.tournament._replace(id="another"), known, by)


def _with(one: Recorded, **changes: Any) -> Recorded:
    result = pb.MatchResult()
    result.CopyFrom(one.result)
    for name, value in changes.items():
        result.ClearField(name)  # type: ignore[arg-type]
        result.MergeFrom(pb.MatchResult(**{name: value}))
    return one._replace(result=result)


def test_files_of_the_wrong_kind_are_told_apart(meydan: Meydan, exported: Path) -> None:
    """A tournament is no match, nor the other way round: the sentence says what to type instead."""
    match = next(exported.with_name("matches").iterdir())
    check(meydan("rerun-ai", str(exported)), 2, "is an exported tournament: `meydan tournament verify` checks it.")
    check(meydan("tournament", "verify", str(match)), 2, "is an exported match: `meydan verify` checks it.")
    check(meydan("tournament", "replay", str(match)), 2, "is an exported match: `meydan replay` shows it.")


def test_whoever_has_a_file_need_not_know_what_it_is_of(meydan: Meydan, exported: Path) -> None:
    """`meydan verify` checks a tournament as `meydan tournament verify` does."""
    assert meydan("verify", str(exported)).stdout == meydan("tournament", "verify", str(exported)).stdout


def test_what_can_t_be_written_is_told(meydan: Meydan, cup: Cup, tmp_path: Path) -> None:
    """Exit code 2."""
    missing = tmp_path / "missing" / "cup.jsonl"
    check(meydan("tournament", "export", cup.id, str(missing)), 2, "can't be written: No such file or directory.")


def test_replay_at_a_version_equals_what_the_service_says_of_it(
    meydan: Meydan, elsewhere: Meydan, cup: Cup, exported: Path, tournaments: TournamentClient
) -> None:
    """At every version since the start, from the file alone."""
    newest = tournaments.look(cup.id).version
    assert newest > 20
    for version in range(11, newest + 1):
        replayed = json.loads(elsewhere("tournament", "replay", exported, "--at", version, "--json").stdout)
        said = json.loads(meydan("tournament", "standings", cup.id, "--at", str(version), "--json").stdout)
        assert replayed["rows"] == said["rows"], version
        assert (replayed["version"], replayed["newest_version"]) == (version, newest)


def test_replay_after_a_round(elsewhere: Meydan, exported: Path) -> None:
    """As it stood before the next round was paired; after the last one, as it ended."""
    first = json.loads(elsewhere("tournament", "replay", exported, "--round", "1", "--json").stdout)
    assert sorted(row["points"] for row in first["rows"]).count("1") >= 4
    assert first["round"] == 1
    printed = elsewhere("tournament", "replay", exported, "--round", "1").stdout
    assert re.match(rf" +{first['version']}  Round 1, table \d: 1\. ", printed)
    last = json.loads(elsewhere("tournament", "replay", exported, "--round", "2", "--json").stdout)
    assert last["version"] == last["newest_version"]
    check(elsewhere("tournament", "replay", exported, "--round", "3"), 2, "has the rounds 1 to 2, not 3.")
    check(elsewhere("tournament", "replay", exported, "--at", "999"), 2, "not 999.")


def test_replay_before_the_start(elsewhere: Meydan, exported: Path) -> None:
    """There are entrants, but no standings."""
    printed = elsewhere("tournament", "replay", exported, "--at", "4")
    assert printed.stdout.splitlines() == [
        "    4  random 3 takes part, number 2.",
        "3 entrants; it has not started: there are no standings yet.",
    ]


@every_history
def test_every_event_is_told_in_a_sentence(elsewhere: Meydan, stored: Path) -> None:
    """One line for each version, none of them a name of the program's own."""
    printed = elsewhere("tournament", "replay", stored)
    assert printed.exit_code == 0, printed.output
    told = re.findall(r"^ *(\d+)  (.+)$", printed.stdout, re.MULTILINE)
    assert [int(version) for version, _ in told] == list(range(1, len(stored.read_text().splitlines())))
    own = {full_name(event).rpartition(".")[2] for event in EVENTS}
    assert not [sentence for _, sentence in told if any(name in sentence for name in own)]
    assert told[-1][1].startswith("The tournament is over: ")


def test_who_did_not_come_is_told(elsewhere: Meydan) -> None:
    """Beside the result, and beside what an arbiter has ruled and undone."""
    printed = elsewhere("tournament", "replay", WHERE / "swiss_of_two.jsonl").stdout
    assert "Round 3, table 0: 1. p6, 2. greedy 10; greedy 10 did not come." in printed
    assert "arbiter rules (2), round 2, table 1: 1. p3, 2. greedy 10: The board was wrong." in printed
    assert "arbiter takes ruling 2 back: Seen by nobody." in printed
    assert "p6 and p2 change places: They are brothers." in printed


def test_a_file_that_breaks_the_fold_is_told_in_one_sentence(elsewhere: Meydan, exported: Path, tmp_path: Path) -> None:
    """A log without its beginning can't be replayed."""
    lines = exported.read_text().splitlines(keepends=True)
    file = tmp_path / "broken.jsonl"
    file.write_text("".join([lines[0], *lines[2:]]))
    check(elsewhere("tournament", "replay", file), 1, "can't be checked")
