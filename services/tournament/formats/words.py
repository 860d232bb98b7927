"""Pieces of the sentences that explain a round."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from services.tournament.model import Draw, Number, Table

Naming: TypeAlias = Callable[[Number], str]
Sentences: TypeAlias = tuple[str, ...]
_TIMES = ("never", "once", "twice")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def listed(words: Sequence[str]) -> str:
    """One, two and three."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def times(count: int) -> str:
    """How often."""
    return _TIMES[count] if count < len(_TIMES) else f"{count} times"


def ordinal(count: int) -> str:
    """1st, 2nd, 3rd, 4th ... 11th."""
    is_teen = count // 10 % 10 == 1
    return f"{count}{'th' if is_teen else _ENDINGS.get(count % 10, 'th')}"


def the(label: str) -> str:
    """A stage within a sentence: the final, the round of 16, but round 2."""
    is_numbered = label.startswith("round ") and " of " not in label
    return label if is_numbered else f"the {label}"


def table_of(draw: Draw, who: Number) -> Table | None:
    """Where somebody sits."""
    return next((table for table in draw.tables if who in table.seats), None)


def others(table: Table, who: Number, name: Naming) -> str:
    """Who else is at a table."""
    return listed([name(number) for number in table.seats if number != who])


def seat(table: Table, name: Naming) -> str:
    """Why the first seat is whose it is, where seats follow what was played."""
    first = name(table.seats[0])
    return (
        f"{first} sits first: the seats are the most even there are so far, and of equal ones the better seeds' first."
    )
