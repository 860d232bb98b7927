"""The log of a match as a file: JSON lines, a header first, then one envelope a line, its bytes in base64.

Beside the bytes, which are what counts, each line has the event in readable form.
"""

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict

from shared.envelope import Envelope, SealedPart
from shared.kernel import Seat
from shared.match.wire import Wire

FORMAT = "meydan-log"
FORMAT_VERSION = 1


class BrokenFile(ValueError):
    """A file that is no exported log."""


def header_line(game: str, match_id: str) -> str:
    """What the file is."""
    return json.dumps({"format": FORMAT, "format_version": FORMAT_VERSION, "game": game, "match_id": match_id}) + "\n"


def envelope_line(wire: Wire, envelope: Envelope) -> str:
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
        "readable": MessageToDict(wire.public(wire.upcast(envelope))),
    }
    return json.dumps(row) + "\n"


def _sealed_row(part: SealedPart) -> dict[str, Any]:
    content = None if part.content is None else _text(part.content)
    return {"seats": part.seats, "type": part.type, "content": content, "commitment": _text(part.commitment)}


def read(lines: Iterable[str]) -> tuple[str, Iterator[Envelope]]:
    """The game of an exported log, and its envelopes."""
    rows = iter(lines)
    header = _parse(next(rows, ""), 1)
    if header.get("format") != FORMAT or header.get("format_version") != FORMAT_VERSION:
        raise BrokenFile("This is not an exported match.")
    return str(header.get("game")), _envelopes(rows)


def _envelopes(rows: Iterator[str]) -> Iterator[Envelope]:
    for number, line in enumerate(rows, 2):
        row = _parse(line, number)
        try:
            yield _envelope(row)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise BrokenFile(f"Line {number} of the file is not an envelope ({error}).") from error


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
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
