"""Indices of parts of arrays, as vectors: NumPy's names.

Sizes are Python numbers, since they determine shapes.  Indices are of the default integer dtype,
i32.  Source: NumPy's manual, "Indexing routines".
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core.config import default_dtype
from anvl.core.promote import as_tracer
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import int_of, sizes_of
from anvl.numpy.arrays.creation import arange, asarray
from anvl.numpy.arrays.shaping import reshape
from anvl.numpy.functions.arithmetic import floor_divide, remainder
from anvl.numpy.functions.elementwise import add, astype, maximum, minimum, multiply
from anvl.runtime import Array, hiding_frames

__all__ = [
    "diag_indices", "diag_indices_from", "ix_", "mask_indices", "ravel_multi_index",
    "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from", "unravel_index",
]  # fmt: skip


# -- indices of parts of matrices ------------------------------------------------------------------


def _indices(found: Sequence[np.ndarray[Any, Any]]) -> tuple[Any, ...]:
    dtype = default_dtype(int)
    return tuple(asarray(index.astype(dtype)) for index in found)


@hiding_frames
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """Indices of the elements of an n x m matrix on and below its k-th diagonal.

    A pair of vectors, rows and columns, for `x[rows, columns]`; m is n by default.
    Raises `TypeError` for a number that is not an integer, `ValueError` for a negative size.
    Source: `numpy.tril_indices`.

    >>> import anvl.numpy as np
    >>> print(*np.tril_indices(2))
    [0 1 1] [0 0 1]
    """
    return _triangle("tril_indices", np.tril_indices, n, k, m)


@hiding_frames
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """Indices of the elements of an n x m matrix on and above its k-th diagonal.

    As `tril_indices`.  Source: `numpy.triu_indices`.

    >>> import anvl.numpy as np
    >>> print(*np.triu_indices(2))
    [0 0 1] [0 1 1]
    """
    return _triangle("triu_indices", np.triu_indices, n, k, m)


def _triangle(name: str, f: Callable[..., Any], n: Any, k: Any, m: Any) -> Any:
    rows = int_of(n, "n", name, least=0)
    columns = rows if m is None else int_of(m, "m", name, least=0)
    k = builtins.max(-rows - 1, builtins.min(int_of(k, "k", name), columns + 1))
    return _indices(f(rows, k, columns))


@hiding_frames
def tril_indices_from(x: Any, k: int = 0) -> tuple[Any, Any]:
    """Indices of the elements of a matrix x on and below its k-th diagonal: see `tril_indices`.

    Raises `ValueError` for other than a matrix.  Source: `numpy.tril_indices_from`.

    >>> import anvl.numpy as np
    >>> x = np.arange(4).reshape(2, 2)
    >>> print(x[np.tril_indices_from(x)])
    [0 2 3]
    """
    rows, columns = _matrix_shape("tril_indices_from", x)
    return tril_indices(rows, k, columns)


@hiding_frames
def triu_indices_from(x: Any, k: int = 0) -> tuple[Any, Any]:
    """Indices of the elements of a matrix x on and above its k-th diagonal: see `triu_indices`.

    Raises `ValueError` for other than a matrix.  Source: `numpy.triu_indices_from`.

    >>> import anvl.numpy as np
    >>> x = np.arange(4).reshape(2, 2)
    >>> print(x[np.triu_indices_from(x)])
    [0 1 3]
    """
    rows, columns = _matrix_shape("triu_indices_from", x)
    return triu_indices(rows, k, columns)


def _matrix_shape(name: str, x: Any) -> tuple[int, int]:
    shape = np.shape(x) if not hasattr(x, "shape") else x.shape
    if len(shape) != 2:
        raise ValueError(f"{name}: takes a matrix, got an array of shape {tuple(shape)}")
    rows, columns = shape
    return rows, columns


@hiding_frames
def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """Indices of the main diagonal of an array with `ndim` axes of size n.

    Source: `numpy.diag_indices`.

    >>> import anvl.numpy as np
    >>> print(*np.diag_indices(3))
    [0 1 2] [0 1 2]
    """
    size, count = int_of(n, "n", "diag_indices", least=0), int_of(ndim, "ndim", "diag_indices", 0)
    return (arange(size),) * count


@hiding_frames
def diag_indices_from(x: Any) -> tuple[Any, ...]:
    """Indices of the main diagonal of x: see `diag_indices`.

    Raises `ValueError` unless x has at least two axes, all of one size.
    Source: `numpy.diag_indices_from`.

    >>> import anvl.numpy as np
    >>> x = np.arange(4).reshape(2, 2)
    >>> print(x[np.diag_indices_from(x)])
    [0 3]
    """
    shape = np.shape(x)
    if len(shape) < 2 or len(set(shape)) > 1:
        raise ValueError(
            f"diag_indices_from: takes an array with at least two axes, all of one size, got shape "
            f"{shape}"
        )
    return diag_indices(shape[0], len(shape))


@hiding_frames
def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[Any, ...]:
    """Indices of the elements of an n x n matrix that `mask_func` keeps: those of `np.triu`, say.

    `mask_func(ones, k)` gets a NumPy matrix of ones and returns a matrix; its nonzero elements are
    kept.  How many those are depends on its values, so they must be known: inside of a trace
    `mask_func` uses NumPy.  Raises `TraceError` if it returns a traced array.
    Source: `numpy.mask_indices`.

    >>> import anvl.numpy as np
    >>> print(*np.mask_indices(2, np.triu))
    [0 0 1] [0 1 1]
    """
    size = int_of(n, "n", "mask_indices", least=0)
    found = mask_func(np.ones((size, size), np.int32), k)
    if isinstance(found, Tracer):
        raise TraceError(
            f"mask_indices: {getattr(mask_func, '__name__', mask_func)!r} returns a traced array, "
            f"{found.aval}, but how many indices there are depends on its values; give a function "
            "of NumPy, or call mask_indices outside of the trace"
        )
    return _indices(np.nonzero(np.asarray(found) != 0))


@hiding_frames
def ix_(*xs: Any) -> tuple[Any, ...]:
    """Vectors of indices as arrays that span a grid: `x[np.ix_(rows, columns)]`.

    Each is a vector of integers, or of bools that are known: those stand for the indices where they
    are true.  Raises `ValueError` for other than vectors, `TraceError` for traced bools.
    Source: `numpy.ix_`.

    >>> import anvl.numpy as np
    >>> x = np.arange(6).reshape(2, 3)
    >>> print(x[np.ix_(np.asarray([1, 0]), np.asarray([True, False, True]))])
    [[3 5]
     [0 2]]
    """
    return tuple(_spread(i, len(xs), x) for i, x in enumerate(xs))


def _spread(i: int, n: int, x: Any) -> Any:
    index = asarray(x)
    if index.ndim != 1:
        raise ValueError(f"ix_: takes vectors, got an array of shape {index.shape}")
    if index.dtype.kind == "b":
        if isinstance(index, Tracer):
            raise TraceError(
                f"ix_: the mask {index.aval} is traced, but how many indices it stands for depends "
                "on its values; give indices"
            )
        (index,) = _indices(np.nonzero(np.asarray(index)))
    elif index.size == 0:
        index = astype(index, default_dtype(int))
    return reshape(index, tuple(-1 if a == i else 1 for a in range(n)))


# -- flat indices ----------------------------------------------------------------------------------

_ORDERS = ("C", "F")


@hiding_frames
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """Indices along each axis of an array of this shape, of flat indices.

    Parameters
    ----------
    indices : array of integers
    shape : int or sequence of int
    order : {"C", "F"}
        Whether the last axis varies fastest, or the first.

    Returns
    -------
    A tuple of arrays of the shape of `indices`.

    Raises
    ------
    ValueError
        An index is out of range (those that are traced are clamped), or another order.
    TypeError
        The indices are not integers.

    Notes
    -----
    Source: `numpy.unravel_index`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(*np.unravel_index(np.asarray([1, 5]), (2, 3)))
    [0 1] [1 2]
    """
    sizes = sizes_of(shape, "unravel_index")
    _check_order("unravel_index", order)
    given = asarray(indices)
    count = math.prod(sizes)
    if given.dtype.kind not in "iu":
        raise TypeError(f"unravel_index: indices are {given.aval}; they must be integers")
    if isinstance(given, Array):
        _check_range("unravel_index", given, count, f"an array of shape {sizes}")
    elif count == 0 and given.size:
        raise ValueError(f"unravel_index: an array of shape {sizes} has no elements")
    return _unravelled(given, sizes, order)


def _check_order(name: str, order: Any) -> None:
    if order not in _ORDERS:
        raise ValueError(f"{name}: order {order!r} is neither 'C' nor 'F'")


def _check_range(name: str, index: Array, count: int, of: str) -> None:
    values = np.asarray(index)
    for extreme in (values.min(), values.max()) if values.size else ():
        if not 0 <= extreme < count:
            raise ValueError(f"{name}: index {extreme} is out of range of {of}")


@public("shape", "order")
def _unravelled(indices: Any, shape: tuple[int, ...], order: str) -> tuple[Any, ...]:
    rest = as_tracer(indices, "unravel_index")
    rest = minimum(maximum(rest, 0), builtins.max(math.prod(shape) - 1, 0))
    found = []
    for size in shape[::-1] if order == "C" else shape:
        found.append(remainder(rest, builtins.max(size, 1)))
        rest = floor_divide(rest, builtins.max(size, 1))
    return tuple(found[::-1] if order == "C" else found)


@hiding_frames
def ravel_multi_index(
    multi_index: Sequence[Any], dims: Any, mode: Any = "raise", order: str = "C"
) -> Any:
    """Flat indices into an array of shape `dims`, of an index along each axis.

    Parameters
    ----------
    multi_index : sequence of arrays of integers
        One for each axis; they broadcast.
    dims : int or sequence of int
    mode : {"raise", "wrap", "clip"} or a sequence of these
        What to do with an index that is out of range, for all axes or each; "raise" needs values
        that are known, not traced.
    order : {"C", "F"}
        Whether the last axis varies fastest, or the first.

    Returns
    -------
    An array of integers.

    Raises
    ------
    ValueError
        An index is out of range, another mode or order, or too few indices.
    TraceError
        The mode "raise", for a traced index.

    Notes
    -----
    Source: `numpy.ravel_multi_index`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.ravel_multi_index((np.asarray([0, 1]), np.asarray([1, 2])), (2, 3)))
    [1 5]
    """
    sizes = sizes_of(dims, "ravel_multi_index")
    _check_order("ravel_multi_index", order)
    modes = (mode,) * len(sizes) if isinstance(mode, str) else tuple(mode)
    given = tuple(map(asarray, multi_index))
    if not len(given) == len(sizes) == len(modes):
        raise ValueError(
            f"ravel_multi_index: {len(given)} indices and {len(modes)} modes for {len(sizes)} axes"
        )
    for index, size, how in zip(given, sizes, modes, strict=True):
        _check_mode(index, size, how)
    return _ravelled(given, sizes, modes, order)


def _check_mode(index: Any, size: int, mode: Any) -> None:
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"ravel_multi_index: mode {mode!r} is not one of raise, wrap, clip")
    if index.dtype.kind not in "iu":
        raise TypeError(f"ravel_multi_index: an index is {index.aval}; it must be an integer")
    if mode != "raise":
        return
    if isinstance(index, Tracer) or current.trace is not None:
        raise TraceError(
            f"ravel_multi_index: the index {index.aval} is traced, so it cannot be checked; give "
            "the mode 'wrap' or 'clip'"
        )
    _check_range("ravel_multi_index", index, size, f"an axis of size {size}")


@public("dims", "modes", "order")
def _ravelled(
    multi_index: tuple[Any, ...], dims: tuple[int, ...], modes: tuple[str, ...], order: str
) -> Any:
    flat: Any = 0
    triples = list(zip(multi_index, dims, modes, strict=True))
    for index, size, mode in triples if order == "C" else triples[::-1]:
        at = array_like(index, "ravel_multi_index")
        if mode == "wrap":
            at = remainder(at, size)
        elif mode == "clip":
            at = minimum(maximum(at, 0), size - 1)
        flat = add(multiply(flat, size), at)
    return flat
