"""Why somebody meets whom it meets in an arena, or waits."""

from collections.abc import Sequence

from services.tournament.formats.arena import by_points, last_tables
from services.tournament.formats.words import Naming, Sentences, listed, ordinal, seat, table_of
from services.tournament.model import POINT, Draw, Number, Player, Table, Units


def explain(players: Sequence[Player], draw: Draw, who: Number, name: Naming) -> Sentences:
    """Sentences on the place of somebody who was free."""
    free = by_points(players)
    place = {player.number: at for at, player in enumerate(free, 1)}
    points = {player.number: player.points for player in free}
    begin = f"{len(free)} were free, and {name(who)} was the {ordinal(place[who])} of them with {_shown(points[who])}."
    table = table_of(draw, who)
    if table is None:
        return (begin, _waits(draw, who, name))
    met = [f"{name(one)} ({ordinal(place[one])}, {_shown(points[one])})" for one in table.seats if one != who]
    return (
        begin,
        f"It sits with {listed(met)}: who stand near each other play.",
        _again(free, table),
        seat(table, name),
    )


def _shown(points: Units) -> str:
    whole, rest = divmod(points, POINT)
    return f"{whole} points" if not rest else f"{points / POINT:.2f} points"


def _waits(draw: Draw, who: Number, name: Naming) -> str:
    seats = len(draw.tables[0].seats)
    return (
        f"Tables are for {seats}, so some are left over: those who have played most, then the lowest."
        f" {name(who)} waits."
    )


def _again(free: Sequence[Player], table: Table) -> str:
    before = last_tables(free)
    found = [before[number] for number in table.seats if number in before]
    if len(set(found)) == len(found):
        return "No two of them were together in the last game of both."
    return "Some of them were together in their last game, but so few are free that this can't be avoided."
