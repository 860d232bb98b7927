"""Why one stands above another, in a sentence; and exact numbers as text."""

from collections.abc import Callable
from typing import TypeAlias

from services.tournament.model import POINT, Number, Plan, TieBreak, Units
from services.tournament.standings.ranking import Row
from services.tournament.standings.tie_breaks import Value

Naming: TypeAlias = Callable[[Number], str]

_DIGITS = 2
TITLES = {
    TieBreak.DIRECT_ENCOUNTER: "direct encounter",
    TieBreak.BUCHHOLZ: "Buchholz",
    TieBreak.BUCHHOLZ_CUT_1: "Buchholz without the lowest",
    TieBreak.BUCHHOLZ_CUT_2: "Buchholz without the two lowest",
    TieBreak.BUCHHOLZ_MEDIAN: "Buchholz without the lowest and the highest",
    TieBreak.SONNEBORN_BERGER: "Sonneborn-Berger",
    TieBreak.PROGRESSIVE: "the scores after each round",
    TieBreak.WINS: "wins",
    TieBreak.SECOND_SEAT: "games in later seats",
    TieBreak.OPPONENTS_RATING: "the average rating of opponents",
    TieBreak.GAME_POINTS: "points in the games",
    TieBreak.MARGIN: "margins in the games",
}


def reason(plan: Plan, one: Row, other: Row, name: Naming) -> str:
    """Why these two rows of the standings are in their order."""
    above, below = sorted((one, other), key=lambda row: row.place)
    both = f"{name(above.number)} and {name(below.number)}"
    if above.place == below.place:
        return f"{both} share place {above.place}: they are equal in points and in {_all(plan)}."
    return f"{name(above.number)} stands above {name(below.number)} {_why(plan, above, below)}"


def _all(plan: Plan) -> str:
    titles = [TITLES[tie_break] for tie_break in plan.tie_breaks]
    return ", ".join(titles) if titles else "all that counts"


def _why(plan: Plan, above: Row, below: Row) -> str:
    if above.reached != below.reached:
        return "for having come further."
    if above.points != below.points:
        return f"by points: {_apart(_points(above), _points(below))}."
    pairs = list(zip(plan.tie_breaks, above.values, below.values, strict=True))
    decisive = next(index for index, (_, more, less) in enumerate(pairs) if more != less)
    equal = "".join([f", equal in {TITLES[tie_break]}" for tie_break in plan.tie_breaks[:decisive]])
    return f"by {_decided(*pairs[decisive])} (both have {_each(above)}{equal})."


def _decided(tie_break: TieBreak, more: Value, less: Value) -> str:
    if tie_break is TieBreak.DIRECT_ENCOUNTER:
        return f"direct encounter: ahead of {more.amount} of those who were equal, against {less.amount}"
    return f"{TITLES[tie_break]}: {_apart(more, less)}"


def _each(row: Row) -> str:
    return f"{points_shown(row.points)} {'point' if row.points == POINT else 'points'}"


def _points(row: Row) -> Value:
    return Value(row.points, POINT)


def _apart(more: Value, less: Value) -> str:
    """Both with as many digits as it takes to see that they are not the same."""
    digits = next(many for many in range(_DIGITS, 99) if shown(more, many) != shown(less, many))
    return f"{shown(more, digits)} to {shown(less, digits)}"


def points_shown(units: Units) -> str:
    """Points as text: `4.5`."""
    return shown(Value(units, POINT))


def shown(value: Value, digits: int = _DIGITS) -> str:
    """An exact number as text, rounded (a half away from 0) to so many digits, without noughts at the end."""
    scale = 10**digits
    whole, rest = divmod((2 * abs(value.amount) * scale + value.scale) // (2 * value.scale), scale)
    text = f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".")
    return f"-{text}" if value.amount < 0 and text != "0" else text
