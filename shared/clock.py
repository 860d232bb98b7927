"""The one place where the platform asks what time it is. Rules never do."""

import time
from typing import Protocol


class Clock(Protocol):
    """Something that knows the time."""

    def now_micros(self) -> int:
        """Microseconds since 1970-01-01 UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_micros(self) -> int:
        return time.time_ns() // 1000
