"""Matches of Domino in the hands of a lifecycle, one decision at a time."""

from typing import TypeVar

import pytest
from google.protobuf.message import Message

from services.registry import load
from shared.kernel import Refusal, Seat
from shared.match.clocks import TimeControl
from shared.match.lifecycle import Lifecycle
from shared.match.model import Decided, Match, SeatState, Stamp, Terms
from shared.match.wire import Wire, full_name
from tests.conformance.recording import MATCH_ID, SECOND, player

DOMINO = load("domino")
WIRE = Wire(DOMINO)
LIFECYCLE = Lifecycle(DOMINO, WIRE)

MOVE = 10 * SECOND
BASE, INCREMENT = 60 * SECOND, 2 * SECOND
PER_MOVE = Terms(control=TimeControl(move_micros=MOVE))
BASE_AND_INCREMENT = Terms(control=TimeControl(base_micros=BASE, increment_micros=INCREMENT))
every_control = pytest.mark.parametrize(
    "terms", [pytest.param(PER_MOVE, id="per move"), pytest.param(BASE_AND_INCREMENT, id="base and increment")]
)
WAIT = 30 * SECOND
JOIN_IN_TIME = Terms(join_micros=WAIT)

M = TypeVar("M", bound=Message)


def created(*levels: str, seed: bytes = b"seed", terms: Terms = Terms(), now: int = 1) -> Match:  # noqa: B008 - frozen
    """A new match, with a computer player's level or nothing for each seat."""
    seats = tuple(SeatState(ai_level=level) for level in levels)
    return LIFECYCLE.create(MATCH_ID, DOMINO.default_options, seats, terms, seed, Stamp("create", now)).after


def joined(match: Match, name: str, seat: int | None = None, now: int = 1) -> Decided[Match]:
    """Somebody takes a seat."""
    who = player(name)
    wanted = None if seat is None else Seat(seat)
    return accepted(LIFECYCLE.join(match, wanted, who, Stamp(who.join_id, now)))


def started(seats: int = 3, terms: Terms = Terms(), now: int = 1) -> Match:  # noqa: B008 - frozen
    """A match whose seats are all taken."""
    match = created(*[""] * seats, terms=terms, now=now)
    for number in range(seats):
        match = joined(match, f"P{number}", now=now).after
    return match


def accepted(answer: Decided[Match] | Refusal) -> Decided[Match]:
    """What was decided, if it was not refused."""
    assert isinstance(answer, Decided), answer
    return answer


def refused(answer: Decided[Match] | Refusal) -> str:
    """The rule by which it was refused."""
    assert isinstance(answer, Refusal), answer
    return answer.rule


def names(decided: Decided[Match]) -> list[str]:
    """The types of events."""
    return [envelope.type.rpartition(".")[2] for envelope in decided.envelopes]


def events(decided: Decided[Match], kind: type[M]) -> list[M]:
    """The events of one type."""
    return [kind.FromString(one.public) for one in decided.envelopes if one.type == full_name(kind)]


def expire(match: Match, after: int, away: int = 0) -> Decided[Match] | Refusal:
    """A look at the clocks, so much after the newest event."""
    return LIFECYCLE.expire(match, Stamp("clock", match.time_micros + after, away))


def running(match: Match) -> list[int]:
    """The seats whose time goes by."""
    return [seat for seat, clock in enumerate(match.clocks or ()) if clock.is_running]
