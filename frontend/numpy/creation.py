"""Functions that make arrays: NumPy's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.avals import Aval
from anvl.config import default_dtype
from anvl.dialect.op import OPS
from anvl.dialect.types import dtype_name, numpy_dtype
from anvl.promote import abstract, as_tracer, broadcast_to, constant, convert
from anvl.public import public
from anvl.runtime import Array, put
from anvl.tracer import Tracer
from anvl.tracing import emit

__all__ = [
    "arange", "array", "asarray", "astype", "empty", "empty_like", "eye", "full", "full_like",
    "identity", "linspace", "ones", "ones_like", "tri", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip


def asarray(x: Any, dtype: Any = None) -> Any:
    """An array of anything like one: a NumPy array, a number, nested lists of numbers.

    NumPy arrays keep their dtype, float64 too; Python numbers alone become the default of their
    kind (f32, i32).  Inside a trace, lists may hold traced arrays.
    Raises `TypeError` for what is no array of numbers.

    >>> import anvl.numpy as np
    >>> np.asarray([1, 2.5])
    Array([1. , 2.5], dtype=float32)
    """
    wanted = None if dtype is None else numpy_dtype(dtype)
    if isinstance(x, Tracer):
        return x if wanted is None else convert(x, wanted)
    if isinstance(x, Array):
        return x if wanted is None or x.dtype == wanted else astype(x, wanted)
    if isinstance(x, builtins.list | tuple) and _holds_tracer(x):
        from anvl.numpy.shaping import stack

        stacked = stack([asarray(part) for part in x])
        return stacked if wanted is None else convert(stacked, wanted)
    return put(_host(x, wanted))


array = asarray


def _holds_tracer(x: Any) -> bool:
    if isinstance(x, builtins.list | tuple):
        return any(map(_holds_tracer, x))
    return isinstance(x, Tracer | Array)


def _host(x: Any, wanted: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    """x as a NumPy array; Python numbers, and only they, in the default dtype of their kind."""
    made = np.asarray(x)
    if wanted is not None:
        return _cast(made, wanted)
    if isinstance(x, np.ndarray | np.generic) or hasattr(x, "__array__"):
        return made
    if isinstance(x, builtins.list | tuple) and _holds_numpy(x):
        return made
    kinds = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    if made.dtype.kind not in kinds:
        raise TypeError(f"asarray: {type(x).__name__} {x!r} is no array of numbers")
    return _cast(made, default_dtype(kinds[made.dtype.kind]))


def _holds_numpy(x: Any) -> bool:
    if isinstance(x, builtins.list | tuple):
        return any(map(_holds_numpy, x))
    return isinstance(x, np.ndarray | np.generic)


def _cast(x: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if x.dtype.kind in "iu" and dtype.kind in "iu" and x.size:
        limits = np.iinfo(dtype)
        if x.min() < limits.min or x.max() > limits.max:
            raise OverflowError(
                f"asarray: values from {x.min()} to {x.max()} do not fit {dtype_name(dtype)}; "
                "give a wider dtype"
            )
    return x.astype(dtype)


@public("dtype")
def astype(x: Any, dtype: Any) -> Any:
    """x converted to a dtype: floats to integers truncate, numbers to bool are whether not 0."""
    operand, wanted = as_tracer(x, "astype"), numpy_dtype(dtype)
    if wanted.kind == "b" and operand.dtype.kind != "b":
        zero = constant(0, operand.dtype, operand.shape)
        return emit(OPS["anvl.compare"], (operand, zero), {"comparison_direction": "NE"})
    result = convert(operand, wanted)
    return Tracer(result.value, result.aval.strong(), result.trace, result.location)


def _shape(shape: int | Sequence[int], function: str) -> tuple[int, ...]:
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if not all(isinstance(n, int | np.integer) and n >= 0 for n in sizes):
        raise TypeError(f"{function}: shape {shape!r} must be non-negative integers")
    return tuple(int(n) for n in sizes)


@public("shape", "dtype")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """An array of `shape` whose elements all are `fill_value`."""
    sizes = _shape(shape, "full")
    of = abstract(fill_value, "full")
    wanted = of.dtype if dtype is None else numpy_dtype(dtype)
    if isinstance(fill_value, bool | int | float | complex):
        return constant(fill_value, wanted, sizes)
    return broadcast_to(convert(as_tracer(fill_value, "full"), wanted), sizes)


@public("shape", "dtype")
def zeros(shape: Any, dtype: Any = None) -> Any:
    """Zeros; of the default float where no dtype is given."""
    return constant(0, default_dtype(float) if dtype is None else numpy_dtype(dtype), _shape(shape, "zeros"))


@public("shape", "dtype")
def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones; of the default float where no dtype is given."""
    return constant(1, default_dtype(float) if dtype is None else numpy_dtype(dtype), _shape(shape, "ones"))


empty = zeros  # contents of `empty` are unspecified; zeros cost nothing here


def _filled_like(x: Any, value: complex, dtype: Any, name: str) -> Tracer:
    of: Aval = abstract(x, name)
    return constant(value, of.dtype if dtype is None else numpy_dtype(dtype), of.shape)


@public("dtype")
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros of the shape and dtype of x."""
    return _filled_like(x, 0, dtype, "zeros_like")


@public("dtype")
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones of the shape and dtype of x."""
    return _filled_like(x, 1, dtype, "ones_like")


empty_like = zeros_like


@public("dtype")
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """An array of the shape and dtype of x whose elements all are `fill_value`."""
    of = abstract(x, "full_like")
    return full(of.shape, fill_value, of.dtype if dtype is None else dtype)


def _iota(shape: tuple[int, ...], axis: int, dtype: np.dtype[Any]) -> Tracer:
    params = {"iota_dimension": axis, "shape": shape, "dtype": dtype_name(dtype)}
    return emit(OPS["anvl.iota"], (), params)  # type: ignore[no-any-return]


@public("start", "stop", "step", "dtype")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """start, start + step, ... up to, without, stop; from 0 where only one number is given.

    The numbers are Python's: they decide the shape.
    """
    first, last = (0, start) if stop is None else (start, stop)
    for number in (first, last, step):
        if not isinstance(number, int | float | np.integer | np.floating):
            raise TypeError(f"arange: {number!r} must be a Python number: it decides the shape")
    if step == 0:
        raise ValueError("arange: step is 0")
    integers = all(isinstance(n, int | np.integer) for n in (first, last, step))
    wanted = default_dtype(int if integers else float) if dtype is None else numpy_dtype(dtype)
    count = builtins.max(0, math.ceil((last - first) / step))
    counted = _iota((count,), 0, wanted)
    if step != 1:
        counted = emit(OPS["anvl.mul"], (counted, constant(step, wanted, (count,))), {})
    if first != 0:
        counted = emit(OPS["anvl.add"], (counted, constant(first, wanted, (count,))), {})
    return counted


@public("num", "endpoint", "dtype")
def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Any:
    """`num` numbers evenly from start to stop, which is included where `endpoint` is true."""
    from anvl.numpy.elementwise import add, divide, multiply, subtract

    if num < 0:
        raise ValueError(f"linspace: num is {num}, it must not be negative")
    wanted = default_dtype(float) if dtype is None else numpy_dtype(dtype)
    steps = builtins.max(num - 1 if endpoint else num, 1)
    at = divide(_iota((num,), 0, wanted), steps)
    # Weighted from both sides, so that both ends are exact.
    low, high = multiply(subtract(1, at), start), multiply(at, stop)
    return convert(add(low, high), wanted)


@public("N", "M", "k", "dtype")
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on the k-th diagonal, zeros elsewhere; N rows and M columns."""
    shape = (N, N if M is None else M)
    i32 = np.dtype(np.int32)
    rows, columns = _iota(shape, 0, i32), _iota(shape, 1, i32)
    shifted = emit(OPS["anvl.add"], (rows, constant(k, i32, shape)), {})
    on = emit(OPS["anvl.compare"], (shifted, columns), {"comparison_direction": "EQ"})
    return convert(on, default_dtype(float) if dtype is None else numpy_dtype(dtype))


@public("n", "dtype")
def identity(n: int, dtype: Any = None) -> Any:
    """The identity matrix of n rows."""
    return eye(n, dtype=dtype)


def _lower(shape: tuple[int, ...], k: int) -> Tracer:
    """Whether each place of a matrix is on or below the k-th diagonal."""
    i32 = np.dtype(np.int32)
    rows = _iota(shape, len(shape) - 2, i32)
    shifted = emit(OPS["anvl.add"], (rows, constant(k, i32, shape)), {})
    columns = _iota(shape, len(shape) - 1, i32)
    return emit(OPS["anvl.compare"], (shifted, columns), {"comparison_direction": "GE"})  # type: ignore[no-any-return]


@public("N", "M", "k", "dtype")
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on and below the k-th diagonal, zeros above."""
    wanted = default_dtype(float) if dtype is None else numpy_dtype(dtype)
    return convert(_lower((N, N if M is None else M), k), wanted)


def _part(x: Any, k: int, name: str, lower: bool) -> Tracer:
    operand = as_tracer(x, name)
    if operand.ndim < 2:
        raise TypeError(f"{name}: takes matrices, got {operand.aval}")
    zero = constant(0, operand.dtype, operand.shape)
    sides = (operand, zero) if lower else (zero, operand)
    mask = _lower(operand.shape, k if lower else k - 1)
    return emit(OPS["anvl.select"], (mask, *sides), {})  # type: ignore[no-any-return]


@public("k")
def tril(x: Any, k: int = 0) -> Any:
    """x on and below the k-th diagonal, zeros above."""
    return _part(x, k, "tril", lower=True)


@public("k")
def triu(x: Any, k: int = 0) -> Any:
    """x on and above the k-th diagonal, zeros below."""
    return _part(x, k, "triu", lower=False)


