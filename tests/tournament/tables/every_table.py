"""All ways to seat a few entrants, and what each comes to: written plainly, and from the rules' words alone."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from services.tournament.model import Number
from services.tournament.pairing.pool import Contender, Pool

# Groups of more than one are tables; who is alone has a bye.
Seating: TypeAlias = list[frozenset[Number]]
Worth: TypeAlias = tuple[int, ...]


def best_of_all(pool: Pool, sizes: Sequence[int]) -> Worth:
    """The least that tables of these sizes (1: a bye) come to."""
    known: dict[frozenset[Number], Worth] = {}

    def judged_once(group: frozenset[Number]) -> Worth:
        if group not in known:
            known[group] = of_group(pool, group)
        return known[group]

    everybody = [one.number for one in pool.contenders]
    return min(_judged(pool, seating, judged_once) for seating in seatings(everybody, sizes))


def judged(pool: Pool, seating: Seating) -> Worth:
    """Rules broken, how far above the last the byes are, meetings again, and points between highest and lowest."""
    return _judged(pool, seating, lambda group: of_group(pool, group))


def _judged(pool: Pool, seating: Seating, judge: Callable[[frozenset[Number]], Worth]) -> Worth:
    worths = [judge(group) for group in seating]
    broken, repeats, gap = (sum([worth[at] for worth in worths]) for at in range(3))
    return broken, _above_the_last(pool, seating), repeats, gap


def seatings(everybody: Sequence[Number], sizes: Sequence[int]) -> Iterator[Seating]:
    """Each way once: the first of those who are left takes others, and then the rest sit down."""
    if not everybody:
        yield []
        return
    for size in sorted(set(sizes)):
        rest = list(sizes)
        rest.remove(size)
        for others in combinations(everybody[1:], size - 1):
            group = frozenset((everybody[0], *others))
            for seating in seatings([one for one in everybody if one not in group], rest):
                yield [group, *seating]


def of_group(pool: Pool, group: frozenset[Number]) -> Worth:
    """Broken rules, repeats and gap of one table, or of one bye. A forced pair that is apart is broken at one place."""
    members = [one for one in pool.contenders if one.number in group]
    there = {one.number for one in pool.contenders}
    broken = sum([set(pair) <= group for pair in pool.forbidden])
    broken += sum([min(pair) in group and max(pair) not in group for pair in pool.forced if set(pair) <= there])
    if len(group) == 1:
        return broken + members[0].had_bye, 0, 0
    scores = [one.score for one in members]
    return broken, sum([_met(*pair) for pair in combinations(members, 2)]), max(scores) - min(scores)


def _met(one: Contender, other: Contender) -> int:
    return min(Counter(one.met)[other.number], Counter(other.met)[one.number])


def _above_the_last(pool: Pool, seating: Seating) -> int:
    """The places of those with a bye, counted from the last, less what the last so many would have."""
    from_last = [place for place, one in enumerate(reversed(pool.contenders)) if frozenset([one.number]) in seating]
    return sum(from_last) - sum(range(len(from_last)))
