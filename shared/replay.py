"""State is the fold of the events, always: from the first envelope, or on from where a match stands."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

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
        for envelope in envelopes:
            expected = 1 if match is None else match.version + 1
            if envelope.version != expected:
                raise BrokenLog(expected, f"the log goes on with version {envelope.version}")
            match = self._after(match, self._wire.upcast(envelope))
        if match is None:
            raise BrokenLog(1, "the log is empty")
        return match

    def _after(self, match: Match | None, envelope: Envelope) -> Match:
        if match is None:
            return self._created(envelope)
        if self._wire.is_game_event(envelope.type):
            state = self._game.evolve(match.state, self._wire.event(envelope))
            return _moved(match, envelope, state)
        return replace(
            self._after_platform_event(match, envelope),
            version=envelope.version,
            time_micros=envelope.time_micros,
        )

    def _after_platform_event(self, match: Match, envelope: Envelope) -> Match:
        match self._wire.public(envelope):
            case pb.SeatTaken() as taken:
                joined = SeatState("", taken.player_name, envelope.command_id)
                seats = (*match.seats[: taken.seat], joined, *match.seats[taken.seat + 1 :])
                return replace(match, seats=seats)
            case pb.MatchStarted():
                state = self._game.initial(match.options, len(match.seats))
                return replace(match, status=Status.PLAYING, state=state)
            case pb.SeatWentOut() as left:
                return replace(match, out=(*match.out, Seat(left.seat)))
            case pb.MatchFinished() as finished:
                places = tuple(tuple(map(Seat, place.seats)) for place in finished.places)
                return replace(match, status=Status.FINISHED, places=places)
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


def _moved(match: Match, envelope: Envelope, state: Any) -> Match:
    """The match with a new game state: by far the most frequent step, so that it is spelled out."""
    return Match(
        match.id,
        match.game,
        match.rules_version,
        match.options,
        match.seats,
        match.status,
        envelope.version,
        match.created_micros,
        envelope.time_micros,
        match.seed,
        state,
        match.out,
        match.places,
    )
