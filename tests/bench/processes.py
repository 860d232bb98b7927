"""The processes that benchmarks run against, on loopback only; whatever was started is stopped."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from services import keyring
from shared.eventlog.embedded import EmbeddedServer
from shared.settings import Settings

_START_SECONDS = 30.0
_STOP_SECONDS = 15.0
_MOST_MATCHES = 1_000_000

Metadata: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Server:
    """A gRPC server in a process of its own, on a Redis of its own."""

    address: str
    redis_url: str
    pid: int
    # With the token of an organiser who is a player too.
    metadata: Metadata


def metadata_of(settings: Settings) -> Metadata:
    """Of the calls of a platform's organiser and player."""
    token = keyring.development_token(keyring.token_key_file(settings))
    return (("authorization", f"Bearer {token}"),)


@contextmanager
def data_folder() -> Iterator[Path]:
    """A folder on the disk that the project is on: where a temporary folder lies in memory, fsync costs nothing."""
    build = Path("build").resolve()
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=build) as name:
        yield Path(name)


@contextmanager
def domino_service() -> Iterator[Server]:
    """The real service on a log that is synced at every write. One organiser makes all matches."""
    ours = {"MEYDAN_PORTS": '{"domino": 0}', "MEYDAN_OPEN_MATCHES": str(_MOST_MATCHES)}
    with _on_durable_redis("services.domino.server", **ours) as server:
        yield server


@contextmanager
def bare_ceiling(**environment: str) -> Iterator[Server]:
    """The bare ceiling, on a Redis of the same kind."""
    with _on_durable_redis("tests.bench.bare_server", **environment) as server:
        yield server


@contextmanager
def _on_durable_redis(module: str, **environment: str) -> Iterator[Server]:
    with ExitStack() as stack:
        folder = stack.enter_context(data_folder())
        redis = stack.enter_context(EmbeddedServer(folder / "log", is_durable=True))
        ready = folder / "address"
        keys = Settings(data_dir=folder, signing_key=None, token_key=None)
        keyring.make_missing(keys)
        mine = {
            "MEYDAN_REDIS_URL": redis.url,
            "MEYDAN_READY_FILE": str(ready),
            "MEYDAN_SIGNING_KEY": str(keyring.signing_key_file(keys)),
            "MEYDAN_TOKEN_KEY": str(keyring.token_key_file(keys)),
        }
        process = stack.enter_context(running([module], folder / "output.log", mine | environment))
        address = _wait_for(ready, process, folder / "output.log")
        yield Server(address, redis.url, process.pid, metadata_of(keys))


@contextmanager
def running(module: list[str], output: Path, environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """`python -m` something, until the block ends."""
    with output.open("ab") as file:
        # A session of its own: Ctrl-C reaches the benchmark, which then stops the others in order.
        process = subprocess.Popen(
            [sys.executable, "-m", *module],
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_for(ready: Path, process: "subprocess.Popen[bytes]", output: Path) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while not (ready.exists() and ready.read_text()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"A server did not start:\n{output.read_text()}")
        time.sleep(0.02)
    return ready.read_text()


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    """The memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
