"""Choice of residuals by minimum cuts: the least recomputation within a memory budget.

See Note [What to keep].
"""

from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.families import differentiable
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.residual_selection import byte_size, residuals, work_of
from anvl.dialect.interpreters.slices import backward_slice, live_in, values_read
from anvl.dialect.interpreters.subprogram import Program, sweep_backward

__all__ = ["Choice", "choose", "levels_of"]

# Note [What to keep]
#
# The adjoint of a function needs some of its values, the residuals.  Each is either saved, which
# costs its bytes, or recomputed, which costs the work of its op, and needs the operands of that op
# in turn.  Arguments are always available.  For a price of a byte in units of work, the cheapest
# choice is a minimum cut: a value `v` has two nodes, `needed` and `again`;
#
#     source -> again    costs the work of the op       (cut: it is recomputed)
#     again -> needed    costs the bytes at the price   (cut: it is saved)
#     needed of an operand -> again    cannot be cut    (recomputing it needs its operands)
#     needed of a residual -> sink     cannot be cut
#
# so that the sink's side is available in the adjoint.  The higher the price, the fewer values are
# saved.  Equal layers cost the same: no price saves the values of only some, so every second,
# third, ... of the values that a cut saves is a choice as well.  The peak memory of a choice is its
# saved values plus those the largest segment recomputes (`anvl-remat`, Note [Segments]).
# Source: the cut is the one of project selection, J. Kleinberg and E. Tardos, Algorithm Design
# (2005), section 7.11; for gradients, C. Jia et al., min-cut rematerialization of AOTAutograd.


class Choice(NamedTuple):
    """Values to save, the peak bytes, and the work of recomputing the others."""

    kept: list[ir.Value]
    size: int
    work: int


def saved_freely(program: Program) -> list[ir.Value]:
    """Values of a program to save for its adjoint, where nothing limits these: Note [Residuals]."""
    floats = [i for i, y in enumerate(program.results) if differentiable(y.type)]
    if not floats:
        return []
    adjoint, copies = _adjoint_of(program, floats)
    first = set(copies)
    part = adjoint.slice()
    backward = [op for op in part.ops if first.isdisjoint(op.results)]
    used = first.intersection([*live_in(backward, part.values, program.symbols), *adjoint.results])
    forward = program.slice().ops
    originals = [y for op in forward for y in op.results]
    read = [y for y, copy in zip(originals, copies, strict=True) if copy in used]
    return residuals(read, program.arguments, forward)


def _adjoint_of(program: Program, floats: Sequence[int]) -> tuple[Program, list[ir.Value]]:
    """The adjoint of a program for cotangents of these results; its copies of the values."""
    types = [x.type for x in program.arguments]
    seeds = [program.results[i].type for i in floats]
    copies: list[ir.Value] = []

    def emit(*values: ir.Value) -> list[ir.Value]:
        n = len(types)
        ys = program(*values[:n])
        copies.extend(y for op in _block_of(values).operations for y in op.results)
        pairs = [(ys[i], g) for i, g in zip(floats, values[n:], strict=True)]
        wrt = [x for x in values[:n] if differentiable(x.type)]
        return sweep_backward(pairs, wrt, program.symbols)

    return Program.of(emit, [*types, *seeds], program.symbols), copies


def _block_of(values: Sequence[ir.Value]) -> Any:
    return values[0].owner


def choose(program: Program, budget: int) -> Choice:
    """Choose values to save, so that at most `budget` bytes are live at any time.

    The choice with the least work among those within the budget; if all exceed it, the one with the
    least memory.
    """
    values = saved_freely(program)
    if not values:
        return Choice([], 0, 0)
    graph = _Graph(program, values)
    freely = graph.choice(values)
    if freely.size <= budget:
        return freely
    found: dict[tuple[int, ...], Choice] = {}
    for choice in graph.choices():
        found.setdefault(tuple(graph.values[y] for y in choice.kept), choice)
    fitting = [choice for choice in found.values() if choice.size <= budget]
    if fitting:
        return min(fitting, key=lambda choice: (choice.work, choice.size))
    return min(found.values(), key=lambda choice: (choice.size, choice.work))


def levels_of(program: Program, kept: Container[ir.Value]) -> dict[ir.Value, int]:
    """Level of each value: the number of saved values on the longest path to it."""
    levels = dict.fromkeys(program.arguments, 0)
    part = program.slice()
    for op in part.ops:
        read = values_read(op, part.values, program.symbols)
        level = max([levels[x] + (x in kept) for x in read], default=0)
        levels.update(dict.fromkeys(op.results, level))
    return levels


_PRICES = 24
_SHARES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_MOST = 256  # segments: evaluating each visits all ops
_INFINITE = 2_000_000_000  # capacities are 32 bits
_SCALE = 500_000_000


class _Graph:
    """Forward ops of a program that its adjoint may recompute."""

    def __init__(self, program: Program, wanted: Sequence[ir.Value]) -> None:
        self.program = program
        self.wanted = wanted
        self.steps, self.live = program.slice()
        self.values: dict[ir.Value, int] = {}
        self.sizes: list[int] = []
        for op in self.steps:
            for y in op.results:
                self.values[y] = len(self.sizes)
                self.sizes.append(byte_size(y.type))
        self.work = {op.operation: work_of(op) for op in self.steps}
        self.total_work = sum(self.work.values())

    def cut(self, price: float) -> list[ir.Value]:
        """Values saved by the minimum cut at this price of a byte, in units of work."""
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
            edges.append((source, i, _capacity(self.work[op.operation] * unit)))
            for y in op.results:
                v = self.values[y]
                edges.append((i, n_ops + v, _capacity(price * self.sizes[v] * unit)))
            read = values_read(op, self.live, self.program.symbols)
            known = {self.values[x] for x in read if x in self.values}
            edges += [(n_ops + v, i, _INFINITE) for v in known]
        edges += [(n_ops + self.values[y], sink, _INFINITE) for y in self.wanted]
        start, end, capacity = np.array(edges, np.int64).T
        shape = (sink + 1, sink + 1)
        graph = csr_array((capacity.astype(np.int32), (start, end)), shape=shape)
        left = graph - maximum_flow(graph, source, sink).flow
        left.data[left.data < 0] = 0
        left.eliminate_zeros()
        reached = set(breadth_first_order(left, source, return_predecessors=False).tolist())
        return self._kept(reached)

    def choices(self) -> Iterator[Choice]:
        """Choices at prices from zero to the highest, and every n-th value of each."""
        yield self.choice([])
        last: list[ir.Value] = []
        for step in range(_PRICES + 1):
            # From a byte that costs nothing up to one that costs the most.
            price = 0.0 if step == 0 else 1000.0 * 2.0 ** (step - _PRICES)
            kept = self.cut(price)
            if kept == last:
                continue
            last = kept
            for n in _SHARES:
                if 0 < len(kept) // n <= _MOST:
                    yield self.choice(kept[n - 1 :: n] if n > 1 else kept)

    def choice(self, kept: list[ir.Value]) -> Choice:
        known = set(kept)
        levels = levels_of(self.program, known)
        wanted = [y for y in self.wanted if y not in known]
        segments: dict[int, set[ir.Value]] = {}
        for y in wanted:
            segments.setdefault(levels[y], set()).add(y)
        transient = work = 0
        for together in segments.values():
            again, cost = self._recomputed(together, known)
            work += cost
            transient = max(transient, sum(self._size(y) for y in wanted if y in again))
        return Choice(kept, transient + sum(map(self._size, kept)), work)

    def _size(self, y: ir.Value) -> int:
        return self.sizes[self.values[y]]

    def _recomputed(self, wanted: set[ir.Value], kept: set[ir.Value]) -> tuple[set[ir.Value], int]:
        """All values recomputed for the wanted ones from the saved ones, and the work."""
        stops = [*self.program.arguments, *kept]
        again = backward_slice(self.steps, wanted, stops, symbols=self.program.symbols)
        return again.values, sum(self.work[op.operation] for op in again.ops)

    def _kept(self, reached: set[int]) -> list[ir.Value]:
        n_ops = len(self.steps)
        return [
            y
            for i, op in enumerate(self.steps)
            if i in reached
            for y in op.results
            if n_ops + self.values[y] not in reached
        ]


def _capacity(x: float) -> int:
    return min(_INFINITE, max(1, round(x)))
