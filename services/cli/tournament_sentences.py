"""The events of a tournament as sentences."""

from collections.abc import Iterable, Sequence

from meydan.match.v1.envelope_pb2 import Place
from meydan.tournament.v1 import tournament_pb2 as pb
from services.cli import tournament_show
from services.cli.sentences import counted, ranked
from services.tournament.fold import TournamentFold
from services.tournament.model import Number
from services.tournament.state import Tournament
from services.tournament.wire import WIRE
from shared.envelope import Envelope

_FEW = 5


class Sentences:
    """Goes through a log from its beginning: what happens at a table is told by the names of who sits there."""

    def __init__(self) -> None:
        self._after: Tournament | None = None

    def of(self, envelope: Envelope) -> str:
        """The next event in a sentence."""
        before = self._after
        self._after = TournamentFold().fold(before, [envelope])
        # At a table sits who sat there before the event; who has just registered is known after it.
        return _sentence(before or self._after, self._after, WIRE.public(envelope))


def _sentence(before: Tournament, after: Tournament, event: object) -> str:
    match event:
        case pb.TournamentCreated():
            plan = event.plan
            return f"{plan.name} is made: {tournament_show.system(plan)} of {tournament_show.game(plan)}."
        case pb.EntrantRegistered():
            return f"{event.entrant.name} takes part, number {event.number}."
        case pb.EntrantCheckedIn():
            return f"{_name(after, event.number)} has come."
        case pb.EntrantWithdrawn():
            return f"{_name(after, event.number)} withdraws."
        case pb.EntrantReturned():
            return f"{_name(after, event.number)} is back."
        case pb.TournamentStarted():
            return f"The tournament starts; the order is {_listed(after, event.order)}."
        case pb.TournamentFinished():
            first = [number for place in event.places for number in place.numbers]
            return f"The tournament is over: {_listed(after, first)}."
        case _:
            return _sentence_of_round(before, event)


def _sentence_of_round(tournament: Tournament, event: object) -> str:
    match event:
        case pb.PairsLaidDown():
            return f"Must not meet: {_pairs(tournament, event.forbidden)}; must: {_pairs(tournament, event.forced)}."
        case pb.RoundPaired():
            byes = f"; without a table: {_listed(tournament, event.draw.byes)}" if event.draw.byes else ""
            return f"Round {event.round} is paired: {counted(len(event.draw.tables), 'table')}{byes}."
        case pb.MatchesStarted():
            return f"Round {event.round}: matches begin at {counted(len(event.matches), 'table')}."
        case pb.ResultRecorded():
            return (
                f"R{_table(event)[1:]}: {_result(tournament, event, event.result.places)}{_absent(tournament, event)}."
            )
        case pb.RulingMade():
            return f"{event.arbiter_id} rules ({event.number}), {_ruling(tournament, event.ruling)}: {event.reason}"
        case pb.RulingUndone():
            return f"{event.arbiter_id} takes ruling {event.number} back: {event.reason}"
        case pb.TournamentPaused():
            return "The tournament is paused."
        case pb.TournamentResumed():
            return "The tournament goes on."
        case pb.ArenaClosed():
            return "The time of the arena is over."
        case other:
            return f"{type(other).__name__}."


def _ruling(tournament: Tournament, ruling: pb.Ruling) -> str:
    match ruling.WhichOneof("kind"):
        case "override":
            return f"{_table(ruling.override)}: {_result(tournament, ruling.override, ruling.override.places)}"
        case "forfeit":
            seats = [Place(seats=[seat]) for seat in ruling.forfeit.seats]
            return f"{_table(ruling.forfeit)}, forfeited by {', '.join(_seated(tournament, ruling.forfeit, seats))}"
        case "double_loss":
            return f"{_table(ruling.double_loss)}, everybody loses"
        case "annulment":
            return f"{_table(ruling.annulment)} is annulled"
        case _:
            return f"{_name(tournament, ruling.swap.one)} and {_name(tournament, ruling.swap.other)} change places"


def _table(about: pb.ResultRecorded | pb.Override | pb.Forfeit | pb.DoubleLoss | pb.Annulment) -> str:
    return f"round {about.round}, table {about.table}"


def _result(tournament: Tournament, about: pb.ResultRecorded | pb.Override, places: Iterable[Place]) -> str:
    seated = _seated(tournament, about, places)
    ranks = [rank for rank, _ in ranked([place.seats for place in places])]
    return ", ".join(f"{rank}. {names}" for rank, names in zip(ranks, seated, strict=True))


def _absent(tournament: Tournament, event: pb.ResultRecorded) -> str:
    absent = _seated(tournament, event, [Place(seats=[seat]) for seat in event.result.no_shows])
    return f"; {' and '.join(absent)} did not come" if absent else ""


def _seated(
    tournament: Tournament, about: pb.ResultRecorded | pb.Override | pb.Forfeit, places: Iterable[Place]
) -> list[str]:
    seats = tournament.rounds[about.round - 1].boards[about.table].seats
    return [" and ".join(_name(tournament, seats[seat]) for seat in place.seats) for place in places]


def _pairs(tournament: Tournament, pairs: Iterable[pb.Pair]) -> str:
    named = [f"{_name(tournament, pair.one)} and {_name(tournament, pair.other)}" for pair in pairs]
    return ", ".join(named) or "nobody"


def _listed(tournament: Tournament, numbers: Sequence[int]) -> str:
    """The first few of them."""
    names = [_name(tournament, number) for number in numbers[:_FEW]]
    more = [f"{len(numbers) - _FEW:,} more"] if len(numbers) > _FEW else []
    return ", ".join(names + more)


def _name(tournament: Tournament, number: int) -> str:
    return tournament.entrants[Number(number)].name
