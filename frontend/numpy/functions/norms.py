"""Norms of vectors and of matrices: NumPy's `linalg.norm`.

The derivative of a norm at zero is taken as 0.
"""

from __future__ import annotations

import math
from typing import Any

from anvl.core.promote import convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import Axis, each_axis
from anvl.numpy.arrays.shaping import moveaxis, reshape
from anvl.numpy.functions.elementwise import abs, add, imag, multiply, not_equal, real
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.reductions import max, min, sum

__all__ = ["norm", "squared_modulus"]

_OF_VECTORS = "a number, inf or -inf"
_OF_MATRICES = "'fro', 'nuc', 1, -1, 2, -2, inf or -inf"


@public("ord", "axis", "keepdims")
def norm(x: Any, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """Norm of vectors (along one axis), of matrices (along two), or of all elements.

    Parameters
    ----------
    x : array
    ord : int, float or {"fro", "nuc"}, optional
        For vectors a number, inf or -inf, by default 2; for matrices "fro" (the default), "nuc",
        1, -1, 2, -2, inf or -inf.
    axis : int or pair of int, optional
    keepdims : bool

    Returns
    -------
    Array

    Raises
    ------
    ValueError
        `ord` is not a norm of vectors, or of matrices; negative of no elements.

    Notes
    -----
    The derivative of a norm at zero is 0, and its second one there is NaN; derivatives of
    `norm(x)**2` are right.  An infinite norm has none.
    The norms 1, inf and -inf have corners where elements are 0 or tie; 2 and -2 of matrices where
    the selected singular value is not single, "nuc" where one is 0.  Where other singular values
    repeat, derivatives are right up to the second one.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.linalg.norm(np.asarray([3.0, 4.0])))
    5.0
    """
    (a,), _ = promoted("norm", (x,), "float")
    # In the order given: the norms 1 and inf tell rows from columns.
    axes = tuple(range(a.ndim)) if axis is None else each_axis(axis, a.ndim, "norm")
    if ord is None:
        y = _of_order(a, 2, axes)
    elif len(axes) == 1:
        y = _of_vectors(a, ord, axes[0])
    elif len(axes) == 2:
        y = _of_matrices(a, ord, axes)
    else:
        raise ValueError(f"norm: ord {ord!r} takes one axis or two, got {a.aval}; give axis")
    return _kept(y, a, axes) if keepdims else y


def _kept(y: Any, x: Tracer, axes: tuple[int, ...]) -> Any:
    return reshape(y, tuple(1 if i in axes else n for i, n in enumerate(x.shape)))


def _of_order(x: Tracer, order: float, axes: tuple[int, ...]) -> Any:
    size = x if order == 2 else abs(x)  # of order 2 for a complex number, smooth at 0
    return prim("norm", size, axes=axes, order=float(order))


def squared_modulus(x: Any) -> Any:
    """|x|^2, which is smooth at 0, unlike |x|."""
    if is_kind(x, "complex"):
        re, im = real(x), imag(x)
        return add(multiply(re, re), multiply(im, im))
    return multiply(x, x)


def _of_vectors(x: Tracer, ord: Any, axis: int) -> Any:
    if ord == math.inf:
        return _largest(abs(x), axis)
    if ord == -math.inf:
        return min(abs(x), axis=axis)
    if ord == 2:
        return _of_order(x, 2, (axis,))
    if ord == 1:
        return sum(abs(x), axis=axis)
    if ord == 0:
        return sum(convert(not_equal(x, 0), abs(x).dtype), axis=axis)
    if isinstance(ord, str):
        raise ValueError(f"norm: ord {ord!r} is not a vector norm; it must be {_OF_VECTORS}")
    return _of_order(x, ord, (axis,))


def _of_matrices(x: Tracer, ord: Any, axes: tuple[int, ...]) -> Any:
    a = moveaxis(x, axes, (-2, -1))
    if ord == "fro":
        return _of_order(x, 2, axes)
    if ord == "nuc":
        return prim("nuclear_norm", a)
    if ord not in _REDUCTIONS:
        raise ValueError(f"norm: ord {ord!r} is not a matrix norm; it must be {_OF_MATRICES}")
    largest = _largest if ord > 0 else min
    if ord in (2, -2):
        return largest(prim("svdvals", a), axis=-1)
    first = -2 if ord in (1, -1) else -1
    return largest(sum(abs(a), axis=first), axis=-1)


def _largest(x: Any, axis: int) -> Any:
    """The largest of numbers that are not negative: 0 of none, as in NumPy."""
    return max(x, axis=axis, initial=None if x.shape[axis] else 0)


_REDUCTIONS = (1, -1, 2, -2, math.inf, -math.inf)
