"""Diagonals and triangles of matrices: NumPy's names.

A diagonal of a matrix with m columns is every (m + 1)-th element of it, flat.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import as_tracer, constant, convert
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import each_axis, int_of, sizes_of
from anvl.numpy.arrays.creation import iota
from anvl.numpy.arrays.placing import placed
from anvl.numpy.arrays.shaping import moveaxis, ravel, reshape, slice_axis
from anvl.numpy.functions.emitting import filled, prim
from anvl.numpy.functions.reductions import sum

__all__ = ["diag", "diagflat", "diagonal", "eye", "identity", "trace", "tri", "tril", "triu"]


def _float(dtype: Any) -> np.dtype[Any]:
    return default_dtype(float) if dtype is None else as_dtype(dtype)


@placed
@public("N", "M", "k", "dtype")
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Make an N x M matrix with ones on the k-th diagonal.

    >>> import anvl.numpy as np
    >>> np.eye(2, 3, k=1)
    Array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    shape = sizes_of((N, N if M is None else M), "eye")
    return convert(_compared("eye", shape, k, "EQ"), _float(dtype))


@public("n", "dtype")
def identity(n: int, dtype: Any = None) -> Any:
    """Make the identity matrix of n rows.

    >>> import anvl.numpy as np
    >>> np.identity(2)
    Array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype)


def _compared(function: str, shape: tuple[int, ...], k: Any, direction: str) -> Tracer:
    """Compare each position of a matrix to the k-th diagonal: EQ on it, GT below it, GE both."""
    i32 = np.dtype(np.int32)
    # Further diagonals are all alike, and their numbers need not fit an i32.
    k = builtins.max(-shape[-2], builtins.min(int_of(k, "k", function), shape[-1]))
    rows, columns = (iota(shape, len(shape) - n, i32) for n in (2, 1))
    shifted = prim("add", rows, constant(k, i32, shape)) if k else rows
    return prim("compare", shifted, columns, comparison_direction=direction)


@placed
@public("N", "M", "k", "dtype")
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Make an N x M matrix with ones on and below the k-th diagonal.

    >>> import anvl.numpy as np
    >>> np.tri(2)
    Array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    shape = sizes_of((N, N if M is None else M), "tri")
    return convert(_compared("tri", shape, k, "GE"), _float(dtype))


def _matrix(x: Any, name: str) -> Tracer:
    operand = as_tracer(x, name)
    if operand.ndim < 2:
        raise ValueError(f"{name}: takes matrices, got {operand.aval}")
    return operand


@public("k")
def tril(x: Any, k: int = 0) -> Any:
    """Lower triangle of x: zeros above the k-th diagonal.

    >>> import anvl.numpy as np
    >>> np.tril(np.ones((2, 2)))
    Array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    operand = _matrix(x, "tril")
    return prim("select", _compared("tril", operand.shape, k, "GE"), operand, filled(operand, 0))


@public("k")
def triu(x: Any, k: int = 0) -> Any:
    """Upper triangle of x: zeros below the k-th diagonal.

    >>> import anvl.numpy as np
    >>> np.triu(np.ones((2, 2)))
    Array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    operand = _matrix(x, "triu")
    return prim("select", _compared("triu", operand.shape, k, "GT"), filled(operand, 0), operand)


@public("offset", "axis1", "axis2")
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Diagonals of the matrices along two axes, as the last axis of the result.

    >>> import anvl.numpy as np
    >>> np.diagonal(np.arange(9).reshape(3, 3), offset=1)
    Array([1, 5], dtype=int32)
    """
    operand = _matrix(x, "diagonal")
    operand = moveaxis(operand, each_axis((axis1, axis2), operand.ndim, "diagonal"), (-2, -1))
    *others, rows, columns = operand.shape
    flat = reshape(operand, (*others, rows * columns))
    start = offset if offset >= 0 else -offset * columns
    count = builtins.max(
        0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    )
    stop = start + (count - 1) * (columns + 1) + 1
    if count == 0:
        return slice_axis(flat, len(others), 0, 0)
    return slice_axis(flat, len(others), start, stop, columns + 1)


@public("offset", "axis1", "axis2", "dtype")
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Sum along a diagonal.

    >>> import anvl.numpy as np
    >>> print(np.trace(np.arange(4).reshape(2, 2)))
    3
    """
    return sum(diagonal(_matrix(x, "trace"), offset, axis1, axis2), axis=-1, dtype=dtype)


@public("k")
def diag(x: Any, k: int = 0) -> Any:
    """The k-th diagonal of a matrix; for a vector, the matrix with that diagonal.

    >>> import anvl.numpy as np
    >>> np.diag(np.asarray([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int32)
    """
    operand = as_tracer(x, "diag")
    if operand.ndim == 2:
        return diagonal(operand, k)
    if operand.ndim != 1:
        raise ValueError(f"diag: takes a vector or a matrix, got {operand.aval}")
    return _with_diagonal(operand, k)


@public("k")
def diagflat(x: Any, k: int = 0) -> Any:
    """Make a matrix with the flattened elements of x on its k-th diagonal.

    >>> import anvl.numpy as np
    >>> np.diagflat(np.ones((1, 2)))
    Array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return _with_diagonal(ravel(x), k)


def _with_diagonal(x: Tracer, k: int) -> Tracer:
    count, n = x.shape[0], x.shape[0] + builtins.abs(k)
    low = k if k >= 0 else -k * n
    length = builtins.max(count - 1, 0) * (n + 1) + min(count, 1)
    flat = prim(
        "pad",
        x,
        constant(0, x.dtype),
        edge_padding_low=(low,),
        edge_padding_high=(n * n - low - length,),
        interior_padding=(n,),
    )
    return reshape(flat, (n, n))
