"""The tasks of tournaments. Each may run twice, or late, and does no harm: the tournament's log decides what counts."""

import base64
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import grpc
import structlog
from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.match.v1 import envelope_pb2, match_service_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from meydan.work.v1 import work_pb2
from services import registry
from services.tournament import matches, messages, results, rounds
from services.tournament.fold import TournamentFold
from services.tournament.model import Draw
from services.tournament.state import Entrant, Tournament
from services.workers import calls
from services.workers.app import app
from services.workers.calls import CALL_SECONDS, NotAccepted, ServiceUnavailable
from services.workers.outcomes import Outcome, counted
from shared import metrics, tracing
from shared.access.tokens import TOURNAMENT
from shared.game import AnyGame
from shared.host.messages import envelope_of
from shared.match import terms
from shared.match.model import Match

log = structlog.get_logger(__name__)

_PAGE = 2_000
# Matches are made so many at a time, and reported in so large pieces.
_AT_ONCE = 16
_REPORTED_AT_ONCE = 96
# A round of the largest tournament takes a while to check.
_ROUND_SECONDS = 60.0
_AT_HAND = 4
# It was told before, or an arbiter has made it superfluous. Any other no to a result is one that somebody must see.
_SUPERFLUOUS = frozenset({"NOTHING_TO_START", "ALREADY_RECORDED", "SUPERSEDED", "TOURNAMENT_OVER"})

# Folds of tournaments that this process has seen, so that only what is new must be read.
_known: OrderedDict[str, Tournament] = OrderedDict()


@app.task(name="meydan.pair_round", autoretry_for=(ServiceUnavailable,), max_retries=8, retry_backoff=1)
@counted
def pair_round(payload: str) -> Outcome:
    """Pairs the next round of a tournament, or finds that there is none."""
    work = _work(payload)
    with tracing.span("pair_round", registry.TOURNAMENT, work.tournament_id, work.version, work.traceparent):
        tournament = _tournament(work)
        if not rounds.is_due(tournament) or len(tournament.rounds) + 1 != work.round:
            log.info("round_already_paired")
            return Outcome.REPEATED
        draw = _propose(tournament)
        if draw is None and not rounds.is_over(tournament):
            # Of an arena, there may be nobody to pair just now.
            return Outcome.REPEATED
        return _submit(work, tournament, draw)


def _propose(tournament: Tournament) -> Draw | None:
    with metrics.PAIRING_SECONDS.labels(tournament.plan.system.value).time():
        return rounds.propose(tournament)


def _submit(work: work_pb2.TournamentRound, tournament: Tournament, draw: Draw | None) -> Outcome:
    message = None if draw is None else messages.draw_message(draw)
    request = api.SubmitRoundRequest(tournament_id=work.tournament_id, round=work.round, draw=message)
    metadata = calls.as_worker(work.tournament_id, work.request_id)
    try:
        calls.tournaments().SubmitRound(request, timeout=_ROUND_SECONDS, metadata=metadata)
    except grpc.RpcError as error:
        if calls.code_of(error) is grpc.StatusCode.ALREADY_EXISTS:
            log.info("round_already_paired")
            return Outcome.REPEATED
        failure = calls.failure(error)
        if isinstance(failure, NotAccepted) and _tournament(work).version != tournament.version:
            # Somebody has come, or has gone, meanwhile: what is to be done is looked at again.
            raise ServiceUnavailable("the tournament has moved on") from error
        raise failure from error
    log.info("round_paired" if draw else "tournament_ended")
    return Outcome.DONE


@app.task(name="meydan.start_matches", autoretry_for=(ServiceUnavailable,), max_retries=8, retry_backoff=1)
@counted
def start_matches(payload: str) -> Outcome:
    """Makes the matches of a round that are not there yet."""
    work = _work(payload)
    with tracing.span("start_matches", registry.TOURNAMENT, work.tournament_id, work.version, work.traceparent):
        tournament = _tournament(work)
        waiting = _waiting(tournament, work.round)
        outcome = Outcome.REPEATED
        while tables := list(islice(waiting, _REPORTED_AT_ONCE)):
            _make(tournament, work, tables)
            outcome = _report(work, tournament, tables)
            log.info("matches_started", tables=len(tables))
        return outcome


def _waiting(tournament: Tournament, number: int) -> Iterator[int]:
    """The tables of a round that want a match."""
    if number > len(tournament.rounds) or tournament.is_paused:
        return iter(())
    boards = tournament.rounds[number - 1].boards
    return iter([table for table, board in sorted(boards.items()) if board.is_waiting])


def _make(tournament: Tournament, work: work_pb2.TournamentRound, tables: Sequence[int]) -> None:
    """Each match has an id of its own that never changes, so that it is made once, whoever makes it."""
    metadata = calls.as_organiser(tournament.id, work.request_id)
    create = calls.service(tournament.plan.game).CreateMatch
    for first in range(0, len(tables), _AT_ONCE):
        requests = [_request(tournament, work.round, table) for table in tables[first : first + _AT_ONCE]]
        made = [create.future(request, timeout=CALL_SECONDS, metadata=metadata) for request in requests]
        for one in made:
            _settle(one)


def _settle(made: Any) -> None:
    try:
        made.result()
    except grpc.RpcError as error:
        raise calls.failure(error) from error


def _request(tournament: Tournament, number: int, table: int) -> match_service_pb2.CreateMatchRequest:
    plan = tournament.plan
    board = tournament.rounds[number - 1].boards[table]
    return match_service_pb2.CreateMatchRequest(
        options=AnyMessage.FromString(plan.options) if plan.options else None,
        seats=[_seat(tournament.entrants[entrant]) for entrant in board.seats],
        match_id=matches.match_id_of(tournament, number, table),
        clock=None if plan.control is None else terms.clock_message(plan.control),
        join_seconds=plan.no_show_seconds,
        watching=envelope_pb2.WATCHING_PUBLIC,
    )


def _seat(entrant: Entrant) -> envelope_pb2.SeatSetup:
    if entrant.ai_level:
        return envelope_pb2.SeatSetup(ai=envelope_pb2.AiSeat(level=entrant.ai_level))
    return envelope_pb2.SeatSetup(open=envelope_pb2.OpenSeat(player_id=entrant.player_id))


def _report(work: work_pb2.TournamentRound, tournament: Tournament, tables: Sequence[int]) -> Outcome:
    found = [
        pb.StartedMatch(table=table, match_id=matches.match_id_of(tournament, work.round, table)) for table in tables
    ]
    started = pb.MatchesStarted(round=work.round, matches=found)
    request = api.ReportMatchesRequest(tournament_id=tournament.id, started=started)
    return _tell(calls.tournaments().ReportMatches, request, tournament.id, work.request_id)


@counted
def record_result(game: AnyGame, match: Match, request_id: str) -> Outcome:
    """Tells a tournament how a match of its ended."""
    tournament_id = match.terms.organiser_id.removeprefix(TOURNAMENT)
    structlog.contextvars.bind_contextvars(tournament=tournament_id)
    request = api.RecordResultRequest(tournament_id=tournament_id, result=results.result_of(game, match))
    return _tell(calls.tournaments().RecordResult, request, tournament_id, request_id)


def _tell(call: Any, request: Any, tournament_id: str, request_id: str) -> Outcome:
    try:
        call(request, timeout=CALL_SECONDS, metadata=calls.as_worker(tournament_id, request_id))
    except grpc.RpcError as error:
        reason = calls.reason_of(error)
        if reason not in _SUPERFLUOUS:
            raise calls.failure(error) from error
        log.info("tournament_does_not_want_it", reason=reason)
        return Outcome.REPEATED
    return Outcome.DONE


def _tournament(work: work_pb2.TournamentRound) -> Tournament:
    """The tournament as it is now, folded from its log on from where this process knows it."""
    known = _known.get(work.tournament_id)
    try:
        for page in _pages(work, 0 if known is None else known.version):
            known = TournamentFold().fold(known, page)
    except grpc.RpcError as error:
        raise calls.failure(error) from error
    if known is None:
        raise ServiceUnavailable("the tournament has no log yet")
    _remember(known)
    return known


def _remember(tournament: Tournament) -> None:
    _known[tournament.id] = tournament
    _known.move_to_end(tournament.id)
    if len(_known) > _AT_HAND:
        _known.popitem(last=False)


def _pages(work: work_pb2.TournamentRound, after: int) -> Iterator[list[Any]]:
    """What the log has after a version, as everybody may see it."""
    metadata = calls.as_worker(work.tournament_id, work.request_id)
    while True:
        request = api.GetHistoryRequest(tournament_id=work.tournament_id, after_version=after, limit=_PAGE)
        page = calls.tournaments().GetHistory(request, timeout=CALL_SECONDS, metadata=metadata)
        if page.envelopes:
            yield list(map(envelope_of, page.envelopes))
        after += len(page.envelopes)
        if after >= page.current_version:
            return


def _work(payload: str) -> work_pb2.TournamentRound:
    work = work_pb2.TournamentRound.FromString(base64.b64decode(payload))
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(
        request_id=work.request_id, tournament=work.tournament_id, round=work.round, version=work.version
    )
    return work
