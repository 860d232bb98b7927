"""Why two meet in a round, why one of them starts, or why somebody has a bye: sentences, true of any sound round.

Only what the pool, the tables and the certificate show is said. What it would have cost otherwise is said of exchanges
between two tables: that of the nearest in points whom somebody did not get.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from services.tournament.model import POINT, Draw, Number, Units
from services.tournament.pairing import check_dutch
from services.tournament.pairing.criteria import Field, field, pairs_of
from services.tournament.pairing.pool import BYE, Contender, Pair, Pool
from services.tournament.pairing.seating import surplus
from services.tournament.standings import points_shown

Naming: TypeAlias = Callable[[Number], str]

# What one more of each criterion is called, and several.
_FAULTS = (
    ("broken rule (a forced pair, a forbidden one, a second bye)", "broken rules"),
    ("rematch", "rematches"),
    ("place further up for the bye", "places further up for the bye"),
    ("seat past two more of one kind", "seats past two more of one kind"),
)
# So many who were nearer are spoken of.
_NAMED = 3


class _Case(NamedTuple):
    """What the sentences are made of: who asks, whom it meets (BYE: nobody), and the same of everybody."""

    pool: Pool
    draw: Draw
    name: Naming
    field: Field
    known: dict[Number, Contender]
    me: Number
    partner: dict[Number, Number]

    @property
    def other(self) -> Number:
        return self.partner[self.me]


def explain(pool: Pool, draw: Draw, who: Number, name: Naming) -> tuple[str, ...]:
    """What is to be said of one entrant in this round."""
    known = {one.number: one for one in pool.contenders}
    if who not in known:
        return (f"{name(who)} is not among those who are paired in round {pool.round}.",)
    partner = {one: other for pair in pairs_of(draw) for one, other in (pair, pair[::-1])}
    case = _Case(pool, draw, name, field(pool), known, who, partner)
    of_pair = _of_bye(case) if case.other == BYE else _of_table(case)
    return (*of_pair, *_orders(case), *_otherwise(case), _proved(case))


def _of_table(case: _Case) -> Iterator[str]:
    yield f"{_scored(case, case.me)} meets {_scored(case, case.other)} in round {case.pool.round}."
    apart = _apart(case, case.other)
    if apart:
        yield f"Those with equal or near points are to meet; these are {_points(apart)} apart."
    else:
        yield "Those with equal points are to meet, and these two have as many."
    yield from _met(case)
    yield _seat(case)


def _of_bye(case: _Case) -> Iterator[str]:
    yield f"{_scored(case, case.me)} has the bye in round {case.pool.round}."
    yield f"{len(case.pool.contenders)} can't all meet somebody: the bye goes to the lowest who had none."
    if case.known[case.me].had_bye:
        yield f"{case.name(case.me)} had one before, or points without a game."
    below = case.pool.contenders[case.pool.contenders.index(case.known[case.me]) + 1 :]
    for one in below[:_NAMED]:
        why = "had one before, or points without a game" if one.had_bye else "is needed as an opponent"
        yield f"{case.name(one.number)}, who is lower, {why}."


def _met(case: _Case) -> Iterator[str]:
    times = case.known[case.me].met.count(case.other)
    if not times:
        yield "They have not met before."
        return
    value, bound = case.draw.certificate.value[:2], case.draw.certificate.bound[:2]
    proved = (
        f"; no pairing of this round has fewer than {value[1]} {_FAULTS[1][value[1] != 1]}" if value == bound else ""
    )
    yield f"They have met before, {'once' if times == 1 else f'{times} times'}{proved}."


def _seat(case: _Case) -> str:
    seats = next(table.seats for table in case.draw.tables if case.me in table.seats)
    first, second = [case.known[number] for number in seats]
    starts = f"{case.name(first.number)} starts"
    if surplus(first) != surplus(second):
        return f"{starts}: first seats minus second ones, it has {surplus(first)}, the other {surplus(second)}."
    if first.last_seat == 1 and second.last_seat == 0:
        return f"{starts}: both have started equally often, and the other did the last time."
    return (
        f"{starts}: both have as good a right to it, so it goes by the order of entrants and the number of the table."
    )


def _orders(case: _Case) -> Iterator[str]:
    """What was laid down about this entrant."""
    for pairs, what, is_wanted in ((case.pool.forced, "meet", True), (case.pool.forbidden, "not meet", False)):
        for other in sorted([_second(pair, case.me) for pair in pairs if case.me in pair]):
            if other in case.known:
                kept = "" if (case.other == other) == is_wanted else "; it could not be kept"
                yield f"{case.name(case.me)} and {case.name(other)} must {what}{kept}."


def _second(pair: Pair, one: Number) -> Number:
    return pair[1] if pair[0] == one else pair[0]


def _otherwise(case: _Case) -> Iterator[str]:
    """Who was nearer, and what an exchange with its table would have cost."""
    for one in _nearer(case)[:_NAMED]:
        name = case.name(one)
        if one in case.known[case.me].met:
            yield f"{name} is nearer in points, but the two have met before."
        elif case.draw.certificate.method != check_dutch.METHOD:
            yield f"{name} is nearer in points. If {_exchange(case, one)} met, {_difference(case, one)}."


def _nearer(case: _Case) -> list[Number]:
    if case.other == BYE:
        return []
    furthest = _apart(case, case.other)
    found = [one.number for one in case.pool.contenders if one.number not in (case.me, case.other)]
    return sorted([one for one in found if _apart(case, one) < furthest], key=lambda one: (_apart(case, one), one))


def _exchange(case: _Case, one: Number) -> str:
    left = case.partner[one]
    rest = f"{case.name(case.other)} had the bye" if left == BYE else f"{case.name(left)} and {case.name(case.other)}"
    return f"{case.name(case.me)} and {case.name(one)}, and {rest}"


def _difference(case: _Case, one: Number) -> str:
    """The first criterion by which the exchange would be worse, or better."""
    left = case.partner[one]
    before = _faults(case, (case.me, case.other), (one, left))
    after = _faults(case, (case.me, one), (left, case.other))
    for kind, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            return f"the round would have {_changed(kind, new - old)}"
    return "that would be as good"


def _faults(case: _Case, *pairs: tuple[Number, Number]) -> tuple[int, ...]:
    """Of two tables alone, with all forced pairs that are at neither: of them there are as many before and after."""
    return case.field.value(case.field.total(pairs))


def _changed(kind: int, by: int) -> str:
    more = "more" if by > 0 else "less"
    if kind == len(_FAULTS):
        return f"{_points(abs(by))} {more} between those who meet"
    return f"{abs(by)} {more} {_FAULTS[kind][abs(by) != 1]}"


def _proved(case: _Case) -> str:
    certificate = case.draw.certificate
    if certificate.method == check_dutch.METHOD:
        return "The round was paired by FIDE's Dutch system; it is checked to be legal."
    if certificate.value == certificate.bound:
        return "It is proved that no pairing of this round is better by the criteria of the system."
    return "It is not proved that this is the best pairing of the round; its certificate says what the least is."


def _apart(case: _Case, one: Number) -> Units:
    return abs(case.known[one].score - case.known[case.me].score)


def _scored(case: _Case, one: Number) -> str:
    return f"{case.name(one)} ({_points(case.known[one].score)})"


def _points(units: Units) -> str:
    return f"{points_shown(units)} {'point' if units == POINT else 'points'}"
