"""TLS by configuration: who gets a connection, who does not, and what is said of settings that can't work."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from typer.testing import CliRunner

from deploy.health import is_serving
from meydan.match.v1 import match_service_pb2, match_service_pb2_grpc
from services import keyring, registry
from services.cli.app import app
from services.launcher import Launcher, StartFailed
from shared import tls
from shared.settings import Settings
from tests.e2e.certificates import Authority, Pair
from tests.e2e.seats import PATIENCE, Table

# A handshake that fails is over at once; a connection that is tried again would take longer.
CALL_SECONDS = 5.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all certificates are."""
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def authority(folder: Path) -> Authority:
    """Whom everybody here trusts."""
    return Authority(folder, "authority")


@pytest.fixture(scope="module")
def stranger(folder: Path) -> Authority:
    """Another, whom nobody here trusts."""
    return Authority(folder, "stranger")


@pytest.fixture(scope="module")
def server(authority: Authority) -> Pair:
    """The certificate of the services."""
    return authority.server("server")


@pytest.fixture(scope="module")
def worker(authority: Authority) -> Pair:
    """The certificate of the workers, and of the command line."""
    return authority.client("worker")


def own_platform(folder: Path, **tls_settings: Any) -> Settings:
    """A platform at a free port."""
    ports = dict.fromkeys(registry.SERVICES, 0)
    return Settings(data_dir=folder, ports=ports, redis_url="", broker_url="", **tls_settings)


@pytest.fixture(scope="module")
def platform(
    authority: Authority, server: Pair, worker: Pair, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Launcher]:
    """A platform whose services want certificates of their clients."""
    settings = own_platform(
        tmp_path_factory.mktemp("platform"),
        tls_certificate=server.certificate,
        tls_key=server.key,
        tls_client_ca=authority.file,
        tls_ca=authority.file,
        tls_client_certificate=worker.certificate,
        tls_client_key=worker.key,
    )
    with Launcher(settings) as launcher:
        yield launcher


def connecting(**tls_settings: Any) -> Settings:
    """What a client connects with."""
    return Settings(**tls_settings)


def as_worker(authority: Authority, worker: Pair) -> Settings:
    """What a client connects with that has a certificate."""
    return connecting(tls_ca=authority.file, tls_client_certificate=worker.certificate, tls_client_key=worker.key)


def answer(address: str, settings: Settings) -> str:
    """The game that a service says it plays, or the code of the failure."""
    with tls.channel(address, settings) as channel:
        stub = match_service_pb2_grpc.MatchServiceStub(channel)
        try:
            return stub.DescribeGame(match_service_pb2.DescribeGameRequest(), timeout=CALL_SECONDS).game
        except grpc.RpcError as error:
            return str(error.code().name)


def is_checked_as_well(address: str, settings: Settings) -> bool:
    """Whether the check of a container finds the service well, as soon as it has looked at its log."""
    deadline = time.monotonic() + PATIENCE
    while not is_serving(address, settings):
        if time.monotonic() > deadline:
            return False
    return True


def test_a_service_with_a_certificate_answers_who_trusts_it_and_refuses_plaintext(
    authority: Authority, stranger: Authority, server: Pair, tmp_path: Path
) -> None:
    """By number and by name; neither who trusts somebody else nor who speaks without TLS gets an answer."""
    settings = own_platform(tmp_path, tls_certificate=server.certificate, tls_key=server.key, tls_ca=authority.file)
    with Launcher(settings) as launcher:
        address = launcher.addresses["domino"]
        by_name = address.replace("127.0.0.1", "localhost")
        assert [answer(at, connecting(tls_ca=authority.file)) for at in (address, by_name)] == ["domino", "domino"]
        assert answer(address, connecting()) == "UNAVAILABLE"
        assert answer(address, connecting(tls_ca=stranger.file)) == "UNAVAILABLE"
        assert is_checked_as_well(address, connecting(tls_ca=authority.file))
        assert not is_serving(address, connecting())


def test_where_certificates_of_clients_are_wanted_only_those_connect(
    platform: Launcher, authority: Authority, stranger: Authority, worker: Pair
) -> None:
    """One of the right authority opens the door; none, or a stranger's, does not."""
    address, foreign = platform.addresses["domino"], stranger.client("foreigner")
    assert answer(address, as_worker(authority, worker)) == "domino"
    assert answer(address, connecting(tls_ca=authority.file)) == "UNAVAILABLE"
    assert answer(address, as_worker(authority, foreign)) == "UNAVAILABLE"


def test_computer_players_play_over_tls(platform: Launcher, authority: Authority, worker: Pair) -> None:
    """The workers show their certificate too: a match of computer players comes to its end."""
    settings = as_worker(authority, worker)
    table = Table([platform.addresses["domino"]], platform.development_token(), lambda at: tls.channel(at, settings))
    match_id = table.create("greedy", "random")
    table.wait_for_the_end(match_id)
    assert len(table.summary(match_id).places) > 0


def test_the_command_line_calls_over_tls(platform: Launcher, authority: Authority, worker: Pair) -> None:
    """With the same settings as the workers; without them it gets no answer."""
    address = platform.addresses["domino"]
    secure = {
        "MEYDAN_TLS_CA": str(authority.file),
        "MEYDAN_TLS_CLIENT_CERTIFICATE": str(worker.certificate),
        "MEYDAN_TLS_CLIENT_KEY": str(worker.key),
    }
    token = {"MEYDAN_TOKEN": platform.development_token()}
    words = ["create", "domino", "--address", address, "--json"]
    assert CliRunner(env=token | secure).invoke(app, words).exit_code == 0
    refused = CliRunner(env=token).invoke(app, words)
    assert refused.exit_code == 1
    assert "does not answer" in refused.stderr


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"CERTIFICATE": "server.pem"}, "MEYDAN_TLS_CERTIFICATE and MEYDAN_TLS_KEY are needed together."),
        ({"KEY": "server-key.pem"}, "MEYDAN_TLS_CERTIFICATE and MEYDAN_TLS_KEY are needed together."),
        ({"CLIENT_CA": "authority.pem"}, "MEYDAN_TLS_CLIENT_CA needs MEYDAN_TLS_CERTIFICATE and MEYDAN_TLS_KEY."),
        ({"CERTIFICATE": "missing.pem", "KEY": "server-key.pem"}, "missing.pem can't be read: No such file"),
        ({"CERTIFICATE": "server.pem", "KEY": "worker-key.pem"}, "worker-key.pem are not a certificate and its key."),
        ({"CERTIFICATE": "server-key.pem", "KEY": "server-key.pem"}, "are not a certificate and its key."),
        (
            {"CERTIFICATE": "server.pem", "KEY": "server-key.pem", "CLIENT_CA": "server-key.pem"},
            "server-key.pem has no certificate in it.",
        ),
    ],
)
@pytest.mark.usefixtures("server", "worker")
def test_a_service_says_in_one_sentence_what_can_not_work(
    folder: Path, files: dict[str, str], sentence: str, tmp_path: Path
) -> None:
    """It does not start."""
    keyring.make_missing(Settings(data_dir=tmp_path))
    environment = (
        os.environ
        | variables(folder, files)
        | {
            "MEYDAN_REDIS_URL": "redis://127.0.0.1:1/0",
            "MEYDAN_SIGNING_KEY": str(keyring.key_file(tmp_path, "signing")),
            "MEYDAN_TOKEN_KEY": str(keyring.key_file(tmp_path, "tokens")),
        }
    )
    command = [sys.executable, "-m", "services.domino.server"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert sentence in ran.stderr


def variables(folder: Path, files: dict[str, str]) -> dict[str, str]:
    """Settings of TLS, as files of the folder."""
    return {f"MEYDAN_TLS_{name}": str(folder / file) for name, file in files.items()}


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"CA": "missing.pem"}, "missing.pem can't be read: No such file or directory."),
        ({"CA": "server-key.pem"}, "server-key.pem has no certificate in it."),
        (
            {"CA": "authority.pem", "CLIENT_CERTIFICATE": "worker.pem"},
            "MEYDAN_TLS_CLIENT_CERTIFICATE and MEYDAN_TLS_CLIENT_KEY are needed together.",
        ),
        (
            {"CLIENT_CERTIFICATE": "worker.pem", "CLIENT_KEY": "worker-key.pem"},
            "MEYDAN_TLS_CLIENT_CERTIFICATE needs MEYDAN_TLS_CA.",
        ),
    ],
)
@pytest.mark.usefixtures("server", "worker", "authority")
def test_the_command_line_says_in_one_sentence_what_can_not_work(
    folder: Path, files: dict[str, str], sentence: str
) -> None:
    """It calls nobody: a token would go out where somebody else may read it."""
    refused = CliRunner(env=variables(folder, files)).invoke(app, ["keys"])
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert sentence in refused.stderr


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("tls_certificate", "tls_key"), "With MEYDAN_TLS_CERTIFICATE, workers need MEYDAN_TLS_CA."),
        (
            ("tls_certificate", "tls_key", "tls_ca", "tls_client_ca"),
            "With MEYDAN_TLS_CLIENT_CA, workers need MEYDAN_TLS_CLIENT_CERTIFICATE.",
        ),
        (("tls_key",), "MEYDAN_TLS_CERTIFICATE and MEYDAN_TLS_KEY are needed together."),
    ],
)
def test_a_platform_does_not_start_whose_workers_could_not_call(
    authority: Authority, server: Pair, tmp_path: Path, names: tuple[str, ...], sentence: str
) -> None:
    """Computer players would never move, and nobody would know why."""
    files = {
        "tls_certificate": server.certificate,
        "tls_key": server.key,
        "tls_ca": authority.file,
        "tls_client_ca": authority.file,
    }
    with pytest.raises(StartFailed, match=re.escape(sentence)):
        Launcher(own_platform(tmp_path, **{name: files[name] for name in names})).start()
