"""The process of a service: gRPC server, health that tells the truth, and a stop that finishes what was accepted."""

import asyncio
import contextlib
import gc
import signal
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import grpc
import structlog
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from redis.asyncio.connection import parse_url

from shared import logs, metrics, tls, tracing
from shared.access.tokens import Tokens, read_key_set
from shared.clock import SystemClock
from shared.eventlog.redis_log import RedisLog
from shared.eventlog.store import EventLog, LogUnavailable
from shared.host.keeper import Keeper
from shared.host.sweep import Sweep
from shared.proof.keys import BadKey, SigningKey
from shared.settings import Settings

log = structlog.get_logger(__name__)

_CHECK_SECONDS = 1.0


class Service(NamedTuple):
    """What a process serves: its logs and calls, and how large a request and an answer may be."""

    keeper: Keeper[Any]
    handlers: grpc.GenericRpcHandler
    full_name: str
    most_request_bytes: int
    most_bytes: int


class Keys(NamedTuple):
    """What logs are signed with, and what tokens are made and read with."""

    signing: SigningKey
    tokens: Tokens


# Makes the service on its log, inside the running event loop.
Build: TypeAlias = Callable[[EventLog, Settings, Keys], Service]


def run(name: str, build: Build, settings: Settings, port: int) -> None:
    """Serves until it is told to stop. `name` is that of the logs: a game's, say."""
    try:
        keys = _keys(settings)
        credentials = tls.server_credentials(settings)
        parse_url(settings.redis_url)
    except (BadKey, tls.BadTls) as error:
        raise SystemExit(str(error)) from None
    except ValueError as error:
        raise SystemExit(f"MEYDAN_REDIS_URL is not the address of a Redis: {error}") from None
    logs.configure(settings.log_level)
    tracing.configure(settings.traces_endpoint, name)
    metrics.serve(settings.metrics_listen, settings.metrics_port)
    # What was imported stays for ever, and what a call leaves behind is mostly freed by counting: looking for cycles
    # less often saves time and pauses.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    uvloop.run(_serve(name, build, settings, port, keys, credentials))


def _keys(settings: Settings) -> Keys:
    if not settings.redis_url or settings.signing_key is None or settings.token_key is None:
        raise SystemExit(
            "A service needs MEYDAN_REDIS_URL, MEYDAN_SIGNING_KEY and MEYDAN_TOKEN_KEY; `make up` starts everything."
        )
    others = {} if settings.token_keys is None else read_key_set(settings.token_keys)
    tokens = Tokens(SigningKey.read(settings.token_key), SystemClock(), others)
    return Keys(SigningKey.read(settings.signing_key), tokens)


async def _serve(
    name: str, build: Build, settings: Settings, port: int, keys: Keys, credentials: grpc.ServerCredentials | None
) -> None:
    event_log = RedisLog(settings.redis_url, name, settings.patience_seconds)
    service = build(event_log, settings, keys)
    server, health_servicer = _server(service)
    bound = tls.listen(server, f"{settings.listen}:{port}", credentials)
    sweep = Sweep(service.keeper, settings.sweep_seconds)
    # Before the first move comes, so that nobody is charged for the time until now.
    await sweep.try_step()
    await server.start()
    address = f"{settings.listen}:{bound}"
    stopping = _stop_signal()
    checking = asyncio.create_task(_keep_health_true(event_log, health_servicer, name, service.full_name))
    measuring = asyncio.create_task(metrics.watch_event_loop(name))
    sweeping = asyncio.create_task(sweep.run())
    log.info("listening", game=name, address=address)
    if settings.ready_file is not None:
        settings.ready_file.write_text(address)
    await stopping.wait()
    log.info("stopping", game=name)
    checking.cancel()
    measuring.cancel()
    sweeping.cancel()
    await health_servicer.enter_graceful_shutdown()
    service.keeper.stop()
    await server.stop(settings.stop_seconds)
    await event_log.close()
    log.info("stopped", game=name)


def _server(service: Service) -> tuple[grpc.aio.Server, health.aio.HealthServicer]:
    options = (
        ("grpc.max_receive_message_length", service.most_request_bytes),
        ("grpc.max_send_message_length", service.most_bytes),
        ("grpc.so_reuseport", 0),
    )
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers((service.handlers,))
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    names = (service.full_name, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    return server, health_servicer


async def _keep_health_true(
    event_log: EventLog, servicer: health.aio.HealthServicer, name: str, full_name: str
) -> None:
    """Serving means that the log answers and can write: without it, no move can be accepted."""
    known = None
    while True:
        is_well = await _is_well(event_log)
        if is_well is not known:
            known = is_well
            log.info("health", is_serving=is_well)
            metrics.SERVING.labels(name).set(is_well)
            status = health_pb2.HealthCheckResponse.SERVING if is_well else health_pb2.HealthCheckResponse.NOT_SERVING
            for service in ("", full_name):
                await servicer.set(service, status)
        await asyncio.sleep(_CHECK_SECONDS)


async def _is_well(event_log: EventLog) -> bool:
    with contextlib.suppress(LogUnavailable, TimeoutError, OSError):
        async with asyncio.timeout(_CHECK_SECONDS):
            await event_log.check()
        return True
    return False


def _stop_signal() -> asyncio.Event:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    return stopping
