"""The calls of the platform's own workers: rounds, matches, results."""

import structlog

from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import messages
from services.tournament.lifecycle import Lifecycle
from services.tournament.model import Draw
from services.tournament.reading import ReadingServicer
from services.tournament.state import Tournament
from shared import metrics
from shared.host.access import Caller
from shared.host.keeper import Command, digest_of
from shared.kernel import Malformed, Refusal
from shared.match.ids import is_match_id
from shared.match.model import Decided, Stamp

log = structlog.get_logger(__name__)

# The owner of what workers do: their command ids are those of rounds and matches.
_PLATFORM = "platform"


class WorkingServicer(ReadingServicer):
    """What workers do twice, or two of them do, is done once: the ids of their commands say what they are about."""

    async def submit_round(self, request: api.SubmitRoundRequest, caller: Caller) -> api.SubmitRoundResponse:
        self.gate.worker(request.tournament_id, caller)
        live = await self.host.fresh(request.tournament_id)
        command = _round_command(self.host.lifecycle, request, caller)
        accepted = await self.host.execute(live, command)
        log.info("round_submitted", tournament=live.folded.id, command=command.id, version=accepted.version)
        return api.SubmitRoundResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def report_matches(self, request: api.ReportMatchesRequest, caller: Caller) -> api.ReportMatchesResponse:
        self.gate.worker(request.tournament_id, caller)
        live = await self.host.get(request.tournament_id)
        started = request.started
        if not all(is_match_id(one.match_id) for one in started.matches):
            raise Malformed("started.matches", "A match id is a ULID.")
        first = started.matches[0].match_id if started.matches else ""
        content = digest_of(started.round, *[(one.table, one.match_id) for one in started.matches])
        command = Command(
            _PLATFORM,
            # Another worker may have started some of these, and more.
            f"matches-{started.round}-{first}-{content[:8].decode()}",
            content,
            lambda before, stamp: self.host.lifecycle.start_matches(before, started, stamp),
            request_id=caller.request_id,
        )
        accepted = await self.host.execute(live, command)
        return api.ReportMatchesResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def record_result(self, request: api.RecordResultRequest, caller: Caller) -> api.RecordResultResponse:
        self.gate.worker(request.tournament_id, caller)
        live = await self.host.get(request.tournament_id)
        result = request.result
        if not is_match_id(result.match_id):
            raise Malformed("result.match_id", "A match id is a ULID.")
        command = Command(
            _PLATFORM,
            f"result-{result.match_id}",
            digest_of("result", result.SerializeToString(deterministic=True).hex()),
            lambda before, stamp: self.host.lifecycle.record(before, result, stamp),
            request_id=caller.request_id,
        )
        accepted = await self.host.execute(live, command)
        log.info("result_recorded", tournament=live.folded.id, match=result.match_id, version=accepted.version)
        return api.RecordResultResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))


def _round_command(lifecycle: Lifecycle, request: api.SubmitRoundRequest, caller: Caller) -> Command[Tournament]:
    """A round of a worker's, or its word that there is none."""
    if not request.HasField("draw"):
        return Command(
            _PLATFORM, "finish", digest_of("finish"), lifecycle.end, request_id=caller.request_id, is_long=True
        )
    draw = messages.draw_of(request.draw)
    return Command(
        _PLATFORM,
        f"round-{request.round}",
        digest_of("pair", request.draw.SerializeToString(deterministic=True).hex()),
        lambda before, stamp: _pair(lifecycle, before, request.round, draw, stamp),
        request_id=caller.request_id,
        is_long=True,
    )


def _pair(
    lifecycle: Lifecycle, before: Tournament, number: int, draw: Draw, stamp: Stamp
) -> Decided[Tournament] | Refusal:
    with metrics.CHECKING_SECONDS.labels(before.plan.system.value).time():
        return lifecycle.pair(before, number, draw, stamp)
