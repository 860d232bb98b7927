"""Arena: whoever is free is paired, at full tables only. Who is left over waits: that is no bye, nor in the draw.

Who waits: those who have played the most games; of equal ones the lowest. With so few tables that this would bring
two together who were at one table in the last game of both, others wait, the first choice that does not. Who plays:
neighbours in the order of points (equal: by seed) sit together. Who were at one table in the last game of both are
parted by an exchange with the nearest table where that helps; that is always possible when there are as many tables
as seats. Then the seats most even.

The certificate says `repeats`: how many pairs sit together who did so in the last game of both, with the least that
can be (it is always reached), and `gap`: over all tables, the most points minus the least, with the least of all
choices of who waits and who plays whom.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from services.tournament.formats.deal import fewest_repeats, repeats
from services.tournament.formats.entrants import by_number
from services.tournament.formats.heats import seats
from services.tournament.formats.sound import check_certificate, check_everybody, check_order
from services.tournament.model import Certificate, Draw, Number, Plan, Player, Table, Units
from services.tournament.pairing.unsound import Unsound

METHOD = "arena"
CRITERIA = ("repeats", "gap")


def draw(plan: Plan, players: Sequence[Player]) -> Draw | None:
    """Tables of those who are free; None: they are too few for one."""
    free = by_points(players)
    count = len(free) // plan.seats
    if count == 0:
        return None
    before = last_tables(free)
    playing = _without(free, waiting(free, plan.seats, before))
    found = _ordered(_parted(playing, count, before), playing)
    known = by_number(players)
    tables = [Table(seats([known[number] for number in table])) for table in found]
    return Draw(tuple(tables), (), _certificate(free, playing, found, plan.seats))


def by_points(players: Sequence[Player]) -> list[Player]:
    """The free, the most points first."""
    return sorted([one for one in players if one.is_active], key=lambda one: (-one.points, one.seed))


def last_tables(free: Sequence[Player]) -> dict[Number, int]:
    """At which table everybody was in its last game, counted through; who had none is left out."""
    found: dict[Number, int] = {}
    tables: dict[tuple[int, Number], int] = {}
    for player in free:
        last = next((entry for entry in reversed(player.entries) if entry.opponents), None)
        if last is not None:
            table = last.round, min(player.number, *last.opponents)
            found[player.number] = tables.setdefault(table, len(tables))
    return found


def waiting(free: Sequence[Player], seats_at_table: int, before: Mapping[Number, int]) -> tuple[Number, ...]:
    """Who is left over."""
    count, left = divmod(len(free), seats_at_table)
    order = [player.number for _, player in sorted(enumerate(free), key=_waits_first, reverse=True)]
    if count >= seats_at_table:
        return tuple(order[:left])
    choices = combinations(order, left)
    return min(choices, key=lambda chosen: _repeats_without(free, chosen, count, before))


def _waits_first(placed: tuple[int, Player]) -> tuple[int, int]:
    """The more games it has played, and then the lower it stands."""
    place, player = placed
    return sum([bool(entry.opponents) for entry in player.entries]), place


def _repeats_without(
    free: Sequence[Player], chosen: Sequence[Number], tables: int, before: Mapping[Number, int]
) -> int:
    return _least([player.number for player in _without(free, chosen)], tables, before)


def _least(numbers: Sequence[Number], tables: int, before: Mapping[Number, int]) -> int:
    return fewest_repeats(tables, [before[number] for number in numbers if number in before])


def _without(free: Sequence[Player], chosen: Sequence[Number]) -> list[Player]:
    out = frozenset(chosen)
    return [player for player in free if player.number not in out]


def _parted(playing: Sequence[Player], count: int, before: Mapping[Number, int]) -> list[list[Number]]:
    """Neighbours at each table, but for exchanges; dealt by their last tables where exchanges are not enough."""
    numbers = [player.number for player in playing]
    size = len(numbers) // count
    tables = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    for index in range(count):
        _part(tables, index, before)
    if repeats(tables, before) == _least(numbers, count, before):
        return tables
    together = sorted(numbers, key=lambda number: before.get(number, -1))
    return [together[index::count] for index in range(count)]


def _part(tables: list[list[Number]], index: int, before: Mapping[Number, int]) -> None:
    """Exchanges at one table, each with the nearest other where it helps, as long as there is any."""
    while repeats([tables[index]], before):
        swap = next(_swaps(tables, index, before), None)
        if swap is None:
            return
        tables[index], tables[swap[0]] = swap[1], swap[2]


def _swaps(
    tables: Sequence[list[Number]], index: int, before: Mapping[Number, int]
) -> Iterator[tuple[int, list[Number], list[Number]]]:
    """Another table, and how both are after an exchange that leaves fewer repeats."""
    for other in _near(index, len(tables)):
        now = repeats([tables[index], tables[other]], before)
        for mine, yours in _exchanges(tables[index], tables[other]):
            if repeats([mine, yours], before) < now:
                yield other, mine, yours


def _near(index: int, count: int) -> Iterator[int]:
    for distance in range(1, count):
        yield from [at for at in (index + distance, index - distance) if 0 <= at < count]


def _exchanges(one: list[Number], other: list[Number]) -> Iterator[tuple[list[Number], list[Number]]]:
    """Every way to exchange one for one: the lowest of the one first, and the highest of the other."""
    for mine in reversed(one):
        for yours in other:
            yield [yours if at == mine else at for at in one], [mine if at == yours else at for at in other]


def _ordered(tables: Sequence[Sequence[Number]], playing: Sequence[Player]) -> list[list[Number]]:
    place = _places(playing)
    return sorted([sorted(table, key=lambda number: place[number]) for table in tables], key=lambda one: place[one[0]])


def _places(playing: Sequence[Player]) -> dict[Number, int]:
    return {player.number: place for place, player in enumerate(playing)}


def _certificate(
    free: Sequence[Player], playing: Sequence[Player], tables: Sequence[Sequence[Number]], seats_at_table: int
) -> Certificate:
    before, points = last_tables(free), {player.number: player.points for player in playing}
    gap = sum([max(found) - min(found) for found in [[points[one] for one in table] for table in tables]])
    least = _least([player.number for player in playing], len(tables), before)
    bound = (least, least_gap([player.points for player in free], seats_at_table))
    return Certificate(METHOD, CRITERIA, (repeats(tables, before), gap), bound)


def least_gap(points: Sequence[Units], size: int) -> Units:
    """The least gap of full tables, whoever waits: tables of neighbours, with some left out between them."""
    left = len(points) % size
    # By how many are left out so far: the least gap of the first so many.
    known: list[list[Units | None]] = [[0, *[None] * left]]
    for end in range(1, len(points) + 1):
        known.append([_least_to(points, known, end, out, size) for out in range(left + 1)])
    return known[-1][left] or 0


def _least_to(
    points: Sequence[Units], known: Sequence[Sequence[Units | None]], end: int, out: int, size: int
) -> Units | None:
    """The last of the first `end` waits, or is the last of a table."""
    waits = known[end - 1][out - 1] if out else None
    sits = known[end - size][out] if end >= size else None
    ways = [waits, None if sits is None else sits + points[end - size] - points[end - 1]]
    return min([way for way in ways if way is not None], default=None)


def check(plan: Plan, players: Sequence[Player], draw: Draw) -> None:
    """Raises `Unsound` unless the right ones wait, all others sit at full tables, and nobody repeats who need not."""
    free = by_points(players)
    before = last_tables(free)
    playing = _without(
        free, waiting(free, plan.seats, before) if len(free) >= plan.seats else [one.number for one in free]
    )
    check_everybody(draw, [player.number for player in playing])
    if draw.byes or not draw.tables or any(len(table.seats) != plan.seats or table.label for table in draw.tables):
        raise Unsound("Not all tables are full, or one has a label, or somebody has a bye.")
    _check_tables(plan, free, playing, draw)


def _check_tables(plan: Plan, free: Sequence[Player], playing: Sequence[Player], draw: Draw) -> None:
    known, place = by_number(playing), _places(playing)
    for table in draw.tables:
        if table.seats != seats([known[number] for number in table.seats]):
            raise Unsound(f"{table.seats} would be fairer in other seats.")
    check_order("tables", [(min([place[number] for number in table.seats]),) for table in draw.tables])
    wanted = _certificate(free, playing, [table.seats for table in draw.tables], plan.seats)
    if wanted.value[0] != wanted.bound[0]:
        raise Unsound(f"{wanted.value[0]} pairs meet again at once, and {wanted.bound[0]} would do.")
    check_certificate(draw, wanted)
