"""Abstract values: the dtype and shape of an array before it exists.

>>> from anvl.core.avals import aval
>>> aval("f32", (2, 3))
f32[2,3]
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, element_type, kind, numpy_dtype, numpy_of, tensor
from anvl.runtime import hiding_frames

__all__ = ["Aval", "ShapeDtypeStruct", "aval", "aval_of", "aval_of_type"]


class Aval:
    """The dtype and shape of an array; interned, so equal avals are one object.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    weak_type : bool
        Whether it stems from Python numbers alone, so that it takes the dtype of an array it meets.
    type : ir.Type
        The MLIR type.
    """

    __slots__ = ("dtype", "level", "ndim", "shape", "type", "weak_type")

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    ndim: int
    weak_type: bool
    type: Any
    level: int  # the kind, in promotion order: bool 0, int 1, float 2, complex 3

    def __repr__(self) -> str:
        weak = "?" if self.weak_type else ""
        return f"{dtype_name(self.dtype)}{weak}[{','.join(map(str, self.shape))}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return aval, (dtype_name(self.dtype), self.shape, self.weak_type)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def strong(self) -> "Aval":
        """The same aval, not weak."""
        return _STRONG[self.type] if self.weak_type else self


_LEVELS = {"bool": 0, "int": 1, "uint": 1, "float": 2, "complex": 3}
_INTERNED: dict[tuple[Any, tuple[int, ...], bool], Aval] = {}
_STRONG: dict[Any, Aval] = {}


@hiding_frames
def aval(dtype: object, shape: Sequence[int] | int = (), weak_type: bool = False) -> Aval:
    """Make the abstract value of an array of `dtype` and `shape`.

    Parameters
    ----------
    dtype : str or numpy.dtype
        One of anvl's names (`"f32"`, `"i64"`, `"bool"`, `"c64"`) or a NumPy dtype.
    shape : int or sequence of int
    weak_type : bool
        Whether it stands for a Python number.

    Returns
    -------
    Aval

    Raises
    ------
    TypeError
        Another dtype, or a shape of other than integers.
    ValueError
        A negative size.

    Examples
    --------
    >>> aval("f32", (2, 3)).shape
    (2, 3)
    """
    key = numpy_dtype(dtype), _sizes(shape), bool(weak_type)
    return _INTERNED.get(key) or _intern(*key)


class _OfJax(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Aval)


class ShapeDtypeStruct(metaclass=_OfJax):
    """`aval` with JAX's name and order of arguments: the shape, then the dtype.

    It makes what `aval` makes, and so `isinstance(x, ShapeDtypeStruct)` holds for every aval.

    Parameters
    ----------
    sharding : None
        As JAX has it: shardings are given to `jit`.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
    weak_type : bool
        Whether the dtype gives way to that of an array beside it, as of Python's numbers.

    Examples
    --------
    >>> from anvl import ShapeDtypeStruct
    >>> ShapeDtypeStruct((2, 3), "f32")
    f32[2,3]
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    weak_type: bool

    @hiding_frames
    def __new__(
        cls, shape: Sequence[int], dtype: object, *, sharding: None = None, weak_type: bool = False
    ) -> Any:
        """The aval; errors as of `aval`, and for a sharding other than None."""
        if sharding is not None:
            raise TypeError(
                f"ShapeDtypeStruct: sharding is {sharding!r}, and can be None only; give jit the "
                "in_shardings"
            )
        return aval(dtype, shape, weak_type)


def aval_of(x: Any, weak_type: bool = False) -> Aval:
    """Abstract value of an array: `aval` without checks."""
    return _INTERNED.get((x.dtype, x.shape, weak_type)) or aval(x.dtype, x.shape, weak_type)


def _sizes(shape: Any) -> tuple[int, ...]:
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in sizes):
        raise TypeError(f"aval: shape {shape!r} must be integers, such as (2, 3)")
    return tuple(map(int, sizes))


def _intern(dtype: np.dtype[Any], shape: tuple[int, ...], weak_type: bool) -> Aval:
    if any(n < 0 for n in shape):
        raise ValueError(f"aval: shape {shape} has a negative size")
    made = Aval()
    made.shape, made.dtype, made.ndim, made.weak_type = shape, dtype, len(shape), weak_type
    made.type = tensor(shape, element_type(dtype))
    made.level = _LEVELS[kind(made.type.element_type)]
    made = _INTERNED.setdefault((dtype, shape, weak_type), made)
    if not weak_type:
        _STRONG[made.type] = made
    else:
        aval(dtype, shape)
    return made


def aval_of_type(type_: ir.Type) -> Aval:
    """Abstract value of an MLIR tensor type."""
    return _STRONG.get(type_) or aval(numpy_of(type_.element_type), type_.shape)
