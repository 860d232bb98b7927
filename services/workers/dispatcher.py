"""Runs the dispatcher: from the outboxes of all games to Celery."""

import base64
import os
import signal
import socket
from typing import TypeAlias

import redis
import structlog

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
    """One entry as one task."""
    match entry.kind:
        case store.AGENT_TURN:
            _send("meydan.play_turn", (entry.game,), entry, work_pb2.AgentTurn.FromString(entry.payload))
        case store.MATCH_ENDED:
            arguments = (entry.game, entry.outbox, entry.id)
            _send("meydan.match_ended", arguments, entry, work_pb2.MatchEnded.FromString(entry.payload))
        case store.PAIR_ROUND:
            _send("meydan.pair_round", (), entry, work_pb2.TournamentRound.FromString(entry.payload))
        case store.START_MATCHES:
            _send("meydan.start_matches", (), entry, work_pb2.TournamentRound.FromString(entry.payload))
        case other:
            log.error("unknown_work", kind=other, match=entry.match_id)


def _send(task: str, arguments: tuple[str, ...], entry: Entry, work: _Work) -> None:
    with tracing.span("dispatch", entry.game, entry.match_id, work.version, work.traceparent):
        work.traceparent = tracing.traceparent() or work.traceparent
        app.send_task(task, (*arguments, base64.b64encode(work.SerializeToString()).decode()))
    log.debug("work_sent", kind=entry.kind, match=entry.match_id, version=work.version, request_id=work.request_id)


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
