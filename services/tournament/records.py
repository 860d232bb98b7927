"""What everybody has done so far, as pairing and standings want to know it: from the state of a tournament. Pure."""

from collections.abc import Iterator

from services.tournament.formats import streak_points
from services.tournament.model import Entry, Kind, Number, Plan, Player, Round, System, Table, Units
from services.tournament.standings.points import points_of
from services.tournament.state import Board, Outcome, Pairing, Tournament
from shared.kernel import Places, Seat

# Of an arena, nobody is missed in a round.
_ABSENT_FROM = frozenset(System) - {System.ARENA}


def players(tournament: Tournament) -> tuple[Player, ...]:
    """Everybody who takes part, in the order at the start."""
    entries: dict[Number, list[Entry]] = {number: [] for number in tournament.order}
    for pairing in tournament.rounds:
        _add_round(tournament.plan, pairing, entries)
    if tournament.plan.has_streaks:
        entries = {number: _with_streaks(own) for number, own in entries.items()}
    order = enumerate(tournament.order, 1)
    return tuple([_player(tournament, number, seed, entries[number]) for seed, number in order])


def _with_streaks(entries: list[Entry]) -> list[Entry]:
    found: list[Entry] = []
    for entry in entries:
        found.append(entry._replace(points=streak_points(found, entry)))
    return found


def _player(tournament: Tournament, number: Number, seed: int, entries: list[Entry]) -> Player:
    one = tournament.entrants[number]
    return Player(number, one.name, one.rating, seed, tuple(entries), not one.is_withdrawn)


def _add_round(plan: Plan, pairing: Pairing, entries: dict[Number, list[Entry]]) -> None:
    found = dict(_entries_of(plan, pairing))
    for number in pairing.byes:
        found[number] = Entry(pairing.number, Kind.BYE, plan.scoring.bye)
    for number, entry in found.items():
        entries[number].append(entry)
    if plan.system in _ABSENT_FROM:
        for number in entries.keys() - found.keys() - frozenset(_playing(pairing)):
            entries[number].append(Entry(pairing.number, Kind.ABSENT, 0))


def _playing(pairing: Pairing) -> Iterator[Number]:
    """Who sits at a table that has no result."""
    for board in pairing.boards.values() if pairing.open_tables else ():
        if board.outcome is None:
            yield from board.seats


def _entries_of(plan: Plan, pairing: Pairing) -> Iterator[tuple[Number, Entry]]:
    """Of all who have a result, or a table that was annulled; who plays still has nothing to show."""
    for board in pairing.boards.values():
        if board.outcome is not None:
            yield from entries_at(plan, pairing.number, board, board.outcome)


def entries_at(plan: Plan, number: int, board: Board, outcome: Outcome) -> Iterator[tuple[Number, Entry]]:
    """What each at a table has from it."""
    if outcome.is_annulled:
        yield from ((one, Entry(number, Kind.VOID, 0, seat=seat)) for seat, one in enumerate(board.seats))
        return
    units = points_of(plan.scoring, numbered(board, outcome.places))
    places = {seat: place for place, seat in _with_places(outcome)}
    for seat, one in enumerate(board.seats):
        yield one, _entry(number, board, outcome, Seat(seat), places, units[one])


def numbered(board: Board, places: Places) -> tuple[tuple[Number, ...], ...]:
    """Places of entrants instead of seats."""
    return tuple([tuple([board.seats[seat] for seat in tied]) for tied in places])


def _with_places(outcome: Outcome) -> Iterator[tuple[int, Seat]]:
    """A place is how many stand before it."""
    before = 0
    for tied in outcome.places:
        yield from ((before, seat) for seat in tied)
        before += len(tied)


def _entry(number: int, board: Board, outcome: Outcome, seat: Seat, places: dict[Seat, int], units: Units) -> Entry:
    kind = kind_of(outcome, len(board.seats), seat)
    others = _opponents(outcome, kind, seat, len(board.seats))
    own = outcome.points[seat] if outcome.points else 0
    best = max((outcome.points[other] for other in others if outcome.points), default=own)
    return Entry(
        number,
        kind,
        # Who did not come has no points, however the others share theirs.
        0 if kind is Kind.FORFEIT_LOSS else units,
        tuple([board.seats[other] for other in others]),
        tuple([places[other] for other in others]),
        seat,
        places[seat],
        own,
        own - best,
    )


def kind_of(outcome: Outcome, seats: int, seat: Seat) -> Kind:
    """Whether a seat has played, or won or lost without a game."""
    if seat in outcome.forfeits:
        return Kind.FORFEIT_LOSS
    return Kind.FORFEIT_WIN if len(outcome.forfeits) == seats - 1 else Kind.PLAYED


def _opponents(outcome: Outcome, kind: Kind, seat: Seat, seats: int) -> list[Seat]:
    """The others, in the order of their seats; who did not come is no opponent in a game."""
    others = [Seat(other) for other in range(seats) if other != seat]
    return [other for other in others if other not in outcome.forfeits] if kind is Kind.PLAYED else others


def rounds(tournament: Tournament) -> tuple[Round, ...]:
    """All rounds, with the results so far."""
    return tuple(map(_round, tournament.rounds))


def _round(pairing: Pairing) -> Round:
    boards = [pairing.boards[table] for table in range(len(pairing.boards))]
    return Round(pairing.number, tuple(map(_table, boards)), pairing.byes)


def _table(board: Board) -> Table:
    outcome = board.outcome
    if outcome is None or outcome.is_annulled:
        return Table(board.seats, label=board.label)
    return Table(board.seats, numbered(board, outcome.places), board.label)


def idle(tournament: Tournament) -> frozenset[Number]:
    """Who is there and sits at no table that is played."""
    busy = {number for pairing in tournament.rounds for number in _playing(pairing)}
    return frozenset(tournament.present) - busy


def free(tournament: Tournament) -> tuple[Player, ...]:
    """Of an arena: who can be paired now."""
    there = idle(tournament)
    return tuple([player for player in players(tournament) if player.number in there])
