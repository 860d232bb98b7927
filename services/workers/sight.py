"""What a worker shows of itself: one page of metrics for all of its processes, and the traces of each.

Only workers import this, and before the tasks: from then on every count goes to a file of the process that counts.
"""

import os
import shutil
import tempfile
from typing import Any

from billiard import current_process
from celery.signals import worker_init, worker_process_init, worker_process_shutdown, worker_shutdown
from prometheus_client import values

from services.workers.app import settings


def _name() -> str:
    """Of this process, for its file. One that takes the place of a dead one goes on with what that one has counted."""
    return str(getattr(current_process(), "index", "parent"))


if settings.metrics_port:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="meydan-metrics-")
    values.ValueClass = values.MultiProcessValue(_name)  # type: ignore[no-untyped-call]

from shared import metrics, tracing  # noqa: E402 - metrics are made when they are imported, and know then where to count


@worker_init.connect
def _serve(**_: Any) -> None:
    metrics.serve(settings.metrics_listen, settings.metrics_port)


@worker_shutdown.connect
def _clean_up(**_: Any) -> None:
    if folder := os.environ.get(metrics.SHARED_FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


@worker_process_init.connect
def _trace(**_: Any) -> None:
    tracing.configure(settings.traces_endpoint, "worker")


@worker_process_shutdown.connect
def _send_the_last(**_: Any) -> None:
    tracing.stop()
