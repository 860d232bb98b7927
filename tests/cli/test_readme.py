"""README.md is true: what it says to type works, in the order in which it says so."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.cli.app import app

README = Path(__file__).parents[2] / "README.md"


def printed_commands() -> list[list[str]]:
    """The words of every line of the command line."""
    found = re.findall(r"^    \.venv/bin/meydan (.*)$", README.read_text(), re.MULTILINE)
    return list(map(shlex.split, found))


def test_the_commands_work_one_after_the_other(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MATCH is the match that was played by the command before, and TOURNAMENT likewise."""
    monkeypatch.chdir(tmp_path)
    commands, ids = printed_commands(), {"MATCH": "", "TOURNAMENT": ""}
    for words in commands:
        called = [ids.get(word, word) for word in words]
        printed = CliRunner(env=environment).invoke(app, called, input="1\n" * 500)
        assert printed.exit_code == 0, f"{called}\n{printed.output}"
        for found in re.finditer(r"(match|tournament) (\w{26})", printed.stdout, re.IGNORECASE):
            ids[found[1].upper()] = found[2]
    assert {"play", "replay", "verify", "receipt", "rerun-ai", "tournament", "ratings"} <= {
        words[0] for words in commands
    }
    left = {"receipts.jsonl", "match.jsonl", "board.svg", "cup.jsonl", "cup"}
    assert {file.name for file in tmp_path.iterdir()} == left


def test_the_pages_that_it_names_are_there() -> None:
    """Every link to a file of the repository leads somewhere."""
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README.read_text()) if "://" not in link]
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
