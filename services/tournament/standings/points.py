"""Points for places. Those who share places share the points of these places, to the last unit."""

from collections.abc import Iterator, Sequence

from services.tournament.model import Number, Scoring, Units
from shared.kernel import Malformed

_ONE, _OTHER = Number(0), Number(1)


def points_of(scoring: Scoring, places: Sequence[Sequence[Number]]) -> dict[Number, Units]:
    """What each entrant of a table gets, the winners first. Places beyond those that have points get none."""
    if len(places) == 1 and len(places[0]) == 2 and scoring.draw is not None:
        return dict.fromkeys(places[0], scoring.draw)
    given = dict(_given(scoring, places))
    if len(given) != sum(map(len, places)):
        raise Malformed("places", f"places name everybody once, which {places} do not")
    return given


def _given(scoring: Scoring, places: Sequence[Sequence[Number]]) -> Iterator[tuple[Number, Units]]:
    taken = 0
    for shared in places:
        units = _share(scoring.places[taken : taken + len(shared)], len(shared))
        yield from ((one, units) for one in shared)
        taken += len(shared)


def _share(points: Sequence[Units], heads: int) -> Units:
    units, rest = divmod(sum(points), max(heads, 1))
    if rest:
        raise Malformed("scoring", f"{sum(points)} units can't be shared by {heads}: give points that can")
    return units


def draw_of(scoring: Scoring, seats: int) -> Units:
    """What each gets when all at a table share the first place."""
    return points_of(scoring, (tuple(map(Number, range(seats))),))[_ONE]


def win_of(scoring: Scoring) -> Units:
    """What the first place gives to one alone."""
    return points_of(scoring, ((_ONE,),))[_ONE]


def loss_of(scoring: Scoring) -> Units:
    """What the second of two gets."""
    return points_of(scoring, ((_ONE,), (_OTHER,)))[_OTHER]


def check_scoring(scoring: Scoring, seats: int) -> None:
    """Raises Malformed where a result of a table of so many could not be scored, or a worse place gives more."""
    if [*scoring.places, 0] != sorted([*scoring.places, 0], reverse=True):
        raise Malformed(
            "scoring", "points are never less than 0, and a worse place does not give more than a better one"
        )
    for first in range(seats):
        for heads in range(1, seats - first + 1):
            _share(scoring.places[first : first + heads], heads)
