"""Windows for spectral analysis: NumPy's names.

The size is a Python integer; the results are vectors of the default float dtype.
Source: NumPy's manual, "Window functions".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.core.config import default_dtype
from anvl.core.promote import constant, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.arrays.creation import iota
from anvl.numpy.functions.elementwise import (
    abs,
    add,
    astype,
    cos,
    divide,
    multiply,
    sqrt,
    subtract,
)
from anvl.numpy.functions.higher import i0

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _window(name: str, M: Any, f: Callable[[Any], Any], dtype: Any = None) -> Any:
    """f of numbers from -1 to 1, M of them; 1 for a single one."""
    count = int_of(M, "M", name)
    dtype = default_dtype(float) if dtype is None else dtype
    if count < 1:
        return constant(0, dtype, (0,))
    if count == 1:
        return constant(1, dtype, (1,))
    position = astype(iota((count,), 0, np.dtype(np.int32)), dtype)
    at = divide(subtract(multiply(position, 2.0), float(count - 1)), float(count - 1))
    return astype(f(at), dtype)


def _cosines(at: Tracer, *weights: float) -> Any:
    """A sum of cosines of multiples of the angle."""
    y: Any = weights[0]
    for k, weight in enumerate(weights[1:], 1):
        y = add(y, multiply(weight, cos(multiply(at, k * math.pi))))
    return y


@public("M")
def bartlett(M: int) -> Any:
    """The Bartlett window: a triangle, 0 at both ends.

    Empty for an M below 1; raises `TypeError` if M is no integer.  Source: `numpy.bartlett`.

    >>> import anvl.numpy as np
    >>> print(np.bartlett(5))
    [0.  0.5 1.  0.5 0. ]
    """
    return _window("bartlett", M, lambda at: subtract(1, abs(at)))


@public("M")
def hanning(M: int) -> Any:
    """The Hann window: a raised cosine, 0 at both ends.

    Empty for an M below 1; raises `TypeError` if M is no integer.  Source: `numpy.hanning`.

    >>> import anvl.numpy as np
    >>> print(np.round(np.hanning(5), 6))
    [0.  0.5 1.  0.5 0. ]
    """
    return _window("hanning", M, lambda at: _cosines(at, 0.5, 0.5))


@public("M")
def hamming(M: int) -> Any:
    """The Hamming window: a raised cosine, 0.08 at both ends.

    Empty for an M below 1; raises `TypeError` if M is no integer.  Source: `numpy.hamming`.

    >>> import anvl.numpy as np
    >>> print(np.round(np.hamming(3), 6))
    [0.08 1.   0.08]
    """
    return _window("hamming", M, lambda at: _cosines(at, 0.54, 0.46))


@public("M")
def blackman(M: int) -> Any:
    """The Blackman window: a sum of two cosines, 0 at both ends.

    Empty for an M below 1; raises `TypeError` if M is no integer.  Source: `numpy.blackman`.

    >>> import anvl.numpy as np
    >>> print(np.round(np.abs(np.blackman(5)), 6))
    [0.   0.34 1.   0.34 0.  ]
    """
    return _window("blackman", M, lambda at: _cosines(at, 0.42, 0.5, 0.08))


@public("M")
def kaiser(M: int, beta: Any) -> Any:
    """The Kaiser window: i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1.

    beta is a number, in which it is differentiable, and whose dtype the result has.  Empty for an M
    below 1; raises `TypeError` if M is no integer.  Source: `numpy.kaiser`.

    >>> import anvl.numpy as np
    >>> print(np.round(np.kaiser(3, 2.0), 4))
    [0.4387 1.     0.4387]
    """

    (b,), _ = promoted("kaiser", (beta,), "float")

    def shape(at: Tracer) -> Any:
        root = sqrt(subtract(1.0, multiply(at, at)))  # of numbers: it needs no derivative
        return divide(i0(multiply(b, root)), i0(b))

    return _window("kaiser", M, shape, b.dtype)
