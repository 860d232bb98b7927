"""Key sets: whose tokens are read beside the platform's own."""

import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shared.access.tokens import Tokens, read_key_set
from shared.proof.keys import BadKey, SigningKey
from tests.access.forging import ABSENT, OWN, PLAYER, PROVIDER, SEAT, STRANGER, by_hand, refusal, segment
from tests.host.service import StillClock


def jwk(key: SigningKey, **change: Any) -> dict[str, Any]:
    """A public key as a provider publishes it."""
    row = {"kty": "OKP", "crv": "Ed25519", "x": segment(key.public.data), "kid": key.public.id} | change
    return {name: value for name, value in row.items() if value is not ABSENT}


KeySet = Callable[[Any], Path]


@pytest.fixture
def key_set(tmp_path: Path) -> KeySet:
    """A key set in a file."""

    def write(content: Any) -> Path:
        file = tmp_path / "keys.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    return write


def test_keys_of_a_set_are_trusted_by_their_ids(key_set: KeySet) -> None:
    """Whatever the provider calls them; keys of other kinds are passed over."""
    rows = [
        jwk(PROVIDER, kid="2026-01"),
        {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "rsa"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "ec"},
        {"kty": "OKP", "crv": "Ed448", "x": segment(b"x" * 57), "kid": "ed448"},
        {"kty": "OKP", "crv": "X25519", "x": segment(b"x" * 32), "kid": "x25519"},
    ]
    others = read_key_set(key_set({"keys": rows}))
    assert list(others) == ["2026-01"]
    tokens = Tokens(OWN, StillClock(), others)
    assert tokens.read(by_hand(PLAYER, PROVIDER, kid="2026-01")).subject == "anybody"
    assert refusal(by_hand(PLAYER, PROVIDER), tokens).reason == "BAD_TOKEN"


def test_a_key_set_can_not_take_the_place_of_the_platforms_key(key_set: KeySet) -> None:
    """A row under the id of our own key changes nothing, neither of whose tokens are read nor of who gives seats."""
    others = read_key_set(key_set({"keys": [jwk(PROVIDER, kid=OWN.public.id)]}))
    tokens = Tokens(OWN, StillClock(), others)
    assert tokens.read(by_hand(SEAT)).seat == 1
    assert refusal(by_hand(SEAT, PROVIDER, kid=OWN.public.id), tokens).reason == "BAD_TOKEN"


def test_an_empty_set_trusts_nobody_else(key_set: KeySet) -> None:
    """It is a set all the same."""
    assert read_key_set(key_set({"keys": []})) == {}


PRIVATE = segment(STRANGER.key.private_bytes_raw())


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="nothing"),
        pytest.param("{", id="no JSON"),
        pytest.param([], id="a list"),
        pytest.param({}, id="no keys"),
        pytest.param({"keys": None}, id="keys that are none"),
        pytest.param({"keys": ["Ed25519"]}, id="a row that is no object"),
        pytest.param({"keys": [jwk(PROVIDER, kid=ABSENT)]}, id="no id"),
        pytest.param({"keys": [jwk(PROVIDER, kid=[1])]}, id="an id that is no text"),
        pytest.param({"keys": [jwk(PROVIDER, kid=7)]}, id="an id that is a number"),
        pytest.param({"keys": [jwk(PROVIDER, x=ABSENT)]}, id="no key"),
        pytest.param({"keys": [jwk(PROVIDER, x="AA")]}, id="a short key"),
        pytest.param({"keys": [jwk(PROVIDER, x="é")]}, id="a key that is no base64"),
        pytest.param({"keys": [jwk(PROVIDER, kty="RSA")]}, id="a key of two kinds"),
        pytest.param({"keys": [jwk(STRANGER, d=PRIVATE)]}, id="a private key"),
        pytest.param({"keys": [jwk(PROVIDER), jwk(OWN, x="AA")]}, id="one good and one bad"),
    ],
)
def test_a_broken_key_set_is_refused_as_a_whole(key_set: KeySet, content: Any) -> None:
    """With the name of the file, and nothing of what is in it."""
    file = key_set(content)
    with pytest.raises(BadKey) as caught:
        read_key_set(file)
    shown = "".join(traceback.format_exception(caught.value))
    assert str(file) in shown
    assert PRIVATE not in shown
    assert "AA" not in shown.replace(str(file), "")


def test_a_key_set_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """As one that can't be read."""
    with pytest.raises(BadKey):
        read_key_set(tmp_path / "nowhere.json")
