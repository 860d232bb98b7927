"""Events as sentences: the game's own by its notation, the platform's here."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from meydan.match.v1 import envelope_pb2 as pb
from services.cli import clocks
from shared.envelope import Envelope
from shared.game import AnyGame
from shared.match.wire import Wire

_MICROS = 1_000_000
_REASONS = {
    pb.OUT_REASON_RESIGNED: "resigns",
    pb.OUT_REASON_TIME_UP: "has no time left",
    pb.OUT_REASON_NO_SHOW: "was not taken in time",
}


class SeatHolder(Protocol):
    """Who sits at a seat; of a match's summary and of a replayed match alike."""

    @property
    def ai_level(self) -> str: ...
    @property
    def player_name(self) -> str: ...


class Sentences:
    """The sentences of one game's matches."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._wire = Wire(game)

    def of(self, envelope: Envelope) -> str:
        """The event in a sentence, without what is hidden in it."""
        envelope = self._wire.upcast(envelope)
        if envelope.type in self._wire.game_events:
            return self._game.notation.describe_event(self._wire.event(envelope))
        match self._wire.public(envelope):
            case pb.MatchCreated() as created:
                return f"The match is made: {self._game.title}, {_setups(created.seats)}."
            case pb.SeatTaken() as taken:
                return f"{taken.player_name} takes seat {taken.seat}."
            case pb.MatchStarted():
                return "The match starts."
            case pb.SeatReleased() as released:
                return f"Seat {released.seat} is open again."
            case pb.SeatWentOut() as left:
                return f"Seat {left.seat} {_REASONS.get(left.reason, 'leaves')} and is played for from now on."
            case pb.TimeGivenBack() as given:
                return f"The platform was away: {given.micros / _MICROS:.1f} seconds are not counted."
            case pb.ClocksSet() as shown:
                return f"Time left: {clocks.line(shown.clocks)}."
            case pb.MatchFinished() as finished:
                return f"The match is over: {places(place.seats for place in finished.places)}."
            case other:
                return f"{type(other).__name__}."


def places(groups: Iterable[Sequence[int]]) -> str:
    """`1. seat 2, 2. seats 0 and 1`."""
    return ", ".join(f"{rank}. {named(seats)}" for rank, seats in ranked(groups))


def ranked(groups: Iterable[Sequence[int]]) -> list[tuple[int, Sequence[int]]]:
    """Each group with its place; after two who share the first place comes the third."""
    found: list[tuple[int, Sequence[int]]] = []
    rank = 1
    for seats in groups:
        found.append((rank, seats))
        rank += len(seats)
    return found


def named(seats: Sequence[int]) -> str:
    """`seat 2`, `seats 0 and 1`."""
    return f"seat{'s' if len(seats) > 1 else ''} {' and '.join(map(str, seats))}"


def counted(number: int, noun: str) -> str:
    """`1 table`, `8 tables`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def holder(seat: SeatHolder) -> str:
    """Who sits there, in a word or two."""
    return seat.player_name or seat.ai_level or "open"


def _setups(seats: Iterable[pb.SeatSetup]) -> str:
    return ", ".join(f"seat {number} {seat.ai.level or 'open'}" for number, seat in enumerate(seats))
