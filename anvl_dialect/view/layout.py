"""Layered layout of a graph: nodes in rows, so that edges point down where they can.

    placed = layered([(80, 24), (60, 24)], [(0, 1)])
    placed.nodes[1]          (x, y) of the upper left corner
    placed.edges[0]          [(x, y), ...], from the lower side of a node to the upper side of one

The method is that of Sugiyama: edges against the order of the nodes are turned; the row of a node
is one below the lowest of its predecessors; an edge over several rows passes a point in each; rows
are sorted by the mean position of their neighbours, several times down and up; and nodes stand
under the mean of their neighbours, as far as their row has room.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

__all__ = ["Placed", "layered"]

_GAP_X, _GAP_Y = 14.0, 26.0
_POINT_WIDTH = 4.0  # of an edge that passes a row
_SWEEPS = 4
_LONGEST = 12  # rows that an edge passes with a point in each; a longer one is drawn straight

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Placed:
    """Corners of nodes, points of edges, and the size of all."""

    nodes: list[Point]
    edges: list[list[Point]]
    width: float
    height: float


def layered(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Placed:
    """Place nodes of these sizes; most `edges`, pairs of nodes, go along the order of nodes."""
    rows = _rows(len(sizes), edges)
    net = _Net(list(sizes), rows)
    chains = [net.chain(a, b) for a, b in edges]
    net.sort()
    x, y = net.placed()
    nodes = [(x[i], y[i]) for i in range(len(sizes))]
    width = max((a + w for a, (w, _) in zip(x, net.sizes, strict=True)), default=0.0)
    height = max((b + h for (_, b), (_, h) in zip(nodes, sizes, strict=True)), default=0.0)
    return Placed(nodes, [_points(chain, net.sizes, x, y) for chain in chains], width, height)


def _rows(count: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """The row of each node; edges against the order of nodes count as turned."""
    after: dict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        after[min(a, b)].append(max(a, b))
    rows = [0] * count
    for node in range(count):
        for other in after[node]:
            if other != node:
                rows[other] = max(rows[other], rows[node] + 1)
    # A node without predecessors, such as a constant, stands right above its first reader.
    has_predecessor = {b for others in after.values() for b in others}
    for node in range(count - 1, -1, -1):
        readers = [rows[other] for other in after[node] if other != node]
        if node not in has_predecessor and readers:
            rows[node] = min(readers) - 1
    return rows


class _Net:
    """Nodes and the points at which edges pass rows."""

    def __init__(self, sizes: list[Point], rows: list[int]) -> None:
        self.sizes = sizes
        self._row = list(rows)
        self._rows: dict[int, list[int]] = defaultdict(list)
        for node, row in enumerate(rows):
            self._rows[row].append(node)
        self._above: dict[int, list[int]] = defaultdict(list)
        self._below: dict[int, list[int]] = defaultdict(list)

    def chain(self, a: int, b: int) -> list[int]:
        """The nodes and points that an edge goes through."""
        first, last = (a, b) if self._row[a] <= self._row[b] else (b, a)
        inner = range(self._row[first] + 1, self._row[last])
        points = [self._point(row) for row in inner] if len(inner) <= _LONGEST else []
        chain = [first, *points, last]
        for one, other in pairwise(chain):
            self._below[one].append(other)
            self._above[other].append(one)
        return chain if first == a else chain[::-1]

    def _point(self, row: int) -> int:
        self.sizes.append((_POINT_WIDTH, 0.0))
        self._row.append(row)
        self._rows[row].append(len(self.sizes) - 1)
        return len(self.sizes) - 1

    def sort(self) -> None:
        """Order each row by the mean position of the neighbours."""
        order = sorted(self._rows)
        at = {node: float(i) for row in order for i, node in enumerate(self._rows[row])}
        for sweep in range(_SWEEPS):
            near = self._above if sweep % 2 == 0 else self._below
            for row in order if sweep % 2 == 0 else reversed(order):
                nodes = self._rows[row]
                nodes.sort(key=lambda node: _mean([at[n] for n in near[node]], at[node]))
                at.update((node, float(i)) for i, node in enumerate(nodes))

    def placed(self) -> tuple[list[float], list[float]]:
        """The left and the upper side of each node and point."""
        x, y = [0.0] * len(self.sizes), [0.0] * len(self.sizes)
        top = 0.0
        for row in sorted(self._rows):
            nodes = self._rows[row]
            tallest = max(self.sizes[node][1] for node in nodes)
            left = 0.0
            for node in nodes:
                x[node], y[node] = left, top + (tallest - self.sizes[node][1]) / 2
                left += self.sizes[node][0] + _GAP_X
            top += tallest + _GAP_Y
        for sweep in range(_SWEEPS):
            near = self._above if sweep % 2 == 0 else self._below
            for row in sorted(self._rows, reverse=sweep % 2 == 1):
                self._shift(self._rows[row], near, x)
        least = min(x, default=0.0)
        return [value - least for value in x], y

    def _shift(self, nodes: Sequence[int], near: dict[int, list[int]], x: list[float]) -> None:
        """Move the nodes of a row under their neighbours, in their order and without overlap."""
        wanted = [self._wanted(node, near[node], x) for node in nodes]
        # Of the least positions from the left and the greatest from the right, the mean.
        left, right = list(wanted), list(wanted)
        for i in range(1, len(nodes)):
            left[i] = max(left[i], left[i - 1] + self.sizes[nodes[i - 1]][0] + _GAP_X)
        for i in range(len(nodes) - 2, -1, -1):
            right[i] = min(right[i], right[i + 1] - self.sizes[nodes[i]][0] - _GAP_X)
        for node, a, b in zip(nodes, left, right, strict=True):
            x[node] = (a + b) / 2

    def _wanted(self, node: int, near: Sequence[int], x: Sequence[float]) -> float:
        middles = [x[n] + self.sizes[n][0] / 2 for n in near]
        width = self.sizes[node][0]
        return _mean(middles, x[node] + width / 2) - width / 2


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _points(
    chain: Sequence[int], sizes: Sequence[Point], x: Sequence[float], y: Sequence[float]
) -> list[Point]:
    """The points of an edge, from side to side."""
    goes_down = y[chain[0]] <= y[chain[-1]]
    points = []
    for i, node in enumerate(chain):
        width, height = sizes[node]
        is_start = i == 0
        at_bottom = is_start is goes_down and i in (0, len(chain) - 1)
        points.append((x[node] + width / 2, y[node] + (height if at_bottom else 0.0)))
    return points
