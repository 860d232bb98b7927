"""The fold: what a tournament is after each of its events. It takes them as they are, and never refuses one."""

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import DecodeError, Message
from immutables import Map

from meydan.match.v1.envelope_pb2 import ServerSeed
from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import messages
from services.tournament.model import Number
from services.tournament.pairing.pool import Pair, pair_of
from services.tournament.rulings import outcome_of, restored, ruled, swapped
from services.tournament.state import Board, Entrant, Made, Outcome, Pairing, Tournament
from services.tournament.wire import WIRE
from shared.envelope import Envelope, hash_of
from shared.kernel import Chance, Malformed, Seat
from shared.match.model import Status
from shared.proof.chain import NO_HASH, sha256, tournament_seed
from shared.replay import BrokenLog


class TournamentFold:
    """Folds logs of tournaments."""

    noun = "tournament"

    def fold(self, tournament: Tournament | None, envelopes: Iterable[Envelope]) -> Tournament:
        """The tournament after these envelopes, which follow it without a gap."""
        version = 0 if tournament is None else tournament.version
        try:
            for envelope in envelopes:
                version += 1
                if envelope.version != version:
                    raise BrokenLog(version, f"the log goes on with version {envelope.version}")
                tournament = _folded(tournament, envelope)
        except BrokenLog:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, DecodeError, Malformed) as error:
            raise BrokenLog(version, f"the event can't be read: {error!r}") from error
        if tournament is None:
            raise BrokenLog(1, "the log is empty")
        return tournament


def _folded(tournament: Tournament | None, envelope: Envelope) -> Tournament:
    event = WIRE.public(envelope)
    if tournament is None:
        seed = WIRE.content(envelope.sealed[0])
        if not isinstance(event, pb.TournamentCreated):
            raise BrokenLog(1, "the log does not begin with the creation of a tournament")
        # Who looks at a log before its end does not see the seed, and has no need of it.
        known = seed.seed if isinstance(seed, ServerSeed) else b""
        tournament = created(event, envelope.time_micros, known)
    else:
        tournament = evolve(tournament, event, envelope.time_micros)
    return tournament._replace(version=envelope.version, time_micros=envelope.time_micros, head=hash_of(envelope))


def created(event: pb.TournamentCreated, time_micros: int, server_seed: bytes) -> Tournament:
    """A tournament at its beginning."""
    return Tournament(
        id=event.tournament_id,
        plan=messages.plan_of(event.plan),
        organiser_id=event.organiser_id,
        status=Status.WAITING,
        is_paused=False,
        version=0,
        created_micros=time_micros,
        time_micros=time_micros,
        head=NO_HASH,
        server_seed=server_seed,
        seed=b"",
        entrants=Map(),
        by_player=Map(),
        entropy=b"",
        order=(),
        rounds=(),
        matches=Map(),
        results=0,
        rulings=Map(),
        ruling_count=0,
        forbidden=frozenset(),
        forced=frozenset(),
        closes_micros=0,
        is_closed=False,
        places=None,
    )


def evolve(tournament: Tournament, event: Message, time_micros: int) -> Tournament:
    """The tournament after one more event."""
    after = _AFTER.get(type(event))
    if after is None:
        raise TypeError(f"{type(event).__name__} can't stand here")
    return after(tournament, event, time_micros)


def _registered(tournament: Tournament, event: pb.EntrantRegistered, _now: int) -> Tournament:
    number, one = Number(event.number), event.entrant
    entrant = Entrant(one.name, one.player_id, one.ai_level, one.rating)
    by_player = tournament.by_player.set(one.player_id, number) if one.player_id else tournament.by_player
    # Who comes late is the last of the order.
    order = (*tournament.order, number) if tournament.status is Status.PLAYING else tournament.order
    # From the start on, nothing is drawn any more.
    entropy = sha256(tournament.entropy + one.entropy) if one.entropy else tournament.entropy
    entrants = tournament.entrants.set(number, entrant)
    return tournament._replace(entrants=entrants, by_player=by_player, entropy=entropy, order=order)


def _checked_in(tournament: Tournament, event: pb.EntrantCheckedIn, _now: int) -> Tournament:
    return _with(tournament, event.number, lambda one: one._replace(is_checked_in=True))


def _withdrawn(tournament: Tournament, event: pb.EntrantWithdrawn, _now: int) -> Tournament:
    return _with(tournament, event.number, lambda one: one._replace(is_withdrawn=True))


def _returned(tournament: Tournament, event: pb.EntrantReturned, _now: int) -> Tournament:
    return _with(tournament, event.number, lambda one: one._replace(is_withdrawn=False))


def _with(tournament: Tournament, number: int, change: Callable[[Entrant], Entrant]) -> Tournament:
    changed = change(tournament.entrants[Number(number)])
    return tournament._replace(entrants=tournament.entrants.set(Number(number), changed))


def _pairs_laid_down(tournament: Tournament, event: pb.PairsLaidDown, _now: int) -> Tournament:
    return tournament._replace(forbidden=pairs_of(event.forbidden), forced=pairs_of(event.forced))


def _finished(tournament: Tournament, event: pb.TournamentFinished, _now: int) -> Tournament:
    places = tuple([tuple(map(Number, place.numbers)) for place in event.places])
    return tournament._replace(status=Status.FINISHED, places=places)


def _started(tournament: Tournament, event: pb.TournamentStarted, time_micros: int) -> Tournament:
    seconds = tournament.plan.arena_seconds
    return tournament._replace(
        status=Status.PLAYING,
        seed=seed_of(tournament),
        order=tuple(map(Number, event.order)),
        closes_micros=time_micros + seconds * 1_000_000 if seconds else 0,
    )


def seed_of(tournament: Tournament) -> bytes:
    """The seed of all lots: from the server's, and from what players have added before the start."""
    return tournament_seed(tournament.server_seed, tournament.id, tournament.entropy)


def drawn(tournament: Tournament, seed: bytes) -> tuple[Number, ...]:
    """Everybody who is there, by lot."""
    there = [number for number, entrant in sorted(tournament.entrants.items()) if not entrant.is_withdrawn]
    return tuple(Chance(seed).shuffled("tournament/order", there))


def order_at_start(tournament: Tournament, lots: Iterable[Number]) -> tuple[Number, ...]:
    """By rating, and where that is equal by lot."""
    return tuple(sorted(lots, key=lambda number: -tournament.entrants[number].rating))


def pairs_of(pairs: Iterable[pb.Pair]) -> frozenset[Pair]:
    """Pairs of entrants."""
    return frozenset([pair_of(Number(pair.one), Number(pair.other)) for pair in pairs])


def _paired(tournament: Tournament, event: pb.RoundPaired, time_micros: int) -> Tournament:
    draw = messages.draw_of(event.draw)
    boards = Map({at: Board(table.seats, table.label) for at, table in enumerate(draw.tables)})
    count = len(boards)
    pairing = Pairing(
        event.round, boards, draw.byes, draw.certificate, count, count, time_micros, tournament.version + 1
    )
    return tournament._replace(rounds=(*tournament.rounds, pairing), forced=frozenset())


def _matches_started(tournament: Tournament, event: pb.MatchesStarted, _now: int) -> Tournament:
    matches = tournament.matches.update({one.match_id: (event.round, one.table) for one in event.matches})
    pairing = tournament.rounds[event.round - 1]
    for one in event.matches:
        board = pairing.boards[one.table]
        pairing = with_board(pairing, one.table, board._replace(match_id=one.match_id))
    return with_round(tournament._replace(matches=matches), pairing)


def _recorded(tournament: Tournament, event: pb.ResultRecorded, _now: int) -> Tournament:
    pairing = tournament.rounds[event.round - 1]
    match_id = event.result.match_id
    board = pairing.boards[event.table]._replace(match_id=match_id, recorded=_outcome(event.result))
    found = with_round(tournament, with_board(pairing, event.table, board))
    matches = found.matches.set(match_id, (event.round, event.table))
    return found._replace(matches=matches, results=found.results + 1)


def _outcome(result: pb.MatchResult) -> Outcome:
    absent = tuple(map(Seat, result.no_shows))
    return Outcome(messages.places_of(list(result.places)), absent, tuple(result.points))


def _after_ruling(tournament: Tournament, event: pb.RulingMade, _now: int) -> Tournament:
    tournament = tournament._replace(ruling_count=event.number)
    ruling = event.ruling
    if ruling.WhichOneof("kind") == "swap":
        swap = pair_of(Number(ruling.swap.one), Number(ruling.swap.other))
        made = Made(tournament.rounds[-1].number, swapped=swap)
        tournament = with_round(tournament, swapped(tournament.rounds[-1], *swap))
    else:
        about = getattr(ruling, str(ruling.WhichOneof("kind")))
        made = Made(about.round, about.table)
        pairing = tournament.rounds[about.round - 1]
        board = pairing.boards[about.table]
        ruled_board = ruled(board, event.number, outcome_of(ruling, len(board.seats)))
        tournament = with_round(tournament, with_board(pairing, about.table, ruled_board))
    return tournament._replace(rulings=tournament.rulings.set(event.number, made))


def _after_undoing(tournament: Tournament, event: pb.RulingUndone, _now: int) -> Tournament:
    made = tournament.rulings[event.number]
    pairing = tournament.rounds[made.round - 1]
    if made.swapped is not None:
        pairing = swapped(pairing, *made.swapped)
    else:
        pairing = with_board(pairing, made.table, restored(pairing.boards[made.table], event.number))
    return with_round(tournament, pairing)._replace(rulings=tournament.rulings.delete(event.number))


def with_round(tournament: Tournament, pairing: Pairing) -> Tournament:
    """The tournament with a round as it stands now."""
    at = pairing.number - 1
    return tournament._replace(rounds=(*tournament.rounds[:at], pairing, *tournament.rounds[at + 1 :]))


def with_board(pairing: Pairing, table: int, board: Board) -> Pairing:
    """The round with a table as it stands now."""
    before = pairing.boards[table]
    return pairing._replace(
        boards=pairing.boards.set(table, board),
        open_tables=pairing.open_tables + (board.outcome is None) - (before.outcome is None),
        waiting_tables=pairing.waiting_tables + board.is_waiting - before.is_waiting,
    )


_AFTER: dict[type[Message], Callable[[Tournament, Any, int], Tournament]] = {
    pb.EntrantRegistered: _registered,
    pb.EntrantCheckedIn: _checked_in,
    pb.EntrantWithdrawn: _withdrawn,
    pb.EntrantReturned: _returned,
    pb.TournamentStarted: _started,
    pb.PairsLaidDown: _pairs_laid_down,
    pb.RoundPaired: _paired,
    pb.MatchesStarted: _matches_started,
    pb.ResultRecorded: _recorded,
    pb.RulingMade: _after_ruling,
    pb.RulingUndone: _after_undoing,
    pb.TournamentPaused: lambda tournament, _event, _now: tournament._replace(is_paused=True),
    pb.TournamentResumed: lambda tournament, _event, _now: tournament._replace(is_paused=False),
    pb.ArenaClosed: lambda tournament, _event, _now: tournament._replace(is_closed=True),
    pb.TournamentFinished: _finished,
}
