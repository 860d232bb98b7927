"""What a pairing for two at a table is judged by: five numbers, the most important first.

 - `broken`: forbidden pairs that meet, forced pairs that do not, and a bye for somebody who already had one;
 - `rematches`: how often those who meet had met before, in sum;
 - `bye`: how many places above the last who has the bye stands;
 - `seats`: by how much somebody's seats become more uneven than two more of one kind, in sum;
 - `gap`: the differences of the scores of those who meet, in sum, in units.

The bye is a partner like any other, with the number -1. It is there when the number of entrants is odd. Forced pairs
count only where both are there.

One cost for each pair stands for all five, as a forced pair that does not meet is one that does not earn its weight:
the weights are so great that no number of lesser faults comes up to a greater one. Solver and checker share this and
the rule for seats, and nothing else.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from services.tournament.model import Draw, Number, Units
from services.tournament.pairing.pool import BYE, Contender, Pair, Pool, pair_of
from services.tournament.pairing.seating import strain, surplus

METHOD = "fast"
CRITERIA = ("broken", "rematches", "bye", "seats", "gap")
Value: TypeAlias = tuple[int, int, int, int, int]


class Weights(NamedTuple):
    """What one fault of each kind costs; a unit of gap costs 1."""

    broken: int
    rematch: int
    bye: int
    seat: int


class Field(NamedTuple):
    """All who need a partner, and what it costs that two of them meet."""

    # In the order of the pool, without the bye.
    numbers: tuple[Number, ...]
    score: Mapping[Number, Units]
    # How uneven the seats of an entrant are; 0 where that can't cost anything.
    uneven: Mapping[Number, int]
    # What the bye costs, by its holder; empty if all can meet somebody.
    bye: Mapping[Number, int]
    # What the few pairs cost, or earn, that are not judged by scores and seats alone.
    extra: Mapping[Pair, int]
    forced: frozenset[Pair]
    weights: Weights

    def cost(self, one: Number, other: Number) -> int:
        first, second = pair_of(one, other)
        if first == BYE:
            return self.bye[second]
        gap = abs(self.score[first] - self.score[second])
        return gap + self.seats(first, second) + self.extra.get((first, second), 0)

    def seats(self, one: Number, other: Number) -> int:
        return self.weights.seat * strain(self.uneven[one], self.uneven[other])

    def is_free(self, one: Number, other: Number) -> bool:
        """Whether two may meet at no cost but that of their scores."""
        return not self.extra.get(pair_of(one, other)) and not strain(self.uneven[one], self.uneven[other])

    def total(self, pairs: Iterable[Pair]) -> int:
        """What a whole pairing costs: never less than 0."""
        return self.weights.broken * len(self.forced) + sum([self.cost(*pair) for pair in pairs])

    def value(self, total: int) -> Value:
        """The five numbers that a total stands for."""
        found = []
        for weight in self.weights:
            part, total = divmod(total, weight)
            found.append(part)
        broken, rematches, bye, seats = found
        return broken, rematches, bye, seats, total


def field(pool: Pool) -> Field:
    """The field of a pool."""
    score = {one.number: one.score for one in pool.contenders}
    uneven = {one.number: _uneven(one) for one in pool.contenders}
    meetings = _meetings(pool.contenders, score)
    weights = _weights(score, uneven, meetings)
    extra = {pair: times * weights.rematch for pair, times in meetings.items()}
    forced = frozenset(_there(pool.forced, score))
    for pair in _there(pool.forbidden, score):
        extra[pair] = extra.get(pair, 0) + weights.broken
    for pair in forced:
        extra[pair] = extra.get(pair, 0) - weights.broken
    bye = _byes(pool.contenders, weights) if len(score) % 2 else {}
    return Field(tuple(score), score, uneven, bye, extra, forced, weights)


def _uneven(one: Contender) -> int:
    return surplus(one) if abs(surplus(one)) > 1 else 0


def _meetings(contenders: Iterable[Contender], score: Mapping[Number, Units]) -> Counter[Pair]:
    """How often two had met, as the lower number of them has it."""
    return Counter(
        [(one.number, other) for one in contenders for other in one.met if one.number < other and other in score]
    )


def _weights(score: Mapping[Number, Units], uneven: Mapping[Number, int], meetings: Mapping[Pair, int]) -> Weights:
    pairs = (len(score) + 1) // 2
    seat = pairs * (max(score.values(), default=0) - min(score.values(), default=0)) + 1
    bye = seat * (pairs * _most_strain(uneven.values()) + 1)
    rematch = bye * max(len(score), 1)
    broken = rematch * (pairs * max(meetings.values(), default=0) + 1)
    return Weights(broken, rematch, bye, seat)


def _most_strain(uneven: Iterable[int]) -> int:
    """The most that two of them could come to."""
    ordered = sorted(uneven)
    if len(ordered) < 2:
        return 0
    return max(strain(*ordered[:2]), strain(*ordered[-2:]))


def _byes(contenders: Sequence[Contender], weights: Weights) -> dict[Number, int]:
    last = len(contenders) - 1
    return {
        one.number: weights.bye * (last - place) + weights.broken * one.had_bye for place, one in enumerate(contenders)
    }


def _there(pairs: Iterable[Pair], score: Mapping[Number, Units]) -> set[Pair]:
    return {pair_of(*pair) for pair in pairs if pair[0] in score and pair[1] in score}


def pairs_of(draw: Draw) -> list[Pair]:
    """The pairs of a draw, the bye's among them."""
    return [pair_of(*table.seats) for table in draw.tables] + [(BYE, one) for one in draw.byes]
