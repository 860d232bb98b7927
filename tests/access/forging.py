"""Tokens made by hand, byte for byte: what a library would not write, somebody else may."""

import hashlib
import hmac
import json
import traceback
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.access.tokens import BadToken, Tokens
from shared.proof.keys import SigningKey
from tests.host.service import StillClock

# Stands for a claim or a header that is not there.
ABSENT: Any = ...


def segment(data: bytes) -> str:
    """A part of a token."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def written(fields: Mapping[str, Any]) -> bytes:
    """Claims or a header as JSON."""
    return json.dumps({name: value for name, value in fields.items() if value is not ABSENT}).encode()


def unsigned(header: Mapping[str, Any], payload: bytes) -> str:
    """What a signature is made of."""
    return f"{segment(written(header))}.{segment(payload)}"


def signed(header: Mapping[str, Any], payload: bytes, key: Ed25519PrivateKey | Ed448PrivateKey) -> str:
    """A token with the signature that it should have."""
    text = unsigned(header, payload)
    return f"{text}.{segment(key.sign(text.encode()))}"


def authenticated(header: Mapping[str, Any], payload: bytes, secret: bytes) -> str:
    """A token with a code (HS256) in place of a signature."""
    text = unsigned(header, payload)
    return f"{text}.{segment(hmac.digest(secret, text.encode(), hashlib.sha256))}"


OWN, PROVIDER, STRANGER = SigningKey.generate(), SigningKey.generate(), SigningKey.generate()
MATCH = "01AAAAAAAAAAAAAAAAAAAAAAAA"
SECOND = 1_000_000
NOW = StillClock().now // SECOND
HOUR = 3600

HEADER = {"typ": "JWT", "alg": "EdDSA", "kid": OWN.public.id}
PLAYER = {"iss": "meydan", "aud": "meydan", "sub": "anybody", "exp": NOW + HOUR, "scope": "player"}
SEAT = PLAYER | {"scope": "seat", "match": MATCH, "seat": 1, "join": "the-join"}
WATCHER = PLAYER | {"scope": "spectator", "match": MATCH}


def reader(clock: StillClock | None = None) -> Tokens:
    """What reads tokens of the platform and of a provider."""
    return Tokens(OWN, clock or StillClock(), {PROVIDER.public.id: PROVIDER.public})


def by_hand(claims: dict[str, Any], key: SigningKey = OWN, **header: Any) -> str:
    """A token of these claims."""
    return signed(HEADER | {"kid": key.public.id} | header, written(claims), key.key)


def refusal(token: str, tokens: Tokens | None = None) -> BadToken:
    """How a token is refused, which tells nothing of it."""
    with pytest.raises(BadToken) as caught:
        (tokens or reader()).read(token)
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert [part for part in token.split(".") if len(part) > 8 and part in shown] == []
    assert not any(value in shown for value in ("anybody", "the-join", MATCH))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return caught.value
