"""Matches of a tournament: each has an id that follows from where it is played. Pure."""

from services.tournament.state import Pairing, Tournament
from shared.match.ids import derived_match_id

# So many characters of a match's id are its time.
_TIME = 10


def match_id_of(tournament: Tournament, number: int, table: int) -> str:
    """The id of a table's match: whoever makes it, and however often, it is the same match."""
    pairing = tournament.rounds[number - 1]
    return _id(tournament, pairing, table, pairing.boards[table].attempt)


def not_noted(tournament: Tournament, match_id: str) -> tuple[int, int] | None:
    """The table whose match this is or was, if it is over before anybody has said that it has begun."""
    for pairing in tournament.rounds:
        # Ids begin with the time.
        is_of_round = derived_match_id(pairing.paired_micros, "")[:_TIME] == match_id[:_TIME]
        for table, board in pairing.boards.items() if is_of_round else ():
            if any(_id(tournament, pairing, table, attempt) == match_id for attempt in range(board.attempt + 1)):
                return pairing.number, table
    return None


def _id(tournament: Tournament, pairing: Pairing, table: int, attempt: int) -> str:
    return derived_match_id(pairing.paired_micros, f"{tournament.id}/{pairing.number}/{table}/{attempt}")
