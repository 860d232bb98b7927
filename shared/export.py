"""The log of a match as a file: JSON lines, a header with the signed head first, then one envelope a line.

Beside the bytes, which are what counts and are in base64, each line has the event in readable form.
"""

import base64
import json
import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict

from shared.envelope import Envelope, SealedPart, core
from shared.kernel import Seat
from shared.match.wire import Messages
from shared.proof.heads import SignedHead, from_row, to_row
from shared.proof.keys import PublicKey

FORMAT = "meydan-log"
FORMAT_VERSION = 2
# Files of this version come from before logs were chained and signed.
_UNSIGNED_VERSION = 1


class BrokenFile(ValueError):
    """A file that is no exported log."""


class Signed(NamedTuple):
    """What a file says of itself: the head of its log, and the key that has signed it."""

    head: SignedHead
    key: PublicKey


class Exported(NamedTuple):
    """A file: its game, what is signed (nothing in files of the first version), and its envelopes, read as needed."""

    game: str
    signed: Signed | None
    envelopes: Iterator[Envelope]


def header_line(game: str, head: SignedHead, key: PublicKey) -> str:
    """What the file is, and what is signed."""
    row = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": game,
        "head": to_row(head),
        "public_key": key.data.hex(),
    }
    return json.dumps(row) + "\n"


def envelope_line(wire: Messages, envelope: Envelope) -> str:
    """One envelope, redacted or not."""
    row: dict[str, Any] = {
        "version": envelope.version,
        "schema_version": envelope.schema_version,
        "type": envelope.type,
        "time_micros": envelope.time_micros,
        "command_id": envelope.command_id,
        "seat": envelope.seat,
        "public": _text(envelope.public),
        "previous_hash": _text(envelope.previous_hash),
        "sealed": list(map(_sealed_row, envelope.sealed)),
        "readable": MessageToDict(wire.public(envelope)),
    }
    return json.dumps(row) + "\n"


def _sealed_row(part: SealedPart) -> dict[str, Any]:
    content = None if part.content is None else _text(part.content)
    return {
        "seats": part.seats,
        "type": part.type,
        "content": content,
        "commitment": _text(part.commitment),
        "salt": _text(part.salt),
    }


def read(lines: Iterable[str]) -> Exported:
    """An exported log."""
    rows = iter(lines)
    header = _parse(next(rows, ""), 1)
    if header.get("format") != FORMAT or header.get("format_version") not in (_UNSIGNED_VERSION, FORMAT_VERSION):
        raise BrokenFile("This is not an exported match.")
    signed = None if header["format_version"] == _UNSIGNED_VERSION else _signed(header)
    return Exported(str(header.get("game")), signed, _envelopes(rows))


def _signed(header: dict[str, Any]) -> Signed:
    try:
        return Signed(from_row(header["head"]), PublicKey(bytes.fromhex(header["public_key"])))
    except (LookupError, TypeError, ValueError) as error:
        raise BrokenFile(f"The first line of the file has no signed head ({error}).") from error


def _envelopes(rows: Iterator[str]) -> Iterator[Envelope]:
    for number, line in enumerate(rows, 2):
        row = _parse(line, number)
        try:
            envelope = _envelope(row)
            # Numbers that are too large and letters that are none can't be stored, or hashed.
            core(envelope)
        except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
            raise BrokenFile(f"Line {number} of the file is not an envelope ({error}).") from error
        yield envelope


def _parse(line: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise BrokenFile(f"Line {number} of the file is not a JSON object.")
    return row


def _envelope(row: dict[str, Any]) -> Envelope:
    seat = row["seat"]
    return Envelope(
        int(row["version"]),
        int(row["schema_version"]),
        str(row["type"]),
        int(row["time_micros"]),
        str(row["command_id"]),
        None if seat is None else Seat(int(seat)),
        _bytes(row["public"]),
        tuple(map(_sealed, row["sealed"])),
        _bytes(row["previous_hash"]),
    )


def _sealed(row: dict[str, Any]) -> SealedPart:
    content = row["content"]
    return SealedPart(
        tuple(map(Seat, row["seats"])),
        str(row["type"]),
        None if content is None else _bytes(content),
        _bytes(row["commitment"]),
        _bytes(row.get("salt", "")),
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
