"""Why somebody sits at this table of a round, and in this seat, or has a bye: sentences, true of any sound round.

Only what the pool and the tables show is said, and nothing of how they were found.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from services.tournament.model import POINT, Draw, Number, Units
from services.tournament.pairing.pool import Contender, Pair, Pool
from services.tournament.pairing.table_value import CRITERIA, meetings, present
from services.tournament.standings import points_shown

Naming: TypeAlias = Callable[[Number], str]

_SEATS = ("first", "second", "third", "fourth")
# So many are named one by one.
_NAMED = 3


class _Case(NamedTuple):
    """What the sentences are made of: who asks, and who sits with it in the order of the seats."""

    pool: Pool
    draw: Draw
    name: Naming
    known: dict[Number, Contender]
    me: Contender
    table: tuple[Contender, ...]


def explain(pool: Pool, draw: Draw, who: Number, name: Naming) -> tuple[str, ...]:
    """What is to be said of one entrant in this round."""
    known = {one.number: one for one in pool.contenders}
    if who not in known:
        return (f"{name(who)} is not among those who are paired in round {pool.round}.",)
    seats = next((table.seats for table in draw.tables if who in table.seats), ())
    case = _Case(pool, draw, name, known, known[who], tuple([known[number] for number in seats]))
    return tuple(_at_a_table(case) if seats else _without_one(case))


def _at_a_table(case: _Case) -> Iterator[str]:
    others = [one for one in case.table if one is not case.me]
    yield f"{_scored(case, [case.me])} sits with {_scored(case, others)} in round {case.pool.round}."
    yield _gap(case)
    yield from _orders(case)
    yield from _nearer(case)
    yield from _repeats(case)
    yield _seat(case)
    yield from _size(case)


def _gap(case: _Case) -> str:
    scores = [one.score for one in case.table]
    gap = max(scores) - min(scores)
    if not gap:
        return "Those with equal points are to meet, and all of these have the same."
    return f"Those with equal or near points are to meet: from the highest of these to the lowest are {_points(gap)}."


def _orders(case: _Case) -> Iterator[str]:
    """What was laid down about this entrant."""
    for pairs, what, is_together in ((case.pool.forced, "meet", True), (case.pool.forbidden, "not meet", False)):
        for one, other in _of(case, pairs):
            is_kept = (case.known[other] in case.table) == is_together
            yield f"{case.name(one)} and {case.name(other)} must {what}{'' if is_kept else '; it could not be kept'}."


def _of(case: _Case, pairs: frozenset[Pair]) -> list[tuple[Number, Number]]:
    me = case.me.number
    found = [pair for pair in present(case.pool, pairs) if me in pair]
    return sorted([(me, one if other == me else other) for one, other in found])


def _nearer(case: _Case) -> Iterator[str]:
    """Who is nearer in points than somebody at the table, but has been met."""
    furthest = max([_apart(case, one) for one in case.table])
    nearer = [one for one in case.pool.contenders if one not in case.table and _apart(case, one) < furthest]
    met = [one for one in nearer if meetings(case.me, one)]
    if met:
        is_one = len(met) == 1
        yield f"Nearer in points {'is' if is_one else 'are'} {_names(case, met)}, whom {_name(case)} has met before."


def _apart(case: _Case, one: Contender) -> Units:
    return abs(one.score - case.me.score)


def _repeats(case: _Case) -> Iterator[str]:
    """Who meets again, and how many do in the whole round."""
    again = [pair for pair in combinations(case.table, 2) if meetings(*pair)]
    if not again:
        yield "No two of them have met before."
        return
    yield from [f"{_names(case, pair)} have met{_how_often(meetings(*pair))} before." for pair in again]
    at = CRITERIA.index("repeats")
    total, least = case.draw.certificate.value[at], case.draw.certificate.bound[at]
    yield f"All tables of this round together come to {_repeats_shown(total)}; {_compared(case, total, least)}."


def _how_often(times: int) -> str:
    return "" if times == 1 else f" {times} times"


def _repeats_shown(count: int) -> str:
    return "1 repeat" if count == 1 else f"{count} repeats"


def _compared(case: _Case, total: int, least: int) -> str:
    """The bound of repeats holds for the byes of this round if what comes before them is at its own."""
    first = CRITERIA.index("repeats")
    if case.draw.certificate.value[:first] != case.draw.certificate.bound[:first]:
        return "rules and byes come first"
    if total == least:
        return "there can't be fewer"
    return f"it is proved that there are {least} at least" if least else "it is not proved that there must be any"


def _seat(case: _Case) -> str:
    seat = case.table.index(case.me)
    before = case.me.sat[seat] if seat < len(case.me.sat) else 0
    so_far = "for the first time" if not before else f"after having sat there {_times(before)}"
    return f"{_name(case)} has the {_SEATS[seat]} seat, {so_far}; no other order of this table is more even."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _size(case: _Case) -> Iterator[str]:
    """Why the table is not full."""
    if len(case.table) == case.pool.seats:
        return
    smaller = [table for table in case.draw.tables if len(table.seats) == len(case.table)]
    sit = "1 table has" if len(smaller) == 1 else f"{len(smaller)} tables have"
    fill = len(case.pool.contenders) - len(case.draw.byes)
    yield f"{fill} entrants do not fill tables of {case.pool.seats}: {sit} {len(case.table)}, as few as can be."


def _without_one(case: _Case) -> Iterator[str]:
    count, byes = len(case.pool.contenders), len(case.draw.byes)
    yield f"{_scored(case, [case.me])} has a bye in round {case.pool.round}."
    yield f"{count} can't all sit at tables as this game needs them; {'1 has' if byes == 1 else f'{byes} have'} none."
    yield "A bye goes to the lowest who had none and whom nobody must meet."
    if case.me.had_bye:
        yield f"{_name(case)} had one before, or points without a game; there was nobody better."
    yield from _orders(case)
    yield from _passed_over(case)


def _passed_over(case: _Case) -> Iterator[str]:
    """Those below who have a table."""
    below = case.pool.contenders[case.pool.contenders.index(case.me) + 1 :]
    seated = [one for one in below if one.number not in case.draw.byes]
    wanted = {number for pair in present(case.pool, case.pool.forced) for number in pair}
    due = [one for one in seated if one.number in wanted]
    had = [one for one in seated if one.had_bye and one not in due]
    rest = [one for one in seated if one not in had and one not in due]
    for those, why in ((had, "had one before"), (due, "must meet somebody"), (rest, "may not meet everybody here")):
        if those:
            yield f"{_names(case, those)}, who {'is' if len(those) == 1 else 'are'} lower, {why}."


def _scored(case: _Case, those: Iterable[Contender]) -> str:
    return _listed([f"{case.name(one.number)} ({_points(one.score)})" for one in those])


def _points(units: Units) -> str:
    return f"{points_shown(units)} {'point' if units == POINT else 'points'}"


def _name(case: _Case) -> str:
    return case.name(case.me.number)


def _names(case: _Case, those: Sequence[Contender]) -> str:
    names = [case.name(one.number) for one in those[:_NAMED]]
    return _listed([*names, f"{len(those) - _NAMED} more"] if len(those) > _NAMED else names)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
