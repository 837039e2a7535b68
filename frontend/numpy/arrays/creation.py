"""Array creation: NumPy's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core.argument_arrays import scalar_array
from anvl.core.avals import aval
from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import (
    NUMBER_LEVELS,
    abstract,
    as_tracer,
    broadcast_shapes,
    broadcast_to,
    constant,
    dtype_error,
    masked_error,
    promoted,
    text_hint,
)
from anvl.core.ranges import check_fits, integer_limits, note_meeting, number_text
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.core.tracing import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import known, sizes_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.placing import check_not_traced, moved, placed, placed_like, placed_values
from anvl.numpy.arrays.shaping import reshape
from anvl.numpy.arrays.stacking import stack
from anvl.numpy.functions.arithmetic import evenly_spaced, power
from anvl.numpy.functions.elementwise import add, astype, divide, equal, floor, multiply, subtract
from anvl.runtime import Array, Device, hiding_frames

__all__ = [
    "arange", "array", "asarray", "copy", "empty", "empty_like", "full", "full_like", "linspace",
    "logspace", "ones", "ones_like", "zeros", "zeros_like",
]  # fmt: skip

_NUMBERS = bool | int | float | complex


@hiding_frames
def asarray(
    obj: Any,
    dtype: Any = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
) -> Any:
    """Convert `obj` to an array.

    NumPy arrays keep their dtype, float64 too; Python numbers alone become the default of their
    kind (f32, i32).

    Parameters
    ----------
    obj : array, number or nested lists of these
        Inside a trace, lists may hold tracers.
    dtype : dtype, optional
    device : Device or str, optional
        Where the array is to be; by default it stays where it is, or is made on the default device.
    copy : bool, optional
        True copies always, False never; by default an array is copied where it must be.  Arrays are
        immutable, so a copy is seen by its memory alone, and inside of a trace not at all.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        x does not hold numbers.
    OverflowError
        `dtype` does not hold a Python number, or an integer of a NumPy array.
    ValueError
        `copy` is False, and `obj` is no array of this dtype on this device.
    TraceError
        A device is given inside of a trace.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.asarray([1, 2.5])
    Array([1. , 2.5], dtype=float32)
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if device is not None:
        check_not_traced("asarray", device)
    made = _converted(obj, wanted, device)
    if copy is False and made is not obj:
        what = f"{_described(obj)} must be copied to be an array of {dtype_name(made.dtype)}"
        raise ValueError(f"asarray: copy=False is given, but {what}; leave copy out")
    return made.copy() if copy and made is obj and isinstance(made, Array) else made


def _converted(x: Any, wanted: np.dtype[Any] | None, device: Device | str | None) -> Any:
    cast: Any
    if isinstance(x, Tracer | Array):
        cast = x if wanted is None or x.dtype == wanted else _as(x, wanted)
    elif isinstance(x, builtins.list | tuple) and _holds(x, (Tracer, Array)):
        if wanted is not None:
            cast = stack([asarray(part, wanted) for part in x])
        else:
            cast = stack([part if isinstance(part, _NUMBERS) else asarray(part) for part in x])
    else:
        return placed_values(_host(x, wanted), device, "asarray")
    return moved(cast, device, "asarray")


def _described(x: Any) -> str:
    return f"{x.aval}" if isinstance(x, Tracer | Array) else f"a {type(x).__name__}"


@public("dtype")
def _as(x: Any, dtype: np.dtype[Any]) -> Any:
    """Convert x to a requested dtype: a weak number must fit, other values are cast."""
    operand = as_tracer(x)
    if operand.weak_type:
        note_meeting(operand, dtype)
    return astype(operand, dtype)


array = asarray


def _holds(x: Any, types: tuple[type, ...], how: Callable[..., bool] = any) -> bool:
    """Whether any element of nested lists, or `all`, is of these types."""
    if isinstance(x, builtins.list | tuple):
        return how(_holds(part, types, how) for part in x)
    return isinstance(x, types)


def _host(x: Any, wanted: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    """x as a NumPy array; Python numbers, and only they, in the default dtype of their kind."""
    made = _of_host(x)
    arrays = hasattr(x, "__array__") or _holds(x, (np.ndarray, np.generic))
    if not arrays and made.dtype.kind not in ("biufcO" if wanted is not None else "biufc"):
        of = type(x).__name__
        raise TypeError(f"asarray: {x!r} of type {of} is not an array of numbers{text_hint(x)}")
    if wanted is not None:
        if made.dtype.kind in "fO" and wanted.kind in "iu" and _holds(x, (int,), all):
            made = np.asarray(x, object)  # of integers beyond 63 bits NumPy makes floats
        return _cast(made, wanted) if arrays else _cast_numbers(made, wanted)
    if arrays:
        abstract(made, "asarray")  # refuses a dtype that no function of anvl takes
        return made
    kinds = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    return _cast_numbers(made, default_dtype(kinds[made.dtype.kind]))


def _of_host(x: Any) -> np.ndarray[Any, Any]:
    if _holds(x, (np.ma.MaskedArray,)):
        raise masked_error("asarray")
    try:
        made = np.asarray(x)
    except ValueError:
        what = f"asarray: {x!r} is not an array: its lists must have one length"
        raise ValueError(what) from None
    if made.dtype == object and isinstance(x, int):
        raise OverflowError(
            f"asarray: {number_text(x)} does not fit any integer dtype; use a float"
        )
    return made


def _cast_numbers(x: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Convert Python numbers to a dtype that holds them: none becomes infinite."""
    if x.dtype.kind == "f" and integral(dtype) and x.size:
        for number in (x.min().item(), x.max().item()):
            check_fits(number, dtype)
    with np.errstate(over="ignore"):
        made = _cast(x, dtype)
    if aval(dtype).level >= 2:
        lost = np.isfinite(x) & ~np.isfinite(made)
        if lost.any():
            check_fits(x[lost].ravel()[0].item(), dtype)
    return made


def _cast(x: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if x.dtype.kind not in "biufcV" and not (x.dtype == object and _holds(x.tolist(), (int,), all)):
        raise dtype_error(x.dtype, "asarray")
    limits = integer_limits(dtype)
    if limits and x.size and (x.dtype == object or integer_limits(x.dtype)):
        if x.min() < limits[0] or x.max() > limits[1]:
            ends = f"{number_text(x.min())} to {number_text(x.max())}"
            what = f"values from {ends} do not fit {dtype_name(dtype)}"
            raise OverflowError(f"asarray: {what}; give a wider dtype")
    return x.astype(dtype)


def copy(x: Any) -> Any:
    """Copy x into memory of its own; arrays are immutable, so this is rarely needed.

    >>> import anvl.numpy as np
    >>> np.copy(np.ones(2))
    Array([1., 1.], dtype=float32)
    """
    return x.copy() if isinstance(x, Array) else asarray(x)


@placed
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Make an array of `shape` filled with `fill_value`.

    >>> import anvl.numpy as np
    >>> np.full((2, 2), 7)
    Array([[7, 7],
           [7, 7]], dtype=int32)
    """
    if type(fill_value) in NUMBER_LEVELS:
        wanted = abstract(fill_value, "full").dtype if dtype is None else as_dtype(dtype)
        check_fits(fill_value, wanted)
        if current.trace is None and _kind(wanted) in _KINDS_OF[type(fill_value)]:
            fill_value = np.asarray(fill_value, wanted)  # an argument of its digits
    return _full(shape, fill_value, dtype)


#: The kinds of dtypes that hold a Python number as it is.
_KINDS_OF: dict[type, tuple[str, ...]] = {
    bool: ("bool", "int", "float", "complex"), int: ("int", "float", "complex"),
    float: ("float", "complex"), complex: ("complex",),
}  # fmt: skip


def _filled_with(shape: Any, value: Any, dtype: Any) -> Any:
    sizes, own = sizes_of(shape, "full"), abstract(value, "full").dtype
    wanted = own if dtype is None else as_dtype(dtype)
    if _kind(wanted) in _KINDS_OF.get(type(value), ()):
        return constant(value, wanted, sizes)
    of = as_tracer(value)
    if broadcast_shapes(of.shape, sizes, function="full") != sizes:
        raise ValueError(f"full: {of.aval} does not broadcast to {sizes}")
    return broadcast_to(_cast_for_full(of, wanted), sizes)


_full = public("shape", "dtype")(_filled_with)


def _cast_for_full(x: Tracer, dtype: np.dtype[Any]) -> Tracer:
    if _kind(x.dtype) == "complex" and _kind(dtype) != "complex":
        raise TypeError(
            f"full: the value is complex, {x.aval}, and dtype {dtype_name(dtype)} is not"
        )
    return _as(x, dtype)


def _kind(dtype: np.dtype[Any]) -> str:
    return kind(element_type(dtype)).removeprefix("u")


def _float(dtype: Any) -> np.dtype[Any]:
    """The dtype given, or the default float."""
    return default_dtype(float) if dtype is None else as_dtype(dtype)


@placed
@public("shape", "dtype")
def zeros(shape: Any, dtype: Any = None) -> Any:
    """Make an array of zeros; of the default float dtype if none is given.

    >>> import anvl.numpy as np
    >>> np.zeros(3)
    Array([0., 0., 0.], dtype=float32)
    """
    return constant(0, _float(dtype), sizes_of(shape, "zeros"))


@placed
@public("shape", "dtype")
def ones(shape: Any, dtype: Any = None) -> Any:
    """Make an array of ones; of the default float dtype if none is given.

    >>> import anvl.numpy as np
    >>> np.ones((1, 2), "i32")
    Array([[1, 1]], dtype=int32)
    """
    return constant(1, _float(dtype), sizes_of(shape, "ones"))


empty = zeros  # contents of `empty` are unspecified; zeros cost nothing here


def _filled_like(x: Any, value: complex, dtype: Any, name: str) -> Tracer:
    of = abstract(x, name)
    return constant(value, of.dtype if dtype is None else as_dtype(dtype), of.shape)


@placed_like
@public("dtype")
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Make zeros of the shape and dtype of x.

    >>> import anvl.numpy as np
    >>> np.zeros_like(np.ones(2))
    Array([0., 0.], dtype=float32)
    """
    return _filled_like(x, 0, dtype, "zeros_like")


@placed_like
@public("dtype")
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Make ones of the shape and dtype of x.

    >>> import anvl.numpy as np
    >>> np.ones_like(np.zeros(2), dtype="bool")
    Array([ True,  True], dtype=bool)
    """
    return _filled_like(x, 1, dtype, "ones_like")


empty_like = zeros_like


@placed_like
@public("dtype")
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Make an array of the shape and dtype of x filled with `fill_value`.

    >>> import anvl.numpy as np
    >>> np.full_like(np.zeros(2), 5)
    Array([5., 5.], dtype=float32)
    """
    of = abstract(x, "full_like")
    return full(of.shape, fill_value, of.dtype if dtype is None else dtype)


def iota(shape: tuple[int, ...], axis: int, dtype: np.dtype[Any]) -> Tracer:
    """An array of the given shape that holds the index along an axis."""
    params = {"iota_dimension": axis, "shape": shape, "dtype": dtype_name(dtype)}
    return emit(OPS["anvl.iota"], (), params)


@placed
@hiding_frames
def arange(start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Evenly spaced values start, start + step, ... below stop; from 0 for one argument.

    The arguments are numbers, or arrays of one that is known, since they determine the shape.

    >>> import anvl.numpy as np
    >>> np.arange(5, 0, -2)
    Array([5, 3, 1], dtype=int32)
    """
    start, stop, step = map(known, (start, stop, step))
    first, last = (0, start) if stop is None else (0 if start is None else start, stop)
    wanted = _range_dtype(first, last, step, dtype)
    count = max(0, math.ceil((last - first) / step))
    if count and integral(wanted):
        check_fits(int(first) + (count - 1) * int(step), wanted)
    # Outside of a trace the numbers are arguments, so that ranges of one length are one program.
    make, number = (_counted, scalar_array) if current.trace is None else (_range, constant)
    is_up = step > 0
    first_of = None if first == 0 and is_up else number(first, wanted)
    width = None if abs(step) == 1 else number(abs(step), wanted)
    return make(first_of, width, is_up, count, wanted)


def _range_dtype(first: Any, last: Any, step: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype of a range, after its numbers were validated."""
    for number in (first, last, step):
        if not isinstance(number, int | float | np.integer | np.floating):
            what = "must be a Python number: it decides the shape; a traced one can be static"
            raise TypeError(f"arange: {number!r} {what}")
    if step == 0:
        raise ValueError("arange: step is 0")
    integers = all(isinstance(n, int | np.integer) for n in (first, last, step))
    wanted = default_dtype(int if integers else float) if dtype is None else as_dtype(dtype)
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ValueError(f"arange: from {first} to {last} is not a finite range")
    return wanted


def _range(start: Any, width: Any, is_up: bool, count: int, dtype: np.dtype[Any]) -> Tracer:
    """`count` values start, start + width, ... or down from start; 0 and 1 where these are None.

    Decreasing ones too for unsigned dtypes.
    """
    if count == 0:
        return constant(0, dtype, (0,))
    away = iota((count,), 0, dtype)
    if width is not None:
        away = multiply(away, width)
    if start is None:
        return away
    return add(start, away) if is_up else subtract(start, away)


_counted = public("is_up", "count", "dtype")(_range)


def integral(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is an integer dtype."""
    return kind(element_type(dtype)) in ("int", "uint")


@placed
@hiding_frames
def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Any:
    """`num` evenly spaced values from start to stop, which is included if `endpoint` is true.

    For arrays the values lie along a new leading axis.  Python numbers are exact in the given
    dtype.

    >>> import anvl.numpy as np
    >>> np.linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    return _of_ends(_linspace_of_numbers, _linspace, dtype, start, stop)(
        start, stop, num, endpoint, dtype
    )


def _of_ends(of_numbers: Any, of_arrays: Any, dtype: Any, *ends: Any) -> Any:
    """Call the function for Python numbers or the one for arrays: an argument is rounded to f32."""
    exact = dtype is not None and builtins.all(isinstance(x, _NUMBERS) for x in ends)
    return of_numbers if exact else of_arrays


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any) -> Any:
    (count,) = sizes_of((num,), "linspace")
    low, high = _ends(start, stop, dtype)
    steps = max(count - 1 if endpoint else count, 1)
    position = reshape(iota((count,), 0, low.dtype), (count, *(1,) * low.ndim))
    if dtype is not None and count:
        _check_ends_fit(start, stop, 0 if endpoint else steps, as_dtype(dtype))
    result = evenly_spaced(low, high, position, steps)
    if endpoint and count > 1:
        result = where(equal(position, steps), high, result)
    if dtype is None:
        return astype(result, low.dtype)
    return astype(floor(result) if integral(as_dtype(dtype)) else result, dtype)


def _check_ends_fit(start: Any, stop: Any, left_out: int, dtype: np.dtype[Any]) -> None:
    """Raise `OverflowError` if the first or the last value does not fit the dtype."""
    if isinstance(start, _NUMBERS) and isinstance(stop, _NUMBERS):
        last = stop - (stop - start) / left_out if left_out else stop
        for number in (start, last):
            check_fits(number, dtype)
        return
    last = subtract(stop, divide(subtract(stop, start), left_out)) if left_out else stop
    for end in (start, last):
        _as(end, dtype)


_linspace = public("num", "endpoint", "dtype")(_spaced)
_linspace_of_numbers = public("start", "stop", "num", "endpoint", "dtype")(_spaced)


def _ends(start: Any, stop: Any, dtype: Any) -> Sequence[Tracer]:
    """Both ends in one float dtype, in which the values are computed."""
    if dtype is not None and isinstance(start, _NUMBERS) and isinstance(stop, _NUMBERS):
        wanted = as_dtype(dtype)
        many_digits = dtype_name(wanted) in ("f64", "c128")
        # beyond the digits of an f32
        if many_digits or (integral(wanted) and wanted.itemsize >= 4):
            is_complex = isinstance(start, complex) or isinstance(stop, complex)
            wide = np.dtype(np.complex128 if is_complex else np.float64)
            return constant(start, wide), constant(stop, wide)
    return promoted("linspace", (start, stop), "float")[0]


@hiding_frames
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None
) -> Any:
    """Values spaced evenly on a logarithmic scale: `base` to the powers of `linspace`.

    >>> import anvl.numpy as np
    >>> np.logspace(0, 2, 3, base=2.0)
    Array([1., 2., 4.], dtype=float32)
    """
    return _of_ends(_logspace_of_numbers, _logspace, dtype, start, stop, base)(
        start, stop, num, endpoint, base, dtype
    )


def _powers(start: Any, stop: Any, num: int, endpoint: bool, base: Any, dtype: Any) -> Any:
    wide = dtype if dtype is not None and _kind(as_dtype(dtype)) == "float" else None
    result = power(base, _spaced(start, stop, num, endpoint, wide))
    return result if dtype is None else astype(result, dtype)


_logspace = public("num", "endpoint", "dtype")(_powers)
_logspace_of_numbers = public("start", "stop", "num", "endpoint", "base", "dtype")(_powers)
