"""NumPy's names of dtypes, of their abstract kinds, and of how arrays are printed.

Arrays are printed by NumPy, so that its options hold for them.
Source: NumPy's manual, "Scalars" and "Printing".
"""

from typing import Any

from numpy import False_ as False_
from numpy import True_ as True_
from numpy import base_repr as base_repr
from numpy import binary_repr as binary_repr
from numpy import byte as byte
from numpy import cdouble as cdouble
from numpy import complexfloating as complexfloating
from numpy import csingle as csingle
from numpy import double as double
from numpy import floating as floating
from numpy import format_float_positional as format_float_positional
from numpy import format_float_scientific as format_float_scientific
from numpy import generic as generic
from numpy import get_printoptions as get_printoptions
from numpy import half as half
from numpy import inexact as inexact
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import little_endian as little_endian
from numpy import long as long
from numpy import longlong as longlong
from numpy import number as number
from numpy import printoptions as printoptions
from numpy import set_printoptions as set_printoptions
from numpy import short as short
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort

from anvl.core.tracer import Tracer
from anvl.runtime import Array

__all__ = [
    "False_", "True_", "base_repr", "binary_repr", "byte", "cdouble", "complexfloating", "csingle",
    "double", "floating", "format_float_positional", "format_float_scientific", "generic",
    "get_printoptions", "half", "inexact", "int_", "intc", "integer", "intp", "little_endian",
    "long", "longlong", "ndarray", "number", "printoptions", "set_printoptions", "short",
    "signedinteger", "single", "ubyte", "uint", "uintc", "uintp", "ulong", "ulonglong",
    "unsignedinteger", "ushort",
]  # fmt: skip


class _OfArrays(type):
    """The type of `ndarray`: its instances are arrays and tracers."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Array | Tracer)


class ndarray(metaclass=_OfArrays):
    """Arrays and tracers alike, for `isinstance` and annotations; it makes none.

    Source: as `jax.numpy.ndarray`.

    >>> import anvl.numpy as np
    >>> isinstance(np.ones(2), np.ndarray)
    True
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> "ndarray":
        raise TypeError("ndarray: makes no arrays; use anvl.numpy.zeros or asarray")
