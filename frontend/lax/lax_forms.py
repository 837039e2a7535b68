"""Functions of `jax.lax` with all of their parameters, for calls that have the rare ones.

See `anvl.call_spellings.translation`.  Source: JAX's reference, `jax.lax`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anvl.numpy as anp
from anvl import tree
from anvl.call_spellings.numpy_forms import each
from anvl.control_flow.conditions import cond as _cond
from anvl.control_flow.conditions import switch as _switch
from anvl.control_flow.map import associative_scan as _associative_scan
from anvl.lax import lax_products, lax_windows
from anvl.numpy.functions.contraction_options import precision_name, with_precision
from anvl.numpy.linear.product_forms import matmul, widened

__all__ = ["FORMS", "LONG_FORMS"]

#: The parameters of JAX's functions where anvl's have other names, or fewer of them.
FORMS = each({
    "cbrt cos exp exp2 expm1 log log1p log2 logistic rsqrt sin sqrt tan tanh": "x accuracy",
    "dynamic_index_in_dim": "operand index axis keepdims allow_negative_indices",
    "dynamic_slice": "operand start_indices slice_sizes allow_negative_indices",
    "dynamic_slice_in_dim": "operand start_index slice_size axis allow_negative_indices",
    "dynamic_update_index_in_dim": "operand update index axis allow_negative_indices",
    "dynamic_update_slice": "operand update start_indices allow_negative_indices",
    "dynamic_update_slice_in_dim": "operand update start_index axis allow_negative_indices",
    "erf erf_inv": "x",
    "fori_loop": "lower upper body_fun init_val unroll",
    "full": "shape fill_value dtype sharding",
    "nextafter": "x1 x2",
    "polygamma": "m x",
    "reduce_window":
        "operand init_value computation window_dimensions window_strides padding base_dilation "
        "window_dilation",
    "reshape": "operand new_sizes dimensions",
    "scan": "f init xs length reverse unroll _split_transpose",
    "top_k": "operand k axis",
    "while_loop": "cond_fun body_fun init_val",
    "with_sharding_constraint": "x shardings:sharding",
})  # fmt: skip


def associative_scan(
    fn: Callable[..., Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    if axis == 0:
        return _associative_scan(fn, elems, reverse=reverse)

    def moved(source: int, destination: int, xs: Any) -> Any:
        return tree.map(lambda x: anp.moveaxis(x, source, destination), xs)

    def along_first(a: Any, b: Any) -> Any:
        return moved(axis, 0, fn(moved(0, axis, a), moved(0, axis, b)))

    return moved(0, axis, _associative_scan(along_first, moved(axis, 0, elems), reverse=reverse))


def cond(
    pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *, operand: Any
) -> Any:
    return _cond(pred, true_fun, false_fun, operand)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *, operand: Any) -> Any:
    return _switch(index, branches, operand)


def full_like(
    x: Any, fill_value: Any, dtype: Any = None, shape: Any = None, sharding: None = None
) -> Any:
    of: Any = anp.full_like
    return of(x, fill_value, dtype, shape)


# -- products --------------------------------------------------------------------------------------


def _converted(x: Any, dtype: Any) -> Any:
    return x if dtype is None else anp.astype(x, dtype)


def dot(
    lhs: Any, rhs: Any, *, dimension_numbers: Any = None, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    if dimension_numbers is not None:
        return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type)
    return matmul(lhs, rhs, precision=precision, preferred_element_type=preferred_element_type)


def batch_matmul(lhs: Any, rhs: Any, precision: Any = None) -> Any:
    return anp.matmul(lhs, rhs, precision=precision_name("batch_matmul", precision))


def dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    a, b = widened((lhs, rhs), preferred_element_type)
    with with_precision("dot_general", precision):
        found = lax_products.dot_general(a, b, dimension_numbers)
    return _converted(found, preferred_element_type)


def conv_general_dilated(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: Any,
    lhs_dilation: Sequence[int] | None = None, rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None, feature_group_count: int = 1, batch_group_count: int = 1,
    precision: Any = None, preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    x, kernel = widened((lhs, rhs), preferred_element_type)
    with with_precision("conv_general_dilated", precision):
        found = lax_windows.conv_general_dilated(
            x, kernel, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
            feature_group_count, batch_group_count,
        )  # fmt: skip
    return _converted(found, preferred_element_type)


def conv(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: str, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, None, None, None, 1, 1, precision,
        preferred_element_type,
    )  # fmt: skip


def conv_with_general_padding(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: Any,
    lhs_dilation: Sequence[int] | None, rhs_dilation: Sequence[int] | None, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, None, 1, 1, precision,
        preferred_element_type,
    )  # fmt: skip


#: The function for calls of each name that its own does not take.
LONG_FORMS: dict[str, Callable[..., Any]] = {
    "associative_scan": associative_scan, "batch_matmul": batch_matmul, "cond": cond, "conv": conv,
    "conv_general_dilated": conv_general_dilated,
    "conv_with_general_padding": conv_with_general_padding, "dot": dot, "dot_general": dot_general,
    "full_like": full_like, "switch": switch,
}  # fmt: skip
