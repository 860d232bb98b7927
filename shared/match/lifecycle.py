"""What may be done with a match: create, join, play, resign. Each answers what was decided, or a refusal."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope
from shared.game import AnyGame, Encoded, Secret
from shared.kernel import Chance, Places, Refusal, Seat, Viewer
from shared.match.model import Decided, Match, SeatState, Stamp, Status
from shared.match.wire import Form, Wire

# Events in order, each with the seat whose command caused it.
Happened: TypeAlias = list[tuple[Seat | None, Form]]


class Lifecycle:
    """The decisions about matches of one game."""

    def __init__(self, game: AnyGame, wire: Wire) -> None:
        self._game = game
        self._wire = wire

    def create(self, match_id: str, options: Any, seats: tuple[SeatState, ...], seed: bytes, stamp: Stamp) -> Decided:
        """A new match; it starts at once if every seat is a computer's. The options must have been checked."""
        packed = AnyMessage()
        packed.Pack(self._game.codec.encode_options(options))
        created = pb.MatchCreated(
            match_id=match_id,
            game=self._game.name,
            rules_version=self._game.rules_version,
            options=packed,
            seats=map(_seat_setup, seats),
        )
        sealed = Secret((), pb.ServerSeed(seed=seed))
        happened: Happened = [(None, self._wire.form(Encoded(created, (sealed,))))]
        match = Match(
            id=match_id,
            game=self._game.name,
            rules_version=self._game.rules_version,
            options=options,
            seats=seats,
            status=Status.WAITING,
            version=0,
            created_micros=stamp.now,
            time_micros=stamp.now,
            seed=seed,
            state=None,
            out=(),
            places=None,
        )
        return self._start_if_full(match, happened, None, stamp)

    def join(self, match: Match, wanted: Seat | None, player_name: str, stamp: Stamp) -> Decided | Refusal:
        """A player takes an open seat; the last one to do so starts the match."""
        free = [Seat(number) for number, seat in enumerate(match.seats) if not seat.is_taken]
        if not free:
            return Refusal("NO_OPEN_SEAT", "Every seat of this match is taken.")
        seat = free[0] if wanted is None else wanted
        if seat not in free:
            return Refusal("SEAT_TAKEN", f"Seat {seat} is taken.")
        happened: Happened = [(seat, self._form(pb.SeatTaken(seat=seat, player_name=player_name)))]
        seats = (*match.seats[:seat], SeatState("", player_name, stamp.command_id), *match.seats[seat + 1 :])
        return self._start_if_full(match._replace(seats=seats), happened, seat, stamp)

    def submit(
        self, match: Match, seat: Seat, command: Any, note: pb.AgentNote | None, stamp: Stamp
    ) -> Decided | Refusal:
        """A seat's command, decided by the game's rules."""
        refusal = _not_playing(match, seat)
        if refusal is not None:
            return refusal
        events = self._game.decide(match.state, seat, command, Chance(match.seed))
        if isinstance(events, Refusal):
            return events
        happened = self._encoded(seat, events)
        if note is not None:
            first = happened[0][1]
            happened[0] = (seat, first._replace(sealed=(*first.sealed, self._wire.seal(Secret((), note)))))
        return self._settle(match, happened, self._fold(match.state, events), match.out, stamp)

    def resign(self, match: Match, seat: Seat, stamp: Stamp) -> Decided | Refusal:
        """A seat leaves; the game's default plays for it. When no seat is left in, the match ends at once."""
        refusal = _not_playing(match, seat)
        if refusal is not None:
            return refusal
        went_out = pb.SeatWentOut(seat=seat, reason=pb.OUT_REASON_RESIGNED)
        return self._settle(match, [(seat, self._form(went_out))], match.state, (*match.out, seat), stamp)

    def _start_if_full(self, match: Match, happened: Happened, seat: Seat | None, stamp: Stamp) -> Decided:
        if not all(taken.is_taken for taken in match.seats):
            return self._advance(match, happened, stamp, status=Status.WAITING, state=None)
        empty = self._game.initial(match.options, len(match.seats))
        events = self._game.setup(empty, Chance(match.seed))
        happened.append((seat, self._form(pb.MatchStarted())))
        happened.extend(self._encoded(seat, events))
        return self._settle(match, happened, self._fold(empty, events), match.out, stamp)

    def _settle(self, match: Match, happened: Happened, state: Any, out: tuple[Seat, ...], stamp: Stamp) -> Decided:
        """Plays for the seats that are out until somebody else has a choice, and ends the match where it ends."""
        while (idle := self._idle_seat(state, out, len(match.seats))) is not None:
            view = self._game.view(state, Viewer(idle))
            events = self._game.decide(state, idle, self._game.default(view), Chance(match.seed))
            if isinstance(events, Refusal):
                raise RuntimeError(f"the default of {self._game.name} is not legal: {events.rule} {events.message}")
            happened.extend(self._encoded(idle, events))
            state = self._fold(state, events)
        places = final_places(self._game.outcome(state), out, len(match.seats))
        if places is not None:
            finished = pb.MatchFinished(places=[pb.Place(seats=tied) for tied in places])
            happened.append((None, self._form(finished)))
        status = Status.PLAYING if places is None else Status.FINISHED
        return self._advance(match, happened, stamp, status=status, state=state, out=out, places=places)

    def _idle_seat(self, state: Any, out: tuple[Seat, ...], seats: int) -> Seat | None:
        if not out or len(out) == seats:
            return None
        return next((seat for seat in self._game.to_act(state) if seat in out), None)

    def _form(self, event: Message) -> Form:
        return self._wire.form(Encoded(event))

    def _encoded(self, seat: Seat | None, events: Iterable[Any]) -> Happened:
        return [(seat, self._wire.encode(event)) for event in events]

    def _advance(
        self,
        match: Match,
        happened: Happened,
        stamp: Stamp,
        *,
        status: Status,
        state: Any,
        out: tuple[Seat, ...] = (),
        places: Places | None = None,
    ) -> Decided:
        """Gives the events their places in the log."""
        # Time never goes back within a match, whatever the clocks of several processes say.
        time_micros = max(stamp.now, match.time_micros)
        command_id = stamp.command_id
        envelopes = tuple(
            [
                Envelope(
                    version, form.schema_version, form.type, time_micros, command_id, seat, form.public, form.sealed
                )
                for version, (seat, form) in enumerate(happened, match.version + 1)
            ]
        )
        after = Match(
            match.id,
            match.game,
            match.rules_version,
            match.options,
            match.seats,
            status,
            match.version + len(happened),
            match.created_micros,
            time_micros,
            match.seed,
            state,
            out,
            places,
        )
        return Decided(envelopes, after)

    def _fold(self, state: Any, events: tuple[Any, ...]) -> Any:
        for event in events:
            state = self._game.evolve(state, event)
        return state


def final_places(places: Places | None, out: tuple[Seat, ...], seats: int) -> Places | None:
    """The game's places, but the first seat that went out is last, the next one before it, and so on."""
    if len(out) == seats:
        places = ()
    if places is None:
        return None
    staying = (tuple(seat for seat in tied if seat not in out) for tied in places)
    return (*(tied for tied in staying if tied), *((seat,) for seat in reversed(out)))


def agents_to_act(game: AnyGame, match: Match) -> tuple[tuple[Seat, str], ...]:
    """The computer players whose turn it is, with their levels."""
    if match.status is not Status.PLAYING:
        return ()
    acting = (seat for seat in game.to_act(match.state) if seat not in match.out)
    return tuple((seat, match.seats[seat].ai_level) for seat in acting if match.seats[seat].ai_level)


def agent_seed(match: Match, seat: Seat) -> bytes:
    """The chance of a computer player's next move: from the match's seed, but telling nothing of it."""
    return Chance(match.seed).derive(f"ai/{seat}/{match.version}")


def _not_playing(match: Match, seat: Seat) -> Refusal | None:
    if match.status is Status.WAITING:
        return Refusal("MATCH_NOT_STARTED", "The match has not started: it waits for players.")
    if match.status is Status.FINISHED:
        return Refusal("MATCH_OVER", "The match is over.")
    if seat in match.out:
        return Refusal("SEAT_IS_OUT", f"Seat {seat} has left the match.")
    return None


def _seat_setup(seat: SeatState) -> pb.SeatSetup:
    return pb.SeatSetup(ai=pb.AiSeat(level=seat.ai_level)) if seat.ai_level else pb.SeatSetup(open=pb.OpenSeat())
