"""Exchanges between near tables: each makes the sum of all weights less, so that it ends; and the work is bounded."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from services.tournament.pairing.table_field import Field, weight

# How far apart two tables may be, at first and if that is not enough.
_NEAR, _FAR = 8, 512
# How many exchanges are tried at most: so many for each entrant, and so many more.
_TRIES_EACH, _TRIES = 10, 100_000


@dataclass(slots=True)
class Hall:
    """The tables as they are now, and their weights. Only for the time of a search."""

    field: Field
    tables: list[list[int]]
    weights: list[int]
    tries: int

    def is_conflict(self, at: int) -> bool:
        """Whether somebody at the table has met another one, or a rule is broken there: more than a gap."""
        return self.weights[at] >= self.field.repeat


def hall(field: Field, tables: list[list[int]]) -> Hall:
    """A hall in which nothing was tried yet."""
    tries = _TRIES + _TRIES_EACH * len(field.scores)
    return Hall(field, tables, [weight(field, table) for table in tables], tries)


def gather(hall: Hall) -> None:
    """Brings forced pairs together, from however far away."""
    home = {member: at for at, table in enumerate(hall.tables) for member in table}
    for one in sorted(hall.field.together):
        for other in sorted(hall.field.together[one]):
            if one < other and {one, other} <= home.keys() and home[one] != home[other]:
                _bring(hall, home, home[one], home[other])


def _bring(hall: Hall, home: dict[int, int], at: int, other: int) -> None:
    found = _best_with(hall, at, other, None)
    if found:
        _do(hall, at, found)
        home.update({member: place for place in (at, other) for member in hall.tables[place]})


def part(hall: Hall) -> None:
    """Takes those apart who should not sit together, near tables first."""
    for reach in (_NEAR, _FAR):
        for at in [at for at in range(len(hall.tables)) if hall.is_conflict(at)]:
            _settle(hall, at, reach, hall.field.repeat)


def tighten(hall: Hall) -> None:
    """Makes gaps smaller."""
    for at in range(len(hall.tables)):
        _settle(hall, at, _NEAR, 1)


def _settle(hall: Hall, at: int, reach: int, enough: int) -> None:
    """Exchanges at this table, the best first, until it weighs less than this or none is better."""
    while hall.weights[at] >= enough and hall.tries > 0 and _exchange(hall, at, reach):
        pass


@dataclass(slots=True)
class _Exchange:
    """Two tables as they would be; `weight` is that of both, `gain` by how much it is less than now."""

    gain: int
    other: int
    tables: tuple[list[int], list[int]]
    weights: tuple[int, int]


def _exchange(hall: Hall, at: int, reach: int) -> bool:
    """Does the best exchange of the nearest, or the first further away that is worth it. False: there is none."""
    found: _Exchange | None = None
    most = _most(hall, at)
    for other in _near(at, reach, len(hall.tables)):
        if found and abs(other - at) > _NEAR and _fewer(hall, at, found) >= most:
            break
        found = _best_with(hall, at, other, found)
    if found:
        _do(hall, at, found)
    return found is not None


def _most(hall: Hall, at: int) -> int:
    """What the table loses by the one who does best to go, gaps left out, in repeats."""
    table = hall.tables[at]
    without = [weight(hall.field, [*table[:seat], *table[seat + 1 :]]) for seat in range(len(table))]
    return hall.weights[at] // hall.field.repeat - min(without) // hall.field.repeat


def _fewer(hall: Hall, at: int, found: _Exchange) -> int:
    """The same of both tables by an exchange."""
    before = hall.weights[at] + hall.weights[found.other]
    return before // hall.field.repeat - sum(found.weights) // hall.field.repeat


def _near(at: int, reach: int, count: int) -> Iterator[int]:
    for distance in range(1, reach + 1):
        if at + distance < count:
            yield at + distance
        if at - distance >= 0:
            yield at - distance


def _best_with(hall: Hall, at: int, other: int, found: _Exchange | None) -> _Exchange | None:
    """The best exchange with another table, if it is better than the one found before."""
    before = hall.weights[at] + hall.weights[other]
    for ours, theirs in _exchanges(hall.tables[at], hall.tables[other]):
        one = weight(hall.field, ours)
        if before - one <= (found.gain if found else 0):
            continue
        two = weight(hall.field, theirs)
        if before - one - two > (found.gain if found else 0):
            found = _Exchange(before - one - two, other, (ours, theirs), (one, two))
    hall.tries -= len(hall.tables[at]) * len(hall.tables[other])
    return found


def _exchanges(one: list[int], other: list[int]) -> Iterable[tuple[list[int], list[int]]]:
    """Both tables after each exchange of two of their members."""
    for mine in range(len(one)):
        for yours in range(len(other)):
            yield (
                [*one[:mine], other[yours], *one[mine + 1 :]],
                [*other[:yours], one[mine], *other[yours + 1 :]],
            )


def _do(hall: Hall, at: int, exchange: _Exchange) -> None:
    for place, table, its_weight in zip((at, exchange.other), exchange.tables, exchange.weights, strict=True):
        hall.tables[place] = table
        hall.weights[place] = its_weight
