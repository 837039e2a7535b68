"""Sorting and searching: NumPy's names, and `top_k`.

All are one `anvl.sort`, stable, in NumPy's order: NaN comes last, -0.0 equals 0.0, and complex
numbers are compared by their real parts and, if those are equal, by their imaginary ones.
Derivatives follow the elements to their sorted positions: the order itself is constant.
Source: StableHLO specification, `sort`; CHLO, `top_k`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.core.config import counting_dtype
from anvl.core.promote import as_tracer, broadcast_shapes, broadcast_to, constant, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import kind
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.choice import logical_not, where
from anvl.numpy.arrays.creation import iota
from anvl.numpy.arrays.indexing import clipped, take
from anvl.numpy.arrays.shaping import moveaxis, ravel
from anvl.numpy.arrays.stacking import unstack
from anvl.numpy.functions.elementwise import (
    add,
    mark_weak,
)
from anvl.numpy.functions.emitting import prim
from anvl.numpy.linear.matrix_functions import composed

__all__ = [
    "argpartition", "argsort", "lexsort", "partition", "searchsorted", "sort", "top_k",
]  # fmt: skip

_and, _or, _not = OPS["anvl.and"].build, OPS["anvl.or"].build, OPS["anvl.not"].build


def before(x: Value, y: Value) -> Value:
    """Whether x sorts before y: scalars, or arrays, of one type."""
    of_kind = kind(x.type.element_type)
    if of_kind == "complex":
        return _lexicographic(list(zip(_complex_keys(x), _complex_keys(y), strict=True)))
    is_less = emit.compare(x, y, comparison_direction="LT")
    if of_kind != "float":
        return is_less
    is_number = emit.compare(x, x, comparison_direction="EQ")
    is_nan = emit.compare(y, y, comparison_direction="NE")
    return _or(is_less, _and(is_number, is_nan))


def _complex_keys(x: Value) -> list[Value]:
    """Sort keys of complex numbers: first those without NaN."""
    parts = [emit.real(x), emit.imag(x)]
    return [*[emit.compare(p, p, comparison_direction="NE") for p in parts], *parts]


def _lexicographic(pairs: Sequence[tuple[Value, Value]]) -> Value:
    """Lexicographic comparison of the first to the second elements of pairs."""
    (x, y), *rest = pairs
    if not rest:
        return before(x, y)
    not_behind = _and(_not(before(y, x)), _lexicographic(rest))
    return _or(before(x, y), not_behind)


def _ordered(
    keys: Sequence[Tracer], axis: int, with_order: bool, descending: bool = False
) -> tuple[Tracer, ...]:
    """Sort keys of one shape, most significant first; also the original indices."""
    shape = keys[0].shape
    last = [iota(shape, axis, counting_dtype(shape[axis] - 1))] if with_order else []

    def comparator(*scalars: Value) -> Value:
        firsts, seconds = scalars[: 2 * len(keys) : 2], scalars[1 : 2 * len(keys) : 2]
        if descending:
            firsts, seconds = seconds, firsts
        return _lexicographic(list(zip(firsts, seconds, strict=True)))

    return prim("sort", *keys, *last, dimension=axis, is_stable=True, comparator=comparator)


def _laid_out(name: str, x: Any, axis: int | None) -> tuple[Tracer, int]:
    """The operand and the axis to sort along; flattened if that is None."""
    operand = as_tracer(x, name)
    if axis is None:
        return ravel(operand), 0
    if not operand.ndim:
        raise ValueError(f"{name}: {operand.aval} has no axes; give axis=None to take it as one")
    return operand, axis_of(axis, operand.ndim, name)


@public("axis", "descending", "stable")
def sort(x: Any, axis: int | None = -1, *, descending: bool = False, stable: bool = True) -> Any:
    """Sort in ascending order along `axis`; NaN comes last.

    The derivative follows each element to its place, for equal elements too: each has its own.

    Parameters
    ----------
    x : array
        Of any dtype.
    axis : int, optional
        None sorts the flattened array.
    descending : bool
        Sort in descending order, with NaN first.
    stable : bool
        Ignored: the sort is always stable.

    Returns
    -------
    An array of the dtype and shape of x.

    Raises
    ------
    ValueError
        x does not have this axis.

    Notes
    -----
    Source: StableHLO specification, `sort`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.sort(np.asarray([3, 1, 2])))
    [1 2 3]
    """
    operand, at = _laid_out("sort", x, axis)
    (found,) = _ordered([operand], at, with_order=False, descending=descending)
    return mark_weak(found, operand.weak_type)


@public("axis", "descending", "stable")
def argsort(x: Any, axis: int | None = -1, *, descending: bool = False, stable: bool = True) -> Any:
    """Indices that sort x along `axis`; equal elements keep their order, in descending order too.

    The result has the shape of x, flat for an axis of None, and the default integer dtype, i32.
    Raises `ValueError` for an axis that x does not have.  Source: StableHLO, `sort`.

    >>> import anvl.numpy as np
    >>> print(np.argsort(np.asarray([3, 1, 2])))
    [1 2 0]
    """
    operand, at = _laid_out("argsort", x, axis)
    return _ordered([operand], at, with_order=True, descending=descending)[-1]


@public("axis")
def lexsort(keys: Any, axis: int = -1) -> Any:
    """Indices that sort by several keys: by the last one, and by earlier ones where it ties.

    `keys` is a sequence of arrays that broadcast to one shape, or an array whose first axis
    enumerates them.  The result is of the default integer dtype, i32.  Raises `TypeError` for no
    keys, `ValueError` for an axis that they do not have.  Source: StableHLO, `sort` of several
    operands.

    >>> import anvl.numpy as np
    >>> print(np.lexsort((np.asarray([1, 2, 0]), np.asarray([7, 5, 7]))))
    [1 2 0]
    """
    given = keys if isinstance(keys, list | tuple) else unstack(as_tracer(keys, "lexsort"))
    operands = [as_tracer(k, "lexsort") for k in given]
    if not operands:
        raise TypeError("lexsort: takes at least one key, got none")
    shape = broadcast_shapes(*[k.shape for k in operands], function="lexsort")
    wide = [broadcast_to(k, shape) for k in reversed(operands)]
    _, at = _laid_out("lexsort", wide[0], axis)
    return _ordered(wide, at, with_order=True)[-1]


@public("k", "axis")
def top_k(x: Any, k: int, axis: int = -1) -> Any:
    """The k largest elements along `axis`, in descending order, and their indices.

    The order is the total order of floats: NaN before every number, 0.0 before -0.0; of equal
    elements the first comes first.  The derivative goes to the selected elements.

    Parameters
    ----------
    x : array
        Of a real dtype.
    k : int
    axis : int

    Returns
    -------
    A pair (values, indices); the indices are i32.

    Raises
    ------
    ValueError
        x does not have this axis.
    TypeError
        k is not an integer, is negative, or exceeds the size of the axis.

    Notes
    -----
    Source: CHLO, `top_k`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> values, places = np.top_k(np.asarray([1.0, 4.0, 2.0, 4.0]), 3)
    >>> print(values, places)
    [4. 4. 2.] [1 3 2]
    """
    operand, at = _laid_out("top_k", x, axis)
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise TypeError(f"top_k: k {k!r} must be an integer")
    found, places = prim("top_k", moveaxis(operand, at, -1), k=int(k))
    return mark_weak(moveaxis(found, -1, at), operand.weak_type), moveaxis(places, -1, at)


def _check_kth(name: str, kth: Any, x: Tracer, axis: int) -> None:
    size = x.shape[axis]
    for k in kth if isinstance(kth, Sequence) else [kth]:
        if isinstance(k, bool) or not isinstance(k, int | np.integer):
            raise TypeError(f"{name}: kth {k!r} must be an integer")
        if not -size <= k < size:
            raise ValueError(f"{name}: kth {k} is out of range of axis {axis} of {x.aval}")


@public("kth", "axis")
def partition(x: Any, kth: int | Sequence[int], axis: int | None = -1) -> Any:
    """Partition x along `axis`: smaller elements before its kth smallest one, larger ones behind
    it.

    The result is fully sorted, which is one such order; NumPy's may differ.  Other parameters as of
    `sort`; raises `ValueError` for a kth that is out of range.  The derivative follows each element
    to its place: of equal elements each has its own.

    >>> import anvl.numpy as np
    >>> print(np.partition(np.asarray([3, 1, 2]), 1)[1])
    2
    """
    operand, at = _laid_out("partition", x, axis)
    _check_kth("partition", kth, operand, at)
    return sort(operand, axis=at)


@public("kth", "axis")
def argpartition(x: Any, kth: int | Sequence[int], axis: int | None = -1) -> Any:
    """Indices that partition x: those of `partition(x, kth)`.

    Other parameters as of `argsort`; raises `ValueError` for a kth that is out of range.

    >>> import anvl.numpy as np
    >>> print(np.argpartition(np.asarray([3, 1, 2]), 0)[0])
    1
    """
    operand, at = _laid_out("argpartition", x, axis)
    _check_kth("argpartition", kth, operand, at)
    return argsort(operand, axis=at)


@public("side")
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Insertion positions for v in the ascending vector `a` that keep it ascending.

    Runs as a bisection for all of v at once: log2(len(a)) steps.

    Parameters
    ----------
    a : array
        A vector.
    v : array
    side : {"left", "right"}
        "left" inserts before the elements equal to v, "right" behind them.
    sorter : array of integers, optional
        Indices that sort an unsorted `a`.

    Returns
    -------
    An array of the shape of v and the default integer dtype, i32.

    Raises
    ------
    ValueError
        `a` is not a vector, or another side.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.searchsorted(np.asarray([1, 2, 2, 5]), np.asarray([2, 9]), side="right"))
    [3 4]
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side {side!r} is neither 'left' nor 'right'")
    (operand, wanted), _ = promoted("searchsorted", (a, v), broadcast=False)
    if operand.ndim != 1:
        raise ValueError(f"searchsorted: `a` is {operand.aval}; it must be a vector")
    if sorter is not None:
        operand = take(operand, sorter)
    index = counting_dtype(operand.size)
    # How many elements come before v lies between `found` and `found + left`: one array from step
    # to step, where bounds from both sides would be two, and no position out of bounds.
    found, left = constant(0, index, wanted.shape), operand.size
    while left:
        half = (left + 1) // 2
        there = clipped(operand, add(found, constant(half - 1, index)))
        further = _is_before(there, wanted) if side == "left" else _not_before(wanted, there)
        found = where(further, add(found, constant(half, index)), found)
        left -= half
    return found


def _is_before(x: Tracer, y: Tracer) -> Tracer:
    """`before` for tracers."""
    return composed(before, x, y)


def _not_before(x: Tracer, y: Tracer) -> Any:
    return logical_not(_is_before(x, y))
