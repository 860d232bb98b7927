"""Whatever is changed in an exported match shows."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.registry import load
from shared.audit import Audited, audit
from shared.envelope import Envelope, SealedPart
from shared.export import BrokenFile
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from shared.match.wire import Wire
from shared.verify import Wrong, check_chain, verify
from tests.proof.files import KEYS, SIGNED, envelopes_of, exported, stored

GAME = load("domino")
WIRE = Wire(GAME)
VIEWERS = {"everybody": EVERYTHING, "a spectator": SPECTATOR, "a seat": Viewer(Seat(0))}
FILES = {name: exported(WIRE, envelopes_of("signed"), viewer) for name, viewer in VIEWERS.items()}
COMPUTERS = stored("computers")


def audited(lines: list[str]) -> Audited:
    """The file as it is read from a disk: lines are found anew."""
    return audit("".join(lines).splitlines(keepends=True), load, KEYS)


def is_noticed(lines: list[str]) -> bool:
    """Whether the file is refused, by one of the two errors that say why."""
    try:
        audited(lines)
    except (Wrong, BrokenFile):
        return True
    return False


@pytest.mark.parametrize("name", SIGNED)
def test_a_stored_match_passes(name: str) -> None:
    """What follows would mean nothing if these files were refused anyway."""
    assert audited(stored(name)).match is not None


@pytest.mark.parametrize("name", VIEWERS)
def test_the_file_of_every_viewer_passes(name: str) -> None:
    """Of a redacted file only what is open is checked."""
    assert (audited(FILES[name]).match is None) == (name != "everybody")


@pytest.mark.parametrize("name", VIEWERS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_flipped_bit_shows(name: str, data: st.DataObject) -> None:
    """In any byte of the file, the readable parts included."""
    content = bytearray("".join(FILES[name]).encode())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 6))
    assert is_noticed([content.decode()])


@pytest.mark.parametrize("name", VIEWERS)
def test_a_dropped_doubled_or_swapped_line_shows(name: str) -> None:
    """Each of them, one after the other."""
    lines = FILES[name]
    for at in range(len(lines)):
        assert is_noticed(lines[:at] + lines[at + 1 :]), f"line {at + 1} dropped"
        assert is_noticed([*lines[: at + 1], *lines[at:]]), f"line {at + 1} doubled"
        swapped = [*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]]
        assert swapped == lines or is_noticed(swapped), f"lines {at + 1} and {at + 2} swapped"


@settings(max_examples=100, deadline=None)
@given(at=st.integers(0, len("".join(FILES["everybody"])) - 1))
def test_a_truncated_file_shows(at: int) -> None:
    """At any character, the last line break included."""
    assert is_noticed(["".join(FILES["everybody"])[:at]])


@settings(max_examples=100, deadline=None)
@given(start=st.integers(0, 10_000), size=st.integers(1, 400), other=st.integers(0, 10_000))
def test_a_part_that_is_cut_out_or_put_elsewhere_shows(start: int, size: int, other: int) -> None:
    """Any piece of the text."""
    content = "".join(COMPUTERS)
    start, other = start % len(content), other % len(content)
    piece, rest = content[start : start + size], content[:start] + content[start + size :]
    assert is_noticed([rest])
    moved = rest[:other] + piece + rest[other:]
    assert moved == content or is_noticed([moved])


def test_what_people_read_can_not_be_changed() -> None:
    """The readable form is not hashed, but must be what the bytes say."""
    lines = list(FILES["everybody"])
    row = json.loads(lines[7])
    row["readable"]["seat"] = 1 - row["readable"].get("seat", 0)
    lines[7] = json.dumps(row) + "\n"
    with pytest.raises(Wrong, match="version 7: the line was changed"):
        audited(lines)


# The same with envelopes themselves: every field of each.


def _other(value: Any) -> Any:
    match value:
        case bytes():
            return value + b"x"
        case str():
            return value + "x"
        case int():
            return value + 1
        case None:
            return Seat(0)
        case _:
            return (*value, *(value or (Seat(3),)))


@pytest.mark.parametrize("field", [field for field in Envelope._fields if field != "sealed"])
@pytest.mark.parametrize("check", [lambda log: verify(GAME, WIRE, log)], ids=["verify"])
def test_a_changed_field_of_an_envelope_shows(field: str, check: Callable[[list[Envelope]], object]) -> None:
    """In every envelope but the last one, whose hash nothing in the log holds: that one is signed."""
    log = envelopes_of("computers")
    for at in range(len(log) - 1):
        changed = [*log[:at], log[at]._replace(**{field: _other(getattr(log[at], field))}), *log[at + 1 :]]
        with pytest.raises(Wrong) as wrong:
            check(changed)
        assert at + 1 <= wrong.value.version <= at + 2, f"{field} of version {at + 1}"


@pytest.mark.parametrize("field", SealedPart._fields)
def test_a_changed_field_of_a_sealed_part_shows(field: str) -> None:
    """Seats, type, content, commitment and salt, also in the log of somebody from whom other parts are hidden."""
    log = envelopes_of("computers")
    for at, envelope in enumerate(log[:-1]):
        for index, part in enumerate(envelope.sealed):
            other = part._replace(**{field: _other(getattr(part, field))})
            sealed = (*envelope.sealed[:index], other, *envelope.sealed[index + 1 :])
            changed = [*log[:at], envelope._replace(sealed=sealed), *log[at + 1 :]]
            for check in (check_chain, lambda log: verify(GAME, WIRE, log)):
                with pytest.raises(Wrong) as wrong:
                    check(changed)
                assert at + 1 <= wrong.value.version <= at + 2
