"""How long a computer player searches."""

import time


class Search:
    """Counts the iterations of a search, up to a number; time is only a cap, for a machine that is too slow."""

    def __init__(self, most: int, seconds: float) -> None:
        self.iterations = 0
        self._most = most
        self._deadline = time.monotonic() + seconds

    def __iter__(self) -> "Search":
        return self

    def __next__(self) -> int:
        if self.iterations >= self._most or time.monotonic() >= self._deadline:
            raise StopIteration
        self.iterations += 1
        return self.iterations - 1
