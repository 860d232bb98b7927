"""What may be done with a match, from its creation to its end. Each answers what is decided, or a refusal."""

from collections.abc import Iterable
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from meydan.match.v1 import envelope_pb2 as pb
from shared.game import AnyGame, Encoded, Secret
from shared.kernel import Chance, Places, Refusal, Seat, Viewer
from shared.match import clocks, seating, terms, timing
from shared.match.chaining import Happened, Writer, write
from shared.match.model import Decided, Match, SeatState, Stamp, Status, Terms
from shared.match.wire import Form, Wire
from shared.proof import chain

# Looking up a member of an enum costs as much as calling a function.
_PLAYING = Status.PLAYING


class Lifecycle:
    """The decisions about matches of one game."""

    def __init__(self, game: AnyGame, wire: Wire, write: Writer = write) -> None:
        self._game = game
        self._wire = wire
        self._write = write
        self._play = game.advance or self._decide_and_fold

    def create(
        self, match_id: str, options: Any, seats: tuple[SeatState, ...], laid_down: Terms, seed: bytes, stamp: Stamp
    ) -> Decided[Match]:
        """A new match; it starts at once if every seat is a computer's. The options must have been checked."""
        packed = AnyMessage()
        packed.Pack(self._game.codec.encode_options(options))
        created = pb.MatchCreated(
            match_id=match_id,
            game=self._game.name,
            rules_version=self._game.rules_version,
            options=packed,
            seats=map(seating.setup_of, seats),
            server_seed_hash=chain.sha256(seed),
        )
        terms.write(laid_down, created)
        sealed = Secret((), pb.ServerSeed(seed=seed))
        happened: Happened = [(None, self._wire.form(Encoded(created, (sealed,))))]
        match = Match(
            id=match_id,
            game=self._game.name,
            rules_version=self._game.rules_version,
            options=options,
            terms=laid_down,
            seats=seats,
            status=Status.WAITING,
            version=0,
            created_micros=stamp.now,
            time_micros=stamp.now,
            head=chain.NO_HASH,
            server_seed=seed,
            seed=b"",
            state=None,
            out=(),
            no_shows=0,
            join_deadline=terms.join_deadline(laid_down, stamp.now),
            clocks=None,
            places=None,
        )
        return self._start_if_full(match, happened, None, stamp)

    def join(self, match: Match, wanted: Seat | None, player: SeatState, stamp: Stamp) -> Decided[Match] | Refusal:
        """A player takes an open seat; the last one to do so starts the match."""
        free = seating.free_for(match, player.player_id)
        if match.status is Status.FINISHED:
            return Refusal("MATCH_OVER", "The match is over.")
        if timing.is_too_late_to_join(match, stamp):
            return Refusal("TIME_IS_UP", "The time to take a seat is over.")
        if not free:
            return Refusal("NO_OPEN_SEAT", "Every seat of this match is taken, or kept for somebody else.")
        seat = free[0] if wanted is None else wanted
        if seat not in free:
            return Refusal("SEAT_TAKEN", f"Seat {seat} is taken, or kept for somebody else.")
        taken = pb.SeatTaken(
            seat=seat, player_name=player.player_name, player_id=player.player_id, entropy=player.entropy
        )
        return self._start_if_full(seating.with_seat(match, seat, player), [(seat, self._form(taken))], seat, stamp)

    def release(self, match: Match, seat: Seat, stamp: Stamp) -> Decided[Match] | Refusal:
        """A seat is open again, for another player."""
        if match.status is Status.FINISHED:
            return Refusal("MATCH_OVER", "The match is over.")
        if not match.seats[seat].join_id or seat in match.out:
            return Refusal("SEAT_NOT_TAKEN", f"No player holds seat {seat}.")
        happened: Happened = [(None, self._form(pb.SeatReleased(seat=seat)))]
        return self._start_if_full(seating.with_seat(match, seat, SeatState()), happened, None, stamp)

    def submit(
        self, match: Match, seat: Seat, command: Any, note: pb.AgentNote | None, stamp: Stamp
    ) -> Decided[Match] | Refusal:
        """A seat's command, decided by the game's rules."""
        refusal = _not_playing(match, seat)
        if refusal is not None:
            return refusal
        if match.clocks is not None and seat in clocks.overdue(match.clocks, timing.passed(match, stamp)):
            return Refusal("TIME_IS_UP", f"The time of seat {seat} is up.")
        played = self._play(match.state, seat, command, Chance(match.seed))
        if isinstance(played, Refusal):
            return played
        state, events = played
        happened = self._encoded(seat, events)
        if note is not None:
            first = happened[0][1]
            happened[0] = (seat, first._replace(sealed=(*first.sealed, self._wire.seal(Secret((), note)))))
        return self._settle(match, happened, state, match.out, stamp, seat)

    def resign(self, match: Match, seat: Seat, stamp: Stamp) -> Decided[Match] | Refusal:
        """A seat leaves; the game's default plays for it. When no seat is left in, the match ends at once."""
        refusal = _not_playing(match, seat)
        if refusal is not None:
            return refusal
        happened = [self._went_out(seat, seat, pb.OUT_REASON_RESIGNED)]
        return self._settle(match, happened, match.state, (*match.out, seat), stamp, seat)

    def expire(self, match: Match, stamp: Stamp) -> Decided[Match] | Refusal:
        """Puts out the seats whose time is up, as a resignation does; or gives back time that they did not have."""
        match match.status:
            case Status.WAITING:
                return self._expire_waiting(match, stamp)
            case Status.PLAYING if match.clocks is not None:
                late = clocks.overdue(match.clocks, timing.passed(match, stamp))
                if not late and not timing.given_back(match, stamp):
                    return Refusal("NOT_DUE", "Nobody's time is up.")
                happened = [self._went_out(None, seat, pb.OUT_REASON_TIME_UP) for seat in late]
                return self._settle(match, happened, match.state, (*match.out, *late), stamp)
            case _:
                return Refusal("NOT_DUE", "Nobody's time is counted.")

    def _expire_waiting(self, match: Match, stamp: Stamp) -> Decided[Match] | Refusal:
        if not timing.is_too_late_to_join(match, stamp):
            if not timing.given_back(match, stamp):
                return Refusal("NOT_DUE", "Seats may still be taken.")
            return self._advance(match, [], stamp, None, ())
        absent = tuple(Seat(number) for number, seat in enumerate(match.seats) if not seat.is_taken)
        happened = [self._went_out(None, seat, pb.OUT_REASON_NO_SHOW) for seat in absent]
        return self._start_if_full(match._replace(out=absent, no_shows=len(absent)), happened, None, stamp)

    def _start_if_full(self, match: Match, happened: Happened, seat: Seat | None, stamp: Stamp) -> Decided[Match]:
        if match.status is Status.PLAYING:
            return self._settle(match, happened, match.state, match.out, stamp)
        if not all(taken.is_taken or number in match.out for number, taken in enumerate(match.seats)):
            return self._advance(match, happened, stamp, None, match.out)
        match = seating.started(match)
        empty = self._game.initial(match.options, len(match.seats))
        events = self._game.setup(empty, Chance(match.seed))
        happened.append((seat, self._form(pb.MatchStarted())))
        happened.extend(self._encoded(seat, events))
        return self._settle(match, happened, self._fold(empty, events), match.out, stamp)

    def _settle(
        self,
        match: Match,
        happened: Happened,
        state: Any,
        out: tuple[Seat, ...],
        stamp: Stamp,
        mover: Seat | None = None,
    ) -> Decided[Match]:
        """Plays for the seats that are out until somebody else has a choice, and ends the match where it ends."""
        while out and (idle := self._idle_seat(state, out, len(match.seats))) is not None:
            view = self._game.view(state, Viewer(idle))
            played = self._play(state, idle, self._game.default(view), Chance(match.seed))
            if isinstance(played, Refusal):
                raise RuntimeError(f"the default of {self._game.name} is not legal: {played.rule} {played.message}")
            state, events = played
            happened.extend(self._encoded(idle, events))
        places = self._game.outcome(state)
        if out or places is not None:
            places = seating.final_places(places, out, len(match.seats), match.no_shows)
        return self._advance(match, happened, stamp, state, out, places, mover)

    def _idle_seat(self, state: Any, out: tuple[Seat, ...], seats: int) -> Seat | None:
        if len(out) == seats:
            return None
        return next((seat for seat in self._game.to_act(state) if seat in out), None)

    def _form(self, event: Message) -> Form:
        return self._wire.form(Encoded(event))

    def _encoded(self, seat: Seat | None, events: Iterable[Any]) -> Happened:
        encode = self._wire.encode
        return [(seat, encode(event)) for event in events]

    def _went_out(self, by: Seat | None, seat: Seat, reason: pb.OutReason.ValueType) -> tuple[Seat | None, Form]:
        return by, self._form(pb.SeatWentOut(seat=seat, reason=reason))

    def _advance(
        self,
        match: Match,
        happened: Happened,
        stamp: Stamp,
        state: Any,
        out: tuple[Seat, ...],
        places: Places | None = None,
        mover: Seat | None = None,
    ) -> Decided[Match]:
        """Ends a command: time moves on, and its events get their places in the log."""
        now = timing.now(match, stamp)
        given_back = timing.given_back(match, stamp) if stamp.away else 0
        if given_back:
            happened.append((None, self._form(pb.TimeGivenBack(micros=given_back))))
        shown, control = match.clocks, match.terms.control
        if shown is not None and control is not None:
            counted = () if places is not None else self._counted_seats(match, state, out)
            passed = now - match.time_micros - given_back
            shown = clocks.after_command(control, shown, passed, mover, counted)
            happened.append((None, self._form(timing.clocks_set(shown))))
        if places is not None:
            happened.append((None, self._form(_finished(places, match.server_seed))))
        envelopes, records, head = self._write(match, happened, now, stamp.command_id)
        # Spelled out, because _replace costs three times as much, and this is done for every command.
        after = Match(
            match.id,
            match.game,
            match.rules_version,
            match.options,
            match.terms,
            match.seats,
            _status(state, places),
            match.version + len(happened),
            match.created_micros,
            now,
            head,
            match.server_seed,
            match.seed,
            state,
            out,
            match.no_shows,
            match.join_deadline + given_back if match.join_deadline else 0,
            shown,
            places,
        )
        return Decided(envelopes, records, after)

    def _counted_seats(self, match: Match, state: Any, out: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Whose time runs: of people and clients who may act."""
        acting = self._game.to_act(state)
        return tuple(seat for seat in acting if seat not in out and not match.seats[seat].ai_level)

    def _decide_and_fold(
        self, state: Any, seat: Seat, command: Any, chance: Chance
    ) -> tuple[Any, tuple[Any, ...]] | Refusal:
        events = self._game.decide(state, seat, command, chance)
        return events if isinstance(events, Refusal) else (self._fold(state, events), events)

    def _fold(self, state: Any, events: tuple[Any, ...]) -> Any:
        for event in events:
            state = self._game.evolve(state, event)
        return state


def _status(state: Any, places: Places | None) -> Status:
    if places is not None:
        return Status.FINISHED
    return Status.WAITING if state is None else _PLAYING


def _finished(places: Places, server_seed: bytes) -> pb.MatchFinished:
    return pb.MatchFinished(places=[pb.Place(seats=tied) for tied in places], server_seed=server_seed)


def _not_playing(match: Match, seat: Seat) -> Refusal | None:
    if match.status is _PLAYING:
        return Refusal("SEAT_IS_OUT", f"Seat {seat} has left the match.") if seat in match.out else None
    if match.status is Status.WAITING:
        return Refusal("MATCH_NOT_STARTED", "The match has not started: it waits for players.")
    return Refusal("MATCH_OVER", "The match is over.")
