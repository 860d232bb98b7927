"""What exchanges alone do not untangle: a tabu search, for fields of which a whole matrix can be held.

Each step does the best exchange of somebody who sits badly, even if it makes things worse; nobody goes back to a table
it has just left. The best tables on the way are kept. Nothing is by lot, and the number of steps is bounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from services.tournament.pairing.table_field import Field, meetings

# Up to so many entrants.
MOST = 400
# The search ends after so many steps without anything better.
_PATIENCE = 60
_TENURE = 6


@dataclass(slots=True)
class _Walk:
    """Where the search is. `pairs` are the weights of two at one table, `pull[one][table]` their sums by table."""

    field: Field
    tables: list[list[int]]
    home: dict[int, int]
    pairs: list[list[int]]
    pull: list[list[int]]
    # The least that a member can have: with all of its forced partners and nobody else of note.
    least: list[int]
    # By member and table, until which step it must not go there.
    barred: dict[tuple[int, int], int]
    total: int
    step: int = 0


def untangle(field: Field, tables: list[list[int]], floor: int) -> list[list[int]]:
    """Better tables, or these; `floor` is what the weights of repeats can't fall below."""
    walk = _walk(field, tables)
    kept, best, since = [table.copy() for table in tables], walk.total, 0
    while best > floor + _forced(walk) and since < _PATIENCE and _step(walk, best):
        since += 1
        if walk.total < best:
            kept, best, since = [table.copy() for table in walk.tables], walk.total, 0
    return kept


def _forced(walk: _Walk) -> int:
    """All forced pairs together: each is counted by both of its members."""
    return sum([walk.least[member] for member in walk.home]) // 2


def _walk(field: Field, tables: list[list[int]]) -> _Walk:
    count = len(field.scores)
    pairs = [[0] * count for _ in range(count)]
    home = {member: at for at, table in enumerate(tables) for member in table}
    for one in range(count):
        for other in field.met[one]:
            pairs[one][other] = field.repeat * meetings(field, one, other)
        for other in field.apart.get(one, ()):
            pairs[one][other] += field.broken
        for other in field.together.get(one, ()):
            pairs[one][other] -= field.broken
    least = [-field.broken * len(field.together.get(one, ())) for one in range(count)]
    pull = [[sum([row[member] for member in table]) for table in tables] for row in pairs]
    total = sum([pull[member][at] for member, at in home.items()]) // 2
    return _Walk(field, [table.copy() for table in tables], home, pairs, pull, least, {}, total)


def _step(walk: _Walk, best: int) -> bool:
    """Does the best exchange that is not barred, or that is better than all before; False: there is none."""
    found = min(_choices(walk, best), default=None)
    if found is None:
        return False
    change, _, one, other = found
    walk.step += 1
    walk.total += change
    _swap(walk, one, other)
    return True


def _choices(walk: _Walk, best: int) -> Iterator[tuple[int, int, int, int]]:
    """Of each who sits badly the best exchanges: what they change, what they do to the gap, and the two."""
    for one, here in sorted(walk.home.items()):
        if walk.pull[one][here] > walk.least[one]:
            yield from _choices_of(walk, best, one, here)


def _choices_of(walk: _Walk, best: int, one: int, here: int) -> Iterator[tuple[int, int, int, int]]:
    pull, pairs = walk.pull[one], walk.pairs[one]
    lowest: int | None = None
    for there, table in enumerate(walk.tables):
        if there == here:
            continue
        going = pull[there] - pull[here]
        for other in table:
            back = walk.pull[other]
            change = going + back[here] - back[there] - 2 * pairs[other]
            if (lowest is None or change <= lowest) and _is_open(walk, best, change, one, other, here, there):
                lowest = change
                yield change, _gap_change(walk, one, other, here, there), one, other


def _is_open(walk: _Walk, best: int, change: int, one: int, other: int, here: int, there: int) -> bool:
    if walk.total + change < best:
        return True
    return walk.barred.get((one, there), 0) <= walk.step and walk.barred.get((other, here), 0) <= walk.step


def _gap_change(walk: _Walk, one: int, other: int, here: int, there: int) -> int:
    ours, theirs = walk.tables[here], walk.tables[there]
    after = _gap(walk.field, [other if member == one else member for member in ours])
    after += _gap(walk.field, [one if member == other else member for member in theirs])
    return after - _gap(walk.field, ours) - _gap(walk.field, theirs)


def _gap(field: Field, table: list[int]) -> int:
    return field.scores[min(table)] - field.scores[max(table)]


def _swap(walk: _Walk, one: int, other: int) -> None:
    here, there = walk.home[one], walk.home[other]
    walk.tables[here][walk.tables[here].index(one)] = other
    walk.tables[there][walk.tables[there].index(other)] = one
    walk.home[one], walk.home[other] = there, here
    for pairs, pull in zip(walk.pairs, walk.pull, strict=True):
        moved = pairs[other] - pairs[one]
        pull[here] += moved
        pull[there] -= moved
    # Terms of changing length, as a fixed one may go in circles.
    until = walk.step + _TENURE + walk.step % 5
    walk.barred[one, here] = walk.barred[other, there] = until
