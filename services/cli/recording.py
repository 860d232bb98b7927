"""A match to be replayed: its log from a service or from a file, and the position at any version of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.envelope_pb2 import MatchCreated, MatchStarted, SeatReleased, SeatTaken
from services.cli import lookup
from services.cli.client import EVERYTHING, Client
from services.cli.failures import Wrong
from services.cli.sentences import SeatHolder
from shared import export
from shared.envelope import Envelope
from shared.game import AnyGame
from shared.kernel import EVERYTHING as EVERYBODY
from shared.match.model import Match, SeatState, Status
from shared.match.seating import first_holder
from shared.match.wire import Wire
from shared.replay import Replay
from shared.verify import is_redacted


@dataclass(frozen=True, slots=True)
class Recording:
    """What is known of a match. `position` answers the view at a version, None where the match had not started."""

    game: AnyGame
    match_id: str
    status: str
    seats: tuple[SeatHolder, ...]
    places: tuple[tuple[int, ...], ...]
    envelopes: tuple[Envelope, ...]
    position: Callable[[int], Any | None]
    has_positions: bool = True

    @property
    def version(self) -> int:
        """The newest."""
        return self.envelopes[-1].version

    @property
    def is_finished(self) -> bool:
        return self.status == Status.FINISHED.value

    def envelope(self, version: int) -> Envelope:
        """The event with this version."""
        if not 1 <= version <= self.version:
            raise Wrong(f"The match has the versions 1 to {self.version}, not {version}.")
        return self.envelopes[version - 1]


def from_service(client: Client, summary: pb.MatchSummary) -> Recording:
    """A match that a service knows: folded here once it is over, looked at from outside while it goes on."""
    if summary.status == pb.MATCH_STATUS_FINISHED:
        return from_log(client.game, tuple(client.history(summary.match_id, EVERYTHING)))
    return Recording(
        client.game,
        summary.match_id,
        pb.MatchStatus.Name(summary.status).removeprefix("MATCH_STATUS_").lower(),
        tuple(summary.seats),
        (),
        tuple(client.history(summary.match_id)),
        lambda version: client.view_in(client.look(summary.match_id, version=version)),
    )


def from_file(path: Path) -> Recording:
    """A match that was exported earlier."""
    try:
        with path.open(encoding="utf-8") as lines:
            name, _, envelopes = export.read(lines)
            log = tuple(envelopes)
    except (export.BrokenFile, UnicodeDecodeError):
        raise Wrong(f"{path} is not an exported match.") from None
    except OSError as error:
        raise Wrong(f"{path} can't be read: {error.strerror}.") from None
    game = lookup.game_named(name)
    try:
        return _from_redacted(game, log) if is_redacted(log) else from_log(game, log)
    except Exception as error:
        # Bytes of a stranger's file can break a fold in any way there is.
        raise Wrong(f"{path} does not replay as a match of {game.title} ({type(error).__name__}: {error}).") from error


def from_log(game: AnyGame, log: tuple[Envelope, ...]) -> Recording:
    """A complete log, with everything in it."""
    match = fold(game, log)

    def position(version: int) -> Any | None:
        state = fold(game, log[:version]).state
        return None if state is None else game.view(state, EVERYBODY)

    return Recording(game, match.id, match.status.value, match.seats, match.places or (), log, position)


def fold(game: AnyGame, log: tuple[Envelope, ...]) -> Match:
    """The match after these events."""
    return Replay(game, Wire(game)).fold(None, log)


def _from_redacted(game: AnyGame, log: tuple[Envelope, ...]) -> Recording:
    """A log that some of was hidden in when it was written: its events can be told, but not folded."""
    wire = Wire(game)
    seats: list[SeatState] = []
    match_id, status = "", Status.WAITING
    for envelope in log:
        match wire.public(wire.upcast(envelope)):
            case MatchCreated() as created:
                match_id = created.match_id
                seats = list(map(first_holder, created.seats))
            case SeatTaken() as taken:
                seats[taken.seat] = SeatState(player_name=taken.player_name)
            case SeatReleased() as released:
                seats[released.seat] = SeatState()
            case MatchStarted():
                status = Status.PLAYING
            case _:
                pass
    return Recording(game, match_id, status.value, tuple(seats), (), log, _no_position, has_positions=False)


def _no_position(_version: int) -> Any | None:
    raise Wrong("The file lacks what was hidden when it was written, so that there is no board to show.")
