"""The Celery application. Run it with `celery -A services.workers.app worker`."""

from typing import Any

from celery import Celery
from celery.signals import setup_logging

from shared import logs
from shared.settings import Settings

settings = Settings()

app = Celery(
    "meydan",
    broker=settings.broker_url,
    include=["services.workers.sight", "services.workers.tasks", "services.workers.tournaments"],
)
app.conf.update(
    task_ignore_result=True,
    # A task of a worker that dies comes back; every task is safe to run twice.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    # A small multiple of the longest task. The dispatcher's sweep does not wait for it.
    broker_transport_options={"visibility_timeout": 4 * settings.resend_seconds},
    broker_connection_retry_on_startup=True,
    task_default_queue="meydan",
    # Casual turns must not wait behind what follows a tournament's matches.
    task_routes={
        "meydan.play_turn": {"queue": "meydan.ai"},
        "meydan.match_ended": {"queue": "meydan.results"},
        "meydan.pair_round": {"queue": "meydan.tournaments"},
        "meydan.start_matches": {"queue": "meydan.tournaments"},
    },
)

QUEUES = "meydan.ai,meydan.results,meydan.tournaments"


@setup_logging.connect
def _configure_logs(**_: Any) -> None:
    logs.configure(settings.log_level)
