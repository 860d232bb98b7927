"""Events whose rounds are laid down, played by a seed: withdrawals and returns, ties, forfeits, annulled tables."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.tournament import formats
from services.tournament.model import POINT, Draw, Entry, Kind, Number, Plan, Player, Round, System, Table
from services.tournament.standings import Row, rank

# More rounds than any event of these tests has: one that does not end must not go on for ever.
_MOST = 400


@dataclass(frozen=True)
class Unrest:
    """The chances that somebody leaves before a round, comes back, shares a place, or that a table is annulled."""

    leaves: float = 0.0
    returns: float = 0.0
    ties: float = 0.0
    voids: float = 0.0


QUIET = Unrest()
LIVELY = Unrest(leaves=0.04, returns=0.3, ties=0.15, voids=0.05)


@dataclass
class Event:
    """An event so far: what formats are asked with."""

    plan: Plan
    players: list[Player]
    rounds: list[Round] = field(default_factory=list)

    def draw(self) -> Draw | None:
        """The next round, accepted by its checker."""
        found = formats.draw(self.plan, self.players, self.rounds)
        assert (found is None) == formats.is_over(self.plan, self.players, self.rounds)
        if found is not None:
            formats.check(self.plan, self.players, self.rounds, found)
        return found

    def add(self, draw: Draw, tables: Sequence[Table]) -> None:
        """A round with its results."""
        number = len(self.rounds) + 1
        self.rounds.append(Round(number, tuple(tables), draw.byes))
        done = {one: Entry(number, Kind.BYE, POINT) for one in draw.byes}
        for table in tables:
            done |= entries(table, number)
        absent = Entry(number, Kind.ABSENT, 0)
        self.players = [one._replace(entries=(*one.entries, done.get(one.number, absent))) for one in self.players]

    def turn(self, number: int, *, is_active: bool) -> None:
        """Somebody leaves or comes back."""
        self.players[number] = self.players[number]._replace(is_active=is_active)


def event(plan: Plan, entrants: int) -> Event:
    """An event before its first round: seeds are in the order of the numbers."""
    return Event(plan, [Player(Number(one), f"p{one}", 2000 - one, one + 1) for one in range(entrants)])


def plan(system: System, **changes: object) -> Plan:
    """A plan of a system."""
    return Plan("cup", system, "domino", **changes)  # type: ignore[arg-type]


def play(
    going: Event, chance: random.Random, unrest: Unrest = QUIET, seen: Callable[[Event, Draw], None] | None = None
) -> Event:
    """To the end; `seen` is shown each draw before its results are known."""
    while (draw := going.draw()) is not None:
        assert len(going.rounds) < _MOST
        if seen is not None:
            seen(going, draw)
        going.add(draw, [result(table, chance, unrest) for table in draw.tables])
        for one in going.players:
            wants = chance.random() >= unrest.leaves if one.is_active else chance.random() < unrest.returns
            going.turn(one.number, is_active=wants)
    return going


def result(table: Table, chance: random.Random, unrest: Unrest = QUIET) -> Table:
    """A table with a result: the better seed wins more often."""
    if chance.random() < unrest.voids:
        return table
    order = sorted(table.seats, key=lambda one: one + chance.gauss(0, 12))
    places: list[tuple[Number, ...]] = []
    for number in order:
        if places and chance.random() < unrest.ties:
            places[-1] = (*places[-1], number)
        else:
            places.append((number,))
    return table._replace(places=tuple(places))


def better_wins(table: Table) -> Table:
    """The better seeds are ahead."""
    return table._replace(places=tuple([(number,) for number in sorted(table.seats)]))


def entries(table: Table, number: int) -> dict[Number, Entry]:
    """What those at a table did: a point for each of the others whom one is ahead of, half of one for who is equal."""
    if table.places is None:
        return {one: _entry(table, one, number, Kind.VOID, {}) for one in table.seats}
    place = {one: sum(map(len, table.places[:index])) for index, same in enumerate(table.places) for one in same}
    return {one: _entry(table, one, number, Kind.PLAYED, place) for one in table.seats}


def _entry(table: Table, one: Number, number: int, kind: Kind, place: dict[Number, int]) -> Entry:
    others = tuple([other for other in table.seats if other != one])
    ahead = [_ahead(place[one], place[other]) for other in others if place]
    places = tuple([place[other] for other in others if place])
    return Entry(number, kind, sum(ahead), others, places, table.seats.index(one), place.get(one, -1))


def _ahead(mine: int, other: int) -> int:
    return POINT if mine < other else POINT // 2 if mine == other else 0


def standings(going: Event) -> tuple[Row, ...]:
    """Everybody, the best first."""
    return rank(going.plan, going.players, formats.reached(going.plan, going.players, going.rounds))


def games(going: Event) -> int:
    """How many tables were played."""
    return sum(len(paired.tables) for paired in going.rounds)
