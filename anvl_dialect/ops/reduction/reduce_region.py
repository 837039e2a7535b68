"""`reduce` with a region: arrays reduced along axes by a scalar function.

Its derivative is the derivative of the body, applied along a balanced tree of the elements: exact
wherever the body is associative, which `reduce` requires anyway.
Source: StableHLO specification, `reduce`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.families import check_axes, differentiable, with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operands, Results, Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Body, Ints
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import shape_text, tensor, without_axes
from anvl.dialect.interpreters.subprogram import Program, batch_of, jvp_of
from anvl.dialect.ops.reduction.last_axis import (
    concatenated,
    interleaved,
    merged_axes,
    pair_sides,
    part,
    unmerged_axes,
)  # fmt: skip

__all__ = ["ReduceOp", "complex_product", "fold", "smooth_max"]


class ReduceOp(AnvlOp, name="reduce", borrowed=True):
    """Reduce arrays along `dimensions` with `body`, starting from initial values.

    Operands: n arrays of one shape, then n scalars.  `body(*best, *next)` takes and returns n
    scalars, must be associative, and have the initial values as identity.  This is not checked: for
    another body the value depends on XLA's order of evaluation, and the derivative is that of a
    balanced tree, so they may not match.  StableHLO `reduce`, borrowed.
    """

    xs: Operands
    dimensions: Ints
    body: Body
    ys: Results

    @classmethod
    def result_type(cls, *types: Any, dimensions: Any) -> Any:
        arrays, starts = halves("reduce", types)
        for x, start in zip(arrays, starts, strict=True):
            if list(x.shape) != list(arrays[0].shape):
                raise TypeError(f"reduce: arrays {', '.join(map(str, arrays))} differ in shape")
            if start != tensor([], x.element_type):
                raise TypeError(
                    f"reduce: initial value {start} of array {x} must be "
                    f"{tensor([], x.element_type)}"
                )
        text = f"reduce: dimensions {shape_text(dimensions)}"
        check_axes(text, dimensions, arrays[0].rank, arrays[0])
        return [tensor(without_axes(x.shape, dimensions), x.element_type) for x in arrays]

    @classmethod
    def body_types(cls, *types: Any, dimensions: Any) -> Any:
        _, starts = halves("reduce", types)
        return [([*starts, *starts], list(starts))]

    @classmethod
    def adjoint(
        cls, gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], dimensions: Any,
        body: Program,
    ) -> Sequence[Any]:  # fmt: skip
        arrays, starts = halves("reduce", xs)
        present = [zeros_like(y) if g is None else g for g, y in zip(gs, ys, strict=True)]
        rows = [merged_axes(x, dimensions) for x in arrays]
        if rows[0].type.shape[-1] == 0:
            sums = [emit.sum(g, axes=tuple(range(g.type.rank))) for g in present]
            return [*[zeros_like(x) for x in arrays], *sums]
        # Prepend the initial values as one more element.
        fronts = [_front(start, row) for start, row in zip(starts, rows, strict=True)]
        every = [concatenated(front, row) for front, row in zip(fronts, rows, strict=True)]
        roots = [reshaped(g, (*g.type.shape, 1)) for g in present]
        found = _down(body, every, roots)
        return [
            *[unmerged_axes(_tail(g), x, dimensions) for g, x in zip(found, arrays, strict=True)],
            *[emit.sum(_head(g), axes=tuple(range(g.type.rank))) for g in found],
        ]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], dimensions: Any,
        body: Program,
    ) -> Sequence[Value | None]:  # fmt: skip
        symbols = body.symbols
        return jvp_of(lambda *vs: _folded(body, vs, dimensions), xs, ts, symbols=symbols)

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], dimensions: Any, body: Program
    ) -> Sequence[Value]:
        n = len(xs) // 2
        if any(batched[n:]):  # StableHLO's op has one initial value for all members
            symbols = body.symbols
            return batch_of(lambda *vs: _folded(body, vs, dimensions), xs, batched, symbols=symbols)
        arrays = with_batch_axis(xs[:n], batched[:n])
        return emit.reduce(*arrays, *xs[n:], dimensions=tuple(a + 1 for a in dimensions), body=body)

    @classmethod
    def on_platform(
        cls, platform: str, xs: Sequence[Value], dimensions: Any, body: Program
    ) -> Sequence[Value] | None:
        """See Note [Order of reductions]."""
        is_lifted = all(_has_rules(op.operation) for op in body.slice().ops)
        return _folded(body, xs, dimensions) if is_lifted and not _is_symmetric(body) else None

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], dimensions: Any, body: Program) -> Any:
        arrays, starts = halves("reduce", xs)
        found = deps.union(deps.reduced(deps.union(*arrays), dimensions), deps.all_of(starts))
        return [found for _ in arrays]

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], dimensions: Any, body: Program) -> Any:
        n = len(xs) // 2
        shared = {a: length for x in xs[:n] for a, length in x.axes.items()}
        pairs = [pads.reduced(pads.widened(x, shared), dimensions) for x in xs[:n]]
        arrays = [x for x, _ in pairs]
        why = "it reduces along it with a body whose neutral value is not known"
        pads.check_unused(arrays, dimensions, why)
        operands = [x.value for x in (*arrays, *xs[n:])]
        ys = emit.reduce(*operands, dimensions=dimensions, body=body)
        return [(y, left) for y, (_, left) in zip(ys, pairs, strict=True)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 5), draw.floats()], {"dimensions": (1,), "body": smooth_max}),
            ([draw.floats(3, 2), draw.floats()], {"dimensions": (0, 1), "body": emit.mul}),
            (
                [draw.floats(2, 3), draw.floats(2, 3), draw.floats(), draw.floats()],
                {"dimensions": (1,), "body": complex_product},
            ),
            ([draw.floats(0, 2), draw.floats()], {"dimensions": (0,), "body": emit.add}),
        )


def smooth_max(x: Value, y: Value) -> Value:
    """A body for samples that is smooth: log(exp(x) + exp(y))."""
    return emit.log(emit.add(emit.exp(x), emit.exp(y)))


def complex_product(*v: Value) -> list[Value]:
    """A body for samples with two results: the product of a + ib and c + id."""
    a, b, c, d = v
    return [
        emit.sub(emit.mul(a, c), emit.mul(b, d)), emit.add(emit.mul(a, d), emit.mul(b, c)),
    ]  # fmt: skip


def halves(name: str, values: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Split the operands into arrays and initial values."""
    n, odd = divmod(len(values), 2)
    if odd or not n:
        given = ", ".join(str(getattr(v, "type", v)) for v in values) or "none"
        raise TypeError(f"{name}: takes one initial value per array, got {given}")
    return values[:n], values[n:]


# Note [Order of reductions]
#
# StableHLO combines the elements in order: the schedule is any tree, whose leaves from left to
# right are the elements, so that a body need not be commutative.  XLA's CPU keeps that order.  XLA
# for GPUs does not: on an H200 the composition of 24 affine maps was off by 1 %, and a body with a
# choice (`if`) ended the process.  So there a body that is not seen to be commutative is applied
# along the tree of the derivative, in order.


def _has_rules(op: ir.Operation) -> bool:
    """Whether an op is one of anvl, a choice or a loop: StableHLO that is not lifted has none."""
    return op.name in OPS or bool(list(op.regions))


def _is_symmetric(body: Program) -> bool:
    """Whether a body gives the same for swapped sides, as far as the commutative ops in it tell."""
    n = len(body.arguments) // 2
    best, following = ([(side, i) for i in range(n)] for side in "ab")
    terms = _terms(body, [*best, *following])
    return terms is not None and terms == _terms(body, [*following, *best])


def _terms(body: Program, arguments: Sequence[Any]) -> list[Any] | None:
    """The results as terms in the arguments; None where an op has a region."""
    known: dict[Value, Any] = dict(zip(body.arguments, arguments, strict=True))
    for op in body.slice().ops:
        operation = op.operation
        if list(operation.regions):
            return None
        rules, xs = OPS[operation.name], [known[x] for x in operation.operands]
        swaps = rules.commutative or rules.short_name in ("maximum", "minimum")
        operands = frozenset(xs) if swaps else tuple(xs)
        attributes = tuple((key, str(value)) for key, value in operation.attributes.items())
        for i, y in enumerate(operation.results):
            known[y] = operation.name, i, attributes, operands
    return [known.get(y) for y in body.results]


# -- reduction as a tree --------------------------------------------------------------------------


def _front(start: Value, rows: Value) -> Value:
    shape = (*rows.type.shape[:-1], 1)
    return emit.broadcast_in_dim(start, shape=shape, broadcast_dimensions=())


def _head(x: Value) -> Value:
    return part(x, 0, 1)


def _tail(x: Value) -> Value:
    return part(x, 1, x.type.shape[-1])


def _level(xs: Sequence[Value]) -> tuple[list[Value], list[Value], list[Value]]:
    """Left and right neighbours to combine, and the last element if it has no neighbour."""
    count = xs[0].type.shape[-1]
    rest = [part(x, count - 1, count) for x in xs] if count % 2 else []
    sides = [pair_sides(part(x, 0, count // 2 * 2)) for x in xs]
    return [left for left, _ in sides], [right for _, right in sides], rest


def _upper(body: Program, left: list[Value], right: list[Value], rest: list[Value]) -> list[Value]:
    combined = body.mapped(*left, *right)
    return [concatenated(c, r) for c, r in zip(combined, rest, strict=True)] if rest else combined


def fold(body: Program, xs: Sequence[Value]) -> list[Value]:
    """Reduce the last axis in order by a balanced tree."""
    values = list(xs)
    while values[0].type.shape[-1] > 1:
        values = _upper(body, *_level(values))
    return [reshaped(v, tuple(v.type.shape[:-1])) for v in values]


def _down(body: Program, xs: Sequence[Value], roots: Sequence[Value]) -> list[Value]:
    """Cotangents of xs from those of the fold: down the tree that `fold` built."""
    if xs[0].type.shape[-1] == 1:
        return list(roots)
    left, right, rest = _level(xs)
    gs = _down(body, _upper(body, left, right, rest), roots)
    half = left[0].type.shape[-1]
    of_pairs = [part(g, 0, half) for g in gs]
    floats = [g for g, x in zip(of_pairs, xs, strict=True) if differentiable(x.type)]
    found = iter(body.adjoint().mapped(*left, *right, *floats))
    both = [next(found) if differentiable(x.type) else zeros_like(x) for x in (*left, *right)]
    n = len(xs)
    merged = [interleaved(a, b) for a, b in zip(both[:n], both[n:], strict=True)]
    if not rest:
        return merged
    return [concatenated(m, part(g, half, half + 1)) for m, g in zip(merged, gs, strict=True)]


def _folded(body: Program, values: Sequence[Value], dimensions: Any) -> list[Value]:
    """Expand the op into the tree, with the initial values prepended."""
    arrays, starts = halves("reduce", values)
    rows = [merged_axes(x, dimensions) for x in arrays]
    fronts = [_front(start, row) for start, row in zip(starts, rows, strict=True)]
    return fold(body, [concatenated(f, r) for f, r in zip(fronts, rows, strict=True)])
