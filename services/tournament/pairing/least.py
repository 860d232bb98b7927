"""What a proof shows: that no pairing of a field can cost less than its values come up to.

The values are a solution of the dual of the matching. Two entrants may be worth, together with all odd sets that hold
one of them and not the other, no more than it costs that they meet. Every pairing has somebody of each odd set meet
somebody outside, so it costs at least the sum of all values. All values are multiples of 1 / `scale`.

A line is the odd set of all who have at least a score. An odd set may be a line with exceptions: `members` are then
those who stand on the other side of it. The bye stands below all lines.

So that this takes linear time, entrants of the same score and values are looked at together. For those who have no
value of their own and are nobody's exception, lines suffice: neighbouring scores may not be worth more than their
difference. Only those who have been named in the proof are compared with every class. Where a class is worth too
much, each of its pairs must have a cost of its own (a rematch, a forbidden pair); the first that has none ends the
search.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

from services.tournament.model import Number, OddSet, Proof, Units
from services.tournament.pairing.criteria import Field
from services.tournament.pairing.pool import BYE
from services.tournament.pairing.seating import strain
from services.tournament.pairing.unsound import Unsound

# Numbers of the odd sets to which somebody is an exception.
Exceptions: TypeAlias = tuple[int, ...]
# So many comparisons are made at most, and so many more for each entrant.
_FREE_EFFORT, _EFFORT = 5_000_000, 100


class _Class(NamedTuple):
    """What those have in common who are worth the same against everybody."""

    score: Units
    value: int
    exceptions: Exceptions
    uneven: int


class _Worth(NamedTuple):
    field: Field
    scale: int
    sets: tuple[OddSet, ...]
    # By score, what all lines at or below it weigh, with those that have exceptions.
    height: Mapping[Units, int]
    value: Mapping[Number, int]
    exceptions: Mapping[Number, Exceptions]

    def of(self, one: _Class, other: _Class) -> int:
        """What two are worth together, with all sets that part them."""
        parted = abs(self.height[one.score] - self.height[other.score])
        for number in {*one.exceptions, *other.exceptions}:
            weight, above = self.sets[number].weight, self.sets[number].above
            was = above is not None and (one.score >= above) != (other.score >= above)
            turned = (number in one.exceptions) != (number in other.exceptions)
            parted += weight * ((was != turned) - was)
        return one.value + other.value + parted

    def class_of(self, one: Number) -> _Class:
        return _Class(
            self.field.score[one], self.value.get(one, 0), self.exceptions.get(one, ()), self.field.uneven[one]
        )


def least(field: Field, proof: Proof) -> int:
    """What every pairing costs at least; raises `Unsound` if the proof does not show that."""
    _check_shape(field, proof)
    worth = _worth(field, proof)
    _check_classes(worth)
    _check_bye(worth)
    for one, other in sorted(field.forced):
        _check_pair(worth, one, other)
    values = [weight for _, weight in (*proof.potentials, *proof.lines)] + [one.weight for one in proof.odd_sets]
    total = sum(values) + proof.scale * field.weights.broken * len(field.forced)
    return -(-total // proof.scale)


def _check_shape(field: Field, proof: Proof) -> None:
    if proof.scale < 1:
        raise Unsound("The scale of the proof is not a positive number.")
    known = {*field.numbers, BYE} if field.bye else {*field.numbers}
    named = [one for one, _ in proof.potentials]
    for numbers in (named, *[one.members for one in proof.odd_sets]):
        if len(set(numbers)) < len(numbers) or not known.issuperset(numbers):
            raise Unsound("The proof names somebody twice, or somebody who is not to be paired.")
    scores = sorted(field.score.values())
    for one in _sets(proof):
        if one.weight < 0:
            raise Unsound("The proof has a set whose weight is less than 0.")
        above = 0 if one.above is None else len(scores) - bisect_left(scores, one.above)
        if (above + len(one.members)) % 2 == 0:
            raise Unsound("The proof has a set of an even number of entrants: nobody has to leave it.")


def _sets(proof: Proof) -> tuple[OddSet, ...]:
    """All odd sets; lines are those without exceptions."""
    return (*proof.odd_sets, *[OddSet((), weight, score) for score, weight in proof.lines])


def _worth(field: Field, proof: Proof) -> _Worth:
    exceptions: dict[Number, list[int]] = defaultdict(list)
    for number, odd in enumerate(proof.odd_sets):
        for one in odd.members:
            exceptions[one].append(number)
    return _Worth(
        field,
        proof.scale,
        proof.odd_sets,
        _heights(field, proof),
        dict(proof.potentials),
        {one: tuple(numbers) for one, numbers in exceptions.items()},
    )


def _heights(field: Field, proof: Proof) -> dict[Units, int]:
    """A line counts from the first score that it does not leave out."""
    scores = sorted(set(field.score.values()))
    steps = dict.fromkeys(scores, 0)
    for one in _sets(proof):
        if one.above is not None and one.above <= scores[-1]:
            steps[scores[bisect_left(scores, one.above)]] += one.weight
    return dict(zip(scores, accumulate(steps.values()), strict=True))


def _check_classes(worth: _Worth) -> None:
    members: dict[_Class, list[Number]] = defaultdict(list)
    for one in worth.field.numbers:
        members[worth.class_of(one)].append(one)
    special = [one for one in members if one.value or one.exceptions]
    plain = [one for one in members if not (one.value or one.exceptions)]
    _check_effort(worth.field, special, len(members))
    _check_plain(worth, sorted({one.score for one in plain}))
    for place, kind in enumerate(special):
        for other in (*special[place:], *plain):
            if worth.of(kind, other) > worth.scale * _plain_cost(worth.field, kind, other):
                _check_each(worth, members[kind], members[other])


def _check_effort(field: Field, special: list[_Class], classes: int) -> None:
    """Nobody can make the check long by a proof that names everybody."""
    if classes * sum([1 + len(one.exceptions) for one in special]) > _FREE_EFFORT + _EFFORT * len(field.numbers):
        raise Unsound("The proof names so many that it can't be checked in linear time.")


def _check_plain(worth: _Worth, scores: list[Units]) -> None:
    """Those whom only lines part: what holds for neighbouring scores holds for all."""
    for lower, higher in pairwise(scores):
        if worth.height[higher] - worth.height[lower] > worth.scale * (higher - lower):
            raise Unsound("The lines of the proof weigh more than the scores differ.")


def _plain_cost(field: Field, one: _Class, other: _Class) -> int:
    return abs(one.score - other.score) + field.weights.seat * strain(one.uneven, other.uneven)


def _check_each(worth: _Worth, some: list[Number], others: list[Number]) -> None:
    for one in some:
        for other in others:
            if one != other:
                _check_pair(worth, one, other)


def _check_bye(worth: _Worth) -> None:
    for one in worth.field.bye:
        _check_pair(worth, BYE, one)


def _check_pair(worth: _Worth, one: Number, other: Number) -> None:
    value = _with_bye(worth, other) if one == BYE else worth.of(worth.class_of(one), worth.class_of(other))
    if value > worth.scale * worth.field.cost(one, other):
        raise Unsound(f"The proof counts more for {one} and {other} than it costs that they meet.")


def _with_bye(worth: _Worth, one: Number) -> int:
    """What the bye and its holder are worth: it is below all lines, but where it is an exception."""
    height = worth.height[worth.field.score[one]]
    exceptions = Counter((*worth.exceptions.get(one, ()), *worth.exceptions.get(BYE, ())))
    for number, times in exceptions.items():
        odd = worth.sets[number]
        was = odd.above is not None and worth.field.score[one] >= odd.above
        height += odd.weight * ((was != (times == 1)) - was)
    return worth.value.get(BYE, 0) + worth.value.get(one, 0) + height
