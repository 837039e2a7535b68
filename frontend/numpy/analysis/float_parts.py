"""Parts and neighbours of floats: NumPy's names.

Source: NumPy's manual, "Mathematical functions".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.choice import copysign, isfinite, isinf, where
from anvl.numpy.arrays.creation import asarray
from anvl.numpy.functions.elementwise import (
    abs,
    divide,
    mark_weak,
    multiply,
    nextafter,
    real,
    subtract,
    trunc,
)
from anvl.numpy.functions.emitting import check_real, prim
from anvl.numpy.functions.special import logaddexp
from anvl.runtime import hiding_frames

__all__ = ["logaddexp2", "modf", "real_if_close", "spacing"]


def _real(name: str, x: Any) -> tuple[Tracer, bool]:
    given = array_like(x, name) if isinstance(x, list | tuple) else x
    (operand,), weak = promoted(name, (given,), "float")
    check_real(name, operand)
    return operand, weak


@public()
def modf(x: Any) -> Any:
    """Fractional and integral part of x, both with its sign: a pair of floats.

    The derivative of the first is 1, that of the second 0.  Raises `TypeError` for complex numbers.
    Source: `numpy.modf`.

    >>> import anvl.numpy as np
    >>> print(*np.modf(np.asarray([1.5, -0.25])))
    [ 0.5  -0.25] [ 1. -0.]
    """
    operand, weak = _real("modf", x)
    fixed = prim("stop_gradient", operand)
    whole = copysign(trunc(fixed), fixed)
    # By the absolute value, so that no fraction is a 0 with the sign of x.
    size = multiply(operand, copysign(1.0, fixed))
    part = multiply(subtract(size, abs(whole)), copysign(1.0, fixed))
    part = where(isinf(fixed), copysign(0.0, fixed), part)
    return mark_weak(part, weak), mark_weak(whole, weak)


@public()
def spacing(x: Any) -> Any:
    """The distance to the next float away from 0, with the sign of x; NaN of infinities.

    The derivative is 0.  Raises `TypeError` for complex numbers.  Source: `numpy.spacing`.

    >>> import anvl.numpy as np
    >>> print(np.spacing(np.float16(1.0)))
    0.000977
    """
    operand, weak = _real("spacing", x)
    fixed = prim("stop_gradient", operand)
    away = nextafter(fixed, copysign(math.inf, fixed))
    return mark_weak(where(isfinite(fixed), subtract(away, fixed), math.nan), weak)


@public()
def logaddexp2(x: Any, y: Any) -> Any:
    """log2(2^x + 2^y), without overflow.

    Raises `TypeError` for complex numbers.  Source: `numpy.logaddexp2`.

    >>> import anvl.numpy as np
    >>> print(np.logaddexp2(3.0, 3.0))
    4.0
    """
    (a, b), weak = promoted("logaddexp2", (x, y), "float")
    check_real("logaddexp2", a)
    base = math.log(2)
    return mark_weak(divide(logaddexp(multiply(a, base), multiply(b, base)), base), weak)


@hiding_frames
def real_if_close(x: Any, tol: float = 100) -> Any:
    """The real part of x if all imaginary parts are close to 0, else x.

    Close is `tol` times the epsilon of the dtype, or below `tol` itself if that is at most 1.
    Raises `TraceError` for traced complex numbers: the dtype of the result would depend on values.
    Source: `numpy.real_if_close`.

    >>> import anvl.numpy as np
    >>> print(np.real_if_close(np.asarray([2.1 + 4e-14j, 5.2 + 0j], "c128"), tol=1000))
    [2.1 5.2]
    """
    operand = asarray(x)
    if operand.dtype.kind != "c":
        return operand
    if isinstance(operand, Tracer):
        raise TraceError(
            f"real_if_close: {operand.aval} is traced, but the dtype of the result depends on its "
            "values; use anvl.numpy.real"
        )
    values = np.asarray(operand)
    bound = tol * float(np.finfo(values.dtype).eps) if tol > 1 else tol
    return real(operand) if np.all(np.abs(values.imag) < bound) else operand
