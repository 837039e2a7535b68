"""`anvl.lax`: functions of `jax.lax` that mean the same here, under its names.

What JAX refuses, operands of different dtypes and shapes, is promoted and broadcast as in
`anvl.numpy`; at ties `max` and `min` share their slope evenly.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.fori_loop(0, 3, lambda i, x: lax.mul(x, 2.0), np.ones(2)))
    [8. 8.]
"""

from anvl.call_spellings.translation import respell as _respell
from anvl.control_flow.conditions import cond as cond
from anvl.control_flow.conditions import switch as switch
from anvl.control_flow.loops import fori_loop as fori_loop
from anvl.control_flow.loops import scan as scan
from anvl.control_flow.loops import while_loop as while_loop
from anvl.control_flow.map import associative_scan as associative_scan
from anvl.control_flow.map import map as map
from anvl.control_flow.solves import custom_linear_solve as custom_linear_solve
from anvl.control_flow.solves import custom_root as custom_root
from anvl.core.importing import suggest_names as _suggest_names
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_lax import LAX as _ENTRIES
from anvl.lax.lax_arrays import argmax as argmax
from anvl.lax.lax_arrays import argmin as argmin
from anvl.lax.lax_arrays import batch_matmul as batch_matmul
from anvl.lax.lax_arrays import broadcast as broadcast
from anvl.lax.lax_arrays import broadcast_in_dim as broadcast_in_dim
from anvl.lax.lax_arrays import broadcasted_iota as broadcasted_iota
from anvl.lax.lax_arrays import concatenate as concatenate
from anvl.lax.lax_arrays import convert_element_type as convert_element_type
from anvl.lax.lax_arrays import cumlogsumexp as cumlogsumexp
from anvl.lax.lax_arrays import cummax as cummax
from anvl.lax.lax_arrays import cummin as cummin
from anvl.lax.lax_arrays import cumprod as cumprod
from anvl.lax.lax_arrays import cumsum as cumsum
from anvl.lax.lax_arrays import dot as dot
from anvl.lax.lax_arrays import dot_general as dot_general
from anvl.lax.lax_arrays import dynamic_index_in_dim as dynamic_index_in_dim
from anvl.lax.lax_arrays import dynamic_slice as dynamic_slice
from anvl.lax.lax_arrays import dynamic_slice_in_dim as dynamic_slice_in_dim
from anvl.lax.lax_arrays import dynamic_update_index_in_dim as dynamic_update_index_in_dim
from anvl.lax.lax_arrays import dynamic_update_slice as dynamic_update_slice
from anvl.lax.lax_arrays import dynamic_update_slice_in_dim as dynamic_update_slice_in_dim
from anvl.lax.lax_arrays import expand_dims as expand_dims
from anvl.lax.lax_arrays import index_in_dim as index_in_dim
from anvl.lax.lax_arrays import iota as iota
from anvl.lax.lax_arrays import pad as pad
from anvl.lax.lax_arrays import reduce as reduce
from anvl.lax.lax_arrays import reshape as reshape
from anvl.lax.lax_arrays import rev as rev
from anvl.lax.lax_arrays import select as select
from anvl.lax.lax_arrays import slice as slice
from anvl.lax.lax_arrays import slice_in_dim as slice_in_dim
from anvl.lax.lax_arrays import sort as sort
from anvl.lax.lax_arrays import split as split
from anvl.lax.lax_arrays import squeeze as squeeze
from anvl.lax.lax_arrays import transpose as transpose
from anvl.lax.lax_collectives import all_gather as all_gather
from anvl.lax.lax_collectives import all_to_all as all_to_all
from anvl.lax.lax_collectives import axis_index as axis_index
from anvl.lax.lax_collectives import axis_size as axis_size
from anvl.lax.lax_collectives import pmax as pmax
from anvl.lax.lax_collectives import pmean as pmean
from anvl.lax.lax_collectives import pmin as pmin
from anvl.lax.lax_collectives import ppermute as ppermute
from anvl.lax.lax_collectives import pshuffle as pshuffle
from anvl.lax.lax_collectives import psum as psum
from anvl.lax.lax_collectives import psum_scatter as psum_scatter
from anvl.lax.lax_elementwise import clamp as clamp
from anvl.lax.lax_elementwise import div as div
from anvl.lax.lax_elementwise import rem as rem
from anvl.lax.lax_elementwise import rsqrt as rsqrt
from anvl.lax.lax_elementwise import shift_right_logical as shift_right_logical
from anvl.lax.lax_forms import FORMS as _FORMS
from anvl.lax.lax_forms import LONG_FORMS as _LONG_FORMS
from anvl.lax.lax_windows import ConvDimensionNumbers as ConvDimensionNumbers
from anvl.lax.lax_windows import conv as conv
from anvl.lax.lax_windows import conv_dimension_numbers as conv_dimension_numbers
from anvl.lax.lax_windows import conv_general_dilated as conv_general_dilated
from anvl.lax.lax_windows import conv_with_general_padding as conv_with_general_padding
from anvl.lax.lax_windows import reduce_window as reduce_window
from anvl.numpy import abs as abs
from anvl.numpy import acos as acos
from anvl.numpy import acosh as acosh
from anvl.numpy import add as add
from anvl.numpy import asin as asin
from anvl.numpy import asinh as asinh
from anvl.numpy import atan as atan
from anvl.numpy import atan2 as atan2
from anvl.numpy import atanh as atanh
from anvl.numpy import bitwise_and as bitwise_and
from anvl.numpy import bitwise_count as population_count
from anvl.numpy import bitwise_not as bitwise_not
from anvl.numpy import bitwise_or as bitwise_or
from anvl.numpy import bitwise_xor as bitwise_xor
from anvl.numpy import broadcast_shapes as broadcast_shapes
from anvl.numpy import cbrt as cbrt
from anvl.numpy import ceil as ceil
from anvl.numpy import conj as conj
from anvl.numpy import cos as cos
from anvl.numpy import cosh as cosh
from anvl.numpy import equal as eq
from anvl.numpy import exp as exp
from anvl.numpy import exp2 as exp2
from anvl.numpy import expm1 as expm1
from anvl.numpy import floor as floor
from anvl.numpy import full as full
from anvl.numpy import full_like as full_like
from anvl.numpy import greater as gt
from anvl.numpy import greater_equal as ge
from anvl.numpy import imag as imag
from anvl.numpy import isfinite as is_finite
from anvl.numpy import left_shift as shift_left
from anvl.numpy import less as lt
from anvl.numpy import less_equal as le
from anvl.numpy import log as log
from anvl.numpy import log1p as log1p
from anvl.numpy import maximum as max
from anvl.numpy import minimum as min
from anvl.numpy import multiply as mul
from anvl.numpy import negative as neg
from anvl.numpy import nextafter as nextafter
from anvl.numpy import not_equal as ne
from anvl.numpy import power as pow
from anvl.numpy import real as real
from anvl.numpy import reciprocal as reciprocal
from anvl.numpy import right_shift as shift_right_arithmetic
from anvl.numpy import sign as sign
from anvl.numpy import sin as sin
from anvl.numpy import sinh as sinh
from anvl.numpy import sqrt as sqrt
from anvl.numpy import square as square
from anvl.numpy import subtract as sub
from anvl.numpy import tan as tan
from anvl.numpy import tanh as tanh
from anvl.numpy import top_k as top_k
from anvl.scipy.special import betainc as betainc
from anvl.scipy.special import digamma as digamma
from anvl.scipy.special import erf as erf
from anvl.scipy.special import erfc as erfc
from anvl.scipy.special import erfinv as erf_inv
from anvl.scipy.special import expit as logistic
from anvl.scipy.special import gammainc as igamma
from anvl.scipy.special import gammaincc as igammac
from anvl.scipy.special import gammaln as lgamma
from anvl.scipy.special import i0e as bessel_i0e
from anvl.scipy.special import i1e as bessel_i1e
from anvl.scipy.special import polygamma as polygamma
from anvl.scipy.special import zeta as zeta
from anvl.transforms.stop_gradient import stop_gradient as stop_gradient

__all__ = [
    "ConvDimensionNumbers", "abs", "acos", "acosh", "add", "all_gather", "all_to_all", "argmax",
    "argmin", "asin", "asinh", "associative_scan", "atan", "atan2", "atanh", "axis_index",
    "axis_size", "batch_matmul", "bessel_i0e", "bessel_i1e", "betainc", "bitwise_and",
    "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast", "broadcast_in_dim", "broadcast_shapes",
    "broadcasted_iota", "cbrt", "ceil", "clamp", "concatenate", "cond", "conj", "conv",
    "conv_dimension_numbers", "conv_general_dilated", "conv_with_general_padding",
    "convert_element_type", "cos", "cosh", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum",
    "custom_linear_solve", "custom_root", "digamma", "div", "dot", "dot_general",
    "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_index_in_dim",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "eq", "erf", "erf_inv", "erfc", "exp",
    "exp2", "expand_dims", "expm1", "floor", "fori_loop", "full", "full_like", "ge", "gt", "igamma",
    "igammac", "imag", "index_in_dim", "iota", "is_finite", "le", "lgamma", "log", "log1p",
    "logistic", "lt", "map", "max", "min", "mul", "ne", "neg", "nextafter", "pad", "pmax", "pmean",
    "pmin", "polygamma", "population_count", "pow", "ppermute", "pshuffle", "psum", "psum_scatter",
    "real", "reciprocal", "reduce", "reduce_window", "rem", "reshape", "rev", "rsqrt", "scan",
    "select", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh",
    "slice", "slice_in_dim", "sort", "split", "sqrt", "square", "squeeze", "stop_gradient", "sub",
    "switch", "tan", "tanh", "top_k", "transpose", "while_loop", "zeta",
]  # fmt: skip

_respell(globals(), _FORMS, _LONG_FORMS)
_complete(__all__, globals(), _ENTRIES)

_suggest_names(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
