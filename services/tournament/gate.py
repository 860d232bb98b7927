"""Who may do what with a tournament."""

from services.tournament.model import Number
from services.tournament.state import Tournament
from shared.access.tokens import Claims, Scope
from shared.host.access import Access, Caller, denied


class Gate:
    """What tokens open, tournament by tournament."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def organiser(self, tournament: Tournament, caller: Caller) -> Claims:
        """The organiser of this very tournament."""
        claims = self.access.claims(caller.token)
        if not _is_organiser(tournament, claims):
            raise denied("NOT_YOUR_TOURNAMENT", "This call needs the token of the tournament's organiser.")
        return claims

    def arbiter(self, tournament: Tournament, caller: Caller) -> Claims:
        """An arbiter of this very tournament, or its organiser."""
        claims = self.access.claims(caller.token)
        if not _is_arbiter(tournament, claims):
            raise denied("NOT_YOUR_TOURNAMENT", "This call needs the token of an arbiter of this tournament.")
        return claims

    def entrant(self, tournament: Tournament, number: Number, caller: Caller) -> Claims:
        """The entrant, an arbiter, or the organiser."""
        claims = self.access.claims(caller.token)
        is_own = Scope.PLAYER in claims.scopes and tournament.by_player.get(claims.subject) == number
        if not is_own and not _is_arbiter(tournament, claims):
            raise denied("NOT_YOUR_ENTRY", "A player acts for themselves, an arbiter of this tournament for all.")
        return claims

    def worker(self, tournament_id: str, caller: Caller) -> Claims:
        """The platform's own work for this tournament."""
        claims = self.access.someone(caller, Scope.WORKER)
        if claims.match_id != tournament_id:
            raise denied("NOT_YOUR_TOURNAMENT", "This token is of another tournament.")
        return claims

    def anybody(self, caller: Caller) -> Claims:
        """Whoever has a token: tournaments are public."""
        return self.access.claims(caller.token)


def _is_organiser(tournament: Tournament, claims: Claims) -> bool:
    return Scope.ORGANISER in claims.scopes and claims.subject == tournament.organiser_id


def _is_arbiter(tournament: Tournament, claims: Claims) -> bool:
    is_appointed = Scope.ARBITER in claims.scopes and claims.match_id == tournament.id
    return is_appointed or _is_organiser(tournament, claims)
