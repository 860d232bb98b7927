"""What a pairing starts from: the entrants who are there, what they have, and whom they have met."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from services.tournament.model import Kind, Number, Player, Units

# Two entrants, the lower number first.
Pair: TypeAlias = tuple[Number, Number]
BYE = Number(-1)


class Contender(NamedTuple):
    """An entrant who is to be paired."""

    number: Number
    score: Units
    # The order at the start, 1 for the first.
    seed: int
    # Whom it has met over a board, once for each time.
    met: tuple[Number, ...] = ()
    # How often it sat at each seat, the first first, and where the last time (-1: never yet).
    sat: tuple[int, ...] = ()
    last_seat: int = -1
    had_bye: bool = False


class Pool(NamedTuple):
    """All who are to be paired: by score, the highest first, and then by their order at the start."""

    round: int
    # At a full table.
    seats: int
    contenders: tuple[Contender, ...]
    # Pairs that must not meet, and pairs that must (in this round).
    forbidden: frozenset[Pair] = frozenset()
    forced: frozenset[Pair] = frozenset()


def pair_of(one: Number, other: Number) -> Pair:
    """The two in their fixed order."""
    return (one, other) if one < other else (other, one)


def pool(
    players: Iterable[Player],
    number: int,
    seats: int,
    forbidden: Iterable[Pair] = (),
    forced: Iterable[Pair] = (),
) -> Pool:
    """The pool of a round."""
    found = sorted((contender(player, seats) for player in players if player.is_active), key=_order)
    return Pool(number, seats, tuple(found), frozenset(forbidden), frozenset(forced))


def _order(one: Contender) -> tuple[int, int]:
    return -one.score, one.seed


def contender(player: Player, seats: int) -> Contender:
    """A player as the pairing sees it. A game that was not played is no meeting, and nobody sat anywhere."""
    played = [entry for entry in player.entries if entry.kind is Kind.PLAYED]
    return Contender(
        player.number,
        player.points,
        player.seed,
        tuple([one for entry in played for one in entry.opponents]),
        _sat([entry.seat for entry in played], seats),
        played[-1].seat if played else -1,
        any(entry.kind in _WITHOUT_A_GAME for entry in player.entries),
    )


# Who had points without a game is not the next to have them.
_WITHOUT_A_GAME = (Kind.BYE, Kind.FORFEIT_WIN)


def _sat(places: Sequence[int], seats: int) -> tuple[int, ...]:
    return tuple([places.count(seat) for seat in range(seats)])
