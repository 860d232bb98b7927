"""The matches of a tournament as ratings see them. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament.model import Kind, Number
from services.tournament.ratings import Match
from services.tournament.records import kind_of
from services.tournament.state import Board, Entrant, Outcome, Tournament
from services.tournament.wire import WIRE
from shared.envelope import Envelope
from shared.kernel import Seat


class Rated(NamedTuple):
    """A match, and when its result came."""

    time_micros: int
    match: Match


def rated(tournament: Tournament, envelopes: Iterable[Envelope]) -> Iterator[Rated]:
    """The matches that have a result, as it stands, in the order in which they came."""
    keys = players(tournament)
    for envelope in envelopes:
        event = WIRE.public(envelope)
        if isinstance(event, pb.ResultRecorded):
            board = tournament.rounds[event.round - 1].boards[event.table]
            yield Rated(envelope.time_micros, _match(tournament, event.result.match_id, board, keys))


def players(tournament: Tournament) -> dict[Number, str]:
    """Who somebody is beyond this tournament: a player by their id, a computer player by its name."""
    counts = Counter(one.name for one in tournament.entrants.values() if one.ai_level)
    return {number: _player(number, one, counts[one.name] > 1) for number, one in tournament.entrants.items()}


def _player(number: Number, one: Entrant, is_shared: bool) -> str:
    if not one.ai_level:
        return f"player:{one.player_id}"
    return f"computer:{one.name}:{number}" if is_shared else f"computer:{one.name}"


def _match(tournament: Tournament, match_id: str, board: Board, keys: dict[Number, str]) -> Match:
    """Without those who were not there. What an arbiter has called forfeited, or void, was not played."""
    game, outcome = tournament.plan.game, board.outcome
    if outcome is None or outcome.is_annulled or (board.rulings and outcome.forfeits):
        return Match(match_id, game, (), is_voided=True)
    groups = [_played(tied, outcome, board) for tied in outcome.places]
    places = tuple([tuple([keys[board.seats[seat]] for seat in tied]) for tied in groups if tied])
    return Match(match_id, game, places, is_voided=not places)


def _played(tied: Iterable[Seat], outcome: Outcome, board: Board) -> list[Seat]:
    return [seat for seat in tied if kind_of(outcome, len(board.seats), seat) is Kind.PLAYED]
