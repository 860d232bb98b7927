"""The calls that only look."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from meydan.match.v1 import match_service_pb2
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import book, rounds
from services.tournament.gate import Gate
from services.tournament.host import TournamentHost
from services.tournament.model import Certificate, Draw, Number, Table
from services.tournament.state import Pairing, Tournament
from services.tournament.wire import NAME, WIRE
from shared import export
from shared.envelope import redact
from shared.host import errors
from shared.host.access import Caller
from shared.host.keeper import Accepted
from shared.host.limits import Limits, Streams
from shared.host.live import Live
from shared.host.messages import envelope_message, receipt_message
from shared.host.pages import PageTokens
from shared.kernel import EVERYTHING, SPECTATOR, Malformed, Viewer
from shared.match.model import Status
from shared.proof.heads import SignedHead, sign
from shared.proof.keys import SigningKey

_PAGE_DEFAULT, _PAGE_MOST = 20, 100
_ROWS_DEFAULT, _ROWS_MOST = 500, 5_000
_HISTORY_DEFAULT, _HISTORY_MOST = 200, 5_000
_EXPORT_AT_ONCE = 500
_WATCH_AT_ONCE = 100
_STATUSES = {number: status for status, number in book.STATUSES.items()}


class ReadingServicer:
    """Each method is one call: check the request, ask the host, build the answer."""

    def __init__(self, host: TournamentHost, gate: Gate, key: SigningKey, limits: Limits) -> None:
        self.host = host
        self.gate = gate
        self.limits = limits
        self._key = key
        self._streams = Streams(limits.streams)
        self._pages = PageTokens(key)
        self._book = book.Book()

    async def list_keys(self, _request: api.ListKeysRequest, _caller: Caller) -> api.ListKeysResponse:
        public = self._key.public
        return api.ListKeysResponse(keys=[match_service_pb2.PublicKey(key_id=public.id, key=public.data)])

    async def get_tournament(self, request: api.GetTournamentRequest, caller: Caller) -> api.GetTournamentResponse:
        self.gate.anybody(caller)
        tournament = (await self.host.fresh(request.tournament_id)).folded
        return api.GetTournamentResponse(tournament=book.summary(tournament))

    async def list_tournaments(
        self, request: api.ListTournamentsRequest, caller: Caller
    ) -> api.ListTournamentsResponse:
        self.gate.anybody(caller)
        before = self._pages.read(request.page_token) if request.page_token else ""
        size = min(request.page_size or _PAGE_DEFAULT, _PAGE_MOST)
        ids = await self.host.log.list_ids(_status_of(request.status), before, size + 1)
        lives = await asyncio.gather(*map(self.host.fresh, ids[:size]))
        return api.ListTournamentsResponse(
            tournaments=[book.summary(live.folded) for live in lives],
            next_page_token=self._pages.token(ids[size - 1]) if len(ids) > size else "",
        )

    async def get_round(self, request: api.GetRoundRequest, caller: Caller) -> api.GetRoundResponse:
        self.gate.anybody(caller)
        tournament = (await self.host.fresh(request.tournament_id)).folded
        number = request.round if request.HasField("round") else len(tournament.rounds)
        limit = min(request.limit or _ROWS_DEFAULT, _ROWS_MOST)
        return book.round_response(tournament, _round_of(tournament, number), request.first_table, limit)

    async def get_standings(self, request: api.GetStandingsRequest, caller: Caller) -> api.GetStandingsResponse:
        self.gate.anybody(caller)
        tournament = (await self.host.fresh(request.tournament_id)).folded
        if request.HasField("version"):
            if not 1 <= request.version <= tournament.version:
                raise Malformed("version", f"The tournament has the versions 1 to {tournament.version}.")
            tournament = await self.host.reader.at_version(tournament.id, request.version)
        rows = await self._book.rows(tournament)
        limit = min(request.limit or _ROWS_DEFAULT, _ROWS_MOST)
        page = rows[request.first_row : request.first_row + limit]
        return api.GetStandingsResponse(version=tournament.version, rows=page, row_count=len(rows))

    async def watch_standings(
        self, request: api.WatchStandingsRequest, caller: Caller
    ) -> AsyncIterator[api.WatchStandingsResponse]:
        known: dict[int, api.StandingsRow] = {}
        sent = 0
        async for live in self._changes(request.tournament_id, caller):
            await self._book.rest(request.tournament_id)
            tournament = live.folded
            # The same news may come by more than one way, and be known by the time it is told.
            if tournament.version == sent:
                continue
            sent = tournament.version
            changed = list(book.changed_rows(await self._book.rows(tournament), known))
            for first in range(0, max(len(changed), 1), _ROWS_DEFAULT):
                piece = changed[first : first + _ROWS_DEFAULT]
                yield api.WatchStandingsResponse(
                    version=tournament.version,
                    rows=piece,
                    is_complete=first + len(piece) >= len(changed),
                    status=book.STATUSES[tournament.status],
                )
            if tournament.status is Status.FINISHED:
                return

    async def watch_tournament(
        self, request: api.WatchTournamentRequest, caller: Caller
    ) -> AsyncIterator[api.WatchTournamentResponse]:
        after = request.after_version
        async for live in self._changes(request.tournament_id, caller):
            while after < live.folded.version:
                envelopes = await self.host.reader.page(live, after, _WATCH_AT_ONCE)
                viewer = _viewer(live.folded)
                yield api.WatchTournamentResponse(envelopes=[envelope_message(one, viewer) for one in envelopes])
                after = envelopes[-1].version
            if live.folded.status is Status.FINISHED:
                return

    async def _changes(self, tournament_id: str, caller: Caller) -> AsyncIterator[Live[Tournament]]:
        """The tournament now, and whenever it has moved on."""
        claims = self.gate.anybody(caller)
        news = asyncio.Event()
        with self._streams.one_more(caller.peer):
            live, stop = await self.host.follow(tournament_id, news.set)
            with self._woken_by(news.set, stop):
                while True:
                    news.clear()
                    if live.is_lost:
                        raise errors.unavailable("the tournament is being loaded again")
                    if claims.expires_micros <= self.host.now():
                        self.gate.anybody(caller)
                    yield live
                    if self.host.is_stopping:
                        raise errors.stopping()
                    await news.wait()

    @contextmanager
    def _woken_by(self, wake: Callable[[], None], stop: Callable[[], None]) -> Iterator[None]:
        self.host.wakers.add(wake)
        try:
            yield
        finally:
            self.host.wakers.discard(wake)
            stop()

    async def explain_pairing(self, request: api.ExplainPairingRequest, caller: Caller) -> api.ExplainPairingResponse:
        self.gate.anybody(caller)
        tournament = (await self.host.fresh(request.tournament_id)).folded
        pairing = _round_of(tournament, request.round)
        if Number(request.number) not in tournament.entrants:
            raise Malformed("number", f"The tournament has the entrants 0 to {len(tournament.entrants) - 1}.")
        before = await self.host.reader.at_version(tournament.id, pairing.version - 1)
        paired = (await self.host.reader.at_version(tournament.id, pairing.version)).rounds[-1]
        sentences = await asyncio.to_thread(
            rounds.explain_round, before, _draw_of(paired), Number(request.number), lambda one: _name(tournament, one)
        )
        return api.ExplainPairingResponse(sentences=sentences)

    async def get_history(self, request: api.GetHistoryRequest, caller: Caller) -> api.GetHistoryResponse:
        self.gate.anybody(caller)
        live = await self.host.fresh(request.tournament_id)
        viewer, version = _viewer(live.folded), live.folded.version
        limit = min(request.limit or _HISTORY_DEFAULT, _HISTORY_MOST)
        envelopes = await self.host.reader.page(live, request.after_version, limit)
        return api.GetHistoryResponse(
            envelopes=[envelope_message(one, viewer) for one in envelopes], current_version=version
        )

    async def export_tournament(
        self, request: api.ExportTournamentRequest, caller: Caller
    ) -> AsyncIterator[api.ExportTournamentResponse]:
        self.gate.anybody(caller)
        with self._streams.one_more(caller.peer):
            live = await self.host.fresh(request.tournament_id)
            tournament = live.folded
            viewer = _viewer(tournament)
            head = self.signed(tournament.id, tournament.version, tournament.head)
            yield api.ExportTournamentResponse(piece=export.header_line(NAME, head, self._key.public).encode())
            after = 0
            while after < tournament.version:
                most = min(_EXPORT_AT_ONCE, tournament.version - after)
                envelopes = await self.host.reader.page(live, after, most)
                lines = (export.envelope_line(WIRE, redact(envelope, viewer)) for envelope in envelopes)
                yield api.ExportTournamentResponse(piece="".join(lines).encode())
                after = envelopes[-1].version

    def signed(self, tournament_id: str, version: int, head: bytes) -> SignedHead:
        """The platform's word on a log."""
        return sign(self._key, tournament_id, version, head)

    def acknowledgement(self, tournament_id: str, accepted: Accepted) -> match_service_pb2.Acknowledgement:
        """The answer to an accepted command, with its receipt."""
        receipt = receipt_message(self.signed(tournament_id, accepted.version, accepted.head))
        return match_service_pb2.Acknowledgement(
            first_version=accepted.first, version=accepted.version, receipt=receipt
        )


def _status_of(number: api.TournamentStatus.ValueType) -> Status | None:
    if number == api.TOURNAMENT_STATUS_UNSPECIFIED:
        return None
    if number not in _STATUSES:
        raise Malformed("status", "This is no status of a tournament.")
    return _STATUSES[number]


def _round_of(tournament: Tournament, number: int) -> Pairing:
    if not 1 <= number <= len(tournament.rounds):
        paired = f"the rounds 1 to {len(tournament.rounds)}" if tournament.rounds else "no round"
        raise Malformed("round", f"The tournament has {paired} as yet.")
    return tournament.rounds[number - 1]


def _draw_of(paired: Pairing) -> Draw:
    """The round as it was paired, from its first state."""
    boards = [paired.boards[table] for table in range(len(paired.boards))]
    certificate: Certificate = paired.certificate
    return Draw(tuple([Table(board.seats, label=board.label) for board in boards]), paired.byes, certificate)


def _name(tournament: Tournament, number: Number) -> str:
    return tournament.entrants[number].name


def _viewer(tournament: Tournament) -> Viewer:
    """The server's seed is everybody's after the end, and nobody's before."""
    return EVERYTHING if tournament.status is Status.FINISHED else SPECTATOR
