"""meydan.match.v1.MatchService for one game."""

import hmac
import secrets

import structlog

from meydan.match.v1 import envelope_pb2
from meydan.match.v1 import match_service_pb2 as pb
from shared import tracing
from shared.access.tokens import TOURNAMENT, Claims, Scope
from shared.host import errors, messages
from shared.host.access import Access, Caller, check_seat, denied
from shared.host.host import Host
from shared.host.keeper import CREATE, Accepted, Command, digest_of
from shared.host.limits import Limits
from shared.host.live import Live
from shared.host.play import PlayStream, Read, Write
from shared.host.reading import ReadingServicer
from shared.kernel import Malformed, Refusal, Seat, Viewer
from shared.match.agents import agent_seed
from shared.match.ids import is_match_id, new_match_id
from shared.match.model import Decided, Match, SeatState, Stamp, Status
from shared.proof.keys import SigningKey

log = structlog.get_logger(__name__)


class MatchServicer(ReadingServicer):
    """All calls: those that change something are here."""

    def __init__(self, host: Host, access: Access, key: SigningKey, limits: Limits, token_seconds: int) -> None:
        super().__init__(host, access, key, limits)
        self._token_seconds = token_seconds

    async def create_match(self, request: pb.CreateMatchRequest, caller: Caller) -> pb.CreateMatchResponse:
        organiser = self.access.someone(caller, Scope.ORGANISER).subject
        game = self.host.game
        seats = messages.seats_of(game, request)
        options = messages.options_of(game, request)
        terms = messages.terms_of(request, organiser)
        match_id = request.match_id or new_match_id(self.host.now())
        if not is_match_id(match_id):
            raise Malformed("match_id", "A match id is a ULID: 26 characters, digits and capital letters.")
        digest = digest_of("create", options, terms, *seats)
        await self._check_room(organiser, match_id, digest)
        accepted = await self.host.create(
            match_id,
            options,
            seats,
            terms,
            seed=secrets.token_bytes(32),
            digest=digest,
            request_id=caller.request_id,
        )
        log.info("match_created", match=match_id, seats=len(seats), version=accepted.version)
        receipt = messages.receipt_message(self.signed(match_id, accepted.version, accepted.head))
        return pb.CreateMatchResponse(match_id=match_id, version=accepted.version, receipt=receipt)

    async def _check_room(self, organiser: str, match_id: str, digest: bytes) -> None:
        most = self.limits.open_matches
        # A tournament has as many as it has tables.
        if organiser.startswith(TOURNAMENT) or await self.host.log.open_matches(organiser) < most:
            return
        # A call that is repeated makes no other match.
        if await self.host.log.find(match_id, CREATE, digest) is None:
            raise errors.too_much("open_matches", f"One organiser has at most {most} matches going on.")

    async def join_match(self, request: pb.JoinMatchRequest, caller: Caller) -> pb.JoinMatchResponse:
        claims = self.access.someone(caller, Scope.PLAYER)
        wanted = Seat(request.seat) if request.HasField("seat") else None
        joining = messages.command_id_of(request.request_id or secrets.token_hex(16), "request_id")
        player = messages.player_of(request, claims.subject, joining)
        live = await self.host.get(request.match_id)
        if wanted is not None and wanted >= len(live.folded.seats):
            raise Malformed("seat", f"This match has the seats 0 to {len(live.folded.seats) - 1}.")
        command = Command(
            f"join-{claims.subject}",
            joining,
            digest_of("join", wanted, player.player_name, player.entropy.hex()),
            lambda match, stamp: self.host.lifecycle.join(match, wanted, player, stamp),
            request_id=caller.request_id,
        )
        accepted = await self.host.execute(live, command)
        if accepted.version > live.folded.version:
            live = await self.host.fresh(request.match_id)
        seat = _seat_of(live.folded, claims.subject, joining)
        token, _ = self._seat_token(request.match_id, seat, joining, claims)
        receipt = messages.receipt_message(self.signed(request.match_id, accepted.version, accepted.head))
        return pb.JoinMatchResponse(seat=seat, token=token, version=accepted.version, receipt=receipt)

    async def issue_token(self, request: pb.IssueTokenRequest, caller: Caller) -> pb.IssueTokenResponse:
        claims = self.access.claims(caller.token)
        match = (await self.host.fresh(request.match_id)).folded
        match request.WhichOneof("holder"):
            case "seat":
                state = messages.seat_of(match, request.seat)
                if Scope.PLAYER not in claims.scopes or not state.join_id or state.player_id != claims.subject:
                    raise errors.not_your_seat()
                token, expires = self._seat_token(match.id, Seat(request.seat), state.join_id, claims)
            case "spectator":
                if Scope.ORGANISER not in claims.scopes or match.terms.organiser_id != claims.subject:
                    raise denied("NOT_YOUR_MATCH", "Only the organiser of a match invites spectators.")
                token, expires = self._spectator_token(match.id, claims)
            case _:
                raise Malformed("holder", "A token is for a seat or for a spectator.")
        return pb.IssueTokenResponse(token=token, expires_micros=expires)

    async def release_seat(self, request: pb.ReleaseSeatRequest, caller: Caller) -> pb.ReleaseSeatResponse:
        claims = self.access.claims(caller.token)
        live = await self.host.fresh(request.match_id)
        seat = Seat(request.seat)
        messages.seat_of(live.folded, seat)

        def decide(match: Match, stamp: Stamp) -> Decided[Match] | Refusal:
            _check_may_release(match, seat, claims)
            return self.host.lifecycle.release(match, seat, stamp)

        command = Command(
            f"release-{claims.subject}",
            messages.command_id_of(request.command_id),
            digest_of("release", seat),
            decide,
            request_id=caller.request_id,
        )
        accepted = await self.host.execute(live, command)
        log.info("seat_released", match=request.match_id, seat=seat, version=accepted.version)
        return pb.ReleaseSeatResponse(acknowledgement=self.acknowledgement(request.match_id, accepted))

    async def submit_command(self, request: pb.SubmitCommandRequest, caller: Caller) -> pb.SubmitCommandResponse:
        accepted = await self.submit(request, caller)
        return pb.SubmitCommandResponse(acknowledgement=self.acknowledgement(request.match_id, accepted))

    async def submit(self, request: pb.SubmitCommandRequest, caller: Caller) -> Accepted:
        """A command, from a call or from a Play stream."""
        live, seat, claims = await self._match_and_seat(request.match_id, request.seat, caller)
        command = messages.command_of(self.host.game, request)
        tracing.of_kind(command)
        text = self.host.game.notation.format_command(command)
        expected = request.expected_version if request.HasField("expected_version") else None
        note = self._note_of(live.folded, seat, request)

        def decide(match: Match, stamp: Stamp) -> Decided[Match] | Refusal:
            check_seat(match, seat, claims)
            if note is not None and not hmac.compare_digest(note.seed, agent_seed(match, seat)):
                raise Malformed("agent.seed", "This is not the seed of this turn.")
            return self.host.lifecycle.submit(match, seat, command, note, stamp)

        accepted = await self.host.execute(
            live,
            Command(
                f"seat-{seat}",
                messages.command_id_of(request.command_id),
                # The answer to a command is not for another who holds the seat later.
                digest_of("submit", seat, claims.subject, claims.join_id, text),
                decide,
                expected,
                caller.request_id,
            ),
        )
        log.debug("command_accepted", match=request.match_id, seat=seat, version=accepted.version)
        return accepted

    def _note_of(self, match: Match, seat: Seat, request: pb.SubmitCommandRequest) -> envelope_pb2.AgentNote | None:
        """An AI's note must be true as far as the service can tell: the move will be computed again from it."""
        level, note = match.seats[seat].ai_level, request.agent
        if bool(level) != request.HasField("agent"):
            raise Malformed("agent", "A computer's seat moves with a note of its player, and no other seat does.")
        if not level:
            return None
        if note.name != f"{self.host.game.name}/{level}":
            raise Malformed("agent.name", "This is not the player of this seat.")
        if not request.HasField("expected_version"):
            raise Malformed("expected_version", "A computer player names the version that it has seen.")
        # Made anew, so that nothing else comes into the log with it.
        return envelope_pb2.AgentNote(name=note.name, version=note.version, seed=note.seed, iterations=note.iterations)

    async def get_agent_turn(self, request: pb.GetAgentTurnRequest, caller: Caller) -> pb.GetAgentTurnResponse:
        claims = self.access.claims(caller.token)
        match = (await self.host.fresh(request.match_id)).folded
        seat = Seat(request.seat)
        check_seat(match, seat, claims)
        if not match.seats[seat].ai_level:
            raise errors.not_your_seat()
        if match.version != request.version or match.status is not Status.PLAYING:
            raise errors.stale(request.version, match.version)
        return pb.GetAgentTurnResponse(seed=agent_seed(match, seat), view=self.host.packed_view(match, Viewer(seat)))

    async def resign_match(self, request: pb.ResignMatchRequest, caller: Caller) -> pb.ResignMatchResponse:
        live, seat, claims = await self._match_and_seat(request.match_id, request.seat, caller)

        def decide(match: Match, stamp: Stamp) -> Decided[Match] | Refusal:
            check_seat(match, seat, claims)
            return self.host.lifecycle.resign(match, seat, stamp)

        command = Command(
            f"seat-{seat}",
            messages.command_id_of(request.command_id),
            digest_of("resign", seat, claims.subject, claims.join_id),
            decide,
            request_id=caller.request_id,
        )
        accepted = await self.host.execute(live, command)
        log.info("seat_resigned", match=request.match_id, seat=seat, version=accepted.version)
        return pb.ResignMatchResponse(acknowledgement=self.acknowledgement(request.match_id, accepted))

    async def play(self, read: Read, write: Write, caller: Caller) -> None:
        """One stream, until its end."""
        self.access.claims(caller.token)
        with self.streams.one_more(caller.peer):
            await PlayStream(self, read, caller).run(write)

    def acknowledgement(self, match_id: str, accepted: Accepted) -> pb.Acknowledgement:
        """The answer to an accepted command, with its receipt."""
        receipt = messages.receipt_message(self.signed(match_id, accepted.version, accepted.head))
        return pb.Acknowledgement(first_version=accepted.first, version=accepted.version, receipt=receipt)

    def _seat_token(self, match_id: str, seat: Seat, join_id: str, claims: Claims) -> tuple[str, int]:
        expires = self.access.tokens.expiry(self._token_seconds)
        scopes = frozenset({Scope.SEAT})
        return self.access.tokens.issue(Claims(claims.subject, scopes, expires, match_id, seat, join_id)), expires

    def _spectator_token(self, match_id: str, claims: Claims) -> tuple[str, int]:
        expires = self.access.tokens.expiry(self._token_seconds)
        scopes = frozenset({Scope.SPECTATOR})
        return self.access.tokens.issue(Claims(claims.subject, scopes, expires, match_id)), expires

    async def _match_and_seat(
        self, match_id: str, credential: pb.SeatCredential, caller: Caller
    ) -> tuple[Live[Match], Seat, Claims]:
        """For a command: the match as this process knows it, and the seat that the caller has proved to hold."""
        claims = self.access.holder(credential, caller)
        live = await self.host.get(match_id)
        try:
            check_seat(live.folded, credential.seat, claims)
        except errors.Refused:
            # Another process may have given the seat away a moment ago.
            live = await self.host.fresh(match_id)
            check_seat(live.folded, credential.seat, claims)
        return live, Seat(credential.seat), claims


def _seat_of(match: Match, player_id: str, join_id: str) -> Seat:
    """The seat that a join took, if the player still has it."""
    for number, seat in enumerate(match.seats):
        if (seat.player_id, seat.join_id) == (player_id, join_id):
            return Seat(number)
    raise denied("TOKEN_REVOKED", "The seat has changed hands since this call was first made.")


def _check_may_release(match: Match, seat: Seat, claims: Claims) -> None:
    if Scope.ORGANISER in claims.scopes and match.terms.organiser_id == claims.subject:
        return
    state: SeatState = match.seats[seat]
    if Scope.PLAYER not in claims.scopes or not state.join_id or state.player_id != claims.subject:
        raise errors.not_your_seat()
    if match.status is not Status.WAITING:
        raise denied("MATCH_STARTED", "After the start only the organiser opens a seat again; a player may resign.")
