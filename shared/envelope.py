"""The envelope of an event, and its bytes.

The stored bytes are framed by hand, because what will be hashed and signed must be the same in every language, for ever
(protobuf's own serialisation is not). All integers are big-endian. An envelope is its *core*, which everybody may see,
followed by the contents of its sealed parts:

    core     = u8 format (1)
               u64 version, u32 schema version, i64 time in microseconds, i16 seat (-1: the platform)
               field type, field command id, field public part, field previous hash (empty or 32 bytes)
               u8 number of sealed parts, and for each: u8 number of seats, u8 each seat, field type,
               field commitment (empty or 32 bytes)
    contents = for each sealed part: field content
    field    = u32 length, bytes
"""

import struct
from dataclasses import dataclass

from shared.kernel import Seat, Viewer

_FORMAT = 1
_HEAD = struct.Struct(">BQIqh")
_LENGTH = struct.Struct(">I")
_PLATFORM = -1


class BrokenEnvelope(ValueError):
    """Bytes that are no envelope."""


@dataclass(frozen=True, slots=True)
class SealedPart:
    """A secret of an event. `content` is None where it has been taken out for a viewer."""

    seats: tuple[Seat, ...]
    type: str
    content: bytes | None
    commitment: bytes = b""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event as it was decided, before it has a place in a log."""

    type: str
    schema_version: int
    seat: Seat | None
    public: bytes
    sealed: tuple[SealedPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Envelope:
    """One event of a log."""

    version: int
    schema_version: int
    type: str
    time_micros: int
    command_id: str
    seat: Seat | None
    public: bytes
    sealed: tuple[SealedPart, ...] = ()
    previous_hash: bytes = b""


def redact(envelope: Envelope, viewer: Viewer) -> Envelope:
    """The one door out: the envelope without the contents that the viewer may not see."""
    if not envelope.sealed or viewer.sees_everything:
        return envelope
    return Envelope(
        envelope.version,
        envelope.schema_version,
        envelope.type,
        envelope.time_micros,
        envelope.command_id,
        envelope.seat,
        envelope.public,
        tuple(part if viewer.may_see(part.seats) else _closed(part) for part in envelope.sealed),
        envelope.previous_hash,
    )


def _closed(part: SealedPart) -> SealedPart:
    return SealedPart(part.seats, part.type, None, part.commitment)


def pack(envelope: Envelope) -> bytes:
    """The stored bytes of a complete envelope."""
    if not envelope.sealed:
        return core(envelope)
    return core(envelope) + b"".join(_field(_content(part)) for part in envelope.sealed)


def core(envelope: Envelope) -> bytes:
    """The public bytes: the same for every viewer."""
    seat = _PLATFORM if envelope.seat is None else envelope.seat
    pieces = [
        _HEAD.pack(_FORMAT, envelope.version, envelope.schema_version, envelope.time_micros, seat),
        _field(envelope.type.encode()),
        _field(envelope.command_id.encode()),
        _field(envelope.public),
        _field(envelope.previous_hash),
        bytes((len(envelope.sealed),)),
    ]
    for part in envelope.sealed:
        pieces.append(bytes((len(part.seats), *part.seats)))
        pieces.append(_field(part.type.encode()))
        pieces.append(_field(part.commitment))
    return b"".join(pieces)


def _content(part: SealedPart) -> bytes:
    if part.content is None:
        raise BrokenEnvelope("a redacted envelope has no stored form")
    return part.content


def _field(value: bytes) -> bytes:
    return _LENGTH.pack(len(value)) + value


def unpack(data: bytes) -> Envelope:
    """The envelope whose stored bytes these are."""
    try:
        return _unpack(data)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise BrokenEnvelope(f"not an envelope: {error}") from error


def _unpack(data: bytes) -> Envelope:
    form, version, schema_version, time_micros, seat = _HEAD.unpack_from(data)
    if form != _FORMAT:
        raise BrokenEnvelope(f"envelope format {form} is not known here")
    kind, at = _take(data, _HEAD.size)
    command_id, at = _take(data, at)
    public, at = _take(data, at)
    previous_hash, at = _take(data, at)
    sealed, at = _unpack_sealed(data, at)
    if at != len(data):
        raise BrokenEnvelope("not an envelope: bytes are left over")
    acting = None if seat == _PLATFORM else Seat(seat)
    return Envelope(
        version, schema_version, kind.decode(), time_micros, command_id.decode(), acting, public, sealed, previous_hash
    )


def _unpack_sealed(data: bytes, at: int) -> tuple[tuple[SealedPart, ...], int]:
    count, at = data[at], at + 1
    if not count:
        return (), at
    heads: list[tuple[tuple[Seat, ...], str, bytes]] = []
    for _ in range(count):
        end = at + 1 + data[at]
        seats = tuple(map(Seat, data[at + 1 : end]))
        kind, at = _take(data, end)
        commitment, at = _take(data, at)
        heads.append((seats, kind.decode(), commitment))
    parts: list[SealedPart] = []
    for seats, name, commitment in heads:
        content, at = _take(data, at)
        parts.append(SealedPart(seats, name, content, commitment))
    return tuple(parts), at


def _take(data: bytes, at: int) -> tuple[bytes, int]:
    (length,) = _LENGTH.unpack_from(data, at)
    start = at + 4
    end = start + length
    if end > len(data):
        raise BrokenEnvelope("not an envelope: it ends too early")
    return data[start:end], end
