"""State is the fold of the events, always: from the first envelope, or on from where a match stands."""

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope, hash_of
from shared.game import AnyGame
from shared.kernel import Seat
from shared.match import seating, terms
from shared.match.clocks import SeatClock
from shared.match.model import Match, SeatState, Status
from shared.match.wire import Wire


class BrokenLog(ValueError):
    """A log that does not replay. `version` says where it stops to make sense."""

    def __init__(self, version: int, message: str) -> None:
        super().__init__(f"version {version}: {message}")
        self.version = version


class Replay:
    """Folds logs of one game."""

    noun = "match"

    def __init__(self, game: AnyGame, wire: Wire) -> None:
        self._game = game
        self._wire = wire

    def fold(self, match: Match | None, envelopes: Iterable[Envelope]) -> Match:
        """The match after these envelopes, which follow it without a gap. They must be complete, not redacted."""
        version = 0 if match is None else match.version
        # A run of the game's own events moves only this; the match is brought up to date at its end.
        state = None if match is None else match.state
        stored = None
        evolve, event_of, game_events = self._game.evolve, self._wire.event, self._wire.game_events
        upcast = self._wire.upcast if self._game.upcasters else None
        try:
            for stored in envelopes:
                version += 1
                envelope = upcast(stored) if upcast is not None else stored
                found, _, kind, _, _, _, _, _, _ = envelope
                if found != version:
                    raise BrokenLog(version, f"the log goes on with version {found}")
                if match is not None and kind in game_events:
                    state = evolve(state, event_of(envelope))
                else:
                    match = self._after(match, state, envelope)
                    state = match.state
        except BrokenLog:
            raise
        except (LookupError, TypeError, ValueError, DecodeError) as error:
            raise BrokenLog(version, f"the event can't be read: {error!r}") from error
        if match is None:
            raise BrokenLog(1, "the log is empty")
        if stored is None:
            return match
        # Only the newest hash is needed to go on; that all of them hold is for the verifier.
        return match._replace(state=state, version=version, time_micros=stored.time_micros, head=hash_of(stored))

    def _after(self, match: Match | None, state: Any, envelope: Envelope) -> Match:
        if match is None:
            return self._created(envelope)
        moved = match._replace(state=state, version=envelope.version, time_micros=envelope.time_micros)
        return self._after_platform_event(moved, envelope)

    def _after_platform_event(self, match: Match, envelope: Envelope) -> Match:
        match self._wire.public(envelope):
            case pb.SeatTaken() as taken:
                joined = SeatState("", taken.player_name, envelope.command_id, taken.player_id, taken.entropy)
                return seating.with_seat(match, Seat(taken.seat), joined)
            case pb.SeatReleased() as released:
                return seating.with_seat(match, Seat(released.seat), SeatState())
            case pb.MatchStarted():
                state = self._game.initial(match.options, len(match.seats))
                return seating.started(match)._replace(status=Status.PLAYING, state=state)
            case pb.SeatWentOut() as left:
                no_shows = match.no_shows + (left.reason == pb.OUT_REASON_NO_SHOW)
                return match._replace(out=(*match.out, Seat(left.seat)), no_shows=no_shows)
            case pb.TimeGivenBack() as given:
                deadline = match.join_deadline
                return match._replace(join_deadline=deadline + given.micros if deadline else 0)
            case pb.ClocksSet() as shown:
                clocks = tuple(SeatClock(one.remaining_micros, one.is_running) for one in shown.clocks)
                return match._replace(clocks=clocks)
            case pb.MatchFinished() as finished:
                places = tuple(tuple(map(Seat, place.seats)) for place in finished.places)
                return match._replace(status=Status.FINISHED, places=places)
            case other:
                raise BrokenLog(envelope.version, f"{type(other).__name__} can't stand here")

    def _created(self, envelope: Envelope) -> Match:
        created = self._wire.public(envelope)
        if not isinstance(created, pb.MatchCreated) or created.game != self._game.name:
            raise BrokenLog(1, f"the log does not begin with the creation of a match of {self._game.name}")
        seed = self._wire.content(envelope.sealed[0])
        if not isinstance(seed, pb.ServerSeed):
            raise BrokenLog(1, "the log is redacted")
        laid_down = terms.read(created)
        return Match(
            id=created.match_id,
            game=created.game,
            rules_version=created.rules_version,
            options=self._decode_options(created),
            terms=laid_down,
            seats=tuple(map(seating.first_holder, created.seats)),
            status=Status.WAITING,
            version=1,
            created_micros=envelope.time_micros,
            time_micros=envelope.time_micros,
            head=hash_of(envelope),
            server_seed=seed.seed,
            # Where nothing was committed to, there was no other seed.
            seed=b"" if created.server_seed_hash else seed.seed,
            state=None,
            out=(),
            no_shows=0,
            join_deadline=terms.join_deadline(laid_down, envelope.time_micros),
            clocks=None,
            places=None,
        )

    def _decode_options(self, created: pb.MatchCreated) -> Any:
        message = self._game.codec.options_type()
        created.options.Unpack(message)
        return self._game.codec.decode_options(message)
