"""Arrays made by a rule: NumPy's names beyond the standard.

Source: NumPy's manual, "Array creation routines".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import broadcast_shapes, broadcast_to, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.creation import asarray, iota
from anvl.numpy.arrays.grids import indices
from anvl.numpy.arrays.shaping import moveaxis, reshape
from anvl.numpy.functions.elementwise import (
    abs,
    add,
    astype,
    divide,
    equal,
    exp,
    less,
    log,
    multiply,
    rint,
    sign,
    subtract,
)
from anvl.runtime import hiding_frames

__all__ = ["fromfunction", "geomspace"]


@hiding_frames
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Values from start to stop with a constant ratio.

    Parameters
    ----------
    start, stop : number or array
        Not 0, and of one sign unless complex, or values between them are NaN.
    num : int
    endpoint : bool
        Whether `stop` is included.
    dtype : dtype, optional
    axis : int
        Where the axis of values is in the result, of arrays.

    Returns
    -------
    Array

    Raises
    ------
    ValueError
        An end that is known is 0, or a negative number of values.

    Notes
    -----
    Differentiable in both ends.  Source: `numpy.geomspace`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.round(np.geomspace(1, 1000, 4)).astype("i32"))
    [   1   10  100 1000]
    """
    for end in (start, stop):
        if not isinstance(end, Tracer) and np.any(np.asarray(end) == 0):
            raise ValueError("geomspace: an end is 0, but the values have a constant ratio")
    wanted = None if dtype is None else as_dtype(dtype)
    first, last = _exact(start, wanted), _exact(stop, wanted)
    return _geometric(first, last, num, endpoint, wanted, axis)


def _exact(x: Any, dtype: Any) -> Any:
    """A Python number with the digits of the dtype that is asked for."""
    if dtype is None or not isinstance(x, int | float | complex):
        return x
    if dtype.kind in "iu":
        return asarray(x, np.float64)
    return asarray(x, np.complex128 if isinstance(x, complex) else dtype)


@public("num", "endpoint", "dtype", "axis")
def _geometric(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int) -> Any:
    count = int_of(num, "num", "geomspace", least=0)
    given = [array_like(v, "geomspace") for v in (start, stop)]
    (first, last), _ = promoted("geomspace", given, "float")
    shape = broadcast_shapes(first.shape, last.shape, function="geomspace")
    low, high = broadcast_to(first, shape), broadcast_to(last, shape)
    steps = max(count - 1 if endpoint else count, 1)
    place = reshape(iota((count,), 0, np.dtype(np.int32)), (count, *(1,) * len(shape)))
    share = divide(astype(place, abs(low).dtype), float(steps))
    # From the start, by powers of the ratio: at both ends exact.
    turn = sign(low)
    begin, end = divide(low, turn), divide(high, turn)
    power = add(multiply(subtract(1.0, share), log(begin)), multiply(share, log(end)))
    between = multiply(exp(power), turn)
    found = where(equal(place, 0), low, between)
    if endpoint and count > 1:
        found = where(equal(place, count - 1), high, found)
    if dtype is not None and dtype.kind in "iu":
        whole = rint(found)  # which rounding may have missed
        found = where(less(abs(subtract(found, whole)), multiply(abs(whole), 1e-9)), whole, found)
    found = found if dtype is None else astype(found, dtype)
    return moveaxis(found, 0, axis_of(axis, found.ndim, "geomspace"))


@hiding_frames
def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = None, **kwargs: Any
) -> Any:
    """Call a function with the indices of all elements of an array of this shape.

    It gets an array for each axis, of the default float dtype if none is given, and the keywords.
    Source: `numpy.fromfunction`.

    >>> import anvl.numpy as np
    >>> print(np.fromfunction(lambda i, j: i + j, (2, 2), dtype=int))
    [[0 1]
     [1 2]]
    """
    of = default_dtype(float) if dtype is None else as_dtype(dtype)
    return function(*indices(shape, of), **kwargs)
