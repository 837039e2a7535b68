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
from anvl.dispatch.partitioning.constraints import with_sharding as with_sharding_constraint
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_lax import LAX as _ENTRIES
from anvl.lax import linalg as linalg
from anvl.lax.lax_arrays import argmax as argmax
from anvl.lax.lax_arrays import argmin as argmin
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
from anvl.lax.lax_collectives import pswapaxes as pswapaxes
from anvl.lax.lax_convolutions import conv_general_dilated_local as conv_general_dilated_local
from anvl.lax.lax_convolutions import conv_general_dilated_patches as conv_general_dilated_patches
from anvl.lax.lax_convolutions import conv_transpose as conv_transpose
from anvl.lax.lax_convolutions import padtype_to_pads as padtype_to_pads
from anvl.lax.lax_elementwise import bitcast_convert_type as bitcast_convert_type
from anvl.lax.lax_elementwise import clamp as clamp
from anvl.lax.lax_elementwise import clz as clz
from anvl.lax.lax_elementwise import complex as complex
from anvl.lax.lax_elementwise import div as div
from anvl.lax.lax_elementwise import integer_pow as integer_pow
from anvl.lax.lax_elementwise import mulhi as mulhi
from anvl.lax.lax_elementwise import one_minus_square as one_minus_square
from anvl.lax.lax_elementwise import polynomial as polynomial
from anvl.lax.lax_elementwise import population_count as population_count
from anvl.lax.lax_elementwise import reduce_precision as reduce_precision
from anvl.lax.lax_elementwise import rem as rem
from anvl.lax.lax_elementwise import round as round
from anvl.lax.lax_elementwise import rsqrt as rsqrt
from anvl.lax.lax_elementwise import select_n as select_n
from anvl.lax.lax_elementwise import shift_right_arithmetic as shift_right_arithmetic
from anvl.lax.lax_elementwise import shift_right_logical as shift_right_logical
from anvl.lax.lax_forms import FORMS as _FORMS
from anvl.lax.lax_forms import LONG_FORMS as _LONG_FORMS
from anvl.lax.lax_indexing import GatherDimensionNumbers as GatherDimensionNumbers
from anvl.lax.lax_indexing import ScatterDimensionNumbers as ScatterDimensionNumbers
from anvl.lax.lax_indexing import gather as gather
from anvl.lax.lax_indexing import index_take as index_take
from anvl.lax.lax_indexing import scatter as scatter
from anvl.lax.lax_indexing import scatter_add as scatter_add
from anvl.lax.lax_indexing import scatter_apply as scatter_apply
from anvl.lax.lax_indexing import scatter_max as scatter_max
from anvl.lax.lax_indexing import scatter_min as scatter_min
from anvl.lax.lax_indexing import scatter_mul as scatter_mul
from anvl.lax.lax_indexing import scatter_sub as scatter_sub
from anvl.lax.lax_options import FftType as FftType
from anvl.lax.lax_options import GatherScatterMode as GatherScatterMode
from anvl.lax.lax_options import Precision as Precision
from anvl.lax.lax_options import PrecisionLike as PrecisionLike
from anvl.lax.lax_options import RandomAlgorithm as RandomAlgorithm
from anvl.lax.lax_options import RoundingMethod as RoundingMethod
from anvl.lax.lax_products import RaggedDotDimensionNumbers as RaggedDotDimensionNumbers
from anvl.lax.lax_products import batch_matmul as batch_matmul
from anvl.lax.lax_products import dot as dot
from anvl.lax.lax_products import dot_general as dot_general
from anvl.lax.lax_products import fft as fft
from anvl.lax.lax_products import igamma_grad_a as igamma_grad_a
from anvl.lax.lax_products import ragged_dot as ragged_dot
from anvl.lax.lax_products import ragged_dot_general as ragged_dot_general
from anvl.lax.lax_products import random_gamma_grad as random_gamma_grad
from anvl.lax.lax_products import rng_bit_generator as rng_bit_generator
from anvl.lax.lax_reductions import approx_max_k as approx_max_k
from anvl.lax.lax_reductions import approx_min_k as approx_min_k
from anvl.lax.lax_reductions import reduce_and as reduce_and
from anvl.lax.lax_reductions import reduce_max as reduce_max
from anvl.lax.lax_reductions import reduce_min as reduce_min
from anvl.lax.lax_reductions import reduce_or as reduce_or
from anvl.lax.lax_reductions import reduce_prod as reduce_prod
from anvl.lax.lax_reductions import reduce_sum as reduce_sum
from anvl.lax.lax_reductions import reduce_xor as reduce_xor
from anvl.lax.lax_reductions import sort_key_val as sort_key_val
from anvl.lax.lax_shapes import broadcast_like as broadcast_like
from anvl.lax.lax_shapes import broadcast_to_rank as broadcast_to_rank
from anvl.lax.lax_shapes import collapse as collapse
from anvl.lax.lax_shapes import dtype as dtype
from anvl.lax.lax_shapes import empty as empty
from anvl.lax.lax_shapes import optimization_barrier as optimization_barrier
from anvl.lax.lax_shapes import stack as stack
from anvl.lax.lax_shapes import tile as tile
from anvl.lax.lax_shapes import unstack as unstack
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
from anvl.numpy import log2 as log2
from anvl.numpy import maximum as max
from anvl.numpy import minimum as min
from anvl.numpy import multiply as mul
from anvl.numpy import negative as neg
from anvl.numpy import nextafter as nextafter
from anvl.numpy import not_equal as ne
from anvl.numpy import power as pow
from anvl.numpy import real as real
from anvl.numpy import reciprocal as reciprocal
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
    "ConvDimensionNumbers", "FftType", "GatherDimensionNumbers", "GatherScatterMode",
    "Precision", "PrecisionLike", "RaggedDotDimensionNumbers", "RandomAlgorithm",
    "RoundingMethod", "ScatterDimensionNumbers", "abs", "acos", "acosh", "add", "all_gather",
    "all_to_all", "approx_max_k", "approx_min_k", "argmax", "argmin", "asin", "asinh",
    "associative_scan", "atan", "atan2", "atanh", "axis_index", "axis_size", "batch_matmul",
    "bessel_i0e", "bessel_i1e", "betainc", "bitcast_convert_type", "bitwise_and", "bitwise_not",
    "bitwise_or", "bitwise_xor", "broadcast", "broadcast_in_dim", "broadcast_like",
    "broadcast_shapes", "broadcast_to_rank", "broadcasted_iota", "cbrt", "ceil", "clamp", "clz",
    "collapse", "complex", "concatenate", "cond", "conj", "conv", "conv_dimension_numbers",
    "conv_general_dilated", "conv_general_dilated_local", "conv_general_dilated_patches",
    "conv_transpose", "conv_with_general_padding", "convert_element_type", "cos", "cosh",
    "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "custom_linear_solve",
    "custom_root", "digamma", "div", "dot", "dot_general", "dtype", "dynamic_index_in_dim",
    "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_index_in_dim",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "empty", "eq", "erf", "erf_inv",
    "erfc", "exp", "exp2", "expand_dims", "expm1", "fft", "floor", "fori_loop", "full",
    "full_like", "gather", "ge", "gt", "igamma", "igamma_grad_a", "igammac", "imag",
    "index_in_dim", "index_take", "integer_pow", "iota", "is_finite", "le", "lgamma", "linalg",
    "log", "log1p", "log2", "logistic", "lt", "map", "max", "min", "mul", "mulhi", "ne", "neg",
    "nextafter", "one_minus_square", "optimization_barrier", "pad", "padtype_to_pads", "pmax",
    "pmean", "pmin", "polygamma", "polynomial", "population_count", "pow", "ppermute", "pshuffle",
    "psum", "psum_scatter",
    "pswapaxes", "ragged_dot", "ragged_dot_general", "random_gamma_grad", "real", "reciprocal",
    "reduce", "reduce_and", "reduce_max", "reduce_min", "reduce_or", "reduce_precision",
    "reduce_prod", "reduce_sum", "reduce_window", "reduce_xor", "rem", "reshape", "rev",
    "rng_bit_generator", "round", "rsqrt", "scan", "scatter", "scatter_add", "scatter_apply",
    "scatter_max", "scatter_min", "scatter_mul", "scatter_sub", "select", "select_n",
    "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh",
    "slice", "slice_in_dim", "sort", "sort_key_val", "split", "sqrt", "square", "squeeze",
    "stack", "stop_gradient", "sub", "switch", "tan", "tanh", "tile", "top_k", "transpose",
    "unstack", "while_loop", "with_sharding_constraint", "zeta",
]  # fmt: skip

_ELSEWHERE = {
    "after_all": "effects are in the order of the program",
    "create_token": "effects are in the order of the program",
    "pbroadcast": "use all_gather, and index it",
    "platform_dependent": "choose in Python, by anvl.default_device()",
    "pcast": "axes are not typed; see anvl.shard_map",
    "rng_uniform": "use anvl.random.uniform, which takes a key",
}

_respell(globals(), _FORMS, _LONG_FORMS)
_complete(__all__, globals(), _ENTRIES)

_suggest_names(globals(), _ELSEWHERE)


def __dir__() -> list[str]:
    return sorted(__all__)
