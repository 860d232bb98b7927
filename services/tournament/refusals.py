"""Why something can't be done with a tournament as it stands. Pure."""

from collections import Counter

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import messages, rulings
from services.tournament.model import System
from services.tournament.pairing.pool import Pair
from services.tournament.state import Tournament
from shared.kernel import Refusal
from shared.match.model import Status

OVER = Refusal("TOURNAMENT_OVER", "The tournament is over.")
PAUSED = Refusal("PAUSED", "The tournament is paused.")
# Laid down at the start: nobody can come later.
_CLOSED = frozenset(System) - {System.SWISS, System.DUTCH, System.ARENA}


def too_late(before: Tournament) -> Refusal | None:
    """Whether it is too late to take part."""
    if before.status is Status.FINISHED or before.is_closed:
        return OVER
    if before.status is Status.WAITING:
        return None
    is_open = before.plan.system not in _CLOSED and len(before.rounds) < before.plan.late_until
    return None if is_open else Refusal("REGISTRATION_CLOSED", "It is too late to take part.")


def no_entrant(before: Tournament) -> Refusal:
    """There is nobody of this number."""
    return Refusal("NO_ENTRANT", f"The tournament has the entrants 0 to {len(before.entrants) - 1}.")


def not_playing(before: Tournament) -> Refusal:
    """It has not begun, or it is over."""
    return OVER if before.status is Status.FINISHED else Refusal("NOT_STARTED", "The tournament has not started.")


def not_to_pair(before: Tournament) -> Refusal | None:
    """Whether no round may be paired now."""
    if before.status is not Status.PLAYING:
        return not_playing(before)
    if before.is_paused:
        return PAUSED
    if before.is_closed:
        return Refusal("TOURNAMENT_OVER", "The time of the arena is over: nothing new begins.")
    # A ruling of an earlier round may have been taken back.
    unfinished = [pairing.number for pairing in before.rounds if pairing.open_tables]
    if unfinished and before.plan.system is not System.ARENA:
        return Refusal("ROUND_IS_OPEN", f"Round {unfinished[0]} is not over.")
    return None


def bad_result(result: pb.MatchResult, seats: int) -> Refusal | None:
    """Whether this can't be the result of a table."""
    absent = list(result.no_shows)
    if absent != sorted(set(absent)) or any(seat >= seats for seat in absent):
        return Refusal("BAD_SEATS", f"Seats are 0 to {seats - 1}, each once, in their order.")
    if len(result.points) not in (0, seats):
        return Refusal("BAD_POINTS", f"Points are of each of the {seats} seats, or of none.")
    return rulings.places_problem(messages.places_of(list(result.places)), seats)


def bad_pairs(before: Tournament, forbidden: frozenset[Pair], forced: frozenset[Pair]) -> Refusal | None:
    """Pairs of nobody, and wishes that contradict each other."""
    for one, other in forbidden | forced:
        if one == other or one not in before.entrants or other not in before.entrants:
            return Refusal("BAD_PAIR", "A pair is of two entrants of this tournament.")
    if forbidden & forced:
        return Refusal("CONTRADICTION", "Nobody must and must not meet the same entrant.")
    partners = Counter([number for pair in forced for number in pair])
    if any(count >= before.plan.seats for count in partners.values()):
        return Refusal("CONTRADICTION", "Nobody can meet more entrants at one table than it has other seats.")
    return None
