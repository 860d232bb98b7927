"""How a person comes to a seat: in a new match, in one that waits for players, or back with the seat's key."""

import getpass
from collections.abc import Sequence
from dataclasses import dataclass

from meydan.match.v1 import match_service_pb2 as pb
from services.cli import wishes
from services.cli.client import OPEN, Client
from services.cli.failures import Refused, Wrong

_NOT_YOUR_SEAT = "NOT_YOUR_SEAT"
# Who comes back sees the last few events again.
_RECENT = 5


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for."""

    match_id: str | None = None
    seat: int | None = None
    key: str | None = None
    name: str | None = None
    against: Sequence[str] = ()
    options: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Seating:
    """A seat of a match, the key that plays it, and the last event that its player knows of."""

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
    return _join(client, wish.match_id, wish) if wish.key is None else _come_back(client, wish.match_id, wish)


def _new_match(client: Client, wish: Wish) -> str:
    if wish.key is not None:
        raise Wrong("--key opens a seat of a match: name the match too.")
    seats = list(wishes.seats(client.game, wish.against or (wishes.usual_opponent(client.game),)))
    if wish.seat is not None and wish.seat > len(seats):
        raise Wrong(f"The match has the seats 0 to {len(seats)}, not {wish.seat}.")
    seats.insert(wish.seat or 0, OPEN)
    return client.create(seats, wishes.options(client.game, wish.options)).match_id


def _join(client: Client, match_id: str, wish: Wish) -> Seating:
    seat = 0 if wish.match_id is None and wish.seat is None else wish.seat
    joined = client.join(match_id, seat, _usual_name() if wish.name is None else wish.name)
    return Seating(match_id, pb.SeatCredential(seat=joined.seat, seat_key=joined.seat_key))


def _usual_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "player"


def _come_back(client: Client, match_id: str, wish: Wish) -> Seating:
    """The key does not say which seat it opens, so that it is tried."""
    match = client.look(match_id).match
    seats = range(len(match.seats)) if wish.seat is None else (wish.seat,)
    for seat in seats:
        credential = pb.SeatCredential(seat=seat, seat_key=wish.key or "")
        if _is_open_to(client, match_id, credential):
            return Seating(match_id, credential, max(0, match.version - _RECENT))
    raise Wrong(
        "The key opens no seat of this match." if wish.seat is None else f"The key does not open seat {wish.seat}."
    )


def _is_open_to(client: Client, match_id: str, credential: pb.SeatCredential) -> bool:
    try:
        client.legal(match_id, credential)
    except Refused as refused:
        if refused.reason != _NOT_YOUR_SEAT:
            raise
        return False
    return True
