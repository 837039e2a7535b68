"""`get_dimension_size` and `set_dimension_size`, for sizes known at compile time."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full
from anvl.dialect.core.families import Linear, check_axes
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Int, Ints
from anvl.dialect.core.types import element_type, tensor

__all__ = ["GetDimensionSizeOp", "SetDimensionSizeOp"]


class GetDimensionSizeOp(AnvlOp, name="get_dimension_size"):
    """Size of axis `dimension` of x, as an i32 scalar.

    StableHLO `get_dimension_size`.
    """

    x: Operand
    dimension: Int
    y: Result
    hlo = "get_dimension_size"
    zero_derivative_reason = "a size"

    @classmethod
    def result_type(cls, x: Any, dimension: int) -> Any:
        check_axes(f"get_dimension_size: dimension {dimension}", (dimension,), x.rank, x)
        return tensor([], element_type("i32"))

    @classmethod
    def tangent(cls, ts: Any, xs: Any, y: Value, dimension: int) -> None:
        return None

    @classmethod
    def adjoint(cls, g: Value, xs: Any, y: Value, dimension: int) -> Sequence[Any]:
        return [None]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], dimension: int) -> Value:
        (x,) = xs
        one = cls.build(x, dimension=dimension + 1)
        shape = (x.type.shape[0],)  # the same for each member
        return emit.broadcast_in_dim(one, shape=shape, broadcast_dimensions=())

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], dimension: int) -> Any:
        """The true size, which is a value of the program."""
        length = xs[0].axes.get(dimension)
        if length is None:
            return cls.build(xs[0].value, dimension=dimension), {}
        size = length.value
        if length.times != 1:
            size = emit.mul(size, full(size.type, length.times))
        return size, {}

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {"dimension": 1}),
            ([draw.floats(0)], {"dimension": 0}),
        )


class SetDimensionSizeOp(Linear, name="set_dimension_size"):
    """Keep the first `size` elements of x along `dimension`.

    StableHLO's op of this name takes a size known only at run time, and its result has an axis of
    bounded size.  With a static size, as here, it is a slice.
    """

    x: Operand
    size: Int
    dimension: Int
    y: Result
    moves_elements = True

    @classmethod
    def result_type(cls, x: Any, size: int, dimension: int) -> Any:
        check_axes(f"set_dimension_size: dimension {dimension}", (dimension,), x.rank, x)
        if not 0 <= size <= x.shape[dimension]:
            raise TypeError(
                f"set_dimension_size: size {size} must be from 0 to {x.shape[dimension]}, the size "
                f"of axis {dimension} of {x}; pad it first to make it larger"
            )
        return tensor(_with(x.shape, dimension, size), x.element_type)

    @classmethod
    def lower(cls, hlo: Any, x: Value, size: int, dimension: int) -> Value:
        limits = _with(x.type.shape, dimension, size)
        zeros = (0,) * x.type.rank
        return hlo(
            "slice",
            x,
            type=tensor(limits, x.type.element_type),
            start_indices=Ints.encode(zeros),
            limit_indices=Ints.encode(limits),
            strides=Ints.encode((1,) * x.type.rank),
        )

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, size: int, dimension: int
    ) -> Sequence[Any]:
        none = (0,) * g.type.rank
        return [
            emit.pad(
                g,
                full(tensor([], g.type.element_type), 0),
                edge_padding_low=none,
                edge_padding_high=_with(none, dimension, xs[0].type.shape[dimension] - size),
                interior_padding=none,
            )
        ]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], size: int, dimension: int
    ) -> Value:
        return cls.build(xs[0], size=size, dimension=dimension + 1)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {"size": 2, "dimension": 1}),
            ([draw.floats(3)], {"size": 3, "dimension": 0}),
            ([draw.floats(3)], {"size": 0, "dimension": 0}),
        )


def _with(sizes: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    """Replace the size at `axis`."""
    return tuple(size if i == axis else n for i, n in enumerate(sizes))
