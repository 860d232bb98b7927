"""Seats: who sits where, what a start settles, and the places that seats end at."""

from meydan.match.v1 import envelope_pb2 as pb
from shared.kernel import Places, Seat
from shared.match import clocks
from shared.match.model import Match, SeatState
from shared.proof import chain


def first_holder(setup: pb.SeatSetup) -> SeatState:
    """Who a seat is for, before anybody has come."""
    return SeatState(ai_level=setup.ai.level, player_id=setup.open.player_id)


def setup_of(seat: SeatState) -> pb.SeatSetup:
    """The same, as the first event has it."""
    if seat.ai_level:
        return pb.SeatSetup(ai=pb.AiSeat(level=seat.ai_level))
    return pb.SeatSetup(open=pb.OpenSeat(player_id=seat.player_id))


def free_for(match: Match, player_id: str) -> list[Seat]:
    """The seats that a player may take, those kept for this player first."""
    empty = [(n, seat.player_id) for n, seat in enumerate(match.seats) if not seat.is_taken and n not in match.out]
    kept = [Seat(number) for number, keeper in empty if keeper == player_id]
    return kept + [Seat(number) for number, keeper in empty if not keeper and number not in kept]


def started(match: Match) -> Match:
    """A match whose seats are settled: its seed is known, and clocks are set up."""
    control = match.terms.control
    # Logs from before players could add to the seed have it from the beginning.
    seed = match.seed or chain.match_seed(match.server_seed, match.id, [seat.entropy for seat in match.seats])
    first = None if control is None else clocks.started(control, len(match.seats))
    return match._replace(seed=seed, clocks=first, join_deadline=0)


def with_seat(match: Match, seat: Seat, holder: SeatState) -> Match:
    """The match with somebody else, or nobody, at a seat."""
    return match._replace(seats=(*match.seats[:seat], holder, *match.seats[seat + 1 :]))


def final_places(places: Places | None, out: tuple[Seat, ...], seats: int, no_shows: int = 0) -> Places | None:
    """The game's places, but the first seat that went out is last, the next one before it, and so on.

    Seats that were never taken share the last place.
    """
    if len(out) == seats:
        places = ()
    if places is None:
        return None
    staying = (tuple(seat for seat in tied if seat not in out) for tied in places)
    absent = (out[:no_shows],) if no_shows else ()
    return (*(tied for tied in staying if tied), *((seat,) for seat in reversed(out[no_shows:])), *absent)
