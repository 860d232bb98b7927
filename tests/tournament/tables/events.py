"""Events at tables of three and four, played by a seed: late entries, withdrawals, returns, forfeits, voids, byes."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.tournament.model import POINT, Draw, Entry, Kind, Number, Player, Table
from services.tournament.pairing import tables
from services.tournament.pairing.pool import Pair, Pool, pair_of, pool

# By the seats of a table.
PLACES = {2: (3, 0), 3: (3, 1, 0), 4: (3, 2, 1, 0)}


@dataclass(frozen=True)
class Setting:
    """An event: how many come, at what tables, and how lively it is."""

    entrants: int
    seats: int
    seed: int
    rounds: int = 9
    fewest: int = 2
    # The chance that somebody comes late, leaves, comes back, or does not turn up.
    unrest: float = 0.04
    # Pairs that are forbidden or forced in each round.
    pairs: int = 0


@dataclass(frozen=True)
class Paired:
    """A round: what it was paired from, and what came out."""

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
        field = pool(players, number, setting.seats, *_special(chance, setting))
        paired = Paired(field, tables.pair(field, setting.fewest))
        yield paired
        players = [_moved(chance, setting, player) for player in _after(chance, setting, players, number, paired.draw)]


def _special(chance: random.Random, setting: Setting) -> tuple[list[Pair], list[Pair]]:
    """Forbidden pairs and forced ones."""
    if setting.entrants < 2:
        return [], []
    found = [pair_of(*map(Number, chance.sample(range(setting.entrants), 2))) for _ in range(2 * setting.pairs)]
    return found[: setting.pairs], found[setting.pairs :]


def _moved(chance: random.Random, setting: Setting, player: Player) -> Player:
    """Some leave, and most who are not there come (back)."""
    stays = setting.unrest if player.is_active else 0.5
    return player._replace(is_active=player.is_active != (chance.random() < stays))


def _after(chance: random.Random, setting: Setting, players: Sequence[Player], number: int, draw: Draw) -> list[Player]:
    """The players with what they did in a round."""
    done = {one: Entry(number, Kind.BYE, 3 * POINT) for one in draw.byes}
    for table in draw.tables:
        done |= played(chance, table, number, setting.unrest)
    absent = Entry(number, Kind.ABSENT, 0)
    return [player._replace(entries=(*player.entries, done.get(player.number, absent))) for player in players]


def played(chance: random.Random, table: Table, number: int, unrest: float = 0.0) -> dict[Number, Entry]:
    """What those at a table did: in an order by lot, the better seeds a little ahead; the first two may share."""
    order = sorted(table.seats, key=lambda one: one + chance.gauss(0, 40))
    points = [POINT * place for place in PLACES[len(order)]]
    if chance.random() < 0.1:
        points[0] = points[1] = (points[0] + points[1]) // 2
    kinds = [Kind.PLAYED] * len(order)
    if chance.random() < unrest:
        kinds[-1], points[-1] = Kind.FORFEIT_LOSS, 0
    if chance.random() < unrest:
        kinds, points = [Kind.VOID] * len(order), [0] * len(order)
    return {
        one: Entry(
            number,
            kind,
            score,
            tuple([other for other in table.seats if other != one]),
            seat=table.seats.index(one),
            place=place,
        )
        for place, (one, kind, score) in enumerate(zip(order, kinds, points, strict=True))
    }
