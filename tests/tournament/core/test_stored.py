"""Stored histories of tournaments, verified by today's code: what was once written keeps its meaning for ever."""

from pathlib import Path

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import rounds, verify
from services.tournament.fold import TournamentFold
from services.tournament.model import System
from services.tournament.wire import EVENTS, NAME, WIRE
from shared import export
from shared.envelope import Envelope, hash_of, pack, unpack
from shared.match.model import Status
from shared.verify import Wrong
from tests.histories import make_tournaments as make
from tests.histories.make import KEY

STORED = sorted(make.WHERE.glob("*.jsonl"))
KEYS = {KEY.public.id: KEY.public}
every_history = pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in STORED])


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True)


def envelopes_of(path: Path) -> list[Envelope]:
    return list(export.read(lines_of(path)).envelopes)


@every_history
def test_a_history_passes_every_check(path: Path) -> None:
    """Signature, links, every decision, every round by its certificate, every place."""
    found = verify.audited(lines_of(path), KEYS)
    assert found.tournament.status is Status.FINISHED
    assert found.tournament == TournamentFold().fold(None, envelopes_of(path))
    assert (found.head.version, found.head.hash) == (len(found.envelopes), hash_of(found.envelopes[-1]))
    assert found.tournament.places == rounds.final_places(found.tournament)
    assert sorted(one for tied in found.tournament.places or () for one in tied) == sorted(found.tournament.order)


@every_history
def test_a_history_is_written_today_as_it_is_stored(path: Path) -> None:
    """To the letter; and read from bytes as it was."""
    known = export.read(lines_of(path))
    assert known.signed is not None
    assert known.game == NAME
    envelopes = list(known.envelopes)
    header = export.header_line(NAME, known.signed.head, known.signed.key)
    assert [header, *[export.envelope_line(WIRE, one) for one in envelopes]] == lines_of(path)
    assert [unpack(pack(one)) for one in envelopes] == envelopes


@every_history
def test_a_flipped_letter_of_a_history_shows(path: Path) -> None:
    """In any line."""
    lines = lines_of(path)
    for at, line in enumerate(lines):
        middle = len(line) // 2
        changed = line[:middle] + chr(ord(line[middle]) ^ 1) + line[middle + 1 :]
        with pytest.raises((Wrong, export.BrokenFile)):
            verify.audited([*lines[:at], changed, *lines[at + 1 :]], KEYS)


def test_everything_has_a_history() -> None:
    """Each that the generator knows, every event, system and ruling: what is not stored is not kept for ever."""
    assert {path.stem for path in STORED} == set(make.HISTORIES)
    logs = [envelopes_of(path) for path in STORED]
    events = [WIRE.public(envelope) for log in logs for envelope in log]
    assert {type(event) for event in events} == set(EVENTS)
    systems = [TournamentFold().fold(None, log).plan.system for log in logs]
    assert set(systems) == set(System)
    made = {event.ruling.WhichOneof("kind") for event in events if isinstance(event, pb.RulingMade)}
    assert made == {field.name for field in pb.Ruling.DESCRIPTOR.fields}


def test_the_generator_never_writes_a_history_again(tmp_path: Path) -> None:
    """What is there stays; what is missing is made, the same each time."""
    make.main(tmp_path)
    written = {path: path.read_text() for path in tmp_path.glob("*.jsonl")}
    assert len(written) == len(make.HISTORIES)
    first, second, *_ = sorted(written)
    first.write_text("an old history")
    second.unlink()
    make.main(tmp_path)
    assert first.read_text() == "an old history"
    assert second.read_text() == written[second]
