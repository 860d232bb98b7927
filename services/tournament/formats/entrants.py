"""Who is in an event whose field is laid down, and who was there when a round was paired."""

from collections.abc import Iterable, Mapping, Sequence

from services.tournament.model import Number, Player, Round


def field(players: Sequence[Player], rounds: Sequence[Round]) -> tuple[Player, ...]:
    """Who was paired in the first round, or would be now, by seed. Nobody joins after that."""
    there = present(rounds[0]) if rounds else active(players)
    return tuple(sorted([one for one in players if one.number in there], key=lambda one: one.seed))


def present(paired: Round) -> frozenset[Number]:
    """Who had a table in a round, or a bye."""
    return frozenset([number for table in paired.tables for number in table.seats] + list(paired.byes))


def active(players: Iterable[Player]) -> frozenset[Number]:
    """Who is to be paired."""
    return frozenset([one.number for one in players if one.is_active])


def seeds(players: Iterable[Player]) -> Mapping[Number, int]:
    """The order at the start, 1 for the first."""
    return {one.number: one.seed for one in players}


def by_number(players: Iterable[Player]) -> Mapping[Number, Player]:
    """The players by their numbers."""
    return {one.number: one for one in players}
