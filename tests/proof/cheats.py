"""What a cheat with the platform's own key could write into a log. Each answers the version at which it must show."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from google.protobuf.message import Message

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2 as pb
from shared.envelope import Envelope, SealedPart
from shared.kernel import Seat
from shared.match.wire import full_name
from shared.proof.chain import sha256

Cheat: TypeAlias = Callable[[list[Envelope]], int]
M = TypeVar("M", bound=Message)

HOUR = 3_600_000_000
NOTE = full_name(pb.AgentNote)


def first(log: list[Envelope], kind: type[Message], after: int = 0) -> int:
    """The place of the first event of a type."""
    return next(place for place in range(after, len(log)) if log[place].type == full_name(kind))


def first_note(log: list[Envelope]) -> int:
    """The place of the first move of a computer player."""
    return next(place for place, one in enumerate(log) if any(part.type == NOTE for part in one.sealed))


def public(log: list[Envelope], at: int, kind: type[M]) -> M:
    """The message of an event."""
    return kind.FromString(log[at].public)


def put(log: list[Envelope], at: int, message: Message) -> int:
    """Another message for an event; answers its version."""
    log[at] = log[at]._replace(public=message.SerializeToString())
    return at + 1


def put_part(log: list[Envelope], at: int, index: int, **changes: Any) -> int:
    """Other fields for a sealed part; answers the version of its event."""
    parts = list(log[at].sealed)
    parts[index] = parts[index]._replace(**changes)
    log[at] = log[at]._replace(sealed=tuple(parts))
    return at + 1


def content(log: list[Envelope], at: int, index: int, kind: type[M]) -> M:
    """The message of a sealed part."""
    return kind.FromString(log[at].sealed[index].content or b"")


def event(like: Envelope, message: Message, seat: Seat | None = None) -> Envelope:
    """An event that was never there, at the time and by the command of another."""
    kind = full_name(type(message))
    return like._replace(type=kind, public=message.SerializeToString(), sealed=(), seat=seat)


# The seed


def another_commitment(log: list[Envelope]) -> int:
    """The hash in the first event is of another seed."""
    created = public(log, 0, pb.MatchCreated)
    created.server_seed_hash = bytes(32)
    return put(log, 0, created)


def another_seed_at_the_end(log: list[Envelope]) -> int:
    """What is shown is not what was committed to."""
    finished = public(log, len(log) - 1, pb.MatchFinished)
    finished.server_seed = bytes(32)
    return put(log, len(log) - 1, finished)


def another_seed_everywhere(log: list[Envelope]) -> int:
    """Committed to and shown is a seed that was never used: it would have led to another deal."""
    other = b"a seed that was found later".ljust(32)
    created = public(log, 0, pb.MatchCreated)
    created.server_seed_hash = sha256(other)
    put(log, 0, created)
    put_part(log, 0, 0, content=pb.ServerSeed(seed=other).SerializeToString())
    finished = public(log, len(log) - 1, pb.MatchFinished)
    finished.server_seed = other
    put(log, len(log) - 1, finished)
    return first(log, domino_pb2.RoundDealt) + 1


def ignored_entropy(log: list[Envelope]) -> int:
    """What a player added is in the log, but was not in the seed."""
    at = first(log, pb.SeatTaken)
    taken = public(log, at, pb.SeatTaken)
    taken.entropy = b"what the player has really sent"
    put(log, at, taken)
    return first(log, domino_pb2.RoundDealt) + 1


# The draws


def another_deal(log: list[Envelope]) -> int:
    """Two hands are swapped."""
    at = first(log, domino_pb2.RoundDealt)
    one, two = content(log, at, 0, domino_pb2.Hand), content(log, at, 1, domino_pb2.Hand)
    one.seat, two.seat = two.seat, one.seat
    put_part(log, at, 0, content=two.SerializeToString())
    return put_part(log, at, 1, content=one.SerializeToString())


def another_boneyard(log: list[Envelope]) -> int:
    """The tiles that are left lie in another order."""
    at = first(log, domino_pb2.RoundDealt)
    boneyard = content(log, at, -1, domino_pb2.Boneyard)
    return put_part(log, at, -1, content=domino_pb2.Boneyard(tiles=boneyard.tiles[::-1]).SerializeToString())


def another_tile_drawn(log: list[Envelope]) -> int:
    """Somebody draws the tile that would have come next."""
    at = first(log, domino_pb2.TileDrawn)
    drawn = content(log, at, 0, domino_pb2.DrawnTile)
    dealt = first(log, domino_pb2.RoundDealt)
    tiles = content(log, dealt, -1, domino_pb2.Boneyard).tiles
    drawn.tile = tiles[1 - list(tiles[:2]).index(drawn.tile)]
    return put_part(log, at, 0, content=drawn.SerializeToString())


def a_skipped_draw(log: list[Envelope]) -> int:
    """A forced draw is left out."""
    at = first(log, domino_pb2.TileDrawn)
    del log[at]
    return at + 1


def a_hand_that_another_may_see(log: list[Envelope]) -> int:
    """A friend of the house looks into a hand."""
    at = first(log, domino_pb2.RoundDealt)
    return put_part(log, at, 0, seats=(Seat(0), Seat(1)))


# The moves


def a_tile_from_nowhere(log: list[Envelope]) -> int:
    """A player lays a tile that was laid before."""
    before = first(log, domino_pb2.TileLaid)
    at = first(log, domino_pb2.TileLaid, after=before + 1)
    laid = public(log, at, domino_pb2.TileLaid)
    laid.tile = public(log, before, domino_pb2.TileLaid).tile
    return put(log, at, laid)


def out_of_turn(log: list[Envelope]) -> int:
    """Somebody else lays the tile."""
    at = first(log, domino_pb2.TileLaid, after=first(log, domino_pb2.TileLaid) + 1)
    laid = public(log, at, domino_pb2.TileLaid)
    laid.seat = 1 - laid.seat
    log[at] = log[at]._replace(seat=Seat(laid.seat))
    return put(log, at, laid)


def a_move_by_nobody(log: list[Envelope]) -> int:
    """The platform itself lays a tile."""
    at = first(log, domino_pb2.TileLaid, after=first(log, domino_pb2.TileLaid) + 1)
    log[at] = log[at]._replace(seat=None)
    return at + 1


def another_winner(log: list[Envelope]) -> int:
    """The places are turned round."""
    finished = public(log, len(log) - 1, pb.MatchFinished)
    turned = pb.MatchFinished(places=finished.places[::-1], server_seed=finished.server_seed)
    return put(log, len(log) - 1, turned)


def other_points(log: list[Envelope]) -> int:
    """The winner of a round gets one point more."""
    at = first(log, domino_pb2.RoundEnded)
    ended = public(log, at, domino_pb2.RoundEnded)
    ended.points[ended.winners[0]] += 1
    return put(log, at, ended)


def an_early_end(log: list[Envelope]) -> int:
    """The match is over before it is."""
    del log[len(log) // 2 : -1]
    return len(log)


def an_event_too_many(log: list[Envelope]) -> int:
    """The match goes on after its end."""
    log.append(log[-2])
    return len(log)


def two_beginnings(log: list[Envelope]) -> int:
    """The match is created again."""
    log.insert(1, log[0]._replace(sealed=()))
    return 2


def a_resignation_of_nobody(log: list[Envelope]) -> int:
    """A seat goes out that the table does not have."""
    at = first(log, domino_pb2.TileLaid, after=first(log, domino_pb2.TileLaid) + 1)
    left = pb.SeatWentOut(seat=7, reason=pb.OUT_REASON_RESIGNED)
    log.insert(at, event(log[at], left, Seat(7)))
    return at + 1


def a_table_for_nine(log: list[Envelope]) -> int:
    """There are more seats than the game has."""
    created = public(log, 0, pb.MatchCreated)
    del created.seats[:]
    created.seats.extend([pb.SeatSetup(open=pb.OpenSeat())] * 9)
    options = domino_pb2.Options(hand_size=2)
    created.options.Pack(options)
    return put(log, 0, created)


def other_rules(log: list[Envelope]) -> int:
    """The match was played by rules of a later day."""
    created = public(log, 0, pb.MatchCreated)
    created.rules_version += 1
    return put(log, 0, created)


def a_note_of_a_person(log: list[Envelope]) -> int:
    """A player's move is passed off as a computer's."""
    at = first(log, domino_pb2.TileLaid, after=first(log, domino_pb2.TileLaid) + 1)
    note = pb.AgentNote(name="domino/greedy", version=1, seed=bytes(32))
    log[at] = log[at]._replace(sealed=(SealedPart((), NOTE, note.SerializeToString()),))
    return at + 1


OF_ANY_MATCH: tuple[Cheat, ...] = (
    another_commitment,
    another_seed_at_the_end,
    another_seed_everywhere,
    ignored_entropy,
    another_deal,
    another_boneyard,
    another_tile_drawn,
    a_skipped_draw,
    a_hand_that_another_may_see,
    a_tile_from_nowhere,
    out_of_turn,
    a_move_by_nobody,
    another_winner,
    other_points,
    an_early_end,
    an_event_too_many,
    two_beginnings,
    a_resignation_of_nobody,
    a_table_for_nine,
    other_rules,
    a_note_of_a_person,
)


# Computer players


def a_chosen_seed(log: list[Envelope]) -> int:
    """A computer player moves by chance that somebody has chosen for it."""
    at = first_note(log)
    note = content(log, at, -1, pb.AgentNote)
    note.seed = bytes(32)
    return put_part(log, at, -1, content=note.SerializeToString())


def a_missing_note(log: list[Envelope]) -> int:
    """Nobody could compute the move again."""
    at = first_note(log)
    log[at] = log[at]._replace(sealed=log[at].sealed[:-1])
    return at + 1


def a_stronger_player(log: list[Envelope]) -> int:
    """Another computer player has moved for the one that sits there."""
    at = first_note(log)
    note = content(log, at, -1, pb.AgentNote)
    note.name = "domino/unbeatable"
    return put_part(log, at, -1, content=note.SerializeToString())


OF_COMPUTERS: tuple[Cheat, ...] = (a_chosen_seed, a_missing_note, a_stronger_player)


# Time


def a_clock_put_back(log: list[Envelope]) -> int:
    """A seat has more time than it should."""
    at = first(log, pb.ClocksSet, after=first(log, domino_pb2.TileLaid) + 5)
    shown = public(log, at, pb.ClocksSet)
    shown.clocks[0].remaining_micros += 1
    return put(log, at, shown)


def a_move_after_the_time(log: list[Envelope]) -> int:
    """A player moves long after the clock was at 0."""
    at = first(log, domino_pb2.TileLaid, after=first(log, pb.ClocksSet) + 1)
    log[at:] = [envelope._replace(time_micros=envelope.time_micros + HOUR) for envelope in log[at:]]
    return at + 1


def time_that_goes_back(log: list[Envelope]) -> int:
    """A command comes before the one before it."""
    at = first(log, domino_pb2.TileLaid, after=first(log, pb.ClocksSet) + 1)
    log[at:] = [envelope._replace(time_micros=envelope.time_micros - HOUR) for envelope in log[at:]]
    return at + 1


def time_given_to_one(log: list[Envelope]) -> int:
    """Time is given back after it had been charged. (Where each turn has time of its own, that changes nothing.)"""
    at = first(log, pb.ClocksSet, after=first(log, pb.ClocksSet) + 1)
    log.insert(at, event(log[at], pb.TimeGivenBack(micros=500_000)))
    return at + 2


def time_taken_from_one(log: list[Envelope]) -> int:
    """What is given back is less than nothing, and the clock shows it."""
    at = first(log, pb.ClocksSet, after=first(log, pb.ClocksSet) + 1)
    shown, before = public(log, at, pb.ClocksSet), public(log, first(log, pb.ClocksSet), pb.ClocksSet)
    mover = next(seat for seat, clock in enumerate(before.clocks) if clock.is_running)
    shown.clocks[mover].remaining_micros -= 500_000
    put(log, at, shown)
    log.insert(at, event(log[at], pb.TimeGivenBack(micros=-500_000)))
    return at + 1


def put_out_too_early(log: list[Envelope]) -> int:
    """A seat's time is said to be up while it has some left."""
    at = first(log, domino_pb2.TileLaid, after=first(log, pb.ClocksSet) + 1)
    seat = log[at].seat or 0
    log.insert(at, event(log[at], pb.SeatWentOut(seat=seat, reason=pb.OUT_REASON_TIME_UP)))
    return at + 1


OF_CLOCKS: tuple[Cheat, ...] = (
    a_clock_put_back,
    a_move_after_the_time,
    time_that_goes_back,
    time_taken_from_one,
    put_out_too_early,
)


# Seats


def no_chance_to_come(log: list[Envelope]) -> int:
    """Seats that nobody has taken go out before the time to take them is over."""
    at = first(log, pb.SeatWentOut)
    early = log[at - 1].time_micros
    log[at:] = [envelope._replace(time_micros=early) for envelope in log[at:]]
    return at + 1


def a_player_in_a_seat_that_is_out(log: list[Envelope]) -> int:
    """Somebody comes when it is too late."""
    at = first(log, pb.SeatWentOut)
    seat = public(log, at, pb.SeatWentOut).seat
    start = first(log, pb.MatchStarted)
    late = next(place for place in range(start, len(log)) if log[place].command_id != log[start].command_id)
    log.insert(late, event(log[late], pb.SeatTaken(seat=seat, player_name="late"), Seat(seat)))
    return late + 1


def a_seat_twice(log: list[Envelope]) -> int:
    """A seat is taken that somebody has."""
    at = first(log, pb.SeatTaken)
    log.insert(at + 1, log[at]._replace(command_id="again"))
    return at + 2


def a_seat_that_nobody_had(log: list[Envelope]) -> int:
    """An empty seat is opened again."""
    seat = public(log, first(log, pb.SeatWentOut), pb.SeatWentOut).seat
    log.insert(1, event(log[0], pb.SeatReleased(seat=seat))._replace(command_id="open it"))
    return 2


OF_ABSENCE: tuple[Cheat, ...] = (
    no_chance_to_come,
    a_player_in_a_seat_that_is_out,
    a_seat_twice,
    a_seat_that_nobody_had,
)
