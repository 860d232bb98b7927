"""Single elimination for two at a table: who loses is out. With a game for the third place if the plan has one.

Who is not there when a round is paired is out of the bracket for good, and whoever it was to meet goes on without a
game. Stages in which nobody would play are left out.
"""

from collections.abc import Sequence

from services.tournament.formats.bracket import Tree, by_slot, next_level, nodes, recorded, seeded
from services.tournament.formats.decided import Seeds, order
from services.tournament.formats.heats import TWO, Heat, Stage
from services.tournament.model import Number, Round

FINAL, SEMI_FINAL, QUARTER_FINAL, THIRD_PLACE = "final", "semi-final", "quarter-final", "third place"
_NAMED = (FINAL, SEMI_FINAL, QUARTER_FINAL)


def label(tree: Tree, level: int) -> str:
    """What a level of the tree is called."""
    left = tree.levels - level
    return _NAMED[left] if left < len(_NAMED) else f"round of {2 ** (left + 1)}"


def stage(
    order_at_start: Sequence[Number], rounds: Sequence[Round], here: frozenset[Number], seeds: Seeds, *, third: bool
) -> Stage:
    """What is played next; without tables when it is over. `rounds` are those of the bracket alone."""
    tree = recorded(rounds[0]) if rounds else seeded([number for number in order_at_start if number in here])
    there = [number for number in living(rounds, seeds) if number in here] if rounds else list(tree.slots)
    level = next_level(tree, there)
    last = _third(rounds, here, seeds) if third else ()
    heats = [Heat(label(tree, level), nodes(tree, there, level))] if level else []
    heats += [Heat(THIRD_PLACE, dict.fromkeys(by_slot(tree, last), 0))] if last else []
    return Stage(tuple(heats), (*by_slot(tree, there), *by_slot(tree, last)))


def living(rounds: Sequence[Round], seeds: Seeds) -> list[Number]:
    """Who is not out after the last round: the rounds before it are told by who was in it."""
    return [
        *[order(table, seeds)[0] for table in rounds[-1].tables if table.label != THIRD_PLACE],
        *rounds[-1].byes,
    ]


def _third(rounds: Sequence[Round], here: frozenset[Number], seeds: Seeds) -> tuple[Number, ...]:
    """The two who lost the semi-finals, if both are there."""
    semi_finals = [table for table in rounds[-1].tables if table.label == SEMI_FINAL] if rounds else []
    losers = [order(table, seeds)[1] for table in semi_finals]
    return tuple(losers) if len(losers) == TWO and here.issuperset(losers) else ()
