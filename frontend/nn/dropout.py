"""`dropout`; public in `anvl.nn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.promote import as_tracer, broadcast_to, convert, promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import Axis, axes_of
from anvl.random import bernoulli
from anvl.random.fractions import wide_dtype
from anvl.random.key_reuse import draws
from anvl.runtime import Array, hiding_frames

__all__ = ["dropout"]


@draws
@hiding_frames
def dropout(
    key: Any, x: Any, rate: Any, *, broadcast_axes: Axis = (), deterministic: bool = False
) -> Any:
    """Set elements of x to 0 with probability `rate`, and divide the others by 1 - rate.

    Parameters
    ----------
    key : ui64[]
        From `anvl.random.key`; not used if `deterministic`.
    x : array
    rate : float
        Between 0 and 1, which gives zeros; may be traced.
    broadcast_axes : int or sequence of int
        Axes along which all elements are kept or dropped together.
    deterministic : bool
        Return x as it is, for inference.

    Returns
    -------
    A float array of the shape of x, differentiable in it.  NaN for a traced rate out of range.

    Raises
    ------
    TypeError
        An invalid key.
    ValueError
        A rate that is not between 0 and 1, a missing axis.

    Notes
    -----
    Source: N. Srivastava et al., Dropout (2014).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.dropout(anvl.random.key(0), np.ones(6), 0.5))
    [2. 0. 2. 0. 2. 0.]
    """
    if isinstance(rate, int | float | Array | np.ndarray | np.generic):
        known = np.asarray(rate)
        if not ((known >= 0) & (known <= 1)).all():
            raise ValueError(f"dropout: rate is {rate}; it must be between 0 and 1")
    return _identity(x) if deterministic else _dropped(key, x, rate, broadcast_axes)


@public()
def _identity(x: Any) -> Any:
    return promoted("dropout", (x,), "float")[0][0]


@public("broadcast_axes")
def _dropped(key: Any, x: Any, rate: Any, broadcast_axes: Axis) -> Any:
    (operand,), _ = promoted("dropout", (x,), "float")
    # In a dtype of its own: which bits are drawn must not depend on that of a number.
    share = convert(as_tracer(rate, "dropout"), wide_dtype(operand.dtype))
    axes = axes_of(broadcast_axes, operand.ndim, "dropout")
    sizes = tuple(1 if i in axes else n for i, n in enumerate(operand.shape))
    keep = anp.subtract(1, share)
    is_kept = broadcast_to(bernoulli(key, keep, sizes), operand.shape)
    is_all = anp.equal(keep, 0)  # no quotient of 0, whose derivative would be NaN
    factor = anp.divide(1, anp.where(is_all, 1, keep))
    in_range = anp.logical_and(anp.greater_equal(keep, 0), anp.less_equal(keep, 1))
    factor = convert(anp.where(in_range, factor, np.nan), operand.dtype)
    return anp.where(is_kept, anp.multiply(operand, factor), anp.where(in_range, 0, factor))
