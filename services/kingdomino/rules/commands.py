"""What a seat can do. A turn is two decisions, which may be sent one by one or together."""

from dataclasses import dataclass
from typing import TypeAlias

from services.kingdomino.rules.model import Placement


@dataclass(frozen=True, slots=True)
class PlaceDomino:
    """K-8: add the domino under your king to your kingdom; and, if you like, choose your next one at once.

    It names the domino, so that a command that comes late can't place another one.
    """

    number: int
    where: Placement
    choose: int | None = None


@dataclass(frozen=True, slots=True)
class DiscardDomino:
    """K-15: give up the domino under your king, which fits nowhere; and, if you like, choose your next one at once."""

    number: int
    choose: int | None = None


@dataclass(frozen=True, slots=True)
class ChooseDomino:
    """K-6, K-8: put your king on a free domino of the line."""

    number: int


Command: TypeAlias = PlaceDomino | DiscardDomino | ChooseDomino
