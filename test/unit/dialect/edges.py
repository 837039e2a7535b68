"""Tables of edges: a function, a point, and what its value and its derivatives are there.

    TIES = Table(
        Edge("max of equals", lambda x: emit.max(x, axes=(0,)), [[7.0, 7.0]], 7.0, [[0.5, 0.5]]),
    )

    test_ties = TIES.test

First derivatives are those of the sum of the result, computed in reverse mode and, one direction at
a time, in forward mode; second ones likewise, of the first in reverse mode.  A table is one program
and compiled once.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest

from anvl.dialect.core.create import dense, full_like
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.types import numpy_of
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.testing.program import Program

__all__ = ["Edge", "Found", "Table", "literal"]


class Edge(NamedTuple):
    """`f(*xs)` is `value`; the derivatives of its sum are `first`, one for each float operand.

    `second` is the matrix of second derivatives over the elements of all float operands, one after
    the other.  Any of them may be a number, for all elements; a value or `second` of None is not
    checked.
    """

    name: str
    f: Callable[..., Any]
    xs: Sequence[Any]
    value: Any
    first: Sequence[Any] = ()
    second: Any = None
    tolerance: float = 0.0

    def check(self, found: "Found") -> None:
        if self.value is not None:
            self._hold("value", found.value, self.value)
        for k, wanted in enumerate(self.first):
            self._hold(f"reverse mode, operand {k}", found.reverse[k], wanted)
            self._hold(f"forward mode, operand {k}", found.forward[k], wanted)
        if found.second_reverse is not None and found.second_forward is not None:
            self._hold("second, reverse mode", found.second_reverse, self.second)
            self._hold("second, forward mode", found.second_forward, self.second)

    def _hold(self, what: str, found: np.ndarray, wanted: Any) -> None:
        assert found.shape == np.broadcast_shapes(found.shape, np.shape(wanted)), what
        wanted = np.broadcast_to(wanted, found.shape)
        np.testing.assert_allclose(found, wanted, self.tolerance, self.tolerance, err_msg=what)


class Found(NamedTuple):
    """What the program of an edge computed."""

    value: np.ndarray
    reverse: list[np.ndarray]
    forward: list[np.ndarray]
    second_reverse: np.ndarray | None = None
    second_forward: np.ndarray | None = None


class Table:
    """Edges that are compiled together; or apart, where `make test` tries only `keep` of them.

    If it tries none of them, neither does `make sweep-part`: they are compiled together.
    """

    def __init__(self, *edges: Edge, keep: int | None = None) -> None:
        self.edges, self.keep = edges, keep
        assert len({edge.name for edge in edges}) == len(edges), "two edges have one name"

    @property
    def test(self) -> Any:
        """A test function that runs once for each edge."""

        def test(edge: Edge) -> None:
            found = _run([edge])[0] if self.keep else self._results[self.edges.index(edge)]
            edge.check(_sorted_out(edge, found))

        names = [edge.name for edge in self.edges]
        cases = pytest.mark.parametrize("edge", self.edges, ids=names)(test)
        if self.keep is None:
            return cases
        return pytest.mark.sweep(keep=self.keep, part=0)(cases)

    @cached_property
    def _results(self) -> list[list[np.ndarray]]:
        return _run(self.edges)


def _run(edges: Sequence[Edge]) -> list[list[np.ndarray]]:
    program = Program()
    for edge in edges:
        program.add([np.asarray(x) for x in edge.xs], _body(edge))
    program.finish()
    program.compile()
    return program.run()


def literal(x: Any) -> ir.Value:
    """An array in a program."""
    return emit.constant(value=dense(np.asarray(x)))


def _body(edge: Edge) -> Callable[..., list[ir.Value]]:
    """The value; if derivatives are stated, all of them behind it."""

    def body(*xs: ir.Value) -> list[ir.Value]:
        block = ir.InsertionPoint.current.block
        y = edge.f(*xs)
        if not edge.first:
            return [y]
        wrt = [x for x in xs if differentiable(x.type)]
        directions = [(x, literal(e)) for x in wrt for e in _basis(x.type)]
        gs = reverse_sweep(block, [(y, full_like(y, 1))], wrt)
        values = [y, *gs, *_pushed(block, directions, [y])]
        if edge.second is not None:
            for g in gs:
                values += [
                    r for e in _basis(g.type) for r in reverse_sweep(block, [(g, literal(e))], wrt)
                ]
            values += _pushed(block, directions, gs)
        return values

    return body


def _basis(type_: Any) -> list[np.ndarray]:
    """For each element, the array that is 1 there and 0 elsewhere."""
    shape, count = tuple(type_.shape), int(np.prod(type_.shape))
    return list(np.eye(count, dtype=numpy_of(type_.element_type)).reshape(count, *shape))


def _pushed(block: ir.Block, directions: Any, ys: Sequence[ir.Value]) -> list[ir.Value]:
    """The tangents of ys, one direction after another."""
    found: list[ir.Value] = []
    for x, e in directions:
        tangents = forward_sweep(block, {x: e}, ys)
        found += [full_like(y, 0) if t is None else t for t, y in zip(tangents, ys, strict=True)]
    return found


def _sorted_out(edge: Edge, results: Sequence[np.ndarray]) -> Found:
    """The results of `_body`, by what they are."""
    y, *rest = results
    if not edge.first:
        return Found(y, [], [])
    shapes = [np.shape(x) for x in edge.xs if np.asarray(x).dtype.kind in "fcV"]
    sizes = [int(np.prod(shape)) for shape in shapes]
    k, n = len(shapes), sum(sizes)
    gs, rest = rest[:k], rest[k:]
    slopes = np.array([np.sum(t) for t in rest[:n]])
    parts = np.split(slopes, np.cumsum(sizes)[:-1])
    forward = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    rows = [np.concatenate([v.ravel() for v in rest[i : i + k]]) for i in range(n, len(rest), k)]
    if not rows:
        return Found(y, gs, forward)
    return Found(y, gs, forward, np.array(rows[:n]), np.array(rows[n:]).T)
