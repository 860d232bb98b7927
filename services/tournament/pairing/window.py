"""Which part of a field has to be matched again: all from one large score group to the next round each conflict.

A large group has room for whoever comes from outside, so a few of it stand for all. Smaller ones go in whole.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from services.tournament.model import Units
from services.tournament.pairing.criteria import Field
from services.tournament.pairing.pool import BYE, Pair

# Score groups, the highest 0: the first and the last of a range.
Range: TypeAlias = tuple[int, int]


class Window(NamedTuple):
    """Pairs that are matched again, and between which scores: lines there are replaced by what the matching shows."""

    pairs: tuple[Pair, ...]
    highest: Units
    lowest: Units


class _Ladder(NamedTuple):
    """The score groups of those who are not settled."""

    field: Field
    scores: tuple[Units, ...]
    rank: Mapping[Units, int]
    sizes: tuple[int, ...]
    # A group of so many is large.
    large: int

    def range_of(self, pair: Pair) -> Range:
        one, other = sorted([self.rank[self.field.score[number]] for number in pair])
        return one, other

    def is_large(self, group: int) -> bool:
        return self.sizes[group] >= self.large


def pieces(window: Window, most: int) -> list[Window]:
    """A window in parts of at most so many pairs, who are near each other."""
    return [window._replace(pairs=window.pairs[at : at + most]) for at in range(0, len(window.pairs), most)]


def whole(field: Field, pairs: Sequence[Pair]) -> Window:
    """All of a field."""
    return Window(tuple(pairs), max(field.score.values()), min(field.score.values()))


def windows(field: Field, settled: Sequence[Pair], pairs: Sequence[Pair], large: int) -> list[Window]:
    """The parts that conflicts make necessary; no entrant is in two."""
    ladder = _ladder(field, pairs, large)
    ranges = [ladder.range_of(pair) for pair in pairs]
    taken: set[Pair] = set()
    found = []
    for first, last in _merged(ladder, ranges, _conflicts(ladder, pairs, ranges)):
        chosen = [pair for pair in _chosen(ladder, pairs, ranges, (first, last)) if pair not in taken]
        taken.update(chosen)
        bye = [pair for pair in settled if _is_bye_within(ladder, pair, first, last)]
        found.append(Window((*chosen, *bye), ladder.scores[first], ladder.scores[last]))
    return found


def _ladder(field: Field, pairs: Sequence[Pair], large: int) -> _Ladder:
    sizes = Counter([field.score[one] for pair in pairs for one in pair])
    scores = tuple(sorted(sizes, reverse=True))
    rank = {score: at for at, score in enumerate(scores)}
    return _Ladder(field, scores, rank, tuple([sizes[score] for score in scores]), large)


def _conflicts(ladder: _Ladder, pairs: Sequence[Pair], ranges: Sequence[Range]) -> set[Range]:
    """Where two cost more than their scores differ, and where more than one pair leaves a group downwards."""
    found = {span for pair, span in zip(pairs, ranges, strict=True) if not ladder.field.is_free(*pair)}
    steps = [0] * (len(ladder.scores) + 1)
    for first, last in ranges:
        steps[first] += 1
        steps[last] -= 1
    return found | {(group, group + 1) for group, leaving in enumerate(accumulate(steps)) if leaving > 1}


def _merged(ladder: _Ladder, ranges: Sequence[Range], conflicts: Iterable[Range]) -> list[Range]:
    """Ranges that end at large groups, that no pair leaves, and of which no two have more than one group in common."""
    waiting = sorted(conflicts)
    across = sorted({span for span in ranges if span[0] < span[1]})
    found: list[Range] = []
    while waiting:
        wide = _widened(ladder, waiting.pop(), across)
        touching = [other for other in found if _overlap(wide, other)]
        if touching:
            found = [other for other in found if other not in touching]
            wide = min(wide[0], *[one for one, _ in touching]), max(wide[1], *[one for _, one in touching])
            waiting.append(wide)
        else:
            found.append(wide)
    return sorted(found)


def _widened(ladder: _Ladder, span: Range, across: Sequence[Range]) -> Range:
    wide, before = _to_large(ladder, span), span
    while wide != before:
        crossing = [other for other in across if _overlap(wide, other)]
        joined = min([wide[0], *[one for one, _ in crossing]]), max([wide[1], *[one for _, one in crossing]])
        wide, before = _to_large(ladder, joined), wide
    return wide


def _to_large(ladder: _Ladder, span: Range) -> Range:
    first, last = span
    while first and not ladder.is_large(first):
        first -= 1
    while last < len(ladder.sizes) - 1 and not ladder.is_large(last):
        last += 1
    return first, last


def _overlap(one: Range, other: Range) -> bool:
    first, last = max(one[0], other[0]), min(one[1], other[1])
    return first < last or (first == last and (one[0] == one[1] or other[0] == other[1]))


def _chosen(ladder: _Ladder, pairs: Sequence[Pair], ranges: Sequence[Range], within: Range) -> Iterator[Pair]:
    """All pairs within, but of those inside a large group only some, and those that are in conflict."""
    room = Counter(dict.fromkeys(range(within[0], within[1] + 1), ladder.large // 2))
    for pair, (first, last) in zip(pairs, ranges, strict=True):
        if first < within[0] or last > within[1]:
            continue
        is_inside = first == last and ladder.is_large(first)
        if is_inside and not room[first] and ladder.field.is_free(*pair):
            continue
        room[first] -= is_inside and room[first] > 0
        yield pair


def _is_bye_within(ladder: _Ladder, pair: Pair, first: int, last: int) -> bool:
    return pair[0] == BYE and ladder.scores[last] <= ladder.field.score[pair[1]] <= ladder.scores[first]
