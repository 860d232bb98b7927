"""Exported logs as files: what was written is read again, and anything else is a broken file."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.envelope import redact
from shared.host import export
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from tests.conformance.recording import Recorder, finished
from tests.host.service import DOMINO


def recorded() -> Recorder:
    """A match to be exported."""
    return finished(DOMINO, DOMINO.default_options, ("", "", ""), b"export")


def lines_of(recorder: Recorder, viewer: Viewer) -> list[str]:
    """The file as a viewer gets it."""
    shown = (redact(envelope, viewer) for envelope in recorder.envelopes)
    rows = (export.envelope_line(recorder.wire, envelope) for envelope in shown)
    return [export.header_line("domino", recorder.match.id), *rows]


@pytest.mark.parametrize("viewer", [EVERYTHING, SPECTATOR, Viewer(Seat(1))])
def test_a_file_is_read_as_it_was_written(viewer: Viewer) -> None:
    """Complete or redacted, envelope by envelope."""
    recorder = recorded()
    game, envelopes = export.read(lines_of(recorder, viewer))
    assert game == "domino"
    assert list(envelopes) == [redact(envelope, viewer) for envelope in recorder.envelopes]


def test_hashes_and_commitments_are_in_the_file() -> None:
    """Logs that are chained keep their chain."""
    recorder = recorded()
    first = recorder.envelopes[0]
    part = first.sealed[0]._replace(commitment=b"c" * 32)
    chained = first._replace(previous_hash=b"h" * 32, sealed=(part,))
    _, envelopes = export.read([export.header_line("domino", "m"), export.envelope_line(recorder.wire, chained)])
    assert list(envelopes) == [chained]


def test_each_line_has_the_event_in_readable_form() -> None:
    """For people with a text editor; what counts are the bytes."""
    rows = [json.loads(line) for line in lines_of(recorded(), SPECTATOR)]
    assert rows[0] == {"format": "meydan-log", "format_version": 1, "game": "domino", "match_id": recorded().match.id}
    assert rows[1]["readable"]["game"] == "domino"
    assert rows[-1]["readable"]["places"]


LINE = json.loads(lines_of(recorded(), EVERYTHING)[1])


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([], id="an empty file"),
        pytest.param([""], id="an empty line"),
        pytest.param(["no JSON\n"], id="text"),
        pytest.param(["[]\n"], id="a list"),
        pytest.param(['{"format": "other", "format_version": 1}\n'], id="another format"),
        pytest.param(['{"format": "meydan-log", "format_version": 2}\n'], id="a newer format"),
        *(
            pytest.param([export.header_line("domino", "m"), json.dumps(change) + "\n"], id=name)
            for name, change in (
                ("a line that is a number", 7),
                ("a line without fields", {}),
                ("a version that is no number", {**LINE, "version": "x"}),
                ("a version without end", {**LINE, "version": float("inf")}),
                ("a seat that is no number", {**LINE, "seat": "x"}),
                ("bytes that are no base64", {**LINE, "public": "%%%"}),
                ("bytes in odd letters", {**LINE, "public": "Ω"}),
                ("bytes that are a number", {**LINE, "public": 5}),
                ("sealed parts that are a number", {**LINE, "sealed": 5}),
                ("a sealed part that is a text", {**LINE, "sealed": ["x"]}),
                ("a sealed part without fields", {**LINE, "sealed": [{}]}),
            )
        ),
    ],
)
def test_what_is_no_exported_log_is_a_broken_file(lines: list[str]) -> None:
    """Said in a sentence, not as an error of the program's."""
    with pytest.raises(export.BrokenFile, match=r"\w+ .*\."):
        list(export.read(lines)[1])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(LINE)),
    value=st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=6,
    ),
)
def test_any_change_of_a_field_is_read_or_a_broken_file(name: str, value: object) -> None:
    """No other error, whatever stands in a line."""
    with contextlib.suppress(export.BrokenFile):
        list(export.read([export.header_line("domino", "m"), json.dumps({**LINE, name: value}) + "\n"])[1])
