"""Runs the dispatcher: from the outboxes of all games to Celery."""

import base64
import os
import signal
import socket

import redis
import structlog

from meydan.work.v1 import work_pb2
from services import registry
from services.workers.app import app, settings
from shared import logs
from shared.dispatch.dispatcher import Dispatcher
from shared.dispatch.outbox import Entry, Outboxes
from shared.eventlog import store

log = structlog.get_logger(__name__)


def send(entry: Entry) -> None:
    """One entry as one task."""
    payload = base64.b64encode(entry.payload).decode()
    match entry.kind:
        case store.AGENT_TURN:
            turn = work_pb2.AgentTurn.FromString(entry.payload)
            _send("meydan.play_turn", (entry.game, payload), entry, turn.version, turn.request_id)
        case store.MATCH_ENDED:
            ended = work_pb2.MatchEnded.FromString(entry.payload)
            arguments = (entry.game, entry.outbox, entry.id, payload)
            _send("meydan.match_ended", arguments, entry, ended.version, ended.request_id)
        case other:
            log.error("unknown_work", kind=other, match=entry.match_id)


def _send(task: str, arguments: tuple[str, ...], entry: Entry, version: int, request_id: str) -> None:
    app.send_task(task, arguments)
    log.debug("work_sent", kind=entry.kind, match=entry.match_id, version=version, request_id=request_id)


def main() -> None:
    logs.configure(settings.log_level)
    client = redis.Redis.from_url(settings.redis_url, socket_timeout=settings.patience_seconds)
    consumer = f"{socket.gethostname()}-{os.getpid()}"
    dispatcher = Dispatcher(Outboxes(client, registry.NAMES, consumer), send, settings.resend_seconds)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: dispatcher.stop())
    log.info("dispatching", games=registry.NAMES)
    dispatcher.run()
    log.info("stopped")


if __name__ == "__main__":
    main()
