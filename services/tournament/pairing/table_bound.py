"""What no tables can come before, found from the pool alone: the checker counts with it, and the search is not trusted.

The bound is one of the whole row of criteria, the first first: any tables have more than it in the first criterion in
which they differ from it. Up to 12 entrants it is the best there is, by trying everything. For more, in linear time:

- `broken`: second byes that can't be avoided, and pairs that are both forced and forbidden.
- `byes`: the lowest who had none and whom nobody is forced to meet; then who has the byes is known for what follows.
- `repeats`: who has met all but a few must meet some again; half of their sum, as two of them may meet each other.
  So must those who are forced to.
- `gap`: the least for these sizes with no regard to anything else (table_start.py says why neighbours are the best).

Where a forced pair leaves no such choice of byes, only the first of the four is known, and the others are 0.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from services.tournament.model import Number
from services.tournament.pairing.pool import Contender, Pool
from services.tournament.pairing.table_sizes import FEWEST, Sizes, sizes
from services.tournament.pairing.table_value import Value, height, measure, meetings, present, total

# Up to so many entrants everything is tried.
FEW = 12


def bound(pool: Pool, fewest: int = FEWEST) -> Value:
    """No tables of this pool come before it."""
    return tried(pool, fewest) if len(pool.contenders) <= FEW else linear(pool, fewest)


def linear(pool: Pool, fewest: int = FEWEST) -> Value:
    """The bound for any number of entrants."""
    wanted = sizes(len(pool.contenders), pool.seats, fewest)
    clashes = len(present(pool, pool.forced & pool.forbidden))
    byes = _byes(pool, wanted.byes)
    if byes is None:
        return clashes, 0, 0, 0
    seconds = sum([pool.contenders[at].had_bye for at in byes])
    members = [one for at, one in enumerate(pool.contenders) if at not in byes]
    again = max(repeats(members, wanted), _again(pool))
    return clashes + seconds, height(len(pool.contenders), byes), again, least_gap(members, wanted)


def _again(pool: Pool) -> int:
    """Repeats of those who must meet."""
    known = {one.number: one for one in pool.contenders}
    pairs = present(pool, pool.forced - pool.forbidden)
    return sum([meetings(known[one], known[other]) for one, other in pairs])


def _byes(pool: Pool, count: int) -> list[int] | None:
    """The one choice of byes that breaks the fewest rules and is the lowest of those; None: it is not so simple."""
    if not count:
        return []
    forced = {number for pair in present(pool, pool.forced - pool.forbidden) for number in pair}
    upwards = range(len(pool.contenders) - 1, -1, -1)
    first = [at for at in upwards if not pool.contenders[at].had_bye and pool.contenders[at].number not in forced]
    if len(first) < count and forced:
        return None
    return (first + [at for at in upwards if pool.contenders[at].had_bye])[:count]


def repeats(members: Sequence[Contender], wanted: Sizes) -> int:
    """At least so many repeats. At a smaller table an entrant may have one fewer: that goes to whom it helps most."""
    if not wanted.tables:
        return 0
    full = wanted.tables[0]
    known = [one for one in members if len(one.met) > len(members) - full]
    if not known:
        return 0
    by_number = {one.number: one for one in members}
    counts = [_meetings(one, by_number) for one in known]
    needs = [_need(times, len(members), full) for times in counts]
    saved = sorted([need - _need(times, len(members), full - 1) for need, times in zip(needs, counts, strict=True)])
    at_smaller = wanted.tables.count(full - 1) * (full - 1)
    return (sum(needs) - sum(saved[::-1][:at_smaller]) + 1) // 2


def _meetings(one: Contender, by_number: dict[Number, Contender]) -> list[int]:
    """How often it has met each of those it has met, the fewest first."""
    times = Counter([other for other in one.met if other in by_number])
    both = [min(count, by_number[other].met.count(one.number)) for other, count in times.items()]
    return sorted(filter(None, both))


def _need(times: Sequence[int], members: int, size: int) -> int:
    """The fewest repeats of one entrant at a table of this size."""
    strangers = members - 1 - len(times)
    return sum(times[: max(size - 1 - strangers, 0)])


def least_gap(members: Sequence[Contender], wanted: Sizes) -> int:
    """The least sum of gaps; `least` has it for the tables so far, by how many of them are smaller."""
    if not wanted.tables:
        return 0
    full = wanted.tables[0]
    smaller = wanted.tables.count(full - 1)
    least = {0: 0}
    for count in range(len(wanted.tables)):
        least = _one_more(members, least, count, full, smaller, len(wanted.tables))
    return least[smaller]


def _one_more(
    members: Sequence[Contender], least: dict[int, int], count: int, full: int, smaller: int, tables: int
) -> dict[int, int]:
    after: dict[int, int] = {}
    for used, gap in least.items():
        at = count * full - used
        for size, now in ((full, used), (full - 1, used + 1)):
            if now <= smaller and count + 1 - now <= tables - smaller:
                reached = gap + members[at].score - members[at + size - 1].score
                after[now] = min(after.get(now, reached), reached)
    return after


def tried(pool: Pool, fewest: int = FEWEST) -> Value:
    """The best of all tables and byes, by trying them: each way once, and left as soon as it is worse than another."""
    wanted = sizes(len(pool.contenders), pool.seats, fewest)
    measured = measure(pool)
    known: dict[tuple[int, ...], Value] = {}

    def cost(table: tuple[int, ...]) -> Value:
        if table not in known:
            known[table] = measured(table)
        return known[table]

    everybody = tuple(range(len(pool.contenders)))
    found = _least(everybody, (*wanted.tables, *(1,) * wanted.byes), cost, (0, 0, 0, 0), None)
    assert found is not None, "everybody can sit somewhere"
    # Each bye was counted as if it were the only one.
    broken, byes, repeated, gap = found
    return broken, byes - wanted.byes * (wanted.byes - 1) // 2, repeated, gap


def _least(
    members: tuple[int, ...],
    room: tuple[int, ...],
    cost: Callable[[tuple[int, ...]], Value],
    so_far: Value,
    best: Value | None,
) -> Value | None:
    """The least that these can come to after `so_far`, or `best` if they can't do better."""
    if best is not None and so_far >= best:
        return best
    if not members:
        return so_far
    for size in sorted(set(room)):
        place = room.index(size)
        for others in combinations(members[1:], size - 1):
            table = (members[0], *others)
            left = tuple([member for member in members if member not in table])
            best = _least(left, room[:place] + room[place + 1 :], cost, total((so_far, cost(table))), best)
    return best
