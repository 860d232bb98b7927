"""All places: by how far one came (brackets), then points, then each tie-break among who are still equal (4.2)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from services.tournament.model import Number, Plan, Player, TieBreak, Units
from services.tournament.standings.encounter import encounter
from services.tournament.standings.ledger import Ledger, ledger
from services.tournament.standings.tie_breaks import Value, values_of

# What an entrant is ranked by: how far it came, its points, and the tie-breaks so far. More is better.
_Key: TypeAlias = tuple[int, ...]
# How far somebody came of whom nothing is said.
_NOWHERE = -1


class Row(NamedTuple):
    """A line of the standings."""

    number: Number
    # From 1; who is equal to the end shares it.
    place: int
    points: Units
    # One for each tie-break of the plan, in its order.
    values: tuple[Value, ...]
    # Of brackets: how far it came.
    reached: int = 0


def rank(plan: Plan, players: Sequence[Player], reached: Mapping[Number, int] | None = None) -> tuple[Row, ...]:
    """Everybody, the best first. Equal rows are in their order at the start.

    Everybody whom one of them met must be among them.
    """
    book = ledger(plan, players)
    columns = [[_reached(reached, player.number) for player in players], [line.total for line in book.lines]]
    values: list[list[Value]] = []
    for tie_break in plan.tie_breaks:
        values.append(_values(book, columns, tie_break))
        columns.append([value.amount for value in values[-1]])
    return tuple(_rows(players, list(zip(*columns, strict=True)), values))


def _reached(reached: Mapping[Number, int] | None, number: Number) -> int:
    return 0 if reached is None else reached.get(number, _NOWHERE)


def _values(book: Ledger, columns: Sequence[Sequence[int]], tie_break: TieBreak) -> list[Value]:
    if tie_break is not TieBreak.DIRECT_ENCOUNTER:
        return values_of(tie_break, book)
    return _encounters(book, list(zip(*columns, strict=True)))


def _encounters(book: Ledger, keys: Sequence[_Key]) -> list[Value]:
    """6: how many of those who were equal to it before each is ahead of."""
    equals: dict[_Key, list[Player]] = {}
    for key, line in zip(keys, book.lines, strict=True):
        equals.setdefault(key, []).append(line.player)
    ahead = {number: count for group in equals.values() for number, count in encounter(book.plan, group).items()}
    return [Value(ahead[line.player.number]) for line in book.lines]


def _rows(players: Sequence[Player], keys: Sequence[_Key], values: Sequence[Sequence[Value]]) -> Iterator[Row]:
    by_seed = sorted(range(len(players)), key=lambda index: players[index].seed)
    order = sorted(by_seed, key=lambda index: keys[index], reverse=True)
    place = 1
    for key, same in groupby(order, key=lambda index: keys[index]):
        equals = list(same)
        for index in equals:
            yield Row(players[index].number, place, key[1], tuple([column[index] for column in values]), key[0])
        place += len(equals)
