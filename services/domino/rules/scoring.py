"""D-12 to D-14: who wins a round and a match."""

from collections.abc import Iterable
from itertools import groupby

from services.domino.rules.events import RoundEnded
from services.domino.rules.model import State, pip_total
from shared.kernel import Places, Seat


def end_of_round(state: State) -> RoundEnded:
    """D-12: whoever laid every tile wins; in a blocked round, the lowest pip total."""
    totals = tuple(map(pip_total, state.hands))
    is_blocked = 0 not in state.hands
    if is_blocked:
        winners = tuple(Seat(seat) for seat, total in enumerate(totals) if total == min(totals))
    else:
        winners = (Seat(state.hands.index(0)),)
    return RoundEnded(winners, is_blocked, state.hands, _points(state, winners, totals))


def _points(state: State, winners: tuple[Seat, ...], totals: tuple[int, ...]) -> tuple[int, ...]:
    """D-14: the winner scores the pips left in the other hands; a shared win is scored for nobody."""
    if state.options.target is None:
        return ()
    if len(winners) > 1:
        return (0,) * len(totals)
    return tuple(sum(totals) - totals[seat] if seat in winners else 0 for seat in range(len(totals)))


def outcome(state: State) -> Places | None:
    """The places once the match is over: D-13 after a single round, D-14 by match score."""
    if not state.is_over:
        return None
    seats = [Seat(seat) for seat in range(len(state.hands))]
    if state.options.target is not None:
        return _ranked(seats, [-score for score in state.scores])
    others = [seat for seat in seats if seat not in state.winners]
    return (state.winners, *_ranked(others, [pip_total(state.hands[seat]) for seat in others]))


def points(state: State) -> tuple[int, ...]:
    """D-14: the match score; after a single round (D-13), the pips left in hand, which count against a seat."""
    if state.options.target is not None:
        return tuple(state.scores)
    return tuple(-pip_total(hand) for hand in state.hands)


def _ranked(seats: Iterable[Seat], keys: Iterable[int]) -> Places:
    """Seats by key, lowest first; equal keys share a place."""
    rows = sorted(zip(keys, seats, strict=True))
    return tuple(tuple(seat for _, seat in group) for _, group in groupby(rows, key=lambda row: row[0]))
