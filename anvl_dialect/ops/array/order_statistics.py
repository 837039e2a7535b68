"""`order_statistics`: elements at positions of the ascending order, whose ties share derivatives.

A sort moves elements and distinguishes equal ones by position.  Quantiles are functions of the
values alone, so the derivative of an order statistic goes to all elements that equal it.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.families import check_kind, with_batch_axis
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.types import dtype_name, element_type, integer_range, shape_text, tensor
from anvl.dialect.interpreters.replaced import Replaced
from anvl.dialect.ops.array.sorting import added_along, argsort, put_along, taken_along
from anvl.dialect.ops.array.ties import averaged_over_ties
from anvl.dialect.ops.elementwise.elementary import and_, or_
from anvl.dialect.ops.reduction.last_axis import concatenated, part
from anvl.dialect.ops.reduction.reduce import materialized

__all__ = ["OrderStatisticsOp"]

# Note [Derivatives of order statistics]
#
# The elements that equal the k-th smallest one share its derivative evenly:
#
#     dx = where(x == y, g / sum(x == y), 0)
#
# This is one loop over x, which needs neither the order nor sums along runs of equal elements: the
# gradient of a median compiles in half the time that it takes by way of the order (XLA:CPU of
# jaxlib 0.10.2).  Many positions would make many loops: then cotangents are added up at their
# places in the order, averaged over each run of equal elements, and moved back.

_FEW = 8  # positions that are compared with all elements


class OrderStatisticsOp(AnvlOp, name="order_statistics"):
    """Elements at `positions`, counted from 0, of the last axis of x in ascending order.

    The other axes of `positions` are those of x.  Positions out of bounds are clamped.  Rows with a
    NaN give NaN.
    """

    x: Operand
    positions: Operand
    y: Result
    singularity_convention = "ties share evenly; 0 where the result is NaN"

    @classmethod
    def result_type(cls, x: Any, positions: Any) -> Any:
        check_kind("order_statistics", x, "float")
        check_kind("order_statistics", positions, "int uint")
        if x.rank == 0 or list(positions.shape[:-1]) != list(x.shape[:-1]) or not positions.rank:
            raise TypeError(
                f"order_statistics: positions are {positions} and x is {x}; all axes but the last "
                "must be the same"
            )
        if x.shape[-1] == 0 and positions.shape[-1] > 0:
            raise TypeError(
                f"order_statistics: the last axis of {x} is empty, which leaves nothing to find "
                f"at positions {shape_text(positions.shape)}"
            )
        return tensor(list(positions.shape), x.element_type)

    @classmethod
    def lower(cls, hlo: Any, x: Value, positions: Value) -> Value:
        count, size = positions.type.shape[-1], x.type.shape[-1]
        if 0 in positions.type.shape:
            return full(cls.result_type(x.type, positions.type), 0)
        order = _order(x)
        places = taken_along(order, positions, x.type.rank - 1)
        found = taken_along(x, concatenated(places, part(order, size - 1, size)), x.type.rank - 1)
        y, largest = part(found, 0, count), _repeated(part(found, count, count + 1), count)
        return emit.select(_is_nan(largest), largest, y)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Any:
        x, positions = materialized(xs[0]), xs[1]
        if 0 in positions.type.shape:
            return [None, None]
        y = cls.build(x, positions)
        few = positions.type.shape[-1] <= _FEW
        return Replaced([y], [(_to_equals if few else _to_places)(g, x, y, positions), None])

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Any:
        (t, _), positions = ts, xs[1]
        if t is None or 0 in positions.type.shape:
            return None
        x = materialized(xs[0])
        y = cls.build(x, positions)
        few = positions.type.shape[-1] <= _FEW
        return Replaced([y], (_of_equals if few else _of_places)(t, x, y, positions))

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool]) -> Value:
        return cls.build(*with_batch_axis(xs, batched))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any]) -> Any:
        """Each result on all of its row, whose elements the positions order."""
        x, positions = xs
        row = deps.reduced(x, (x.ndim - 1,))[..., None]
        return deps.union(np.broadcast_to(row, positions.shape), positions)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any]) -> Any:
        return pads.stacked(cls.build, xs, 1)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 5), draw.ints(2, 3)], {}),
            ([draw.floats(7), draw.ints(1)], {}),
            ([draw.floats(9), draw.ints(_FEW + 1)], {}),
            ([draw.floats(2, 3), draw.ints(2, 0)], {}),
            ([draw.floats(0, 3), draw.ints(0, 2)], {}),
        )


# -- values ----------------------------------------------------------------------------------------


def _order(x: Value) -> Value:
    return argsort(x, x.type.rank - 1, _comes_before)


def _comes_before(x: Value, y: Value) -> Value:
    """NumPy's order, in which NaN is last."""
    is_less = emit.compare(x, y, comparison_direction="LT")
    is_number = emit.compare(x, x, comparison_direction="EQ")
    return or_(is_less, and_(is_number, _is_nan(y)))


def _is_nan(x: Value) -> Value:
    return emit.compare(x, x, comparison_direction="NE")


def _repeated(x: Value, count: int) -> Value:
    """The one element of each row, `count` times."""
    shape = (*x.type.shape[:-1], count)
    return emit.broadcast_in_dim(x, shape=shape, broadcast_dimensions=tuple(range(len(shape))))


# -- derivatives by comparison ---------------------------------------------------------------------


def _to_equals(g: Value, x: Value, y: Value, positions: Value) -> Value:
    """Give each cotangent to the elements of x that equal its result, in even shares."""
    shares, found = _divided(g, _counts(x, y)), []
    for i in range(y.type.shape[-1]):
        share = _repeated(part(shares, i, i + 1), x.type.shape[-1])
        found.append(emit.select(_is_equal(x, y, i), share, zeros_like(x)))
    return reduce(emit.add, found)


def _of_equals(t: Value, x: Value, y: Value, positions: Value) -> Value:
    """The mean tangent of the elements of x that equal each result."""
    return _divided(_summed(t, x, y), _counts(x, y))


def _counts(x: Value, y: Value) -> Value:
    """How many elements of x equal each result, in f32 at least; 1 for NaN, which none equals."""
    counts = _summed(full(tensor(x.type.shape, _wide(x)), 1), x, y)
    return emit.maximum(counts, full_like(counts, 1))


def _summed(t: Value, x: Value, y: Value) -> Value:
    """The sums of t over the elements of x that equal each result, as one reduction."""
    *outer, size = x.type.shape
    shape, of_rows = (*outer, y.type.shape[-1], size), tuple(range(len(outer)))

    def beside(v: Value, axis: int) -> Value:
        dims = (*of_rows, len(outer) + axis)
        return emit.broadcast_in_dim(v, shape=shape, broadcast_dimensions=dims)

    is_equal = emit.compare(beside(x, 1), beside(y, 0), comparison_direction="EQ")
    chosen = beside(t, 1)
    return emit.sum(emit.select(is_equal, chosen, zeros_like(chosen)), axes=(len(shape) - 1,))


def _is_equal(x: Value, y: Value, i: int) -> Value:
    """Where x equals result i of its row."""
    column = _repeated(part(y, i, i + 1), x.type.shape[-1])
    return emit.compare(x, column, comparison_direction="EQ")


def _divided(g: Value, counts: Value) -> Value:
    """g / counts, in the dtype of g."""
    dtype, wide = (dtype_name(x.type.element_type) for x in (g, counts))
    if dtype == wide:
        return emit.div(g, counts)
    return emit.convert(emit.div(emit.convert(g, dtype=wide), counts), dtype=dtype)


def _wide(x: Value) -> Any:
    """The element type in which ties are counted: f16 ends at 65,504."""
    element = x.type.element_type
    return element if dtype_name(element) == "f64" else element_type("f32")


# -- derivatives by the order ----------------------------------------------------------------------


def _to_places(g: Value, x: Value, y: Value, positions: Value) -> Value:
    """Add up cotangents at their places in the order, average runs of equals, move them back."""
    axis, order = x.type.rank - 1, _order(x)
    inside = _inside(positions, x.type.shape[axis])
    added = added_along(zeros_like(x), inside, _unless_nan(g, y), axis)
    means = averaged_over_ties(added, taken_along(x, order, axis), axis)
    return put_along(means, order, axis, x)


def _of_places(t: Value, x: Value, y: Value, positions: Value) -> Value:
    axis, order = x.type.rank - 1, _order(x)
    means = averaged_over_ties(taken_along(t, order, axis), taken_along(x, order, axis), axis)
    return _unless_nan(taken_along(means, positions, axis), y)


def _inside(positions: Value, size: int) -> Value:
    """Positions moved to the nearest of 0 to size - 1."""
    _, most = integer_range(positions.type.element_type)
    last = full_like(positions, min(size - 1, most))
    return emit.clamp(zeros_like(positions), positions, last)


def _unless_nan(v: Value, y: Value) -> Value:
    return emit.select(_is_nan(y), zeros_like(v), v)
