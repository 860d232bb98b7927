"""The bytes of an envelope: the same for ever, and nothing but an envelope."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.registry import load
from shared.envelope import BrokenEnvelope, Envelope, SealedPart, core, hash_of, pack, redact, unpack
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from tests.conformance.recording import finished

seats = st.integers(0, 255).map(Seat)
hashes = st.sampled_from((b"", bytes(32), bytes(range(32))))


def sealed_parts(bound: st.SearchStrategy[bytes]) -> st.SearchStrategy[SealedPart]:
    """Parts with any content, commitment and salt."""
    holders = st.lists(seats, max_size=6).map(tuple)
    return st.builds(SealedPart, holders, st.text(max_size=12), st.binary(max_size=40), bound, bound)


# Of a log that is not chained, or of one that is.
parts = sealed_parts(st.just(b"")) | sealed_parts(st.binary(min_size=32, max_size=32))
envelopes = st.builds(
    Envelope,
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1),
    st.text(max_size=20),
    st.integers(-(2**63), 2**63 - 1),
    st.text(max_size=20),
    st.none() | st.integers(0, 2**15 - 1).map(Seat),
    st.binary(max_size=60),
    st.lists(parts, max_size=4).map(tuple),
    hashes,
)
viewers = st.one_of(st.just(SPECTATOR), st.just(EVERYTHING), st.integers(0, 5).map(lambda seat: Viewer(Seat(seat))))

EXAMPLE = Envelope(
    version=7,
    schema_version=2,
    type="meydan.domino.v1.TileDrawn",
    time_micros=1_767_225_600_000_000,
    command_id="c-1",
    seat=Seat(1),
    public=b"\x08\x01",
    sealed=(SealedPart((Seat(1),), "T", b"\x0a\x00"), SealedPart((), "U", b"", bytes(32), b"s" * 32)),
)


@settings(deadline=None)
@given(envelopes)
def test_an_envelope_comes_back_from_its_bytes(envelope: Envelope) -> None:
    """Whatever it holds, with salts and commitments."""
    assert unpack(pack(envelope)) == envelope


def test_what_a_command_stores_is_what_its_envelopes_pack_to() -> None:
    """The bytes are made once, while the log is chained: they must not be others than the envelopes'."""
    domino = load("domino")
    recorder = finished(domino, domino.default_options, ("", "", ""), b"stored")
    assert recorder.records == list(map(pack, recorder.envelopes))
    assert list(map(unpack, recorder.records)) == recorder.envelopes


def test_the_bytes_are_as_described() -> None:
    """Written out by hand from the description of the format, so that another language can do the same."""
    head = b"\x01" + (7).to_bytes(8, "big") + (2).to_bytes(4, "big") + (1_767_225_600_000_000).to_bytes(8, "big")
    seat_and_lengths = b"\x00\x01" + b"\x1a" + b"\x03" + b"\x00\x00\x00\x02" + b"\x00" + b"\x02"
    fields = b"meydan.domino.v1.TileDrawn" + b"c-1" + b"\x08\x01" + b""
    sealed = b"\x01\x01\x00" + b"\x01" + b"T" + b"\x00\x01\x20" + b"U" + bytes(32)
    contents = b"\x00\x00\x00\x02\x0a\x00" + b"s" * 32 + b"\x00\x00\x00\x00"
    assert core(EXAMPLE) == head + seat_and_lengths + fields + sealed
    assert pack(EXAMPLE) == head + seat_and_lengths + fields + sealed + contents


def test_the_platforms_own_events_have_seat_minus_one() -> None:
    """Two bytes of ones, where a seat would be."""
    assert pack(EXAMPLE._replace(seat=None))[21:23] == b"\xff\xff"


@settings(deadline=None)
@given(envelopes)
def test_every_cut_of_the_bytes_is_broken(envelope: Envelope) -> None:
    """No prefix of an envelope is an envelope, and nothing may follow one."""
    data = pack(envelope)
    for length in range(len(data)):
        with pytest.raises(BrokenEnvelope):
            unpack(data[:length])
    with pytest.raises(BrokenEnvelope):
        unpack(data + b"\0")


def outcome(data: bytes) -> Envelope | None:
    """The envelope, or None where the bytes are broken; any other error is a failure."""
    try:
        return unpack(data)
    except BrokenEnvelope:
        return None


@settings(max_examples=200, deadline=None)
@given(envelopes, st.data())
def test_any_change_of_the_bytes_is_broken_or_another_envelope(envelope: Envelope, data: st.DataObject) -> None:
    """Never an error of another kind, and never the same envelope: each envelope has one form."""
    changed = bytearray(pack(envelope))
    place = data.draw(st.integers(0, len(changed) - 1))
    changed[place] ^= data.draw(st.integers(1, 255))
    found = outcome(bytes(changed))
    assert found != envelope
    assert found is None or pack(found) == bytes(changed)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=120), st.binary(max_size=100).map(lambda tail: b"\x01" + tail)))
def test_any_bytes_are_broken_or_an_envelope(data: bytes) -> None:
    """Never an error of another kind; what is accepted is written as it was."""
    found = outcome(data)
    assert found is None or pack(found) == data


@pytest.mark.parametrize("form", [0, 2, 255])
def test_another_format_is_told_by_its_first_byte(form: int) -> None:
    """A newer format is not guessed at."""
    with pytest.raises(BrokenEnvelope, match=f"format {form}"):
        unpack(bytes((form,)) + pack(EXAMPLE)[1:])


@settings(deadline=None)
@given(envelopes, viewers)
def test_redacting_hides_what_the_viewer_may_not_see_and_nothing_else(envelope: Envelope, viewer: Viewer) -> None:
    """Parts stay listed, with their seats, types and commitments; a salt goes with its content."""
    seen = redact(envelope, viewer)
    for whole, part in zip(envelope.sealed, seen.sealed, strict=True):
        is_open = viewer.sees_everything or (viewer.seat is not None and viewer.seat in whole.seats)
        assert part == (whole if is_open else whole._replace(content=None, salt=b""))
    assert seen._replace(sealed=envelope.sealed) == envelope


@settings(deadline=None)
@given(envelopes, viewers)
def test_the_public_bytes_are_the_same_for_every_viewer(envelope: Envelope, viewer: Viewer) -> None:
    """So that a chain of hashes over them can be checked by anyone."""
    assert core(redact(envelope, viewer)) == core(envelope)
    assert pack(envelope).startswith(core(envelope))
    assert hash_of(redact(envelope, viewer)) == hashlib.sha256(core(envelope)).digest()


def test_public_bytes_hold_no_sealed_content() -> None:
    """What is hashed for everybody tells nobody's secret, nor what opens its commitment."""
    secret = SealedPart((Seat(0),), "T", b"the secret itself", bytes(32), b"the salt".ljust(32))
    public = core(EXAMPLE._replace(sealed=(secret,)))
    assert b"the secret itself" not in public
    assert b"the salt" not in public


def test_a_redacted_envelope_has_no_stored_form() -> None:
    """What was taken out can't be stored as if it had never been there."""
    with pytest.raises(BrokenEnvelope):
        pack(redact(EXAMPLE, SPECTATOR))


@settings(deadline=None)
@given(envelopes, viewers)
def test_redacting_twice_is_redacting_once(envelope: Envelope, viewer: Viewer) -> None:
    """There is nothing more to take out."""
    assert redact(redact(envelope, viewer), viewer) == redact(envelope, viewer)
