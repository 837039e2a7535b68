"""`anvl.numpy`: NumPy's functions, on arrays and inside of traces.

Promotion and broadcasting are done here; the rules are in `frontend/core/promote.py`.

    >>> import anvl.numpy as np
    >>> np.sum(np.arange(6).reshape(2, 3), axis=0)
    Array([3, 5, 7], dtype=int32)
"""

from importlib import import_module as _import_module

import ml_dtypes as _ml_dtypes
import numpy as _np

from anvl.numpy import fft as fft
from anvl.numpy import linalg as linalg
from anvl.numpy.arrays import choice, creation, diagonals, indexing, shaping, sorting, stacking
from anvl.numpy.arrays.choice import *  # noqa: F403
from anvl.numpy.arrays.creation import *  # noqa: F403
from anvl.numpy.arrays.diagonals import *  # noqa: F403
from anvl.numpy.arrays.indexing import *  # noqa: F403
from anvl.numpy.arrays.shaping import *  # noqa: F403
from anvl.numpy.arrays.sorting import *  # noqa: F403
from anvl.numpy.arrays.stacking import *  # noqa: F403
from anvl.numpy.functions import (
    arithmetic,
    convolving,
    cumulative,
    einstein,
    elementwise,
    exponents,
    higher,
    products,
    quantiles,
    reductions,
    special,
    statistics,
)
from anvl.numpy.functions.arithmetic import *  # noqa: F403
from anvl.numpy.functions.convolving import *  # noqa: F403
from anvl.numpy.functions.cumulative import *  # noqa: F403
from anvl.numpy.functions.einstein import *  # noqa: F403
from anvl.numpy.functions.elementwise import *  # noqa: F403
from anvl.numpy.functions.exponents import *  # noqa: F403
from anvl.numpy.functions.higher import *  # noqa: F403
from anvl.numpy.functions.products import *  # noqa: F403
from anvl.numpy.functions.quantiles import *  # noqa: F403
from anvl.numpy.functions.reductions import *  # noqa: F403
from anvl.numpy.functions.special import *  # noqa: F403
from anvl.numpy.functions.statistics import *  # noqa: F403

e, pi, euler_gamma, inf, nan, newaxis = _np.e, _np.pi, _np.euler_gamma, _np.inf, _np.nan, None
bool_, int8, int16, int32, int64 = _np.bool_, _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
bfloat16, float16, float32, float64 = _ml_dtypes.bfloat16, _np.float16, _np.float32, _np.float64
complex64, complex128 = _np.complex64, _np.complex128
dtype, finfo, iinfo = _np.dtype, _ml_dtypes.finfo, _ml_dtypes.iinfo

# fmt: off
__all__ = [
    *arithmetic.__all__,
    *choice.__all__,
    *convolving.__all__,
    *creation.__all__,
    *cumulative.__all__,
    *diagonals.__all__,
    *einstein.__all__,
    *elementwise.__all__,
    *exponents.__all__,
    *higher.__all__,
    *indexing.__all__,
    *products.__all__,
    *quantiles.__all__,
    *reductions.__all__,
    *shaping.__all__,
    *sorting.__all__,
    *special.__all__,
    *stacking.__all__,
    *statistics.__all__,
    "bfloat16", "bool_", "complex64", "complex128", "dtype", "e", "euler_gamma", "fft", "finfo",
    "float16", "float32", "float64", "iinfo", "inf", "int8", "int16", "int32", "int64", "linalg",
    "nan", "newaxis", "pi",
    "uint8", "uint16", "uint32", "uint64",
]
# fmt: on

_DYNAMIC = {
    "argwhere", "compress", "extract", "flatnonzero", "intersect1d", "nonzero", "setdiff1d",
    "setxor1d", "trim_zeros", "union1d", "unique", "unique_all", "unique_counts", "unique_inverse",
    "unique_values",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _DYNAMIC:
        raise AttributeError(f"module 'anvl.numpy' has no attribute {name!r}")
    raise AttributeError(
        f"anvl.numpy has no {name}: its result has a shape that depends on values, but shapes are "
        f"static; call numpy.{name} on a concrete array, outside of traces, or use where, sort or "
        "argsort with a fixed shape"
    )


# Last, since it needs all of the above: no array may exist before its operators.
_import_module("anvl.numpy.operators").attach()
