"""The envelope of an event, and its bytes.

The stored bytes are framed by hand, because what is hashed and signed must be the same in every language, for ever
(protobuf's own serialisation is not). All integers are big-endian. An envelope is its *core*, which everybody may see,
followed by the contents of its sealed parts:

    core     = u8 format (1), u64 version, u32 schema version, i64 time in microseconds, i16 seat (-1: the platform)
               u8 length of type, u8 length of command id, u32 length of public part, u8 length of previous hash
               (0 or 32), u8 number of sealed parts
               type, command id, public part, previous hash
               for each sealed part: u8 number of seats, u8 length of type, u8 length of commitment (0 or 32),
               u8 each seat, type, commitment
    contents = for each sealed part: its salt of 32 bytes if it has a commitment, u32 length, content

The hash of an envelope is the SHA-256 of its core, which holds the hash of the one before.
"""

import struct
from typing import NamedTuple

from shared.kernel import Seat, Viewer
from shared.proof.chain import sha256

_FORMAT = 1
_HEAD = struct.Struct(">BQIqhBBIBB")
_PART = struct.Struct(">BBB")
_LENGTH = struct.Struct(">I")
_HEAD_SIZE, _PART_SIZE, _LENGTH_SIZE = _HEAD.size, _PART.size, _LENGTH.size
_PLATFORM = -1


class BrokenEnvelope(ValueError):
    """Bytes that are no envelope."""


class SealedPart(NamedTuple):
    """A secret of an event. `content` and the salt are gone where they have been taken out for a viewer.

    Parts of logs that are not chained have neither commitment nor salt.
    """

    seats: tuple[Seat, ...]
    type: str
    content: bytes | None
    commitment: bytes = b""
    salt: bytes = b""


class Envelope(NamedTuple):
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


# Making one of a tuple costs a third of calling the class.
_envelope, _sealed_part = Envelope._make, SealedPart._make


def redact(envelope: Envelope, viewer: Viewer) -> Envelope:
    """The one door out: the envelope without the contents that the viewer may not see."""
    if not envelope.sealed or viewer.sees_everything:
        return envelope
    parts = tuple(part if viewer.may_see(part.seats) else _closed(part) for part in envelope.sealed)
    return envelope._replace(sealed=parts)


def _closed(part: SealedPart) -> SealedPart:
    return SealedPart(part.seats, part.type, None, part.commitment)


def pack(envelope: Envelope) -> bytes:
    """The stored bytes of a complete envelope."""
    if not envelope.sealed:
        return core(envelope)
    return core(envelope) + contents(envelope)


def hash_of(envelope: Envelope) -> bytes:
    """What the next envelope of the log has as its previous hash; the same for every viewer."""
    return sha256(core(envelope))


def contents(envelope: Envelope) -> bytes:
    """The secret bytes, which are stored after the core."""
    return b"".join(map(_content, envelope.sealed))


def core(envelope: Envelope) -> bytes:
    """The public bytes: the same for every viewer."""
    version, schema_version, kind, time_micros, command_id, seat, public, sealed, previous_hash = envelope
    name, command = kind.encode(), command_id.encode()
    head = _HEAD.pack(
        _FORMAT,
        version,
        schema_version,
        time_micros,
        _PLATFORM if seat is None else seat,
        len(name),
        len(command),
        len(public),
        len(previous_hash),
        len(sealed),
    )
    parts = map(_part, sealed) if sealed else ()
    return b"".join((head, name, command, public, previous_hash, *parts))


def _part(part: SealedPart) -> bytes:
    name = part.type.encode()
    return _PART.pack(len(part.seats), len(name), len(part.commitment)) + bytes(part.seats) + name + part.commitment


def _content(part: SealedPart) -> bytes:
    if part.content is None:
        raise BrokenEnvelope("a redacted envelope has no stored form")
    return part.salt + _LENGTH.pack(len(part.content)) + part.content


def unpack(data: bytes) -> Envelope:
    """The envelope whose stored bytes these are."""
    try:
        form, version, schema_version, time_micros, seat, name, command, public, previous, parts = _HEAD.unpack_from(
            data
        )
        if form != _FORMAT:
            raise BrokenEnvelope(f"envelope format {form} is not known here")
        # From lengths to the places where things end.
        name += _HEAD_SIZE
        command += name
        public += command
        end = previous = previous + public
        sealed: tuple[SealedPart, ...] = ()
        if parts:
            sealed, end = _unpack_sealed(data, previous, parts)
        if end != len(data):
            raise BrokenEnvelope(f"not an envelope: {len(data)} bytes where {end} were announced")
        return _envelope(
            (
                version,
                schema_version,
                data[_HEAD_SIZE:name].decode(),
                time_micros,
                data[name:command].decode(),
                None if seat == _PLATFORM else seat,
                data[command:public],
                sealed,
                data[public:previous],
            )
        )
    except (struct.error, UnicodeDecodeError) as error:
        raise BrokenEnvelope(f"not an envelope: {error}") from error


def _unpack_sealed(data: bytes, at: int, count: int) -> tuple[tuple[SealedPart, ...], int]:
    heads = []
    for _ in range(count):
        seats, name, commitment = _PART.unpack_from(data, at)
        at += _PART_SIZE
        seats += at
        name += seats
        commitment += name
        heads.append((tuple(data[at:seats]), data[seats:name].decode(), data[name:commitment]))
        at = commitment
    parts = []
    for seats_of, kind, committed in heads:
        salted = at + len(committed)
        start = salted + _LENGTH_SIZE
        salt = data[at:salted]
        at = start + _LENGTH.unpack_from(data, salted)[0]
        parts.append(_sealed_part((seats_of, kind, data[start:at], committed, salt)))
    return tuple(parts), at
