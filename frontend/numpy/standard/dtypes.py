"""Functions of dtypes: the Array API's names.

Source: Array API standard 2025.12, "Data Type Functions".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import ml_dtypes
import numpy as np

from anvl.core.avals import Aval, aval
from anvl.core.config import as_dtype
from anvl.core.promote import abstract, common_dtype
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.runtime import Array, hiding_frames

__all__ = ["can_cast", "finfo", "iinfo", "isdtype", "result_type"]

_NUMBERS = bool | int | float | complex
_ARRAYS = Array | Tracer | np.ndarray | np.generic

#: The standard's kinds, and anvl's kinds that belong to each.
_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int",),
    "unsigned integer": ("uint",),
    "integral": ("int", "uint"),
    "real floating": ("float",),
    "complex floating": ("complex",),
    "numeric": ("int", "uint", "float", "complex"),
}


def _aval(x: Any, function: str) -> Aval:
    """Abstract value of an array or a number; of a dtype that of an array of it."""
    if isinstance(x, _ARRAYS | _NUMBERS):
        return abstract(x, function)
    return aval(as_dtype(x))


@hiding_frames
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The dtype that operands of these dtypes are promoted to.

    Parameters
    ----------
    *arrays_and_dtypes : array, dtype or Python number
        A Python number takes the dtype of what it meets, as in `x + 1`.

    Returns
    -------
    numpy.dtype

    Raises
    ------
    TypeError
        No argument, or dtypes without a common one, such as i64 and ui64.

    Notes
    -----
    `docs/promotion.md` has the table.  Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.result_type.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.result_type(np.int8, np.uint8), np.result_type(np.ones(2), 1j)
    (dtype('int16'), dtype('complex64'))
    """
    return promoted_dtype("result_type", arrays_and_dtypes)


def promoted_dtype(function: str, arrays_and_dtypes: Sequence[Any]) -> np.dtype[Any]:
    """`result_type`, for a function whose name messages begin with."""
    if not arrays_and_dtypes:
        raise TypeError(f"{function}: takes at least one array or dtype, got none")
    return common_dtype(*[_aval(x, function) for x in arrays_and_dtypes])[0]


@hiding_frames
def can_cast(from_: Any, to: Any) -> bool:
    """Whether promotion converts one dtype to another.

    Parameters
    ----------
    from_ : array or dtype
    to : dtype

    Returns
    -------
    bool
        Whether `result_type(from_, to)` is `to`.  Integers become any float that they meet, so
        `can_cast("i64", "f32")` is true.

    Raises
    ------
    TypeError
        `to` or `from_` is no dtype.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.can_cast.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.can_cast(np.int8, np.int16), np.can_cast(np.ones(2), np.int32)
    (True, False)
    """
    given, wanted = _aval(from_, "can_cast"), as_dtype(to)
    try:
        return bool(common_dtype(given, aval(wanted))[0] == wanted)
    except TypeError:  # there is no common dtype
        return False


@hiding_frames
def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind.

    Parameters
    ----------
    dtype : dtype
    kind : str, dtype, or tuple of these
        "bool", "signed integer", "unsigned integer", "integral", "real floating" (bf16 and the
        8-bit floats too), "complex floating", "numeric", or a dtype that it may equal.

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        `dtype` is no dtype.
    ValueError
        Another kind.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.isdtype.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.isdtype(np.uint8, "integral"), np.isdtype(np.float32, ("bool", np.float64))
    (True, False)
    """
    found = as_dtype(dtype)
    return any(_is_of(found, k) for k in (kind if isinstance(kind, tuple) else (kind,)))


def _is_of(dtype: np.dtype[Any], wanted: Any) -> bool:
    if isinstance(wanted, str):
        if wanted not in _KINDS:
            raise ValueError(
                f"isdtype: kind {wanted!r} is not one of {', '.join(map(repr, _KINDS))}; a dtype "
                "is given as an object, such as anvl.numpy.float32"
            )
        return kind(element_type(dtype)) in _KINDS[wanted]
    return dtype == as_dtype(wanted)


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a floating-point dtype: see `finfo`."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    smallest_subnormal: float
    resolution: float
    precision: int
    nmant: int
    nexp: int
    maxexp: int
    minexp: int
    dtype: np.dtype[Any]

    @property
    def tiny(self) -> float:
        """NumPy's other name of `smallest_normal`."""
        return self.smallest_normal


@dataclass(frozen=True)
class IntegerInfo:
    """Limits of an integer dtype: see `iinfo`."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def _dtype_of(x: Any) -> np.dtype[Any]:
    return x.dtype if isinstance(x, _ARRAYS) else as_dtype(x)


def _of_kind(function: str, x: Any, kinds: Iterable[str], wanted: str) -> np.dtype[Any]:
    dtype = _dtype_of(x)
    if kind(element_type(dtype)) not in kinds:
        raise TypeError(f"{function}: takes {wanted} dtypes, got {dtype_name(dtype)}")
    return dtype


@hiding_frames
def finfo(type: Any) -> FloatInfo:
    """Limits of a floating-point dtype, or of the parts of a complex one.

    Parameters
    ----------
    type : dtype or array

    Returns
    -------
    FloatInfo
        With `bits`, `eps`, `max`, `min` and `smallest_normal` (also `tiny`) of the standard, and
        NumPy's `smallest_subnormal`, `resolution`, `precision`, `nmant`, `nexp`, `maxexp` and
        `minexp`, as Python numbers; and `dtype`, of the parts of a complex dtype.

    Raises
    ------
    TypeError
        A dtype of integers or bools.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.finfo.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.finfo(np.float32).eps, np.finfo(np.complex128).bits
    (1.1920928955078125e-07, 64)
    """
    of = _of_kind("finfo", type, ("float", "complex"), "floating-point")
    found = ml_dtypes.finfo(of)
    limits = {f.name: f.type for f in fields(FloatInfo) if f.name != "dtype"}
    as_number = {"int": int, "float": float}
    values: dict[str, Any] = {n: as_number[str(t)](getattr(found, n)) for n, t in limits.items()}
    return FloatInfo(dtype=np.dtype(found.dtype), **values)


@hiding_frames
def iinfo(type: Any) -> IntegerInfo:
    """Limits of an integer dtype.

    Parameters
    ----------
    type : dtype or array

    Returns
    -------
    IntegerInfo
        With `bits`, `max` and `min` as Python integers, and `dtype`.

    Raises
    ------
    TypeError
        A dtype of floats, complex numbers or bools.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.iinfo.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.iinfo(np.int8).max, np.iinfo(np.uint64).min
    (127, 0)
    """
    of = _of_kind("iinfo", type, ("int", "uint"), "integer")
    found = ml_dtypes.iinfo(of)
    return IntegerInfo(int(found.bits), int(found.max), int(found.min), of)
