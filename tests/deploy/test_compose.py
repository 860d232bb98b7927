"""The containers run what is in this repository: docker-compose.yml, deploy/ and the code are compared."""

import fnmatch
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
import pytest
import redis
import yaml
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from deploy.health import SERVICE, is_serving
from services import registry
from services.workers.app import app
from shared.access.tokens import Tokens
from shared.clock import SystemClock
from shared.eventlog.embedded import server_program
from shared.proof.keys import SigningKey
from shared.settings import Settings

ROOT = Path(__file__).parents[2]
COMPOSE_TEXT = (ROOT / "docker-compose.yml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
# Instructions of one line each.
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
MOST_SECONDS = 120


def module_of(service: str) -> str:
    """The module that a container runs."""
    command = SERVICES[service]["command"]
    assert command[:2] == ["python", "-m"]
    return str(command[2])


def option_of(service: str, name: str) -> str:
    """The value of an option of a container's command."""
    [value] = [word.partition("=")[2] for word in SERVICES[service]["command"] if word.startswith(f"{name}=")]
    return str(value)


def environment(service: str, name: str) -> str:
    """A variable of a container."""
    return str(SERVICES[service]["environment"][name])


def arguments_of(instruction: str) -> list[list[str]]:
    """The arguments of all instructions of a kind in the Dockerfile."""
    return [shlex.split(line)[1:] for line in DOCKERFILE if line.startswith(f"{instruction} ")]


def copied_from_here() -> list[tuple[str, str]]:
    """Sources and destinations of what the image takes from the repository."""
    return [(words[0], words[1]) for words in arguments_of("COPY") if not words[0].startswith("--from=")]


@pytest.mark.parametrize("service", registry.SERVICES)
def test_every_service_has_a_container_that_runs_its_server(service: str) -> None:
    """Under its name, with its module."""
    assert module_of(service) == f"services.{service}.server"
    assert importlib.util.find_spec(module_of(service)) is not None


@pytest.mark.parametrize("service", registry.SERVICES)
def test_every_service_is_found_where_its_container_listens(service: str) -> None:
    """Address, port, published port and health check name the same port, and it listens for other containers."""
    port = json.loads(environment(service, "MEYDAN_PORTS"))[service]
    assert json.loads(environment("worker", "MEYDAN_ADDRESSES"))[service] == f"{service}:{port}"
    assert SERVICES[service]["ports"] == [f"127.0.0.1:{port}:{port}"]
    asked = ["meydan.tournament.v1.TournamentService"] if service == registry.TOURNAMENT else []
    check = ["CMD", "python", "-m", "deploy.health", f"127.0.0.1:{port}", *asked]
    assert SERVICES[service]["healthcheck"]["test"] == check
    assert environment(service, "MEYDAN_LISTEN") == "0.0.0.0"


@pytest.mark.parametrize("service", ["dispatcher", "worker"])
def test_the_modules_of_dispatcher_and_worker_exist(service: str) -> None:
    """A renamed module would only be noticed when the container starts."""
    assert importlib.util.find_spec(module_of(service)) is not None


def test_the_worker_runs_the_application_and_listens_to_every_queue() -> None:
    """Work in a queue that nobody listens to would wait for ever."""
    assert importlib.util.find_spec(option_of("worker", "--app")) is not None
    queues = {route["queue"] for route in app.conf.task_routes.values()}
    assert set(option_of("worker", "--queues").split(",")) == queues


def test_every_variable_is_a_setting() -> None:
    """A misspelt one would be ignored in silence."""
    used = set(re.findall(r"MEYDAN_\w+", COMPOSE_TEXT))
    assert used <= {f"MEYDAN_{name.upper()}" for name in Settings.model_fields}


def secrets_of(service: str) -> set[str]:
    """The paths of the secrets in a container."""
    return {f"/run/secrets/{name}" for name in SERVICES[service].get("secrets", ())}


@pytest.mark.parametrize("service", registry.SERVICES)
def test_every_service_has_both_keys(service: str) -> None:
    """It signs logs, and makes and reads tokens."""
    assert secrets_of(service) == {environment(service, "MEYDAN_SIGNING_KEY"), environment(service, "MEYDAN_TOKEN_KEY")}


def test_nobody_has_a_key_without_need() -> None:
    """Workers make tokens, but sign no log; nobody else needs any key."""
    assert secrets_of("worker") == {environment("worker", "MEYDAN_TOKEN_KEY")}
    others = set(SERVICES) - {*registry.SERVICES, "worker"}
    assert [name for name in others if secrets_of(name)] == []


def instructions() -> list[str]:
    """What the deployment's document says to type before the containers start, and the line that makes a token."""
    lines = [
        line.strip() for line in (ROOT / "deploy" / "README.md").read_text().splitlines() if line.startswith("    ")
    ]
    return [
        *lines[: lines.index("docker compose up --detach --wait")],
        *(line for line in lines if "meydan token" in line),
    ]


def test_the_instructions_make_the_keys_that_the_containers_want(tmp_path: Path) -> None:
    """Typed as printed: files that are readable keys, in a folder that nobody else may enter, and a token by one."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    ran = subprocess.run(
        ["sh", "-e", "-c", "\n".join(instructions())],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700
    files = {name: tmp_path / secret["file"] for name, secret in COMPOSE["secrets"].items()}
    assert [name for name, file in files.items() if file.stat().st_mode & 0o777 != 0o444] == []
    assert len({SigningKey.read(file).public.id for file in files.values()}) == len(files) == 2
    claims = Tokens(SigningKey.read(files["token-key"]), SystemClock()).read(ran.stdout.strip())
    assert claims.subject == "ada"


def test_keys_are_kept_out_of_git_and_of_the_image() -> None:
    """Where the instructions put them, neither looks."""
    assert {Path(secret["file"]).parent for secret in COMPOSE["secrets"].values()} == {Path("keys")}
    assert "/keys/" in (ROOT / ".gitignore").read_text().splitlines()
    assert "!keys" not in (ROOT / ".dockerignore").read_text()


def redis_service(variable: str) -> str:
    """The container that an address leads to; the same for all processes."""
    addresses = {environment(service, variable) for service in (*registry.SERVICES, "dispatcher", "worker")}
    [host] = {urlsplit(address).hostname for address in addresses}
    assert host is not None
    return host


def mounts(service: str) -> dict[str, str]:
    """What is mounted where in a container: sources by their targets."""
    pairs = (mount.split(":")[:2] for mount in SERVICES[service]["volumes"])
    return {target: source for source, target in pairs}


def configuration(service: str) -> Path:
    """The file that a Redis container is started with."""
    program, file = SERVICES[service]["command"]
    assert program == "redis-server"
    return ROOT / mounts(service)[file]


def test_the_log_is_on_a_volume_and_the_broker_is_another_server() -> None:
    """What counts outlives its container, and queue traffic does not wait for the disk."""
    log, broker = redis_service("MEYDAN_REDIS_URL"), redis_service("MEYDAN_BROKER_URL")
    assert {log, broker} <= set(SERVICES)
    assert log != broker
    assert mounts(log)["/data"] in COMPOSE["volumes"]


@contextmanager
def running(file: Path, folder: Path) -> Iterator[redis.Redis]:
    """A real server with a configuration file, on a socket in the folder."""
    socket = folder / "socket"
    command = [server_program(), str(file), "--port", "0", "--unixsocket", str(socket), "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            log = ""
            while "Ready to accept connections" not in log:
                line = process.stdout.readline()
                assert line, log
                log += line
            with redis.Redis(unix_socket_path=str(socket), decode_responses=True) as client:
                yield client
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        pytest.param("MEYDAN_REDIS_URL", {"appendonly": "yes", "appendfsync": "always"}, id="log"),
        pytest.param("MEYDAN_BROKER_URL", {"appendonly": "no"}, id="broker"),
    ],
)
def test_a_server_takes_the_configuration(variable: str, expected: dict[str, str], tmp_path: Path) -> None:
    """The log syncs every write, the broker none; neither makes snapshots or forgets anything."""
    expected = {**expected, "maxmemory-policy": "noeviction", "save": ""}
    with running(configuration(redis_service(variable)), tmp_path) as client:
        answer: Any = client.config_get(*expected)
        assert answer == expected


def test_the_host_offers_nothing_outside_itself() -> None:
    """Every published port is bound to loopback, and no container shares the host's network."""
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []
    assert [name for name, service in SERVICES.items() if "network_mode" in service] == []
    assert not SERVICES[redis_service("MEYDAN_REDIS_URL")].get("ports")


def test_what_a_container_waits_for_has_a_health_check() -> None:
    """Otherwise it would wait for ever."""
    waited_for = {
        name
        for service in SERVICES.values()
        for name, how in service.get("depends_on", {}).items()
        if how["condition"] == "service_healthy"
    }
    assert waited_for
    assert [name for name in waited_for if "test" not in SERVICES[name]["healthcheck"]] == []


def test_what_the_image_copies_exists_and_is_sent_to_the_build() -> None:
    """.dockerignore keeps everything out that it does not name."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    for source, _ in copied_from_here():
        assert (ROOT / source).exists()
        assert f"!{source}" in lines
        assert not any(fnmatch.fnmatch(source, line) for line in lines if line not in ("*", "") and line[0] not in "!#")


def test_the_image_is_pinned_and_does_not_run_as_root() -> None:
    """Base images by a tag with a version, packages by hash, and a user of its own."""
    assert all(re.fullmatch(r"python:3\.\d+-slim", words[0]) for words in arguments_of("FROM"))
    assert any("--require-hashes" in words for words in arguments_of("RUN"))
    assert arguments_of("USER")[-1] == ["10001:10001"]


def build_image(folder: Path) -> None:
    """What the image has in its folder: copied files and compiled protos."""
    for source, destination in copied_from_here():
        target = folder / destination / (Path(source).name if destination.endswith("/") else "")
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, target)
    [compile_protos] = [line.removeprefix("RUN ") for line in DOCKERFILE if "grpc_tools" in line]
    here = compile_protos.replace("/opt/venv/bin/python", sys.executable)
    subprocess.run(["sh", "-e", "-c", here], cwd=folder, check=True)


def imported(modules: list[str], folder: Path) -> list[tuple[str, Path]]:
    """Everything that is imported with these modules by a Python that looks into the folder first, and from where."""
    files = "{name: module.__file__ for name, module in sys.modules.items() if getattr(module, '__file__', None)}"
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys, json, {', '.join(modules)}; print(json.dumps({files}))"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(folder), str(folder / "build" / "gen")))},
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return [(name, Path(file)) for name, file in json.loads(ran.stdout).items()]


def test_the_image_holds_all_that_its_processes_import(tmp_path: Path) -> None:
    """Of our own packages, every module comes from what is copied or compiled into the image."""
    build_image(tmp_path)
    modules = [*map(module_of, (*registry.SERVICES, "dispatcher")), "services.workers.tasks", "deploy.health"]
    packages = ("deploy", "meydan", "services", "shared")
    ours = [(name, file) for name, file in imported(modules, tmp_path) if name.partition(".")[0] in packages]
    assert set(modules) <= {name for name, _ in ours}
    assert [name for name, file in ours if not file.is_relative_to(tmp_path)] == []


def test_compose_accepts_the_file() -> None:
    """As `docker compose config` sees it, which needs no engine."""
    if shutil.which("docker") is None:
        pytest.skip("not installed: the docker command line")
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode != 0:
        pytest.skip("not installed: the compose plugin of the docker command line")
    command = ["docker", "compose", "--file", str(ROOT / "docker-compose.yml"), "config", "--quiet"]
    accepted = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    assert accepted.returncode == 0, accepted.stderr


@pytest.fixture
def health_server() -> Iterator[tuple[str, health.HealthServicer]]:
    """The address of a server that has nothing but health."""
    servicer = health.HealthServicer()
    server = grpc.server(futures.ThreadPoolExecutor(1))
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}", servicer
    server.stop(None)


def test_the_health_check_tells_a_service_that_serves_from_one_that_does_not(
    health_server: tuple[str, health.HealthServicer],
) -> None:
    """Before its first look at the log and without the log it is not well, with the log it is."""
    address, servicer = health_server
    assert not is_serving(address, Settings())
    servicer.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
    assert is_serving(address, Settings())
    servicer.set(SERVICE, health_pb2.HealthCheckResponse.NOT_SERVING)
    assert not is_serving(address, Settings())


def test_the_health_check_fails_where_nobody_listens(health_server: tuple[str, health.HealthServicer]) -> None:
    """As a program too: it ends with 1."""
    address, _ = health_server
    nowhere = f"127.0.0.2:{address.rpartition(':')[2]}"
    ran = subprocess.run([sys.executable, "-m", "deploy.health", nowhere], cwd=ROOT, timeout=MOST_SECONDS, check=False)
    assert ran.returncode == 1
