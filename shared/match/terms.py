"""The terms of a match, in its first event and out of it again."""

from meydan.match.v1 import envelope_pb2 as pb
from shared.match.clocks import TimeControl
from shared.match.model import Terms

_MICROS = 1_000_000


def write(terms: Terms, created: pb.MatchCreated) -> None:
    """Puts the terms into the event."""
    created.organiser_id = terms.organiser_id
    created.watching = pb.WATCHING_PUBLIC if terms.is_public else pb.WATCHING_INVITED
    created.join_seconds = terms.join_micros // _MICROS
    if terms.control is not None:
        created.clock.CopyFrom(clock_message(terms.control))


def read(created: pb.MatchCreated) -> Terms:
    """The terms in the event. Logs from before there were any are of public matches without clocks."""
    return Terms(
        organiser_id=created.organiser_id,
        is_public=created.watching != pb.WATCHING_INVITED,
        control=time_control(created.clock) if created.HasField("clock") else None,
        join_micros=created.join_seconds * _MICROS,
    )


def clock_message(control: TimeControl) -> pb.Clock:
    """A time control as clients see it."""
    if control.move_micros:
        return pb.Clock(per_move=pb.PerMove(seconds=control.move_micros // _MICROS))
    return pb.Clock(
        base_and_increment=pb.BaseAndIncrement(
            base_seconds=control.base_micros // _MICROS, increment_seconds=control.increment_micros // _MICROS
        )
    )


def time_control(clock: pb.Clock) -> TimeControl:
    """A time control as clients asked for it."""
    both = clock.base_and_increment
    return TimeControl(
        move_micros=clock.per_move.seconds * _MICROS,
        base_micros=both.base_seconds * _MICROS,
        increment_micros=both.increment_seconds * _MICROS,
    )


def join_deadline(terms: Terms, created_micros: int) -> int:
    """When seats that are not taken go out; 0: never."""
    return created_micros + terms.join_micros if terms.join_micros else 0
