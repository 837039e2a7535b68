"""`map`: a scalar function applied to each element of arrays.

Its derivative is the derivative of the body, applied elementwise.
Source: StableHLO specification, `map`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.families import differentiable, with_batch_axis
from anvl.dialect.core.op import AnvlOp, Operands, Result, Value, emit
from anvl.dialect.core.params.base import Body, Ints, ResultDtype
from anvl.dialect.core.types import element_type, shape_text, tensor
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["MapOp"]


class MapOp(AnvlOp, name="map", borrowed=True):
    """Apply `computation(x[i], ...)` at each i: one scalar per array to a scalar of `dtype`.

    `dimensions` are all axes of the arrays, in order.  StableHLO `map`, borrowed.
    """

    xs: Operands
    dimensions: Ints
    computation: Body
    dtype: ResultDtype
    y: Result

    @classmethod
    def result_type(cls, *types: Any, dimensions: Any, dtype: str) -> Any:
        if not types:
            raise TypeError("map: takes at least one array, got none")
        first = types[0]
        if any(list(x.shape) != list(first.shape) for x in types):
            raise TypeError(
                f"map: arrays {', '.join(map(str, types))} differ in shape; broadcast them to one"
            )
        every = tuple(range(first.rank))
        if tuple(dimensions) != every:
            raise TypeError(
                f"map: dimensions {shape_text(dimensions)} must be {shape_text(every)}, all axes "
                f"of {first} in order"
            )
        return tensor(first.shape, element_type(dtype))

    @classmethod
    def body_types(cls, *types: Any, dtype: str, **params: Any) -> Any:
        scalars = [tensor([], x.element_type) for x in types]
        return [(scalars, [tensor([], element_type(dtype))])]

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, computation: Program, **params: Any
    ) -> Sequence[Any]:
        if not any(differentiable(x.type) for x in xs):
            return [None] * len(xs)
        found = iter(computation.adjoint().mapped(*xs, g))
        return [next(found) if differentiable(x.type) else None for x in xs]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, computation: Program,
        **params: Any,
    ) -> Value | None:  # fmt: skip
        moving = [
            zeros_like(x) if t is None else t
            for t, x in zip(ts, xs, strict=True)
            if differentiable(x.type)
        ]
        if all(t is None for t in ts) or not differentiable(y.type):
            return None
        return computation.tangent().mapped(*xs, *moving)[0]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], dimensions: Any, computation: Program,
        dtype: str,
    ) -> Value:  # fmt: skip
        return emit.map(
            *with_batch_axis(xs, batched),
            dimensions=tuple(range(len(dimensions) + 1)),
            computation=computation,
            dtype=dtype,
        )

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], **params: Any) -> Any:
        return deps.union(*xs)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], **params: Any) -> Any:
        return pads.elementwise(emit.map, xs, **params)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def of_one(x: Value) -> Value:
            return emit.sin(emit.mul(x, x))

        def of_two(x: Value, y: Value) -> Value:
            return emit.mul(emit.exp(x), emit.sin(y))

        def chosen(x: Value, n: Value) -> Value:
            return emit.mul(x, emit.convert(n, dtype="f64"))

        def is_less(x: Value, y: Value) -> Value:
            return emit.compare(x, y, comparison_direction="LT")

        one = {"dimensions": (0, 1), "computation": of_one, "dtype": "f64"}
        return draw.calls(
            ([draw.floats(2, 3)], one),
            ([draw.floats(0, 3)], one),
            ([draw.floats(), draw.floats()], {**one, "dimensions": (), "computation": of_two}),
            ([draw.floats(4), draw.ints(4)], {**one, "dimensions": (0,), "computation": chosen}),
            (
                [draw.floats(4), draw.floats(4)],
                {"dimensions": (0,), "computation": is_less, "dtype": "bool"},
            ),
        )
