"""The tournament service, as the commands use it."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from meydan.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from services.cli.connection import Connection, Following
from shared.envelope import Envelope
from shared.host.messages import envelope_of
from shared.settings import Settings

# A round of the largest tournament is one message.
_MOST_BYTES = 32 << 20
_PAGE = 5_000
_REGISTERED_AT_ONCE = 10_000
# A long start, or the standings of very many, take a while.
_LONG_SECONDS = 120.0


class TournamentClient(Connection):
    """The calls of the tournament service."""

    def __init__(self, address: str, settings: Settings, token: str = "") -> None:
        super().__init__(
            "The tournament service", address, settings, token, (("grpc.max_receive_message_length", _MOST_BYTES),)
        )
        self._stub = TournamentServiceStub(self.channel)

    def keys(self) -> api.ListKeysResponse:
        """What the service signs with."""
        return self.call(self._stub.ListKeys, api.ListKeysRequest())

    def create(self, plan: pb.Plan) -> str:
        """Makes a tournament; answers its id."""
        return self.call(self._stub.CreateTournament, api.CreateTournamentRequest(plan=plan)).tournament_id

    def register(self, tournament_id: str, entrants: Sequence[pb.Entrant]) -> int:
        """Registers entrants; answers the number of the first. The others follow."""
        first = [
            self.call(
                self._stub.RegisterEntrants,
                api.RegisterEntrantsRequest(tournament_id=tournament_id, command_id=_new_id(), entrants=piece),
                _LONG_SECONDS,
            ).number
            for piece in _pieces(entrants)
        ]
        return first[0]

    def check_in(self, tournament_id: str, number: int) -> None:
        """Says that an entrant has come."""
        request = api.CheckInRequest(tournament_id=tournament_id, command_id=_new_id(), number=number)
        self.call(self._stub.CheckIn, request)

    def withdraw(self, tournament_id: str, number: int) -> None:
        """An entrant is not paired any more."""
        request = api.WithdrawRequest(tournament_id=tournament_id, command_id=_new_id(), number=number)
        self.call(self._stub.Withdraw, request)

    def come_back(self, tournament_id: str, number: int) -> None:
        """An entrant who has withdrawn is paired again."""
        request = api.ReturnRequest(tournament_id=tournament_id, command_id=_new_id(), number=number)
        self.call(self._stub.Return, request)

    def start(self, tournament_id: str) -> None:
        """Ends registration."""
        request = api.StartTournamentRequest(tournament_id=tournament_id, command_id=_new_id())
        self.call(self._stub.StartTournament, request, _LONG_SECONDS)

    def pause(self, tournament_id: str) -> None:
        """Nothing new begins."""
        request = api.PauseTournamentRequest(tournament_id=tournament_id, command_id=_new_id())
        self.call(self._stub.PauseTournament, request)

    def resume(self, tournament_id: str) -> None:
        """It goes on."""
        request = api.ResumeTournamentRequest(tournament_id=tournament_id, command_id=_new_id())
        self.call(self._stub.ResumeTournament, request)

    def finish(self, tournament_id: str) -> None:
        """Ends it where it stands."""
        request = api.FinishTournamentRequest(tournament_id=tournament_id, command_id=_new_id())
        self.call(self._stub.FinishTournament, request, _LONG_SECONDS)

    def lay_down(self, tournament_id: str, pairs: pb.PairsLaidDown) -> None:
        """Who must not, or must, meet from the next round on."""
        request = api.LayDownPairsRequest(tournament_id=tournament_id, command_id=_new_id(), pairs=pairs)
        self.call(self._stub.LayDownPairs, request)

    def rule(self, tournament_id: str, ruling: pb.Ruling, reason: str) -> int:
        """Decides as an arbiter; answers the ruling's number."""
        request = api.MakeRulingRequest(tournament_id=tournament_id, command_id=_new_id(), ruling=ruling, reason=reason)
        return self.call(self._stub.MakeRuling, request).number

    def undo(self, tournament_id: str, number: int, reason: str) -> None:
        """Takes a ruling back."""
        request = api.UndoRulingRequest(tournament_id=tournament_id, command_id=_new_id(), number=number, reason=reason)
        self.call(self._stub.UndoRuling, request)

    def arbiter_token(self, tournament_id: str, arbiter_id: str) -> str:
        """A token for an arbiter."""
        request = api.IssueArbiterTokenRequest(tournament_id=tournament_id, arbiter_id=arbiter_id)
        return self.call(self._stub.IssueArbiterToken, request).token

    def look(self, tournament_id: str) -> api.TournamentSummary:
        """A tournament as lists show it."""
        request = api.GetTournamentRequest(tournament_id=tournament_id)
        return self.call(self._stub.GetTournament, request).tournament

    def tournaments(self, status: api.TournamentStatus.ValueType, page_token: str = "") -> api.ListTournamentsResponse:
        """A page of them, the newest first."""
        request = api.ListTournamentsRequest(status=status, page_size=100, page_token=page_token)
        return self.call(self._stub.ListTournaments, request)

    def round(self, tournament_id: str, number: int | None, limit: int = _PAGE) -> api.GetRoundResponse:
        """A round, the present one if none is named, with its first tables."""
        request = api.GetRoundRequest(tournament_id=tournament_id, round=number, limit=limit)
        return self.call(self._stub.GetRound, request)

    def whole_round(self, tournament_id: str, number: int | None) -> api.GetRoundResponse:
        """A round with all of its tables."""
        found = self.round(tournament_id, number)
        while len(found.tables) < found.table_count:
            request = api.GetRoundRequest(
                tournament_id=tournament_id, round=found.round, first_table=len(found.tables), limit=_PAGE
            )
            page = self.call(self._stub.GetRound, request)
            found.tables.extend(page.tables)
            found.byes[:] = page.byes
        return found

    def standings(self, tournament_id: str, version: int | None = None) -> api.GetStandingsResponse:
        """All rows, as they are or as they were; those of one version, whatever happens meanwhile."""
        found = self._standings(tournament_id, version, 0)
        while len(found.rows) < found.row_count:
            found.rows.extend(self._standings(tournament_id, found.version, len(found.rows)).rows)
        return found

    def _standings(self, tournament_id: str, version: int | None, first: int) -> api.GetStandingsResponse:
        request = api.GetStandingsRequest(tournament_id=tournament_id, version=version, first_row=first, limit=_PAGE)
        return self.call(self._stub.GetStandings, request, _LONG_SECONDS)

    def explain(self, tournament_id: str, number: int, entrant: int) -> list[str]:
        """Why an entrant sits where it does in a round."""
        request = api.ExplainPairingRequest(tournament_id=tournament_id, round=number, number=entrant)
        return list(self.call(self._stub.ExplainPairing, request, _LONG_SECONDS).sentences)

    def history(self, tournament_id: str) -> list[Envelope]:
        """The whole log, as everybody may see it."""
        found: list[Envelope] = []
        while True:
            request = api.GetHistoryRequest(tournament_id=tournament_id, after_version=len(found), limit=_PAGE)
            page = self.call(self._stub.GetHistory, request, _LONG_SECONDS)
            found.extend(map(envelope_of, page.envelopes))
            if len(found) >= page.current_version:
                return found

    def export(self, tournament_id: str) -> bytes:
        """The log as a file."""
        request = api.ExportTournamentRequest(tournament_id=tournament_id)
        return b"".join(answer.piece for answer in self.stream(self._stub.ExportTournament, request))

    def take_in(self, file: bytes) -> api.ImportTournamentResponse:
        """Imports an exported log."""
        return self.call(self._stub.ImportTournament, api.ImportTournamentRequest(file=file), _LONG_SECONDS)

    def follow(self, tournament_id: str, seconds: float | None = None) -> Following[api.WatchStandingsResponse]:
        """All rows of the standings, then those that change; after a break, all again."""

        def watch() -> Any:
            request = api.WatchStandingsRequest(tournament_id=tournament_id)
            return self._stub.WatchStandings(request, timeout=seconds, metadata=self.metadata)

        def take(answer: api.WatchStandingsResponse) -> tuple[api.WatchStandingsResponse, bool]:
            return answer, answer.is_complete and answer.status == api.TOURNAMENT_STATUS_FINISHED

        return Following(self, watch, take)


def _new_id() -> str:
    return secrets.token_hex(16)


def _pieces(entrants: Sequence[pb.Entrant]) -> Iterator[Sequence[pb.Entrant]]:
    for first in range(0, len(entrants), _REGISTERED_AT_ONCE):
        yield entrants[first : first + _REGISTERED_AT_ONCE]
