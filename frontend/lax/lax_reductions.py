"""Reductions, orders and extremes of `jax.lax`, which keep the dtype of their operand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

import anvl.numpy as anp
from anvl.control_flow.reduce import reduce as _reduce
from anvl.core.promote import as_tracer
from anvl.core.ranges import integer_limits
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.lax.lax_arrays import sort
from anvl.numpy.arrays.axes import axes_of, axis_of, ints_of
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import prim
from anvl.runtime import hiding_frames

__all__ = [
    "approx_max_k", "approx_min_k", "reduce_and", "reduce_max", "reduce_min", "reduce_or",
    "reduce_prod", "reduce_sum", "reduce_xor", "sort_key_val",
]  # fmt: skip


class _AlongAxes(Protocol):
    """A function such as `reduce_sum`."""

    def __call__(self, operand: Any, axes: Sequence[int]) -> Any: ...


def _reduction(name: str, says: str, example: str, reduced: Callable[..., Any]) -> _AlongAxes:
    @public("axes")
    def along(operand: Any, axes: tuple[int, ...]) -> Any:
        x = as_tracer(operand, name)
        found = reduced(x, axes_of(axes, x.ndim, name))
        return mark_weak(as_tracer(found, name), x.weak_type)

    @hiding_frames
    def function(operand: Any, axes: Sequence[int]) -> Any:
        return along(operand, ints_of(axes, name))

    along.__name__ = function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{says} along axes; the dtype stays.\n\nRaises `TypeError` for a dtype that has none, "
        "`ValueError` for axes that are out of range or repeat.\n\n"
        f">>> import anvl.numpy as np\n>>> from anvl import lax\n>>> {example}\n"
    )
    return function


def _op(op: str) -> Callable[[Tracer, tuple[int, ...]], Any]:
    return lambda x, axes: prim(op, x, axes=axes)


def _bitwise(
    name: str, of_bools: str | None, combine: Callable[..., Any], start: int
) -> Callable[[Tracer, tuple[int, ...]], Any]:
    def reduced(x: Tracer, axes: tuple[int, ...]) -> Any:
        if x.dtype.kind == "b":
            if of_bools:
                return prim(of_bools, x, axes=axes)
            count = prim("sum", anp.astype(x, np.int32), axes=axes)
            return anp.equal(anp.bitwise_and(count, 1), 1)
        if integer_limits(x.dtype) is None:
            raise TypeError(f"{name}: takes integers or bools, got {x.aval}")
        first = np.array(start).astype(x.dtype)
        return _reduce(combine, x, first, axes)

    return reduced


_X = "np.asarray([[6, 3], [2, 3]])"
reduce_sum: _AlongAxes = _reduction(
    "reduce_sum", "Sum", f"print(lax.reduce_sum({_X}, (0,)))\n[8 6]", _op("sum")
)
reduce_prod: _AlongAxes = _reduction(
    "reduce_prod", "Product", f"print(lax.reduce_prod({_X}, (0,)))\n[12  9]", _op("prod")
)
reduce_max: _AlongAxes = _reduction(
    "reduce_max", "Maximum", f"print(lax.reduce_max({_X}, (0,)))\n[6 3]", _op("max")
)
reduce_min: _AlongAxes = _reduction(
    "reduce_min", "Minimum", f"print(lax.reduce_min({_X}, (0,)))\n[2 3]", _op("min")
)
reduce_and: _AlongAxes = _reduction(
    "reduce_and", "Bitwise and of integers or bools", f"print(lax.reduce_and({_X}, (0,)))\n[2 3]",
    _bitwise("reduce_and", "all", anp.bitwise_and, -1),
)  # fmt: skip
reduce_or: _AlongAxes = _reduction(
    "reduce_or", "Bitwise or of integers or bools", f"print(lax.reduce_or({_X}, (0,)))\n[6 3]",
    _bitwise("reduce_or", "any", anp.bitwise_or, 0),
)  # fmt: skip
reduce_xor: _AlongAxes = _reduction(
    "reduce_xor", "Bitwise exclusive or of integers or bools",
    f"print(lax.reduce_xor({_X}, (0,)))\n[4 0]",
    _bitwise("reduce_xor", None, anp.bitwise_xor, 0),
)  # fmt: skip


# -- orders ----------------------------------------------------------------------------------------


@hiding_frames
def sort_key_val(
    keys: Any, values: Any, dimension: int = -1, is_stable: bool = True
) -> tuple[Any, Any]:
    """Sort keys along an axis, and values in the same order.

    Equal keys keep their order.  Raises `ValueError` for arrays of two shapes.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> keys, values = lax.sort_key_val(np.asarray([3, 1, 2]), np.asarray([7, 8, 9]))
    >>> print(keys, values)
    [1 2 3] [8 9 7]
    """
    first, second = sort((keys, values), dimension=dimension, is_stable=is_stable)
    return first, second


@hiding_frames
def approx_max_k(
    operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
) -> tuple[Any, Any]:  # fmt: skip
    """Largest k elements along an axis, with their indices; exact, so of every recall.

    Parameters
    ----------
    operand : array of floats
    k : int
    reduction_dimension : int
        The axis.
    recall_target : float
        Above 0 and at most 1: the share of the largest k that JAX's result has at least.
    reduction_input_size_override : int
        Without effect.
    aggregate_to_topk : bool
        Whether the result has k elements; without it all of the axis, sorted.

    Returns
    -------
    (values, indices), the values descending, the indices i32; linear in the operand.

    Raises
    ------
    ValueError
        Another dtype, k or recall.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> values, indices = lax.approx_max_k(np.asarray([1.0, 4.0, 3.0]), 2)
    >>> print(values, indices)
    [4. 3.] [1 2]
    """
    return _approximate(
        "approx_max_k", operand, k, reduction_dimension, recall_target, aggregate_to_topk
    )


@hiding_frames
def approx_min_k(
    operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
) -> tuple[Any, Any]:  # fmt: skip
    """Smallest k elements along an axis, with their indices, as `approx_max_k`.

    Parameters
    ----------
    operand : array of floats
    k : int
    reduction_dimension : int
        The axis.
    recall_target, reduction_input_size_override, aggregate_to_topk
        As of `approx_max_k`.

    Returns
    -------
    (values, indices), the values ascending, the indices i32; linear in the operand.

    Raises
    ------
    ValueError
        Another dtype, k or recall.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> values, indices = lax.approx_min_k(np.asarray([1.0, 4.0, 3.0]), 2)
    >>> print(values, indices)
    [1. 3.] [0 2]
    """
    values, indices = _approximate(
        "approx_min_k", anp.negative(operand), k, reduction_dimension, recall_target,
        aggregate_to_topk,
    )  # fmt: skip
    return anp.negative(values), indices


def _approximate(
    name: str, operand: Any, k: int, dimension: int, recall: float, aggregate: bool
) -> tuple[Any, Any]:
    x = anp.asarray(operand)
    if not anp.issubdtype(x.dtype, anp.floating):
        raise ValueError(f"{name}: takes floats, got {x.aval}")
    axis = axis_of(dimension, x.ndim, name)
    if isinstance(k, bool) or not 0 <= k <= x.shape[axis]:
        raise ValueError(
            f"{name}: k is {k!r}; axis {axis} of {x.aval} has {x.shape[axis]} elements"
        )
    if not 0 < recall <= 1:
        raise ValueError(f"{name}: recall_target is {recall!r}; it must be above 0 and at most 1")
    count = k if aggregate else x.shape[axis]
    values, indices = anp.top_k(anp.moveaxis(x, axis, -1), count)
    return anp.moveaxis(values, -1, axis), anp.moveaxis(indices, -1, axis)
