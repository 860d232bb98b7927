"""Ed25519 keys: what the platform signs with, and what anybody checks it by."""

from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from shared.proof.chain import sha256

_ID_DIGITS = 16
_KEY_SIZE = 32


class BadKey(ValueError):
    """A file or bytes that are no key of ours."""


class PublicKey:
    """A key that signatures are checked by."""

    __slots__ = ("data", "id", "key")

    def __init__(self, data: bytes) -> None:
        if len(data) != _KEY_SIZE:
            raise BadKey(f"A public key has {_KEY_SIZE} bytes, not {len(data)}.")
        self.data = data
        self.id = sha256(data).hex()[:_ID_DIGITS]
        self.key = Ed25519PublicKey.from_public_bytes(data)

    def has_signed(self, statement: bytes, signature: bytes) -> bool:
        """Whether the signature is of this key and of this statement."""
        try:
            self.key.verify(signature, statement)
        except InvalidSignature:
            return False
        return True


class SigningKey:
    """A private key. It never leaves the process, and has no text form but its file."""

    __slots__ = ("key", "public", "sign")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self.key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())
        self.sign = key.sign

    @classmethod
    def generate(cls) -> "SigningKey":
        """A new key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, file: Path) -> "SigningKey":
        """The key in a PEM file, as `openssl genpkey -algorithm ed25519` makes it."""
        try:
            key = load_pem_private_key(file.read_bytes(), password=None)
        except (OSError, TypeError, ValueError):
            # Without the cause: its text might show what the file holds.
            raise BadKey(f"{file} is not a readable private key in PEM form.") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise BadKey(f"{file} holds a key of another kind than Ed25519.")
        return cls(key)

    def write(self, file: Path) -> None:
        """Into a file that only its owner may read."""
        file.touch(mode=0o600)
        file.write_bytes(self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
