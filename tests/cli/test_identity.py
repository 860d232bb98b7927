"""Whose token the command line calls with, and `meydan token`."""

import getpass
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from services import keyring
from services.cli.app import app
from services.cli.client import Client
from shared.access.tokens import Scope, Tokens
from shared.clock import SystemClock
from shared.proof.keys import SigningKey
from shared.settings import Settings
from tests.cli.programs import Meydan


@pytest.fixture
def nowhere(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """An environment whose data folder is empty."""
    return environment | {"MEYDAN_DATA_DIR": str(tmp_path)}


def call(environment: dict[str, str], *words: str) -> Result:
    """The command line in an environment of its own."""
    return CliRunner(env=environment).invoke(app, list(words))


def reader(settings: Settings) -> Tokens:
    """What the platform reads tokens with."""
    return Tokens(SigningKey.read(keyring.token_key_file(settings)), SystemClock())


def test_a_development_token_is_made_where_the_key_is(
    meydan: Meydan, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its subject is the login name, as far as a subject can have it."""
    monkeypatch.setattr(getpass, "getuser", lambda: "Zoë Baker")
    match_id = meydan("create", "domino", "--json").stdout.split('"')[3]
    assert client.look(match_id).match.organiser_id == "ZoBaker"


def test_the_configured_token_comes_first(environment: dict[str, str], settings: Settings, client: Client) -> None:
    """Whoever has a token needs no key."""
    token = keyring.issue(keyring.token_key_file(settings), "ada", (Scope.ORGANISER,), hours=1)
    made = call(environment | {"MEYDAN_TOKEN": f" {token}\n"}, "create", "domino", "--json")
    assert client.look(made.stdout.split('"')[3]).match.organiser_id == "ada"


@pytest.mark.parametrize("words", ["create domino", "play domino", "watch 01ARZ3NDEKTSV4RRFFQ69G5FAV"])
def test_without_a_token_the_way_to_one_is_told(nowhere: dict[str, str], words: str) -> None:
    """Exit code 2, and nothing was asked of anybody."""
    refused = call(nowhere, *words.split())
    assert refused.exit_code == 2
    assert refused.stderr.startswith("This needs a token: set MEYDAN_TOKEN to one that `meydan token` has made")
    assert "`make up`" in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("words", ["games", "keys"])
def test_what_everybody_may_know_needs_no_token(nowhere: dict[str, str], words: str) -> None:
    """Neither the games nor the published keys are a secret."""
    assert call(nowhere, words).exit_code == 0


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        ("two words", "MEYDAN_TOKEN is not a token: a token has no spaces, and only ASCII characters."),
        ("nonsense", "The token is not valid."),
    ],
)
def test_a_token_that_is_none_is_told_in_one_sentence(environment: dict[str, str], token: str, sentence: str) -> None:
    """Exit code 2."""
    refused = call(environment | {"MEYDAN_TOKEN": token}, "create", "domino")
    assert (refused.exit_code, refused.stderr) == (2, f"{sentence}\n")


def test_a_token_of_another_scope_is_told_in_one_sentence(environment: dict[str, str], settings: Settings) -> None:
    """A watcher can't make matches."""
    token = keyring.issue(keyring.token_key_file(settings), "ada", (Scope.PUBLIC,), hours=1)
    refused = call(environment | {"MEYDAN_TOKEN": token}, "create", "domino")
    assert (refused.exit_code, refused.stderr) == (2, "This call needs the token of an organiser.\n")


def test_token_prints_a_token_for_scripts(meydan: Meydan, settings: Settings) -> None:
    """Standard output has the token alone; what it is, is on standard error."""
    printed = meydan("token", "player", "public", "--subject", "ada", "--hours", "2")
    claims = reader(settings).read(printed.stdout.strip())
    assert (claims.subject, claims.scopes) == ("ada", frozenset({Scope.PLAYER, Scope.PUBLIC}))
    left = claims.expires_micros - SystemClock().now_micros()
    assert left == pytest.approx(2 * 3600e6, abs=60e6)
    assert "takes seats and watches public matches, for 2 hours" in printed.stderr


def test_token_uses_the_configured_key(nowhere: dict[str, str], tmp_path: Path) -> None:
    """A platform whose key is elsewhere is named by MEYDAN_TOKEN_KEY."""
    file = tmp_path / "key.pem"
    SigningKey.generate().write(file)
    printed = call(nowhere | {"MEYDAN_TOKEN_KEY": str(file)}, "token", "organiser", "--subject", "ada")
    assert Tokens(SigningKey.read(file), SystemClock()).read(printed.stdout.strip()).subject == "ada"


def test_token_without_a_key_is_told_in_one_sentence(nowhere: dict[str, str], tmp_path: Path) -> None:
    """Exit code 2: a key that is missing, and a file that is none."""
    missing = call(nowhere, "token", "player")
    assert missing.exit_code == 2
    assert "MEYDAN_TOKEN_KEY" in missing.stderr
    (tmp_path / "key.pem").write_text("secret words")
    broken = call(nowhere | {"MEYDAN_TOKEN_KEY": str(tmp_path / "key.pem")}, "token", "player")
    assert broken.exit_code == 2
    assert "is not a readable private key" in broken.stderr
    assert "secret words" not in broken.output
