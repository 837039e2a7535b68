"""Reductions by one op: NumPy's names."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.core.config import as_dtype, counting_dtype, default_dtype
from anvl.core.promote import as_tracer, broadcast_shapes, broadcast_to, convert, fitted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.dispatch.eager import Function, public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import Axis, axes_of, axis_of
from anvl.numpy.arrays.choice import isnan
from anvl.numpy.arrays.choice import where as select_where
from anvl.numpy.functions.elementwise import astype, described, mark_weak, subtract
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.runtime import hiding_frames

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "max", "min", "minmax",
    "nanmax", "nanmin", "nanprod", "nansum", "prod", "ptp", "sum",
]  # fmt: skip


def reduced(op: str, x: Tracer, axes: tuple[int, ...], keepdims: bool) -> Tracer:
    """Reduce x by an op; with `keepdims` its axes stay, with size 1."""
    y = prim(op, x, axes=axes)
    return kept(y, x.shape, axes) if keepdims else y


def kept(y: Tracer, shape: tuple[int, ...], axes: tuple[int, ...]) -> Tracer:
    """Restore the axes of a reduced array with size 1."""
    sizes = tuple(1 if i in axes else n for i, n in enumerate(shape))
    return y if y.shape == sizes else prim("reshape", y, shape=sizes)


def _named(function: Callable[..., Any], name: str, doc: str, *static: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name, doc)
    return public("axis", "keepdims", *static)(function)


def summing_dtype(dtype: np.dtype[Any], count: int) -> np.dtype[Any]:
    """Dtype of the sum of `count` elements: wider for integers, an integer for bools.

    At least the default integer.
    """
    of_kind = kind(element_type(dtype))
    if of_kind not in ("bool", "int", "uint"):
        return dtype
    if of_kind == "bool":
        return counting_dtype(count)
    wide = np.dtype(f"{'u' if of_kind == 'uint' else 'i'}{default_dtype(int).itemsize}")
    return wide if dtype.itemsize < wide.itemsize else dtype


def chosen(name: str, x: Tracer, condition: Any, neutral: Any) -> Any:
    """x with a neutral element where a condition, which broadcasts to it, does not hold."""
    return x if condition is None else select_where(_flags(name, x, condition), x, neutral)


def _flags(name: str, x: Tracer, condition: Any) -> Tracer:
    """A condition on the elements of x."""
    flags = array_like(condition, name)
    if not is_kind(flags, "bool"):
        raise TypeError(f"{name}: where is {flags.aval}; it must be a bool")
    if broadcast_shapes(flags.shape, x.shape, function=name) != x.shape:
        raise ValueError(f"{name}: where {flags.aval} does not broadcast to {x.aval}")
    return flags


def _combined(name: str, op: str, y: Any, initial: Any) -> Any:
    """The result of a reduction, with the value that it begins with."""
    if initial is None:
        return y
    first = fitted(initial, y.dtype, name)
    if first.ndim:
        raise ValueError(f"{name}: initial is {first.aval}; it must be one number")
    return prim(op, y, broadcast_to(first, y.shape))


def _accumulated(name: str, op: str, doc: str) -> Any:
    neutral, combine = {"sum": (0, "add"), "prod": (1, "mul")}[op]

    def function(
        x: Any, axis: Axis = None, dtype: Any = None, *,
        keepdims: bool = False, initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        operand = chosen(name, as_tracer(x, name), where, neutral)
        weak = operand.weak_type and dtype is None
        axes = axes_of(axis, operand.ndim, name)
        count = math.prod(operand.shape[a] for a in axes)
        wanted = as_dtype(dtype) if dtype else summing_dtype(operand.dtype, count)
        y = _wide(op, convert(operand, wanted), axes, keepdims)
        return mark_weak(_combined(name, combine, y, initial), weak)

    return _named(function, name, doc, "dtype")


def _wide(op: str, x: Tracer, axes: tuple[int, ...], keepdims: bool) -> Tracer:
    """Accumulate 16-bit floats in f32."""
    if x.dtype.itemsize > 2 or not is_kind(x, "float"):
        return reduced(op, x, axes, keepdims)
    return convert(reduced(op, convert(x, np.dtype(np.float32)), axes, keepdims), x.dtype)


# fmt: off
sum: Function = _accumulated("sum", "sum",
    "Sum along `axis` (one, several, or all of them).\n\n"
    "Bools are counted, and integers below 32 bits summed in 32.  The sum begins with `initial`, "
    "and takes the elements where `where` holds.  The derivative is 1. "
    "| np.asarray([1, 2, 3]) -> 6")
prod: Function = _accumulated("prod", "prod",
    "Product along `axis` (one, several, or all of them).\n\n"
    "Integers below 32 bits are multiplied in 32.  The product begins with `initial`, and takes "
    "the elements where `where` holds. | np.asarray([2, 3, 4]) -> 24")
# fmt: on


def _takes_all(condition: Any, x: Any) -> bool:
    """Whether a condition on the elements of x is known to hold everywhere."""
    if not isinstance(condition, bool | np.bool_ | np.ndarray):
        return False
    flags, shape = np.asarray(condition), getattr(x, "shape", ())
    fits = flags.ndim <= len(shape) and builtins.all(
        n in (1, wanted) for n, wanted in zip(flags.shape[::-1], shape[::-1], strict=False)
    )
    return fits and flags.dtype == np.bool_ and bool(flags.all())


def _accepting_all(function: Any) -> Any:
    """Let `where` be without `initial` where it is known to hold everywhere.

    An argument of the compiled function has no known values, so it is left out before the call.
    """

    @hiding_frames
    @functools.wraps(function)
    def accepting(
        x: Any, axis: Axis = None, *,
        keepdims: bool = False, initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        if initial is None and _takes_all(where, x):
            where = None
        return function(x, axis, keepdims=keepdims, initial=initial, where=where)

    return accepting


def _extremum(name: str, op: str, doc: str) -> Any:
    combine = f"{name}imum"

    def function(
        x: Any, axis: Axis = None, *,
        keepdims: bool = False, initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        operand = as_tracer(x, name)
        if where is not None and initial is None:
            _flags(name, operand, where)
            raise ValueError(f"{name}: `where` may leave no element, so give `initial`, too")
        weak, operand = operand.weak_type, chosen(name, operand, where, initial)
        axes = axes_of(axis, operand.ndim, name)
        if builtins.any(operand.shape[a] == 0 for a in axes):
            if initial is None:
                raise ValueError(f"{name}: {operand.aval} has no elements along axis {axes}")
            sizes = tuple(n for i, n in enumerate(operand.shape) if i not in axes)
            y = broadcast_to(fitted(initial, operand.dtype, name), sizes)
            return kept(y, operand.shape, axes) if keepdims else y
        y = reduced(op, operand, axes, keepdims)
        return mark_weak(_combined(name, combine, y, initial), weak)

    return _accepting_all(_named(function, name, doc))


# fmt: off
max: Function = _extremum("max", "max",
    "Maximum along `axis`, NaN if there is one; the derivative is shared among equals.\n\n"
    "Not below `initial`, if given, which is needed for no elements, and for `where`, a condition "
    "on those that count, unless it is known to hold everywhere. "
    "| np.asarray([1, 3, 2]) -> 3")
min: Function = _extremum("min", "min",
    "Minimum along `axis`, NaN if there is one; the derivative is shared among equals.\n\n"
    "Not above `initial`, if given, which is needed for no elements, and for `where`, a condition "
    "on those that count, unless it is known to hold everywhere. "
    "| np.asarray([1, 3, 2]) -> 1")
# fmt: on
amax: Function = max
amin: Function = min


def _truth(name: str, op: str, doc: str) -> Any:
    def function(x: Any, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Any:
        operand = chosen(name, astype(as_tracer(x, name), "bool"), where, name == "all")
        return reduced(op, operand, axes_of(axis, operand.ndim, name), keepdims)

    return _named(function, name, doc)


# fmt: off
all: Function = _truth("all", "all",
    "Test whether all elements along `axis` are true, or not zero; of those where `where` holds. "
    "| np.asarray([1, 0]) -> False")
any: Function = _truth("any", "any",
    "Test whether any element along `axis` is true, or not zero; of those where `where` holds. "
    "| np.asarray([1, 0]) -> True")
# fmt: on


def _arg(name: str, doc: str) -> Any:
    def function(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
        operand = as_tracer(x, name)
        shape = operand.shape
        removed = tuple(range(len(shape))) if axis is None else (axis_of(axis, len(shape), name),)
        if math.prod(shape[a] for a in removed) == 0:
            raise ValueError(f"{name}: {operand.aval} has no elements along axis {removed}")
        if axis is None:
            operand = prim("reshape", operand, shape=(math.prod(shape),))
        at = 0 if axis is None else removed[0]
        places = counting_dtype(operand.shape[at] - 1)
        y = prim(name, operand, axis=at, dtype=dtype_name(places))
        return kept(y, shape, removed) if keepdims else y

    return _named(function, name, doc)


# fmt: off
argmax: Function = _arg("argmax",
    "The index of the largest along `axis`, the first of equals, a NaN if there is one; of all, "
    "flat.\n\nOf the default integer dtype, i32, or i64 where that does not hold every index. "
    "| np.asarray([1, 3, 2]) -> 1")
argmin: Function = _arg("argmin",
    "The index of the smallest along `axis`, the first of equals, a NaN if there is one; of all, "
    "flat.\n\nOf the default integer dtype, i32, or i64 where that does not hold every index. "
    "| np.asarray([1, 3, 0]) -> 2")
# fmt: on


@public("axis", "keepdims")
def count_nonzero(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Count the nonzero elements along `axis`: i32, the default integer, or i64 for large arrays.

    >>> import anvl.numpy as np
    >>> print(np.count_nonzero(np.asarray([0, 5, 7])))
    2
    """
    operand = as_tracer(x, "count_nonzero")
    removed = axes_of(axis, operand.ndim, "count_nonzero")
    counts = counting_dtype(math.prod(operand.shape[a] for a in removed))
    return sum(astype(operand, "bool"), axis=axis, dtype=counts, keepdims=keepdims)


@public("axis", "keepdims")
def ptp(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Maximum minus minimum along `axis`.

    The derivatives of both are shared among equals.

    >>> import anvl.numpy as np
    >>> print(np.ptp(np.asarray([4, 1, 9])))
    8
    """
    operand = as_tracer(x, "ptp")
    ends = (f(operand, axis=axis, keepdims=keepdims) for f in (max, min))
    return subtract(*ends)


@public("axis", "keepdims")
def minmax(
    x: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> tuple[Any, Any]:
    """Minimum and maximum along `axis`; `initial` may be a pair, for the one and for the other.

    The derivatives are shared among equals.

    >>> import anvl.numpy as np
    >>> np.minmax(np.asarray([4, 1, 9]))
    (Array(1, dtype=int32), Array(9, dtype=int32))
    """
    operand = as_tracer(x, "minmax")
    low, high = initial if isinstance(initial, tuple) else (initial, initial)
    of: dict[str, Any] = {"axis": axis, "keepdims": keepdims, "where": where}
    return min(operand, initial=low, **of), max(operand, initial=high, **of)


def _without_nan(
    name: str, reduction: Any, neutral: float, doc: str, of_nothing: float | None = None
) -> Any:
    def function(
        x: Any, axis: Axis = None, *,
        keepdims: bool = False, initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        operand, more = as_tracer(x, name), {"initial": initial, "where": where}
        if not is_kind(operand, "float", "complex"):
            return reduction(operand, axis=axis, keepdims=keepdims, **more)
        missing = isnan(operand)
        known = select_where(missing, neutral, operand)
        y = reduction(known, axis=axis, keepdims=keepdims, **more)
        if of_nothing is None or initial is not None:
            return y
        return select_where(all(missing, axis=axis, keepdims=keepdims), of_nothing, y)

    return _accepting_all(_named(function, name, doc))


# fmt: off
nansum: Function  = _without_nan("nansum", sum, 0.0,
    "Sum along `axis`, ignoring NaN. | np.asarray([1.0, np.nan]) -> 1.0")
nanprod: Function = _without_nan("nanprod", prod, 1.0,
    "Product along `axis`, ignoring NaN. | np.asarray([2.0, np.nan]) -> 2.0")
nanmax: Function  = _without_nan("nanmax", max, -math.inf,
    "Maximum along `axis`, ignoring NaN; NaN where all are. "
    "The derivative is shared among equals. | np.asarray([1.0, np.nan]) -> 1.0", math.nan)
nanmin: Function  = _without_nan("nanmin", min, math.inf,
    "Minimum along `axis`, ignoring NaN; NaN where all are. "
    "The derivative is shared among equals. | np.asarray([1.0, np.nan]) -> 1.0", math.nan)
# fmt: on
