"""`meydan tournament trf` and `pair`: a Swiss goes to other engines, and theirs come to ours. No service is asked."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import CliRunner, Result

from services.cli.app import app
from services.tournament import trf
from services.tournament.pairing import check
from services.tournament.pairing.unsound import Unsound
from tests.cli.test_wrong_arguments import check as check_failure
from tests.tournament.core.recording import Recorder, over, plan, playing, running
from tests.tournament.service.importing import file_of
from tests.tournament.trf.sample import WRITTEN

Written: TypeAlias = Callable[[str | bytes], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """A file with this content."""

    def write(content: str | bytes) -> Path:
        file = tmp_path / "file"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


def meydan(*words: object) -> Result:
    """The command line where nothing else is."""
    environment = {"MEYDAN_DATA_DIR": "/nowhere", "MEYDAN_ADDRESSES": "{}", "COLUMNS": "160"}
    return CliRunner(env=environment).invoke(app, ["tournament", *map(str, words)])


def paired(file: Path, *words: str) -> dict[str, Any]:
    """The next round as a program reads it."""
    called = meydan("pair", file, "--json", *words)
    assert called.exit_code == 0, called.output
    found: dict[str, Any] = json.loads(called.stdout)
    return found


def test_a_report_is_written_from_a_file(written: Written, tmp_path: Path) -> None:
    """It is read as what was played: each table of each round."""
    recorder, report = over(people=7), tmp_path / "cup.trf"
    called = meydan("trf", written(file_of(recorder.envelopes)), report)
    assert called.stdout == f"Wrote {report}: 7 entrants, 3 rounds.\n"
    names = [player.name for player in trf.read(report.read_text()).players]
    found = trf.read(report.read_text()).rounds
    assert [{tuple(names[one] for one in table.seats) for table in one.tables} for one in found] == played(recorder)


def played(recorder: Recorder) -> list[set[tuple[str, ...]]]:
    """By name, who sat at the tables of each round."""
    entrants = recorder.tournament.entrants

    def named(seats: Sequence[Any]) -> tuple[str, ...]:
        return tuple(entrants[one].name for one in seats)

    return [{named(board.seats) for board in one.boards.values()} for one in recorder.tournament.rounds]


def test_a_round_that_is_played_is_not_in_the_report(written: Written, tmp_path: Path) -> None:
    """Nor can it be: the report has results."""
    called = meydan("trf", written(file_of(playing().envelopes)), tmp_path / "cup.trf")
    assert called.stdout.endswith("4 entrants, 0 rounds.\n")


def test_what_has_no_report_is_told_in_a_sentence(written: Written, tmp_path: Path) -> None:
    """Tables of three, what has not begun, and what is neither here nor there."""
    report = tmp_path / "cup.trf"
    three = file_of(over(plan(seats=3), 6).envelopes)
    check_failure(meydan("trf", written(three), report), 2, "Only a Swiss for two at a table has a report.")
    check_failure(meydan("trf", written(file_of(running().envelopes[:3])), report), 2, "has not started")
    check_failure(meydan("trf", written(file_of(over().envelopes)), tmp_path), 2, "can't be written: Is a directory.")
    check_failure(meydan("trf", "nothing", report), 2, "'nothing' is neither the id of a tournament nor a file.")
    assert not report.exists()


@pytest.mark.parametrize("system", ["swiss", "dutch"])
def test_the_next_round_of_a_report_is_paired_with_its_certificate(written: Written, system: str) -> None:
    """By start numbers: Bob has met both others, who have not played each other, and has had no bye but half a one."""
    found = paired(written(WRITTEN), "--system", system)
    assert (found["round"], found["byes"], found["is_accepted"]) == (4, [2], True)
    assert [sorted(table) for table in found["tables"]] == [[1, 3]]
    assert found["certificate"]["method"] == ("fast" if system == "swiss" else "dutch")
    printed = meydan("pair", written(WRITTEN), "--system", system).stdout
    assert "Autumn Cup, round 4" in printed
    assert "Without a table: 2 Bob (1)." in printed
    assert "accepts the round and its certificate" in printed
    assert ("Nothing can be better" in printed) is (system == "swiss")


def test_the_system_is_that_of_the_report(written: Written) -> None:
    """Unless another is named; what another engine calls its own is a Swiss here."""
    assert paired(written(WRITTEN))["certificate"]["method"] == "dutch"
    assert paired(written(WRITTEN.replace("FIDE_DUTCH", "FIDE_DUBOV")))["certificate"]["method"] == "fast"


def test_a_tie_break_that_is_not_known_here_changes_nothing(written: Written) -> None:
    """It has no say in who meets whom."""
    assert paired(written(WRITTEN.replace("BH/C1", "ESB"))) == paired(written(WRITTEN))


def test_a_round_that_the_checker_does_not_accept_is_not_shown(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The word of the checker is asked for, and counts."""

    def refuse(*_: object) -> None:
        raise Unsound("The certificate says less.")

    monkeypatch.setattr(check, "check", refuse)
    called = meydan("pair", written(WRITTEN), "--system", "swiss")
    check_failure(called, 1, "The checker does not accept the round: The certificate says less.")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (WRITTEN.replace("2 b 1", "2 w 1"), "line 10: round 1: one of the two has white, and the other black."),
        (WRITTEN.replace("3.0    1", "2.0    1"), "line 10: the points of entrant 1 are not those of its rounds"),
        (WRITTEN + "XXP    1    3\n", "line 15: pairs of a report (XXP) are not known here."),
        ("", "line 1: there is no entrant (no line with 001)."),
        (WRITTEN.replace("142 5", "142 x"), "line 5: 'x' is no number of rounds."),
    ],
)
def test_what_is_wrong_with_a_report_is_told_with_its_line(written: Written, content: str, sentence: str) -> None:
    check_failure(meydan("pair", written(content)), 2, sentence)


def test_wrong_words_are_told_in_a_sentence(written: Written, tmp_path: Path) -> None:
    """A system that is not ours, and no file."""
    unknown = meydan("pair", written(WRITTEN), "--system", "monrad")
    check_failure(unknown, 2, "A report is paired by swiss or dutch, not by 'monrad'.")
    check_failure(meydan("pair", tmp_path / "none"), 2, "can't be read: No such file or directory.")


def test_names_from_before_unicode_move_no_column(written: Written) -> None:
    """A letter is a byte there, and none of them ends a line."""
    old = WRITTEN.replace("Cid  ", "Çöl\x85 ").encode("latin-1")
    assert "3 Çöl? (0.5)" in meydan("pair", written(old)).stdout
