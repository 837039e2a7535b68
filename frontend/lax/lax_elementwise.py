"""Elementwise functions of `jax.lax` that NumPy has not, or has with another meaning."""

from __future__ import annotations

from typing import Any

from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import prim

__all__ = ["clamp", "div", "rem", "rsqrt", "shift_right_logical"]


def _binary(name: str, op: str, x: Any, y: Any) -> Any:
    (a, b), weak = promoted(name, (x, y))
    return mark_weak(prim(op, a, b), weak)


@public()
def div(x: Any, y: Any) -> Any:
    """Divide elementwise; integers are rounded towards 0 and stay integers.

    >>> from anvl import lax
    >>> print(lax.div(-7, 2), lax.div(-7.0, 2.0))
    -3 -3.5
    """
    return _binary("div", "div", x, y)


@public()
def rem(x: Any, y: Any) -> Any:
    """Remainder of the division that rounds towards 0: it has the sign of x.

    >>> from anvl import lax
    >>> print(lax.rem(-7, 2), lax.rem(7.5, -2.0))
    -1 1.5
    """
    return _binary("rem", "rem", x, y)


@public()
def rsqrt(x: Any) -> Any:
    """Reciprocal of the square root of floats or complex numbers, elementwise.

    >>> from anvl import lax
    >>> print(lax.rsqrt(4.0))
    0.5
    """
    (a,), weak = promoted("rsqrt", (x,), at_least="float")
    return mark_weak(prim("rsqrt", a), weak)


@public()
def shift_right_logical(x: Any, y: Any) -> Any:
    """Shift the bits of integers x to the right by y, with zeros from the left.

    >>> from anvl import lax
    >>> print(lax.shift_right_logical(-1, 28))
    15
    """
    return _binary("shift_right_logical", "shift_right_logical", x, y)


@public()
def clamp(min: Any, x: Any, max: Any) -> Any:
    """Limit x to [min, max], elementwise; the limits are scalars or of the shape of x.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.clamp(0.0, np.asarray([-1.0, 0.5, 2.0]), 1.0))
    [0.  0.5 1. ]
    """
    (low, a, high), weak = promoted("clamp", (min, x, max))
    return mark_weak(prim("clamp", low, a, high), weak)
