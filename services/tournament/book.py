"""Standings and rounds as clients see them, and the standings that are at hand."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import messages, rounds
from services.tournament.model import Number
from services.tournament.standings import Row, points_shown, reason, shown
from services.tournament.state import Board, Pairing, Tournament
from shared import metrics
from shared.match.model import Status

STATUSES = {
    Status.WAITING: api.TOURNAMENT_STATUS_REGISTERING,
    Status.PLAYING: api.TOURNAMENT_STATUS_RUNNING,
    Status.FINISHED: api.TOURNAMENT_STATUS_FINISHED,
}
_AT_HAND = 64
# In seconds, and in times of how long it took.
_LEAST_REST, _REST = 0.25, 4.0


class Book:
    """The standings of the tournaments that were asked for last. Long ones are worked out beside the event loop."""

    def __init__(self) -> None:
        self._rows: OrderedDict[tuple[str, int], asyncio.Task[list[api.StandingsRow]]] = OrderedDict()
        # By tournament, until when its standings are left alone.
        self._rests: OrderedDict[str, float] = OrderedDict()

    async def rows(self, tournament: Tournament) -> list[api.StandingsRow]:
        """The standings at this version; who asks at the same time shares the work."""
        key = (tournament.id, tournament.version)
        task = self._rows.get(key)
        if task is None:
            task = asyncio.create_task(self._work_out(tournament))
            self._rows[key] = task
            _shorten(self._rows)
        return await asyncio.shield(task)

    async def rest(self, tournament_id: str) -> None:
        """Waits so long that who watches a large event does not take all of the machine's time."""
        await asyncio.sleep(self._rests.get(tournament_id, 0.0) - asyncio.get_running_loop().time())

    async def _work_out(self, tournament: Tournament) -> list[api.StandingsRow]:
        started = asyncio.get_running_loop().time()
        rows = await asyncio.to_thread(_worked_out, tournament)
        ended = asyncio.get_running_loop().time()
        self._rests[tournament.id] = ended + max(_LEAST_REST, _REST * (ended - started))
        _shorten(self._rests)
        return rows


def _shorten(kept: "OrderedDict[Any, Any]") -> None:
    if len(kept) > _AT_HAND:
        kept.popitem(last=False)


def _worked_out(tournament: Tournament) -> list[api.StandingsRow]:
    with metrics.STANDINGS_SECONDS.time():
        return standings_rows(tournament)


def standings_rows(tournament: Tournament) -> list[api.StandingsRow]:
    """All rows, the best first."""
    rows = rounds.standings(tournament)
    # Before the start there are no rows.
    below = (*rows[1:], None)[: len(rows)]
    return [_row(tournament, one, other) for one, other in zip(rows, below, strict=True)]


def _row(tournament: Tournament, row: Row, below: Row | None) -> api.StandingsRow:
    def name(number: Number) -> str:
        return tournament.entrants[number].name

    entrant = tournament.entrants[row.number]
    return api.StandingsRow(
        place=row.place,
        number=row.number,
        name=entrant.name,
        is_withdrawn=entrant.is_withdrawn,
        units=row.points,
        points=points_shown(row.points),
        tie_breaks=map(shown, row.values),
        reason="" if below is None else reason(tournament.plan, row, below, name),
    )


def summary(tournament: Tournament) -> api.TournamentSummary:
    """What a list shows of a tournament."""
    last = tournament.rounds[-1] if tournament.rounds else None
    return api.TournamentSummary(
        tournament_id=tournament.id,
        version=tournament.version,
        plan=messages.plan_message(tournament.plan),
        organiser_id=tournament.organiser_id,
        status=STATUSES[tournament.status],
        is_paused=tournament.is_paused,
        entrants=len(tournament.order or tournament.entrants),
        round=0 if last is None else last.number,
        rounds=rounds.in_all(tournament),
        open_tables=0 if last is None else last.open_tables,
        created_micros=tournament.created_micros,
    )


def round_response(tournament: Tournament, pairing: Pairing, first: int, limit: int) -> api.GetRoundResponse:
    """A piece of a round."""
    count = len(pairing.boards)
    until = min(first + limit, count)
    answer = api.GetRoundResponse(
        round=pairing.number,
        tables=[_table(tournament, table, pairing.boards[table]) for table in range(first, until)],
        table_count=count,
        byes=pairing.byes if until == count else (),
    )
    if first == 0:
        answer.certificate.CopyFrom(messages.certificate_message(pairing.certificate))
        # What the dual values are is for who has the log.
        answer.certificate.ClearField("proof")
    return answer


def _table(tournament: Tournament, table: int, board: Board) -> api.RoundTable:
    outcome = board.outcome
    return api.RoundTable(
        table=table,
        seating=pb.Table(seats=board.seats, label=board.label),
        names=[tournament.entrants[number].name for number in board.seats],
        match_id=board.match_id,
        status=_status(board),
        places=[] if outcome is None else messages.places_message(outcome.places),
        forfeits=() if outcome is None else outcome.forfeits,
        ruling=board.rulings[-1][0] if board.rulings else 0,
    )


def _status(board: Board) -> api.TableStatus.ValueType:
    if board.outcome is None:
        return api.TABLE_STATUS_PLAYING if board.match_id else api.TABLE_STATUS_PAIRED
    return api.TABLE_STATUS_ANNULLED if board.outcome.is_annulled else api.TABLE_STATUS_OVER


def changed_rows(rows: "list[api.StandingsRow]", known: "dict[int, api.StandingsRow]") -> "Iterator[api.StandingsRow]":
    """The rows that are not as they were, which are noted."""
    for row in rows:
        if known.get(row.number) != row:
            known[row.number] = row
            yield row
