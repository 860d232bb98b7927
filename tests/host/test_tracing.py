"""Traces: a move from its call to its append, through the outbox, to the computer player that answers it."""

import asyncio
import base64
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from meydan.match.v1 import match_service_pb2 as pb
from meydan.match.v1.match_service_pb2_grpc import MatchServiceStub
from meydan.work.v1 import work_pb2
from services.workers import calls, dispatcher, tasks
from services.workers.app import app
from shared import tracing
from shared.dispatch.outbox import Entry
from shared.eventlog.memory import MemoryLog
from shared.eventlog.store import AGENT_TURN, LogUnavailable
from shared.host.access import AGENT
from shared.kernel import Seat
from shared.match.agents import agent_seed
from shared.match.model import SeatState
from tests.host.service import PATIENCE, Service, Table, bearer, computer, join, new_table, refusal, seeded_match

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"
TRACEPARENT = ("traceparent", f"00-{TRACE}-{CALLER}-01")


class Spans:
    """The spans that have ended."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    def all(self) -> tuple[ReadableSpan, ...]:
        """In the order in which they ended."""
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        """Those of one name."""
        return [span for span in self.all() if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        """The only one of a name."""
        [span] = self.named(name)
        return span

    def clear(self) -> None:
        """Forgets them."""
        self._exporter.clear()


@pytest.fixture
def spans() -> Iterator[Spans]:
    """Tracing is on, and what it makes stays here."""
    exporter = InMemorySpanExporter()
    tracing.start("test", SimpleSpanProcessor(exporter))
    yield Spans(exporter)
    tracing.stop()


def id_of(span: ReadableSpan) -> str:
    """A span's id as others write it."""
    assert span.context is not None
    return f"{span.context.span_id:016x}"


def trace_of(span: ReadableSpan) -> str:
    """The id of the trace that a span belongs to."""
    assert span.context is not None
    return f"{span.context.trace_id:032x}"


def parent_of(span: ReadableSpan) -> str | None:
    """The id of a span's parent."""
    return None if span.parent is None else f"{span.parent.span_id:016x}"


def traced(table: Table) -> dict[str, Any]:
    """What a call that is being traced brings with it."""
    token = table.tokens[0]
    return {"timeout": PATIENCE, "metadata": (*bearer(token), TRACEPARENT)}


async def test_without_an_endpoint_nothing_is_traced(memory_service: Service) -> None:
    """No span is made, not even for a caller who is tracing, and the outbox names none."""
    tracing.configure("", "test")
    token = bearer(memory_service.stub.token)  # type: ignore[attr-defined]
    request = pb.CreateMatchRequest(seats=[computer(), computer()])
    answer = await memory_service.stub.CreateMatch(request, timeout=PATIENCE, metadata=(*token, TRACEPARENT))
    assert isinstance(memory_service.log, MemoryLog)
    [work] = memory_service.log.waiting_work(answer.match_id)
    assert work_pb2.AgentTurn.FromString(work.payload).traceparent == ""
    nothing = tracing.span("append", "domino", answer.match_id, 1)
    assert nothing is tracing.span("think", "domino", answer.match_id)
    assert (tracing.traceparent(), tracing.metadata()) == ("", ())


async def test_a_call_is_a_part_of_its_callers_trace_and_the_append_of_the_call(
    memory_service: Service, spans: Spans
) -> None:
    """With game, match, version and the kind of the command, and nothing else."""
    table = await new_table(memory_service)
    request = await table.next_submission()
    spans.clear()
    answer = await memory_service.stub.SubmitCommand(request, **traced(table))
    call, append = spans.one("SubmitCommand"), spans.one("append")
    assert (trace_of(call), parent_of(call), call.kind) == (TRACE, CALLER, SpanKind.SERVER)
    assert (trace_of(append), parent_of(append)) == (TRACE, id_of(call))
    assert call.attributes == {"game": "domino", "match": table.id, "command": "LayTile"}
    assert append.attributes == {"game": "domino", "match": table.id, "version": answer.acknowledgement.version}


@pytest.mark.parametrize("given", ["nonsense", f"00-{'0' * 32}-{CALLER}-01", "ff" * 2000])
async def test_a_caller_who_names_no_trace_has_one_of_its_own(
    memory_service: Service, spans: Spans, given: str
) -> None:
    """What is no traceparent is no reason to refuse a call."""
    table = await new_table(memory_service)
    spans.clear()
    metadata = (*bearer(table.tokens[0]), ("traceparent", given))
    request = pb.GetViewRequest(match_id=table.id, viewer=table.viewer(0))
    await memory_service.stub.GetView(request, timeout=PATIENCE, metadata=metadata)
    assert parent_of(spans.one("GetView")) is None


async def test_each_command_on_a_stream_has_a_span(memory_service: Service, spans: Spans) -> None:
    """All of them in the trace of whoever has opened the stream, which has no span itself: it may last for days."""
    table = await new_table(memory_service)
    spans.clear()
    stream: Any = memory_service.stub.Play(**traced(table))
    for _ in range(3):
        await stream.write(pb.PlayRequest(submit=await table.next_submission()))
        await stream.read()
    await stream.done_writing()
    commands, appends = spans.named("SubmitCommand"), spans.named("append")
    assert [(trace_of(span), parent_of(span)) for span in commands] == [(TRACE, CALLER)] * 3
    assert [parent_of(span) for span in appends] == [id_of(span) for span in commands]
    assert spans.named("Play") == []


async def test_on_a_stream_that_nobody_traces_each_command_is_a_trace(memory_service: Service, spans: Spans) -> None:
    """Otherwise all moves of a day would be one."""
    table = await new_table(memory_service)
    spans.clear()
    stream: Any = memory_service.stub.Play(timeout=PATIENCE)
    for _ in range(2):
        await stream.write(pb.PlayRequest(submit=await table.next_submission()))
        await stream.read()
    await stream.done_writing()
    assert len({trace_of(span) for span in spans.named("SubmitCommand")}) == 2


async def test_a_refusal_is_no_error_but_its_code_is_told(memory_service: Service, spans: Spans) -> None:
    """Neither its sentence nor its rule: they may quote what only the player may know."""
    table = await new_table(memory_service)
    request = await table.next_submission()
    out_of_turn = table.submission(1 - request.seat.seat, request.text)
    spans.clear()
    await refusal(memory_service.stub.SubmitCommand(out_of_turn, timeout=PATIENCE))
    call = spans.one("SubmitCommand")
    assert call.attributes is not None
    assert call.attributes["refusal"] == "failed_precondition"
    assert (call.status.status_code, call.events) == (StatusCode.UNSET, ())


async def test_a_log_that_is_away_is_an_error_of_append_and_call(
    memory_service: Service, spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the type of the error and without its words."""

    async def away(*_: object) -> None:
        raise LogUnavailable("a telling word")

    table = await new_table(memory_service)
    request = await table.next_submission()
    monkeypatch.setattr(memory_service.log, "append", away)
    spans.clear()
    await refusal(memory_service.stub.SubmitCommand(request, timeout=PATIENCE))
    call, append = spans.one("SubmitCommand"), spans.one("append")
    assert (append.status.status_code, append.status.description) == (StatusCode.ERROR, "LogUnavailable")
    assert call.status.status_code is StatusCode.ERROR
    assert "telling" not in "".join(span.to_json() for span in spans.all())


class Way:
    """What lies between an append and the computer player that it calls: dispatcher and worker, in this process."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self._service = service
        self.sent: list[tuple[str, tuple[str, ...]]] = []
        channel = grpc.insecure_channel(service.address)
        monkeypatch.setattr(app, "send_task", lambda task, arguments: self.sent.append((task, arguments)))
        monkeypatch.setattr(calls, "service", lambda _: MatchServiceStub(channel))
        monkeypatch.setattr(calls, "_tokens", lambda: service.tokens)

    async def go(self, match_id: str) -> None:
        """One piece of work, from the outbox to its end."""
        assert isinstance(self._service.log, MemoryLog)
        [work] = self._service.log.waiting_work(match_id)
        assert work.kind == AGENT_TURN
        dispatcher.send(Entry("domino", "outbox", "1-0", match_id, work.kind, work.payload))
        task, arguments = self.sent.pop()
        assert task == tasks.play_turn.name
        # A worker waits for its answers; the service that gives them is in this thread.
        await asyncio.to_thread(tasks.play_turn, *arguments)


@pytest.fixture
def way(memory_service: Service, monkeypatch: pytest.MonkeyPatch) -> Way:
    """From the outbox of the service to a worker, and back."""
    return Way(memory_service, monkeypatch)


async def against_computer(service: Service) -> Table:
    """A match of a person and a computer player in which the person begins; the same one in each run."""
    for number in range(100):
        seats = (SeatState(), SeatState(ai_level="greedy"))
        match_id = await seeded_match(service, seats, match_id=f"01KDVDNA00X1S5G619CKD367{number:02d}")
        joined = await join(service, match_id, 0)
        table = Table(service, match_id, (joined.token, service.seat_token(match_id, 1, AGENT)))
        if list((await table.view()).match.to_act) == [0]:
            return table
    raise AssertionError("the computer always begins")


async def test_a_move_is_followed_to_the_computer_player_that_answers_it(
    memory_service: Service, spans: Spans, way: Way
) -> None:
    """One trace: call, append, dispatch, task, thinking, and the computer's own call with its append."""
    table = await against_computer(memory_service)
    request = await table.next_submission()
    spans.clear()
    await memory_service.stub.SubmitCommand(request, **traced(table))
    await way.go(table.id)
    dispatch, task, think = spans.one("dispatch"), spans.one("play_turn"), spans.one("think")
    call, answer = spans.named("SubmitCommand")
    first, second = spans.named("append")
    line = [call, first, dispatch, task, answer, second]
    assert [parent_of(span) for span in line] == [CALLER, *(id_of(span) for span in line[:-1])]
    assert parent_of(think) == id_of(task)
    assert {trace_of(span) for span in spans.all()} == {TRACE}
    version = first.attributes["version"] if first.attributes else None
    assert think.attributes == task.attributes == {"game": "domino", "match": table.id, "version": version}


async def test_a_trace_tells_no_secret(memory_service: Service, spans: Spans, way: Way) -> None:
    """All spans of moves on both sides are searched for tokens, seeds, views and commands."""
    table = await against_computer(memory_service)
    request = await table.next_submission()
    await table.submit(request)
    match = (await memory_service.host.fresh(table.id)).folded
    seed = agent_seed(match, Seat(1))
    await way.go(table.id)
    told = "".join(span.to_json() for span in spans.all())
    secrets = [*table.tokens, request.text, request.command_id, seed.hex(), base64.b64encode(seed).decode(), "Player"]
    assert table.id in told
    assert [secret for secret in secrets if secret in told] == []
    allowed = {"game", "match", "version", "command", "refusal"}
    assert {name for span in spans.all() for name in span.attributes or ()} <= allowed


async def test_a_name_of_a_match_that_is_none_is_cut(memory_service: Service, spans: Spans) -> None:
    """A client can write anything there: a trace is no place for it."""
    request = pb.GetViewRequest(match_id="x" * 5000)
    await refusal(memory_service.stub.GetView(request, timeout=PATIENCE))
    assert spans.one("GetView").attributes == {"game": "domino", "match": "x" * 26, "refusal": "not_found"}
