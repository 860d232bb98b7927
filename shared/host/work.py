"""What must happen after a command: the turns of computer players, or what follows the end."""

from meydan.work.v1 import work_pb2
from shared import tracing
from shared.eventlog.store import AGENT_TURN, MATCH_ENDED, Work
from shared.game import AnyGame
from shared.kernel import Seat
from shared.match.agents import agents_to_act
from shared.match.model import Match, Status


def work_of(game: AnyGame, match: Match, request_id: str) -> tuple[Work, ...]:
    """The work that waits once the match has come to this version."""
    if match.status is Status.FINISHED:
        ended = work_pb2.MatchEnded(
            match_id=match.id, version=match.version, request_id=request_id, traceparent=tracing.traceparent()
        )
        return (Work(MATCH_ENDED, ended.SerializeToString()),)
    agents = agents_to_act(game, match)
    return tuple(Work(AGENT_TURN, _agent_turn(match, seat, level, request_id)) for seat, level in agents)


def _agent_turn(match: Match, seat: Seat, level: str, request_id: str) -> bytes:
    turn = work_pb2.AgentTurn(
        match_id=match.id,
        version=match.version,
        seat=seat,
        level=level,
        request_id=request_id,
        traceparent=tracing.traceparent(),
    )
    return turn.SerializeToString()
