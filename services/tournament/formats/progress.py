"""How far everybody has come in a bracket: the later out, the further."""

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import TypeAlias

from services.tournament.formats.decided import Seeds, order
from services.tournament.formats.single import FINAL, THIRD_PLACE
from services.tournament.model import Number, Round

# Between two rounds: more than there are seats at a table, as the final puts all who are at it in their order.
STEP = 8
_STILL_IN = STEP // 2
Living: TypeAlias = Callable[[Sequence[Round]], Collection[Number]]


def reached(rounds: Sequence[Round], here: frozenset[Number], seeds: Seeds, living: Living) -> dict[Number, int]:
    """A number for everybody who was in the first round. `living` says who is not out after the last of some rounds."""
    found: dict[Number, int] = {}
    alive: frozenset[Number] = frozenset()
    for count, paired in enumerate(rounds, 1):
        alive = frozenset(living(rounds[:count]))
        found |= {one: STEP * count + _STILL_IN * (one in alive) for one in _contestants(paired)}
        for number, ahead in _ahead(paired, seeds):
            found[number] += ahead
    return {one: STEP * (len(rounds) + 1) if one in alive and one in here else far for one, far in found.items()}


def _contestants(paired: Round) -> list[Number]:
    """Who was in a round, but for those who were out before and play for the third place."""
    tables = [table.seats for table in paired.tables if table.label != THIRD_PLACE]
    return [*chain.from_iterable(tables), *paired.byes]


def _ahead(paired: Round, seeds: Seeds) -> list[tuple[Number, int]]:
    """How many each is ahead of at a table that is played for places."""
    tables = [order(table, seeds) for table in paired.tables if table.label in (FINAL, THIRD_PLACE)]
    return [(number, ahead) for found in tables for ahead, number in enumerate(reversed(found))]
