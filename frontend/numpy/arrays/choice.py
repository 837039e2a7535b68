"""Predicates on elements, and selection: NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core.promote import as_tracer, broadcast_shapes, broadcast_to, constant, promote, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name
from anvl.dispatch.eager import Function, public
from anvl.numpy.functions.elementwise import imag, mark_weak, named, real
from anvl.numpy.functions.emitting import filled, is_kind, prim

__all__ = [
    "clip", "copysign", "isfinite", "isinf", "isnan", "logical_and", "logical_not", "logical_or",
    "logical_xor", "signbit", "where",
]  # fmt: skip


@public()
def isnan(x: Any) -> Any:
    """Test for NaN, elementwise.

    >>> import anvl.numpy as np
    >>> print(np.isnan(np.asarray([1.0, np.nan])))
    [False  True]
    """
    operand = as_tracer(x, "isnan")
    return prim("compare", operand, operand, comparison_direction="NE")


@public()
def isfinite(x: Any) -> Any:
    """Test for finite numbers, elementwise: neither infinite nor NaN.

    >>> import anvl.numpy as np
    >>> print(np.isfinite(np.asarray([1.0, np.inf])))
    [ True False]
    """
    operand = as_tracer(x, "isfinite")
    if is_kind(operand, "complex"):
        return prim("and", isfinite(real(operand)), isfinite(imag(operand)))
    if is_kind(operand, "float"):
        return prim("is_finite", operand)
    return constant(True, np.dtype(bool), operand.shape)


@public()
def isinf(x: Any) -> Any:
    """Test for infinities, elementwise.

    >>> import anvl.numpy as np
    >>> print(np.isinf(np.asarray([1.0, -np.inf])))
    [False  True]
    """
    operand = as_tracer(x, "isinf")
    if is_kind(operand, "complex"):
        return prim("or", isinf(real(operand)), isinf(imag(operand)))
    if is_kind(operand, "float"):
        return prim("is_inf", operand)
    return constant(False, np.dtype(bool), operand.shape)


@public()
def signbit(x: Any) -> Any:
    """Test the sign bit, elementwise; true of -0.0.

    >>> import anvl.numpy as np
    >>> print(np.signbit(-0.0))
    True
    """
    operand = as_tracer(x, "signbit")
    if is_kind(operand, "float"):
        bits = np.dtype(f"i{operand.dtype.itemsize}")
        operand = prim("bitcast_convert", operand, dtype=dtype_name(bits))
    if is_kind(operand, "complex"):
        raise TypeError(f"signbit: takes real numbers, got {operand.aval}")
    return prim("compare", operand, filled(operand, 0), comparison_direction="LT")


def _as_bool(x: Any, name: str) -> Tracer:
    operand = as_tracer(x, name)
    if is_kind(operand, "bool"):
        return operand
    return prim("compare", operand, filled(operand, 0), comparison_direction="NE")


@public()
def logical_not(x: Any) -> Any:
    """Logical negation, elementwise: true where x is zero or false.

    >>> import anvl.numpy as np
    >>> print(np.logical_not(np.asarray([0, 3])))
    [ True False]
    """
    return prim("not", _as_bool(x, "logical_not"))


def _logical(name: str, op: str, doc: str) -> Any:
    def function(x: Any, y: Any) -> Any:
        operands = promote(name, _as_bool(x, name), _as_bool(y, name))
        return prim(op, *operands)

    return named(function, name, doc)


logical_and: Function = _logical(
    "logical_and", "and", "Whether both are true, or not zero. | 3, 0 -> False"
)
logical_or: Function = _logical(
    "logical_or", "or", "Whether either is true, or not zero. | 3, 0 -> True"
)
logical_xor: Function = _logical(
    "logical_xor", "xor", "Whether just one of them is true. | 3, 1 -> False"
)


@public(n_apart=1)
def where(condition: Any, x: Any, y: Any) -> Any:
    """Select x where the condition holds, else y; all broadcast to one shape.

    The side that is not taken gets the derivative 0, even if its own is infinite or NaN.

    >>> import anvl.numpy as np
    >>> print(np.where(np.asarray([True, False]), 1.0, 0.0))
    [1. 0.]
    """
    chosen = _as_bool(condition, "where")
    (a, b), weak = promoted("where", (x, y))
    shape = broadcast_shapes(chosen.shape, a.shape, function="where", of=(chosen.aval, a.aval))
    a, b = broadcast_to(a, shape), broadcast_to(b, shape)
    if chosen.shape != ():
        chosen = broadcast_to(chosen, shape)
    return mark_weak(prim("select", chosen, a, b), weak)


@public()
def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """Limit x to the range from min to max.  The derivative passes 1 at a bound.

    >>> import anvl.numpy as np
    >>> print(np.clip(np.asarray([-2.0, 0.5, 2.0]), -1, 1))
    [-1.   0.5  1. ]
    """
    bounds = [bound for bound in (min, max) if bound is not None]
    (result, *limits), weak = promoted("clip", (x, *bounds), broadcast=False)
    scalars = [limit.shape == () for limit in limits]
    if len(limits) < 2 or scalars != [True, True]:
        result, *limits = promote("clip", result, *limits)
    if len(limits) == 2:
        result = prim("clamp", limits[0], result, limits[1])
    elif limits:
        result = prim("minimum" if min is None else "maximum", result, limits[0])
    return mark_weak(result, weak)


@public()
def copysign(x: Any, y: Any) -> Any:
    """|x| with the sign of y.  The derivative is that of |x|, 0 where x is 0.

    >>> import anvl.numpy as np
    >>> print(np.copysign(2.0, -0.0))
    -2.0
    """
    (a, b), weak = promoted("copysign", (x, y), "float")
    size = prim("abs", a)
    return mark_weak(prim("select", signbit(b), prim("neg", size), size), weak)
