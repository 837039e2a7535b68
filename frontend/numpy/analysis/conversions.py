"""Conversions that NumPy has names for: most are `asarray`, as arrays have no order in memory.

Source: NumPy's manual, "Array creation routines" and "Array manipulation routines".
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from anvl.core.promote import broadcast_shapes, broadcast_to, convert
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.creation import asarray
from anvl.numpy.standard.dtypes import can_cast, promoted_dtype
from anvl.runtime import Array, hiding_frames

__all__ = [
    "asanyarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray", "binary_repr",
    "common_type", "copyto", "info", "isfortran", "promote_types", "require", "typename",
]  # fmt: skip

_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


@hiding_frames
def asanyarray(x: Any, dtype: Any = None) -> Any:
    """Convert x to an array: `asarray`, as there are no subclasses.  Source: `numpy.asanyarray`.

    >>> import anvl.numpy as np
    >>> print(np.asanyarray([1, 2]))
    [1 2]
    """
    return asarray(x, dtype)


@hiding_frames
def ascontiguousarray(x: Any, dtype: Any = None) -> Any:
    """Convert x to an array with at least one axis: arrays have no order in memory.

    Source: `numpy.ascontiguousarray`.

    >>> import anvl.numpy as np
    >>> print(np.ascontiguousarray(3))
    [3]
    """
    made = asarray(x, dtype)
    return made if made.ndim else made.reshape(1)


@hiding_frames
def asfortranarray(x: Any, dtype: Any = None) -> Any:
    """Convert x to an array with at least one axis: arrays have no order in memory.

    Source: `numpy.asfortranarray`.

    >>> import anvl.numpy as np
    >>> print(np.asfortranarray([1, 2]))
    [1 2]
    """
    return ascontiguousarray(x, dtype)


def isfortran(x: Any) -> bool:
    """Whether x lies in memory in Fortran's order: never.  Source: `numpy.isfortran`.

    >>> import anvl.numpy as np
    >>> np.isfortran(np.ones((2, 2)))
    False
    """
    return False


@hiding_frames
def require(x: Any, dtype: Any = None, requirements: Any = None) -> Any:
    """Convert x to an array that meets requirements: all that are about memory are.

    `requirements` are letters or words, as NumPy's.  Raises `ValueError` for "W", writeable, as
    arrays are immutable, and for others.  Source: `numpy.require`.

    >>> import anvl.numpy as np
    >>> print(np.require([1, 2], requirements="C"))
    [1 2]
    """
    for wish in requirements or ():
        name = str(wish).upper()
        if name in ("W", "WRITEABLE"):
            raise ValueError("require: arrays are immutable, so none is writeable")
        if name[0] not in "CFAOE":
            raise ValueError(f"require: {wish!r} is no requirement; see numpy.require")
    return asarray(x, dtype)


@hiding_frames
def asarray_chkfinite(x: Any, dtype: Any = None) -> Any:
    """Convert x to an array, and refuse NaN and infinities.

    Raises `ValueError` for these, `TraceError` for a traced x; `anvl.check_finite` works there.
    Source: `numpy.asarray_chkfinite`.

    >>> import anvl.numpy as np
    >>> print(np.asarray_chkfinite([1, 2]))
    [1 2]
    """
    made = asarray(x, dtype)
    if isinstance(made, Tracer):
        raise TraceError(
            f"asarray_chkfinite: {made.aval} is traced and has no values yet; use anvl.check_finite"
        )
    values = np.asarray(made)
    if values.dtype.kind in "fcV" and not np.isfinite(values.astype(complex)).all():
        raise ValueError("asarray_chkfinite: the array has NaN or infinities")
    return made


@hiding_frames
def promote_types(a: Any, b: Any) -> np.dtype[Any]:
    """The dtype that arrays of two dtypes have together: `result_type` of both.

    Raises `TypeError` for other than dtypes.  Source: `numpy.promote_types`, with the rules of
    anvl.

    >>> import anvl.numpy as np
    >>> np.promote_types("i32", "f32")
    dtype('float32')
    """
    return promoted_dtype("promote_types", (a, b))


@hiding_frames
def common_type(*arrays: Any) -> type:
    """The scalar type of floats or complex numbers that holds the elements of all arrays.

    As NumPy has it: integers count as float64.  Raises `TypeError` for what is no array of numbers.
    Source: `numpy.common_type`.

    >>> import anvl.numpy as np
    >>> np.common_type(np.ones(2), np.ones(2, "f16"))
    <class 'numpy.float32'>
    """
    for i, x in enumerate(arrays):
        if (
            not isinstance(x, Array | Tracer | np.ndarray | np.generic)
            or x.dtype.kind not in "iufc"
        ):
            raise TypeError(
                f"common_type: argument {i} is {x!r} of type {type(x).__name__}; it must be an "
                "array of integers, floats or complex numbers"
            )
    return np.common_type(*[np.empty(0, x.dtype) for x in arrays])


@hiding_frames
def typename(char: str) -> str:
    """Describe a dtype of NumPy by its character.

    Raises `ValueError` for another text.  Source: `numpy.typename`.

    >>> import anvl.numpy as np
    >>> np.typename("f")
    'single precision'
    """
    try:
        return str(np.typename(char))  # type: ignore[call-overload]
    except (KeyError, TypeError):
        raise ValueError(
            f"typename: {char!r} is no character of a dtype; they are those of "
            "anvl.numpy.typecodes, such as 'f'"
        ) from None


@hiding_frames
def binary_repr(num: int, width: int | None = None) -> str:
    """The bits of an integer, as text; with a width, a negative one in two's complement.

    Raises `TypeError` for other than integers, `ValueError` for a width that is too small.
    Source: `numpy.binary_repr`.

    >>> import anvl.numpy as np
    >>> np.binary_repr(5), np.binary_repr(-3, width=4)
    ('101', '1101')
    """
    number = int_of(num, "num", "binary_repr")
    wide = None if width is None else int_of(width, "width", "binary_repr", least=0)
    try:
        return np.binary_repr(number, wide)
    except ValueError:
        raise ValueError(f"binary_repr: width {width} is too small for {num}") from None


@hiding_frames
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    """`dst` with the values of `src`, which broadcast to it, where a condition holds.

    Returns a new array, of the dtype of `dst`.  Raises `TypeError` if `casting` does not allow the
    conversion ("no", "equiv", "safe", "same_kind" or "unsafe").  Source: `numpy.copyto`.

    >>> import anvl.numpy as np
    >>> print(np.copyto(np.zeros(3), 5.0, where=np.asarray([True, False, True])))
    [5. 0. 5.]
    """
    if casting not in _CASTINGS:
        raise ValueError(f"copyto: casting {casting!r} is not one of {', '.join(_CASTINGS)}")
    return _copied(dst, src, where, casting)


@public("casting")
def _copied(dst: Any, src: Any, condition: Any, casting: str) -> Any:
    old, new = array_like(dst, "copyto"), array_like(src, "copyto")
    is_weak = new.weak_type and new.aval.level <= old.aval.level
    lossy = new.aval.level > old.aval.level
    unsafe = casting != "unsafe" and lossy
    strict = casting in ("no", "equiv", "safe") and not is_weak
    if unsafe or (strict and not can_cast(new.dtype, old.dtype)):
        raise TypeError(f"copyto: {new.aval} to {old.aval} is not {casting!r} casting")
    if broadcast_shapes(old.shape, new.shape, function="copyto") != old.shape:
        raise ValueError(f"copyto: {new.aval} does not broadcast to {old.aval}")
    return where(condition, broadcast_to(convert(new, old.dtype), old.shape), old)


@hiding_frames
def info(object: Any) -> None:
    """Print the documentation of a function.  Source: `numpy.info`.

    >>> import anvl.numpy as np
    >>> np.info(np.isfortran)  # doctest: +ELLIPSIS
    Whether x lies in memory in Fortran's order: never. ...
    """
    print(inspect.getdoc(object) or f"{object!r} has no documentation")
