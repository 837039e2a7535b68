"""`select_and_scatter`: each window's value goes to the element that `select` prefers.

The adjoint of max pooling.  Values are moved, not computed with, so the derivative in the compared
array is zero; the derivative in the values follows from the expansion.
Source: StableHLO specification, `select_and_scatter`.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.families import check_kind, with_batch_axis
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Body, Ints
from anvl.dialect.core.params.window_params import OptionalPadding, Steps
from anvl.dialect.core.types import element_type, shape_text, tensor
from anvl.dialect.interpreters.subprogram import Program, batch_of, jvp_of, vjp_of
from anvl.dialect.ops.array.pad import zero_of
from anvl.dialect.ops.elementwise.elementary import and_, not_, or_
from anvl.dialect.ops.windows.window import Windows, only_op

__all__ = ["SelectAndScatterOp"]


class SelectAndScatterOp(AnvlOp, name="select_and_scatter", borrowed=True):
    """Slide windows over x and scatter each window's source value to its selected element.

    `select(best, next)` returns whether to keep the best.  At the selected element, `scatter`
    combines the source value with those already there, starting from `start`.  StableHLO
    `select_and_scatter`, borrowed.
    """

    x: Operand
    source: Operand
    start: Operand
    window_dimensions: Ints
    window_strides: Steps
    padding: OptionalPadding
    select: Body
    scatter: Body
    y: Result
    singularity_convention = "0 in the compared array, whose values are not returned"

    @classmethod
    def result_type(cls, x: Any, source: Any, start: Any, **params: Any) -> Any:
        check_kind("select_and_scatter", x, "bool int uint float complex")
        windows = _windows(**params)
        windows.check("select_and_scatter", x)
        wanted = tensor(windows.counts(x.shape), x.element_type)
        if source != wanted:
            raise TypeError(
                f"select_and_scatter: source is {source}; windows of "
                f"{shape_text(windows.sizes)} on {x} take {wanted}"
            )
        if start != tensor([], x.element_type):
            raise TypeError(
                f"select_and_scatter: initial value is {start}; it must be "
                f"{tensor([], x.element_type)}, of the dtype of {x}"
            )
        return x

    @classmethod
    def body_types(cls, x: Any, source: Any, start: Any, **params: Any) -> Any:
        bools = tensor([], element_type("bool"))
        return [([start, start], [bools]), ([start, start], [start])]

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, **params: Any) -> Sequence[Any]:
        x, source, start = xs

        def of(f: Callable[[Value], Value], v: Value) -> Value | None:
            symbols = params["scatter"].symbols
            return vjp_of(lambda w: [f(w)], [v], [g], symbols=symbols)[0]

        return [
            None,
            lambda: of(lambda v: _expanded(x, v, start, **params), source),
            lambda: of(lambda v: _expanded(x, source, v, **params), start),
        ]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, **params: Any
    ) -> Value | None:
        (_, *moves), (x, *moving) = ts, xs
        if all(t is None for t in moves):
            return None
        symbols = params["scatter"].symbols
        return jvp_of(lambda *vs: [_expanded(x, *vs, **params)], moving, moves, symbols=symbols)[0]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], select: Program, scatter: Program,
        **params: Any,
    ) -> Value:  # fmt: skip
        bodies = {"select": select, "scatter": scatter}
        if batched[2]:  # StableHLO's op has one initial value for all members

            def expanded(x: Value, source: Value, start: Value) -> list[Value]:
                return [_expanded(x, source, start, select, scatter, **params)]

            return batch_of(expanded, xs, batched, symbols=scatter.symbols)[0]
        x, source = with_batch_axis(xs[:2], batched[:2])
        given = _windows(**params).with_batch_axis().params()
        kept = {name: given[name] for name in ("window_dimensions", "window_strides", "padding")}
        return emit.select_and_scatter(x, source, xs[2], **kept, **bodies)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        zero, one = (draw.floats(within=(v, v)) for v in (0.0, 1.0))
        single = {"window_dimensions": (1,)}

        def largest(x: Value, y: Value) -> Value:
            return emit.compare(x, y, comparison_direction="GE")

        def smallest(x: Value, y: Value) -> Value:
            return emit.compare(x, y, comparison_direction="LE")

        def params(select: Any, scatter: Any, **rest: Any) -> dict[str, Any]:
            return {"select": select, "scatter": scatter, **rest}

        twos = {"window_dimensions": (2, 2), "window_strides": (2, 2)}
        wide = {"window_dimensions": (3,), "padding": ((1, 1),)}
        return draw.calls(
            ([draw.floats(4, 5), draw.floats(2, 2), zero], params(largest, emit.add, **twos)),
            ([draw.floats(6), draw.floats(6), zero], params(largest, emit.add, **wide)),
            ([draw.floats(6), draw.floats(6), one], params(smallest, emit.mul, **wide)),
            ([draw.floats(5), draw.floats(6), zero],
             params(largest, emit.maximum, window_dimensions=(2,), padding=((1, 1),))),
            ([draw.floats(3), draw.floats(3), zero], params(largest, emit.add, **single)),
            ([draw.floats(0), draw.floats(0), zero], params(largest, emit.add, **single)),
            ([draw.ints(4), draw.ints(2), draw.ints(within=(0, 0))],
             params(largest, emit.add, window_dimensions=(2,), window_strides=(2,))),
        )  # fmt: skip


def _windows(
    window_dimensions: Any, window_strides: Any = None, padding: Any = None, **bodies: Any
) -> Windows:
    return Windows.of(window_dimensions, window_strides, padding=padding)


# -- expansion -------------------------------------------------------------------------------------


def _expanded(
    x: Value, source: Value, start: Value, select: Program, scatter: Program, **params: Any
) -> Value:
    """Expand the op, one step per window element."""
    windows = _windows(**params)
    y = emit.broadcast_in_dim(start, shape=tuple(x.type.shape), broadcast_dimensions=())
    if 0 in source.type.shape or 0 in x.type.shape:
        return y
    adds = only_op(scatter) == "anvl.add"
    members = itertools.product(*map(range, windows.sizes))
    for offset, chosen in zip(members, _chosen(x, windows, select), strict=True):
        value = _scatter_element(
            windows, offset, emit.select(chosen, source, zeros_like(source)), x
        )
        if adds:
            y = emit.add(y, value)
        else:
            y = emit.select(
                _scatter_element(windows, offset, chosen, x), scatter.mapped(y, value)[0], y
            )
    return y


def _chosen(x: Value, windows: Windows, select: Program) -> list[Value]:
    """For each window element, whether it is selected, in all windows."""
    values = windows.members(x, zero_of(x))
    there = _inside(x, windows)
    best, seen, chosen = values[0], there[0], [there[0]]
    for value, is_there in zip(values[1:], there[1:], strict=True):
        keeps = select.mapped(best, value)[0]
        better = and_(is_there, not_(and_(seen, keeps))) if windows.is_padded() else not_(keeps)
        best = emit.select(better, value, best)
        seen = or_(seen, is_there) if windows.is_padded() else seen
        chosen = [*[and_(c, not_(better)) for c in chosen], better]
    return chosen


def _inside(x: Value, windows: Windows) -> list[Value]:
    """For each window element, whether it lies in the array, not in padding, in all windows."""
    bools = element_type("bool")
    if not windows.is_padded():
        every = full(tensor(windows.counts(x.type.shape), bools), 1)
        return [every] * math.prod(windows.sizes)
    return windows.members(full(tensor(x.type.shape, bools), 1), full(tensor([], bools), 0))


def _scatter_element(windows: Windows, offset: tuple[int, ...], values: Value, x: Value) -> Value:
    """Scatter one value per window to its element `offset`, in the shape of x; zeros elsewhere."""
    lows = tuple(k - low for k, (low, _) in zip(offset, windows.padding, strict=True))
    counts, sizes = values.type.shape, x.type.shape
    reach = [(n - 1) * s + 1 for n, s in zip(counts, windows.strides, strict=True)]
    return emit.pad(
        values,
        zero_of(values),
        edge_padding_low=lows,
        edge_padding_high=tuple(n - low - r for n, low, r in zip(sizes, lows, reach, strict=True)),
        interior_padding=tuple(s - 1 for s in windows.strides),
    )
