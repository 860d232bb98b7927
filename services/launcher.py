"""Starts the whole platform on this machine, and stops it again: servers, services, dispatcher, workers."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from services import keyring, registry
from services.workers.app import QUEUES
from shared import tls
from shared.eventlog.embedded import EmbeddedServer
from shared.settings import Settings

_START_SECONDS = 30.0
_STOP_SECONDS = 15.0


class StartFailed(RuntimeError):
    """A process of the platform did not come up."""


class Launcher:
    """The processes of one platform. Each writes its log to a file of its own in the data folder."""

    def __init__(self, settings: Settings, services: tuple[str, ...] = registry.SERVICES) -> None:
        self._settings = settings
        self._services = services
        self._folder = settings.data_dir.resolve()
        self._ports = dict(settings.ports)
        self.servers: dict[str, EmbeddedServer] = {}
        self.redis_url = settings.redis_url
        self.broker_url = settings.broker_url
        self.addresses: dict[str, str] = {}
        self.metrics_ports: dict[str, int] = {}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Everything, in the order in which one needs the other."""
        (self._folder / "logs").mkdir(parents=True, exist_ok=True)
        keyring.make_missing(self._settings)
        _check_tls(self._settings)
        try:
            self._start_servers()
            for name in self._services:
                self.start_service(name)
            self.start_dispatcher()
            self.start_worker()
        except BaseException:
            self.stop()
            raise

    def _start_servers(self) -> None:
        """Two: the log's syncs every write to disk, which the broker's traffic must not pay for."""
        self.redis_url = self.redis_url or self._start_server("log", is_durable=True)
        self.broker_url = self.broker_url or self._start_server("broker", is_durable=False)

    def _start_server(self, name: str, *, is_durable: bool) -> str:
        server = EmbeddedServer(self._folder / name, is_durable)
        self.servers[name] = server
        server.start()
        return server.url

    def start_service(self, service: str) -> None:
        """One service; started again, it comes back at the same address."""
        self.addresses[service] = self.start_instance(service, service, self._ports)
        self._ports[service] = int(self.addresses[service].rpartition(":")[2])

    def start_instance(self, service: str, name: str, ports: dict[str, int]) -> str:
        """A process of a service: any number of them may serve the same logs. Answers its address."""
        ready = self._folder / f"{name}.address"
        ready.unlink(missing_ok=True)
        more = {"MEYDAN_READY_FILE": str(ready), "MEYDAN_PORTS": json.dumps(ports)}
        process = self._spawn(name, [f"services.{service}.server"], more)
        deadline = time.monotonic() + _START_SECONDS
        while not (ready.exists() and ready.read_text()):
            if process.poll() is not None or time.monotonic() > deadline:
                raise StartFailed(f"The service of {service} did not start; see {self.log_file(name)}.")
            time.sleep(0.02)
        return ready.read_text()

    def start_dispatcher(self) -> None:
        """From the outboxes to the broker."""
        self._spawn("dispatcher", ["services.workers.dispatcher"], {})

    def start_worker(self) -> None:
        """Celery."""
        options = ["--queues", QUEUES, "--concurrency", str(self._settings.worker_processes), "--loglevel", "warning"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        self._spawn("worker", ["celery", "-A", "services.workers.app", "worker", *options, *quiet], {})

    def _spawn(self, name: str, module: list[str], more: dict[str, str]) -> "subprocess.Popen[bytes]":
        with self.log_file(name).open("ab") as output:
            # A session of its own: Ctrl-C reaches this process, which then stops the others in order.
            process = subprocess.Popen(  # noqa: S603 - our own modules
                [sys.executable, "-m", *module],
                env=self._environment() | self._sight(name) | more,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.processes[name] = process
        return process

    def _environment(self) -> dict[str, str]:
        return _inherited(self._settings) | {
            "MEYDAN_REDIS_URL": self.redis_url,
            "MEYDAN_BROKER_URL": self.broker_url,
            "MEYDAN_SIGNING_KEY": str(keyring.signing_key_file(self._settings).resolve()),
            "MEYDAN_TOKEN_KEY": str(keyring.token_key_file(self._settings).resolve()),
            "MEYDAN_ADDRESSES": json.dumps(self.addresses),
        }

    def _sight(self, name: str) -> dict[str, str]:
        """Metrics at a port of its own for each process, also when it is started again."""
        first = self._settings.metrics_port
        if first:
            self.metrics_ports.setdefault(name, first + len(self.metrics_ports))
        return {"MEYDAN_METRICS_PORT": str(self.metrics_ports.get(name, 0))}

    def development_token(self) -> str:
        """What this platform can be tried with."""
        return keyring.development_token(keyring.token_key_file(self._settings))

    def log_file(self, name: str) -> Path:
        """Where a process writes its log."""
        return self._folder / "logs" / f"{name}.log"

    def stop(self) -> None:
        """Everything that was started, the last first; what does not end by itself is ended."""
        for process in reversed(self.processes.values()):
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + _STOP_SECONDS
        for process in reversed(self.processes.values()):
            _await_end(process, deadline)
        for server in reversed(self.servers.values()):
            server.stop()

    def __enter__(self) -> "Launcher":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _check_tls(settings: Settings) -> None:
    """Services that workers could not reach would play on without the computer players."""
    try:
        tls.server_credentials(settings)
        tls.client_credentials(settings)
    except tls.BadTls as error:
        raise StartFailed(str(error)) from None
    if settings.tls_certificate is not None and settings.tls_ca is None:
        raise StartFailed("With MEYDAN_TLS_CERTIFICATE, workers need MEYDAN_TLS_CA.")
    if settings.tls_client_ca is not None and settings.tls_client_certificate is None:
        raise StartFailed("With MEYDAN_TLS_CLIENT_CA, workers need MEYDAN_TLS_CLIENT_CERTIFICATE.")


def _inherited(settings: Settings) -> dict[str, str]:
    """The environment that gives a process the same settings, but not the user's token."""
    kept = {name: value for name, value in os.environ.items() if name != "MEYDAN_TOKEN"}
    given = settings.model_dump(mode="json", exclude_unset=True, exclude={"token"})
    return kept | {
        f"MEYDAN_{name.upper()}": value if isinstance(value, str) else json.dumps(value)
        for name, value in given.items()
        if value is not None
    }


def _await_end(process: "subprocess.Popen[bytes]", deadline: float) -> None:
    try:
        process.wait(max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
