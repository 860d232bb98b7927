"""What a tournament records of a match: for the worker that tells it, and for whoever checks that. Pure."""

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import messages
from shared.game import AnyGame
from shared.match.model import Match


def result_of(game: AnyGame, match: Match) -> pb.MatchResult:
    """The result of a match that is over, and what vouches for it."""
    return pb.MatchResult(
        match_id=match.id,
        version=match.version,
        head=match.head,
        places=messages.places_message(match.places or ()),
        no_shows=sorted(match.out[: match.no_shows]),
        points=() if game.points is None else game.points(match.state),
    )
