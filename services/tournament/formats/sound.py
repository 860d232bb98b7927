"""What the checkers of all laid-down rounds look at."""

from collections import Counter
from collections.abc import Iterable, Sequence

from services.tournament.model import Certificate, Draw, Number
from services.tournament.pairing.unsound import Unsound

# What a system lays down whole has nothing that could be more or less.
LAID_DOWN: tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]] = ((), (), ())


def laid_down(method: str) -> Certificate:
    """The certificate of a round in which there is no choice."""
    return Certificate(method, *LAID_DOWN)


def check_certificate(draw: Draw, wanted: Certificate) -> None:
    """The certificate is that of the system, to the number."""
    if draw.certificate != wanted:
        raise Unsound(f"The certificate is not this round's: {wanted.method}, {wanted.value}, {wanted.bound}.")


def check_everybody(draw: Draw, wanted: Iterable[Number]) -> None:
    """Who is in has one table or one bye, and nobody else has; nothing has a result."""
    if any(table.places is not None for table in draw.tables):
        raise Unsound("A table of this round has a result before it is played.")
    found = Counter([number for table in draw.tables for number in table.seats])
    found.update(draw.byes)
    if found != Counter(list(wanted)):
        raise Unsound("Not everybody who is in is at one table or has a bye, once.")


def check_order(what: str, found: Sequence[tuple[int, ...]]) -> None:
    """Tables or byes stand in the order of the system."""
    if list(found) != sorted(found):
        raise Unsound(f"The {what} are not in their order.")
