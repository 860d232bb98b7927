"""Whatever is changed in an exported match shows, at the line that was changed or at the next."""

import base64
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from meydan.match.v1.envelope_pb2 import MatchStarted
from services.registry import load
from shared import export
from shared.audit import HEADER, Audited, audit
from shared.envelope import Envelope, SealedPart, redact
from shared.export import BrokenFile
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from shared.match.wire import full_name
from shared.verify import Wrong, verify
from tests.proof.files import GAME, KEYS, SIGNED, WIRE, envelopes_of, exported, stored

VIEWERS = {"everybody": EVERYTHING, "a spectator": SPECTATOR, "seat 1": Viewer(Seat(1)), "seat 2": Viewer(Seat(2))}
FILES = {name: exported(envelopes_of("signed"), viewer) for name, viewer in VIEWERS.items()}
# Short enough to change everything in it, one after the other.
SHORT = "nobody_came"
BITS = 7
FAR_AWAY = 1 << 70

every_viewer = pytest.mark.parametrize("viewer", VIEWERS)
often = settings(max_examples=120, deadline=None)


def audited(text: str) -> Audited:
    """The file as it is read from a disk: lines are found anew."""
    return audit(text.splitlines(keepends=True), load, KEYS)


def fault(text: str) -> int | None:
    """The version at which a file is wrong; None if it can't even be read."""
    try:
        audited(text)
    except Wrong as wrong:
        return wrong.version
    except BrokenFile:
        return None
    raise AssertionError("nothing was noticed")


@pytest.mark.parametrize("name", SIGNED)
def test_a_stored_match_passes(name: str) -> None:
    """What follows would mean nothing if these files were refused anyway."""
    assert audited("".join(stored(name))).match is not None


@every_viewer
def test_the_file_of_every_viewer_passes(viewer: str) -> None:
    """Of a redacted file only what is open is checked."""
    assert (audited("".join(FILES[viewer])).match is None) == (viewer != "everybody")


# The text


@pytest.mark.parametrize("viewer", [EVERYTHING, SPECTATOR], ids=["everybody", "a spectator"])
def test_every_character_counts(viewer: Viewer) -> None:
    """Each of them, changed by one bit; what can be read is wrong at its own line or the next."""
    lines = exported(envelopes_of(SHORT), viewer)
    text, ends = "".join(lines), list(accumulate(map(len, lines)))
    for at, character in enumerate(text):
        found = fault(text[:at] + chr(ord(character) ^ 1) + text[at + 1 :])
        assert found is None or 0 <= found - bisect_right(ends, at) <= 1, f"character {at}"


@every_viewer
@often
@given(data=st.data())
def test_a_flipped_bit_shows(viewer: str, data: st.DataObject) -> None:
    """In any byte of the file, the readable parts included."""
    content = bytearray("".join(FILES[viewer]).encode())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, BITS - 1))
    fault(content.decode())


@every_viewer
def test_a_dropped_doubled_or_swapped_line_shows(viewer: str) -> None:
    """Each of them, one after the other."""
    lines = FILES[viewer]
    for at in range(len(lines)):
        others = [*lines[:at], *lines[at + 1 :]]
        fault("".join(others))
        fault("".join([*lines[:at], lines[at], *lines[at:]]))
        for to in {0, (at + 1) % len(lines), len(lines) - 1} - {at}:
            fault("".join([*others[:to], lines[at], *others[to:]]))


@every_viewer
@often
@given(data=st.data())
def test_a_truncated_file_shows(viewer: str, data: st.DataObject) -> None:
    """At any character, the last line break included; and so does a file that goes on."""
    text = "".join(FILES[viewer])
    fault(text[: data.draw(st.integers(0, len(text) - 1))])
    fault(text + data.draw(st.sampled_from(["\n", " ", "x", "{}\n", FILES[viewer][-1]])))


@often
@given(name=st.sampled_from(SIGNED), start=st.integers(0), size=st.integers(1, 400), other=st.integers(0))
def test_a_part_that_is_cut_out_or_put_elsewhere_shows(name: str, start: int, size: int, other: int) -> None:
    """Any piece of the text."""
    content = "".join(stored(name))
    start, other = start % len(content), other % len(content)
    piece, rest = content[start : start + size], content[:start] + content[start + size :]
    fault(rest)
    moved = rest[:other] + piece + rest[other:]
    if moved != content:
        fault(moved)


def test_a_line_of_another_match_shows() -> None:
    """Though it is a good line there, of the same type and version."""
    ours, theirs = stored("time_per_move"), stored("time_base_and_increment")
    for at, (line, other) in enumerate(zip(ours, theirs, strict=True)):
        if line != other:
            fault("".join([*ours[:at], other, *ours[at + 1 :]]))
    assert ours[-1] != theirs[-1]


@every_viewer
def test_what_people_read_can_not_be_changed(viewer: str) -> None:
    """The readable form is not hashed, but must be what the bytes say."""
    for at, line in enumerate(FILES[viewer][1:], 1):
        row = json.loads(line)
        row["readable"]["seat"] = 1 - row["readable"].get("seat", 0)
        changed = [*FILES[viewer][:at], json.dumps(row) + "\n", *FILES[viewer][at + 1 :]]
        with pytest.raises(Wrong, match=f"version {at}: the line was changed"):
            audited("".join(changed))


@pytest.mark.parametrize("version", [-1, 0, 1, 44, 47, 1 << 64, FAR_AWAY])
def test_a_head_of_another_length_shows(version: int) -> None:
    """Also of a length that no log has."""
    header = json.loads(FILES["everybody"][0])
    header["head"]["version"] = version
    assert fault("".join([json.dumps(header) + "\n", *FILES["everybody"][1:]])) in (HEADER, None)


# The envelopes


def others(value: Any) -> Iterator[Any]:
    """What might stand in the place of a value."""
    match value:
        case bytes():
            yield from {value + b"x", value[:-1], value[1:], b"", bytes(len(value)), value[::-1]} - {value}
        case str():
            yield from {value + "x", value[:-1], "", "\udc80"} - {value}
        case int():
            yield from {value + 1, value - 1, 0, 255, -value, FAR_AWAY} - {value}
        case None:
            yield from (Seat(0), Seat(255))
        case _:
            yield from {(*value, Seat(3)), value[1:], (Seat(0), Seat(1)), (Seat(256),), value[::-1] * 2} - {value}


def changed_fields(envelope: Envelope) -> Iterator[Envelope]:
    """The envelope, with one thing in it changed: any field of it, or of any of its sealed parts."""
    for field in Envelope._fields:
        if field != "sealed":
            yield from (envelope._replace(**{field: other}) for other in others(getattr(envelope, field)))
    yield from (envelope._replace(sealed=sealed) for sealed in changed_parts(envelope.sealed))


def changed_parts(sealed: tuple[SealedPart, ...]) -> Iterator[tuple[SealedPart, ...]]:
    yield (*sealed, SealedPart((), "meydan.match.v1.ServerSeed", b""))
    for index, part in enumerate(sealed):
        before, after = sealed[:index], sealed[index + 1 :]
        yield (*before, *after)
        yield (*before, part, part, *after)
        for field in SealedPart._fields:
            possible: Iterable[Any] = others(getattr(part, field)) if field != "content" else (None, b"", b"x")
            for other in (other for other in possible if other != getattr(part, field)):
                yield (*before, part._replace(**{field: other}), *after)
    if len(sealed) > 1:
        yield sealed[::-1]


def written(envelope: Envelope) -> str:
    """The line of an envelope that may be none: what can't be made readable is left out."""
    try:
        return export.envelope_line(WIRE, envelope)
    except (LookupError, TypeError, ValueError, DecodeError):
        bare = envelope._replace(type=full_name(MatchStarted), public=b"")
        row = json.loads(export.envelope_line(WIRE, bare))
        row |= {"type": envelope.type, "public": base64.b64encode(envelope.public).decode()}
        return json.dumps(row) + "\n"


def is_noticed_near(header: str, log: Sequence[Envelope], at: int, other: Envelope) -> bool:
    """Whether a file with another envelope at a place is refused, there or at the next."""
    found = fault("".join([header, *map(written, log[:at]), written(other), *map(written, log[at + 1 :])]))
    return found is None or at + 1 <= found <= at + 2


@every_viewer
def test_a_changed_field_of_an_envelope_shows(viewer: str) -> None:
    """Every field of every envelope and of every sealed part; lines are written as the platform would write them."""
    log = [redact(envelope, VIEWERS[viewer]) for envelope in envelopes_of(SHORT)]
    header = exported(log)[0]
    for at, envelope in enumerate(log):
        for other in changed_fields(envelope):
            assert is_noticed_near(header, log, at, other), other


@often
@given(name=st.sampled_from(SIGNED), data=st.data())
def test_a_changed_field_of_any_match_shows(name: str, data: st.DataObject) -> None:
    """With clocks, computer players, seats that change hands."""
    log = envelopes_of(name)
    at = data.draw(st.integers(0, len(log) - 1))
    other = data.draw(st.sampled_from(list(changed_fields(log[at]))))
    assert is_noticed_near(stored(name)[0], log, at, other), other


@pytest.mark.parametrize("name", SIGNED)
def test_a_log_is_decided_again_up_to_where_it_was_changed(name: str) -> None:
    """Without a signature too: the change shows where it is, or in the next link. The last link is signed."""
    log = envelopes_of(name)
    for at, envelope in enumerate(log[:-1]):
        for other in (envelope._replace(time_micros=envelope.time_micros + 1), envelope._replace(command_id="x")):
            with pytest.raises(Wrong) as wrong:
                verify(GAME, WIRE, [*log[:at], other, *log[at + 1 :]])
            assert at + 1 <= wrong.value.version <= at + 2


# What is hidden


def closed(envelope: Envelope, index: int) -> Envelope:
    """The envelope, with one part closed as it is for those who may not see it."""
    parts = list(envelope.sealed)
    parts[index] = parts[index]._replace(content=None, salt=b"")
    return envelope._replace(sealed=tuple(parts))


@pytest.mark.parametrize("viewer", ["everybody", "seat 1", "seat 2"])
def test_nobody_can_close_a_part_so_that_less_is_checked(viewer: str) -> None:
    """A file shows all that its viewer may see: if one part is missing, it says so."""
    log = [redact(envelope, VIEWERS[viewer]) for envelope in envelopes_of("signed")]
    opened = [(at, index) for at, one in enumerate(log) for index, part in enumerate(one.sealed) if part.content]
    assert len(opened) > 1
    for at, index in opened:
        found = exported([*log[:at], closed(log[at], index), *log[at + 1 :]])
        with pytest.raises(Wrong, match="something is hidden"):
            audited("".join(found))


def test_the_part_that_was_closed_is_named() -> None:
    """Where everything else is open, it is plain which one it was."""
    log = envelopes_of("signed")
    for at, envelope in enumerate(log):
        for index in range(len(envelope.sealed)):
            assert fault("".join(exported([*log[:at], closed(envelope, index), *log[at + 1 :]]))) == at + 1


def test_a_file_that_begins_with_something_else_shows() -> None:
    """A log without its first event is none, though the links of what is there may hold."""
    log = [redact(envelope, SPECTATOR) for envelope in envelopes_of("signed")]
    taken = log[1]._replace(version=1, previous_hash=bytes(32))
    # Something must be hidden, for otherwise it would be decided again.
    hidden = SealedPart((), "meydan.match.v1.ServerSeed", None, bytes(32))
    with pytest.raises(Wrong, match="does not begin with the creation"):
        audited("".join(exported([taken._replace(sealed=(hidden,))])))
