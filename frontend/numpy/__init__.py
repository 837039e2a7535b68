"""`anvl.numpy`: NumPy's functions, on arrays and inside of traces.

Promotion and broadcasting are done here; the rules are in `frontend/core/promote.py`.

    >>> import anvl.numpy as np
    >>> np.sum(np.arange(6).reshape(2, 3), axis=0)
    Array([3, 5, 7], dtype=int32)
"""

from typing import TYPE_CHECKING, Any

from ml_dtypes import bfloat16 as bfloat16
from numpy import bool_ as bool
from numpy import bool_ as bool_
from numpy import complex64 as complex64
from numpy import complex128 as complex128
from numpy import dtype as dtype
from numpy import e as e
from numpy import euler_gamma as euler_gamma
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import inf as inf
from numpy import int8 as int8
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import nan as nan
from numpy import newaxis as newaxis
from numpy import pi as pi
from numpy import uint8 as uint8
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64

from anvl.core.importing import load_module as _load_module
from anvl.core.importing import one_thread as _one_thread
from anvl.core.importing import unknown_name as _unknown_name
from anvl.numpy.name_table import NAMES as _NAMES

if TYPE_CHECKING:
    from anvl.numpy import fft as fft
    from anvl.numpy import linalg as linalg
    from anvl.numpy.analysis.calculus import *  # noqa: F403
    from anvl.numpy.analysis.conversions import *  # noqa: F403
    from anvl.numpy.analysis.covariances import *  # noqa: F403
    from anvl.numpy.analysis.float_parts import *  # noqa: F403
    from anvl.numpy.analysis.histograms import *  # noqa: F403
    from anvl.numpy.analysis.host_files import *  # noqa: F403
    from anvl.numpy.analysis.kinds import *  # noqa: F403
    from anvl.numpy.analysis.layouts import *  # noqa: F403
    from anvl.numpy.analysis.missing_values import *  # noqa: F403
    from anvl.numpy.analysis.polynomials import *  # noqa: F403
    from anvl.numpy.analysis.scalar_types import *  # noqa: F403
    from anvl.numpy.analysis.selection import *  # noqa: F403
    from anvl.numpy.analysis.sequences import *  # noqa: F403
    from anvl.numpy.analysis.set_operations import *  # noqa: F403
    from anvl.numpy.analysis.tapers import *  # noqa: F403
    from anvl.numpy.arrays.bit_packing import *  # noqa: F403
    from anvl.numpy.arrays.choice import *  # noqa: F403
    from anvl.numpy.arrays.creation import *  # noqa: F403
    from anvl.numpy.arrays.diagonals import *  # noqa: F403
    from anvl.numpy.arrays.editing import *  # noqa: F403
    from anvl.numpy.arrays.grids import *  # noqa: F403
    from anvl.numpy.arrays.index_builders import *  # noqa: F403
    from anvl.numpy.arrays.indexing import *  # noqa: F403
    from anvl.numpy.arrays.insertion import *  # noqa: F403
    from anvl.numpy.arrays.padding import *  # noqa: F403
    from anvl.numpy.arrays.shaping import *  # noqa: F403
    from anvl.numpy.arrays.sorting import *  # noqa: F403
    from anvl.numpy.arrays.stacking import *  # noqa: F403
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
    from anvl.numpy.standard.dtypes import *  # noqa: F403
    from anvl.numpy.standard.exchange import from_dlpack as from_dlpack
    from anvl.numpy.standard.inspection import __array_namespace_info__ as __array_namespace_info__
    from anvl.numpy.standard.nonzero import *  # noqa: F403
    from anvl.numpy.standard.sets import *  # noqa: F403
    from anvl.numpy.standard.shapes import *  # noqa: F403

#: The version of the Array API standard that this namespace conforms to.
__array_api_version__ = "2025.12"

#: The modules whose functions are names of `anvl.numpy`.
_MODULES = (
    "analysis.calculus", "analysis.conversions", "analysis.covariances", "analysis.float_parts",
    "analysis.histograms", "analysis.host_files", "analysis.kinds", "analysis.layouts",
    "analysis.missing_values", "analysis.polynomials", "analysis.scalar_types",
    "analysis.selection", "analysis.sequences", "analysis.set_operations", "analysis.tapers",
    "arrays.bit_packing", "arrays.choice", "arrays.creation", "arrays.diagonals",
    "arrays.editing", "arrays.grids", "arrays.index_builders", "arrays.indexing",
    "arrays.insertion", "arrays.padding", "arrays.shaping", "arrays.sorting", "arrays.stacking",
    "functions.arithmetic", "functions.convolving", "functions.cumulative",
    "functions.einstein", "functions.elementwise", "functions.exponents", "functions.higher",
    "functions.products", "functions.quantiles", "functions.reductions", "functions.special",
    "functions.statistics", "standard.dtypes", "standard.nonzero", "standard.sets",
    "standard.shapes",
)  # fmt: skip

#: Functions that need transformations, loops or the runtime's versions, which lie above; they are
#: loaded when first used.
_LATER = {
    "apply_along_axis": "anvl.transforms.vectorize.apply_along_axis",
    "apply_over_axes": "anvl.transforms.vectorize.apply_over_axes",
    "gcd": "anvl.control_flow.common_divisors.gcd",
    "lcm": "anvl.control_flow.common_divisors.lcm",
    "show_config": "anvl.installation.versions_report.show_versions",
    "show_runtime": "anvl.installation.versions_report.show_versions",
    "vectorize": "anvl.transforms.vectorize.vectorize",
}

#: The module of each name that `_load` enters: `sin` of `functions.elementwise`.
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
_HOMES["from_dlpack"] = "standard.exchange"
_HOMES["__array_namespace_info__"] = "standard.inspection"

# fmt: off
__all__ = [
    *_LATER, *_HOMES,
    "__array_api_version__",
    "bfloat16", "bool", "bool_", "complex64", "complex128", "dtype", "e", "euler_gamma", "fft",
    "float16", "float32", "float64", "inf", "int8", "int16", "int32", "int64",
    "linalg", "nan", "newaxis", "pi",
    "uint8", "uint16", "uint32", "uint64",
]
# fmt: on

_ELSEWHERE = {
    "random": "random numbers come from keys: anvl.random.normal(anvl.random.key(0), shape)",
}


def __getattr__(name: str) -> Any:
    with _one_thread:  # a name is one function, whichever thread asks first
        if name not in globals():
            _load(name)
    return globals()[name]


def _load(name: str) -> None:
    """Enter a name into this module, with all others that its module defines.

    But not those that a program has set before, as `anvl.numpy.cos = mine`.
    """
    if name in _HOMES:
        module = _load_module(f"anvl.numpy.{_HOMES[name]}")
        found = {of: getattr(module, of) for of in module.__all__ if of in _HOMES}
        made = _load_module("anvl.numpy.public_forms").public_forms(found)
        globals().update({of: f for of, f in made.items() if of not in globals()})
    elif name in ("fft", "linalg"):
        globals()[name] = _load_module(f"anvl.numpy.{name}")
    elif name in _LATER:
        home, _, attribute = _LATER[name].rpartition(".")
        globals()[name] = getattr(_load_module(home), attribute)
    else:
        raise _unknown_name("anvl.numpy", name, __all__, _ELSEWHERE)


# Last, since operators are functions of this module: no array may exist before its operators.  Not
# by `import`, since it imports most of anvl: see `load_module`.
_load_module("anvl.numpy.operators").attach()


def __dir__() -> list[str]:  # without the folders, which Python binds here
    return sorted(__all__)
