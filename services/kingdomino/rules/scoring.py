"""K-16 to K-20: what a kingdom is worth, and who wins."""

from itertools import groupby
from typing import NamedTuple

from services.kingdomino.rules.dominoes import Terrain
from services.kingdomino.rules.model import Cells, Kingdom, Options, Property, State, Tally
from shared.kernel import Places, Seat

MIDDLE_KINGDOM = 10
HARMONY = 5


class Score(NamedTuple):
    """What a kingdom would be worth if the game ended now, and why."""

    properties: tuple[Property, ...]
    middle_kingdom: int
    harmony: int
    tally: Tally


def score(kingdom: Kingdom, options: Options) -> Score:
    """K-16 to K-20, in full."""
    properties = kingdom.properties
    middle, harmony = _middle_kingdom(kingdom, options), _harmony(kingdom, options)
    largest = max((one.squares for one in properties), default=0)
    crowns = sum(one.crowns for one in properties)
    return Score(properties, middle, harmony, Tally(points(kingdom) + middle + harmony, largest, crowns))


def points(kingdom: Kingdom) -> int:
    """K-16: squares by crowns, for each property."""
    return sum([cells.bit_count() * crowns for cells, _, crowns in kingdom.properties])


def of_terrain(kingdom: Kingdom, terrain: Terrain) -> list[Property]:
    """The properties of one terrain."""
    return [one for one in kingdom.properties if one[1] == terrain]


def added_points(properties: list[Property], near: Cells, squares: int, crowns: int) -> int:
    """What connected squares add to the points of the properties of their terrain, if these cells are next to them."""
    before = 0
    for cells, _, held in properties:
        if cells & near:
            size = cells.bit_count()
            before += size * held
            squares += size
            crowns += held
    return squares * crowns - before


def bonuses(kingdom: Kingdom, options: Options) -> int:
    """K-19 and K-20."""
    return _middle_kingdom(kingdom, options) + _harmony(kingdom, options)


def _middle_kingdom(kingdom: Kingdom, options: Options) -> int:
    """K-19: as many columns left of the castle as right of it, and rows above as below; not for a castle alone."""
    left, top, right, bottom = kingdom.extent
    is_in_the_middle = bool(kingdom.laid) and left + right == 0 and top + bottom == 0
    return MIDDLE_KINGDOM if options.middle_kingdom and is_in_the_middle else 0


def _harmony(kingdom: Kingdom, options: Options) -> int:
    """K-20: nothing was discarded."""
    return HARMONY if options.harmony and not kingdom.discarded else 0


def outcome(state: State) -> Places | None:
    """K-17, K-18: the places once the match is over."""
    if len(state.tallies) < state.options.games:
        return None
    totals = match_tallies(state.tallies, len(state.kingdoms))
    rows = sorted(((totals[seat], -seat) for seat in range(len(totals))), reverse=True)
    return tuple(tuple(Seat(-seat) for _, seat in tied) for _, tied in groupby(rows, key=lambda row: row[0]))


def match_points(state: State) -> tuple[int, ...]:
    """K-17, K-18: the points of every seat in all games."""
    return tuple(tally.points for tally in match_tallies(state.tallies, len(state.kingdoms)))


def match_tallies(tallies: tuple[tuple[Tally, ...], ...], players: int) -> tuple[Tally, ...]:
    """K-18: of all games that are over, points and crowns added, and the largest property of any of them."""
    return tuple(_added(tuple(game[seat] for game in tallies)) for seat in range(players))


def _added(games: tuple[Tally, ...]) -> Tally:
    return Tally(
        sum(game.points for game in games),
        max((game.largest for game in games), default=0),
        sum(game.crowns for game in games),
    )
