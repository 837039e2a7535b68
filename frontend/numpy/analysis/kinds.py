"""Kinds of dtypes and of arrays: NumPy's names.

Source: NumPy's manual, "Data type routines" and "Logic functions".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from anvl.core.config import as_dtype
from anvl.core.promote import abstract, constant
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import element_type, kind
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.choice import isinf, logical_and, logical_not, signbit
from anvl.numpy.functions.elementwise import equal, imag
from anvl.numpy.functions.emitting import check_real, is_kind
from anvl.runtime import Array, hiding_frames

__all__ = [
    "iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal", "isrealobj", "isscalar",
    "issubdtype", "iterable",
]  # fmt: skip

#: The kinds that an abstract kind of NumPy contains.
_ABSTRACT: dict[type, frozenset[str]] = {
    np.generic: frozenset({"bool", "int", "uint", "float", "complex"}),
    np.number: frozenset({"int", "uint", "float", "complex"}),
    np.integer: frozenset({"int", "uint"}),
    np.signedinteger: frozenset({"int"}),
    np.unsignedinteger: frozenset({"uint"}),
    np.inexact: frozenset({"float", "complex"}),
    np.floating: frozenset({"float"}),
    np.complexfloating: frozenset({"complex"}),
}


@hiding_frames
def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a dtype is of a kind, or the same as another dtype.

    Parameters
    ----------
    arg1 : dtype
        Or one of the abstract kinds.
    arg2 : dtype
        Or one of the abstract kinds: `np.floating`, `np.integer`, `np.signedinteger`,
        `np.unsignedinteger`, `np.inexact`, `np.complexfloating`, `np.number`, `np.generic`.

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        An argument is no dtype.

    Notes
    -----
    bfloat16 and the floats of 8 bits are `np.floating`, int4 is `np.signedinteger`, where NumPy
    knows no kind for them.  Source: `numpy.issubdtype`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.issubdtype("f32", np.floating), np.issubdtype(np.bfloat16, np.integer)
    (True, False)
    """
    kinds = _ABSTRACT.get(arg2) if isinstance(arg2, type) else None
    if isinstance(arg1, type) and arg1 in _ABSTRACT:
        return kinds is not None and issubclass(arg1, arg2)
    dtype = as_dtype(arg1)
    if kinds is None:
        return dtype == as_dtype(arg2)
    return kind(element_type(dtype)) in kinds


@hiding_frames
def isscalar(element: Any) -> bool:
    """Whether this is a number of Python or NumPy, or an array of anvl without axes.

    Source: `numpy.isscalar`; arrays without axes as in `jax.numpy`.

    >>> import anvl.numpy as np
    >>> np.isscalar(3.0), np.isscalar(np.asarray(3.0)), np.isscalar([3.0])
    (True, True, False)
    """
    if isinstance(element, Array | Tracer):
        return not element.shape
    return bool(np.isscalar(element))


def iterable(y: Any) -> bool:
    """Whether an object can be iterated over.  Source: `numpy.iterable`.

    >>> import anvl.numpy as np
    >>> np.iterable(np.arange(2)), np.iterable(2)
    (True, False)
    """
    if isinstance(y, Array | Tracer):
        return bool(y.shape)
    return isinstance(y, Iterable)


def iscomplexobj(x: Any) -> bool:
    """Whether x is of a complex dtype, whatever its elements are.  Source: `numpy.iscomplexobj`.

    >>> import anvl.numpy as np
    >>> np.iscomplexobj(np.asarray([1j])), np.iscomplexobj(1.0)
    (True, False)
    """
    return _is_complex(x, "iscomplexobj")


def _is_complex(x: Any, function: str) -> bool:
    if isinstance(x, list | tuple):
        return any(_is_complex(part, function) for part in x)
    return abstract(x, function).level == 3


def isrealobj(x: Any) -> bool:
    """Whether x is of no complex dtype, whatever its elements are.  Source: `numpy.isrealobj`.

    >>> import anvl.numpy as np
    >>> np.isrealobj(np.asarray([1j])), np.isrealobj(1.0)
    (False, True)
    """
    return not _is_complex(x, "isrealobj")


@public()
def isreal(x: Any) -> Any:
    """Test whether the imaginary part is 0, elementwise.  Source: `numpy.isreal`.

    >>> import anvl.numpy as np
    >>> print(np.isreal(np.asarray([1 + 1j, 2 + 0j])))
    [False  True]
    """
    operand = array_like(x, "isreal")
    if not is_kind(operand, "complex"):
        return constant(True, np.dtype(bool), operand.shape)
    return equal(imag(operand), 0)


@public()
def iscomplex(x: Any) -> Any:
    """Test whether the imaginary part is not 0, elementwise.  Source: `numpy.iscomplex`.

    >>> import anvl.numpy as np
    >>> print(np.iscomplex(np.asarray([1 + 1j, 2 + 0j])))
    [ True False]
    """
    return logical_not(isreal(array_like(x, "iscomplex")))


@public()
def isposinf(x: Any) -> Any:
    """Test for positive infinity, elementwise.

    Raises `TypeError` for complex numbers.  Source: `numpy.isposinf`.

    >>> import anvl.numpy as np
    >>> print(np.isposinf(np.asarray([np.inf, -np.inf])))
    [ True False]
    """
    return _is_infinite("isposinf", x, False)


@public()
def isneginf(x: Any) -> Any:
    """Test for negative infinity, elementwise.

    Raises `TypeError` for complex numbers.  Source: `numpy.isneginf`.

    >>> import anvl.numpy as np
    >>> print(np.isneginf(np.asarray([np.inf, -np.inf])))
    [False  True]
    """
    return _is_infinite("isneginf", x, True)


def _is_infinite(name: str, x: Any, negative: bool) -> Any:
    operand = array_like(x, name)
    check_real(name, operand)
    if not is_kind(operand, "float"):
        return constant(False, np.dtype(bool), operand.shape)
    sign = signbit(operand)
    return logical_and(isinf(operand), sign if negative else logical_not(sign))
