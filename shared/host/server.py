"""A game's process: gRPC server, health that tells the truth, and a stop that finishes what was accepted."""

import asyncio
import contextlib
import gc
import signal
from typing import NamedTuple

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
from shared.game import AnyGame
from shared.host import rpc
from shared.host.access import Access
from shared.host.host import Host
from shared.host.limits import Limits
from shared.host.servicer import MatchServicer
from shared.host.sweep import Sweep
from shared.proof.keys import BadKey, SigningKey
from shared.settings import Settings

log = structlog.get_logger(__name__)

_CHECK_SECONDS = 1.0
_OPTIONS = (
    ("grpc.max_receive_message_length", rpc.MOST_REQUEST_BYTES),
    ("grpc.max_send_message_length", rpc.MOST_BYTES),
    ("grpc.so_reuseport", 0),
)


def serve(game: AnyGame, settings: Settings, port: int) -> None:
    """Runs the service of a game until it is told to stop."""
    try:
        keys = _keys(settings)
        credentials = tls.server_credentials(settings)
        parse_url(settings.redis_url)
    except (BadKey, tls.BadTls) as error:
        raise SystemExit(str(error)) from None
    except ValueError as error:
        raise SystemExit(f"MEYDAN_REDIS_URL is not the address of a Redis: {error}") from None
    logs.configure(settings.log_level)
    tracing.configure(settings.traces_endpoint, game.name)
    metrics.serve(settings.metrics_listen, settings.metrics_port)
    # What was imported stays for ever, and what a call leaves behind is mostly freed by counting: looking for cycles
    # less often saves time and pauses.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    uvloop.run(_serve(game, settings, port, keys, credentials))


class _Keys(NamedTuple):
    """What logs are signed with, and what tokens are made and read with."""

    signing: SigningKey
    tokens: Tokens


def _keys(settings: Settings) -> _Keys:
    if not settings.redis_url or settings.signing_key is None or settings.token_key is None:
        raise SystemExit(
            "A service needs MEYDAN_REDIS_URL, MEYDAN_SIGNING_KEY and MEYDAN_TOKEN_KEY; `make up` starts everything."
        )
    others = {} if settings.token_keys is None else read_key_set(settings.token_keys)
    tokens = Tokens(SigningKey.read(settings.token_key), SystemClock(), others)
    return _Keys(SigningKey.read(settings.signing_key), tokens)


async def _serve(
    game: AnyGame, settings: Settings, port: int, keys: _Keys, credentials: grpc.ServerCredentials | None
) -> None:
    event_log = RedisLog(settings.redis_url, game.name, settings.patience_seconds)
    host = Host(game, event_log, SystemClock(), settings.live_matches, settings.match_watchers)
    server, health_servicer = _build(host, settings, keys)
    bound = tls.listen(server, f"{settings.listen}:{port}", credentials)
    sweep = Sweep(host, settings.sweep_seconds)
    # Before the first move comes, so that nobody is charged for the time until now.
    await sweep.try_step()
    await server.start()
    address = f"{settings.listen}:{bound}"
    stopping = _stop_signal()
    checking = asyncio.create_task(_keep_health_true(event_log, health_servicer, game.name))
    measuring = asyncio.create_task(metrics.watch_event_loop(game.name))
    sweeping = asyncio.create_task(sweep.run())
    log.info("listening", game=game.name, address=address)
    if settings.ready_file is not None:
        settings.ready_file.write_text(address)
    await stopping.wait()
    log.info("stopping", game=game.name)
    checking.cancel()
    measuring.cancel()
    sweeping.cancel()
    await health_servicer.enter_graceful_shutdown()
    host.stop()
    await server.stop(settings.stop_seconds)
    await event_log.close()
    log.info("stopped", game=game.name)


def _build(host: Host, settings: Settings, keys: _Keys) -> tuple[grpc.aio.Server, health.aio.HealthServicer]:
    server = grpc.aio.server(options=_OPTIONS)
    limits = Limits(settings.open_matches, settings.connection_streams)
    servicer = MatchServicer(host, Access(keys.tokens), keys.signing, limits, settings.token_seconds)
    server.add_generic_rpc_handlers((rpc.handlers(servicer),))
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    reflection.enable_server_reflection((rpc.SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    return server, health_servicer


async def _keep_health_true(event_log: EventLog, servicer: health.aio.HealthServicer, game: str) -> None:
    """Serving means that the log answers and can write: without it, no move can be accepted."""
    known = None
    while True:
        is_well = await _is_well(event_log)
        if is_well is not known:
            known = is_well
            log.info("health", is_serving=is_well)
            metrics.SERVING.labels(game).set(is_well)
            status = health_pb2.HealthCheckResponse.SERVING if is_well else health_pb2.HealthCheckResponse.NOT_SERVING
            for service in ("", rpc.SERVICE):
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
