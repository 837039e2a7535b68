"""`scatter`: windows of updates combined into arrays at positions given by an array of indices.

Source: StableHLO specification, `scatter`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.families import differentiable, with_batch_axis
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operands, Results, Value, emit
from anvl.dialect.core.params.base import Body, Bool
from anvl.dialect.core.params.index_params import ScatterDimensions, ScatterDims
from anvl.dialect.core.types import dtype_name, integer_range, kind, shape_text, tensor
from anvl.dialect.interpreters.subprogram import Program, jvp_of, vjp_of
from anvl.dialect.ops.indexing.combine import COMBINERS, separated, updated
from anvl.dialect.ops.indexing.gather import batched_dims
from anvl.dialect.ops.indexing.indices import (
    check_dims,
    combined,
    window_axes,
)
from anvl.dialect.ops.indexing.padded_windows import WindowAxes, aligned_batches, skipped
from anvl.dialect.ops.indexing.scatter_windows import ScatterPositions
from anvl.dialect.sparsity.index_sets import EMPTY
from anvl.dialect.sparsity.window_positions import update_positions

__all__ = ["ScatterOp"]

# Note [Scatter bodies]
#
# If several updates meet one element, the order in which the body combines them is implementation-
# defined, so only a body that is independent of the order has a defined result.  The rules classify
# the body:
#
#   x, u -> u            assign: the derivative goes to the last update (ops/indexing/combine.py)
#   x, u -> x + h(u)     also x - h(u); any h
#   x, u -> x * h(u)     also x / h(u)
#   x, u -> max(x, h(u)) and min
#   anything else        for distinct positions (`unique_indices`): gather, body, assign;
#                        otherwise one index after another, at the cost of an op each
#
# Bodies of several operands are split if each result is one of the above.

_MOST_STEPS = 64


class ScatterOp(AnvlOp, name="scatter", borrowed=True):
    """Combine windows of updates into arrays with `update_computation`, at one index vector each.

    Operands: n arrays of one shape, the indices, n updates of one shape.  The body
    `update_computation(*old, *new)` takes and returns n scalars.  A window that is partly out of
    bounds is skipped.  StableHLO `scatter`, borrowed.
    """

    xs: Operands
    scatter_dimension_numbers: ScatterDimensions
    indices_are_sorted: Bool
    unique_indices: Bool
    update_computation: Body
    ys: Results

    @classmethod
    def result_type(
        cls, *types: Any, scatter_dimension_numbers: ScatterDims, indices_are_sorted: bool = False,
        unique_indices: bool = False,
    ) -> Any:  # fmt: skip
        inputs, indices, updates = thirds(types)
        _check_alike("inputs", inputs)
        _check_alike("updates", updates)
        for x, u in zip(inputs, updates, strict=True):
            if x.element_type != u.element_type:
                raise TypeError(f"scatter: update {u} must have the dtype of its input {x}")
        dims = scatter_dimension_numbers
        check_dims("scatter", inputs[0], indices, dims)
        _check_updates(inputs[0], indices, updates[0], dims)
        _check_components(indices, dims)
        return list(inputs)

    @classmethod
    def body_types(cls, *types: Any, **params: Any) -> Any:
        scalars = [tensor([], x.element_type) for x in thirds(types)[0]]
        return [([*scalars, *scalars], scalars)]

    @classmethod
    def is_already_legal(cls, op: ir.Operation) -> bool:
        x, indices = op.operands[0].type, op.operands[len(op.operands) // 2].type
        # One of a type that anvl has not, such as i2, stays as the program wrote it.
        return kind(indices.element_type) == "other" or _holds_positions(indices, x)

    @classmethod
    def lower(cls, hlo: Any, *xs: Value, **params: Any) -> Sequence[Value]:
        """Widen indices whose dtype does not hold all positions: XLA for GPUs compares in it."""
        inputs, indices, updates = thirds(xs)
        wide = emit.convert(indices, dtype="i64")
        found: Sequence[Value] = emit.scatter(*inputs, wide, *updates, **params)
        return found

    @classmethod
    def adjoint(
        cls, gs: Sequence[Any], xs: Sequence[Value], ys: Sequence[Value],
        update_computation: Program, **params: Any,
    ) -> Sequence[Any]:  # fmt: skip
        body = update_computation
        combiner = _combiner(body, xs)
        if combiner is not None:
            x, indices, u = xs
            positions = ScatterPositions(indices, **params)
            gx, gu = COMBINERS[combiner].adjoint(positions, gs[0], x, u, ys[0])
            return [gx, None, gu]
        active = [i for i, g in enumerate(gs) if g is not None]
        given = [gs[i] for i in active]
        return vjp_of(
            lambda *vs: _simpler(params, body, vs, active), xs, given, symbols=body.symbols
        )

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value],
        update_computation: Program, **params: Any,
    ) -> Sequence[Value | None]:  # fmt: skip
        body = update_computation
        combiner = _combiner(body, xs)
        if combiner is not None:
            x, indices, u = xs
            positions = ScatterPositions(indices, **params)
            return [COMBINERS[combiner].tangent(positions, ts[0], ts[2], x, u, ys[0])]
        active = [i for i, y in enumerate(ys) if differentiable(y.type)]
        found = jvp_of(lambda *vs: _simpler(params, body, vs, active), xs, ts, symbols=body.symbols)
        known = dict(zip(active, found, strict=True))
        return [known.get(i) for i in range(len(ys))]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], scatter_dimension_numbers: ScatterDims,
        update_computation: Program, indices_are_sorted: bool = False, unique_indices: bool = False,
    ) -> Sequence[Value]:  # fmt: skip
        n = len(xs) // 2
        of_indices = batched[n]
        whole = with_batch_axis(_promoted(update_computation, xs), batched)
        return emit.scatter(
            *whole[:n],
            whole[n] if of_indices else xs[n],
            *whole[n + 1 :],
            scatter_dimension_numbers=ScatterDims(
                *batched_dims(scatter_dimension_numbers, True, of_indices)
            ),
            indices_are_sorted=indices_are_sorted and not of_indices,
            unique_indices=unique_indices,
            update_computation=update_computation,
        )

    @classmethod
    def dependence(
        cls,
        deps: Any,
        xs: Sequence[Any],
        scatter_dimension_numbers: ScatterDims,
        update_computation: Program,
        **params: Any,
    ) -> Any:
        """Of several arrays, each result depends on all; unknown indices may be any."""
        inputs, indices, updates = thirds(xs)
        known = deps.known(len(inputs))
        if len(inputs) > 1 or known is None:
            union = deps.all_of([*updates, indices, *inputs[1:], *inputs[: len(inputs) > 1]])
            return [deps.union(x, union) for x in inputs]
        x, u = inputs[0].reshape(-1), updates[0].reshape(-1)
        dims = scatter_dimension_numbers
        at, inside = update_positions(known, inputs[0].shape, updates[0].shape, dims)
        at, u = at[inside], u[inside]
        body = update_computation
        if body.arguments[0] not in body.slice().values:  # the old element is replaced
            x = np.array(x)
            x[at] = EMPTY
        return [deps.placed(x, at, u).reshape(inputs[0].shape)]

    @classmethod
    def pad_axes(
        cls, pads: Any, xs: Sequence[Any], scatter_dimension_numbers: ScatterDims,
        update_computation: Program, indices_are_sorted: bool = False, unique_indices: bool = False,
    ) -> Any:  # fmt: skip
        """Padded index vectors become -1, so their windows are skipped.

        An index behind the true size of an input writes into its padding, where it was skipped.
        """
        (first, *rest), indices, updates = thirds(xs)
        dims = scatter_dimension_numbers
        axes = WindowAxes.of(dims, len(updates[0].shape), first, indices)
        none: dict[int, Any] = {}
        wanted = [(x.axes, none) for x in rest] + [axes.split(u.axes) for u in updates]
        for of_inputs, of_indices in [*wanted, (pads.wanted, none)]:
            first = pads.widened(first, of_inputs)
            indices = pads.widened(indices, of_indices)
        first, indices = aligned_batches(pads, first, indices, dims)
        parts = {a for u, a in axes.windows.items() if updates[0].shape[u] != first.shape[a]}
        pads.check_unused([first], parts, "a window that ends behind it is skipped")
        of_updates = axes.joined(first.axes, indices.axes)
        found = emit.scatter(
            first.value,
            *(pads.widened(x, first.axes).value for x in rest),
            skipped(pads, indices, dims),
            *(pads.widened(u, of_updates).value for u in updates),
            scatter_dimension_numbers=dims,
            indices_are_sorted=indices_are_sorted and not indices.axes,
            unique_indices=unique_indices and not indices.axes,
            update_computation=update_computation,
        )
        return [(y, first.axes) for y in found]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(*_samples(draw))


def thirds(values: Sequence[Any]) -> tuple[Sequence[Any], Any, Sequence[Any]]:
    """Split the operands into inputs, indices and updates."""
    n, odd = divmod(len(values), 2)
    if not odd or not n:
        given = ", ".join(str(getattr(v, "type", v)) for v in values) or "none"
        raise TypeError(f"scatter: takes n arrays, indices and n updates, got {given}")
    return values[:n], values[n], values[n + 1 :]


def _holds_positions(indices: Any, x: Any) -> bool:
    """Whether a dtype of indices has the number of elements along each axis of an array."""
    largest = integer_range(indices.element_type)[1]
    return all(n <= largest for n in x.shape)


def _check_alike(what: str, types: Sequence[Any]) -> None:
    if any(list(x.shape) != list(types[0].shape) for x in types):
        raise TypeError(f"scatter: {what} {', '.join(map(str, types))} must be of one shape")


def _check_updates(x: Any, indices: Any, update: Any, dims: ScatterDims) -> None:
    axes = window_axes(x.rank, dims)
    limits = [x.shape[a] for a in axes]
    wanted = combined(indices, dims, limits)
    windows = dims.update_window_dims
    fits = update.rank == len(wanted) and all(
        found <= size if axis in windows else found == size
        for axis, (found, size) in enumerate(zip(update.shape, wanted, strict=True))
    )
    if not fits:
        raise TypeError(
            f"scatter: updates are {update}, but the indices {indices} and windows within {x} "
            f"require {shape_text(wanted)}, or less along update_window_dims {shape_text(windows)}"
        )


def _combiner(body: Program, xs: Sequence[Value]) -> str | None:
    """Name of the body's combiner if that has its own rules, else None."""
    if len(xs) != 3 or _promotes(body, xs):
        return None
    parts = separated(body)
    return parts[0].name if parts is not None and parts[0].is_plain(body) else None


def _check_components(indices: Any, dims: ScatterDims) -> None:
    """Raise TypeError for updates that XLA, unlike StableHLO, would lose but for one."""
    taken = (*dims.scatter_indices_batching_dims, dims.index_vector_dim)
    count = math.prod(n for a, n in enumerate(indices.shape) if a not in taken)
    if count > 1 and not dims.scatter_dims_to_operand_dims:
        raise TypeError(
            f"scatter: {indices} holds {count} index vectors of no components, so all updates meet "
            "one element; combine them first, as `reduce` does"
        )


def _promotes(body: Program, xs: Sequence[Value]) -> bool:
    """Whether the body computes in a dtype other than the arrays' (C23)."""
    inputs, _, _ = thirds(xs)
    return any(
        x.type.element_type != scalar.type.element_type
        for x, scalar in zip(inputs, body.arguments, strict=False)
    )


def _simpler(
    params: dict[str, Any], body: Program, xs: Sequence[Value], wanted: Sequence[int]
) -> list[Value]:
    """Emit the wanted results as simpler scatters.  See Note [Scatter bodies]."""
    inputs, indices, updates = thirds(_promoted(body, xs))
    positions = ScatterPositions(indices, **params)
    parts = separated(body)
    if parts is not None:
        return [
            positions.scatter(
                COMBINERS[parts[i].name].body, inputs[i], parts[i].mapped(body, updates)
            )
            for i in wanted
        ]
    found = (updated if positions.unique_indices else _one_by_one)(positions, body, inputs, updates)
    return [found[i] for i in wanted]


def _promoted(body: Program, xs: Sequence[Value]) -> list[Value]:
    n = len(xs) // 2
    dtypes = [dtype_name(scalar.type.element_type) for scalar in body.arguments]
    convert: Callable[..., Value] = emit.convert
    return [
        x if dtype is None or dtype_name(x.type.element_type) == dtype else convert(x, dtype=dtype)
        for x, dtype in zip(xs, [*dtypes[:n], None, *dtypes[n:]], strict=True)
    ]


def _one_by_one(
    positions: ScatterPositions, body: Program, inputs: Sequence[Value], updates: Sequence[Value]
) -> list[Value]:
    """Scatter one index after another, so that the positions of each step are distinct."""
    steps = positions.steps()
    if len(steps) > _MOST_STEPS:
        raise MissingRule(
            f"scatter: the derivative of this body takes one index after another, and there are "
            f"{len(steps)}, more than {_MOST_STEPS}; set unique_indices = true if they are unique, "
            "or use a body such as add, multiply, maximum, minimum or assignment"
        )
    values = list(inputs)
    for step in steps:
        one, some = positions.restricted_to(step, updates)
        values = updated(one, body, values, some)
    return values


def _samples(draw: Any) -> list[Any]:
    def indices(*vectors: Any) -> "np.ndarray":
        return np.array(vectors, np.int32)

    def points(body: Any, unique: bool = False) -> dict[str, Any]:
        dims = ScatterDims((), (0,), (), (), (0,), 1)
        return {
            "scatter_dimension_numbers": dims, "unique_indices": unique, "update_computation": body,
        }  # fmt: skip

    def assign(_: Value, new: Value) -> Value:
        return new

    def mixed(old: Value, new: Value) -> Value:
        return emit.mul(old, emit.add(emit.square(old), emit.sin(new)))

    def rotated(a: Value, b: Value, c: Value, d: Value) -> list[Value]:
        # (a + ib)(c + id)
        return [
            emit.sub(emit.mul(a, c), emit.mul(b, d)), emit.add(emit.mul(a, d), emit.mul(b, c)),
        ]  # fmt: skip

    twice = indices(2, 0, 2, -1)
    windows = ScatterDims((1, 2), (), (), (), (0, 1), 1)
    both = ScatterDims((2, 3), (1,), (0,), (1,), (2, 1), 2)
    calls = [
        ([draw.floats(4), twice, draw.floats(4)], points(body))
        for body in (
            emit.mul, emit.maximum, assign, emit.sub,
            lambda old, new: emit.div(old, emit.exp(new)),
        )
    ]  # fmt: skip
    return [
        *calls,
        ([draw.floats(2), indices(1, 1), draw.floats(2)], points(mixed)),
        ([draw.floats(4), indices(2, 0, -1), draw.floats(3)], points(assign, unique=True)),
        (
            [draw.floats(4, within=(0.5, 2)), indices(2, 0, 5), draw.floats(3)],
            points(emit.pow, unique=True),
        ),
        (
            [draw.floats(4, 3), indices([1, 0], [1, 1], [3, 0]), draw.floats(3, 2, 2)],
            {"scatter_dimension_numbers": windows, "update_computation": emit.mul},
        ),
        (
            [draw.floats(2, 3, 4, 2), indices([[0, 0], [3, 9]], [[2, 1], [-5, 2]]),
             draw.floats(2, 2, 2, 2)],
            {"scatter_dimension_numbers": both, "update_computation": emit.add},
        ),
        ([draw.floats(0), indices(0), draw.floats(1)], points(emit.mul)),
        ([draw.floats(3), indices(), draw.floats(0)], points(emit.mul)),
        (
            [draw.floats(3), draw.floats(3), indices(1, 1), draw.floats(2), draw.floats(2)],
            points(rotated),
        ),
        (
            [draw.floats(3), draw.ints(3), indices(1, 1), draw.floats(2), draw.ints(2)],
            points(lambda a, i, b, j: [emit.add(a, b), j]),
        ),
    ]  # fmt: skip
