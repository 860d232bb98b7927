"""What may be done with a tournament, from its creation to its end. Each answers what is decided, or a refusal.

Nothing here searches: rounds come from outside, and are checked (rounds.py) here, for service and verifier alike.
"""

from collections.abc import Sequence
from typing import TypeAlias

from google.protobuf.message import Message

from meydan.match.v1.envelope_pb2 import ServerSeed
from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import fold, formats, messages, refusals, rounds, rulings, start
from services.tournament.formats.plans import MOST_ENTRANTS
from services.tournament.matches import match_id_of, not_noted
from services.tournament.model import Draw, Number, Plan, System
from services.tournament.pairing.pool import Pair
from services.tournament.pairing.unsound import Unsound
from services.tournament.state import Tournament
from services.tournament.wire import WIRE
from shared.game import Encoded, Secret
from shared.kernel import Refusal
from shared.match.chaining import Writer, write
from shared.match.model import Decided, Stamp, Status
from shared.proof import chain

Answer: TypeAlias = Decided[Tournament] | Refusal

_FEWEST = 2


class Lifecycle:
    """The decisions about tournaments."""

    def __init__(self, write: Writer = write) -> None:
        self._write = write

    def create(
        self, tournament_id: str, plan: Plan, organiser_id: str, seed: bytes, stamp: Stamp
    ) -> Decided[Tournament]:
        """A new tournament. The plan must have been checked."""
        event = pb.TournamentCreated(
            tournament_id=tournament_id,
            plan=messages.plan_message(plan),
            organiser_id=organiser_id,
            server_seed_hash=chain.sha256(seed),
        )
        before = fold.created(event, stamp.now, seed)
        return self._decided(before, [], stamp, Encoded(event, (Secret((), ServerSeed(seed=seed)),)))

    # Entrants

    def register(self, before: Tournament, entrants: Sequence[pb.Entrant], stamp: Stamp) -> Answer:
        """More entrants, all or none."""
        refusal = refusals.too_late(before)
        if refusal is not None:
            return refusal
        first = len(before.entrants)
        if first + len(entrants) > MOST_ENTRANTS:
            return Refusal("TOO_MANY_ENTRANTS", f"A tournament has at most {MOST_ENTRANTS:,} entrants.")
        sentence = formats.check_field(before.plan, first + len(entrants)) if before.rounds else None
        if sentence is not None:
            return Refusal("WRONG_FIELD", sentence)
        ids = [one.player_id for one in entrants if one.player_id]
        if len(set(ids)) < len(ids) or any(one in before.by_player for one in ids):
            return Refusal("ALREADY_REGISTERED", "Nobody takes part twice; who has withdrawn comes back by Return.")
        return self._decided(before, [start.registered(first + at, one) for at, one in enumerate(entrants)], stamp)

    def check_in(self, before: Tournament, number: Number, stamp: Stamp) -> Answer:
        """Says that an entrant has come."""
        if number not in before.entrants:
            return refusals.no_entrant(before)
        if before.status is not Status.WAITING:
            return Refusal("ALREADY_STARTED", "The tournament has started.")
        if before.entrants[number].is_checked_in:
            return Refusal("ALREADY_CHECKED_IN", f"Entrant {number} has checked in already.")
        return self._decided(before, [pb.EntrantCheckedIn(number=number)], stamp)

    def withdraw(self, before: Tournament, number: Number, stamp: Stamp) -> Answer:
        """An entrant is not paired any more."""
        if number not in before.entrants:
            return refusals.no_entrant(before)
        if before.status is Status.FINISHED:
            return refusals.OVER
        if before.entrants[number].is_withdrawn:
            return Refusal("ALREADY_WITHDRAWN", f"Entrant {number} has withdrawn already.")
        return self._decided(before, [pb.EntrantWithdrawn(number=number)], stamp)

    def come_back(self, before: Tournament, number: Number, stamp: Stamp) -> Answer:
        """An entrant who has withdrawn is paired again."""
        if number not in before.entrants:
            return refusals.no_entrant(before)
        if before.status is Status.FINISHED:
            return refusals.OVER
        if not before.entrants[number].is_withdrawn:
            return Refusal("NOT_WITHDRAWN", f"Entrant {number} has not withdrawn.")
        if before.status is Status.PLAYING and number not in before.order:
            return Refusal("NOT_IN_THE_ORDER", "Who had withdrawn before the start can't come back after it.")
        return self._decided(before, [pb.EntrantReturned(number=number)], stamp)

    # Rounds

    def start(self, before: Tournament, stamp: Stamp, known: Sequence[Number] | None = None) -> Answer:
        """Ends registration: who has not checked in is out, computer players fill up, the order is settled.

        `known` is the order in a log whose seed is hidden: what was drawn can't be drawn again, but must fit.
        """
        if before.status is not Status.WAITING:
            return Refusal("ALREADY_STARTED", "The tournament has started.")
        events = start.before_start(before)
        ready = before
        for event in events:
            ready = fold.evolve(ready, event, stamp.now)
        lots = fold.drawn(ready, fold.seed_of(ready))
        if known is not None and sorted(known) != sorted(lots):
            return Refusal("BAD_ORDER", "The order at the start has everybody who takes part, once.")
        order = fold.order_at_start(ready, lots if known is None else known)
        if len(order) < _FEWEST:
            return Refusal("TOO_FEW_ENTRANTS", "A tournament needs two entrants.")
        sentence = formats.check_field(before.plan, len(order))
        if sentence is not None:
            return Refusal("WRONG_FIELD", sentence)
        return self._decided(before, [*events, pb.TournamentStarted(order=order)], stamp)

    def lay_down_pairs(
        self, before: Tournament, forbidden: frozenset[Pair], forced: frozenset[Pair], stamp: Stamp
    ) -> Answer:
        """Who must not, or must, meet from the next round on."""
        if before.status is Status.FINISHED:
            return refusals.OVER
        if before.plan.system is not System.SWISS:
            return Refusal("NOT_IN_THIS_SYSTEM", "Pairs can be laid down in a Swiss.")
        refusal = refusals.bad_pairs(before, forbidden, forced)
        if refusal is not None:
            return refusal
        event = pb.PairsLaidDown(forbidden=_pairs(forbidden), forced=_pairs(forced))
        return self._decided(before, [event], stamp)

    def pair(self, before: Tournament, number: int, draw: Draw, stamp: Stamp) -> Answer:
        """The next round, if its certificate holds. Who has made it is not trusted."""
        refusal = refusals.not_to_pair(before)
        if refusal is not None:
            return refusal
        if number != len(before.rounds) + 1:
            return Refusal("NOT_THE_NEXT_ROUND", f"The next round is {len(before.rounds) + 1}.")
        try:
            rounds.check_round(before, draw)
        except Unsound as unsound:
            return Refusal("UNSOUND_ROUND", str(unsound))
        return self._decided(before, [pb.RoundPaired(round=number, draw=messages.draw_message(draw))], stamp)

    def start_matches(self, before: Tournament, started: pb.MatchesStarted, stamp: Stamp) -> Answer:
        """Matches of a round are there. Those that an arbiter has made superfluous meanwhile are passed over."""
        if not 1 <= started.round <= len(before.rounds):
            return Refusal("NO_ROUND", f"The tournament has the rounds 1 to {len(before.rounds)}.")
        boards = before.rounds[started.round - 1].boards
        wanted = [
            one
            for one in started.matches
            if one.table in boards
            and boards[one.table].is_waiting
            and one.match_id == match_id_of(before, started.round, one.table)
        ]
        if not wanted:
            return Refusal("NOTHING_TO_START", "None of these tables waits for these matches.")
        return self._decided(before, [pb.MatchesStarted(round=started.round, matches=wanted)], stamp)

    def record(self, before: Tournament, result: pb.MatchResult, stamp: Stamp) -> Answer:
        """The result of a match of this tournament."""
        where = before.matches.get(result.match_id) or not_noted(before, result.match_id)
        if where is None:
            return Refusal("NOT_OF_THIS_TOURNAMENT", "This match is not one of this tournament.")
        if before.status is Status.FINISHED:
            return refusals.OVER
        number, table = where
        board = before.rounds[number - 1].boards[table]
        if result.match_id != match_id_of(before, number, table):
            return Refusal("SUPERSEDED", "The entrants of this table were exchanged: this match does not count.")
        if board.recorded is not None:
            return Refusal("ALREADY_RECORDED", "This match has been recorded already.")
        refusal = refusals.bad_result(result, len(board.seats))
        return refusal or self._decided(before, [pb.ResultRecorded(round=number, table=table, result=result)], stamp)

    # Arbiters and the organiser

    def rule(self, before: Tournament, ruling: pb.Ruling, arbiter_id: str, reason: str, stamp: Stamp) -> Answer:
        """An arbiter decides."""
        if before.status is not Status.PLAYING:
            return refusals.not_playing(before)
        refusal = rulings.problem(before, ruling)
        number = before.ruling_count + 1
        made = pb.RulingMade(number=number, arbiter_id=arbiter_id, reason=reason, ruling=ruling)
        return refusal or self._decided(before, [made], stamp)

    def undo(self, before: Tournament, number: int, arbiter_id: str, reason: str, stamp: Stamp) -> Answer:
        """A ruling is taken back."""
        if before.status is not Status.PLAYING:
            return refusals.not_playing(before)
        refusal = rulings.undo_problem(before, number)
        undone = pb.RulingUndone(number=number, arbiter_id=arbiter_id, reason=reason)
        return refusal or self._decided(before, [undone], stamp)

    def pause(self, before: Tournament, stamp: Stamp) -> Answer:
        """Nothing new begins."""
        if before.status is not Status.PLAYING:
            return refusals.not_playing(before)
        if before.is_paused:
            return Refusal("ALREADY_PAUSED", "The tournament is paused already.")
        return self._decided(before, [pb.TournamentPaused()], stamp)

    def resume(self, before: Tournament, stamp: Stamp) -> Answer:
        """It goes on."""
        if not before.is_paused:
            return Refusal("NOT_PAUSED", "The tournament is not paused.")
        return self._decided(before, [pb.TournamentResumed()], stamp)

    def expire(self, before: Tournament, stamp: Stamp) -> Answer:
        """The time of an arena is over."""
        if due(before) == 0 or stamp.now < before.closes_micros:
            return Refusal("NOT_DUE", "Nothing is due.")
        return self._decided(before, [pb.ArenaClosed()], stamp)

    def end(self, before: Tournament, stamp: Stamp) -> Answer:
        """The end of a tournament that has no more rounds."""
        if before.status is Status.PLAYING and before.is_paused:
            return refusals.PAUSED
        if before.status is Status.PLAYING and not rounds.is_over(before):
            return Refusal("NOT_OVER", "There are rounds to be paired.")
        return self.finish(before, stamp)

    def finish(self, before: Tournament, stamp: Stamp) -> Answer:
        """The end, with the places as they stand."""
        if before.status is not Status.PLAYING:
            return refusals.not_playing(before)
        if any(pairing.open_tables for pairing in before.rounds):
            return Refusal("TABLES_ARE_OPEN", "Not all tables have a result.")
        found = [pb.FinalPlace(numbers=tied) for tied in rounds.final_places(before)]
        return self._decided(before, [pb.TournamentFinished(places=found, server_seed=before.server_seed)], stamp)

    def _decided(
        self, before: Tournament, events: Sequence[Message], stamp: Stamp, creation: Encoded | None = None
    ) -> Decided[Tournament]:
        now = max(stamp.now, before.time_micros)
        encoded = ([creation] if creation is not None else []) + [Encoded(event) for event in events]
        happened = [(None, WIRE.form(one)) for one in encoded]
        envelopes, records, head = self._write(before, list(happened), now, stamp.command_id)
        after = before
        for event in events:
            after = fold.evolve(after, event, now)
        version = before.version + len(encoded)
        return Decided(envelopes, records, after._replace(version=version, time_micros=now, head=head))


def due(tournament: Tournament) -> int:
    """When it needs attention if nothing happens before; 0: never."""
    is_open = tournament.status is Status.PLAYING and not tournament.is_closed
    return tournament.closes_micros if is_open else 0


def _pairs(pairs: frozenset[Pair]) -> list[pb.Pair]:
    return [pb.Pair(one=one, other=other) for one, other in sorted(pairs)]
