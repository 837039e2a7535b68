"""Arrangements of several arrays, and of their axes: NumPy's names beyond the standard.

Source: NumPy's manual, "Array manipulation routines".
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.core.config import as_dtype
from anvl.core.promote import as_tracer, broadcast_shapes, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.numpy.arrays.shaping import moveaxis, reshape
from anvl.numpy.arrays.sorting import sort
from anvl.numpy.arrays.stacking import concatenate, split
from anvl.numpy.functions.elementwise import conj, equal
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.products import matmul
from anvl.numpy.functions.reductions import all
from anvl.runtime import hiding_frames

__all__ = [
    "array_equiv", "block", "dsplit", "matvec", "rollaxis", "sort_complex", "vecmat",
]  # fmt: skip


@hiding_frames
def view(x: Any, dtype: Any = None) -> Any:
    """Read the bits of an array as elements of another dtype, as the method `x.view(dtype)`.

    Wider elements join those along the last axis, narrower ones lengthen it, the lowest bits first.
    There is no derivative.  Raises `TypeError` for bools and complex numbers, `ValueError` for a
    last axis whose bits are no whole number of elements.  Source: `numpy.ndarray.view`.
    """
    return x if dtype is None else _viewed(x, as_dtype(dtype))


@public("dtype")
def _viewed(x: Any, dtype: np.dtype[Any]) -> Any:
    of = as_tracer(x, "view")
    if of.dtype == dtype:
        return of
    width, wanted = of.dtype.itemsize, dtype.itemsize
    if width == wanted:
        return prim("bitcast_convert", of, dtype=dtype_name(dtype))
    if not of.ndim or of.shape[-1] * width % wanted:
        raise ValueError(
            f"view: the last axis of {of.aval} is no whole number of {dtype_name(dtype)}; "
            "it needs bits for elements of that dtype"
        )
    last = of.shape[-1] * width // wanted
    if width > wanted:
        parts = prim("bitcast_convert", of, dtype=dtype_name(dtype))
        return reshape(parts, (*of.shape[:-1], last))
    parts = reshape(of, (*of.shape[:-1], last, wanted // width))
    return prim("bitcast_convert", parts, dtype=dtype_name(dtype))


@public()
def block(arrays: Any) -> Any:
    """Put together an array from nested lists of blocks: the innermost along the last axis.

    Numbers are blocks of one element; dtypes are promoted.  Raises `ValueError` for lists of
    different depths, empty ones, or blocks that do not fit, `TypeError` for tuples.
    Source: `numpy.block`.

    >>> import anvl.numpy as np
    >>> print(np.block([[np.eye(2), np.zeros((2, 1))], [np.ones((1, 2)), 7]]))
    [[1. 0. 0.]
     [0. 1. 0.]
     [1. 1. 7.]]
    """
    depth = _depth(arrays)
    leaves = _leaves(arrays)
    operands, _ = promoted("block", leaves, broadcast=False)
    ndim = builtins.max(depth, *(x.ndim for x in operands))
    wide = iter([reshape(x, (1,) * (ndim - x.ndim) + x.shape) for x in operands])
    return _assembled(arrays, wide, depth)


def _depth(x: Any) -> int:
    if isinstance(x, tuple):
        raise TypeError("block: takes nested lists of arrays, got a tuple; use a list")
    if not isinstance(x, list):
        return 0
    if not x:
        raise ValueError("block: a list is empty")
    depths = {_depth(part) for part in x}
    if len(depths) > 1:
        raise ValueError(f"block: lists are nested {sorted(depths)} deep side by side")
    return 1 + depths.pop()


def _leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, list) else [x]


def _assembled(x: Any, leaves: Any, depth: int) -> Any:
    if not isinstance(x, list):
        return next(leaves)
    return concatenate([_assembled(part, leaves, depth - 1) for part in x], -depth)


@public("axis", "start")
def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    """Move an axis to before the axis `start`; the others keep their order: see `moveaxis`.

    Raises `ValueError` for an axis that x does not have.  Source: `numpy.rollaxis`.

    >>> import anvl.numpy as np
    >>> np.rollaxis(np.zeros((2, 3, 5)), 2).shape
    (5, 2, 3)
    """
    operand = array_like(x, "rollaxis")
    old, to = axis_of(axis, operand.ndim, "rollaxis"), int_of(start, "start", "rollaxis")
    if not -operand.ndim <= to <= operand.ndim:
        raise ValueError(f"rollaxis: start {start} is out of range of {operand.ndim} axes")
    to = to + operand.ndim if to < 0 else to
    return moveaxis(operand, old, to - 1 if old < to else to)


@public("indices_or_sections")
def dsplit(x: Any, indices_or_sections: int | Sequence[int]) -> Any:
    """Split along the third axis: see `split`.

    Raises `ValueError` for fewer axes.  Source: `numpy.dsplit`.

    >>> import anvl.numpy as np
    >>> [part.shape for part in np.dsplit(np.zeros((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    operand = array_like(x, "dsplit")
    if operand.ndim < 3:
        raise ValueError(f"dsplit: takes arrays with at least three axes, got {operand.aval}")
    return split(operand, indices_or_sections, 2)


@public()
def array_equiv(x: Any, y: Any) -> Any:
    """Test whether two arrays broadcast and have equal elements.  Source: `numpy.array_equiv`.

    >>> import anvl.numpy as np
    >>> print(np.array_equiv(np.asarray([1, 1]), 1))
    True
    """
    a, b = array_like(x, "array_equiv"), array_like(y, "array_equiv")
    try:
        broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return constant(False, np.dtype(bool))
    return all(equal(a, b))


@public()
def sort_complex(x: Any) -> Any:
    """Sort along the last axis, as complex numbers: by real parts, then by imaginary ones.

    The derivative follows each element to its place; of equal elements each has its own.
    Source: `numpy.sort_complex`.

    >>> import anvl.numpy as np
    >>> print(np.sort_complex(np.asarray([2, 1])))
    [1.+0.j 2.+0.j]
    """
    (operand,), _ = promoted("sort_complex", (array_like(x, "sort_complex"),), "float")
    wide = np.result_type(operand.dtype, np.complex64) if operand.dtype.kind == "f" else None
    if not is_kind(operand, "complex"):
        operand = convert(operand, np.dtype(np.complex64) if wide is None else wide)
    return sort(operand, axis=-1)


def _core(name: str, x: Tracer, least: int) -> None:
    if x.ndim < least:
        what = "a vector" if least == 1 else "a matrix"
        raise ValueError(f"{name}: takes {what}, or a stack of them, got {x.aval}")


@public()
def matvec(x: Any, y: Any) -> Any:
    """Product of matrices and vectors, in stacks that broadcast.

    x is (..., m, n), y (..., n).  Raises `ValueError` for fewer axes and other sizes.
    Source: `numpy.matvec`.

    >>> import anvl.numpy as np
    >>> print(np.matvec(np.eye(2), np.asarray([1.0, 2.0])))
    [1. 2.]
    """
    a, b = array_like(x, "matvec"), array_like(y, "matvec")
    _core("matvec", a, 2)
    _core("matvec", b, 1)
    return matmul(a, reshape(b, (*b.shape, 1)))[..., 0]


@public()
def vecmat(x: Any, y: Any) -> Any:
    """Product of conjugated vectors and matrices, in stacks that broadcast.

    x is (..., n), y (..., n, m).  Raises `ValueError` for fewer axes and other sizes.
    Source: `numpy.vecmat`.

    >>> import anvl.numpy as np
    >>> print(np.vecmat(np.asarray([1.0, 2.0]), np.eye(2)))
    [1. 2.]
    """
    a, b = array_like(x, "vecmat"), array_like(y, "vecmat")
    _core("vecmat", a, 1)
    _core("vecmat", b, 2)
    return matmul(conj(reshape(a, (*a.shape[:-1], 1, a.shape[-1]))), b)[..., 0, :]
