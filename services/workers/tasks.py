"""The tasks. Each may run twice, or late, and does no harm: what counts is decided by the log."""

import base64
from functools import cache
from typing import Any

import grpc
import redis
import structlog

from meydan.match.v1 import envelope_pb2, match_service_pb2, match_service_pb2_grpc
from meydan.work.v1 import work_pb2
from services import registry
from services.workers.app import app, settings
from shared.dispatch.outbox import mark_done
from shared.envelope import Envelope
from shared.host.messages import envelope_of
from shared.kernel import Chance, Seat
from shared.match.ids import SeatKeys
from shared.match.lifecycle import final_places
from shared.match.wire import Wire
from shared.replay import Replay

log = structlog.get_logger(__name__)

_CALL_SECONDS = 10.0
_PAGE = 500
_TRY_AGAIN = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    # A service that stops may cancel a call that it has not begun.
    grpc.StatusCode.CANCELLED,
)


class ServiceUnavailable(Exception):
    """The game's service did not answer: worth another try."""


@app.task(name="meydan.play_turn", autoretry_for=(ServiceUnavailable,), max_retries=8, retry_backoff=1)
def play_turn(game_name: str, payload: str) -> None:
    """A computer player moves, knowing its seat's view and nothing else."""
    turn = work_pb2.AgentTurn.FromString(base64.b64decode(payload))
    _bind(turn, seat=turn.seat, version=turn.version)
    game = registry.load(game_name)
    agent = game.agents[turn.level]
    view = game.codec.view_type.FromString(turn.view.value)
    command = agent.choose(game.codec.decode_view(view), Chance(turn.seed))
    request = match_service_pb2.SubmitCommandRequest(
        match_id=turn.match_id,
        seat=match_service_pb2.SeatCredential(
            seat=turn.seat, seat_key=SeatKeys(settings.secret).for_agent(turn.match_id, Seat(turn.seat))
        ),
        # The same turn, computed twice, is the same command.
        command_id=f"ai-{turn.seat}-{turn.version}",
        expected_version=turn.version,
        agent=envelope_pb2.AgentNote(name=f"{game.name}/{turn.level}", version=agent.version, seed=turn.seed),
    )
    request.command.Pack(game.codec.encode_command(command))
    _submit(game_name, request, turn.request_id)


def _submit(game_name: str, request: match_service_pb2.SubmitCommandRequest, request_id: str) -> None:
    try:
        answer = _service(game_name).SubmitCommand(
            request, timeout=_CALL_SECONDS, metadata=(("x-request-id", request_id),)
        )
    except grpc.RpcError as error:
        code = _code(error)
        if code in _TRY_AGAIN:
            raise ServiceUnavailable(str(code)) from error
        if code is not grpc.StatusCode.ABORTED:
            raise
        # The match has moved on: this turn was taken by another worker, or the seat is out.
        log.info("turn_already_taken")
    else:
        log.debug("turn_taken", new_version=answer.acknowledgement.version)


@app.task(
    name="meydan.match_ended", autoretry_for=(ServiceUnavailable, redis.ConnectionError), max_retries=8, retry_backoff=1
)
def match_ended(game_name: str, outbox: str, entry_id: str, payload: str) -> None:
    """Replays the finished match from its log alone and compares the result with the one that was recorded."""
    ended = work_pb2.MatchEnded.FromString(base64.b64decode(payload))
    _bind(ended, version=ended.version)
    game = registry.load(game_name)
    envelopes = _history(game_name, ended.match_id)
    match = Replay(game, Wire(game)).fold(None, envelopes)
    replayed = final_places(game.outcome(match.state), match.out, len(match.seats))
    if replayed == match.places:
        log.info("match_audited", places=match.places, events=match.version)
    else:
        log.error("audit_failed", recorded=match.places, replayed=replayed)
    mark_done(redis.Redis.from_url(settings.redis_url), outbox, entry_id)


def _history(game_name: str, match_id: str) -> list[Envelope]:
    found: list[Envelope] = []
    everything = match_service_pb2.Viewer(everything=match_service_pb2.Everything())
    while True:
        request = match_service_pb2.GetHistoryRequest(
            match_id=match_id, viewer=everything, after_version=len(found), limit=_PAGE
        )
        try:
            page = _service(game_name).GetHistory(request, timeout=_CALL_SECONDS)
        except grpc.RpcError as error:
            if _code(error) in _TRY_AGAIN:
                raise ServiceUnavailable(str(_code(error))) from error
            raise
        found.extend(map(envelope_of, page.envelopes))
        if len(found) >= page.current_version:
            return found


@cache
def _service(game_name: str) -> Any:
    """One channel a process and game: made after the fork, in the child that uses it."""
    return match_service_pb2_grpc.MatchServiceStub(grpc.insecure_channel(registry.address(game_name, settings)))


def _code(error: grpc.RpcError) -> grpc.StatusCode:
    code: grpc.StatusCode = error.code()
    return code


def _bind(work: work_pb2.AgentTurn | work_pb2.MatchEnded, **more: object) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=work.request_id, match=work.match_id, **more)
