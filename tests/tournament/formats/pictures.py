"""Rounds as text: a line for each stage, and the seeds at each of its tables, the first seat first."""

from services.tournament.model import Draw, Round


def picture(*rounds: Round | Draw) -> str:
    """All rounds, one after the other."""
    return "\n".join(line for paired in rounds for line in _lines(paired))


def _lines(paired: Round | Draw) -> list[str]:
    labels = list(dict.fromkeys(table.label for table in paired.tables))
    lines = [f"{label}: {_tables(paired, label)}" for label in labels]
    byes = " ".join(str(one + 1) for one in paired.byes)
    return [*lines, f"without a game: {byes}"] if byes else lines


def _tables(paired: Round | Draw, label: str) -> str:
    found = [table.seats for table in paired.tables if table.label == label]
    return "  ".join("-".join(str(one + 1) for one in seats) for seats in found)


def text(drawn: str) -> str:
    """A picture as it stands in a test."""
    return "\n".join(line.strip() for line in drawn.strip().split("\n"))
