"""Events that a seed plays without any pairing system: whoever is there sits down somewhere. And events as text."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from services.tournament.model import POINT, Entry, Kind, Number, Plan, Player, Scoring, System, TieBreak
from services.tournament.standings import points_of

PLAIN = Scoring()
SCORINGS = {
    2: (PLAIN, Scoring((3 * POINT, 0), draw=POINT, bye=3 * POINT), Scoring((2 * POINT, POINT // 2), bye=POINT)),
    3: (Scoring((3 * POINT, POINT, 0), bye=POINT), Scoring((POINT, 0, 0))),
    4: (Scoring((3 * POINT, 2 * POINT, POINT, 0), bye=2 * POINT), Scoring((POINT, POINT, 0, 0), bye=0)),
}
_RATINGS = (0, 1200, 1375, 1500, 1501, 1999)


@dataclass(frozen=True)
class Setting:
    """An event: how many come, at what tables, by what system, and how lively it is."""

    entrants: int
    seats: int
    seed: int
    rounds: int = 5
    system: System = System.SWISS
    scoring: Scoring = PLAIN
    # The chance that somebody is not there, and that a table does not come to a game.
    unrest: float = 0.1


def plan_of(setting: Setting, *tie_breaks: TieBreak) -> Plan:
    """The plan of an event, with these tie-breaks."""
    return Plan("Event", setting.system, "domino", seats=setting.seats, scoring=setting.scoring, tie_breaks=tie_breaks)


def settings(count: int, seed: int) -> Iterator[Setting]:
    """So many different ones."""
    chance = random.Random(seed)
    for number in range(count):
        seats = chance.choice((2, 2, 3, 4))
        yield Setting(
            chance.randint(1, 14),
            seats,
            seed * 10_000 + number,
            chance.randint(0, 6),
            chance.choice((System.SWISS, System.SWISS, System.ARENA, System.ROUND_ROBIN)),
            chance.choice(SCORINGS[seats]),
            chance.choice((0.0, 0.1, 0.3)),
        )


def played(setting: Setting) -> list[Player]:
    """The players of an event after its last round."""
    chance = random.Random(f"{setting}")
    entries: list[list[Entry]] = [[] for _ in range(setting.entrants)]
    for number in range(1, setting.rounds + 1):
        for one, entry in _round(chance, setting, number):
            entries[one].append(entry)
    return [
        Player(Number(one), f"p{one}", chance.choice(_RATINGS), one + 1, tuple(entries[one]))
        for one in range(setting.entrants)
    ]


def _round(chance: random.Random, setting: Setting, number: int) -> Iterator[tuple[Number, Entry]]:
    there: list[Number] = []
    for one in map(Number, range(setting.entrants)):
        if chance.random() < setting.unrest:
            yield one, Entry(number, Kind.ABSENT, chance.choice((0, 0, POINT // 2)))
        else:
            there.append(one)
    chance.shuffle(there)
    for start in range(0, len(there), setting.seats):
        seats = tuple(there[start : start + setting.seats])
        yield from zip(seats, _table(chance, setting, number, seats), strict=True)


def _table(chance: random.Random, setting: Setting, number: int, seats: tuple[Number, ...]) -> list[Entry]:
    if len(seats) == 1:
        return [Entry(number, Kind.BYE, setting.scoring.bye)]
    entries = game(setting.scoring, number, seats, _places(chance, seats), chance)
    if chance.random() < setting.unrest:
        return [_annulled(entry) for entry in entries]
    if chance.random() < setting.unrest:
        return _forfeited(chance, setting, entries)
    return entries


def _places(chance: random.Random, seats: tuple[Number, ...]) -> list[list[Number]]:
    """An order by lot, in which neighbours may share."""
    places: list[list[Number]] = []
    for one in chance.sample(seats, len(seats)):
        if places and chance.random() < 0.3:
            places[-1].append(one)
        else:
            places.append([one])
    return places


def game(
    scoring: Scoring,
    number: int,
    seats: tuple[Number, ...],
    places: Sequence[Sequence[Number]],
    chance: random.Random | None = None,
) -> list[Entry]:
    """What those at a table did in a round."""
    points = points_of(scoring, places)
    where = {one: place for place, shared in enumerate(places) for one in shared}
    return [
        Entry(
            number,
            Kind.PLAYED,
            points[one],
            tuple([other for other in seats if other != one]),
            tuple([where[other] for other in seats if other != one]),
            seat,
            where[one],
            chance.randint(-5, 90) if chance else 0,
            chance.randint(-9, 9) if chance else 0,
        )
        for seat, one in enumerate(seats)
    ]


def _annulled(entry: Entry) -> Entry:
    return entry._replace(kind=Kind.VOID, points=0)


def _forfeited(chance: random.Random, setting: Setting, entries: list[Entry]) -> list[Entry]:
    """One seat was empty; at a table of two, the other has won, unless nobody was there."""
    if setting.seats > 2:
        return [*entries[:-1], entries[-1]._replace(kind=Kind.FORFEIT_LOSS, points=0)]
    if chance.random() < 0.3:
        return [entry._replace(kind=Kind.FORFEIT_LOSS, points=0) for entry in entries]
    won = points_of(setting.scoring, ((Number(0),), (Number(1),)))
    return [
        entries[0]._replace(kind=Kind.FORFEIT_WIN, points=won[Number(0)], place=0),
        entries[1]._replace(kind=Kind.FORFEIT_LOSS, points=0, place=1),
    ]


def drawn(text: str, scoring: Scoring = PLAIN, ratings: Iterable[int] = ()) -> list[Player]:
    """Players of a Swiss for two, from a cross table: a line for each, a cell for each round.

    `w2+` is a win in the first seat against the second line, `b1=` a draw in the second seat, `3f+` and `3f-` forfeits;
    `bye`, `out` (absent), `half` (absent for half a point), `void`.
    """
    lines = [line.split() for line in text.strip().splitlines()]
    rated = list(ratings) or [0] * len(lines)
    return [
        Player(Number(index), line[0], rated[index], index + 1, tuple(_cells(scoring, line[1:])))
        for index, line in enumerate(lines)
    ]


def _cells(scoring: Scoring, cells: Sequence[str]) -> Iterator[Entry]:
    for number, cell in enumerate(cells, 1):
        yield _cell(scoring, number, cell)


def _cell(scoring: Scoring, number: int, cell: str) -> Entry:
    alone = {
        "bye": (Kind.BYE, scoring.bye),
        "out": (Kind.ABSENT, 0),
        "half": (Kind.ABSENT, POINT // 2),
        "void": (Kind.VOID, 0),
    }
    if cell in alone:
        return Entry(number, *alone[cell])
    if "f" in cell:
        other, sign = cell.split("f")
        kind, points = (Kind.FORFEIT_WIN, scoring.places[0]) if sign == "+" else (Kind.FORFEIT_LOSS, 0)
        return Entry(number, kind, points, (Number(int(other) - 1),))
    return _game(scoring, number, cell)


def _game(scoring: Scoring, number: int, cell: str) -> Entry:
    one, other = Number(0), Number(1)
    places = {"+": ((one,), (other,)), "=": ((one, other),), "-": ((other,), (one,))}[cell[-1]]
    mine, theirs = {"+": (0, 1), "=": (0, 0), "-": (1, 0)}[cell[-1]]
    opponent = Number(int(cell[1:-1]) - 1)
    return Entry(
        number, Kind.PLAYED, points_of(scoring, places)[one], (opponent,), (theirs,), "wb".index(cell[0]), mine
    )
