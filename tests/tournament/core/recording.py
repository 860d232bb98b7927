"""Tournaments with a log, without a service: a fixed clock, fixed ids, and commands from anywhere.

What is made here from the same plan, seed and commands is the same byte for byte.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from meydan.match.v1 import envelope_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import fold, rounds
from services.tournament.lifecycle import Lifecycle
from services.tournament.matches import match_id_of
from services.tournament.model import Number, Plan, System
from services.tournament.state import Board, Pairing, Tournament
from services.tournament.wire import WIRE
from shared.envelope import Envelope
from shared.kernel import Refusal
from shared.match.model import Decided, Stamp, Status
from shared.proof.chain import sha256

TOURNAMENT_ID = "01HZZZZZZZZZZZZZZZZZZZZZZT"
ORGANISER, ARBITER = "organiser", "arbiter"
SEED = b"the seed of a tournament".ljust(32)
# 2026-01-01, and a second for each command.
START = 1_767_225_600_000_000
SECOND = 1_000_000
LIFECYCLE = Lifecycle()

# Groups of seats, the winners first.
Places: TypeAlias = Sequence[Sequence[int]]


def plan(system: System = System.SWISS, **changes: Any) -> Plan:
    """A plan of a system: of a Swiss, three rounds."""
    some: dict[str, Any] = {"rounds": 3} if system in (System.SWISS, System.DUTCH) else {}
    return Plan("cup", system, "domino", **some | changes)


def person(name: str, rating: int = 0, entropy: bytes = b"") -> pb.Entrant:
    """A player who takes part."""
    return pb.Entrant(name=name, player_id=f"id-of-{name}", rating=rating, entropy=entropy)


def ahead(*groups: Sequence[int]) -> list[envelope_pb2.Place]:
    """Places of seats as a message."""
    return [envelope_pb2.Place(seats=seats) for seats in groups]


class Recorder:
    """A tournament that writes its log."""

    def __init__(self, wanted: Plan | None = None, people: int = 0, seed: bytes = SEED) -> None:
        self.envelopes: list[Envelope] = []
        self.now = START
        self.take(LIFECYCLE.create(TOURNAMENT_ID, wanted or plan(), ORGANISER, seed, self.stamp("create")))
        for number in range(people):
            self.do("register", [person(f"p{number}", 2000 - number)])

    def stamp(self, command_id: str = "") -> Stamp:
        """The next second."""
        self.now += SECOND
        return Stamp(command_id or f"command-{len(self.envelopes)}", self.now)

    def answer(self, command: str, *args: Any) -> Any:
        """What the lifecycle says to a command, which changes nothing here."""
        if command == "start":
            return LIFECYCLE.start(self.tournament, self.stamp(), *args)
        return getattr(LIFECYCLE, command)(self.tournament, *args, self.stamp())

    def do(self, command: str, *args: Any) -> Decided[Tournament]:
        """A command that must be accepted."""
        return self.take(self.answer(command, *args))

    def refused(self, command: str, *args: Any) -> str:
        """By what name a command is refused that must be refused."""
        answer = self.answer(command, *args)
        assert isinstance(answer, Refusal), answer
        assert answer.message.endswith("."), answer
        return answer.rule

    def take(self, decided: Any) -> Decided[Tournament]:
        """What was decided is in the log."""
        assert isinstance(decided, Decided), decided
        self.tournament: Tournament = decided.after
        self.envelopes.extend(decided.envelopes)
        return decided

    # What goes on in rounds

    @property
    def last(self) -> Pairing:
        return self.tournament.rounds[-1]

    def board(self, table: int, number: int | None = None) -> Board:
        """A table of a round; of the last one, unless another is named."""
        return self.tournament.rounds[(number or len(self.tournament.rounds)) - 1].boards[table]

    def match(self, table: int, number: int | None = None) -> str:
        """The id of a table's match."""
        return match_id_of(self.tournament, number or len(self.tournament.rounds), table)

    def pair(self) -> None:
        """The next round, which its checker accepts."""
        draw = rounds.propose(self.tournament)
        assert draw is not None
        rounds.check_round(self.tournament, draw)
        self.do("pair", len(self.tournament.rounds) + 1, draw)

    def started(self, number: int, *tables: int) -> pb.MatchesStarted:
        """That the matches of tables are there."""
        found = [pb.StartedMatch(table=table, match_id=self.match(table, number)) for table in tables]
        return pb.MatchesStarted(round=number, matches=found)

    def start_matches(self) -> None:
        """Of all tables of the last round that want one."""
        waiting = [table for table, board in sorted(self.last.boards.items()) if board.is_waiting]
        self.do("start_matches", self.started(self.last.number, *waiting))

    def result(self, table: int, places: Places = (), number: int | None = None, **others: Any) -> pb.MatchResult:
        """The result of a table's match: the first seat is ahead, unless something else is said."""
        groups = places or [[seat] for seat in range(len(self.board(table, number).seats))]
        match_id = self.match(table, number)
        known: dict[str, Any] = {"match_id": match_id, "version": 7, "head": sha256(match_id.encode())}
        return pb.MatchResult(**known | others, places=ahead(*groups))

    def record(self, table: int, places: Places = (), number: int | None = None, **others: Any) -> None:
        """A match has ended so."""
        self.do("record", self.result(table, places, number, **others))

    def play(self, places: Callable[[Board], Places] = lambda _: ()) -> None:
        """A round from its pairing to its last result."""
        self.pair()
        self.start_matches()
        self.record_all(places)

    def record_all(self, places: Callable[[Board], Places] = lambda _: ()) -> None:
        """All tables of the last round that have no result get one."""
        for table, board in sorted(self.last.boards.items()):
            if board.outcome is None:
                self.record(table, places(board))

    def finish(self) -> None:
        """The end, with the places as they stand."""
        self.do("finish")

    def play_on(self, places: Callable[[Board], Places] = lambda _: ()) -> None:
        """Round by round until none follows, and the end."""
        while not rounds.is_over(self.tournament):
            self.play(places)
        self.finish()

    # What arbiters do

    def rule(self, reason: str = "Seen by both.", **kind: Any) -> int:
        """A ruling that must stand; answers its number."""
        self.do("rule", pb.Ruling(**kind), ARBITER, reason)
        return self.tournament.ruling_count

    def undo(self, number: int) -> None:
        """A ruling that must be taken back."""
        self.do("undo", number, ARBITER, "Seen by nobody.")

    # What has come of it

    @property
    def is_over(self) -> bool:
        return self.tournament.status is Status.FINISHED

    def events(self, kind: Any) -> list[Any]:
        """The events of a type."""
        return [event for event in map(WIRE.public, self.envelopes) if isinstance(event, kind)]

    def names(self, first: int = 0) -> list[str]:
        """The types of all events after a version."""
        return [one.type.rpartition(".")[2] for one in self.envelopes[first:]]

    def folded(self, until: int | None = None) -> Tournament:
        """The fold of the log."""
        return fold.TournamentFold().fold(None, self.envelopes[:until])

    def units(self) -> dict[int, int]:
        """Everybody's points, in units."""
        return {row.number: row.points for row in rounds.standings(self.tournament)}


def running(wanted: Plan | None = None, people: int = 4) -> Recorder:
    """A tournament that has begun, before its first round."""
    recorder = Recorder(wanted, people)
    recorder.do("start")
    return recorder


def paired(wanted: Plan | None = None, people: int = 4) -> Recorder:
    """With its first round, whose matches are not there yet."""
    recorder = running(wanted, people)
    recorder.pair()
    return recorder


def playing(wanted: Plan | None = None, people: int = 4) -> Recorder:
    """With its first round, whose matches go on."""
    recorder = paired(wanted, people)
    recorder.start_matches()
    return recorder


def between(wanted: Plan | None = None, people: int = 4) -> Recorder:
    """With its first round, which is over."""
    recorder = playing(wanted, people)
    recorder.record_all()
    return recorder


def over(wanted: Plan | None = None, people: int = 4) -> Recorder:
    """Played to its end."""
    recorder = running(wanted, people)
    recorder.play_on()
    return recorder


def arena(people: int = 4, seconds: int = 3600, **changes: Any) -> Recorder:
    """An arena that goes on."""
    return running(plan(System.ARENA, arena_seconds=seconds, **changes), people)


def closed_arena(people: int = 4) -> Recorder:
    """An arena whose time is over, while tables are played."""
    recorder = arena(people)
    recorder.pair()
    recorder.now += 3600 * SECOND
    recorder.do("expire")
    return recorder


def numbers(*found: int) -> tuple[Number, ...]:
    """Entrants."""
    return tuple(map(Number, found))
