"""meydan.tournament.v1.TournamentService: the calls by which people change something."""

import secrets
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol, TypeAlias, TypeVar

import structlog
from google.protobuf.message import Message

from meydan.match.v1.match_service_pb2 import Acknowledgement
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services.tournament import plans
from services.tournament.fold import pairs_of
from services.tournament.gate import Gate
from services.tournament.host import TournamentHost
from services.tournament.importing import Importer
from services.tournament.model import Number
from services.tournament.state import Tournament
from services.tournament.working import WorkingServicer
from shared.access.tokens import Claims, Scope, is_subject
from shared.host import errors
from shared.host.access import Caller
from shared.host.keeper import CREATE, Command, digest_of
from shared.host.limits import Limits
from shared.host.messages import command_id_of
from shared.kernel import Malformed, Refusal
from shared.match.ids import is_match_id, new_match_id
from shared.match.model import Decided, Stamp
from shared.proof.keys import PublicKey, SigningKey

log = structlog.get_logger(__name__)

M = TypeVar("M", bound=Message)

# Whether somebody may; raises Refused if not.
May: TypeAlias = Callable[[Tournament, Caller], Claims]
Decide: TypeAlias = Callable[[Tournament, Stamp, str], Decided[Tournament] | Refusal]

# No other platform's tournaments are taken in.
_NOBODY: Mapping[str, PublicKey] = MappingProxyType({})
_MOST_AT_ONCE = 2_000
_LONGEST_REASON = 500


class TournamentServicer(WorkingServicer):
    """All calls: those of workers are in working.py, those that only look in reading.py."""

    def __init__(
        self,
        host: TournamentHost,
        gate: Gate,
        key: SigningKey,
        limits: Limits,
        token_seconds: int,
        import_keys: Mapping[str, PublicKey] = _NOBODY,
    ) -> None:
        super().__init__(host, gate, key, limits)
        self._token_seconds = token_seconds
        self._lifecycle = host.lifecycle
        self._importer = Importer(host, {**import_keys, key.public.id: key.public})

    async def _done(
        self,
        request: "_Request",
        caller: Caller,
        may: May,
        decide: Decide,
        *content: object,
        is_long: bool = False,
    ) -> Acknowledgement:
        """Somebody's command, under an id of theirs; `content` tells it from others, `decide` is told their name."""
        # Before the tournament is even looked for.
        self.gate.anybody(caller)
        live = await self.host.fresh(request.tournament_id)
        claims = may(live.folded, caller)
        command = Command(
            _owner(claims),
            command_id_of(request.command_id),
            digest_of(type(request).__name__, *content),
            lambda before, stamp: decide(before, stamp, claims.subject),
            request_id=caller.request_id,
            is_long=is_long,
        )
        accepted = await self.host.execute(live, command)
        log.info("tournament_changed", tournament=live.folded.id, call=type(request).__name__, version=accepted.version)
        return self.acknowledgement(live.folded.id, accepted)

    async def _written(self, tournament_id: str, version: int, kind: type[M]) -> M:
        """The event that a command has written, now or before."""
        live = await self.host.get(tournament_id)
        (envelope,) = await self.host.reader.page(live, version - 1, 1)
        return kind.FromString(envelope.public)

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
        if len(request.entrants) > _MOST_AT_ONCE:
            self.gate.anybody(caller)
            raise errors.too_much("entrants", f"One call registers at most {_MOST_AT_ONCE:,} entrants.")
        claims = self.gate.anybody(caller)
        tournament = (await self.host.fresh(request.tournament_id)).folded
        entrants = self._entrants_of(tournament, request, claims, caller)
        if not entrants:
            raise Malformed("entrants", "Nobody is to be registered.")
        acknowledgement = await self._done(
            request,
            caller,
            lambda _tournament, _caller: claims,
            lambda before, stamp, _by: self._lifecycle.register(before, entrants, stamp),
            b"".join([one.SerializeToString(deterministic=True) for one in entrants]).hex(),
        )
        event = await self._written(tournament.id, acknowledgement.first_version, pb.EntrantRegistered)
        return api.RegisterEntrantsResponse(number=event.number, acknowledgement=acknowledgement)

    def _entrants_of(
        self, tournament: Tournament, request: api.RegisterEntrantsRequest, claims: Claims, caller: Caller
    ) -> list[pb.Entrant]:
        if Scope.ORGANISER in claims.scopes and claims.subject == tournament.organiser_id:
            return plans.entrants_of(list(request.entrants), plans.game_of(tournament.plan.game))
        player = self.gate.access.someone(caller, Scope.PLAYER)
        if len(request.entrants) != 1:
            raise Malformed("entrants", "A player registers themselves, and nobody else.")
        return [plans.own_entry(request.entrants[0], player.subject)]

    async def check_in(self, request: api.CheckInRequest, caller: Caller) -> api.CheckInResponse:
        return api.CheckInResponse(acknowledgement=await self._entry(request, caller, self._lifecycle.check_in))

    async def withdraw(self, request: api.WithdrawRequest, caller: Caller) -> api.WithdrawResponse:
        return api.WithdrawResponse(acknowledgement=await self._entry(request, caller, self._lifecycle.withdraw))

    async def return_(self, request: api.ReturnRequest, caller: Caller) -> api.ReturnResponse:
        return api.ReturnResponse(acknowledgement=await self._entry(request, caller, self._lifecycle.come_back))

    async def _entry(
        self,
        request: api.CheckInRequest | api.WithdrawRequest | api.ReturnRequest,
        caller: Caller,
        decide: Callable[[Tournament, Number, Stamp], Decided[Tournament] | Refusal],
    ) -> Acknowledgement:
        """A command about an entrant, by whoever may act for them."""
        number = Number(request.number)
        return await self._done(
            request,
            caller,
            lambda tournament, caller: self.gate.entrant(tournament, number, caller),
            lambda before, stamp, _by: decide(before, number, stamp),
            number,
        )

    async def start_tournament(
        self, request: api.StartTournamentRequest, caller: Caller
    ) -> api.StartTournamentResponse:
        acknowledgement = await self._done(
            request,
            caller,
            self.gate.organiser,
            lambda before, stamp, _by: self._lifecycle.start(before, stamp),
            is_long=True,
        )
        return api.StartTournamentResponse(acknowledgement=acknowledgement)

    async def lay_down_pairs(self, request: api.LayDownPairsRequest, caller: Caller) -> api.LayDownPairsResponse:
        if len(request.pairs.forbidden) + len(request.pairs.forced) > _MOST_AT_ONCE:
            self.gate.anybody(caller)
            raise errors.too_much("pairs", f"At most {_MOST_AT_ONCE:,} pairs can be laid down.")
        forbidden, forced = pairs_of(request.pairs.forbidden), pairs_of(request.pairs.forced)
        acknowledgement = await self._done(
            request,
            caller,
            self.gate.arbiter,
            lambda before, stamp, _by: self._lifecycle.lay_down_pairs(before, forbidden, forced, stamp),
            sorted(forbidden),
            sorted(forced),
        )
        return api.LayDownPairsResponse(acknowledgement=acknowledgement)

    async def make_ruling(self, request: api.MakeRulingRequest, caller: Caller) -> api.MakeRulingResponse:
        ruling = pb.Ruling.FromString(request.ruling.SerializeToString())
        ruling.DiscardUnknownFields()
        acknowledgement = await self._done(
            request,
            caller,
            self._arbiter_with(request.reason),
            lambda before, stamp, by: self._lifecycle.rule(before, ruling, by, request.reason, stamp),
            ruling.SerializeToString(deterministic=True).hex(),
            request.reason,
        )
        event = await self._written(request.tournament_id, acknowledgement.first_version, pb.RulingMade)
        return api.MakeRulingResponse(number=event.number, acknowledgement=acknowledgement)

    async def undo_ruling(self, request: api.UndoRulingRequest, caller: Caller) -> api.UndoRulingResponse:
        acknowledgement = await self._done(
            request,
            caller,
            self._arbiter_with(request.reason),
            lambda before, stamp, by: self._lifecycle.undo(before, request.number, by, request.reason, stamp),
            request.number,
            request.reason,
        )
        return api.UndoRulingResponse(acknowledgement=acknowledgement)

    def _arbiter_with(self, reason: str) -> May:
        """An arbiter, who gives a reason."""

        def may(tournament: Tournament, caller: Caller) -> Claims:
            claims = self.gate.arbiter(tournament, caller)
            if not 1 <= len(reason) <= _LONGEST_REASON or not reason.isprintable():
                sentence = f"A ruling has a reason, of 1 to {_LONGEST_REASON} printable characters."
                raise Malformed("reason", sentence)
            return claims

        return may

    async def pause_tournament(
        self, request: api.PauseTournamentRequest, caller: Caller
    ) -> api.PauseTournamentResponse:
        acknowledgement = await self._done(
            request, caller, self.gate.arbiter, lambda before, stamp, _by: self._lifecycle.pause(before, stamp)
        )
        return api.PauseTournamentResponse(acknowledgement=acknowledgement)

    async def resume_tournament(
        self, request: api.ResumeTournamentRequest, caller: Caller
    ) -> api.ResumeTournamentResponse:
        acknowledgement = await self._done(
            request, caller, self.gate.arbiter, lambda before, stamp, _by: self._lifecycle.resume(before, stamp)
        )
        return api.ResumeTournamentResponse(acknowledgement=acknowledgement)

    async def finish_tournament(
        self, request: api.FinishTournamentRequest, caller: Caller
    ) -> api.FinishTournamentResponse:
        acknowledgement = await self._done(
            request,
            caller,
            self.gate.organiser,
            lambda before, stamp, _by: self._lifecycle.finish(before, stamp),
            is_long=True,
        )
        return api.FinishTournamentResponse(acknowledgement=acknowledgement)

    async def import_tournament(
        self, request: api.ImportTournamentRequest, caller: Caller
    ) -> api.ImportTournamentResponse:
        self.gate.access.someone(caller, Scope.ORGANISER)
        tournament, accepted = await self._importer.take(request.file, caller.request_id)
        return api.ImportTournamentResponse(
            tournament_id=tournament.id, acknowledgement=self.acknowledgement(tournament.id, accepted)
        )

    async def issue_arbiter_token(
        self, request: api.IssueArbiterTokenRequest, caller: Caller
    ) -> api.IssueArbiterTokenResponse:
        self.gate.anybody(caller)
        tournament = (await self.host.fresh(request.tournament_id)).folded
        self.gate.organiser(tournament, caller)
        if not is_subject(request.arbiter_id):
            raise Malformed("arbiter_id", "An arbiter's id has 1 to 64 printable ASCII characters.")
        tokens = self.gate.access.tokens
        expires = tokens.expiry(self._token_seconds)
        claims = Claims(request.arbiter_id, frozenset({Scope.ARBITER}), expires, tournament.id)
        return api.IssueArbiterTokenResponse(token=tokens.issue(claims), expires_micros=expires)


class _Request(Protocol):
    """What every call of these has."""

    @property
    def tournament_id(self) -> str: ...
    @property
    def command_id(self) -> str: ...


def _owner(claims: Claims) -> str:
    """Whose ids these are. An arbiter may be called like a player."""
    return f"arbiter-{claims.subject}" if Scope.ARBITER in claims.scopes else f"by-{claims.subject}"
