"""How events become part of a log: each gets its place, its secrets are bound, and its hash goes into the next."""

from collections.abc import Callable
from typing import Any, TypeAlias

from shared.envelope import Envelope, SealedPart, contents, core
from shared.kernel import Seat
from shared.match.model import Logged
from shared.match.wire import Form
from shared.proof import chain

# Making one of a tuple costs half of calling the class.
_envelope, _sealed_part = Envelope._make, SealedPart._make

# Events in order, each with the seat whose command caused it.
Happened: TypeAlias = list[tuple[Seat | None, Form]]
# What a command adds to a log: envelopes, their stored bytes, and the hash of the log after them.
Piece: TypeAlias = tuple[tuple[Envelope, ...], tuple[bytes, ...], bytes]
# What makes a piece of a log of the events that follow where it stands, at a time, by a command.
Writer: TypeAlias = Callable[[Any, Happened, int, str], Piece]


def write(before: Logged, happened: Happened, time_micros: int, command_id: str) -> Piece:
    """The events as envelopes that follow where a log stands."""
    version, head, server_seed, seed = before.version, before.head, before.server_seed, before.seed
    envelopes, records = [], []
    for seat, (kind, schema_version, public, secrets) in happened:
        version += 1
        # The first envelope is written before there is a seed of the whole.
        sealed = _bound(secrets, server_seed if version == 1 else seed, version) if secrets else ()
        envelope = _envelope((version, schema_version, kind, time_micros, command_id, seat, public, sealed, head))
        record = core(envelope)
        head = chain.sha256(record)
        envelopes.append(envelope)
        records.append(record + contents(envelope) if sealed else record)
    return tuple(envelopes), tuple(records), head


def _bound(parts: tuple[SealedPart, ...], salt_key: bytes, version: int) -> tuple[SealedPart, ...]:
    bound = []
    for index, (seats, kind, content, _, _) in enumerate(parts):
        salt = chain.salt(salt_key, version, index)
        bound.append(_sealed_part((seats, kind, content, chain.commitment(salt, content or b""), salt)))
    return tuple(bound)
