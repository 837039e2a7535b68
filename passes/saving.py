"""Which values of a function to keep for its adjoint: the least work for the bytes.

See Note [What to keep].
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.families import differentiable
from anvl.dialect.mlir import ir
from anvl.dialect.op import AnvlOp
from anvl.dialect.scratch import Program, swept
from anvl.dialect.types import numpy_of

__all__ = ["Choice", "byte_size", "choose", "residuals"]

# Note [What to keep]
#
# The adjoint of a function needs some of its values, the residuals.  Each is either kept, which
# costs its bytes, or computed again, which costs the work of its op, and needs the operands of
# that op in turn.  Arguments are there anyway.  For a price of a byte in units of work, the
# cheapest choice is a minimum cut: a value `v` has two nodes, `needed` and `again`;
#
#     source -> again    costs the work of the op       (cut: it is computed again)
#     again -> needed    costs the bytes at the price   (cut: it is kept)
#     needed of an operand -> again    cannot be cut    (what is computed again needs its operands)
#     needed of a residual -> sink     cannot be cut
#
# so that the sink's side is what is available in the adjoint.  The more a byte costs, the fewer
# are kept; bisection finds the price that keeps no more than the budget.
# Source: the cut is the one of project selection, J. Kleinberg and E. Tardos, Algorithm Design
# (2005), section 7.11; for gradients, C. Jia et al., min-cut rematerialization of AOTAutograd.


class Choice(NamedTuple):
    """Values to keep, with their bytes, and the work of what is computed again."""

    kept: list[ir.Value]
    size: int
    work: int


def byte_size(type_: Any) -> int:
    """The bytes of an array of this type."""
    return int(np.prod(type_.shape, dtype=np.int64)) * numpy_of(type_.element_type).itemsize


def residuals(program: Program) -> list[ir.Value]:
    """The values that the adjoint of a program needs, arguments not among them, in order."""
    forward = program.needed()
    floats = [i for i, y in enumerate(program.results) if differentiable(y.type)]
    types = [x.type for x in program.arguments]
    seeds = [program.results[i].type for i in floats]
    copies: list[ir.Value] = []

    def emit(*values: ir.Value) -> list[ir.Value]:
        n = len(types)
        ys = program(*values[:n])
        copies.extend(y for op in _block_of(values).operations for y in op.results)
        pairs = [(ys[i], g) for i, g in zip(floats, values[n:], strict=True)]
        return swept(pairs, [x for x in values[:n] if differentiable(x.type)])

    adjoint = Program.of(emit, [*types, *seeds])
    first = set(copies)
    used = {
        x
        for op in adjoint.needed()
        if first.isdisjoint(op.results)
        for x in op.operands
        if x in first
    }
    used.update(first.intersection(adjoint.results))
    originals = [y for op in forward for y in op.results]
    return [y for y, copy in zip(originals, copies, strict=True) if copy in used]


def _block_of(values: Sequence[ir.Value]) -> Any:
    return values[0].owner


def choose(program: Program, budget: int) -> Choice:
    """The values to keep: of no more than `budget` bytes, for the least work that a cut finds."""
    graph = _Graph(program, residuals(program))
    most = graph.cut(0.0)
    if most.size <= budget:
        return most
    # From a price at which nothing is worth keeping, down to where the budget is full.
    low, high = 0.0, float(max(graph.total_work, 1))
    best = graph.cut(high)
    for _ in range(_STEPS):
        price = (low * high) ** 0.5 if low > 0 else high / 1024
        found = graph.cut(price)
        if found.size > budget:
            low, most = price, found
        else:
            high, best = price, min(best, found, key=lambda choice: choice.work)
        if high < _LEAST or high < low * _CLOSE:
            break
    return min(best, graph.thinned(most, budget), key=lambda choice: choice.work)


_STEPS = 40
_LEAST = 1e-9
_CLOSE = 1.001
_INFINITE = 2_000_000_000  # capacities are 32 bits
_SCALE = 500_000_000


class _Graph:
    """The forward ops of a program that its adjoint may compute again."""

    def __init__(self, program: Program, wanted: Sequence[ir.Value]) -> None:
        self.wanted = wanted
        self.steps = program.needed()
        self.values: dict[ir.Value, int] = {}
        self.sizes: list[int] = []
        for op in self.steps:
            for y in op.results:
                self.values[y] = len(self.sizes)
                self.sizes.append(byte_size(y.type))
        self.work = [max(1, _work(op)) for op in self.steps]
        self.total_work = sum(self.work)

    def cut(self, price: float) -> Choice:
        """The cheapest choice where a byte costs this much work."""
        # Imported here: scipy is large, and only this needs it.
        from scipy.sparse import csr_array  # type: ignore[import-untyped]
        from scipy.sparse.csgraph import (  # type: ignore[import-untyped]
            breadth_first_order,
            maximum_flow,
        )

        n_ops, n_values = len(self.steps), len(self.sizes)
        source, sink = n_ops + n_values, n_ops + n_values + 1
        unit = _SCALE / max(1.0, self.total_work + price * sum(self.sizes))
        edges: list[tuple[int, int, int]] = []
        for i, op in enumerate(self.steps):
            edges.append((source, i, _scaled(self.work[i] * unit)))
            for y in op.results:
                v = self.values[y]
                edges.append((i, n_ops + v, _scaled(price * self.sizes[v] * unit)))
            known = {self.values[x] for x in op.operands if x in self.values}
            edges += [(n_ops + v, i, _INFINITE) for v in known]
        edges += [(n_ops + self.values[y], sink, _INFINITE) for y in self.wanted]
        start, end, capacity = np.array(edges, np.int64).T
        shape = (sink + 1, sink + 1)
        graph = csr_array((capacity.astype(np.int32), (start, end)), shape=shape)
        left = graph - maximum_flow(graph, source, sink).flow
        left.data[left.data < 0] = 0
        left.eliminate_zeros()
        reached = set(breadth_first_order(left, source, return_predecessors=False).tolist())
        return self._choice(reached, n_ops)

    def thinned(self, choice: Choice, budget: int) -> Choice:
        """Some of what another choice keeps, evenly spread: layers that are alike cost alike, so
        that no price keeps some of them."""
        kept: list[ir.Value] = []
        passed = size = 0
        for y in choice.kept:
            n = self.sizes[self.values[y]]
            passed += n
            if size + n <= budget * passed / choice.size:
                kept.append(y)
                size += n
        return Choice(kept, size, self._work_without(set(kept)))

    def _work_without(self, kept: set[ir.Value]) -> int:
        """The work of what is computed again where these values are kept."""
        wanted = set(self.wanted) - kept
        total = 0
        for i in reversed(range(len(self.steps))):
            op = self.steps[i]
            if not wanted.isdisjoint(op.results):
                total += self.work[i]
                wanted.update(x for x in op.operands if x not in kept)
        return total

    def _choice(self, reached: set[int], n_ops: int) -> Choice:
        kept = [
            y
            for i, op in enumerate(self.steps)
            if i in reached
            for y in op.results
            if n_ops + self.values[y] not in reached
        ]
        again = [i for i in range(n_ops) if i not in reached]
        size = sum(self.sizes[self.values[y]] for y in kept)
        return Choice(kept, size, sum(self.work[i] for i in again))


def _scaled(x: float) -> int:
    return min(_INFINITE, max(1, round(x)))


def _work(op: Any) -> int:
    rules = type(op)
    if issubclass(rules, AnvlOp):
        return rules.work(op.operation)
    return sum(int(np.prod(y.type.shape)) for y in op.results)
