"""What arbiters may decide, and what it changes. Pure."""

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import messages
from services.tournament.model import Number
from services.tournament.state import Board, Made, Outcome, Pairing, Tournament
from shared.kernel import Places, Refusal, Seat


def outcome_of(ruling: pb.Ruling, seats: int) -> Outcome:
    """What a table comes to by a ruling."""
    everybody = tuple(map(Seat, range(seats)))
    match ruling.WhichOneof("kind"):
        case "override":
            return Outcome(messages.places_of(list(ruling.override.places)))
        case "forfeit":
            absent = tuple(sorted(map(Seat, ruling.forfeit.seats)))
            there = tuple([seat for seat in everybody if seat not in absent])
            return Outcome((there, absent), absent)
        case "double_loss":
            return Outcome((everybody,), everybody)
        case _:
            return Outcome((), is_annulled=True)


def ruled(board: Board, number: int, outcome: Outcome) -> Board:
    """The table with one more ruling, which counts from now on."""
    return board._replace(rulings=(*board.rulings, (number, outcome)))


def restored(board: Board, number: int) -> Board:
    """The table without a ruling: what stood before it counts again."""
    return board._replace(rulings=tuple([one for one in board.rulings if one[0] != number]))


def swapped(pairing: Pairing, one: Number, other: Number) -> Pairing:
    """The round in which two have changed places. Their tables want new matches."""
    boards = pairing.boards
    waiting = pairing.waiting_tables
    for table, board in pairing.boards.items():
        if one in board.seats or other in board.seats:
            seats = tuple([_exchanged(number, one, other) for number in board.seats])
            changed = board._replace(seats=seats, match_id="", attempt=board.attempt + 1)
            boards, waiting = boards.set(table, changed), waiting + changed.is_waiting - board.is_waiting
    byes = tuple([_exchanged(number, one, other) for number in pairing.byes])
    return pairing._replace(boards=boards, byes=byes, waiting_tables=waiting)


def _exchanged(number: Number, one: Number, other: Number) -> Number:
    return {one: other, other: one}.get(number, number)


def problem(tournament: Tournament, ruling: pb.Ruling) -> Refusal | None:
    """Why this can't be ruled."""
    if ruling.WhichOneof("kind") is None:
        return Refusal("NO_RULING", "A ruling is an override, a forfeit, a double loss, an annulment or a swap.")
    if not tournament.rounds:
        return Refusal("NO_ROUND", "No round has been paired yet.")
    if ruling.WhichOneof("kind") == "swap":
        return swap_problem(tournament.rounds[-1], Number(ruling.swap.one), Number(ruling.swap.other))
    about = getattr(ruling, str(ruling.WhichOneof("kind")))
    if not 1 <= about.round <= len(tournament.rounds):
        return Refusal("NO_ROUND", f"The tournament has the rounds 1 to {len(tournament.rounds)}.")
    boards = tournament.rounds[about.round - 1].boards
    if about.table not in boards:
        return Refusal("NO_TABLE", f"Round {about.round} has the tables 0 to {len(boards) - 1}.")
    return _table_problem(ruling, len(boards[about.table].seats))


def _table_problem(ruling: pb.Ruling, seats: int) -> Refusal | None:
    match ruling.WhichOneof("kind"):
        case "override":
            return places_problem(messages.places_of(list(ruling.override.places)), seats)
        case "forfeit":
            absent = list(ruling.forfeit.seats)
            is_some = 0 < len(absent) < seats and len(set(absent)) == len(absent) and max(absent) < seats
            return None if is_some else Refusal("BAD_SEATS", "A forfeit names some seats of the table, but not all.")
        case _:
            return None


def places_problem(places: Places, seats: int) -> Refusal | None:
    """Why these are not the places of a table."""
    named = sorted([seat for tied in places for seat in tied])
    if named != list(range(seats)) or not all(places):
        return Refusal("BAD_PLACES", f"The places name each of the seats 0 to {seats - 1} once.")
    return None


def swap_problem(pairing: Pairing, one: Number, other: Number) -> Refusal | None:
    """Why two can't change places in the present round."""
    tables = [_table_of(pairing, number) for number in (one, other)]
    if tables[0] == tables[1] or _NOWHERE in tables:
        return Refusal("BAD_SWAP", "Two change places who sit at different tables of the present round, or have a bye.")
    if len({_part_of(pairing, table) for table in tables}) > 1:
        return Refusal("OTHER_PART", "Two change places within one group, or one part of a bracket.")
    decided = [table for table in tables if table in pairing.boards and pairing.boards[table].outcome is not None]
    if decided:
        return Refusal("TABLE_IS_OVER", f"Table {decided[0]} has a result already.")
    return None


def undo_problem(tournament: Tournament, number: int) -> Refusal | None:
    """Why a ruling can't be taken back."""
    made = tournament.rulings.get(number)
    if made is None:
        return Refusal("NO_RULING", f"No ruling {number} stands.")
    if made.swapped is None:
        return None
    if made.round != len(tournament.rounds):
        return Refusal("ROUND_IS_OVER", "The round in which they changed places is over.")
    later = [one for one, other in tournament.rulings.items() if one > number and _is_of_both(made, other)]
    if later:
        return Refusal("SWAPPED_AGAIN", f"One of them has changed places again: undo ruling {max(later)} first.")
    return swap_problem(tournament.rounds[-1], *made.swapped)


def _is_of_both(made: Made, other: Made) -> bool:
    return made.round == other.round and not set(made.swapped or ()).isdisjoint(other.swapped or ())


# In place of a table.
_BYE, _NOWHERE = -1, -2


def _part_of(pairing: Pairing, table: int) -> str:
    """Such as a group. Of a bye nobody knows whose it is; where rounds have no parts, that is all the same."""
    return pairing.boards[table].label if table in pairing.boards else ""


def _table_of(pairing: Pairing, number: Number) -> int:
    if number in pairing.byes:
        return _BYE
    return next((table for table, board in pairing.boards.items() if number in board.seats), _NOWHERE)
