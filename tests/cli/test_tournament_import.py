"""`meydan tournament import`: a tournament is here again, and is what it was."""

import gzip
import json
from pathlib import Path

import pytest

from services import keyring
from services.launcher import Launcher
from services.tournament import book
from shared.proof.keys import SigningKey
from shared.settings import Settings
from tests.cli.programs import Meydan
from tests.cli.test_wrong_arguments import check
from tests.tournament.core.recording import TOURNAMENT_ID
from tests.tournament.service.importing import cup, file_of

CUP = cup(people=7)


@pytest.fixture(scope="module")
def exported(platform: Launcher, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of this platform, which has forgotten it."""
    assert platform.addresses
    file = tmp_path_factory.mktemp("cup") / "cup.jsonl"
    file.write_bytes(file_of(CUP.envelopes, SigningKey.read(keyring.signing_key_file(settings))))
    return file


@pytest.fixture(scope="module")
def imported(meydan: Meydan, exported: Path) -> str:
    """Its id, when it is here again."""
    called = meydan("tournament", "import", str(exported), "--json")
    assert called.exit_code == 0, called.output
    assert json.loads(called.stdout) == {"tournament_id": TOURNAMENT_ID, "events": len(CUP.envelopes)}
    return TOURNAMENT_ID


def test_an_imported_tournament_is_shown_and_exported_like_any(
    meydan: Meydan, imported: str, exported: Path, tmp_path: Path
) -> None:
    """Its standings are those that it had, and its file is the one that it came from."""
    rows = json.loads(meydan("tournament", "standings", imported, "--json").stdout)["rows"]
    assert [row["name"] for row in rows] == [row.name for row in book.standings_rows(CUP.tournament)]
    again = tmp_path / "again.jsonl"
    assert meydan("tournament", "export", imported, str(again)).exit_code == 0
    assert again.read_bytes() == exported.read_bytes()
    assert meydan("tournament", "verify", str(again)).exit_code == 0


def test_a_compressed_file_is_imported_too(meydan: Meydan, imported: str, exported: Path, tmp_path: Path) -> None:
    """It is here already, which is said in the same words."""
    packed = tmp_path / "cup.jsonl.gz"
    packed.write_bytes(gzip.compress(exported.read_bytes()))
    called = meydan("tournament", "import", str(packed))
    assert called.exit_code == 0, called.output
    assert f"Tournament {imported} is here, with all of its {len(CUP.envelopes)} events." in called.stdout


def test_what_is_not_imported_is_told_in_a_sentence(meydan: Meydan, exported: Path, tmp_path: Path) -> None:
    """By the command line what it sees, by the service the rest."""
    file = tmp_path / "file"
    check(meydan("tournament", "import", str(file)), 2, "can't be read: No such file or directory.")
    file.write_text("Ann beat Bob.\n")
    check(meydan("tournament", "import", str(file)), 2, "is not an exported tournament.")
    file.write_bytes(exported.read_bytes().replace(b'"game": "tournament"', b'"game": "domino"', 1))
    check(meydan("tournament", "import", str(file)), 2, "is an exported match: only tournaments are imported.")
    file.write_bytes(exported.read_bytes().replace(b'"p0"', b'"p9"', 1))
    check(meydan("tournament", "import", str(file)), 2, "The file is wrong at version 2, line 3: the line was changed.")
    file.write_bytes(file_of(CUP.envelopes, SigningKey.generate()))
    check(meydan("tournament", "import", str(file)), 2, "which is not trusted here.")


def test_its_report_is_that_of_its_file(meydan: Meydan, imported: str, exported: Path, tmp_path: Path) -> None:
    """Whether it is read from the service or from there."""
    reports = [tmp_path / "one.trf", tmp_path / "other.trf"]
    for report, source in zip(reports, (imported, str(exported)), strict=True):
        assert meydan("tournament", "trf", source, str(report)).exit_code == 0
    assert reports[0].read_bytes() == reports[1].read_bytes()
    assert b"012 cup" in reports[0].read_bytes()
