"""The Array API's names in `linalg`: norms, rank, and products and diagonals of stacks.

The norms have the derivatives of `norm`.
Source: Array API standard 2025.12, "Linear Algebra Extension".
"""

from __future__ import annotations

import builtins
import math
from typing import Any, NamedTuple

from numpy.linalg import LinAlgError

from anvl.core.config import counting_dtype
from anvl.core.promote import abstract, constant, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays import diagonals
from anvl.numpy.arrays.axes import Axis, axes_of
from anvl.numpy.arrays.shaping import expand_dims, moveaxis, reshape
from anvl.numpy.functions import products
from anvl.numpy.functions.elementwise import astype, greater, multiply
from anvl.numpy.functions.emitting import prim
from anvl.numpy.functions.norms import norm
from anvl.numpy.functions.reductions import count_nonzero, max
from anvl.numpy.standard.dtypes import finfo
from anvl.runtime import hiding_frames

__all__ = ["diagonal", "matrix_norm", "matrix_rank", "outer", "trace", "vector_norm"]


class EighResult(NamedTuple):
    """Result of `eigh`."""

    eigenvalues: Any
    eigenvectors: Any


class EigResult(NamedTuple):
    """Result of `eig`."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """Result of `qr`."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """Result of `slogdet`."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """Result of `svd`."""

    U: Any
    S: Any
    Vh: Any


def stack_of_matrices(name: str, x: Any, at_least: str = "float") -> Tracer:
    """x as a stack of matrices."""
    (a,), _ = promoted(name, (x,), at_least)
    if a.ndim < 2:
        raise LinAlgError(f"{name}: takes a matrix, or a stack of them, got {a.aval}")
    return a


def square_matrices(name: str, x: Any, at_least: str = "float") -> Tracer:
    """x as a stack of square matrices."""
    a = stack_of_matrices(name, x, at_least)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError(f"{name}: takes square matrices, got {a.aval}")
    return a


@public("ord", "keepdims")
def matrix_norm(x: Any, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norm of each matrix of a stack; its derivative at zero is 0.

    Parameters
    ----------
    x : array
        Of shape (..., m, n) and any dtype; integers become floats.
    keepdims : bool
        Keep the last two axes, with size 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        As of `norm`.

    Returns
    -------
    An array of the shape (...), of real dtype.

    Raises
    ------
    numpy.linalg.LinAlgError
        x is no matrix.
    ValueError
        Another `ord`.

    Notes
    -----
    Source: https://data-apis.org/array-api/2025.12/extensions/generated/array_api.linalg.matrix_norm.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.linalg.matrix_norm(np.asarray([[3.0, 0.0], [0.0, 4.0]])))
    5.0
    """
    return norm(stack_of_matrices("matrix_norm", x), ord, axis=(-2, -1), keepdims=keepdims)


@public("axis", "ord", "keepdims")
def vector_norm(x: Any, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Any:
    """Norm of vectors along one axis, along several taken as one, or of all elements.

    The derivative at zero is 0.

    Parameters
    ----------
    x : array
        Of any dtype; integers become floats.
    axis : int or sequence of int, optional
        None takes all axes as one.
    keepdims : bool
        Keep the axes, with size 1.
    ord : float
        A number, inf or -inf: the root of order `ord` of the sum of powers; 0 counts the elements
        that are not 0.

    Returns
    -------
    An array of real dtype.

    Raises
    ------
    ValueError
        x does not have this axis, or `ord` is text.

    Notes
    -----
    Source: https://data-apis.org/array-api/2025.12/extensions/generated/array_api.linalg.vector_norm.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.linalg.vector_norm(np.asarray([3.0, -4.0]), ord=1))
    7.0
    """
    (a,), _ = promoted("vector_norm", (x,), "float")
    axes = axes_of(axis, a.ndim, "vector_norm")
    kept = tuple(n for i, n in enumerate(a.shape) if i not in axes)
    count = math.prod(a.shape[i] for i in axes)
    flat = reshape(moveaxis(a, axes, range(-len(axes), 0)) if axes else a, (*kept, count))
    y = norm(flat, ord, axis=-1)
    return expand_dims(y, axes) if keepdims else y


@hiding_frames
def matrix_rank(x: Any, *, rtol: Any = None) -> Any:
    """Number of singular values above `rtol` times the largest, of each matrix of a stack.

    Parameters
    ----------
    x : array
        Of shape (..., m, n) and any dtype; integers become floats.
    rtol : number or array, optional
        One for all matrices, or one for each.  By default the epsilon of the dtype times the longer
        side of a matrix.

    Returns
    -------
    An array of the shape (...), of the default integer dtype.

    Raises
    ------
    numpy.linalg.LinAlgError
        x is no matrix.

    Notes
    -----
    Source: https://data-apis.org/array-api/2025.12/extensions/generated/array_api.linalg.matrix_rank.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.linalg.matrix_rank(np.ones((3, 3))))
    1
    """
    return _default_rank(x) if rtol is None else _rank(x, rtol)


@public()
def _default_rank(x: Any) -> Any:
    a = stack_of_matrices("matrix_rank", x)
    return _rank(a, default_rtol(a))


@public()
def _rank(x: Any, rtol: Any) -> Any:
    a = stack_of_matrices("matrix_rank", x)
    places = counting_dtype(builtins.min(a.shape[-2:]))
    if 0 in a.shape[-2:]:
        return constant(0, places, a.shape[:-2])
    s = prim("svdvals", a)
    (bound, _), _ = promoted("matrix_rank", (rtol, s), broadcast=False)
    cutoff = multiply(max(s, axis=-1), bound)
    return astype(count_nonzero(greater(s, expand_dims(cutoff, -1)), axis=-1), places)


def default_rtol(a: Tracer) -> float:
    """The bound, relative to the largest, up to which singular values are taken as 0."""
    return float(finfo(a.dtype).eps) * builtins.max(a.shape[-2:])


@public("offset")
def diagonal(x: Any, *, offset: int = 0) -> Any:
    """Diagonal of each matrix of a stack, as the last axis.

    `offset` is the number of the diagonal, positive above the main one.  Raises `ValueError` for an
    x that is no matrix.  Source:
    https://data-apis.org/array-api/2025.12/extensions/generated/array_api.linalg.diagonal.html

    >>> import anvl.numpy as np
    >>> np.linalg.diagonal(np.arange(8).reshape(2, 2, 2))
    Array([[0, 3],
           [4, 7]], dtype=int32)
    """
    return diagonals.diagonal(x, offset, -2, -1)


@public("offset", "dtype")
def trace(x: Any, *, offset: int = 0, dtype: Any = None) -> Any:
    """Sum of the diagonal of each matrix of a stack; dtypes as of `sum`.

    Raises `ValueError` for an x that is no matrix.  Source:
    https://data-apis.org/array-api/2025.12/extensions/generated/array_api.linalg.trace.html

    >>> import anvl.numpy as np
    >>> np.linalg.trace(np.arange(8).reshape(2, 2, 2))
    Array([ 3, 11], dtype=int32)
    """
    return diagonals.trace(x, offset, -2, -1, dtype)


@public()
def outer(x1: Any, x2: Any) -> Any:
    """Outer product of two vectors: every element of x1 times every element of x2.

    Raises `ValueError` for anything but vectors.  Source:
    https://data-apis.org/array-api/2025.12/extensions/generated/array_api.linalg.outer.html

    >>> import anvl.numpy as np
    >>> np.linalg.outer(np.asarray([1, 2]), np.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]], dtype=int32)
    """
    of = [abstract(x, "outer") for x in (x1, x2)]
    if any(a.ndim != 1 for a in of):
        raise ValueError(
            f"outer: takes two vectors, got {of[0]} and {of[1]}; anvl.numpy.outer flattens"
        )
    return products.outer(x1, x2)
