"""The bytes that are hashed and signed. docs/proof.md specifies each of them, with test vectors."""

import hashlib
import hmac
import struct
from collections.abc import Sequence

HASH_SIZE = 32
# What stands for the hash before the first envelope.
NO_HASH = bytes(HASH_SIZE)
LONGEST_ENTROPY = 32

_PLACE = struct.Struct(">QB")
_VERSION = struct.Struct(">Q")


def sha256(data: bytes) -> bytes:
    """The one hash function of the platform's proofs."""
    return hashlib.sha256(data).digest()


def match_seed(server_seed: bytes, match_id: str, entropies: Sequence[bytes]) -> bytes:
    """The seed of all chance: neither the server nor any player knew it before the last of them had spoken."""
    added = b"".join(bytes((len(entropy),)) + entropy for entropy in entropies)
    message = b"meydan-seed-1\0" + match_id.encode() + bytes((len(entropies),)) + added
    return hmac.digest(server_seed, message, "sha256")


def tournament_seed(server_seed: bytes, tournament_id: str, entropy: bytes) -> bytes:
    """The seed of a tournament's lots: neither the server nor any player knew it before the last of them had spoken."""
    return hmac.digest(server_seed, b"meydan-tournament-seed-1\0" + tournament_id.encode() + entropy, "sha256")


def salt(seed: bytes, version: int, index: int) -> bytes:
    """The salt of an envelope's sealed part: it tells nothing of the seed or of other salts."""
    return hmac.digest(seed, b"meydan-salt-1\0" + _PLACE.pack(version, index), "sha256")


def commitment(salted: bytes, content: bytes) -> bytes:
    """What a sealed part is bound to while it is hidden."""
    return sha256(salted + content)


def head_statement(match_id: str, version: int, head: bytes) -> bytes:
    """What the platform signs: that the log of the match has this length and this hash."""
    return b"meydan-head-1\0" + match_id.encode() + _VERSION.pack(version) + head
