"""`swiss-1000`: see swiss.py."""

from tests.bench import swiss
from tests.bench.report import Result


def run(is_quick: bool) -> list[Result]:
    """One round of so many."""
    return swiss.results(1_000, is_quick)
