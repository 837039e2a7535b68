"""Cumulative functions along an axis.

With `reverse=True` they accumulate from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core.config import as_dtype
from anvl.core.promote import as_tracer, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import Function, public
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.shaping import ravel
from anvl.numpy.functions.elementwise import described, mark_weak
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.reductions import summing_dtype

__all__ = ["cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum"]


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

    return _public(function, name, doc, "dtype")


def _running(name: str, doc: str, at_least: str = "bool") -> Any:
    def function(x: Any, axis: int | None = None, *, reverse: bool = False) -> Any:
        (operand,), weak = promoted(name, (x,), at_least)
        return mark_weak(_along(name, operand, axis, reverse), weak)

    return _public(function, name, doc)


def _public(function: Any, name: str, doc: str, *static: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name, doc)
    return public("axis", "reverse", *static)(function)


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
