"""meydan.tournament.v1.TournamentService: the calls that change something."""

import secrets
from collections.abc import Callable
from typing import TypeAlias

import structlog

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import messages, plans
from services.tournament.fold import pairs_of
from services.tournament.gate import Gate
from services.tournament.host import TournamentHost
from services.tournament.lifecycle import Lifecycle
from services.tournament.model import Number
from services.tournament.reading import ReadingServicer
from services.tournament.state import Tournament
from shared.access.tokens import Claims, Scope, is_subject
from shared.host import errors
from shared.host.access import Caller
from shared.host.keeper import CREATE, Accepted, Command, digest_of
from shared.host.limits import Limits
from shared.host.live import Live
from shared.host.messages import command_id_of
from shared.kernel import Malformed, Refusal
from shared.match.ids import is_match_id, new_match_id
from shared.match.model import Decided, Stamp
from shared.proof.keys import SigningKey

log = structlog.get_logger(__name__)

Decide: TypeAlias = Callable[[Tournament, Stamp], Decided[Tournament] | Refusal]

_MOST_AT_ONCE = 2_000
_LONGEST_REASON = 500
# The owner of what workers do: their command ids are those of rounds and matches.
_PLATFORM = "platform"


class TournamentServicer(ReadingServicer):
    """All calls: those that only look are in reading.py."""

    def __init__(self, host: TournamentHost, gate: Gate, key: SigningKey, limits: Limits, token_seconds: int) -> None:
        super().__init__(host, gate, key, limits)
        self._token_seconds = token_seconds

    async def create_tournament(
        self, request: api.CreateTournamentRequest, caller: Caller
    ) -> api.CreateTournamentResponse:
        organiser = self.gate.access.someone(caller, Scope.ORGANISER).subject
        plan = plans.checked(request.plan)
        tournament_id = request.tournament_id or new_match_id(self.host.now())
        if not is_match_id(tournament_id):
            raise Malformed("tournament_id", "An id is a ULID: 26 characters, digits and capital letters.")
        digest = digest_of("create", plan, organiser)
        await self._check_room(organiser, tournament_id, digest)
        stamp = Stamp("create", self.host.now())
        decided = self.host.lifecycle.create(tournament_id, plan, organiser, secrets.token_bytes(32), stamp)
        accepted = await self.host.begin(decided, digest=digest, request_id=caller.request_id)
        log.info("tournament_created", tournament=tournament_id, game=plan.game, system=plan.system.value)
        return api.CreateTournamentResponse(
            tournament_id=tournament_id, acknowledgement=self.acknowledgement(tournament_id, accepted)
        )

    async def _check_room(self, organiser: str, tournament_id: str, digest: bytes) -> None:
        most = self.limits.open_matches
        if await self.host.log.open_matches(organiser) < most:
            return
        if await self.host.log.find(tournament_id, CREATE, digest) is None:
            raise errors.too_much("open_tournaments", f"One organiser has at most {most} tournaments going on.")

    async def register_entrants(
        self, request: api.RegisterEntrantsRequest, caller: Caller
    ) -> api.RegisterEntrantsResponse:
        claims = self.gate.anybody(caller)
        live = await self.host.fresh(request.tournament_id)
        if not 1 <= len(request.entrants) <= _MOST_AT_ONCE:
            raise errors.too_much("entrants", f"One call registers 1 to {_MOST_AT_ONCE:,} entrants.")
        entrants = self._entrants_of(live.folded, request, claims, caller)
        content = b"".join([one.SerializeToString(deterministic=True) for one in entrants]).hex()
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("register", content),
            lambda before, stamp: self.host.lifecycle.register(before, entrants, stamp),
        )
        first = await self._registered_at(live, accepted)
        return api.RegisterEntrantsResponse(
            number=first, acknowledgement=self.acknowledgement(live.folded.id, accepted)
        )

    def _entrants_of(
        self, tournament: Tournament, request: api.RegisterEntrantsRequest, claims: Claims, caller: Caller
    ) -> list[pb.Entrant]:
        if Scope.ORGANISER in claims.scopes and claims.subject == tournament.organiser_id:
            return plans.entrants_of(list(request.entrants), plans.game_of(tournament.plan.game))
        player = self.gate.access.someone(caller, Scope.PLAYER)
        if len(request.entrants) != 1:
            raise Malformed("entrants", "A player registers themselves, and nobody else.")
        return [plans.own_entry(request.entrants[0], player.subject)]

    async def _registered_at(self, live: Live[Tournament], accepted: Accepted) -> int:
        """The number that the first of them got, then or now."""
        (envelope,) = await self.host.reader.page(live, accepted.first - 1, 1)
        return pb.EntrantRegistered.FromString(envelope.public).number

    async def check_in(self, request: api.CheckInRequest, caller: Caller) -> api.CheckInResponse:
        number = Number(request.number)
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.entrant(live.folded, number, caller)
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("check in", number),
            lambda before, stamp: self.host.lifecycle.check_in(before, number, stamp),
        )
        return api.CheckInResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def withdraw(self, request: api.WithdrawRequest, caller: Caller) -> api.WithdrawResponse:
        number = Number(request.number)
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.entrant(live.folded, number, caller)
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("withdraw", number),
            lambda before, stamp: self.host.lifecycle.withdraw(before, number, stamp),
        )
        return api.WithdrawResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def return_(self, request: api.ReturnRequest, caller: Caller) -> api.ReturnResponse:
        number = Number(request.number)
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.entrant(live.folded, number, caller)
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("return", number),
            lambda before, stamp: self.host.lifecycle.come_back(before, number, stamp),
        )
        return api.ReturnResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def start_tournament(
        self, request: api.StartTournamentRequest, caller: Caller
    ) -> api.StartTournamentResponse:
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.organiser(live.folded, caller)
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("start"),
            self.host.lifecycle.start,
            is_long=True,
        )
        log.info("tournament_started", tournament=live.folded.id, entrants=len(live.folded.order))
        return api.StartTournamentResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def lay_down_pairs(self, request: api.LayDownPairsRequest, caller: Caller) -> api.LayDownPairsResponse:
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.arbiter(live.folded, caller)
        if len(request.pairs.forbidden) + len(request.pairs.forced) > _MOST_AT_ONCE:
            raise errors.too_much("pairs", f"At most {_MOST_AT_ONCE:,} pairs can be laid down.")
        forbidden, forced = pairs_of(request.pairs.forbidden), pairs_of(request.pairs.forced)
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("pairs", sorted(forbidden), sorted(forced)),
            lambda before, stamp: self.host.lifecycle.lay_down_pairs(before, forbidden, forced, stamp),
        )
        return api.LayDownPairsResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def make_ruling(self, request: api.MakeRulingRequest, caller: Caller) -> api.MakeRulingResponse:
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.arbiter(live.folded, caller)
        reason = _reason_of(request.reason)
        ruling = pb.Ruling.FromString(request.ruling.SerializeToString())
        ruling.DiscardUnknownFields()
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("rule", ruling.SerializeToString(deterministic=True).hex(), reason),
            lambda before, stamp: self.host.lifecycle.rule(before, ruling, claims.subject, reason, stamp),
        )
        (envelope,) = await self.host.reader.page(live, accepted.first - 1, 1)
        number = pb.RulingMade.FromString(envelope.public).number
        log.info("ruling_made", tournament=live.folded.id, ruling=number, kind=ruling.WhichOneof("kind"))
        return api.MakeRulingResponse(number=number, acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def undo_ruling(self, request: api.UndoRulingRequest, caller: Caller) -> api.UndoRulingResponse:
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.arbiter(live.folded, caller)
        reason = _reason_of(request.reason)
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("undo", request.number, reason),
            lambda before, stamp: self.host.lifecycle.undo(before, request.number, claims.subject, reason, stamp),
        )
        log.info("ruling_undone", tournament=live.folded.id, ruling=request.number)
        return api.UndoRulingResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def pause_tournament(
        self, request: api.PauseTournamentRequest, caller: Caller
    ) -> api.PauseTournamentResponse:
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.arbiter(live.folded, caller)
        accepted = await self._execute(
            live, request.command_id, claims, caller, digest_of("pause"), self.host.lifecycle.pause
        )
        return api.PauseTournamentResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def resume_tournament(
        self, request: api.ResumeTournamentRequest, caller: Caller
    ) -> api.ResumeTournamentResponse:
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.arbiter(live.folded, caller)
        accepted = await self._execute(
            live, request.command_id, claims, caller, digest_of("resume"), self.host.lifecycle.resume
        )
        return api.ResumeTournamentResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def finish_tournament(
        self, request: api.FinishTournamentRequest, caller: Caller
    ) -> api.FinishTournamentResponse:
        live = await self.host.fresh(request.tournament_id)
        claims = self.gate.organiser(live.folded, caller)
        accepted = await self._execute(
            live,
            request.command_id,
            claims,
            caller,
            digest_of("finish"),
            self.host.lifecycle.finish,
            is_long=True,
        )
        log.info("tournament_finished", tournament=live.folded.id, version=accepted.version)
        return api.FinishTournamentResponse(acknowledgement=self.acknowledgement(live.folded.id, accepted))

    async def issue_arbiter_token(
        self, request: api.IssueArbiterTokenRequest, caller: Caller
    ) -> api.IssueArbiterTokenResponse:
        tournament = (await self.host.fresh(request.tournament_id)).folded
        self.gate.organiser(tournament, caller)
        if not is_subject(request.arbiter_id):
            raise Malformed("arbiter_id", "An arbiter's id has 1 to 64 printable ASCII characters.")
        tokens = self.gate.access.tokens
        expires = tokens.expiry(self._token_seconds)
        claims = Claims(request.arbiter_id, frozenset({Scope.ARBITER}), expires, tournament.id)
        return api.IssueArbiterTokenResponse(token=tokens.issue(claims), expires_micros=expires)

    # What workers do

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

    async def _execute(
        self,
        live: Live[Tournament],
        command_id: str,
        claims: Claims,
        caller: Caller,
        digest: bytes,
        decide: Decide,
        *,
        is_long: bool = False,
    ) -> Accepted:
        """A command of somebody, under an id of theirs."""
        command = Command(
            f"by-{claims.subject}",
            command_id_of(command_id),
            digest,
            decide,
            request_id=caller.request_id,
            is_long=is_long,
        )
        return await self.host.execute(live, command)


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
        lambda before, stamp: lifecycle.pair(before, request.round, draw, stamp),
        request_id=caller.request_id,
        is_long=True,
    )


def _reason_of(text: str) -> str:
    if not 1 <= len(text) <= _LONGEST_REASON or not text.isprintable():
        raise Malformed("reason", f"A ruling has a reason, of 1 to {_LONGEST_REASON} printable characters.")
    return text
