"""What a cheat could write into a tournament's log, with links that hold and a signature of their own."""

from collections.abc import Callable
from typing import Any, TypeAlias

from google.protobuf.message import Message

from meydan.match.v1.envelope_pb2 import ServerSeed
from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament.wire import WIRE
from shared.envelope import Envelope
from shared.match.wire import full_name
from shared.proof.chain import commitment, salt, sha256
from tests.tournament.core.recording import ahead

# Changes the log, and answers the version at which that must show.
Cheat: TypeAlias = Callable[[list[Envelope]], int]


def at(log: list[Envelope], kind: type[Message], which: int = 0) -> int:
    """The place of an event of a type: the first one, unless another is wanted (-1: the last)."""
    return [place for place, envelope in enumerate(log) if envelope.type == full_name(kind)][which]


def changed(log: list[Envelope], place: int, change: Callable[[Any], None]) -> int:
    """Another event in the place of one."""
    event = WIRE.public(log[place])
    change(event)
    log[place] = log[place]._replace(public=event.SerializeToString())
    return place + 1


def put(log: list[Envelope], place: int, event: Message) -> int:
    """One more event."""
    made = log[place]._replace(type=full_name(type(event)), public=event.SerializeToString(), sealed=())
    log.insert(place, made)
    return place + 1


def out(log: list[Envelope], place: int) -> int:
    """One event less."""
    del log[place]
    return place + 1


def _round(log: list[Envelope], change: Callable[[pb.Draw], None], which: int = 1) -> int:
    return changed(log, at(log, pb.RoundPaired, which), lambda event: change(event.draw))


def a_changed_result(log: list[Envelope]) -> int:
    """The other one won: points, and so the next round, would be others."""
    changed(log, at(log, pb.ResultRecorded), lambda event: event.result.places.reverse())
    return at(log, pb.RoundPaired, 1) + 1


def a_changed_result_of_the_last_round(log: list[Envelope]) -> int:
    """No round follows, but the places are others."""
    changed(log, at(log, pb.ResultRecorded, -1), lambda event: event.result.places.reverse())
    return len(log)


def a_result_of_no_place(log: list[Envelope]) -> int:
    return changed(log, at(log, pb.ResultRecorded), lambda event: event.result.places.pop())


def a_result_at_another_table(log: list[Envelope]) -> int:
    def change(event: pb.ResultRecorded) -> None:
        event.table = 1 - event.table

    return changed(log, at(log, pb.ResultRecorded), change)


def a_result_of_a_match_from_elsewhere(log: list[Envelope]) -> int:
    def change(event: pb.ResultRecorded) -> None:
        event.result.match_id = "01HZZZZZZZZZZZZZZZZZZZZZZY"

    return changed(log, at(log, pb.ResultRecorded), change)


def a_second_result(log: list[Envelope]) -> int:
    place = at(log, pb.ResultRecorded)
    event = WIRE.public(log[place])
    return put(log, place + 1, event)


def a_missing_result(log: list[Envelope]) -> int:
    """The next round was paired though a table was open."""
    out(log, at(log, pb.ResultRecorded))
    return at(log, pb.RoundPaired, 1) + 1


def a_result_with_other_points(log: list[Envelope]) -> int:
    """One number too few for the seats."""
    return changed(log, at(log, pb.ResultRecorded), lambda event: event.result.points.append(3))


def swapped_tables(log: list[Envelope]) -> int:
    def change(draw: pb.Draw) -> None:
        first, second = draw.tables[0].seats[0], draw.tables[1].seats[0]
        draw.tables[0].seats[0], draw.tables[1].seats[0] = second, first

    return _round(log, change)


def swapped_seats(log: list[Envelope]) -> int:
    """Somebody would begin who should not."""

    def change(draw: pb.Draw) -> None:
        draw.tables[0].seats[:] = list(draw.tables[0].seats)[::-1]

    return _round(log, change)


def tables_in_another_order(log: list[Envelope]) -> int:
    def change(draw: pb.Draw) -> None:
        tables = list(draw.tables)[::-1]
        del draw.tables[:]
        draw.tables.extend(tables)

    return _round(log, change)


def another_bye(log: list[Envelope]) -> int:
    """Who sits at a table has the bye too."""

    def change(draw: pb.Draw) -> None:
        draw.byes[:] = [draw.tables[0].seats[0]]

    return _round(log, change)


def somebody_from_nowhere(log: list[Envelope]) -> int:
    def change(draw: pb.Draw) -> None:
        draw.tables[0].seats[0] = 1000

    return _round(log, change)


def a_round_without_tables(log: list[Envelope]) -> int:
    return _round(log, lambda draw: draw.tables.__delitem__(slice(None)))


def another_value(log: list[Envelope]) -> int:
    """The certificate praises the round more than it deserves."""

    def change(draw: pb.Draw) -> None:
        draw.certificate.value[-1] += 1

    return _round(log, change)


def another_bound(log: list[Envelope]) -> int:
    def change(draw: pb.Draw) -> None:
        draw.certificate.bound[-1] += 1

    return _round(log, change)


def another_method(log: list[Envelope]) -> int:
    def change(draw: pb.Draw) -> None:
        draw.certificate.method = "guessed"

    return _round(log, change)


def another_number_of_a_round(log: list[Envelope]) -> int:
    def change(event: pb.RoundPaired) -> None:
        event.round = 3

    return changed(log, at(log, pb.RoundPaired, 1), change)


def a_round_more(log: list[Envelope]) -> int:
    """After the last one."""
    event = WIRE.public(log[at(log, pb.RoundPaired, -1)])
    assert isinstance(event, pb.RoundPaired)
    event.round += 1
    return put(log, len(log) - 1, event)


def another_order_at_the_start(log: list[Envelope]) -> int:
    """Of those who are equal, which was drawn by lot."""
    return changed(log, at(log, pb.TournamentStarted), lambda event: event.order.reverse())


def nobody_checked_in_late(log: list[Envelope]) -> int:
    """The start withdraws who was not there: one of them is let in."""
    out(log, at(log, pb.EntrantWithdrawn))
    return at(log, pb.TournamentStarted) + 1


def a_computer_player_more(log: list[Envelope]) -> int:
    """Among those with whom the start fills up."""
    place = at(log, pb.TournamentStarted)
    event = pb.EntrantRegistered(number=99, entrant=pb.Entrant(name="x", ai_level="greedy"))
    put(log, place, event)
    return place + 1


def another_number_of_an_entrant(log: list[Envelope]) -> int:
    def change(event: pb.EntrantRegistered) -> None:
        event.number += 1

    return changed(log, at(log, pb.EntrantRegistered, 1), change)


def an_entrant_twice(log: list[Envelope]) -> int:
    place = at(log, pb.EntrantRegistered)
    event = WIRE.public(log[place])
    return put(log, place + 1, event)


def an_entrant_less(log: list[Envelope]) -> int:
    """The next one has a number too high."""
    return out(log, at(log, pb.EntrantRegistered))


def a_player_let_in_after_the_start(log: list[Envelope]) -> int:
    place = at(log, pb.TournamentStarted) + 1
    number = sum(one.type == full_name(pb.EntrantRegistered) for one in log)
    entrant = pb.Entrant(name="late", player_id="late")
    return put(log, place, pb.EntrantRegistered(number=number, entrant=entrant))


def a_ruling_about_nothing(log: list[Envelope]) -> int:
    ruling = pb.Ruling(annulment=pb.Annulment(round=9))
    made = pb.RulingMade(number=1, arbiter_id="arbiter", reason="None.", ruling=ruling)
    return put(log, at(log, pb.ResultRecorded, -1) + 1, made)


def a_ruling_with_another_number(log: list[Envelope]) -> int:
    ruling = pb.Ruling(override=pb.Override(round=1, table=0, places=ahead([0], [1])))
    made = pb.RulingMade(number=7, arbiter_id="arbiter", reason="None.", ruling=ruling)
    return put(log, at(log, pb.ResultRecorded, -1) + 1, made)


def an_undoing_of_nothing(log: list[Envelope]) -> int:
    return put(log, at(log, pb.ResultRecorded, -1) + 1, pb.RulingUndone(number=3, arbiter_id="a", reason="None."))


def a_match_with_another_id(log: list[Envelope]) -> int:
    def change(event: pb.MatchesStarted) -> None:
        event.matches[0].match_id = "01HZZZZZZZZZZZZZZZZZZZZZZY"

    return changed(log, at(log, pb.MatchesStarted), change)


def wrong_places_at_the_end(log: list[Envelope]) -> int:
    return changed(log, len(log) - 1, lambda event: event.places.reverse())


def shared_places_at_the_end(log: list[Envelope]) -> int:
    def change(event: pb.TournamentFinished) -> None:
        event.places[0].numbers.extend(event.places[1].numbers)
        del event.places[1]

    return changed(log, len(log) - 1, change)


def something_after_the_end(log: list[Envelope]) -> int:
    last = log[-1]
    log.append(last._replace(version=last.version + 1, type=full_name(pb.TournamentPaused), public=b""))
    return len(log)


def another_seed_at_the_end(log: list[Envelope]) -> int:
    def change(event: pb.TournamentFinished) -> None:
        event.server_seed = bytes(32)

    return changed(log, len(log) - 1, change)


def another_hash_of_the_seed(log: list[Envelope]) -> int:
    def change(event: pb.TournamentCreated) -> None:
        event.server_seed_hash = bytes(32)

    return changed(log, 0, change)


def a_seed_that_was_found_later(log: list[Envelope]) -> int:
    """Committed to, sealed and shown, but it would have drawn another order."""
    other = b"a seed that was found later".ljust(32)
    salted = salt(other, 1, 0)
    content = ServerSeed(seed=other).SerializeToString()
    part = log[0].sealed[0]._replace(content=content, salt=salted, commitment=commitment(salted, content))
    log[0] = log[0]._replace(sealed=(part,))

    def begin(event: pb.TournamentCreated) -> None:
        event.server_seed_hash = sha256(other)

    def end(event: pb.TournamentFinished) -> None:
        event.server_seed = other

    changed(log, 0, begin)
    changed(log, len(log) - 1, end)
    return at(log, pb.TournamentStarted) + 1


def another_plan(log: list[Envelope]) -> int:
    """With fewer rounds than were played."""

    def change(event: pb.TournamentCreated) -> None:
        event.plan.rounds = 2

    changed(log, 0, change)
    return at(log, pb.RoundPaired, 2) + 1


def a_start_that_is_dropped(log: list[Envelope]) -> int:
    place = at(log, pb.TournamentStarted)
    del log[place]
    return at(log, pb.RoundPaired) + 1


def a_round_that_is_dropped(log: list[Envelope]) -> int:
    place = at(log, pb.RoundPaired)
    del log[place]
    return place + 1


def an_event_of_a_match(log: list[Envelope]) -> int:
    place = at(log, pb.RoundPaired)
    log[place] = log[place]._replace(type="meydan.match.v1.MatchStarted")
    return place + 1


def a_time_before_the_last(log: list[Envelope]) -> int:
    place = at(log, pb.RoundPaired)
    log[place] = log[place]._replace(time_micros=log[place - 1].time_micros - 1)
    return place + 1


def a_seat_that_acted(log: list[Envelope]) -> int:
    place = at(log, pb.RoundPaired)
    log[place] = log[place]._replace(seat=0)  # type: ignore[arg-type]
    return place + 1


def an_end_before_the_end(log: list[Envelope]) -> int:
    """While tables are open."""
    place = at(log, pb.ResultRecorded)
    event = WIRE.public(log[-1])
    return put(log, place, event)


CHEATS: tuple[Cheat, ...] = (
    a_changed_result,
    a_changed_result_of_the_last_round,
    a_result_of_no_place,
    a_result_at_another_table,
    a_result_of_a_match_from_elsewhere,
    a_second_result,
    a_missing_result,
    a_result_with_other_points,
    swapped_tables,
    swapped_seats,
    tables_in_another_order,
    another_bye,
    somebody_from_nowhere,
    a_round_without_tables,
    another_value,
    another_bound,
    another_method,
    another_number_of_a_round,
    a_round_more,
    another_order_at_the_start,
    nobody_checked_in_late,
    a_computer_player_more,
    another_number_of_an_entrant,
    an_entrant_twice,
    an_entrant_less,
    a_player_let_in_after_the_start,
    a_ruling_about_nothing,
    a_ruling_with_another_number,
    an_undoing_of_nothing,
    a_match_with_another_id,
    wrong_places_at_the_end,
    shared_places_at_the_end,
    something_after_the_end,
    another_seed_at_the_end,
    another_hash_of_the_seed,
    a_seed_that_was_found_later,
    another_plan,
    a_start_that_is_dropped,
    a_round_that_is_dropped,
    an_event_of_a_match,
    a_time_before_the_last,
    a_seat_that_acted,
    an_end_before_the_end,
)
