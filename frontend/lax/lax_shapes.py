"""Shapes and stacks with the names and the argument order of `jax.lax`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.core.promote import abstract, as_tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of, ints_of
from anvl.numpy.functions.emitting import prim
from anvl.runtime import hiding_frames

__all__ = [
    "broadcast_like", "broadcast_to_rank", "collapse", "dtype", "empty", "optimization_barrier",
    "stack", "tile", "unstack",
]  # fmt: skip


@hiding_frames
def collapse(operand: Any, start_dimension: int, stop_dimension: int | None = None) -> Any:
    """Join the axes from `start_dimension` to before `stop_dimension` to one axis.

    Without a stop it is all that follow.  Raises `ValueError` for axes that are not there.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> lax.collapse(np.zeros((2, 3, 4, 5)), 1, 3).shape
    (2, 12, 5)
    """
    x = anp.asarray(operand)
    start, stop = int_of(start_dimension, "start_dimension", "collapse"), x.ndim
    if stop_dimension is not None:
        stop = int_of(stop_dimension, "stop_dimension", "collapse")
    first, last = (i + x.ndim if i < 0 else i for i in (start, stop))
    if not 0 <= first <= last <= x.ndim:
        raise ValueError(
            f"collapse: the axes from {start_dimension} to before {stop_dimension} are no range of "
            f"the {x.ndim} axes of {x.aval}"
        )
    size = int(np.prod(x.shape[first:last], dtype=np.int64))
    return anp.reshape(x, (*x.shape[:first], size, *x.shape[last:]))


@hiding_frames
def broadcast_to_rank(x: Any, rank: int) -> Any:
    """Insert leading axes of size 1 until an array has `rank` axes; one that has more stays.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> lax.broadcast_to_rank(np.zeros(3), 3).shape
    (1, 1, 3)
    """
    found = anp.asarray(x)
    missing = int_of(rank, "rank", "broadcast_to_rank") - found.ndim
    return anp.expand_dims(found, tuple(range(missing))) if missing > 0 else found


@hiding_frames
def broadcast_like(arr: Any, like_arr: Any) -> Any:
    """Broadcast an array to the shape of another one; the dtype stays.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> lax.broadcast_like(np.zeros(3), np.ones((2, 3))).shape
    (2, 3)
    """
    return anp.broadcast_to(arr, abstract(like_arr, "broadcast_like").shape)


@hiding_frames
def dtype(x: Any) -> np.dtype[Any]:
    """Dtype of an array or a number; of a number the default of its kind.

    >>> from anvl import lax
    >>> lax.dtype(1.5)
    dtype('float32')
    """
    return abstract(x, "dtype").dtype


@hiding_frames
def empty(shape: Sequence[int], dtype: Any) -> Any:
    """Make an array of zeros; that its elements are not known makes nothing faster here.

    >>> from anvl import lax
    >>> print(lax.empty((2,), "i32"))
    [0 0]
    """
    return anp.empty(shape, dtype)


@hiding_frames
def tile(operand: Any, reps: Sequence[int]) -> Any:
    """Repeat an array `reps` times along each of its axes.

    Raises `ValueError` unless there is a number for each axis.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.tile(np.asarray([1, 2]), (2,)))
    [1 2 1 2]
    """
    x, counts = anp.asarray(operand), ints_of(tuple(reps), "tile")
    if len(counts) != x.ndim:
        raise ValueError(
            f"tile: reps is {reps!r}; give a number for each of the {x.ndim} axes of {x.aval}"
        )
    return anp.tile(x, counts)


@hiding_frames
def stack(operands: Sequence[Any], axis: int = 0) -> Any:
    """Join arrays of one shape along a new axis; `anvl.numpy.stack` says more.

    >>> from anvl import lax
    >>> print(lax.stack([lax.iota("i32", 2), lax.iota("i32", 2)], 1))
    [[0 0]
     [1 1]]
    """
    return anp.stack(operands, axis=axis)


@hiding_frames
def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """Take an array apart along an axis; `anvl.numpy.unstack` says more.

    >>> from anvl import lax
    >>> first, second = lax.unstack(lax.broadcasted_iota("i32", (2, 3), 0))
    >>> print(second)
    [1 1 1]
    """
    found: tuple[Any, ...] = anp.unstack(x, axis=axis)
    return found


@hiding_frames
def optimization_barrier(operand: Any) -> Any:
    """Keep the compiler from moving computation across the arrays of a pytree.

    All of them are computed before a result is used.  The derivative has such a barrier, too.
    Source: StableHLO, `optimization_barrier`.

    Parameters
    ----------
    operand : array or pytree of arrays

    Returns
    -------
    The operand.

    Examples
    --------
    >>> from anvl import lax
    >>> x, y = lax.optimization_barrier((1.0, 2.0))
    >>> print(x, y)
    1.0 2.0
    """
    leaves, treedef = tree.flatten(operand)
    return tree.unflatten(treedef, _barrier(*leaves)) if leaves else operand


@public()
def _barrier(*xs: Any) -> Any:
    return prim("optimization_barrier", *(as_tracer(x, "optimization_barrier") for x in xs))
