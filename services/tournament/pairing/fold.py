"""A pairing to start from: who must meet, the bye, score groups folded, and exchanges between near tables.

A group is folded in its middle: the first of the upper half meets the first of the lower half. Who is left over in a
group of an odd size goes down to the next one, and stands first there.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from services.tournament.model import Number
from services.tournament.pairing.criteria import Field
from services.tournament.pairing.pool import BYE, Pair, pair_of

# So far away, in tables, may be the one with whom somebody is exchanged.
_REACH = 64


def settled(field: Field) -> list[Pair]:
    """Who must meet, and the bye: for the last who had none and must not meet anybody."""
    forced = _forced(field)
    if not field.bye:
        return forced
    taken = {one for pair in forced for one in pair}
    free = [one for one in field.numbers if one not in taken]
    return [*forced, (BYE, min(reversed(free), key=field.bye.__getitem__))]


def _forced(field: Field) -> list[Pair]:
    """Forced pairs that nothing speaks against; where not all can meet, first those that stand in nobody's way."""
    times = Counter([one for pair in field.forced for one in pair])
    found: list[Pair] = []
    for pair in sorted(field.forced, key=lambda pair: (times[pair[0]] + times[pair[1]], pair)):
        if field.cost(*pair) < 0 and all(map(set(pair).isdisjoint, found)):
            found.append(pair)
    return found


def folded(field: Field, numbers: Sequence[Number]) -> list[Pair]:
    """The pairs of an even number of entrants, in the order of the pool."""
    found: list[Pair] = []
    left: list[Number] = []
    for _, group in groupby(numbers, key=field.score.__getitem__):
        together = [*left, *group]
        left = [together.pop()] if len(together) % 2 else []
        half = len(together) // 2
        found += map(pair_of, together[:half], together[half:])
    return found


def exchanged(field: Field, pairs: Sequence[Pair]) -> list[Pair]:
    """The same pairs, but where two cost more than their scores differ, partners are exchanged with a near table."""
    found = list(pairs)
    for at, pair in enumerate(found):
        if not field.is_free(*pair):
            _exchange(field, found, at)
    return found


def _exchange(field: Field, pairs: list[Pair], at: int) -> None:
    """Makes the first exchange that costs less."""
    for other in _near(at, len(pairs)):
        before = field.cost(*pairs[at]) + field.cost(*pairs[other])
        for first, second in _crossings(pairs[at], pairs[other]):
            if field.cost(*first) + field.cost(*second) < before:
                pairs[at], pairs[other] = first, second
                return


def _near(at: int, count: int) -> Iterator[int]:
    for distance in range(1, _REACH):
        yield from [place for place in (at - distance, at + distance) if 0 <= place < count]


def _crossings(one: Pair, other: Pair) -> tuple[tuple[Pair, Pair], tuple[Pair, Pair]]:
    (a, b), (c, d) = one, other
    return (pair_of(a, d), pair_of(c, b)), (pair_of(a, c), pair_of(b, d))
