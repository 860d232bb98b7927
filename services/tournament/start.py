"""What the start of a tournament brings with it. Pure."""

from google.protobuf.message import Message

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament.state import Tournament


def before_start(tournament: Tournament) -> list[Message]:
    """What the start brings with it."""
    return [*_not_checked_in(tournament), *_fill_up(tournament)]


def registered(number: int, entrant: pb.Entrant) -> pb.EntrantRegistered:
    """One entrant more."""
    return pb.EntrantRegistered(number=number, entrant=entrant)


def _not_checked_in(before: Tournament) -> list[pb.EntrantWithdrawn]:
    if not before.plan.needs_check_in:
        return []
    absent = [
        number
        for number, one in sorted(before.entrants.items())
        # Computer players are always there.
        if not (one.is_checked_in or one.is_withdrawn or one.ai_level)
    ]
    return [pb.EntrantWithdrawn(number=number) for number in absent]


def _fill_up(before: Tournament) -> list[pb.EntrantRegistered]:
    """For who has withdrawn, or has not come, too."""
    level, first = before.plan.fill_level, len(before.entrants)
    there = sum([not one.is_withdrawn for one in before.entrants.values()]) - len(_not_checked_in(before))
    missing = range(first, first + before.plan.fill_to - there) if level else ()
    return [registered(number, pb.Entrant(name=f"{level} {number + 1}", ai_level=level)) for number in missing]
