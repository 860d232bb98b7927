"""Runs the dispatcher: from the outboxes of all games to Celery."""

import base64
import os
import signal
import socket
from typing import TypeAlias

import redis
import structlog
from google.protobuf.message import DecodeError

from meydan.work.v1 import work_pb2
from services import registry
from services.workers.app import QUEUES, app, settings
from shared import logs, metrics, tracing
from shared.dispatch.backlog import Backlog
from shared.dispatch.dispatcher import Dispatcher
from shared.dispatch.outbox import Entry, Outboxes
from shared.eventlog import store

log = structlog.get_logger(__name__)

_Work: TypeAlias = work_pb2.AgentTurn | work_pb2.MatchEnded | work_pb2.TournamentRound


def send(entry: Entry) -> None:
    """One entry as one task. One that can't be read stays where it is, and holds up no other."""
    match entry.kind:
        case store.AGENT_TURN:
            _send("meydan.play_turn", (entry.game,), entry, work_pb2.AgentTurn)
        case store.MATCH_ENDED:
            _send("meydan.match_ended", (entry.game, entry.outbox, entry.id), entry, work_pb2.MatchEnded)
        case store.PAIR_ROUND:
            _send("meydan.pair_round", (), entry, work_pb2.TournamentRound)
        case store.START_MATCHES:
            _send("meydan.start_matches", (), entry, work_pb2.TournamentRound)
        case _:
            _leave(entry)


def _send(task: str, arguments: tuple[str, ...], entry: Entry, kind: type[_Work]) -> None:
    try:
        work = kind.FromString(entry.payload)
    except DecodeError:
        _leave(entry)
        return
    with tracing.span("dispatch", entry.game, entry.match_id, work.version, work.traceparent):
        work.traceparent = tracing.traceparent() or work.traceparent
        app.send_task(task, (*arguments, base64.b64encode(work.SerializeToString()).decode()))
    metrics.WORK.labels(entry.kind, "sent").inc()
    log.debug("work_sent", kind=entry.kind, match=entry.match_id, version=work.version, request_id=work.request_id)


def _leave(entry: Entry) -> None:
    log.error("unknown_work", kind=entry.kind, match=entry.match_id)
    metrics.WORK.labels(entry.kind, "unreadable").inc()


def main() -> None:
    logs.configure(settings.log_level)
    client = redis.Redis.from_url(settings.redis_url, socket_timeout=settings.patience_seconds)
    if settings.metrics_port:
        broker = redis.Redis.from_url(settings.broker_url, socket_timeout=settings.patience_seconds)
        Backlog(client, broker, registry.SERVICES, QUEUES.split(",")).watch()
        metrics.serve(settings.metrics_listen, settings.metrics_port)
    tracing.configure(settings.traces_endpoint, "dispatcher")
    consumer = f"{socket.gethostname()}-{os.getpid()}"
    dispatcher = Dispatcher(Outboxes(client, registry.SERVICES, consumer), send, settings.resend_seconds)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: dispatcher.stop())
    log.info("dispatching", games=registry.SERVICES)
    dispatcher.run()
    log.info("stopped")


if __name__ == "__main__":
    main()
