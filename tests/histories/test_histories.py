"""Stored histories, replayed by today's code: what was once written keeps its meaning for ever."""

import json
from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pytest

from meydan.match.v1 import envelope_pb2 as pb
from services.registry import NAMES, load
from shared import export
from shared.audit import audit
from shared.envelope import Envelope, pack, unpack
from shared.game import AnyGame
from shared.kernel import Chance, Seat, Viewer
from shared.match.lifecycle import Lifecycle
from shared.match.model import Decided, Match, SeatState, Stamp, Status
from shared.match.seating import final_places
from shared.match.wire import NOTE_TYPE, PLATFORM_TYPES, Wire
from shared.replay import Replay
from shared.rerun import count, rerun
from shared.verify import Wrong, verify
from tests.conformance.recording import MATCH_ID
from tests.histories import make
from tests.histories.reading import stored

STORED = sorted(path for name in NAMES for path in (make.FOLDER / name).glob("*.jsonl"))
SIGNED = [path for path in STORED if stored(path).signed is not None]


def each(paths: list[Path]) -> pytest.MarkDecorator:
    """A test for each of these files."""
    return pytest.mark.parametrize("path", [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in paths])


every_history = each(STORED)
every_signed_history = each(SIGNED)
every_unsigned_history = each([path for path in STORED if path not in SIGNED])


def commands(envelopes: list[Envelope]) -> Iterator[list[Envelope]]:
    """The events of each command."""
    return (list(group) for _, group in groupby(envelopes, key=lambda envelope: envelope.command_id))


@every_history
def test_a_history_replays_to_its_recorded_end(path: Path) -> None:
    """The places that the rules find are those that were recorded."""
    game, wire, _, envelopes = stored(path)
    match = Replay(game, wire).fold(None, envelopes)
    assert match.status is Status.FINISHED
    finish = pb.MatchFinished.FromString(envelopes[-1].public)
    assert match.places == tuple(tuple(place.seats) for place in finish.places)
    assert final_places(game.outcome(match.state), match.out, len(match.seats), match.no_shows) == match.places
    assert sorted(chain(*match.places)) == list(range(len(match.seats)))


@every_signed_history
def test_a_signed_history_passes_every_check(path: Path) -> None:
    """Signature, links, commitments, draws, rules and outcome; and the moves of computers, where they are known."""
    game, wire, signed, envelopes = stored(path)
    assert signed is not None
    assert signed.head.is_signed_by(make.KEY.public)
    match = verify(game, wire, envelopes)
    assert match == Replay(game, wire).fold(None, envelopes)
    assert (signed.head.match_id, signed.head.version, signed.head.hash) == (match.id, match.version, match.head)
    keys = {make.KEY.public.id: make.KEY.public}
    assert audit(path.read_text().splitlines(keepends=True), load, keys).match == match
    assert len(list(rerun(game, wire, envelopes))) == count(envelopes)


@every_unsigned_history
def test_a_history_from_before_there_were_signatures_passes_for_none(path: Path) -> None:
    """It replays, but nobody is told that it was checked."""
    game, wire, _, envelopes = stored(path)
    with pytest.raises(Wrong):
        verify(game, wire, envelopes)
    with pytest.raises(Wrong):
        audit(path.read_text().splitlines(keepends=True), load)


@every_history
def test_a_history_is_decided_again_as_it_was(path: Path) -> None:
    """Every command: creation, joins, moves, departures and clocks lead to the same events, byte for byte."""
    game, wire, signed, envelopes = stored(path)
    replay = Replay(game, wire)
    match: Match | None = None
    for group in commands(envelopes):
        after = replay.fold(match, group)
        answers = [accepted(answer) for answer in decisions(Lifecycle(game, wire), game, match, after, group)]
        if signed is None:
            answers = [as_unsigned(decided, after) for decided in answers]
        found = [decided for decided in answers if list(decided.envelopes) == group]
        assert len(found) == 1, group[0]
        assert found[0].after == after
        match = after


def decisions(
    lifecycle: Lifecycle, game: AnyGame, match: Match | None, after: Match, group: list[Envelope]
) -> Iterator[Any]:
    """What could have been decided: the one thing that was asked for, or every legal move of the seat."""
    stamp = Stamp(group[0].command_id, group[0].time_micros, given_back(group))
    if match is None:
        seats = tuple(SeatState(ai_level=seat.ai_level) for seat in after.seats)
        yield lifecycle.create(after.id, after.options, seats, after.terms, after.server_seed, stamp)
        return
    seat = group[0].seat
    match Wire(game).public(group[0]):
        case pb.SeatTaken() as taken:
            yield lifecycle.join(match, Seat(taken.seat), after.seats[taken.seat], stamp)
        case pb.SeatReleased() as released:
            yield lifecycle.release(match, Seat(released.seat), stamp)
        case pb.SeatWentOut(reason=pb.OUT_REASON_RESIGNED) as left:
            yield lifecycle.resign(match, Seat(left.seat), stamp)
        case pb.SeatWentOut() | pb.TimeGivenBack():
            yield lifecycle.expire(match, stamp)
        case _:
            assert seat is not None
            for command in game.legal(game.view(match.state, Viewer(seat))):
                yield lifecycle.submit(match, seat, command, note_of(group[0]), stamp)


def given_back(group: list[Envelope]) -> int:
    """The time that a command gave back."""
    given = (pb.TimeGivenBack.FromString(one.public) for one in group if one.type.endswith("TimeGivenBack"))
    return sum(event.micros for event in given)


def note_of(envelope: Envelope) -> pb.AgentNote | None:
    """The note of a computer player's move."""
    notes = [part.content for part in envelope.sealed if part.type == NOTE_TYPE]
    return pb.AgentNote.FromString(notes[0] or b"") if notes else None


def accepted(answer: Any) -> Decided[Match]:
    """A decision that was not refused."""
    assert isinstance(answer, Decided), answer
    return answer


def as_unsigned(decided: Decided[Match], after: Match) -> Decided[Match]:
    """The decision as it was written before logs were chained; the seed was known from the beginning then."""
    envelopes = tuple(map(unchained, decided.envelopes))
    return Decided(envelopes, (), decided.after._replace(head=after.head, seed=after.seed))


def unchained(envelope: Envelope) -> Envelope:
    """The envelope without what was not there yet: hashes, commitments, the seed's hash, the seed in the end."""
    event: Any = None
    if envelope.type.endswith("MatchCreated"):
        event = pb.MatchCreated.FromString(envelope.public)
        event.ClearField("server_seed_hash")
        event.ClearField("watching")
    elif envelope.type.endswith("MatchFinished"):
        event = pb.MatchFinished.FromString(envelope.public)
        event.ClearField("server_seed")
    public = envelope.public if event is None else event.SerializeToString()
    sealed = tuple(part._replace(commitment=b"", salt=b"") for part in envelope.sealed)
    return envelope._replace(public=public, sealed=sealed, previous_hash=b"")


@every_history
def test_the_setup_of_a_history_comes_from_its_seed(path: Path) -> None:
    """Today's chance deals what was dealt then."""
    game, wire, _, envelopes = stored(path)
    match = Replay(game, wire).fold(None, envelopes)
    first = next(place for place, one in enumerate(envelopes) if one.type in wire.game_events)
    setup = game.setup(game.initial(match.options, len(match.seats)), Chance(match.seed))
    assert tuple(map(wire.event, envelopes[first : first + len(setup)])) == setup


@every_history
def test_a_history_is_stored_in_bytes_that_are_read_as_they_were(path: Path) -> None:
    """Whatever its format."""
    envelopes = stored(path).envelopes
    assert [unpack(pack(envelope)) for envelope in envelopes] == envelopes


@every_signed_history
def test_a_signed_history_is_written_today_as_it_is_stored(path: Path) -> None:
    """To the letter."""
    game, wire, signed, envelopes = stored(path)
    assert signed is not None
    rows = (export.envelope_line(wire, envelope) for envelope in envelopes)
    assert "".join((export.header_line(game.name, signed.head, signed.key), *rows)) == path.read_text()


@every_unsigned_history
def test_an_unsigned_history_is_written_today_as_it_is_stored_but_for_its_salts(path: Path) -> None:
    """Each line has what it had, and nothing but an empty salt beside it; its header can't be written any more."""
    game, wire, _, envelopes = stored(path)
    header, *rows = map(json.loads, path.read_text().splitlines())
    assert header == {"format": "meydan-log", "format_version": 1, "game": game.name, "match_id": MATCH_ID}
    for row, envelope in zip(rows, envelopes, strict=True):
        written = json.loads(export.envelope_line(wire, envelope))
        assert [part.pop("salt") for part in written["sealed"]] == [""] * len(envelope.sealed)
        assert written == row


def test_every_game_has_histories() -> None:
    """One for each number of seats at least, some of them signed, and each that the generator knows is stored."""
    for name in NAMES:
        files = [path for path in STORED if path.parent.name == name]
        logs = [stored(path) for path in files]
        counts = {len(Replay(log.game, log.wire).fold(None, log.envelopes).seats) for log in logs}
        assert counts >= set(load(name).seat_counts)
        assert any(log.signed is not None for log in logs)
    assert [name for name in (*make.HISTORIES, *make.OLDER) if not make.path_of(name).exists()] == []


def test_histories_have_every_event_of_the_platform() -> None:
    """And every way to go out, and the notes of players that search: what is not stored is not kept for ever."""
    envelopes = [envelope for path in STORED for envelope in stored(path).envelopes]
    of_platform = {one.type.rpartition(".")[2] for one in envelopes if one.type.startswith("meydan.match.")}
    assert of_platform == {kind.DESCRIPTOR.name for kind in PLATFORM_TYPES}
    reasons = {pb.SeatWentOut.FromString(one.public).reason for one in envelopes if one.type.endswith("SeatWentOut")}
    assert reasons == set(pb.OutReason.values()) - {pb.OUT_REASON_UNSPECIFIED}
    clocks = {
        pb.MatchCreated.FromString(one.public).clock.WhichOneof("control")
        for one in envelopes
        if one.type.endswith("MatchCreated")
    }
    assert clocks == {None, "per_move", "base_and_increment"}
    notes = filter(None, map(note_of, envelopes))
    assert {note.iterations for note in notes} == {0, make.SEARCHED, make.BRIEFLY}


def test_the_generator_never_writes_a_history_again(tmp_path: Path) -> None:
    """What is there stays; what is missing is made, the same each time."""
    make.main(tmp_path)
    written = {path: path.read_text() for path in tmp_path.rglob("*.jsonl")}
    assert len(written) == len(make.HISTORIES) + len(make.OLDER)
    first, second, *_ = sorted(written)
    first.write_text("an old history")
    second.unlink()
    make.main(tmp_path)
    assert first.read_text() == "an old history"
    assert second.read_text() == written[second]


def test_the_recorder_makes_the_same_log_each_time() -> None:
    """A check of the generator: fixed seed, fixed clock, fixed choices."""
    for build in make.HISTORIES.values():
        once, again = (build() for _ in range(2))
        assert once.records == again.records
        assert once.match.status is Status.FINISHED
