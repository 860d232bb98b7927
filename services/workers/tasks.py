"""The tasks. Each may run twice, or late, and does no harm: what counts is decided by the log."""

import base64

import grpc
import redis
import structlog

from meydan.match.v1 import envelope_pb2, match_service_pb2
from meydan.work.v1 import work_pb2
from services import registry
from services.workers import calls, tournaments
from services.workers.app import app, settings
from services.workers.calls import CALL_SECONDS, ServiceUnavailable
from services.workers.outcomes import Outcome, counted
from services.workers.search import Search
from shared import metrics, tracing
from shared.access.tokens import TOURNAMENT
from shared.dispatch.outbox import mark_done
from shared.game import AnyGame
from shared.kernel import Chance, Seat
from shared.match.model import Match
from shared.match.wire import Wire
from shared.verify import Wrong, verify

log = structlog.get_logger(__name__)


@app.task(name="meydan.play_turn", autoretry_for=(ServiceUnavailable,), max_retries=8, retry_backoff=1)
@counted
def play_turn(game_name: str, payload: str) -> Outcome:
    """A computer player moves, knowing its seat's view and nothing else."""
    turn = work_pb2.AgentTurn.FromString(base64.b64decode(payload))
    _bind(turn, seat=turn.seat, version=turn.version)
    with tracing.span("play_turn", game_name, turn.match_id, turn.version, turn.traceparent):
        return _play_turn(game_name, turn)


def _play_turn(game_name: str, turn: work_pb2.AgentTurn) -> Outcome:
    metadata = calls.as_agent(turn.match_id, Seat(turn.seat), turn.request_id)
    wanted = match_service_pb2.GetAgentTurnRequest(match_id=turn.match_id, seat=turn.seat, version=turn.version)
    service = calls.service(game_name)
    try:
        seen = service.GetAgentTurn(wanted, timeout=CALL_SECONDS, metadata=metadata)
        request = _move(registry.load(game_name), turn, seen)
        answer = service.SubmitCommand(request, timeout=CALL_SECONDS, metadata=metadata)
    except grpc.RpcError as error:
        if calls.code_of(error) is not grpc.StatusCode.ABORTED:
            raise calls.failure(error) from error
        # The match has moved on: this turn was taken by another worker, or the seat is out.
        log.info("turn_already_taken")
        return Outcome.REPEATED
    log.debug("turn_taken", new_version=answer.acknowledgement.version)
    return Outcome.DONE


def _move(
    game: AnyGame, turn: work_pb2.AgentTurn, seen: match_service_pb2.GetAgentTurnResponse
) -> match_service_pb2.SubmitCommandRequest:
    agent = game.agents[turn.level]
    view = game.codec.decode_view(game.codec.view_type.FromString(seen.view.value))
    search = Search(agent.iterations, settings.thinking_seconds)
    thinking_time = metrics.AI_THINKING_SECONDS.labels(game.name, turn.level).time()
    with tracing.span("think", game.name, turn.match_id, turn.version), thinking_time:
        command = agent.choose(view, Chance(seen.seed), search)
    request = match_service_pb2.SubmitCommandRequest(
        match_id=turn.match_id,
        seat=match_service_pb2.SeatCredential(seat=turn.seat),
        # The same turn, computed twice, is the same command.
        command_id=f"ai-{turn.seat}-{turn.version}",
        expected_version=turn.version,
        agent=envelope_pb2.AgentNote(
            name=f"{game.name}/{turn.level}", version=agent.version, seed=seen.seed, iterations=search.iterations
        ),
    )
    request.command.Pack(game.codec.encode_command(command))
    return request


@app.task(
    name="meydan.match_ended", autoretry_for=(ServiceUnavailable, redis.ConnectionError), max_retries=8, retry_backoff=1
)
@counted
def match_ended(game_name: str, outbox: str, entry_id: str, payload: str) -> Outcome:
    """Decides the finished match again from its log alone: chain, draws, rules and result."""
    ended = work_pb2.MatchEnded.FromString(base64.b64decode(payload))
    _bind(ended, version=ended.version)
    with tracing.span("match_ended", game_name, ended.match_id, ended.version, ended.traceparent):
        match = _audited(game_name, ended)
        if match is not None and match.terms.organiser_id.startswith(TOURNAMENT):
            tournaments.record_result(registry.load(game_name), match, ended.request_id)
    mark_done(redis.Redis.from_url(settings.redis_url), outbox, entry_id)
    return Outcome.DONE


def _audited(game_name: str, ended: work_pb2.MatchEnded) -> Match | None:
    """The match, if nothing is wrong with its log."""
    game = registry.load(game_name)
    try:
        envelopes = calls.history(game_name, ended.match_id, ended.request_id)
    except grpc.RpcError as error:
        raise calls.failure(error) from error
    try:
        match = verify(game, Wire(game), envelopes)
    except Wrong as wrong:
        log.error("audit_failed", at=wrong.version, error=str(wrong))
        metrics.AUDITS.labels(game_name, "failed").inc()
        return None
    log.info("match_audited", places=match.places, events=match.version)
    metrics.AUDITS.labels(game_name, "passed").inc()
    return match


def _bind(work: work_pb2.AgentTurn | work_pb2.MatchEnded, **more: object) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=work.request_id, match=work.match_id, **more)
