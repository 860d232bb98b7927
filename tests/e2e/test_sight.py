"""What every process of the platform shows of itself: its metrics, and its part of a trace."""

import os
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from concurrent import futures
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client.parser import text_string_to_metric_families

from meydan.match.v1 import envelope_pb2, match_service_pb2
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from services import registry
from services.launcher import Launcher
from shared.settings import Settings
from tests.e2e.seats import PATIENCE

PROCESSES = (*registry.SERVICES, "dispatcher", "worker")
TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """What traces are sent to: keeps each span with the name of the process that it comes from."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Span]] = []

    def Export(  # noqa: N802 - as the protocol calls it
        self, request: trace_service_pb2.ExportTraceServiceRequest, _context: grpc.ServicerContext
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            names = {one.key: one.value.string_value for one in resource.resource.attributes}
            found = [span for scope in resource.scope_spans for span in scope.spans]
            self.spans.extend((names["service.name"], span) for span in found)
        return trace_service_pb2.ExportTraceServiceResponse()


@pytest.fixture
def collector() -> Iterator[tuple[Collector, str]]:
    """A collector, and its address."""
    kept = Collector()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(kept, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield kept, f"http://127.0.0.1:{port}"
    server.stop(None)


def free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody listens on."""
    for first in range(20_000, 30_000, count):
        try:
            with ExitStack() as stack:
                for port in range(first, first + count):
                    stack.enter_context(socket.create_server(("127.0.0.1", port)))
        except OSError:
            continue
        return first
    raise AssertionError("no ports are free")


def platform_in(folder: Path, endpoint: str) -> Launcher:
    """A platform that shows everything."""
    return Launcher(
        Settings(
            data_dir=folder,
            ports=dict.fromkeys(registry.SERVICES, 0),
            redis_url="",
            broker_url="",
            metrics_port=free_ports(len(PROCESSES)),
            traces_endpoint=endpoint,
        )
    )


def play_a_match(platform: Launcher) -> str:
    """Computer players play one to its end, for a caller who is tracing."""
    token = ("authorization", f"Bearer {platform.development_token()}")
    metadata = (token, ("traceparent", f"00-{TRACE}-{CALLER}-01"))
    seats = [envelope_pb2.SeatSetup(ai=envelope_pb2.AiSeat(level="greedy"))] * 2
    with grpc.insecure_channel(platform.addresses["domino"]) as channel:
        stub = MatchServiceStub(channel)
        request = match_service_pb2.CreateMatchRequest(seats=seats)
        match_id: str = stub.CreateMatch(request, metadata=metadata, timeout=PATIENCE).match_id
        watching = match_service_pb2.WatchMatchRequest(match_id=match_id)
        for _ in stub.WatchMatch(watching, metadata=(token,), timeout=PATIENCE):
            pass
    return match_id


def page(platform: Launcher, process: str) -> dict[str, float]:
    """The samples that a process serves, by name and the values of their labels."""
    address = f"http://127.0.0.1:{platform.metrics_ports[process]}/metrics"
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        samples = [sample for family in families for sample in family.samples]
    return {" ".join((one.name, *one.labels.values())): one.value for one in samples}


def wait_for_audits(platform: Launcher, count: int) -> None:
    """Until a worker has looked at so many matches that are over, and found them right."""
    deadline = time.monotonic() + PATIENCE
    while page(platform, "worker").get("meydan_audits_total domino passed", 0.0) < count:
        assert time.monotonic() < deadline, "the end of a match does not reach a worker"


def kill_children(pid: int) -> None:
    """Ends the processes of a worker that do the work, in the hard way."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)


def test_every_process_shows_what_it_has_done(tmp_path: Path) -> None:
    """At a port of its own; a worker for all of its processes, those that have died among them."""
    with platform_in(tmp_path, "") as platform:
        first = platform.metrics_ports["domino"]
        assert platform.metrics_ports == {name: first + place for place, name in enumerate(PROCESSES)}
        play_a_match(platform)
        wait_for_audits(platform, 1)
        kill_children(platform.processes["worker"].pid)
        play_a_match(platform)
        wait_for_audits(platform, 2)
        service, worker = page(platform, "domino"), page(platform, "worker")
        assert service["meydan_serving domino"] == 1.0
        commands = service["meydan_commands_total domino accepted"]
        assert service["meydan_append_group_size_sum"] == commands
        # All but the two that created the matches were thought about by a worker.
        assert worker["meydan_ai_thinking_seconds_count domino greedy"] == commands - 2
        dispatcher = page(platform, "dispatcher")
        assert dispatcher.keys() >= {"meydan_outbox_entries domino", "meydan_outbox_oldest_seconds domino"}
        assert dispatcher["meydan_queue_length meydan.ai"] == 0.0


def test_a_trace_goes_through_all_processes(tmp_path: Path, collector: tuple[Collector, str]) -> None:
    """From the call that creates a match to the first move of a computer player, with every step between them."""
    kept, endpoint = collector
    with platform_in(tmp_path, endpoint) as platform:
        match_id = play_a_match(platform)
    # Stopped, every process has sent what it had.
    spans = {span.span_id.hex(): (process, span) for process, span in kept.spans if span.trace_id.hex() == TRACE}
    assert all(span.parent_span_id.hex() in {CALLER, *spans} for _, span in spans.values())
    by_parent = {(span.parent_span_id.hex(), process, span.name): span_id for span_id, (process, span) in spans.items()}
    here = CALLER
    for process, name in (
        ("meydan-domino", "CreateMatch"),
        ("meydan-domino", "append"),
        ("meydan-dispatcher", "dispatch"),
        ("meydan-worker", "play_turn"),
        ("meydan-domino", "SubmitCommand"),
        ("meydan-domino", "append"),
    ):
        here = by_parent[here, process, name]
    attributes = {one.key: one.value.string_value for one in spans[here][1].attributes}
    assert attributes["match"] == match_id
