"""A task that does nothing, for the baseline of `ai-turn`. Run it with `celery -A tests.bench.bare_celery worker`."""

from celery import Celery

from shared.settings import Settings

QUEUE = "bare"
NAME = "bench.nothing"


def make_app(url: str) -> Celery:
    """An application with the settings of the platform's own, but with results."""
    made = Celery("bench", broker=url, backend=url)
    made.conf.update(
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        task_default_queue=QUEUE,
        broker_connection_retry_on_startup=True,
    )
    return made


app = make_app(Settings().broker_url)


@app.task(name=NAME)
def nothing(number: int) -> int:
    """The same number."""
    return number
