"""The proof of a whole pairing, put together from what was shown of its parts.

Outside of windows lines are enough. Within a window, what its matching has shown stands for them; its odd sets are
written as lines with exceptions, and whoever of a large group was not in the window is on the side on which most of
its group are. Two who are settled stand on one side of all of them: the lower one where the higher one is.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from services.tournament.model import Number, OddSet, Proof, Units
from services.tournament.pairing.criteria import Field
from services.tournament.pairing.exact import SCALE, Matched
from services.tournament.pairing.pool import BYE, Pair
from services.tournament.pairing.window import Window


class _Side(NamedTuple):
    """A line with exceptions."""

    above: Units | None
    members: frozenset[Number]


def proof(field: Field, settled: Sequence[Pair], parts: Sequence[tuple[Window, Matched]]) -> Proof:
    """What is shown by lines, by those who are settled, and by the parts that were matched exactly."""
    sets = [*_lines(field, parts)]
    for window, found in parts:
        sets += [(_side(field, window, members), weight) for members, weight in found.sets]
    scores = sorted(field.score.values())
    odd = [one for one in _odd(field, settled, sets) if _is_odd(scores, one)]
    return Proof(
        tuple(sorted([*_settled(field, settled), *[value for _, found in parts for value in found.potentials]])),
        tuple([(one.above, one.weight) for one in odd if one.above is not None and not one.members]),
        tuple([one for one in odd if one.above is None or one.members]),
        SCALE,
    )


def bare(field: Field) -> Proof:
    """What needs no reason: that no pairing has less than no faults."""
    times = Counter([one for pair in field.forced for one in pair])
    return Proof(tuple(sorted([(one, -count * field.weights.broken) for one, count in times.items()])), scale=SCALE)


def _settled(field: Field, settled: Sequence[Pair]) -> Iterator[tuple[Number, int]]:
    """Who should meet several has all the value of its pair: less than that costs, but no other costs less."""
    times = Counter([one for pair in field.forced for one in pair])
    for one, other in settled:
        cost = field.cost(one, other)
        rivals = [each for each in (one, other) if times[each] > 1]
        if one == BYE:
            yield one, SCALE * cost
        elif rivals:
            yield from [(each, -SCALE * field.weights.broken) for each in rivals]
        else:
            yield from ((one, cost), (other, cost))


def _lines(field: Field, parts: Iterable[tuple[Window, Matched]]) -> Iterator[tuple[_Side, int]]:
    scores = sorted(set(field.score.values()), reverse=True)
    spans = [(window.lowest, window.highest) for window, _ in parts]
    for higher, lower in pairwise(scores):
        if not any(lowest < higher <= highest for lowest, highest in spans):
            yield _Side(higher, frozenset()), SCALE * (higher - lower)


def _side(field: Field, window: Window, members: frozenset[Number]) -> _Side:
    """An odd set of a window, or all others there, as the line that has the fewest exceptions."""
    there = frozenset([one for pair in window.pairs for one in pair])
    sides = members, there - members
    count, above, which = min([(*_fewest(field, window, there, side), at) for at, side in enumerate(sides)])
    if count == len(sides[which]):
        return _Side(None, sides[which])
    return _Side(above, sides[which] ^ {one for one in there if _is_above(field, one, above)})


def _fewest(field: Field, window: Window, there: frozenset[Number], side: frozenset[Number]) -> tuple[int, Units]:
    """How many exceptions the best line has, and its score; without any line, all members are."""
    balance: dict[Units, int] = defaultdict(int)
    for one in there:
        if one != BYE and field.score[one] > window.lowest:
            balance[field.score[one]] += -1 if one in side else 1
    scores = sorted(balance, reverse=True)
    counts = accumulate([balance[score] for score in scores], initial=len(side))
    return min(zip(counts, [window.highest + 1, *scores], strict=True))


def _is_above(field: Field, one: Number, above: Units) -> bool:
    return one != BYE and field.score[one] >= above


def _odd(field: Field, settled: Sequence[Pair], sets: Iterable[tuple[_Side, int]]) -> Iterator[OddSet]:
    apart = [pair for pair in settled if pair[0] == BYE or field.score[pair[0]] != field.score[pair[1]]]
    for side, weight in sets:
        members = side.members
        if side.above is not None:
            members ^= {_lower(field, pair) for pair in apart if _is_parted(field, pair, side.above)}
        yield OddSet(tuple(sorted(members)), weight, side.above)


def _is_parted(field: Field, pair: Pair, above: Units) -> bool:
    return _is_above(field, pair[0], above) != _is_above(field, pair[1], above)


def _lower(field: Field, pair: Pair) -> Number:
    one, other = pair
    return one if one == BYE or field.score[one] < field.score[other] else other


def _is_odd(at_least: Sequence[Units], one: OddSet) -> bool:
    """`at_least` has the scores, the lowest first."""
    above = 0 if one.above is None else len(at_least) - bisect_left(at_least, one.above)
    return (above + len(one.members)) % 2 == 1
