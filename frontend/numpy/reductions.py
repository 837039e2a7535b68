"""Functions that reduce axes: NumPy's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.config import default_dtype
from anvl.dialect.op import OPS
from anvl.dialect.types import dtype_name, numpy_dtype
from anvl.numpy.elementwise import abs as _abs
from anvl.numpy.elementwise import (
    add,
    divide,
    exp,
    isfinite,
    log,
    mark_weak,
    sqrt,
    square,
    subtract,
    where,
)
from anvl.promote import as_tracer, convert, promoted
from anvl.public import public
from anvl.tracer import Tracer
from anvl.tracing import emit

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "logsumexp", "max", "mean",
    "min", "prod", "softmax", "std", "sum", "var",
]  # fmt: skip

Axis = int | Sequence[int] | None


def axes_of(axis: Axis, ndim: int, function: str) -> tuple[int, ...]:
    """Axes as sorted non-negative positions; all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    given = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    found = []
    for a in given:
        if isinstance(a, bool) or not isinstance(a, int | np.integer):
            raise TypeError(f"{function}: axis {a!r} must be an integer")
        if not -ndim <= a < ndim:
            raise ValueError(f"{function}: axis {a} is out of range of {ndim} axes")
        found.append(int(a) % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"{function}: axis {given} names an axis twice")
    return tuple(sorted(found))


def _reduced(op: str, x: Tracer, axes: tuple[int, ...], keepdims: bool) -> Tracer:
    y = emit(OPS[f"anvl.{op}"], (x,), {"axes": axes})
    return kept(y, x.shape, axes) if keepdims else y  # type: ignore[no-any-return]


def kept(y: Tracer, shape: tuple[int, ...], axes: tuple[int, ...]) -> Tracer:
    """A reduced array with its axes of `shape` back, of size 1."""
    sizes = tuple(1 if i in axes else n for i, n in enumerate(shape))
    return emit(OPS["anvl.reshape"], (y,), {"shape": sizes})  # type: ignore[no-any-return]


def _numeric(name: str, op: str, doc: str, at_least: str) -> Any:
    def function(x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
        (operand,), weak = promoted(name, (x,), at_least)
        if dtype is not None:
            operand, weak = convert(operand, numpy_dtype(dtype)), False
        y = _reduced(op, operand, axes_of(axis, operand.ndim, name), keepdims)
        return mark_weak(y, weak)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public("axis", "keepdims", "dtype")(function)


def _sum_of(x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """The sum along `axis` (one, several, or all of them); bools are counted."""
    operand = as_tracer(x, "sum")
    if dtype is not None or operand.dtype.kind == "b":
        operand = convert(operand, numpy_dtype(dtype) if dtype else default_dtype(int))
    weak = operand.weak_type and dtype is None
    return mark_weak(
        _reduced("sum", operand, axes_of(axis, operand.ndim, "sum"), keepdims), weak
    )


_sum_of.__name__ = _sum_of.__qualname__ = "sum"
sum = public("axis", "keepdims", "dtype")(_sum_of)
prod = _numeric("prod", "prod", "The product along `axis` (one, several, or all of them).", "int")


def _extremum(name: str, op: str, doc: str) -> Any:
    def function(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
        operand = as_tracer(x, name)
        axes = axes_of(axis, operand.ndim, name)
        if builtins.any(operand.shape[a] == 0 for a in axes):
            raise ValueError(f"{name}: {operand.aval} has no elements along axis {axes}")
        return mark_weak(_reduced(op, operand, axes, keepdims), operand.weak_type)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public("axis", "keepdims")(function)


max = _extremum("max", "max", "The largest along `axis`; the derivative is shared among equals.")
min = _extremum("min", "min", "The smallest along `axis`; the derivative is shared among equals.")
amax, amin = max, min


def _truth(name: str, op: str, doc: str) -> Any:
    def function(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
        from anvl.numpy.creation import astype

        operand = astype(as_tracer(x, name), "bool")
        return _reduced(op, operand, axes_of(axis, operand.ndim, name), keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public("axis", "keepdims")(function)


all = _truth("all", "all", "Whether all elements along `axis` are true, or not zero.")
any = _truth("any", "any", "Whether some element along `axis` is true, or not zero.")


def _arg(name: str, doc: str) -> Any:
    def function(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        operand = as_tracer(x, name)
        shape = operand.shape
        if axis is None:
            flat = (math.prod(shape),)
            operand, at = emit(OPS["anvl.reshape"], (operand,), {"shape": flat}), 0
        else:
            (at,) = axes_of(axis, operand.ndim, name)
        index = dtype_name(default_dtype(int))
        y = emit(OPS[f"anvl.{name}"], (operand,), {"axis": at, "dtype": index})
        gone = tuple(range(len(shape))) if axis is None else (at,)
        return kept(y, shape, gone) if keepdims else y

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public("axis", "keepdims")(function)


argmax = _arg("argmax", "The index of the largest along `axis`, the first of equals; of all, flat.")
argmin = _arg("argmin", "The index of the smallest along `axis`, the first of equals; of all, flat.")


@public("axis", "keepdims")
def count_nonzero(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """How many elements along `axis` are not zero."""
    from anvl.numpy.creation import astype

    return sum(astype(as_tracer(x, "count_nonzero"), "bool"), axis=axis, keepdims=keepdims)


def _count(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    return math.prod(shape[a] for a in axes)


@public("axis", "keepdims", "dtype")
def mean(x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """The mean along `axis`; of integers a float."""
    (operand,), weak = promoted("mean", (x,), "float")
    if dtype is not None:
        operand, weak = convert(operand, numpy_dtype(dtype)), False
    axes = axes_of(axis, operand.ndim, "mean")
    total = _reduced("sum", operand, axes, keepdims)
    return mark_weak(divide(total, _count(operand.shape, axes)), weak)


@public("axis", "ddof", "keepdims")
def var(x: Any, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance along `axis`; divided by the count less `ddof`."""
    (operand,), _ = promoted("var", (x,), "float")
    axes = axes_of(axis, operand.ndim, "var")
    off = subtract(operand, mean(operand, axis=axes, keepdims=True))
    squares = square(_abs(off)) if operand.dtype.kind == "c" else square(off)
    total = _reduced("sum", squares, axes, keepdims)
    return divide(total, _count(operand.shape, axes) - ddof)


@public("axis", "ddof", "keepdims")
def std(x: Any, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation along `axis`."""
    return sqrt(var(x, axis=axis, ddof=ddof, keepdims=keepdims))


@public("axis", "keepdims")
def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along `axis`, without overflow."""
    (operand,), _ = promoted("logsumexp", (x,), "float")
    axes = axes_of(axis, operand.ndim, "logsumexp")
    largest = max(operand, axis=axes, keepdims=True)
    shift = where(isfinite(largest), largest, 0)
    total = _reduced("sum", exp(subtract(operand, shift)), axes, True)
    result = add(log(total), shift)
    if keepdims:
        return result
    sizes = tuple(n for i, n in enumerate(operand.shape) if i not in axes)
    return emit(OPS["anvl.reshape"], (result,), {"shape": sizes})


@public("axis")
def softmax(x: Any, axis: Axis = -1) -> Any:
    """exp(x) over its sum along `axis`, without overflow."""
    (operand,), _ = promoted("softmax", (x,), "float")
    axes = axes_of(axis, operand.ndim, "softmax")
    raised = exp(subtract(operand, max(operand, axis=axes, keepdims=True)))
    return divide(raised, sum(raised, axis=axes, keepdims=True))


