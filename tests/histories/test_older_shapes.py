"""Events in a shape that they no longer have: raised to today's, folded and checked like any others."""

from dataclasses import replace

import pytest

from services.registry import load
from shared import export
from shared.envelope import Envelope
from shared.match.wire import Wire
from shared.replay import BrokenLog, Replay
from shared.verify import verify
from tests.conformance.recording import finished
from tests.histories import make
from tests.histories.older import OLDER_TYPE, game_that_moved_on, upcast_tile_laid
from tests.histories.reading import stored

_, SIGNED_OLDER = make.OLDER


def older_log(name: str) -> list[Envelope]:
    """A history that has an older shape in it."""
    return list(export.read(make.path_of(name).read_text().splitlines(keepends=True)).envelopes)


@pytest.mark.parametrize(("older", "newer"), list(make.OLDER.items()))
def test_an_older_shape_is_raised_to_todays(older: str, newer: str) -> None:
    """A history with tiles as two numbers replays, with its upcaster, to the same match as the one in today's shape."""
    game, domino = game_that_moved_on(), load("domino")
    envelopes, today = older_log(older), stored(make.path_of(newer)).envelopes
    assert any(one.public != other.public for one, other in zip(envelopes, today, strict=True))
    raised, match = Replay(game, Wire(game)).fold(None, envelopes), Replay(domino, Wire(domino)).fold(None, today)
    assert raised._replace(head=b"") == match._replace(head=b"")


def test_a_signed_history_of_an_older_shape_passes_the_check() -> None:
    """Its links are of the bytes as they were written, and its commands lead to the same events in today's shape."""
    game = game_that_moved_on()
    older = make.path_of(SIGNED_OLDER)
    _, signed, envelopes = export.read(older.read_text().splitlines(keepends=True))
    assert signed is not None
    assert signed.head.is_signed_by(make.KEY.public)
    assert verify(game, Wire(game), list(envelopes)).head == signed.head.hash


@pytest.mark.parametrize("older", make.OLDER)
def test_without_its_upcaster_an_older_shape_does_not_pass_for_todays(older: str) -> None:
    """A check of the example: today's code alone can't make sense of it."""
    with pytest.raises(BrokenLog):
        Replay(load("domino"), Wire(load("domino"))).fold(None, older_log(older))


def test_an_event_of_a_type_that_moved_on_is_written_in_its_new_version() -> None:
    """Its schema version is one more than the number of upcasters; events of other types stay at 1."""
    game = game_that_moved_on()
    recorder = finished(game, game.default_options, ("", ""), b"new version")
    versions = {(envelope.type == OLDER_TYPE, envelope.schema_version) for envelope in recorder.envelopes}
    assert versions == {(True, 2), (False, 1)}
    assert Replay(game, Wire(game)).fold(None, recorder.envelopes) == recorder.match


@pytest.mark.parametrize("older", make.OLDER)
def test_a_match_may_have_both_shapes(older: str) -> None:
    """Begun before a change and finished after it: each event is raised from the version that it has."""
    game = game_that_moved_on()
    envelopes = older_log(older)
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
    laid = next(envelope for envelope in older_log(SIGNED_OLDER) if envelope.type == OLDER_TYPE)
    assert wire.upcast(laid) == upcast_tile_laid(laid)._replace(schema_version=3)
    assert wire.schema_version(OLDER_TYPE) == 3
    assert wire.schema_version("meydan.domino.v1.TurnPassed") == 1
