"""Exported logs as files: what was written is read again, and anything else is a broken file."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared import export
from shared.envelope import redact
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from shared.proof.heads import sign
from tests.conformance.recording import Recorder, finished
from tests.host.service import DOMINO, SIGNING_KEY

HEADER = export.header_line("domino", sign(SIGNING_KEY, "m", 1, bytes(32)), SIGNING_KEY.public)


def recorded() -> Recorder:
    """A match to be exported."""
    return finished(DOMINO, DOMINO.default_options, ("", "", ""), b"export")


def lines_of(recorder: Recorder, viewer: Viewer) -> list[str]:
    """The file as a viewer gets it."""
    match = recorder.match
    head = sign(SIGNING_KEY, match.id, match.version, match.head)
    shown = (redact(envelope, viewer) for envelope in recorder.envelopes)
    rows = (export.envelope_line(recorder.wire, envelope) for envelope in shown)
    return [export.header_line("domino", head, SIGNING_KEY.public), *rows]


@pytest.mark.parametrize("viewer", [EVERYTHING, SPECTATOR, Viewer(Seat(1))])
def test_a_file_is_read_as_it_was_written(viewer: Viewer) -> None:
    """Complete or redacted, envelope by envelope, with hashes, commitments and the salts that are open."""
    recorder = recorded()
    game, _, envelopes = export.read(lines_of(recorder, viewer))
    assert game == "domino"
    assert list(envelopes) == [redact(envelope, viewer) for envelope in recorder.envelopes]


def test_the_signed_head_is_in_the_file() -> None:
    """With the key that it is signed by."""
    recorder = recorded()
    signed = export.read(lines_of(recorder, SPECTATOR)).signed
    assert signed is not None
    match = recorder.match
    assert (signed.head.match_id, signed.head.version, signed.head.hash) == (match.id, match.version, match.head)
    assert signed.key.data == SIGNING_KEY.public.data
    assert signed.head.is_signed_by(signed.key)


def test_a_file_from_before_logs_were_signed_is_still_read() -> None:
    """Its header has no head, and its sealed parts have no salt."""
    recorder = recorded()
    header = {"format": "meydan-log", "format_version": 1, "game": "domino", "match_id": "m"}
    row = json.loads(export.envelope_line(recorder.wire, recorder.envelopes[0]))
    for part in row["sealed"]:
        del part["salt"]
    game, signed, envelopes = export.read([json.dumps(header), json.dumps(row)])
    assert (game, signed) == ("domino", None)
    first = recorder.envelopes[0]
    assert list(envelopes) == [first._replace(sealed=tuple(part._replace(salt=b"") for part in first.sealed))]


def test_each_line_has_the_event_in_readable_form() -> None:
    """For people with a text editor; what counts are the bytes."""
    recorder = recorded()
    rows = [json.loads(line) for line in lines_of(recorder, SPECTATOR)]
    assert rows[0]["format"] == "meydan-log"
    assert (rows[0]["format_version"], rows[0]["game"]) == (2, "domino")
    assert rows[0]["head"]["match_id"] == recorder.match.id
    assert rows[0]["public_key"] == SIGNING_KEY.public.data.hex()
    assert rows[1]["readable"]["game"] == "domino"
    assert rows[-1]["readable"]["places"]


FIRST = json.loads(HEADER)
LINE = json.loads(lines_of(recorded(), EVERYTHING)[1])


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([], id="an empty file"),
        pytest.param([""], id="an empty line"),
        pytest.param(["no JSON\n"], id="text"),
        pytest.param(["[]\n"], id="a list"),
        pytest.param(['{"format": "other", "format_version": 1}\n'], id="another format"),
        *(
            pytest.param([json.dumps(change) + "\n"], id=name)
            for name, change in (
                ("a newer format", {**FIRST, "format_version": 3}),
                ("no head", {**FIRST, "head": None}),
                ("a head without fields", {**FIRST, "head": {}}),
                ("a head whose hash is no number", {**FIRST, "head": {**FIRST["head"], "hash": "xyz"}}),
                ("a head whose version is no number", {**FIRST, "head": {**FIRST["head"], "version": "x"}}),
                ("a version of the head without end", {**FIRST, "head": {**FIRST["head"], "version": float("inf")}}),
                ("a head whose version is too large", {**FIRST, "head": {**FIRST["head"], "version": 1 << 64}}),
                ("a head of a match that has no id", {**FIRST, "head": {**FIRST["head"], "match_id": "\ud800"}}),
                ("no key", {**FIRST, "public_key": None}),
                ("a key that is too short", {**FIRST, "public_key": "00"}),
            )
        ),
        *(
            pytest.param([HEADER, json.dumps(change) + "\n"], id=name)
            for name, change in (
                ("a line that is a number", 7),
                ("a line without fields", {}),
                ("a version that is no number", {**LINE, "version": "x"}),
                ("a version without end", {**LINE, "version": float("inf")}),
                ("a version that is too large", {**LINE, "version": 1 << 64}),
                ("a command id of letters that are none", {**LINE, "command_id": "\ud800"}),
                ("a seat that is no number", {**LINE, "seat": "x"}),
                ("bytes that are no base64", {**LINE, "public": "%%%"}),
                ("bytes in odd letters", {**LINE, "public": "Ω"}),
                ("bytes that are a number", {**LINE, "public": 5}),
                ("sealed parts that are a number", {**LINE, "sealed": 5}),
                ("a sealed part that is a text", {**LINE, "sealed": ["x"]}),
                ("a sealed part without fields", {**LINE, "sealed": [{}]}),
                ("a salt that is a number", {**LINE, "sealed": [{**LINE["sealed"][0], "salt": 5}]}),
            )
        ),
    ],
)
def test_what_is_no_exported_log_is_a_broken_file(lines: list[str]) -> None:
    """Said in a sentence, not as an error of the program's."""
    with pytest.raises(export.BrokenFile, match=r"\w+ .*\."):
        list(export.read(lines).envelopes)


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
many = settings(max_examples=300, deadline=None, derandomize=True)


@many
@given(name=st.sampled_from(sorted(LINE)), value=anything)
def test_any_change_of_a_field_is_read_or_a_broken_file(name: str, value: object) -> None:
    """No other error, whatever stands in a line."""
    with contextlib.suppress(export.BrokenFile):
        list(export.read([HEADER, json.dumps({**LINE, name: value}) + "\n"]).envelopes)


@many
@given(part=st.sampled_from(("", "head")), name=st.sampled_from(sorted({*FIRST, *FIRST["head"]})), value=anything)
def test_any_change_of_the_header_is_read_or_a_broken_file(part: str, name: str, value: object) -> None:
    """Of the header itself, or of the head that is in it."""
    changed = {**FIRST, "head": {**FIRST["head"], name: value}} if part else {**FIRST, name: value}
    with contextlib.suppress(export.BrokenFile):
        list(export.read([json.dumps(changed) + "\n"]).envelopes)
