"""Stored histories, replayed by today's code: what was once written keeps its meaning for ever."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pytest

from meydan.match.v1 import envelope_pb2 as pb
from services.registry import NAMES, load
from shared.envelope import Envelope, pack, unpack
from shared.game import AnyGame
from shared.host import export
from shared.kernel import Chance, Viewer
from shared.match.lifecycle import Lifecycle, final_places
from shared.match.model import Decided, Match, SeatState, Stamp, Status
from shared.match.wire import Wire
from shared.replay import BrokenLog, Replay
from tests.conformance.recording import MATCH_ID, finished
from tests.histories import make
from tests.histories.older import OLDER_TYPE, game_that_moved_on, upcast_tile_laid

STORED = sorted(path for name in NAMES for path in (make.FOLDER / name).glob("*.jsonl"))
every_history = pytest.mark.parametrize(
    "path", [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in STORED]
)


def stored(path: Path) -> tuple[AnyGame, list[Envelope]]:
    """A history and the game that it is of."""
    name, envelopes = export.read(path.read_text().splitlines(keepends=True))
    return load(name), list(envelopes)


def commands(envelopes: list[Envelope]) -> Iterator[list[Envelope]]:
    """The events of each command."""
    return (list(group) for _, group in groupby(envelopes, key=lambda envelope: envelope.command_id))


@every_history
def test_a_history_replays_to_its_recorded_end(path: Path) -> None:
    """The places that the rules find are those that were recorded."""
    game, envelopes = stored(path)
    match = Replay(game, Wire(game)).fold(None, envelopes)
    assert match.status is Status.FINISHED
    finish = pb.MatchFinished.FromString(envelopes[-1].public)
    assert match.places == tuple(tuple(place.seats) for place in finish.places)
    assert final_places(game.outcome(match.state), match.out, len(match.seats)) == match.places
    assert sorted(chain(*match.places)) == list(range(len(match.seats)))


@every_history
def test_a_history_is_decided_again_as_it_was(path: Path) -> None:
    """Every command: creation, joins, moves and departures lead to the same events, byte for byte."""
    game, envelopes = stored(path)
    replay = Replay(game, Wire(game))
    match: Match | None = None
    for group in commands(envelopes):
        after = replay.fold(match, group)
        found = [decided for decided in decisions(game, match, after, group) if list(decided.envelopes) == group]
        assert len(found) == 1, group[0]
        assert found[0].match == after
        match = after


def decisions(game: AnyGame, match: Match | None, after: Match, group: list[Envelope]) -> Iterator[Decided]:
    """What could have been decided: the one thing that was asked for, or every legal move of the seat."""
    lifecycle, wire = Lifecycle(game, Wire(game)), Wire(game)
    stamp = Stamp(group[0].command_id, group[0].time_micros)
    if match is None:
        seats = tuple(SeatState(ai_level=seat.ai_level) for seat in after.seats)
        yield lifecycle.create(after.id, after.options, seats, after.seed, stamp)
        return
    seat, event = group[0].seat, wire.public(group[0])
    assert seat is not None
    if isinstance(event, pb.SeatTaken):
        yield accepted(lifecycle.join(match, seat, event.player_name, stamp))
    elif isinstance(event, pb.SeatWentOut):
        yield accepted(lifecycle.resign(match, seat, stamp))
    else:
        for command in game.legal(game.view(match.state, Viewer(seat))):
            yield accepted(lifecycle.submit(match, seat, command, None, stamp))


def accepted(answer: Any) -> Decided:
    """A decision that was not refused."""
    assert isinstance(answer, Decided), answer
    return answer


@every_history
def test_the_setup_of_a_history_comes_from_its_seed(path: Path) -> None:
    """Today's chance deals what was dealt then."""
    game, envelopes = stored(path)
    wire = Wire(game)
    match = Replay(game, wire).fold(None, envelopes)
    first = next(place for place, one in enumerate(envelopes) if one.type in wire.game_events)
    setup = game.setup(game.initial(match.options, len(match.seats)), Chance(match.seed))
    assert tuple(map(wire.event, envelopes[first : first + len(setup)])) == setup


@every_history
def test_a_history_is_written_today_as_it_is_stored(path: Path) -> None:
    """File and stored bytes: read and written again, they are the same."""
    game, envelopes = stored(path)
    rows = (export.envelope_line(Wire(game), envelope) for envelope in envelopes)
    header = export.header_line(game.name, MATCH_ID)
    assert "".join((header, *rows)) == path.read_text()
    assert [unpack(pack(envelope)) for envelope in envelopes] == envelopes


def test_every_game_has_histories() -> None:
    """One for each number of seats at least, and each that the generator knows is stored."""
    for name in NAMES:
        replay = Replay(load(name), Wire(load(name)))
        files = [path for path in STORED if path.parent.name == name]
        counts = {len(replay.fold(None, stored(path)[1]).seats) for path in files}
        assert counts >= set(load(name).seat_counts)
    assert [name for name in (*make.HISTORIES, make.OLDER) if not make.path_of(name).exists()] == []


def test_the_generator_never_writes_a_history_again(tmp_path: Path) -> None:
    """What is there stays; what is missing is made, the same each time."""
    make.main(tmp_path)
    written = {path: path.read_text() for path in tmp_path.rglob("*.jsonl")}
    assert len(written) == len(make.HISTORIES) + 1
    first, second, *_ = sorted(written)
    first.write_text("an old history")
    second.unlink()
    make.main(tmp_path)
    assert first.read_text() == "an old history"
    assert second.read_text() == written[second]


def test_an_older_shape_is_raised_to_todays() -> None:
    """A history with tiles as two numbers replays, with its upcaster, to the same match as the one in today's shape."""
    game = game_that_moved_on()
    _, older = export.read(make.path_of(make.OLDER).read_text().splitlines(keepends=True))
    envelopes = list(older)
    _, today = stored(make.path_of(make.NEWER))
    assert any(one.public != other.public for one, other in zip(envelopes, today, strict=True))
    assert Replay(game, Wire(game)).fold(None, envelopes) == Replay(load("domino"), Wire(load("domino"))).fold(
        None, today
    )


def test_without_its_upcaster_an_older_shape_does_not_pass_for_todays() -> None:
    """A check of the example: today's code alone can't make sense of it."""
    _, older = export.read(make.path_of(make.OLDER).read_text().splitlines(keepends=True))
    with pytest.raises(BrokenLog):
        Replay(load("domino"), Wire(load("domino"))).fold(None, older)


def test_an_event_of_a_type_that_moved_on_is_written_in_its_new_version() -> None:
    """Its schema version is one more than the number of upcasters; events of other types stay at 1."""
    game = game_that_moved_on()
    recorder = finished(game, game.default_options, ("", ""), b"new version")
    versions = {(envelope.type == OLDER_TYPE, envelope.schema_version) for envelope in recorder.envelopes}
    assert versions == {(True, 2), (False, 1)}
    assert Replay(game, Wire(game)).fold(None, recorder.envelopes) == recorder.match


def test_a_match_may_have_both_shapes() -> None:
    """Begun before a change and finished after it: each event is raised from the version that it has."""
    game = game_that_moved_on()
    _, older = export.read(make.path_of(make.OLDER).read_text().splitlines(keepends=True))
    envelopes = list(older)
    half = len(envelopes) // 2
    mixed = [*envelopes[:half], *map(Wire(game).upcast, envelopes[half:])]
    replay = Replay(game, Wire(game))
    assert replay.fold(None, mixed) == replay.fold(None, envelopes)
    assert {one.schema_version for one in mixed if one.type == OLDER_TYPE} == {1, 2}


def test_upcasters_follow_each_other() -> None:
    """A shape that was left twice is raised in two steps, and new events are written as version 3."""

    def third(envelope: Envelope) -> Envelope:
        return envelope._replace(schema_version=3)

    moved = game_that_moved_on()
    game = replace(moved, upcasters={**moved.upcasters, (OLDER_TYPE, 2): third})
    wire = Wire(game)
    _, older = export.read(make.path_of(make.OLDER).read_text().splitlines(keepends=True))
    laid = next(envelope for envelope in older if envelope.type == OLDER_TYPE)
    assert wire.upcast(laid) == upcast_tile_laid(laid)._replace(schema_version=3)
    assert wire.schema_version(OLDER_TYPE) == 3
    assert wire.schema_version("meydan.domino.v1.TurnPassed") == 1


def test_the_recorder_makes_the_same_log_each_time() -> None:
    """A check of the generator: fixed seed, fixed clock, fixed choices."""
    once, again = (make.HISTORIES[make.NEWER]() for _ in range(2))
    assert once.records == again.records
    assert once.acting() == ()
