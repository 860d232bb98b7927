"""The whole platform, started once for all tests of the command line, and the command line in front of it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from services import keyring, registry
from services.cli.app import app
from services.cli.client import Client
from services.cli.tournament_client import TournamentClient
from services.launcher import Launcher
from shared.settings import Settings
from tests.cli.cups import Cup, play_cup
from tests.cli.programs import Meydan


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the platform."""
    return tmp_path_factory.mktemp("platform")


@pytest.fixture(scope="session")
def settings(folder: Path) -> Settings:
    """A platform of its own, at free ports."""
    return Settings(data_dir=folder, ports=dict.fromkeys(registry.SERVICES, 0), redis_url="", broker_url="")


@pytest.fixture(scope="session")
def platform(settings: Settings) -> Iterator[Launcher]:
    """Every process of the platform."""
    with Launcher(settings) as launcher:
        yield launcher


@pytest.fixture(scope="session")
def environment(platform: Launcher, folder: Path) -> dict[str, str]:
    """What tells the command line where services and keys are, and that nothing need be folded."""
    return {"MEYDAN_ADDRESSES": json.dumps(platform.addresses), "MEYDAN_DATA_DIR": str(folder), "COLUMNS": "160"}


@pytest.fixture(scope="session")
def program_environment(environment: dict[str, str]) -> dict[str, str]:
    """The same for a program of its own, without what is set here by chance."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEYDAN_")}
    return kept | environment


@pytest.fixture(scope="session")
def meydan(environment: dict[str, str]) -> Meydan:
    """Calls the command line; `typed` is what the user types."""

    def call(*words: str, typed: str = "") -> Result:
        return CliRunner(env=environment).invoke(app, list(words), input=typed)

    return call


@pytest.fixture(scope="session")
def client(platform: Launcher, settings: Settings) -> Iterator[Client]:
    """A client of Domino's service, to bring matches about: of somebody else than whoever types."""
    token = keyring.issue(keyring.token_key_file(settings), "somebody-else", keyring.DEVELOPMENT_SCOPES, hours=1)
    with Client(registry.load("domino"), platform.addresses["domino"], settings, token) as made:
        made.patience = 30.0
        yield made


@pytest.fixture(scope="session")
def finished(client: Client) -> str:
    """A match that computer players have played to its end."""
    match_id = client.create(("greedy", "random", "greedy")).match_id
    for _ in client.follow(match_id):
        pass
    return match_id


@pytest.fixture(scope="session")
def waiting(client: Client) -> str:
    """A match that waits for players."""
    return client.create(("open", "greedy")).match_id


@pytest.fixture(scope="session")
def keys(meydan: Meydan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published keys."""
    file = tmp_path_factory.mktemp("keys") / "keys.json"
    file.write_text(meydan("keys", "--json").stdout)
    return file


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Meydan:
    """The command line on a machine that has neither a platform nor its keys."""
    empty = {"MEYDAN_DATA_DIR": str(tmp_path_factory.mktemp("empty")), "MEYDAN_ADDRESSES": "{}", "COLUMNS": "160"}

    def call(*words: object) -> Result:
        return CliRunner(env=empty).invoke(app, list(map(str, words)))

    return call


@pytest.fixture(scope="session")
def tournaments(platform: Launcher, settings: Settings) -> Iterator[TournamentClient]:
    """A client of the tournament service, of whoever types."""
    with TournamentClient(platform.addresses["tournament"], settings, platform.development_token()) as made:
        made.patience = 30.0
        yield made


@pytest.fixture(scope="session")
def cup(meydan: Meydan) -> Cup:
    """A tournament of computer players that has been watched to its end."""
    return play_cup(meydan, "Cup")
