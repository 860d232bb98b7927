"""Whether the platform was there: what time is not counted against anybody."""

from collections.abc import Sequence

from shared.match.clocks import Downtimes

# Shorter silences are the network's or the log's own, and count as anybody's time.
MOST_GAP_MICROS = 3_000_000


class Pulse:
    """What this process has heard of when the platform was away."""

    def __init__(self) -> None:
        self._downtimes = Downtimes()
        self._last_beat: int | None = None

    def heard(self, now_micros: int, downtimes: Sequence[tuple[int, int]]) -> None:
        """The log has taken a beat, and told of downtimes."""
        self._downtimes = Downtimes(downtimes)
        self._last_beat = now_micros

    def is_unknown(self) -> None:
        """The log does not answer from the beginning: how long it has been away will only be known later."""
        if self._last_beat is None:
            self._last_beat = 0

    def away(self, start: int, end: int) -> int:
        """Microseconds between two times that nobody is charged for; a silence that is not over yet counts too."""
        total = self._downtimes.within(start, end)
        if self._last_beat is None or end - self._last_beat <= MOST_GAP_MICROS:
            return total
        return total + max(0, end - max(start, self._last_beat))
