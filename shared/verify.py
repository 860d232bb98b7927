"""Checks a log with no server: every link, every commitment, every draw, every rule, and the outcome.

A revealed log is decided again from its beginning, by the same code that wrote it: each command is read off its events,
and must lead to exactly the events that are there.
"""

import itertools
import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from google.protobuf.message import DecodeError

from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope, SealedPart, hash_of
from shared.game import AnyGame
from shared.kernel import Malformed, Refusal, Seat
from shared.match import agents, seating, terms
from shared.match.chaining import Happened, Piece, write
from shared.match.lifecycle import Lifecycle
from shared.match.model import Decided, Match, SeatState, Stamp, Status
from shared.match.wire import NOTE_TYPE, Form, Wire, full_name
from shared.proof import chain

_GIVEN_BACK = full_name(pb.TimeGivenBack)
# After these, what was given back belongs to another command.
_ENDS_COMMAND = frozenset(map(full_name, (pb.ClocksSet, pb.SeatTaken, pb.SeatReleased)))


class Wrong(Exception):
    """What is wrong with a log, and the version at which it shows."""

    def __init__(self, version: int, message: str) -> None:
        super().__init__(f"version {version}: {message}")
        self.version = version
        self.message = message


class Move(NamedTuple):
    """A command of a log: the match before it (None before the first), its envelopes, and the match after them."""

    before: Match | None
    envelopes: Sequence[Envelope]
    after: Match


def is_redacted(envelopes: Sequence[Envelope]) -> bool:
    """Whether something is hidden from whoever has this log."""
    return any(part.content is None for envelope in envelopes for part in envelope.sealed)


def check_chain(envelopes: Sequence[Envelope]) -> None:
    """What must hold of every viewer's log, also while the match goes on: the links, and the secrets that are open."""
    previous = chain.NO_HASH
    for version, envelope in enumerate(envelopes, 1):
        if envelope.version != version:
            raise Wrong(version, f"the log goes on with version {envelope.version}")
        if envelope.previous_hash != previous:
            raise Wrong(version, "the hash of the envelope before is not the one that is recorded here")
        _check_commitments(envelope)
        previous = checked_hash(envelope)


def checked_hash(envelope: Envelope) -> bytes:
    """The hash of an envelope that anybody may have made up: raises Wrong where its numbers have no bytes."""
    try:
        return hash_of(envelope)
    except (struct.error, ValueError) as error:
        raise Wrong(envelope.version, f"there is no such envelope: {error}") from None


def verify(game: AnyGame, wire: Wire, envelopes: Sequence[Envelope]) -> Match:
    """The finished match of a revealed log in which everything is as it must be; raises Wrong where it is not."""
    match: Match | None = None
    for match in _Verifier(game, wire, envelopes).matches():  # noqa: B007 - the last one is what is wanted
        pass
    if match is None or match.status is not Status.FINISHED:
        raise Wrong(len(envelopes), "the log ends before the match does")
    return match


def moves(game: AnyGame, wire: Wire, envelopes: Sequence[Envelope]) -> Iterator[Move]:
    """The commands of a revealed log, each checked before it is given."""
    before: Match | None = None
    for after in _Verifier(game, wire, envelopes).matches():
        yield Move(before, envelopes[0 if before is None else before.version : after.version], after)
        before = after


class _Verifier:
    """Decides again what a log says was decided, and compares what is written then with what is there."""

    def __init__(self, game: AnyGame, wire: Wire, envelopes: Sequence[Envelope]) -> None:
        self._game = game
        self._wire = wire
        self._lifecycle = Lifecycle(game, wire, self._compare)
        self._envelopes = tuple(envelopes)
        # Reading an event is half of what is done for it, and most games have nothing to raise.
        self._event = self._raised if game.upcasters else wire.event

    def matches(self) -> Iterator[Match]:
        """The match after each command of the log, which is checked before it is given."""
        match: Match | None = None
        at = 0
        while at < len(self._envelopes):
            match = self._decide_again(match, at)
            at = match.version
            yield match

    def _decide_again(self, match: Match | None, at: int) -> Match:
        try:
            decided = self._create(at) if match is None else self._decide(match, at)
        except (ArithmeticError, LookupError, TypeError, ValueError, DecodeError, Malformed, struct.error) as error:
            self._fail(at + 1, f"the event can't be read: {error!r}")
        if isinstance(decided, Refusal):
            self._fail(at + 1, f"this can't have happened here: {decided.rule} {decided.message}")
        return decided.after

    def _compare(self, match: Match, happened: Happened, time_micros: int, command_id: str) -> Piece:
        """Writes the events, and checks that this is what the log goes on with: links, salts and all."""
        stored = self._envelopes[match.version : match.version + len(happened)]
        if self._game.upcasters:
            older = zip(happened, stored, strict=False)
            happened[: len(stored)] = [(seat, self._as_stored(form, envelope)) for (seat, form), envelope in older]
        piece = write(match, happened, time_micros, command_id)
        if piece[0] != stored:
            self._fail_where_they_differ(piece[0], stored)
        return piece

    def _as_stored(self, form: Form, stored: Envelope) -> Form:
        """The form, or the one of former times that the log has for the same event."""
        if stored.schema_version == form.schema_version or not self._is_same(form, self._wire.upcast(stored)):
            return form
        return Form(stored.type, stored.schema_version, stored.public, stored.sealed)

    def _is_same(self, form: Form, raised: Envelope) -> bool:
        if (raised.type, raised.schema_version) != form[:2] or raised.type not in self._wire.game_events:
            return False
        if [part[:2] for part in raised.sealed] != [part[:2] for part in form.sealed]:
            return False
        return self._wire.event(raised) == self._wire.event(raised._replace(public=form.public, sealed=form.sealed))

    def _fail_where_they_differ(self, written: Sequence[Envelope], stored: Sequence[Envelope]) -> NoReturn:
        for envelope, found in zip(written, stored, strict=False):
            if envelope != found:
                wrong = [name for name, a, b in zip(Envelope._fields, envelope, found, strict=True) if a != b]
                self._fail(envelope.version, f"seed and rules lead to another {envelope.type} ({', '.join(wrong)})")
        missing = written[len(stored)]
        self._fail(missing.version - 1, f"a {missing.type} must follow, but the log ends")

    def _fail(self, version: int, message: str) -> NoReturn:
        """Names what is wrong; if the log was changed after it was written, where that was."""
        check_chain(self._envelopes)
        raise Wrong(version, message)

    def _create(self, at: int) -> Decided[Match] | Refusal:
        envelope = self._envelopes[at]
        created, secret = self._wire.public(envelope), self._wire.content(envelope.sealed[0])
        if not isinstance(created, pb.MatchCreated) or not isinstance(secret, pb.ServerSeed):
            return Refusal("LOG", "a log begins with the creation of its match")
        if (created.game, created.rules_version) != (self._game.name, self._game.rules_version):
            played = f"{created.game}, rules version {created.rules_version}"
            return Refusal("LOG", f"this is a log of {played}, which is not known here")
        if created.server_seed_hash != chain.sha256(secret.seed):
            return Refusal("LOG", "the server's seed is not the one that was committed to")
        options = self._game.codec.options_type()
        created.options.Unpack(options)
        decoded = self._game.codec.decode_options(options)
        seats = tuple(map(seating.first_holder, created.seats))
        if len(seats) not in self._game.seat_counts:
            return Refusal("LOG", f"{self._game.title} is not for {len(seats)} seats")
        refusal = self._game.check_options(decoded, len(seats))
        if refusal is not None:
            return refusal
        stamp = Stamp(envelope.command_id, envelope.time_micros)
        return self._lifecycle.create(created.match_id, decoded, seats, terms.read(created), secret.seed, stamp)

    def _decide(self, match: Match, at: int) -> Decided[Match] | Refusal:
        envelope = self._envelopes[at]
        stamp = Stamp(envelope.command_id, envelope.time_micros, self._away(match, at))
        if envelope.type in self._wire.game_events:
            return self._submit(match, at, stamp)
        match self._wire.public(envelope):
            case pb.SeatTaken() as taken:
                player = SeatState("", taken.player_name, envelope.command_id, taken.player_id, taken.entropy)
                return self._lifecycle.join(match, Seat(taken.seat), player, stamp)
            case pb.SeatReleased() as released:
                return self._lifecycle.release(match, Seat(released.seat), stamp)
            case pb.SeatWentOut(reason=pb.OUT_REASON_RESIGNED) as left:
                return self._resign(match, Seat(left.seat), stamp)
            case pb.SeatWentOut() | pb.TimeGivenBack():
                return self._lifecycle.expire(match, stamp)
            case other:
                return Refusal("LOG", f"{type(other).__name__} is not the effect of a command")

    def _resign(self, match: Match, seat: Seat, stamp: Stamp) -> Decided[Match] | Refusal:
        if seat >= len(match.seats):
            return Refusal("LOG", f"there is no seat {seat}")
        return self._lifecycle.resign(match, seat, stamp)

    def _submit(self, match: Match, at: int, stamp: Stamp) -> Decided[Match] | Refusal:
        seat = self._envelopes[at].seat
        command = None if seat is None else self._game.cause(self._events(at))
        if seat is None or command is None:
            return Refusal("LOG", "no command of a seat has this effect")
        note = self._note(self._envelopes[at].sealed)
        level = match.seats[seat].ai_level
        if (level or note is not None) and not self._is_note_of(match, seat, level, note):
            return Refusal("LOG", f"seat {seat} did not move by the chance that is its own")
        return self._lifecycle.submit(match, seat, command, note, stamp)

    def _is_note_of(self, match: Match, seat: Seat, level: str, note: pb.AgentNote | None) -> bool:
        """Whether it is the note of this seat's computer player, with the seed that this turn leaves no choice of."""
        if note is None or not level:
            return False
        return (note.name, note.seed) == (f"{self._game.name}/{level}", agents.agent_seed(match, seat))

    def _events(self, at: int) -> Iterator[Any]:
        """The events of the game with which a move begins: of one seat and one command."""
        # Mostly the first is all that is asked for.
        return itertools.chain((self._event(self._envelopes[at]),), self._later_events(at))

    def _later_events(self, at: int) -> Iterator[Any]:
        first = self._envelopes[at]
        for place in range(at + 1, len(self._envelopes)):
            envelope = self._envelopes[place]
            is_of_move = envelope.command_id == first.command_id and envelope.seat == first.seat
            if not is_of_move or envelope.type not in self._wire.game_events:
                return
            yield self._event(envelope)

    def _raised(self, envelope: Envelope) -> Any:
        return self._wire.event(self._wire.upcast(envelope))

    def _note(self, sealed: Sequence[SealedPart]) -> pb.AgentNote | None:
        for part in sealed:
            if part.type == NOTE_TYPE and part.content is not None:
                return pb.AgentNote.FromString(part.content)
        return None

    def _away(self, match: Match, at: int) -> int:
        """How much time the command at this place gave back."""
        if match.terms.control is None and not match.join_deadline:
            return 0
        first = self._envelopes[at]
        for place in range(at, len(self._envelopes)):
            envelope = self._envelopes[place]
            is_of_command = (envelope.time_micros, envelope.command_id) == (first.time_micros, first.command_id)
            if not is_of_command or (place > at and envelope.type in _ENDS_COMMAND):
                break
            if envelope.type == _GIVEN_BACK:
                return max(0, pb.TimeGivenBack.FromString(envelope.public).micros)
        return 0


def _check_commitments(envelope: Envelope) -> None:
    for part in envelope.sealed:
        if part.content is not None and chain.commitment(part.salt, part.content) != part.commitment:
            raise Wrong(envelope.version, f"a sealed {part.type} is not what it was committed to be")
        if part.salt and part.content is None:
            raise Wrong(envelope.version, f"the salt of a sealed {part.type} is open, but not what it salts")
