"""Tournaments of a person, computer players and an arbiter: what of them nobody must see, and calls to be refused."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from shared.access.tokens import Claims, Scope, Tokens
from tests.e2e.hosting import Event, Player, Venue

_HOUR = 3600


@dataclass
class Held:
    """A tournament in the hands of its organiser, everybody's tokens, and its matches."""

    event: Event
    player: Player
    arbiter: Event
    tokens: set[str] = field(default_factory=set)
    matches: list[str] = field(default_factory=list)

    def sit_down(self) -> Any:
        """The person takes the seat that waits for them; all matches of the round are known from here on."""
        seat = self.player.find_and_sit_down()
        self.tokens.add(seat.credential.token)
        self.matches += [table.match_id for table in self.event.round().tables]
        return seat

    def rule_and_undo(self) -> None:
        """An arbiter's ruling on a table of computer players, and back: while the person plays, no round ends by it."""
        [other] = [one.table for one in self.event.round().tables if self.player.number not in one.seating.seats]
        ruling = pb.Ruling(double_loss=pb.DoubleLoss(round=1, table=other))
        number = self.arbiter.do("MakeRuling", ruling=ruling, reason="It was seen.").number
        self.arbiter.do("UndoRuling", number=number, reason="It was not seen.")


def held(venue: Venue, name: str, computers: int, rounds: int) -> Held:
    """One that has been started."""
    event = venue.host(pb.Plan(name=name, system=pb.SYSTEM_SWISS, game="domino", seats=2, rounds=rounds))
    player = venue.player(event, f"{name} Person")
    player.register()
    event.add_computer_players(*range(1500, 1500 + computers))
    event.do("StartTournament")
    found = Held(event, player, event.arbiter(f"{name}-arbiter"))
    found.tokens |= {one.person.token for one in (event, player.event, found.arbiter)}
    return found


def one_that_is_over(venue: Venue) -> Held:
    """Two rounds of four, with a ruling that is undone."""
    found = held(venue, "Over", computers=3, rounds=2)
    seat = found.sit_down()
    found.rule_and_undo()
    found.player.play(seat)
    found.player.play(found.sit_down())
    found.event.until_the_end()
    return found


def one_that_goes_on(venue: Venue) -> Held:
    """Its only match waits for the person."""
    found = held(venue, "Open", computers=1, rounds=1)
    found.sit_down()
    found.arbiter.do("PauseTournament")
    found.arbiter.do("ResumeTournament")
    return found


def wrong_calls(of: Held, other: Held, own: Tokens, forged: Tokens) -> Iterator[tuple[str, Any, str]]:
    """Calls with tokens that do not open what they are used for: method, request, token."""
    here = of.event.id
    arbiter = frozenset({Scope.ARBITER})
    bad = [
        other.arbiter.person.token,
        of.player.event.person.token,
        own.issue(Claims("late", arbiter, own.expiry(-_HOUR), here)),
        own.issue(Claims("elsewhere", frozenset({Scope.WORKER}), own.expiry(_HOUR), other.event.id)),
        forged.issue(Claims("forger", arbiter, forged.expiry(_HOUR), here)),
    ]
    result = api.RecordResultRequest(tournament_id=here, result=pb.MatchResult(match_id=of.matches[0]))
    for token in bad:
        ruling = pb.Ruling(double_loss=pb.DoubleLoss(round=1, table=0))
        yield "MakeRuling", api.MakeRulingRequest(tournament_id=here, command_id="c", ruling=ruling, reason="r"), token
        yield "FinishTournament", api.FinishTournamentRequest(tournament_id=here, command_id="c"), token
        yield "RecordResult", result, token
    yield "RecordResult", result, of.arbiter.person.token
    yield "GetStandings", api.GetStandingsRequest(tournament_id=here), bad[-1]
    yield "WatchTournament", api.WatchTournamentRequest(tournament_id=here), bad[-1]
