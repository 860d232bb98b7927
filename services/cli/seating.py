"""How a person comes to a seat: in a new match, in one that waits for players, or back to the seat that they hold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from meydan.match.v1 import match_service_pb2 as pb
from services import keyring
from services.cli import wishes
from services.cli.client import OPEN, Client
from services.cli.failures import Refused, Wrong

_NOT_YOURS = ("NOT_YOUR_SEAT", "NOT_YOUR_MATCH")
_NO_ROOM = ("NO_OPEN_SEAT", "SEAT_TAKEN", "MATCH_OVER")
# Who comes back sees the last few events again.
_RECENT = 5

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for."""

    match_id: str | None = None
    seat: int | None = None
    token: str | None = None
    name: str | None = None
    against: Sequence[str] = ()
    options: Sequence[str] = ()
    # Added to the seed; else some is made up.
    entropy: bytes | None = None


@dataclass(frozen=True, slots=True)
class Seating:
    """A seat of a match, the token that plays it, and the last event that its player knows of."""

    match_id: str
    credential: pb.SeatCredential
    known: int = 0

    @property
    def seat(self) -> int:
        return self.credential.seat

    @property
    def viewer(self) -> pb.Viewer:
        return pb.Viewer(seat=self.credential)


def take_seat(client: Client, wish: Wish) -> Seating:
    """The seat that was wished for."""
    if wish.match_id is None:
        return _join(client, _new_match(client, wish), wish)
    if wish.against or wish.options:
        raise Wrong("--against and --option are for a new match; this one is there already.")
    if wish.token is not None:
        return _come_with_token(client, wish.match_id, wish.token, wish.seat)
    try:
        return _join(client, wish.match_id, wish)
    except Refused as refused:
        held = _held_seat(client, wish.match_id, wish.seat) if refused.reason in _NO_ROOM else None
        if held is None:
            raise
        return held


def _new_match(client: Client, wish: Wish) -> str:
    if wish.token is not None:
        raise Wrong("--token opens a seat of a match: name the match too.")
    seats = list(wishes.seats(client.game, wish.against or (wishes.usual_opponent(client.game),)))
    if wish.seat is not None and wish.seat > len(seats):
        raise Wrong(f"The match has the seats 0 to {len(seats)}, not {wish.seat}.")
    seats.insert(wish.seat or 0, OPEN)
    return client.create(seats, wishes.options(client.game, wish.options)).match_id


def _join(client: Client, match_id: str, wish: Wish) -> Seating:
    seat = 0 if wish.match_id is None and wish.seat is None else wish.seat
    name = keyring.login_name() if wish.name is None else wish.name
    joined = client.join(match_id, seat, name, wish.entropy)
    return Seating(match_id, pb.SeatCredential(seat=joined.seat, token=joined.token))


def _held_seat(client: Client, match_id: str, wanted: int | None) -> Seating | None:
    """A seat that the caller has taken earlier, if there is one."""
    seen = _unless_foreign(partial(client.look, match_id))
    if seen is None:
        return None
    for seat in _candidates(seen.match, wanted):
        token = _unless_foreign(partial(client.seat_token, match_id, seat))
        if token is not None:
            return _back_at(seen.match, pb.SeatCredential(seat=seat, token=token))
    return None


def _come_with_token(client: Client, match_id: str, token: str, wanted: int | None) -> Seating:
    """Nobody but the service reads a token, so that it is tried at each seat."""
    match = client.look(match_id).match
    for seat in _candidates(match, wanted):
        credential = pb.SeatCredential(seat=seat, token=token)
        if _unless_foreign(partial(client.legal, match_id, credential)) is not None:
            return _back_at(match, credential)
    raise Wrong(
        "The token opens no seat of this match." if wanted is None else f"The token does not open seat {wanted}."
    )


def _candidates(match: pb.MatchSummary, wanted: int | None) -> Sequence[int]:
    return range(len(match.seats)) if wanted is None else (wanted,)


def _back_at(match: pb.MatchSummary, credential: pb.SeatCredential) -> Seating:
    return Seating(match.match_id, credential, max(0, match.version - _RECENT))


def _unless_foreign(call: Callable[[], T]) -> T | None:
    """The answer, or None if what was asked for is somebody else's."""
    try:
        return call()
    except Refused as refused:
        if refused.reason not in _NOT_YOURS:
            raise
    return None
