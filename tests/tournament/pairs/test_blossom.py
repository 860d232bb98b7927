"""The exact matching: as cheap as the cheapest of all, with values that prove it."""

import random

import numpy as np
import pytest
import rustworkx

from services.tournament.pairing import blossom
from services.tournament.pairing.blossom import Costs, Solution, solve


@pytest.mark.parametrize(("count", "cases", "most"), [(2, 5, 9), (4, 60, 3), (6, 120, 5), (8, 120, 9), (8, 60, 2)])
def test_small_graphs_are_matched_as_cheaply_as_can_be(count: int, cases: int, most: int) -> None:
    for seed in range(cases):
        costs = _costs(count, seed, most)
        solution = solve(costs)
        assert _cost(costs, solution) == _cheapest(costs, list(range(count)))
        _check_proof(costs, solution)


@pytest.mark.parametrize("most", [1, 4, 50, 10**6])
def test_larger_graphs_cost_what_another_solver_finds(most: int) -> None:
    for seed in range(8):
        costs = _costs(40, seed, most)
        solution = solve(costs)
        assert _cost(costs, solution) == _by_rustworkx(costs)
        _check_proof(costs, solution)


def test_costs_too_great_for_64_bits_are_exact() -> None:
    costs = _costs(12, 1, 10**6).astype(object) * 10**15 + _costs(12, 2, 9).astype(object)
    solution = solve(costs)
    assert _cost(costs, solution) == _by_rustworkx(costs)
    _check_proof(costs, solution)


def test_negative_costs_are_matched_too() -> None:
    costs = _costs(10, 4, 20) - 15
    solution = solve(costs)
    assert _cost(costs, solution) == _cheapest(costs, list(range(10)))
    _check_proof(costs, solution)


def _costs(count: int, seed: int, most: int) -> Costs:
    chance = random.Random(f"{count} {seed} {most}")
    costs = np.zeros((count, count), np.int64)
    for one in range(count):
        for other in range(one):
            costs[one, other] = costs[other, one] = chance.randint(0, most)
    return costs


def _cost(costs: Costs, solution: Solution) -> int:
    assert all(solution.mates[mate] == one != mate for one, mate in enumerate(solution.mates))
    return sum([int(costs[one, mate]) for one, mate in enumerate(solution.mates)]) // 2


def _cheapest(costs: Costs, left: list[int]) -> int:
    if not left:
        return 0
    first, *rest = left
    return min(int(costs[first, other]) + _cheapest(costs, [one for one in rest if one != other]) for other in rest)


def _by_rustworkx(costs: Costs) -> int:
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(costs)))
    graph.add_edges_from([(a, b, -int(costs[a, b])) for a in range(len(costs)) for b in range(a)])
    mates = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sum([int(costs[a, b]) for a, b in mates])


def _check_proof(costs: Costs, solution: Solution) -> None:
    """No two are worth more than they cost, sets are odd and worth something, and all is worth what was paid."""
    assert all(len(members) % 2 and weight > 0 for members, weight in solution.sets)
    worth = sum(solution.values) + sum([weight for _, weight in solution.sets])
    assert worth == blossom.SCALE * _cost(costs, solution)
    for one in range(len(costs)):
        for other in range(one):
            parted = sum([weight for members, weight in solution.sets if (one in members) != (other in members)])
            assert solution.values[one] + solution.values[other] + parted <= blossom.SCALE * costs[one, other]
