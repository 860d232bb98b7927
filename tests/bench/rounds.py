"""Ours and the baseline in turns, so that whatever else the machine does meets both alike."""

from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from typing import TypeVar

T = TypeVar("T")


def in_turns(ours: Callable[[], T], baseline: Callable[[], T], rounds: int) -> tuple[list[T], list[T]]:
    """What both gave, round by round; who begins changes."""
    found: tuple[list[T], list[T]] = ([], [])
    for number in range(rounds):
        for which in _order(number):
            found[which].append((ours, baseline)[which]())
    return found


async def in_turns_async(
    ours: Callable[[], Awaitable[T]], baseline: Callable[[], Awaitable[T]], rounds: int
) -> tuple[list[T], list[T]]:
    """The same for what runs in an event loop."""
    found: tuple[list[T], list[T]] = ([], [])
    for number in range(rounds):
        for which in _order(number):
            found[which].append(await (ours, baseline)[which]())
    return found


def _order(number: int) -> tuple[int, int]:
    return (1, 0) if number % 2 else (0, 1)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


__all__ = ["in_turns", "in_turns_async", "median", "percentile"]
