"""NumPy's names of dtypes and their kinds, of how arrays are printed, and of what the host does.

Arrays are printed by NumPy, so that its options hold for them.  What is said about errors of floats
(`errstate`) holds for NumPy's own computations: programs give NaN and infinities in silence.
Names of dtypes that no array has (`object_`, `longdouble`) are there to ask for them.
Source: NumPy's manual, "Scalars", "Printing" and "Floating point error handling".
"""

from typing import Any

from ml_dtypes import float8_e4m3fn as float8_e4m3fn
from ml_dtypes import float8_e5m2 as float8_e5m2
from ml_dtypes import int4 as int4
from ml_dtypes import uint4 as uint4
from numpy import False_ as False_
from numpy import ScalarType as ScalarType
from numpy import True_ as True_
from numpy import base_repr as base_repr
from numpy import broadcast as broadcast
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import cdouble as cdouble
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complexfloating as complexfloating
from numpy import csingle as csingle
from numpy import datetime64 as datetime64
from numpy import double as double
from numpy import errstate as errstate
from numpy import flexible as flexible
from numpy import floating as floating
from numpy import format_float_positional as format_float_positional
from numpy import format_float_scientific as format_float_scientific
from numpy import generic as generic
from numpy import get_printoptions as get_printoptions
from numpy import geterr as geterr
from numpy import geterrcall as geterrcall
from numpy import half as half
from numpy import inexact as inexact
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import isnat as isnat
from numpy import little_endian as little_endian
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import may_share_memory as may_share_memory
from numpy import memmap as memmap
from numpy import min_scalar_type as min_scalar_type
from numpy import mintypecode as mintypecode
from numpy import ndenumerate as ndenumerate
from numpy import ndindex as ndindex
from numpy import number as number
from numpy import object_ as object_
from numpy import printoptions as printoptions
from numpy import sctypeDict as sctypeDict
from numpy import set_printoptions as set_printoptions
from numpy import seterr as seterr
from numpy import seterrcall as seterrcall
from numpy import shares_memory as shares_memory
from numpy import short as short
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import timedelta64 as timedelta64
from numpy import typecodes as typecodes
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import void as void
from numpy.exceptions import ComplexWarning as ComplexWarning

from anvl.core.tracer import Tracer
from anvl.runtime import Array

__all__ = [
    "ComplexWarning", "False_", "ScalarType", "True_", "base_repr", "broadcast",
    "byte", "bytes_", "cdouble", "character", "clongdouble", "complex_",
    "complexfloating", "csingle", "datetime64", "double", "errstate", "flexible",
    "float8_e4m3fn", "float8_e5m2", "float_", "floating", "format_float_positional",
    "format_float_scientific", "generic", "get_printoptions", "geterr", "geterrcall", "half",
    "inexact", "int4", "int_", "intc", "integer", "intp", "isnat", "little_endian", "long",
    "longdouble", "longlong", "may_share_memory", "memmap", "min_scalar_type", "mintypecode",
    "ndarray",
    "ndenumerate", "ndindex", "number", "object_", "printoptions", "sctypeDict",
    "set_printoptions", "seterr", "seterrcall", "shares_memory", "short", "signedinteger",
    "single", "str_", "timedelta64", "typecodes", "ubyte", "uint", "uint4", "uintc",
    "uintp", "ulong", "ulonglong", "unsignedinteger", "ushort", "void",
]  # fmt: skip


float_ = double  # JAX's names
complex_ = cdouble


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
