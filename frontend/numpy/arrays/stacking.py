"""Joining and splitting arrays: NumPy's names."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.core.config import default_dtype
from anvl.core.promote import as_tracer, constant, holds_numbers, promoted, remember
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, ints_of, known
from anvl.numpy.arrays.shaping import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    expand_dims,
    ravel,
    slice_axis,
    squeeze,
)
from anvl.numpy.functions.emitting import prim

__all__ = [
    "array_split", "column_stack", "concat", "concatenate", "dstack", "hsplit", "hstack",
    "row_stack", "split", "stack", "unstack", "vsplit", "vstack",
]  # fmt: skip


def _parts(function: str, xs: Any) -> list[Any]:
    """The arrays to join: items of a sequence, or slices of an array along its first axis."""
    if isinstance(xs, Tracer):
        xs = (*unstack(xs),)
    if not isinstance(xs, list | tuple):
        raise TypeError(f"{function}: takes a list or tuple of arrays, got {type(xs).__name__}")
    if not xs:
        raise ValueError(f"{function}: needs at least one array")
    return [_array(x) for x in xs]


def _operands(function: str, xs: Any) -> list[Tracer]:
    """The arrays to join, of one dtype: before a number has axes, so that it keeps its digits."""
    return promoted(function, _parts(function, xs), broadcast=False)[0]


def _array(x: Any) -> Any:
    """An array to join: lists of numbers, such as the 0 of `concatenate([[0], x])`, are arrays."""
    if not isinstance(x, list | tuple):
        return x
    if not x:
        return constant(0, default_dtype(float), (0,))
    made = stack(x)
    return remember(made, x) if holds_numbers(x) else made


@public("axis")
def concatenate(xs: Sequence[Any], axis: int | None = 0) -> Any:
    """Join arrays along an axis; flatten them first if it is None.

    Lists of numbers are arrays, too; make one of a long list with `asarray` first, as each number
    of a list is an operand.

    >>> import anvl.numpy as np
    >>> np.concatenate([np.zeros(2), np.ones(1)])
    Array([0., 0., 1.], dtype=float32)
    """
    operands = _operands("concatenate", xs)
    if axis is None:
        operands, axis = [ravel(x) for x in operands], 0
    at = axis_of(axis, operands[0].ndim, "concatenate")
    if len(operands) == 1:
        return operands[0]
    if len({(x.ndim, x.shape[:at], x.shape[at + 1 :]) for x in operands}) > 1:
        listed = ", ".join(str(x.aval) for x in operands)
        raise ValueError(
            f"concatenate: operands {listed} may differ only along axis {at}; reshape, slice or "
            "pad them first"
        )
    return prim("concatenate", *operands, dimension=at)


concat = concatenate


@public("axis")
def stack(xs: Sequence[Any], axis: int = 0) -> Any:
    """Join arrays of one shape along a new axis.

    >>> import anvl.numpy as np
    >>> np.stack([np.zeros(2), np.ones(2)], axis=1)
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    operands = _operands("stack", xs)
    if len({x.shape for x in operands}) > 1:
        listed = ", ".join(str(x.aval) for x in operands)
        raise ValueError(f"stack: shapes differ: {listed}; all must have one shape")
    at = axis_of(axis, operands[0].ndim + 1, "stack")
    return concatenate([expand_dims(x, at) for x in operands], at)


@public()
def vstack(xs: Sequence[Any]) -> Any:
    """Stack arrays vertically, along the first axis; vectors become rows.

    >>> import anvl.numpy as np
    >>> np.vstack([np.zeros(2), np.ones(2)])
    Array([[0., 0.],
           [1., 1.]], dtype=float32)
    """
    return concatenate([atleast_2d(x) for x in _operands("vstack", xs)], 0)


row_stack = vstack


@public()
def hstack(xs: Sequence[Any]) -> Any:
    """Stack arrays horizontally, along the second axis; vectors along their only one.

    >>> import anvl.numpy as np
    >>> np.hstack([np.zeros((2, 1)), np.ones((2, 2))])
    Array([[0., 1., 1.],
           [0., 1., 1.]], dtype=float32)
    """
    operands = [atleast_1d(x) for x in _operands("hstack", xs)]
    return concatenate(operands, builtins.min(1, operands[0].ndim - 1))


@public()
def dstack(xs: Sequence[Any]) -> Any:
    """Stack arrays along the third axis.

    >>> import anvl.numpy as np
    >>> np.dstack([np.zeros((2, 3)), np.ones((2, 3))]).shape
    (2, 3, 2)
    """
    return concatenate([atleast_3d(x) for x in _operands("dstack", xs)], 2)


@public()
def column_stack(xs: Sequence[Any]) -> Any:
    """Stack vectors as columns of a matrix; matrices side by side.

    >>> import anvl.numpy as np
    >>> np.column_stack([np.zeros(2), np.ones(2)])
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    operands = _operands("column_stack", xs)
    columns = [x if x.ndim > 1 else expand_dims(atleast_1d(x), -1) for x in operands]
    return concatenate(columns, 1)


@public("axis")
def unstack(x: Any, axis: int = 0) -> Any:
    """Split an array along an axis, which is removed, into a tuple.

    >>> import anvl.numpy as np
    >>> np.unstack(np.arange(2))
    (Array(0, dtype=int32), Array(1, dtype=int32))
    """
    operand = as_tracer(x, "unstack")
    at = axis_of(axis, operand.ndim, "unstack")
    return tuple(squeeze(slice_axis(operand, at, i, i + 1), at) for i in range(operand.shape[at]))


@public("indices_or_sections", "axis")
def split(x: Any, indices_or_sections: int | Sequence[int], axis: int = 0) -> Any:
    """Split an array along an axis: into equal parts, or at these indices.

    >>> import anvl.numpy as np
    >>> np.split(np.arange(4), [1])
    [Array([0], dtype=int32), Array([1, 2, 3], dtype=int32)]
    """
    operand = as_tracer(x, "split")
    at = axis_of(axis, operand.ndim, "split")
    indices_or_sections = known(indices_or_sections)
    if isinstance(indices_or_sections, int | np.integer):
        count = _sections("split", indices_or_sections)
        if operand.shape[at] % count:
            raise ValueError(f"split: axis {at} of {operand.aval} does not divide into {count}")
        return array_split(operand, count, at)
    return array_split(operand, ints_of(indices_or_sections, "split"), at)


def _sections(function: str, count: Any) -> int:
    if count < 1:
        raise ValueError(f"{function}: the number of parts is {count}, it must be at least 1")
    return int(count)


@public("indices_or_sections", "axis")
def array_split(x: Any, indices_or_sections: int | Sequence[int], axis: int = 0) -> Any:
    """As `split`, for any size: the first parts may be larger by one.

    >>> import anvl.numpy as np
    >>> [part.shape for part in np.array_split(np.arange(7), 3)]
    [(3,), (2,), (2,)]
    """
    operand = as_tracer(x, "array_split")
    at = axis_of(axis, operand.ndim, "array_split")
    size = operand.shape[at]
    indices_or_sections = known(indices_or_sections)
    if isinstance(indices_or_sections, int | np.integer):
        count = _sections("array_split", indices_or_sections)
        small, larger = divmod(size, count)
        cuts = [i * small + builtins.min(i, larger) for i in range(1, count)]
    else:
        cuts = [range(size)[:c].stop for c in ints_of(indices_or_sections, "array_split")]
    bounds = [0, *cuts, size]
    return [
        slice_axis(operand, at, low, builtins.max(low, high))
        for low, high in itertools.pairwise(bounds)
    ]


@public("indices_or_sections")
def vsplit(x: Any, indices_or_sections: int | Sequence[int]) -> Any:
    """Split along the first axis.  Raises `ValueError` for fewer than two axes, as NumPy does.

    >>> import anvl.numpy as np
    >>> [part.shape for part in np.vsplit(np.zeros((4, 2)), 2)]
    [(2, 2), (2, 2)]
    """
    operand = as_tracer(x, "vsplit")
    if operand.ndim < 2:
        raise ValueError(
            f"vsplit: takes arrays with at least two axes, got {operand.aval}; use split"
        )
    return split(operand, indices_or_sections, 0)


@public("indices_or_sections")
def hsplit(x: Any, indices_or_sections: int | Sequence[int]) -> Any:
    """Split along the second axis; a vector along its only one.

    >>> import anvl.numpy as np
    >>> [part.shape for part in np.hsplit(np.zeros((4, 2)), 2)]
    [(4, 1), (4, 1)]
    """
    return split(x, indices_or_sections, builtins.min(1, as_tracer(x, "hsplit").ndim - 1))
