"""Matches with a log, of any game, without a service: a fixed clock, fixed ids, and commands from anywhere.

What is made here from the same seed, options and commands is the same byte for byte, so that logs can be compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shared.envelope import Envelope, pack, unpack
from shared.game import AnyGame
from shared.kernel import Refusal, Seat, Viewer
from shared.match.ids import join_id
from shared.match.lifecycle import Lifecycle
from shared.match.model import Decided, Match, SeatState, Stamp, Status
from shared.match.wire import Wire
from shared.replay import Replay

MATCH_ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
# 2026-01-01, and a second for each command.
START = 1_767_225_600_000_000
SECOND = 1_000_000


class Recorder:
    """A match that writes its log."""

    def __init__(self, game: AnyGame, options: Any, seats: Sequence[str], seed: bytes) -> None:
        """`seats` has a computer player's level for each seat, or nothing for one that a player takes."""
        self.game = game
        self.wire = Wire(game)
        self.lifecycle = Lifecycle(game, self.wire)
        self.envelopes: list[Envelope] = []
        self._now = START
        states = tuple(SeatState(ai_level=level) for level in seats)
        self._write(self.lifecycle.create(MATCH_ID, options, states, seed, self._stamp("create")))
        for number, level in enumerate(seats):
            if not level:
                self._join(Seat(number))

    def _join(self, seat: Seat) -> None:
        stamp = self._stamp(join_id(f"request-of-seat-{seat}"))
        self._write(self.lifecycle.join(self.match, seat, f"Player {seat}", stamp))

    def submit(self, seat: Seat, command: Any) -> None:
        """A command that must be legal."""
        self._write(self.lifecycle.submit(self.match, seat, command, None, self._stamp()))

    def resign(self, seat: Seat) -> None:
        """A seat goes out."""
        self._write(self.lifecycle.resign(self.match, seat, self._stamp()))

    def _stamp(self, command_id: str = "") -> Stamp:
        self._now += SECOND
        return Stamp(command_id or f"command-{len(self.envelopes)}", self._now)

    def _write(self, decided: Decided | Refusal) -> None:
        assert isinstance(decided, Decided), decided
        self.match = decided.match
        self.envelopes.extend(decided.envelopes)

    @property
    def is_playing(self) -> bool:
        return self.match.status is Status.PLAYING

    @property
    def records(self) -> list[bytes]:
        """The log as it would be stored."""
        return list(map(pack, self.envelopes))

    def legal(self, seat: Seat) -> tuple[Any, ...]:
        """What a seat may do."""
        return tuple(self.game.legal(self.game.view(self.match.state, Viewer(seat))))

    def acting(self) -> tuple[Seat, ...]:
        """The seats that may act."""
        return tuple(self.game.to_act(self.match.state)) if self.is_playing else ()


@dataclass
class Choices:
    """Numbers that say which of several possibilities is taken, over and over."""

    picks: Sequence[int]
    used: int = 0

    def of(self, items: Sequence[Any]) -> Any:
        """One of the items."""
        self.used += 1
        pick = self.picks[self.used % len(self.picks)] if self.picks else 0
        return items[(pick + self.used // max(1, len(self.picks))) % len(items)]


def play_on(recorder: Recorder, picks: Sequence[int], most: int = 2_000) -> Iterator[tuple[Seat, Any]]:
    """Plays until the match ends, or `most` commands; gives each command before it is played."""
    choices = Choices(picks)
    for _ in range(most):
        if not recorder.acting():
            return
        seat = choices.of(recorder.acting())
        command = choices.of(recorder.legal(seat))
        yield seat, command
        recorder.submit(seat, command)


def finished(game: AnyGame, options: Any, seats: Sequence[str], seed: bytes, picks: Sequence[int] = ()) -> Recorder:
    """A match played to its end."""
    recorder = Recorder(game, options, seats, seed)
    for _ in play_on(recorder, picks):
        pass
    return recorder


def replayed(game: AnyGame, records: Sequence[bytes]) -> Match:
    """The match that stored bytes fold to."""
    return Replay(game, Wire(game)).fold(None, map(unpack, records))
