"""The time of a match: when something is due, and how much of what has passed is counted."""

from meydan.match.v1 import envelope_pb2 as pb
from shared.match import clocks
from shared.match.model import Match, Stamp, Status


def due(match: Match) -> int:
    """When the match needs attention if nothing happens before; 0: never."""
    if match.status is Status.WAITING:
        return match.join_deadline
    if match.status is Status.FINISHED or match.clocks is None:
        return 0
    return clocks.deadline(match.clocks, match.time_micros) or 0


def now(match: Match, stamp: Stamp) -> int:
    """Time never goes back within a match, whatever the clocks of several processes say."""
    return max(stamp.now, match.time_micros)


def given_back(match: Match, stamp: Stamp) -> int:
    """How much of the time since the newest event is not counted, where any is."""
    if not stamp.away or not (match.join_deadline or _runs(match)):
        return 0
    return min(stamp.away, now(match, stamp) - match.time_micros)


def _runs(match: Match) -> bool:
    return match.clocks is not None and any(clock.is_running for clock in match.clocks)


def is_too_late_to_join(match: Match, stamp: Stamp) -> bool:
    """Whether a match that waits has waited long enough."""
    deadline = match.join_deadline
    return bool(deadline) and now(match, stamp) >= deadline + given_back(match, stamp)


def passed(match: Match, stamp: Stamp) -> int:
    """The time since the newest event that is counted."""
    return now(match, stamp) - match.time_micros - given_back(match, stamp)


def clocks_set(shown: clocks.Clocks) -> pb.ClocksSet:
    return pb.ClocksSet(
        clocks=[pb.SeatClock(remaining_micros=one.remaining_micros, is_running=one.is_running) for one in shown]
    )
