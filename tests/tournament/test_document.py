"""docs/tournaments.md says what the code does."""

import re
from pathlib import Path

import grpc

from services.tournament.model import System

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs" / "tournaments.md").read_text()
FILES = ("lifecycle", "refusals", "rulings", "importing", "servicer", "gate", "plans", "reading", "rounds")


def test_the_table_of_errors_has_every_reason_that_is_given() -> None:
    """The names in the document are those in the code."""
    sources = [(ROOT / "services" / "tournament" / f"{name}.py").read_text() for name in FILES]
    given = {reason for source in sources for reason in re.findall(r'"([A-Z_]{6,})"', source)}
    rows = [line.split("|") for line in DOC.splitlines() if line.startswith("| `")]
    assert {reason for row in rows for reason in re.findall(r"`([A-Z_]{6,})`", row[2])} == given
    assert {code for row in rows for code in re.findall(r"`(\w+)`", row[1])} <= set(grpc.StatusCode.__members__)


def test_the_table_of_systems_has_every_system() -> None:
    """By its first word."""
    rows = [
        line.split("|")[1].strip() for line in DOC.split("## Systems")[1].split("\n## ")[0].splitlines() if "|" in line
    ]
    told = " ".join(rows).lower()
    assert [system.name for system in System if system.value.split("_")[0] not in told] == []
