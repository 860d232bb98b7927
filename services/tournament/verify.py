"""Checks a tournament's log with no server: every link, every decision, every round by its certificate, every place.

Each command is read off its events and decided again, by the code that wrote it, and must lead to the events that are
there. Rounds are not paired again: the checker of their certificates says whether they may be so.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from meydan.match.v1.envelope_pb2 import ServerSeed
from meydan.tournament.v1 import tournament_pb2 as pb
from services import registry
from services.tournament import fold, messages, start
from services.tournament.lifecycle import Answer, Lifecycle
from services.tournament.model import Number
from services.tournament.state import Tournament
from services.tournament.wire import NAME, WIRE
from shared import audit, export
from shared.audit import HEADER, Keys
from shared.envelope import Envelope
from shared.kernel import Malformed, Refusal
from shared.match.chaining import Happened, Piece, write
from shared.match.model import Stamp
from shared.match.wire import full_name
from shared.proof import chain
from shared.proof.heads import SignedHead
from shared.verify import Wrong, check_chain, is_redacted

_STARTED = full_name(pb.TournamentStarted)


class Audited(NamedTuple):
    """An exported tournament in which nothing is wrong. Until it ends the seed is hidden, and lots are not checked."""

    head: SignedHead
    envelopes: Sequence[Envelope]
    tournament: Tournament


def audited(lines: Iterable[str], keys: Keys | None = None) -> Audited:
    """Raises Wrong, or BrokenFile if it is no exported log at all. `keys` are those that the platform has published."""
    stored = list(lines)
    exported = export.read(stored)
    # A plan holds the options of its game.
    registry.load_all()
    signed = audit.checked_signature(exported, keys)
    if exported.game != NAME:
        raise Wrong(HEADER, f"this is a log of {exported.game}, not of a tournament")
    envelopes = audit.checked_lines(stored, exported, signed, WIRE)
    audit.check_head(signed.head, envelopes)
    tournament = verify(envelopes)
    if tournament.id != signed.head.match_id:
        raise Wrong(HEADER, "the log is of another tournament than the one that is signed")
    return Audited(signed.head, envelopes, tournament)


def verify(envelopes: Sequence[Envelope]) -> Tournament:
    """The tournament of a log in which everything is as it must be; raises Wrong where it is not."""
    tournament: Tournament | None = None
    for tournament in steps(envelopes):  # noqa: B007 - the last one is what is wanted
        pass
    if tournament is None:
        raise Wrong(1, "the log is empty")
    return tournament


def steps(envelopes: Sequence[Envelope]) -> Iterator[Tournament]:
    """The tournament after each command of a log, which is checked before it is given."""
    check_chain(envelopes)
    verifier = _Verifier(envelopes)
    tournament: Tournament | None = None
    while tournament is None or tournament.version < len(envelopes):
        tournament = verifier.next(tournament)
        yield tournament


class _Verifier:
    """Decides again what a log says was decided, and compares what is written then with what is there."""

    def __init__(self, envelopes: Sequence[Envelope]) -> None:
        self._envelopes = tuple(envelopes)
        self._is_open = not is_redacted(envelopes)
        self._starts = _starts(self._envelopes)
        self._lifecycle = Lifecycle(self._compare)

    def next(self, before: Tournament | None) -> Tournament:
        """The tournament after one more command."""
        at = 0 if before is None else before.version
        try:
            if before is None:
                return self._created()
            answer = self._decide(before, self._envelopes[at])
        except (ArithmeticError, LookupError, TypeError, ValueError, DecodeError, Malformed, struct.error) as error:
            raise Wrong(at + 1, f"the event can't be read: {error!r}") from error
        if isinstance(answer, Refusal):
            raise Wrong(at + 1, f"this can't have happened here: {answer.rule} {answer.message}")
        return answer.after

    def _compare(self, before: Tournament, happened: Happened, time_micros: int, command_id: str) -> Piece:
        stored = self._envelopes[before.version : before.version + len(happened)]
        piece = write(before, happened, time_micros, command_id)
        for written, found in zip(piece[0], stored, strict=False):
            if written != found:
                raise Wrong(written.version, f"what was decided leads to another {written.type}")
        if len(stored) < len(piece[0]):
            raise Wrong(before.version + len(stored), f"a {piece[0][len(stored)].type} must follow, but the log ends")
        return piece

    def _created(self) -> Tournament:
        """The beginning is compared only where the seed is open: nobody else can write it again."""
        envelope = self._envelopes[0]
        event = WIRE.public(envelope)
        if not isinstance(event, pb.TournamentCreated):
            raise Wrong(1, "the log does not begin with the creation of a tournament")
        seed = WIRE.content(envelope.sealed[0])
        if not isinstance(seed, ServerSeed):
            return fold.TournamentFold().fold(None, [envelope])
        if event.server_seed_hash != chain.sha256(seed.seed):
            raise Wrong(1, "the server's seed is not the one that was committed to")
        stamp = Stamp(envelope.command_id, envelope.time_micros)
        plan = messages.plan_of(event.plan)
        return self._lifecycle.create(event.tournament_id, plan, event.organiser_id, seed.seed, stamp).after

    def _decide(self, before: Tournament, envelope: Envelope) -> Answer:
        stamp = Stamp(envelope.command_id, envelope.time_micros)
        last = self._starts.get(envelope.version)
        if last is not None and _is_start(before, last):
            return self._start(before, self._envelopes[last - 1], stamp)
        return _decided(self._lifecycle, before, WIRE.public(envelope), stamp)

    def _start(self, before: Tournament, envelope: Envelope, stamp: Stamp) -> Answer:
        if self._is_open:
            return self._lifecycle.start(before, stamp)
        # The order was drawn by lot, from a seed that is still hidden.
        order = pb.TournamentStarted.FromString(envelope.public).order
        return self._lifecycle.start(before, stamp, tuple(map(Number, order)))


def _is_start(before: Tournament, last: int) -> bool:
    """Whether the next event is the first of a start, and not of another command that has the same id and time."""
    return before.version + 1 == last or before.version + 1 + len(start.before_start(before)) == last


def _starts(envelopes: Sequence[Envelope]) -> dict[int, int]:
    """By the versions of events that may be of a start, that of its last event: entrants of its own may come before."""
    found: dict[int, int] = {}
    for at in range(len(envelopes)):
        if envelopes[at].type == _STARTED:
            first = at
            while first and _is_of_one_command(envelopes[first - 1], envelopes[at]):
                first -= 1
            found |= dict.fromkeys(range(first + 1, at + 2), at + 1)
    return found


def _is_of_one_command(envelope: Envelope, start: Envelope) -> bool:
    is_same = (envelope.command_id, envelope.time_micros) == (start.command_id, start.time_micros)
    return is_same and envelope.type != _STARTED


def _decided(lifecycle: Lifecycle, before: Tournament, event: Any, stamp: Stamp) -> Answer:
    """The command that an event is the effect of, decided again."""
    match event:
        case pb.EntrantRegistered():
            return lifecycle.register(before, [event.entrant], stamp)
        case pb.EntrantCheckedIn():
            return lifecycle.check_in(before, Number(event.number), stamp)
        case pb.EntrantWithdrawn():
            return lifecycle.withdraw(before, Number(event.number), stamp)
        case pb.EntrantReturned():
            return lifecycle.come_back(before, Number(event.number), stamp)
        case pb.RoundPaired() | pb.MatchesStarted() | pb.ResultRecorded() | pb.PairsLaidDown():
            return _decided_round(lifecycle, before, event, stamp)
        case _:
            return _decided_otherwise(lifecycle, before, event, stamp)


def _decided_round(lifecycle: Lifecycle, before: Tournament, event: Any, stamp: Stamp) -> Answer:
    match event:
        case pb.RoundPaired():
            return lifecycle.pair(before, event.round, messages.draw_of(event.draw), stamp)
        case pb.MatchesStarted():
            return lifecycle.start_matches(before, event, stamp)
        case pb.ResultRecorded():
            return lifecycle.record(before, event.result, stamp)
        case _:
            pairs = fold.pairs_of(event.forbidden), fold.pairs_of(event.forced)
            return lifecycle.lay_down_pairs(before, *pairs, stamp)


def _decided_otherwise(lifecycle: Lifecycle, before: Tournament, event: Any, stamp: Stamp) -> Answer:
    match event:
        case pb.RulingMade():
            return lifecycle.rule(before, event.ruling, event.arbiter_id, event.reason, stamp)
        case pb.RulingUndone():
            return lifecycle.undo(before, event.number, event.arbiter_id, event.reason, stamp)
        case pb.TournamentPaused():
            return lifecycle.pause(before, stamp)
        case pb.TournamentResumed():
            return lifecycle.resume(before, stamp)
        case pb.ArenaClosed():
            return lifecycle.expire(before, stamp)
        case pb.TournamentFinished():
            return lifecycle.finish(before, stamp)
        case other:
            return Refusal("LOG", f"{type(other).__name__} is not the effect of a command")


class Vouched(NamedTuple):
    """What a tournament's log says of a match: how long its log is at its end, and what hash that has."""

    version: int
    head: bytes


def matches_of(envelopes: Iterable[Envelope]) -> dict[str, Vouched]:
    """The matches that count, by id: the hash of a tournament's log vouches for all of them."""
    events = map(WIRE.public, envelopes)
    results = [event.result for event in events if isinstance(event, pb.ResultRecorded)]
    return {result.match_id: Vouched(result.version, result.head) for result in results}
