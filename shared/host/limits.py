"""How much of anything there may be. Whoever wants more gets RESOURCE_EXHAUSTED at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shared.host import errors

LONGEST_NAME = 40
MOST_OPTION_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Those that can be set."""

    # Of one organiser, not finished.
    open_matches: int = 10_000
    # Of one connection: Play, WatchMatch and ExportMatch.
    streams: int = 1_000


class Streams:
    """The streams that are open, by connection."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_more(self, peer: str) -> Iterator[None]:
        """Counts a stream while it is open."""
        if self._open[peer] >= self._most:
            raise errors.too_much("streams", f"One connection has at most {self._most} streams open.")
        self._open[peer] += 1
        try:
            yield
        finally:
            self._open[peer] -= 1
            if not self._open[peer]:
                del self._open[peer]
