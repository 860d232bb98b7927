"""Swiss events for two at a table that a seed plays: late entries, withdrawals, forfeits, voids, byes, wishes."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.tournament.model import POINT, Draw, Entry, Kind, Number, Player, Table
from services.tournament.pairing import fast
from services.tournament.pairing.pool import Pair, Pool, pair_of, pool


class Setting(NamedTuple):
    """An event: how many come, and how lively it is."""

    entrants: int
    seed: int
    rounds: int = 9
    draws: float = 0.3
    # The chance that somebody comes late, leaves, comes back, or does not turn up.
    unrest: float = 0.04
    # Pairs that are forbidden, and as many that are forced, in each round.
    wishes: int = 0


class Paired(NamedTuple):
    """A round: who there was, what it was paired from, and what came out."""

    players: list[Player]
    pool: Pool
    draw: Draw


def rounds(setting: Setting) -> Iterator[Paired]:
    """The rounds of an event, one after the other."""
    chance = random.Random(f"{setting}")
    players = [
        Player(Number(number), f"p{number}", 0, number + 1, is_active=chance.random() >= setting.unrest)
        for number in range(setting.entrants)
    ]
    for number in range(1, setting.rounds + 1):
        field = pool(players, number, 2, *_wishes(chance, setting))
        draw = fast.pair(field)
        yield Paired(players, field, draw)
        players = [_moved(chance, setting, player) for player in _after(chance, setting, players, number, draw)]


def _wishes(chance: random.Random, setting: Setting) -> tuple[list[Pair], list[Pair]]:
    """Forbidden pairs and forced ones."""
    if setting.entrants < 2:
        return [], []
    found = [pair_of(*map(Number, chance.sample(range(setting.entrants), 2))) for _ in range(2 * setting.wishes)]
    return found[: setting.wishes], found[setting.wishes :]


def _moved(chance: random.Random, setting: Setting, player: Player) -> Player:
    """Some leave, and most who are not there come (back)."""
    leaves = setting.unrest if player.is_active else 0.5
    return player._replace(is_active=player.is_active != (chance.random() < leaves))


def _after(chance: random.Random, setting: Setting, players: Sequence[Player], number: int, draw: Draw) -> list[Player]:
    """The players with what they did in a round."""
    done = {one: Entry(number, Kind.BYE, POINT) for one in draw.byes}
    for table in draw.tables:
        done |= _played(chance, setting, table, number)
    absent = Entry(number, Kind.ABSENT, 0)
    return [player._replace(entries=(*player.entries, done.get(player.number, absent))) for player in players]


def _played(chance: random.Random, setting: Setting, table: Table, number: int) -> dict[Number, Entry]:
    """A win, mostly of the better seed, or a draw; some do not turn up, and some tables are annulled."""
    first, second = table.seats
    kinds, points = _result(chance, setting, first < second)
    seats = ((first, second, 0), (second, first, 1))
    return {
        one: Entry(number, kinds[seat], points[seat], (other,), seat=seat, place=points[seat] < points[1 - seat])
        for one, other, seat in seats
    }


def _result(
    chance: random.Random, setting: Setting, is_first_better: bool
) -> tuple[tuple[Kind, Kind], tuple[int, int]]:
    if chance.random() < setting.unrest:
        if chance.random() < 0.2:
            return (Kind.VOID, Kind.VOID), (0, 0)
        return (Kind.FORFEIT_WIN, Kind.FORFEIT_LOSS), (POINT, 0)
    if chance.random() < setting.draws:
        return (Kind.PLAYED, Kind.PLAYED), (POINT // 2, POINT // 2)
    is_first = is_first_better == (chance.random() < 0.6)
    return (Kind.PLAYED, Kind.PLAYED), (POINT, 0) if is_first else (0, POINT)
