"""What a service needs before it starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from services.domino.game import GAME
from shared.host.server import serve
from shared.proof.keys import SigningKey
from shared.settings import Settings

REDIS = "redis://127.0.0.1:1"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with a good key, and with some that are none."""
    SigningKey.generate().write(tmp_path / "good.pem")
    (tmp_path / "text.pem").write_text("a secret that is no key")
    other = X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "other.pem").write_bytes(other)
    (tmp_path / "keys.json").write_text('{"keys": [{"crv": "Ed25519"}]}')
    return tmp_path


@pytest.mark.parametrize(
    ("redis_url", "signing", "token", "others", "message"),
    [
        pytest.param("", "good.pem", "good.pem", None, "needs MEYDAN_REDIS_URL", id="no address of Redis"),
        pytest.param(REDIS, None, "good.pem", None, "MEYDAN_SIGNING_KEY", id="no key to sign logs with"),
        pytest.param(REDIS, "good.pem", None, None, "MEYDAN_TOKEN_KEY", id="no key to sign tokens with"),
        pytest.param("nonsense", "good.pem", "good.pem", None, "MEYDAN_REDIS_URL is not", id="an address that is none"),
        pytest.param(REDIS, "missing.pem", "good.pem", None, "missing.pem is not", id="a key that is not there"),
        pytest.param(REDIS, "good.pem", "text.pem", None, "text.pem is not a readable", id="a key that is none"),
        pytest.param(REDIS, "other.pem", "good.pem", None, "another kind than Ed25519", id="a key of another kind"),
        pytest.param(REDIS, "good.pem", "good.pem", "text.pem", "not a set of public keys", id="keys that are none"),
        pytest.param(REDIS, "good.pem", "good.pem", "keys.json", "not a set of public keys", id="an empty key"),
    ],
)
def test_a_service_without_what_it_needs_says_so_and_ends(
    keys: Path, redis_url: str, signing: str | None, token: str | None, others: str | None, message: str
) -> None:
    """One sentence, before it listens anywhere; nothing of what is in a file."""
    files = [None if name is None else keys / name for name in (signing, token, others)]
    settings = Settings(redis_url=redis_url, signing_key=files[0], token_key=files[1], token_keys=files[2])
    with pytest.raises(SystemExit, match=message) as ended:
        serve(GAME, settings, 0)
    assert "a secret that is no key" not in str(ended.value)


def test_a_worker_without_its_key_says_so_and_ends() -> None:
    """Before it takes any work."""
    command = [sys.executable, "-m", "celery", "-A", "services.workers.app", "worker", "--loglevel", "error"]
    ended = subprocess.run(
        command, env=os.environ | {"MEYDAN_BROKER_URL": REDIS}, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode != 0
    assert "A worker needs MEYDAN_TOKEN_KEY" in ended.stderr
