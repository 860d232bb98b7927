"""Exported matches of all kinds, as text, and what a cheat with the platform's own key would make of them."""

from collections.abc import Iterable

from shared import export
from shared.envelope import Envelope, SealedPart, hash_of, redact
from shared.kernel import EVERYTHING, Viewer
from shared.match.wire import Wire
from shared.proof.chain import commitment
from shared.proof.heads import sign
from shared.proof.keys import PublicKey
from tests.conformance.recording import MATCH_ID, rechained
from tests.histories import make

KEYS: dict[str, PublicKey] = {make.KEY.public.id: make.KEY.public}
SIGNED = tuple(
    path.stem
    for path in sorted((make.FOLDER / "domino").glob("*.jsonl"))
    if '"format_version": 2' in path.read_text().partition("\n")[0]
)


def stored(name: str) -> list[str]:
    """The lines of a stored match."""
    return (make.FOLDER / "domino" / f"{name}.jsonl").read_text().splitlines(keepends=True)


def envelopes_of(name: str) -> list[Envelope]:
    """The events of a stored match."""
    return list(export.read(stored(name)).envelopes)


def exported(wire: Wire, envelopes: Iterable[Envelope], viewer: Viewer = EVERYTHING) -> list[str]:
    """The file of a log, with a signature that holds."""
    log = list(envelopes)
    head = sign(make.KEY, MATCH_ID, len(log), hash_of(log[-1]))
    rows = (export.envelope_line(wire, redact(envelope, viewer)) for envelope in log)
    return [export.header_line("domino", head, make.KEY.public), *rows]


def forged(envelopes: Iterable[Envelope]) -> list[Envelope]:
    """The log with commitments and links that hold, whatever was changed in it."""
    return rechained([envelope._replace(sealed=tuple(map(_recommitted, envelope.sealed))) for envelope in envelopes])


def _recommitted(part: SealedPart) -> SealedPart:
    return part._replace(commitment=commitment(part.salt, part.content or b""))
