"""The cheapest perfect matching of a small complete graph together with its proof, exactly, in whole numbers.

The primal-dual method of Edmonds. Every vertex and every blossom (an odd set that counts as one vertex) has a value;
two vertices may be matched when the values of all that hold one of them and not the other come up to what the two
cost. Trees of such pairs grow from all that are unmatched: outer nodes (at an even distance from the root) gain
value, inner nodes lose it, until another pair joins the trees, closes a blossom, or connects two trees and so matches
two more. Costs are doubled, so that all values stay whole.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Node: TypeAlias = int
Vertex: TypeAlias = int
Edge: TypeAlias = tuple[Vertex, Vertex]
Costs: TypeAlias = npt.NDArray[Any]

# Halves, as all values are doubled.
SCALE = 2
_FREE, _OUTER, _INNER = 0, 1, 2
_FAR = 2**61
# Beyond this, numbers of 64 bits might not hold the sums: Python's own are used instead.
_GREAT = 2**50


class Solution(NamedTuple):
    """The mates, the values of vertices and those of odd sets: their sum is twice what the matching costs."""

    mates: tuple[Vertex, ...]
    values: tuple[int, ...]
    sets: tuple[tuple[tuple[Vertex, ...], int], ...]


def solve(costs: Costs) -> Solution:
    """The cheapest perfect matching of an even number of vertices; the diagonal of `costs` means nothing."""
    graph = _Graph(costs)
    graph.match_greedily()
    while graph.grow_until_matched():
        pass
    return graph.solution()


class _Graph:
    """Vertices are nodes 0 to n - 1, blossoms follow in the order in which they closed."""

    def __init__(self, costs: Costs) -> None:
        count = len(costs)
        self._far = _FAR if np.abs(costs).max() * count < _GREAT else _FAR**2
        self._cost = SCALE * costs.astype(np.int64 if self._far == _FAR else object)
        np.fill_diagonal(self._cost, self._far)
        self._count = count
        # Of a vertex: the sum of the values of all nodes it is in, its mate, its outermost node and that node's kind.
        # Even, as all costs are: else what is left between two trees could be odd, and half of it no whole number.
        self._sum = self._cost.min(1) // SCALE // 2 * 2
        self._mate = [-1] * count
        self._top = np.arange(count)
        self._kind = np.zeros(count, np.int8)
        # Of a node: its value, its vertices, the vertex whose mate is outside, the blossom it is in.
        self._value = self._sum.tolist()
        self._members = [np.array([vertex]) for vertex in range(count)]
        self._base = list(range(count))
        self._parent = [-1] * count
        # Of a blossom: its nodes in a circle, the base first, and the edges from each to the next.
        self._circle: dict[Node, list[Node]] = {}
        self._edges: dict[Node, list[Edge]] = {}
        # Of the nodes in trees: the edge from the node above it; None for roots.
        self._link: dict[Node, Edge | None] = {}
        self._inner: set[Node] = set()
        # Of a vertex: what is left to the nearest outer vertex in another node, and which that is.
        self._near = np.full(count, self._far, self._cost.dtype)
        self._via = np.zeros(count, np.int64)

    def solution(self) -> Solution:
        sets = [(tuple(self._members[node].tolist()), self._value[node]) for node in self._blossoms()]
        return Solution(tuple(self._mate), tuple(self._value[: self._count]), tuple(sets))

    def _blossoms(self) -> list[Node]:
        return [node for node in range(self._count, len(self._value)) if self._value[node]]

    def match_greedily(self) -> None:
        """Matches who can have each other at the least cost that either can have anybody."""
        for vertex in range(self._count):
            if self._mate[vertex] < 0:
                self._match_first(vertex)

    def _match_first(self, vertex: Vertex) -> None:
        for other in np.flatnonzero(self._cost[vertex] == self._sum + self._sum[vertex]).tolist():
            if self._mate[other] < 0:
                self._mate[vertex], self._mate[other] = other, vertex
                return

    def grow_until_matched(self) -> bool:
        """Grows trees from all that are unmatched until two more are matched; False if none is left."""
        self._plant()
        while self._link and not self._step():
            pass
        return bool(self._link)

    def _plant(self) -> None:
        self._link, self._inner = {}, set()
        self._kind[:] = _FREE
        self._near[:] = self._far
        for node in dict.fromkeys(self._top.tolist()):
            if self._mate[self._base[node]] < 0:
                self._make_outer(node, None)

    def _step(self) -> bool:
        """Moves the values until something happens, and does it; says whether two more are matched."""
        left = self._near - self._sum
        left[self._kind == _INNER] = self._far
        outer = self._kind == _OUTER
        left[outer] //= 2
        vertex = int(left.argmin())
        empty = min((node for node in self._inner if node >= self._count), key=self._value.__getitem__, default=-1)
        if empty >= 0 and self._value[empty] < left[vertex]:
            self._move(self._value[empty])
            self._open(empty)
            return False
        self._move(int(left[vertex]))
        return self._join(int(self._via[vertex]), vertex)

    def _move(self, step: int) -> None:
        if not step:
            return
        self._sum[self._kind == _OUTER] += step
        self._sum[self._kind == _INNER] -= step
        self._near -= step
        for node in self._link:
            self._value[node] += -step if node in self._inner else step

    def _join(self, outer: Vertex, vertex: Vertex) -> bool:
        if self._kind[vertex] == _FREE:
            self._extend(outer, vertex)
            return False
        ways = self._way_up(outer), self._way_up(vertex)
        if ways[0][-1] != ways[1][-1]:
            self._match(outer, vertex)
            return True
        self._close((outer, vertex), *ways)
        return False

    def _extend(self, outer: Vertex, vertex: Vertex) -> None:
        node = int(self._top[vertex])
        self._make_inner(node, (outer, vertex))
        base = self._base[node]
        mate = self._mate[base]
        self._make_outer(int(self._top[mate]), (base, mate))

    def _make_inner(self, node: Node, link: Edge) -> None:
        self._link[node] = link
        self._inner.add(node)
        self._kind[self._members[node]] = _INNER

    def _make_outer(self, node: Node, link: Edge | None) -> None:
        self._link[node] = link
        self._kind[self._members[node]] = _OUTER
        self._reach(self._members[node], np.flatnonzero(self._top != node))

    def _reach(self, outer: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> None:
        """Notes how near these outer vertices are to vertices of other nodes."""
        left = self._cost[np.ix_(outer, others)] - self._sum[outer][:, None]
        best = left.argmin(0)
        least = left[best, np.arange(len(others))]
        is_nearer = least < self._near[others]
        self._near[others[is_nearer]] = least[is_nearer]
        self._via[others[is_nearer]] = outer[best[is_nearer]]

    def _way_up(self, vertex: Vertex) -> list[Node]:
        """The nodes from here to the root."""
        way = [int(self._top[vertex])]
        while (link := self._link[way[-1]]) is not None:
            way.append(int(self._top[link[0]]))
        return way

    def _match(self, one: Vertex, other: Vertex) -> None:
        """Matches two outer vertices of different trees, and changes the mates all the way up to both roots."""
        for below, above in ((one, other), (other, one)):
            self._turn(below, above)

    def _turn(self, vertex: Vertex, mate: Vertex) -> None:
        while True:
            node = int(self._top[vertex])
            self._rebase(node, vertex)
            self._mate[vertex] = mate
            if (link := self._link[node]) is None:
                return
            inner = int(self._top[link[0]])
            vertex, mate = self._link[inner] or (-1, -1)
            self._rebase(inner, mate)
            self._mate[mate] = vertex

    def _rebase(self, node: Node, vertex: Vertex) -> None:
        """Matches all inside a node but this vertex."""
        self._base[node] = vertex
        if node < self._count:
            return
        at = self._circle[node].index(self._child(node, vertex))
        circle = self._circle[node] = self._circle[node][at:] + self._circle[node][:at]
        edges = self._edges[node] = self._edges[node][at:] + self._edges[node][:at]
        self._rebase(circle[0], vertex)
        for place in range(1, len(circle), 2):
            one, other = edges[place]
            self._rebase(circle[place], one)
            self._rebase(circle[place + 1], other)
            self._mate[one], self._mate[other] = other, one

    def _child(self, node: Node, vertex: Vertex) -> Node:
        """The node of a blossom's circle that holds a vertex."""
        child = vertex
        while self._parent[child] != node:
            child = self._parent[child]
        return child

    def _close(self, edge: Edge, way: list[Node], other: list[Node]) -> None:
        """Makes a blossom of an edge between two outer nodes of one tree."""
        while len(way) > 1 and len(other) > 1 and way[-2] == other[-2]:
            way, other = way[:-1], other[:-1]
        root, down, up = way[-1], way[-2::-1], other[:-1]
        edges = [self._edge_to(node) for node in down] + [edge] + [self._edge_to(node)[::-1] for node in up]
        self._make_blossom([root, *down, *up], edges)

    def _edge_to(self, node: Node) -> Edge:
        link = self._link[node]
        assert link is not None
        return link

    def _make_blossom(self, circle: list[Node], edges: list[Edge]) -> None:
        node = len(self._value)
        members = np.concatenate([self._members[child] for child in circle])
        self._value.append(0)
        self._members.append(members)
        self._base.append(self._base[circle[0]])
        self._parent.append(-1)
        self._circle[node], self._edges[node] = circle, edges
        link = self._link[circle[0]]
        for child in circle:
            self._parent[child] = node
            self._inner.discard(child)
            del self._link[child]
        self._enclose(node, members, link)

    def _enclose(self, node: Node, members: npt.NDArray[np.int64], link: Edge | None) -> None:
        self._top[members] = node
        self._near[members] = self._far
        self._make_outer(node, link)
        outside = np.flatnonzero((self._kind == _OUTER) & (self._top != node))
        if len(outside):
            self._reach(outside, members)

    def _open(self, node: Node) -> None:
        """Takes an inner blossom without value apart: what leads from its entry to its base stays in the tree."""
        link = self._edge_to(node)
        circle, edges = self._circle[node], self._edges[node]
        del self._link[node]
        self._inner.discard(node)
        at = circle.index(self._child(node, link[1]))
        for child in circle:
            self._parent[child] = -1
            self._top[self._members[child]] = child
            self._kind[self._members[child]] = _FREE
        self._keep(link, *_to_base(circle, edges, at))

    def _keep(self, link: Edge, nodes: list[Node], edges: list[Edge]) -> None:
        for place, (node, edge) in enumerate(zip(nodes, [link, *edges], strict=True)):
            if place % 2:
                self._make_outer(node, edge)
            else:
                self._make_inner(node, edge)


def _to_base(circle: list[Node], edges: list[Edge], at: int) -> tuple[list[Node], list[Edge]]:
    """The even way round from a node of a circle to its first node, and the edges on it."""
    if at % 2:
        return [*circle[at:], circle[0]], edges[at:]
    return circle[at::-1], [edge[::-1] for edge in edges[at - 1 :: -1]] if at else []
