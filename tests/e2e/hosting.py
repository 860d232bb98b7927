"""Hosts, arbiters and players of tournaments, for tests that run the whole platform.

They only use what any client can use: tokens, and calls over gRPC. What they wait for is told to them by streams.
"""

import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import grpc

from meydan.match.v1 import match_service_pb2, match_service_pb2_grpc
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from meydan.tournament.v1 import tournament_service_pb2_grpc
from services import keyring, registry
from services.launcher import Launcher
from shared.access.tokens import Scope
from shared.proof.keys import PublicKey
from shared.settings import Settings

# The last resort against a platform that does not go on.
PATIENCE = 90.0


@dataclass(frozen=True)
class Person:
    """Somebody with a token, and what they know: the addresses of the platform's services."""

    addresses: dict[str, str]
    token: str

    def ask(self, method: str, request: Any) -> Any:
        """The answer of the tournament service."""
        return getattr(_tournaments(self._at_tournaments), method)(request, timeout=PATIENCE, metadata=self._metadata)

    def ask_game(self, game: str, method: str, request: Any) -> Any:
        """The answer of a game's service; of a stream, what comes."""
        return getattr(_matches(self.addresses[game]), method)(request, timeout=PATIENCE, metadata=self._metadata)

    @contextmanager
    def watching(self, method: str, request: Any) -> Iterator[Iterator[Any]]:
        """A stream of the tournament service, for as long as somebody looks."""
        stream = self.ask(method, request)
        try:
            yield stream
        finally:
            stream.cancel()

    @property
    def _at_tournaments(self) -> str:
        return self.addresses[registry.TOURNAMENT]

    @property
    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),)


# One connection serves everybody: who somebody is, each call says.
@cache
def _tournaments(address: str) -> Any:
    return tournament_service_pb2_grpc.TournamentServiceStub(grpc.insecure_channel(address))


@cache
def _matches(address: str) -> Any:
    return match_service_pb2_grpc.MatchServiceStub(grpc.insecure_channel(address))


@dataclass(frozen=True)
class Event:
    """One tournament, in the hands of one person."""

    person: Person
    id: str

    @classmethod
    def create(cls, host: Person, plan: pb.Plan) -> "Event":
        """A new tournament of this host's."""
        return cls(host, host.ask("CreateTournament", api.CreateTournamentRequest(plan=plan)).tournament_id)

    def as_seen_by(self, person: Person) -> "Event":
        """The same tournament in other hands."""
        return Event(person, self.id)

    def do(self, call: str, **what: Any) -> Any:
        """A call that changes something, and happens once."""
        request = getattr(api, f"{call}Request")(tournament_id=self.id, command_id=str(uuid.uuid4()), **what)
        return self.person.ask(call, request)

    def add_computer_players(self, *ratings: int, level: str = "random") -> None:
        """The organiser's: one for each rating."""
        entrants = [pb.Entrant(name=f"{level} {at}", ai_level=level, rating=one) for at, one in enumerate(ratings)]
        self.do("RegisterEntrants", entrants=entrants)

    def arbiter(self, name: str) -> "Event":
        """The tournament in the hands of an arbiter, who has nothing but the token of one."""
        request = api.IssueArbiterTokenRequest(tournament_id=self.id, arbiter_id=name)
        token = self.person.ask("IssueArbiterToken", request).token
        return self.as_seen_by(Person(self.person.addresses, token))

    # Looking on

    def summary(self) -> api.TournamentSummary:
        found: api.TournamentSummary = self.person.ask(
            "GetTournament", api.GetTournamentRequest(tournament_id=self.id)
        ).tournament
        return found

    def round(self, number: int | None = None) -> api.GetRoundResponse:
        """A round, or the present one."""
        found: api.GetRoundResponse = self.person.ask(
            "GetRound", api.GetRoundRequest(tournament_id=self.id, round=number)
        )
        return found

    def standings(self) -> list[api.StandingsRow]:
        """All rows, the best first."""
        found = self.person.ask("GetStandings", api.GetStandingsRequest(tournament_id=self.id))
        return list(found.rows)

    def points(self) -> dict[int, str]:
        """The points of every entrant, as they are shown."""
        return {row.number: row.points for row in self.standings()}

    def explanation(self, number: int, entrant: int) -> Sequence[str]:
        """Why somebody sat where they did."""
        request = api.ExplainPairingRequest(tournament_id=self.id, round=number, number=entrant)
        return list(self.person.ask("ExplainPairing", request).sentences)

    def export(self) -> list[str]:
        """The lines of the exported log."""
        pieces = self.person.ask("ExportTournament", api.ExportTournamentRequest(tournament_id=self.id))
        return b"".join([one.piece for one in pieces]).decode().splitlines(keepends=True)

    def keys(self) -> dict[str, PublicKey]:
        """What the log is signed with."""
        return {row.key_id: PublicKey(row.key) for row in self.person.ask("ListKeys", api.ListKeysRequest()).keys}

    def changes(self) -> Iterator[None]:
        """Now, and whenever something has happened, to the end of the tournament."""
        request = api.WatchTournamentRequest(tournament_id=self.id)
        with self.person.watching("WatchTournament", request) as news:
            for _ in news:
                yield

    def until(self, is_so: Callable[[], bool]) -> None:
        """Waits for something that must come before the end."""
        assert any(is_so() for _ in self.changes()), "the tournament has ended, and it has never been so"

    def until_the_end(self) -> None:
        """Waits for the end."""
        for _ in self.changes():
            pass

    def pushed_standings(self) -> list[api.WatchStandingsResponse]:
        """What is sent to who watches the standings, from now to the end."""
        request = api.WatchStandingsRequest(tournament_id=self.id)
        with self.person.watching("WatchStandings", request) as news:
            return list(news)


@dataclass
class Player:
    """Somebody who takes part with a client of their own, and plays at random."""

    event: Event
    name: str
    luck: random.Random
    number: int = -1
    played: list[str] = field(default_factory=list)

    def register(self) -> None:
        """Themselves, with some chance of their own."""
        entrant = pb.Entrant(name=self.name, entropy=self.luck.randbytes(16))
        self.number = self.event.do("RegisterEntrants", entrants=[entrant]).number

    def take_part(self) -> None:
        """To the end of the tournament: every match that it gives them."""
        for _ in self.event.changes():
            table = self.table()
            if table is not None:
                self.play(self.sit_down(table))

    def table(self) -> api.RoundTable | None:
        """Their table of the present round, if a match waits there that they have not played."""
        if not self.event.summary().round:
            return None
        waiting = [
            table
            for table in self.event.round().tables
            if self.number in table.seating.seats and table.match_id and table.match_id not in self.played
        ]
        return waiting[0] if waiting else None

    def sit_down(self, table: api.RoundTable) -> "Seat":
        """Takes the seat that is kept for them."""
        self.played.append(table.match_id)
        game = self.event.summary().plan.game
        request = match_service_pb2.JoinMatchRequest(
            match_id=table.match_id,
            player_name=self.name,
            request_id=str(uuid.uuid4()),
            entropy=self.luck.randbytes(16),
        )
        joined = self.event.person.ask_game(game, "JoinMatch", request)
        assert table.seating.seats[joined.seat] == self.number
        return Seat(game, table.match_id, match_service_pb2.SeatCredential(seat=joined.seat, token=joined.token))

    def find_and_sit_down(self) -> "Seat":
        """The next match that the tournament gives them."""
        self.event.until(lambda: self.table() is not None)
        table = self.table()
        assert table is not None
        return self.sit_down(table)

    def play(self, seat: "Seat") -> None:
        """To the end of the match, some legal command whenever it is their turn."""
        me = self.event.person
        watch = match_service_pb2.WatchMatchRequest(
            match_id=seat.match_id, viewer=match_service_pb2.Viewer(seat=seat.credential)
        )
        for _ in me.ask_game(seat.game, "WatchMatch", watch):
            asked = match_service_pb2.GetLegalCommandsRequest(match_id=seat.match_id, seat=seat.credential)
            legal = me.ask_game(seat.game, "GetLegalCommands", asked).commands
            if legal:
                request = match_service_pb2.SubmitCommandRequest(
                    match_id=seat.match_id,
                    seat=seat.credential,
                    command_id=str(uuid.uuid4()),
                    command=self.luck.choice(legal).command,
                )
                me.ask_game(seat.game, "SubmitCommand", request)


@dataclass(frozen=True)
class Seat:
    """A seat of a match that a player has taken."""

    game: str
    match_id: str
    credential: match_service_pb2.SeatCredential


@dataclass(frozen=True)
class Venue:
    """A platform that is up, and whoever runs it, who gives tokens."""

    platform: Launcher
    settings: Settings

    def person(self, name: str, *scopes: Scope) -> Person:
        """Somebody with a token of their own."""
        token = keyring.issue(keyring.token_key_file(self.settings), name, scopes, hours=1)
        return Person(self.platform.addresses, token)

    def host(self, plan: pb.Plan) -> Event:
        """A new tournament, in the hands of its organiser."""
        return Event.create(self.person("organiser", Scope.ORGANISER), plan)

    def onlooker(self, event: Event) -> Event:
        """The tournament, in the hands of somebody who takes no part."""
        return event.as_seen_by(self.person("onlooker", Scope.PUBLIC))

    def player(self, event: Event, name: str) -> Player:
        """Somebody who may take part."""
        return Player(event.as_seen_by(self.person(name.lower(), Scope.PLAYER)), name, random.Random(name))
