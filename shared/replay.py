"""State is the fold of the events, always: from the first envelope, or on from where a match stands."""

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope
from shared.game import AnyGame
from shared.kernel import Seat
from shared.match.model import Match, SeatState, Status
from shared.match.wire import Wire


class BrokenLog(ValueError):
    """A log that does not replay. `version` says where it stops to make sense."""

    def __init__(self, version: int, message: str) -> None:
        super().__init__(f"version {version}: {message}")
        self.version = version


class Replay:
    """Folds logs of one game."""

    def __init__(self, game: AnyGame, wire: Wire) -> None:
        self._game = game
        self._wire = wire

    def fold(self, match: Match | None, envelopes: Iterable[Envelope]) -> Match:
        """The match after these envelopes, which follow it without a gap. They must be complete, not redacted."""
        version = 0 if match is None else match.version
        # A run of the game's own events moves only this; the match is brought up to date at its end.
        state = None if match is None else match.state
        evolve, event_of, game_events = self._game.evolve, self._wire.event, self._wire.game_events
        upcast = self._wire.upcast if self._game.upcasters else None
        try:
            for stored in envelopes:
                version += 1
                envelope = upcast(stored) if upcast is not None else stored
                found, _, kind, time_micros, _, _, _, _, _ = envelope
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
        if version == match.version:
            return match
        return match._replace(state=state, version=version, time_micros=time_micros)

    def _after(self, match: Match | None, state: Any, envelope: Envelope) -> Match:
        if match is None:
            return self._created(envelope)
        moved = match._replace(state=state, version=envelope.version, time_micros=envelope.time_micros)
        return self._after_platform_event(moved, envelope)

    def _after_platform_event(self, match: Match, envelope: Envelope) -> Match:
        match self._wire.public(envelope):
            case pb.SeatTaken() as taken:
                joined = SeatState("", taken.player_name, envelope.command_id)
                seats = (*match.seats[: taken.seat], joined, *match.seats[taken.seat + 1 :])
                return match._replace(seats=seats)
            case pb.MatchStarted():
                state = self._game.initial(match.options, len(match.seats))
                return match._replace(status=Status.PLAYING, state=state)
            case pb.SeatWentOut() as left:
                return match._replace(out=(*match.out, Seat(left.seat)))
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
        return Match(
            id=created.match_id,
            game=created.game,
            rules_version=created.rules_version,
            options=self._decode_options(created),
            seats=tuple(SeatState(ai_level=seat.ai.level) for seat in created.seats),
            status=Status.WAITING,
            version=1,
            created_micros=envelope.time_micros,
            time_micros=envelope.time_micros,
            seed=seed.seed,
            state=None,
            out=(),
            places=None,
        )

    def _decode_options(self, created: pb.MatchCreated) -> Any:
        message = self._game.codec.options_type()
        created.options.Unpack(message)
        return self._game.codec.decode_options(message)
