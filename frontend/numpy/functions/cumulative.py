"""Cumulative functions along an axis.

With `reverse=True` they accumulate from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core.config import as_dtype
from anvl.core.promote import as_tracer, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import Function, public
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.shaping import ravel
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.elementwise import described, mark_weak
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.reductions import summing_dtype

__all__ = [
    "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum",
]  # fmt: skip


def _along(name: str, x: Tracer, axis: int | None, reverse: bool) -> Tracer:
    if axis is None:
        x, axis = ravel(x), 0
    dtype = x.dtype
    if is_kind(x, "float") and dtype.itemsize <= 2:  # accumulated in f32
        x = convert(x, np.dtype(np.float32))
    if not isinstance(reverse, bool):
        raise TypeError(f"{name}: reverse is {reverse!r}; it must be True or False")
    return convert(prim(name, x, axis=axis_of(axis, x.ndim, name), reverse=reverse), dtype)


def _accumulated(name: str, doc: str) -> Any:
    def function(
        x: Any, axis: int | None = None, dtype: Any = None, *, reverse: bool = False
    ) -> Any:
        operand = as_tracer(x, name)
        weak = operand.weak_type and dtype is None
        wanted = as_dtype(dtype) if dtype else summing_dtype(operand.dtype, operand.size)
        operand = convert(operand, wanted)
        return mark_weak(_along(name, operand, axis, reverse), weak)

    return _public(function, name, doc, "reverse", "dtype")


def _running(name: str, doc: str, at_least: str = "bool") -> Any:
    def function(x: Any, axis: int | None = None, *, reverse: bool = False) -> Any:
        (operand,), weak = promoted(name, (x,), at_least)
        return mark_weak(_along(name, operand, axis, reverse), weak)

    return _public(function, name, doc, "reverse")


def _public(function: Any, name: str, doc: str, *static: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name, doc)
    return public("axis", *static)(function)


# fmt: off
cumsum: Function = _accumulated("cumsum",
    "Cumulative sums along `axis`; of the flattened array for None.\n\n"
    "With `reverse`, accumulated from the end.  "
    "Bools are counted, and integers below 32 bits summed in 32. "
    "| np.asarray([1, 2, 3]) -> [1 3 6]")
cumprod: Function = _accumulated("cumprod",
    "Cumulative products along `axis`; of the flattened array for None.\n\n"
    "With `reverse`, accumulated from the end.  "
    "Integers below 32 bits are multiplied in 32.  The derivative is exact at zeros. "
    "| np.asarray([2, 3, 4]) -> [ 2  6 24]")
cummax: Function = _running("cummax",
    "Cumulative maxima along `axis`; of the flattened array for None.\n\n"
    "With `reverse`, accumulated from the end.  "
    "NumPy's `maximum.accumulate`.  Elements that tie share the derivative. "
    "| np.asarray([2, 1, 4]) -> [2 2 4]")
cummin: Function = _running("cummin",
    "Cumulative minima along `axis`; of the flattened array for None.\n\n"
    "With `reverse`, accumulated from the end.  "
    "NumPy's `minimum.accumulate`.  Elements that tie share the derivative. "
    "| np.asarray([2, 1, 4]) -> [2 1 1]")
cumlogsumexp: Function = _running("cumlogsumexp",
    "Cumulative log(sum(exp(x))) along `axis`, without overflow.\n\n"
    "With `reverse`, from the end.  NumPy's `logaddexp.accumulate`. "
    "| np.zeros(2) -> [0.        0.6931472]", "float")
# fmt: on


def _standard(name: str, accumulated: Any, initial: int, doc: str) -> Any:
    """The Array API's form of a cumulative function."""

    def function(
        x: Any, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
    ) -> Any:
        operand = as_tracer(x, name)
        if axis is None and operand.ndim != 1:
            raise ValueError(f"{name}: {operand.aval} is not a vector; name the axis")
        at = axis_of(0 if axis is None else axis, operand.ndim, name)
        y = accumulated(operand, at, dtype)
        if not include_initial:
            return y
        shape = tuple(1 if i == at else n for i, n in enumerate(y.shape))
        return mark_weak(concatenate([constant(initial, y.dtype, shape), y], at), y.weak_type)

    return _public(function, name, doc, "dtype", "include_initial")


# fmt: off
_SOURCE = "https://data-apis.org/array-api/2025.12/API_specification/generated/array_api"
cumulative_sum: Function = _standard("cumulative_sum", cumsum, 0,
    "Cumulative sums along `axis`, which a vector need not name; dtypes as of `sum`.\n\n"
    "With `include_initial` a 0 comes first.  Raises `ValueError` without an axis if x is no "
    f"vector.\n\nSource: {_SOURCE}.cumulative_sum.html "
    "| np.asarray([1, 2, 3]), include_initial=True -> [0 1 3 6]")
cumulative_prod: Function = _standard("cumulative_prod", cumprod, 1,
    "Cumulative products along `axis`, which a vector need not name; dtypes as of `prod`.\n\n"
    "With `include_initial` a 1 comes first.  Raises `ValueError` without an axis if x is no "
    f"vector.\n\nSource: {_SOURCE}.cumulative_prod.html "
    "| np.asarray([2, 3, 4]), include_initial=True -> [ 1  2  6 24]")
# fmt: on
