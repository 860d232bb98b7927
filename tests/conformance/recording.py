"""Matches with a log, of any game, without a service: a fixed clock, fixed ids, and commands from anywhere.

What is made here from the same seed, options and commands is the same byte for byte, so that logs can be compared.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope, hash_of, unpack
from shared.game import AnyGame
from shared.kernel import Refusal, Seat, Viewer
from shared.match.agents import agent_seed
from shared.match.lifecycle import Lifecycle
from shared.match.model import Decided, Match, SeatState, Stamp, Status, Terms
from shared.match.wire import Wire
from shared.proof.chain import NO_HASH, sha256
from shared.replay import Replay

MATCH_ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
# 2026-01-01, and a second for each command.
START = 1_767_225_600_000_000
SECOND = 1_000_000
TERMS = Terms(organiser_id="organiser")


def player(name: str) -> SeatState:
    """Somebody who joins, with chance of their own."""
    return SeatState("", name, f"join-of-{name}", f"id-of-{name}", sha256(name.encode())[:16])


class Recorder:
    """A match that writes its log."""

    def __init__(
        self,
        game: AnyGame,
        options: Any,
        seats: Sequence[str],
        seed: bytes,
        terms: Terms = TERMS,
        absent: Collection[int] = (),
    ) -> None:
        """`seats` has a computer player's level for each seat, or nothing for one that a player takes."""
        self.game = game
        self.wire = Wire(game)
        self.lifecycle = Lifecycle(game, self.wire)
        self.envelopes: list[Envelope] = []
        # The log as it would be stored.
        self.records: list[bytes] = []
        self._now = START
        self._away = 0
        states = tuple(SeatState(ai_level=level) for level in seats)
        self._write(self.lifecycle.create(MATCH_ID, options, states, terms, seed, self._stamp("create")))
        for number, level in enumerate(seats):
            if not level and number not in absent:
                self.join(Seat(number), player(f"player-{number}"))

    def join(self, seat: Seat, who: SeatState) -> None:
        """A player takes a seat."""
        self._write(self.lifecycle.join(self.match, seat, who, self._stamp(who.join_id)))

    def release(self, seat: Seat) -> None:
        """A seat is open again."""
        self._write(self.lifecycle.release(self.match, seat, self._stamp()))

    def submit(self, seat: Seat, command: Any, iterations: int = 0) -> None:
        """A command that must be legal; a computer's with the note that it must have."""
        note = self._note(seat, iterations) if self.match.seats[seat].ai_level else None
        self._write(self.lifecycle.submit(self.match, seat, command, note, self._stamp()))

    def _note(self, seat: Seat, iterations: int) -> pb.AgentNote:
        level = self.match.seats[seat].ai_level
        name, version = f"{self.game.name}/{level}", self.game.agents[level].version
        return pb.AgentNote(name=name, version=version, seed=agent_seed(self.match, seat), iterations=iterations)

    def resign(self, seat: Seat) -> None:
        """A seat goes out."""
        self._write(self.lifecycle.resign(self.match, seat, self._stamp()))

    def expire(self) -> None:
        """Somebody's time must be up, or there must be time to give back."""
        self._write(self.lifecycle.expire(self.match, self._stamp()))

    def wait(self, micros: int, away: int = 0) -> None:
        """Time passes before the next command; for some of it, the platform was away."""
        self._now += micros
        self._away += away

    def _stamp(self, command_id: str = "") -> Stamp:
        self._now += SECOND
        away, self._away = self._away, 0
        return Stamp(command_id or f"command-{len(self.envelopes)}", self._now, away)

    def _write(self, decided: Decided[Match] | Refusal) -> None:
        assert isinstance(decided, Decided), decided
        self.match = decided.after
        self.envelopes.extend(decided.envelopes)
        self.records.extend(decided.records)

    @property
    def is_playing(self) -> bool:
        return self.match.status is Status.PLAYING

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


def finished(
    game: AnyGame,
    options: Any,
    seats: Sequence[str],
    seed: bytes,
    picks: Sequence[int] = (),
    terms: Terms = TERMS,
) -> Recorder:
    """A match played to its end."""
    recorder = Recorder(game, options, seats, seed, terms)
    for _ in play_on(recorder, picks):
        pass
    return recorder


def replayed(game: AnyGame, records: Sequence[bytes]) -> Match:
    """The match that stored bytes fold to."""
    return Replay(game, Wire(game)).fold(None, map(unpack, records))


def rechained(envelopes: Sequence[Envelope]) -> list[Envelope]:
    """The envelopes with links that hold, whatever was changed in them."""
    log: list[Envelope] = []
    previous = NO_HASH
    for envelope in envelopes:
        log.append(envelope._replace(previous_hash=previous))
        previous = hash_of(log[-1])
    return log
