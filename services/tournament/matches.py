"""Matches of a tournament: each has an id that follows from where it is played. Pure."""

from services.tournament.state import Tournament
from shared.match.ids import derived_match_id

# So many characters of a match's id are its time.
_TIME = 10


def match_id_of(tournament: Tournament, number: int, table: int) -> str:
    """The id of a table's match: whoever makes it, and however often, it is the same match."""
    pairing = tournament.rounds[number - 1]
    name = f"{tournament.id}/{number}/{table}/{pairing.boards[table].attempt}"
    return derived_match_id(pairing.paired_micros, name)


def not_started(tournament: Tournament, match_id: str) -> tuple[int, int] | None:
    """The table whose match this is, if it is over before anybody has said that it has begun."""
    for pairing in tournament.rounds:
        # Ids begin with the time. An arbiter may have decided already, and may take that back.
        is_of_round = derived_match_id(pairing.paired_micros, "")[:_TIME] == match_id[:_TIME]
        for table, board in pairing.boards.items() if is_of_round else ():
            if not board.match_id and match_id_of(tournament, pairing.number, table) == match_id:
                return pairing.number, table
    return None
