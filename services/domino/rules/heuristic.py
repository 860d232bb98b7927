"""What a seat may do as far as it sees, what is played for a seat that is out, and the simple computer players."""

from collections.abc import Iterator

from services.domino.rules.commands import Command, LayTile
from services.domino.rules.model import HALVES, SUMS, End
from services.domino.rules.rules import playable
from services.domino.rules.view import View
from shared.kernel import Chance


def legal(view: View) -> tuple[Command, ...]:
    """The legal commands of the seat that looks, in their fixed order; none if it is not its turn."""
    if view.seat is None or view.turn != view.seat:
        return ()
    hand = view.hands[view.seat]
    return () if hand is None else playable(hand, *view.ends)


def heaviest(view: View) -> Command:
    """The default of a seat that is out: the largest sum, then the higher half, then the left end."""
    return max(legal(view), key=_weight)


def _weight(command: LayTile) -> tuple[int, int, bool]:
    return SUMS[command.tile], HALVES[command.tile][1], command.end is End.LEFT


def random_choice(view: View, chance: Chance, _search: Iterator[int]) -> Command:
    """Any legal command."""
    return chance.pick("domino/random", legal(view))


def greedy(view: View, _chance: Chance, _search: Iterator[int]) -> Command:
    """Gets rid of the heaviest tile that fits."""
    return heaviest(view)
