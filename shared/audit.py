"""Checks an exported file, and receipts against it, with no server."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from google.protobuf.json_format import Error as JsonError
from google.protobuf.message import DecodeError

from meydan.match.v1.envelope_pb2 import MatchCreated
from shared import export
from shared.envelope import Envelope
from shared.export import Exported, Signed
from shared.game import AnyGame
from shared.kernel import EVERYTHING, SPECTATOR, Viewer
from shared.match.model import Match
from shared.match.wire import Messages, Wire
from shared.proof.heads import SignedHead
from shared.proof.keys import PublicKey
from shared.verify import Wrong, check_chain, checked_hash, is_redacted, verify

# Not of any event, but of the file's first line.
HEADER = 0

Keys: TypeAlias = Mapping[str, PublicKey]


class Audited(NamedTuple):
    """A file in which nothing is wrong. `match` is None if things are hidden in it: then only the chain was checked."""

    game: AnyGame
    head: SignedHead
    envelopes: Sequence[Envelope]
    match: Match | None


def audit(lines: Iterable[str], load: Callable[[str], AnyGame], keys: Keys | None = None) -> Audited:
    """Raises Wrong, or BrokenFile if it is no exported match at all.

    `keys` are the ones that the platform has published, by id; without them the key is taken from the file, which shows
    that the file fits together, but not whose word it is.
    """
    stored = list(lines)
    exported = export.read(stored)
    signed = checked_signature(exported, keys)
    game = _known_game(exported.game, load)
    wire = Wire(game)
    envelopes = checked_lines(stored, exported, signed, wire)
    check_head(signed.head, envelopes)
    match = None if is_redacted(envelopes) else verify(game, wire, envelopes)
    if match is None:
        check_chain(envelopes)
        _check_sight(envelopes)
    _check_beginning(signed.head, game, wire.public(envelopes[0]))
    return Audited(game, signed.head, envelopes, match)


def check_receipt(audited: Audited, receipt: SignedHead, keys: Keys) -> Envelope:
    """The envelope that a receipt vouches for, if it is in the log; raises Wrong if it is not."""
    key = keys.get(receipt.key_id)
    if key is None or not receipt.is_signed_by(key):
        raise Wrong(receipt.version, "the signature of the receipt is not of a key that is known")
    if receipt.match_id != audited.head.match_id:
        raise Wrong(receipt.version, f"the receipt is of match {receipt.match_id}")
    if not 1 <= receipt.version <= len(audited.envelopes):
        raise Wrong(receipt.version, f"the receipt is of a longer log: this one has {len(audited.envelopes)} events")
    envelope = audited.envelopes[receipt.version - 1]
    if checked_hash(envelope) != receipt.hash:
        raise Wrong(receipt.version, "the log is not the one that the receipt was given for")
    return envelope


def _known_game(name: str, load: Callable[[str], AnyGame]) -> AnyGame:
    try:
        return load(name)
    except LookupError:
        raise Wrong(HEADER, f"the game {name!r} is not known here") from None


def checked_signature(exported: Exported, keys: Keys | None) -> Signed:
    """What the file says of itself, if its signature holds."""
    signed = exported.signed
    if signed is None:
        raise Wrong(HEADER, "the file is from before logs were signed: there is nothing to check it by")
    key = signed.key if keys is None else keys.get(signed.head.key_id)
    if key is None:
        raise Wrong(HEADER, f"the head is signed with key {signed.head.key_id}, which is not a published one")
    if key.data != signed.key.data or not signed.head.is_signed_by(key):
        raise Wrong(HEADER, "the signature of the head does not hold")
    return signed


def checked_lines(stored: list[str], exported: Exported, signed: Signed, wire: Messages) -> list[Envelope]:
    """The envelopes, if every line is to the letter what the platform writes: what people read is what is signed."""
    if stored[0] != export.header_line(exported.game, signed.head, signed.key):
        raise Wrong(HEADER, "the first line was changed")
    envelopes = []
    for line, envelope in zip(stored[1:], exported.envelopes, strict=True):
        envelopes.append(envelope)
        if not _is_line_of(wire, envelope, line):
            raise Wrong(len(envelopes), "the line was changed")
    return envelopes


def _is_line_of(wire: Messages, envelope: Envelope, line: str) -> bool:
    try:
        return line == export.envelope_line(wire, envelope)
    except (LookupError, TypeError, ValueError, DecodeError, JsonError):
        return False


def check_head(head: SignedHead, envelopes: Sequence[Envelope]) -> None:
    """Raises Wrong unless this is the log that is signed."""
    if len(envelopes) != head.version:
        raise Wrong(len(envelopes), f"the log has {len(envelopes)} events, but {head.version} are signed")
    if not envelopes or checked_hash(envelopes[-1]) != head.hash:
        check_chain(envelopes)
        raise Wrong(head.version, "the hash of the log is not the one that is signed")


def _check_sight(envelopes: Sequence[Envelope]) -> None:
    """What is open in a redacted log is what one viewer may see, and all of it: nobody has closed anything later."""
    parts = [(envelope.version, part) for envelope in envelopes for part in envelope.sealed]
    seats = {seat for _, part in parts for seat in part.seats}
    viewers = (EVERYTHING, SPECTATOR, *map(Viewer, sorted(seats)))
    faults = (
        [version for version, part in parts if (part.content is not None) != viewer.may_see(part.seats)]
        for viewer in viewers
    )
    if fewest := min(faults, key=len):
        raise Wrong(fewest[0], "something is hidden that whoever got this log may see")


def _check_beginning(head: SignedHead, game: AnyGame, created: object) -> None:
    if not isinstance(created, MatchCreated) or created.game != game.name:
        raise Wrong(1, f"the log does not begin with the creation of a match of {game.name}")
    if created.match_id != head.match_id:
        raise Wrong(HEADER, "the log is of another match than the one that is signed")
