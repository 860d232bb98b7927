"""Everybody meets everybody at tables of three or four, in one division or in several at the same time.

No table is laid down beforehand. Each round is paired as a Swiss round in which all scores are equal
(pairing/tables.py): the sizes of the tables by its rule, then the fewest repeats, then the seats most even. Two who
have not met often enough are forced together in each round, so that it comes to an end. What is guaranteed: everybody
meets everybody `legs` times or more, and each round has as few repeats as its certificate says.

Who sat at one table has met, whether or not the table was played or counted: a round robin does not repeat a game.
Who withdraws is met by nobody any more, and waited for by nobody. A division that is through before the others has
byes.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from services.tournament.formats.circles import Division, Schedule, entrants
from services.tournament.formats.sound import check_everybody
from services.tournament.model import Certificate, Draw, Number, Round, Table
from services.tournament.pairing import check_tables, table_bound, table_value, tables
from services.tournament.pairing.pool import Contender, Pair, Pool, pair_of
from services.tournament.pairing.unsound import Unsound


def method(schedule: Schedule) -> str:
    """What the certificate calls it."""
    return "groups" if any(one.label for one in schedule.divisions) else "round robin"


def is_through(schedule: Schedule, rounds: Sequence[Round], here: frozenset[Number]) -> bool:
    """Whether all who are here have met often enough."""
    return not _waiting(schedule, rounds, here)


def _waiting(schedule: Schedule, rounds: Sequence[Round], here: frozenset[Number]) -> list[tuple[Division, Pair]]:
    """The divisions in which some have still to meet, and two of them who are to meet now."""
    met = meetings(rounds)
    found = [(one, _next_pair(one, schedule.legs, met, here)) for one in schedule.divisions]
    return [(division, pair) for division, pair in found if pair is not None]


def meetings(rounds: Iterable[Round]) -> Counter[Pair]:
    """How often two sat at one table."""
    return Counter(
        [
            (one, other)
            for paired in rounds
            for table in paired.tables
            for one in table.seats
            for other in table.seats
            if one < other
        ]
    )


def _next_pair(division: Division, legs: int, met: Counter[Pair], here: frozenset[Number]) -> Pair | None:
    """Of two who have not met often enough, those who have most others still to meet; of equal ones, the best seeds."""
    members = [number for number in division.members if number in here]
    missing = [
        (one, other)
        for index, one in enumerate(members)
        for other in members[index + 1 :]
        if met[pair_of(one, other)] < legs
    ]
    left = Counter([number for pair in missing for number in pair])
    best = max(missing, key=lambda pair: left[pair[0]] + left[pair[1]], default=None)
    return None if best is None else pair_of(*best)


def _pools(schedule: Schedule, seats: int, rounds: Sequence[Round], here: frozenset[Number]) -> list[tuple[str, Pool]]:
    """A pool of equal scores for each division that is not through, with its label."""
    return [
        (
            division.label,
            Pool(len(rounds) + 1, seats, _contenders(division, seats, rounds, here), forced=frozenset({pair})),
        )
        for division, pair in _waiting(schedule, rounds, here)
    ]


def _contenders(
    division: Division, seats: int, rounds: Sequence[Round], here: frozenset[Number]
) -> tuple[Contender, ...]:
    """The members who are here; who had more byes than another of them is not to have the next."""
    members = [number for number in division.members if number in here]
    byes = Counter([number for paired in rounds for number in paired.byes])
    fewest = min([byes[number] for number in members])
    sat = _sat(members, rounds)
    return tuple(
        [
            _contender(number, seed, seats, sat[number], had_bye=byes[number] > fewest)
            for seed, number in enumerate(members, 1)
        ]
    )


def _sat(members: Iterable[Number], rounds: Iterable[Round]) -> dict[Number, list[Table]]:
    """The tables of each member."""
    found: dict[Number, list[Table]] = {number: [] for number in members}
    for table in [table for paired in rounds for table in paired.tables]:
        for number in table.seats:
            if number in found:
                found[number].append(table)
    return found


def _contender(number: Number, seed: int, seats: int, sat: Sequence[Table], *, had_bye: bool) -> Contender:
    places = [table.seats.index(number) for table in sat]
    met = [other for table in sat for other in table.seats if other != number]
    counts = tuple([places.count(seat) for seat in range(seats)])
    return Contender(number, 0, seed, tuple(met), counts, places[-1] if places else -1, had_bye)


def draw(schedule: Schedule, seats: int, rounds: Sequence[Round], here: frozenset[Number]) -> Draw | None:
    """The next round, for those who are here."""
    drawn = [(label, tables.pair(pool)) for label, pool in _pools(schedule, seats, rounds, here)]
    if not drawn:
        return None
    found = tuple([table._replace(label=label) for label, part in drawn for table in part.tables])
    playing = {number for table in found for number in table.seats}
    byes = tuple([number for number in entrants(schedule) if number in here and number not in playing])
    return Draw(found, byes, _together(schedule, [part.certificate for _, part in drawn]))


def _together(schedule: Schedule, parts: Sequence[Certificate]) -> Certificate:
    """All divisions in one certificate: their sums."""
    value = table_value.total([part.value for part in parts])  # type: ignore[misc]
    bound = table_value.total([part.bound for part in parts])  # type: ignore[misc]
    return Certificate(method(schedule), table_value.CRITERIA, value, bound)


def check(schedule: Schedule, seats: int, rounds: Sequence[Round], here: frozenset[Number], draw: Draw) -> None:
    """Raises `Unsound` unless each division's tables are sound (check_tables.py), and the certificate is their sum."""
    check_everybody(draw, [number for number in entrants(schedule) if number in here])
    byes = frozenset(draw.byes)
    if draw.byes != tuple([number for number in entrants(schedule) if number in byes]):
        raise Unsound("The byes are not in their order.")
    pools = _pools(schedule, seats, rounds, here)
    if [label for label, _ in pools] != list(dict.fromkeys([table.label for table in draw.tables])):
        raise Unsound("The tables are not those of the divisions in which some have still to meet, in order.")
    parts = [_part(label, pool, draw) for label, pool in pools]
    for (_, pool), part in zip(pools, parts, strict=True):
        check_tables.check(pool, part)
    if draw.certificate != _together(schedule, [part.certificate for part in parts]):
        raise Unsound("The certificate is not the sum of what the divisions' tables come to.")


def _part(label: str, pool: Pool, draw: Draw) -> Draw:
    """What a draw says of one division, with the numbers that its tables come to."""
    at = {one.number: position for position, one in enumerate(pool.contenders)}
    found = tuple([table._replace(label="") for table in draw.tables if table.label == label])
    if any(number not in at for table in found for number in table.seats):
        raise Unsound(f"Somebody sits at a table of “{label}” who is not of it.")
    byes = tuple([number for number in draw.byes if number in at])
    value = table_value.value_of(
        pool, [[at[number] for number in table.seats] for table in found], [at[number] for number in byes]
    )
    return Draw(found, byes, Certificate(tables.METHOD, table_value.CRITERIA, value, table_bound.bound(pool)))
