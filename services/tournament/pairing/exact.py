"""The cheapest matching of a small part of a field, with the values that prove it.

The proof comes from blossom.py. Of all cheapest matchings (those along pairs whose values come up to what they cost)
it takes that which is nearest to folded score groups, by rustworkx.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import rustworkx

from services.tournament.model import Number
from services.tournament.pairing import blossom
from services.tournament.pairing.criteria import Field
from services.tournament.pairing.pool import BYE, Pair, pair_of

SCALE = blossom.SCALE
_Matrix: TypeAlias = npt.NDArray[Any]
# Beyond this, sums of costs might not be held by 64 bits.
_GREAT = 2**61


class Matched(NamedTuple):
    """Pairs, and the values of entrants and odd sets, all multiples of 1 / SCALE."""

    pairs: tuple[Pair, ...]
    potentials: tuple[tuple[Number, int], ...]
    sets: tuple[tuple[frozenset[Number], int], ...]


def matched(field: Field, pairs: Iterable[Pair], place: Mapping[Number, int]) -> Matched:
    """All who are in these pairs, matched anew; `place` is where they are in the pool."""
    ordered = sorted([one for pair in pairs for one in pair], key=lambda one: (one == BYE, place.get(one, 0)))
    costs = _costs(field, ordered)
    solution = blossom.solve(costs)
    mates = _folded(field, ordered, costs, solution)
    return Matched(
        tuple([pair_of(ordered[one], ordered[other]) for one, other in mates]),
        tuple([(one, value) for one, value in zip(ordered, solution.values, strict=True) if value]),
        tuple([(frozenset([ordered[at] for at in members]), weight) for members, weight in solution.sets]),
    )


def _costs(field: Field, ordered: Sequence[Number]) -> _Matrix:
    kind = np.int64 if field.weights.broken * len(ordered) < _GREAT else object
    real = [one for one in ordered if one != BYE]
    costs = np.zeros((len(ordered), len(ordered)), kind)
    costs[: len(real), : len(real)] = _by_score_and_seats(field, real).astype(kind)
    for at, one in enumerate(real):
        for other in range(at):
            extra = field.extra.get(pair_of(one, real[other]))
            if extra:
                costs[at, other] += extra
                costs[other, at] += extra
    if len(real) < len(ordered):
        costs[-1, :-1] = costs[:-1, -1] = [field.bye[one] for one in real]
    return costs


def _by_score_and_seats(field: Field, real: Sequence[Number]) -> _Matrix:
    score, uneven = np.array([(field.score[one], field.uneven[one]) for one in real], np.int64).reshape(-1, 2).T
    strain = np.maximum(np.minimum.outer(uneven, uneven) - 1, -np.maximum.outer(uneven, uneven) - 1)
    gap: _Matrix = np.abs(np.subtract.outer(score, score))
    costs: _Matrix = gap.astype(object) + np.maximum(strain, 0).astype(object) * field.weights.seat
    return costs


def _folded(
    field: Field, ordered: Sequence[Number], costs: _Matrix, solution: blossom.Solution
) -> list[tuple[int, int]]:
    """Of the cheapest matchings that which is the nearest to folded groups."""
    folds = _folds(field, ordered)
    dear = int(folds.sum()) + 1
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(ordered)))
    ones, others = np.nonzero(np.triu(_is_tight(costs, solution), 1))
    for one, other in zip(ones.tolist(), others.tolist(), strict=True):
        graph.add_edge(one, other, -(int(costs[one, other]) * dear + int(folds[one, other])))
    mates = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted([(min(pair), max(pair)) for pair in mates])


def _is_tight(costs: _Matrix, solution: blossom.Solution) -> npt.NDArray[np.bool_]:
    """Pairs whose values come up to what they cost: no cheapest matching has another."""
    left = SCALE * costs - np.add.outer(*2 * (np.array(solution.values, costs.dtype),))
    for members, weight in solution.sets:
        is_member = np.zeros(len(costs), bool)
        is_member[list(members)] = True
        left -= weight * np.not_equal.outer(is_member, is_member).astype(costs.dtype)
    found: npt.NDArray[np.bool_] = left == 0
    return found


def _folds(field: Field, ordered: Sequence[Number]) -> npt.NDArray[np.int64]:
    """How far two are from how folded groups would have them meet."""
    first, size = _groups(field, ordered)
    at = np.arange(len(ordered))
    within = np.abs(np.abs(np.subtract.outer(at, at)) - size // 2)
    up, down = first + size - 1 - at, np.abs(at - first - size // 2)
    across = np.add.outer(up, down)
    upper = np.triu(np.where(np.equal.outer(first, first), within, across), 1)
    folds: npt.NDArray[np.int64] = upper + upper.T
    return folds


def _groups(field: Field, ordered: Sequence[Number]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each, where its score group begins, and how many are in it."""
    found: list[tuple[int, int]] = []
    for _, group in groupby(ordered, key=field.score.get):
        together = list(group)
        found += [(len(found), len(together))] * len(together)
    first, size = np.array(found, np.int64).T
    return first, size
