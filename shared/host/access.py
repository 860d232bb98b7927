"""The gate: who calls, which seat that opens, and what it lets them see."""

from typing import NamedTuple

import grpc

from meydan.match.v1 import match_service_pb2 as pb
from shared.access.tokens import BadToken, Claims, Scope, Tokens
from shared.host import errors
from shared.host.errors import Refused
from shared.kernel import EVERYTHING, SPECTATOR, Seat, Viewer
from shared.match.model import Match, Status

# What the token of a computer player's seat has in place of a player and of a join.
AGENT = "agent"


class Caller(NamedTuple):
    """Who calls: the token of the call's metadata, if there is one, the id of the request, and the connection."""

    request_id: str
    token: str = ""
    peer: str = ""


class Sight(NamedTuple):
    """The eyes that somebody looks with, and the claims that allow it."""

    viewer: Viewer
    claims: Claims


class Access:
    """What the tokens of callers allow. Whatever they do not is refused, with a reason that tells nothing else."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def claims(self, token: str) -> Claims:
        """What a token says; UNAUTHENTICATED if it is missing or not good."""
        if not token:
            raise unauthenticated("NO_TOKEN", "This call needs a token: the metadata `authorization: Bearer TOKEN`.")
        try:
            return self.tokens.read(token)
        except BadToken as error:
            raise unauthenticated(error.reason, error.message) from None

    def someone(self, caller: Caller, scope: Scope) -> Claims:
        """The claims of a caller whose token has this scope."""
        claims = self.claims(caller.token)
        if scope not in claims.scopes:
            raise denied("WRONG_TOKEN", f"This call needs the token of {_WHO[scope]}.")
        return claims

    def holder(self, credential: pb.SeatCredential, caller: Caller) -> Claims:
        """The claims of a credential's own token, or else of the call's. Asked before a match is even looked for."""
        return self.claims(credential.token or caller.token)

    def check_still(self, match: Match, sight: Sight) -> None:
        """Raises if what a stream was opened with is not good any more."""
        claims = sight.claims
        if claims.expires_micros <= self.tokens.now_micros():
            raise unauthenticated("TOKEN_EXPIRED", "The token has expired.")
        if claims.seat is not None:
            check_seat(match, claims.seat, claims)
        else:
            check_may_watch(match, claims)


def sight(match: Match, wanted: pb.Viewer, claims: Claims) -> Sight:
    """The eyes that somebody with these claims may look with."""
    is_over = match.status is Status.FINISHED
    match wanted.WhichOneof("sight"):
        case "seat" if not (is_over and not wanted.seat.token):
            check_seat(match, wanted.seat.seat, claims)
            return Sight(Viewer(Seat(wanted.seat.seat)), claims)
        case "seat":
            check_may_watch(match, claims)
            if wanted.seat.seat >= len(match.seats):
                raise errors.not_your_seat()
            return Sight(Viewer(Seat(wanted.seat.seat)), claims)
        case "everything":
            check_may_watch(match, claims)
            if not is_over:
                raise errors.still_secret()
            return Sight(EVERYTHING, claims)
        case _:
            check_may_watch(match, claims)
            return Sight(SPECTATOR, claims)


def check_seat(match: Match, seat: int, claims: Claims) -> None:
    """Raises unless the claims are of this seat of this match, and of the player who holds it now."""
    if claims.match_id != match.id or claims.seat != seat or seat >= len(match.seats):
        raise errors.not_your_seat()
    state = match.seats[seat]
    # Players choose the ids of their joins: another's may be the same.
    holder = (AGENT, AGENT) if state.ai_level else (state.player_id, state.join_id)
    if (claims.subject, claims.join_id) != holder:
        raise denied("TOKEN_REVOKED", "The seat has changed hands since this token was made.")


def check_may_watch(match: Match, claims: Claims) -> None:
    """Raises unless somebody with these claims may watch the match."""
    if not may_watch(match, claims):
        raise denied("NOT_YOUR_MATCH", "This token does not open this match.")


def may_watch(match: Match, claims: Claims) -> bool:
    """A token that is bound to a match opens that one; others open what is public, or what their holder is part of."""
    if claims.match_id:
        return claims.match_id == match.id and (claims.seat is None or _holds(match, claims))
    if match.terms.is_public:
        return True
    if Scope.ORGANISER in claims.scopes and claims.subject == match.terms.organiser_id:
        return True
    return Scope.PLAYER in claims.scopes and any(seat.player_id == claims.subject for seat in match.seats)


def _holds(match: Match, claims: Claims) -> bool:
    try:
        check_seat(match, -1 if claims.seat is None else claims.seat, claims)
    except Refused:
        return False
    return True


def unauthenticated(reason: str, message: str) -> Refused:
    return Refused(grpc.StatusCode.UNAUTHENTICATED, reason, message)


def denied(reason: str, message: str) -> Refused:
    return Refused(grpc.StatusCode.PERMISSION_DENIED, reason, message)


_WHO = {
    Scope.ORGANISER: "an organiser",
    Scope.PLAYER: "a player",
    Scope.SEAT: "a seat",
    Scope.SPECTATOR: "a spectator",
    Scope.PUBLIC: "a watcher",
    Scope.ARBITER: "an arbiter",
    Scope.WORKER: "the platform's own workers",
}
