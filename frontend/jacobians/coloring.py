"""Colourings of sparse matrices: which directions of a derivative can be computed in one.

Source: A. Gebremedhin, F. Manne and A. Pothen, What Color Is Your Jacobian? Graph Coloring for
Computing Derivatives (SIAM Review 47, 2005).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Coloring", "column_coloring", "star_coloring"]

# Note [Bit sets of colours]
#
# Each row has the colours of its columns as the bits of one integer.  A column gets the lowest
# colour that no row of it has: a union of few integers, whose number is that of its elements, so
# that neither the matrix of all pairs of columns is made nor a dense row costs more than its
# elements.


class Coloring(NamedTuple):
    """The colour of each column, and the number of colours; a column without elements has 0."""

    of: Any
    colors: int


def column_coloring(rows: Any, columns: Any, shape: tuple[int, int]) -> Coloring:
    """Colour columns so that two of one colour have no element in one row (distance 1).

    The better of two greedy colourings: the columns as they come, which is optimal for a banded
    matrix, and those with most elements first.  See Note [Bit sets of colours].
    """
    m, n = shape
    if len(rows) == m * n and m:
        return Coloring(np.arange(n), n)
    of_column = _split(columns, rows, n)
    counts = np.bincount(columns, minlength=n)
    lower = int(np.bincount(rows, minlength=1).max()) if len(rows) else 0
    best = _greedy(of_column, range(n), m)
    if best.colors > lower:
        found = _greedy(of_column, np.argsort(-counts, kind="stable").tolist(), m)
        best = min(best, found, key=lambda c: c.colors)
    return best


def _greedy(of_column: list[list[int]], order: Iterable[int], m: int) -> Coloring:
    taken = [0] * m
    colors = np.zeros(len(of_column), np.int64)
    count = 0
    for j in order:
        members = of_column[j]
        if not members:
            continue
        union = 0
        for i in members:
            union |= taken[i]
        color = _lowest_zero(union)
        bit = 1 << color
        for i in members:
            taken[i] |= bit
        colors[j] = color
        count = max(count, color + 1)
    return Coloring(colors, count)


def _lowest_zero(bits: int) -> int:
    return (~bits & (bits + 1)).bit_length() - 1


def star_coloring(rows: Any, columns: Any, n: int) -> Coloring:
    """Colour the columns of a symmetric pattern so that symmetry gives what one direction mixes.

    Neighbours have different colours, and no path of four vertices has two: then for each element
    (i, j) the colour of j is alone in row i, or that of i alone in row j.  Vertices of most
    neighbours come first.
    """
    off = rows != columns
    neighbours = _split(rows[off], columns[off], n)
    order = sorted(range(n), key=lambda v: -len(neighbours[v]))
    stars = _Stars(neighbours, n)
    for v in order:
        stars.color_vertex(v)
    is_used = np.zeros(n, bool)
    is_used[columns] = True
    colors = np.array(stars.colors, np.int64)
    colors[~is_used] = 0
    return Coloring(colors, int(colors[is_used].max()) + 1 if is_used.any() else 0)


class _Stars:
    """A star colouring under way: Note [Bit sets of colours], with rows for vertices."""

    def __init__(self, neighbours: list[list[int]], n: int) -> None:
        self.neighbours = neighbours
        self.colors = [-1] * n
        self.seen = [0] * n  # colours of the neighbours of each vertex
        self.repeated = [0] * n  # those of two neighbours or more
        #: By vertex and colour the neighbour of this colour, where there is one.
        self.only: list[dict[int, int]] = [{} for _ in range(n)]

    def color_vertex(self, v: int) -> None:
        """Give v the lowest colour that makes no path of two colours."""
        colors, around = self.colors, [w for w in self.neighbours[v] if self.colors[w] >= 0]
        forbidden = self.seen[v]
        for w in around:
            if self.repeated[v] >> colors[w] & 1:
                # v is in the middle of these: none may have another neighbour of its colour.
                forbidden |= self.seen[w]
            else:
                forbidden |= self._blocked(w)
        color = _lowest_zero(forbidden)
        colors[v] = color
        bit = 1 << color
        for w in self.neighbours[v]:
            self.repeated[w] |= self.seen[w] & bit
            self.seen[w] |= bit
            self.only[w][color] = v

    def _blocked(self, w: int) -> int:
        """Colours of one neighbour x of w, where x has two neighbours of the colour of w."""
        found = 0
        single = self.seen[w] & ~self.repeated[w]
        of_w = self.colors[w]
        while single:
            bit = single & -single
            x = self.only[w][bit.bit_length() - 1]
            if self.repeated[x] >> of_w & 1:
                found |= bit
            single ^= bit
        return found


def _split(owners: Any, members: Any, count: int) -> list[list[int]]:
    """For each owner the list of its members."""
    order = np.argsort(owners, kind="stable")
    ends = np.cumsum(np.bincount(owners, minlength=count)).tolist()
    flat = members[order].tolist()
    return [flat[start:end] for start, end in zip([0, *ends], ends, strict=False)]
