"""Signed heads: the platform's word on how long the log of a match is, and what it holds. A receipt is one of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from shared.proof.chain import head_statement
from shared.proof.keys import PublicKey, SigningKey


class SignedHead(NamedTuple):
    """At this version the log of the match has this hash; signed."""

    match_id: str
    version: int
    hash: bytes
    key_id: str
    signature: bytes

    def is_signed_by(self, key: PublicKey) -> bool:
        """Whether the signature is of this key and of this very statement."""
        statement = head_statement(self.match_id, self.version, self.hash)
        return key.id == self.key_id and key.has_signed(statement, self.signature)


def sign(key: SigningKey, match_id: str, version: int, head: bytes) -> SignedHead:
    """The same head gets the same signature, always: Ed25519 has no chance in it."""
    signature = key.sign(head_statement(match_id, version, head))
    return SignedHead(match_id, version, head, key.public.id, signature)


def to_row(head: SignedHead) -> dict[str, Any]:
    """For files: bytes as hexadecimal digits."""
    return {
        "match_id": head.match_id,
        "version": head.version,
        "hash": head.hash.hex(),
        "key_id": head.key_id,
        "signature": head.signature.hex(),
    }


def from_row(row: Mapping[str, Any]) -> SignedHead:
    """A signed head from a file; raises ValueError, LookupError or TypeError for anything else."""
    return SignedHead(
        _plain(row["match_id"]),
        _version(row["version"]),
        bytes.fromhex(row["hash"]),
        str(row["key_id"]),
        bytes.fromhex(row["signature"]),
    )


def _plain(value: object) -> str:
    text = str(value)
    if not text.isascii():
        raise ValueError("an id is plain ASCII")
    return text


def _version(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise ValueError("a version has 64 bits")
    return value
