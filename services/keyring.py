"""The keys of a platform on this machine, and the tokens that are made with them."""

import getpass
from collections.abc import Iterable
from pathlib import Path

from shared.access.tokens import Claims, Scope, Tokens
from shared.clock import SystemClock
from shared.proof.keys import SigningKey
from shared.settings import Settings

DEVELOPMENT_HOURS = 24
# All that a person needs to try the platform.
DEVELOPMENT_SCOPES = (Scope.ORGANISER, Scope.PLAYER)
LONGEST_SUBJECT = 64
_HOUR = 3600


def signing_key_file(settings: Settings) -> Path:
    """Where the key is that signs logs and receipts: the configured one, or that of `make up`."""
    return settings.signing_key or key_file(settings.data_dir, "signing")


def token_key_file(settings: Settings) -> Path:
    """Where the key is that signs tokens: the configured one, or that of `make up`."""
    return settings.token_key or key_file(settings.data_dir, "tokens")


def key_file(folder: Path, name: str) -> Path:
    """Where a platform of this data folder has a key of its own."""
    return folder / "keys" / f"{name}.pem"


def make_missing(settings: Settings) -> None:
    """Gives a platform the keys that nobody has configured. They survive restarts, as tokens and signatures must."""
    for configured, name in ((settings.signing_key, "signing"), (settings.token_key, "tokens")):
        file = key_file(settings.data_dir, name)
        if configured is None and not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            SigningKey.generate().write(file)


def issue(key: Path, subject: str, scopes: Iterable[Scope], hours: int) -> str:
    """A token of somebody, good for so many hours."""
    tokens = Tokens(SigningKey.read(key), SystemClock())
    return tokens.issue(Claims(subject, frozenset(scopes), tokens.expiry(hours * _HOUR)))


def development_token(key: Path) -> str:
    """A token of whoever is logged in, to make matches and play."""
    subject = "".join(filter(is_visible, login_name()))[:LONGEST_SUBJECT]
    return issue(key, subject or "developer", DEVELOPMENT_SCOPES, DEVELOPMENT_HOURS)


def login_name() -> str:
    """Who uses this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "player"


def is_visible(text: str) -> bool:
    """Whether a text has nothing but visible ASCII characters, as the subject of a token must."""
    return all("!" <= letter <= "~" for letter in text)
