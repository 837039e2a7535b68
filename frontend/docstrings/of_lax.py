"""Parameters, results and examples of the functions of `anvl.lax`."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["LAX"]

_PARAMETERS = {
    "arr": "array",
    "array": "array",
    "axes": "sequence of int: Axes, negative ones from the end.",
    "axis": "int: The axis, negative ones from the end.",
    "axis_index_groups": "list of lists of int: The members of each group; by default all are one.",
    "axis_name": "str or tuple of str: The axis of `vmap(axis_name=)`, or of the mesh.",
    "dimension": "int: The axis, negative ones from the end.",
    "dimensions": "sequence of int: The axes.",
    "dtype": "dtype",
    "index": "int or array: An integer, which may be traced.",
    "index_dtype": "dtype: An integer dtype.",
    "keepdims": "bool: Whether the axis stays, with size 1.",
    "lhs": "array",
    "new_dtype": "dtype",
    "new_sizes": "sequence of int: The new shape, of as many elements.",
    "operand": "array",
    "reverse": "bool: Whether to begin at the end.",
    "rhs": "array",
    "scatter_dimension": "int: The axis whose parts go to the members, one to each.",
    "shape": "sequence of int: The sizes of the axes.",
    "start_index": "int or array: An integer, which may be traced.",
    "start_indices": "sequence of int or arrays: An integer for each axis; they may be traced.",
    "tiled": "bool: Whether parts of several elements are cut and joined along axes of x.",
    "update": "array: What is put there; converted to the dtype of the operand.",
    "x": "array",
    "y": "array: Broadcasts with x.",
}
_NAMED = {"x": "array or pytree of arrays"}
_CONV = {
    "lhs": "array: A batch of features: [batch, features, *spatial].",
    "rhs": "array: The kernel: [outputs, inputs, *spatial].",
    "window_strides": "sequence of int: For each spatial axis.",
    "padding": 'sequence of pairs of int, or {"SAME", "VALID"}',
    "lhs_dilation": "sequence of int: How far elements of lhs are put apart.",
    "rhs_dilation": "sequence of int: How far elements of the kernel are put apart.",
}
_STATIC_SLICE = {
    "start_indices": "sequence of int: The first element along each axis.",
    "limit_indices": "sequence of int: The element behind the last one.",
    "strides": "sequence of int: Steps; by default 1.",
}
_OWN = {
    **dict.fromkeys(("pmax", "pmean", "pmin", "psum_scatter"), _NAMED),
    "all_gather": _NAMED | {"axis": "int: Where the parts lie in the result."},
    "all_to_all": _NAMED
    | {
        "split_axis": "int: The axis whose parts go to the members, one to each.",
        "concat_axis": "int: The axis of the result along which the parts lie.",
    },
    "ppermute": _NAMED | {"perm": "sequence of pairs of int: Source and target."},
    "pshuffle": _NAMED | {"perm": "sequence of int: For each member, whose x it gets."},
    "bitcast_convert_type": {"new_dtype": "dtype: Of numbers, neither complex nor bool."},
    "broadcast_like": {"like_arr": "array: Its shape is the shape of the result."},
    "broadcast_to_rank": {"rank": "int: The least number of axes of the result."},
    "broadcast": {"sizes": "sequence of int: The sizes of the new axes."},
    "broadcast_in_dim": {"broadcast_dimensions": "sequence of int: One for each axis of operand."},
    "clamp": {
        "min": "array: The lower bound.",
        "x": "array",
        "max": "array: The upper bound.",
    },
    "collapse": {
        "start_dimension": "int: The first axis, negative ones from the end.",
        "stop_dimension": "int or None: The axis behind the last one.",
    },
    "complex": {"x": "array: The real parts.", "y": "array: The imaginary parts."},
    "concatenate": {"operands": "sequence of arrays"},
    "conv": _CONV,
    "conv_dimension_numbers": {
        "lhs_shape": "sequence of int",
        "rhs_shape": "sequence of int",
        "dimension_numbers": "triple of str, or None: Letters for the axes of lhs, rhs and result.",
    },
    "conv_with_general_padding": _CONV,
    "index_take": {
        "src": "array",
        "idxs": "sequence of arrays: Vectors of integers, of one size.",
        "axes": "sequence of int: For each vector, the axis that it indexes.",
    },
    "integer_pow": {"x": "array", "y": "int: The exponent."},
    "igamma_grad_a": {"a": "array: Positive.", "x": "array: Broadcasts with a."},
    "padtype_to_pads": {
        "in_shape": "sequence of int: The sizes of the axes.",
        "window_shape": "sequence of int: The sizes of a window.",
        "window_strides": "sequence of int: How far windows are apart.",
        "padding": '{"SAME", "SAME_LOWER", "VALID"}',
    },
    "polynomial": {
        "x": "array",
        "coeffs": "sequence of numbers or arrays: From the constant on; they broadcast with x.",
        "unroll": "int or None: Without effect.",
    },
    "pswapaxes": _NAMED | {"axis": "int: The axis of x."},
    "random_gamma_grad": {"a": "array: Positive.", "x": "array: Samples; broadcasts with a."},
    "reduce_precision": {
        "operand": "array of floats",
        "exponent_bits": "int: The number of bits of the exponent, at least 1.",
        "mantissa_bits": "int: The number of bits of the mantissa.",
    },
    "round": {"x": "array", "rounding_method": "RoundingMethod: What halves are rounded to."},
    "select_n": {
        "which": "array of bools or i32: The number of the case.",
        "*cases": "arrays of one shape",
        "cases": "arrays of one shape",
    },
    "sort_key_val": {
        "keys": "array",
        "values": "array: Of the shape of the keys.",
        "is_stable": "bool: Equals keep their order either way.",
    },
    "stack": {"operands": "sequence of arrays", "axis": "int: The new axis."},
    "tile": {"reps": "sequence of int: How often, along each axis."},
    "dot_general": {"dimension_numbers": "((axes, axes), (axes, axes)): See above."},
    "dynamic_slice": {"slice_sizes": "sequence of int: The size of the window along each axis."},
    "dynamic_slice_in_dim": {"slice_size": "int: The size of the window."},
    "expand_dims": {"dimensions": "sequence of int: Positions in the result."},
    "index_in_dim": {"index": "int: The index, negative ones from the end."},
    "iota": {"size": "int: How many."},
    "pad": {
        "padding_value": "number or array: An array has no axes.",
        "padding_config": "sequence of triples of int: (low, high, interior) for each axis.",
    },
    "reduce": {
        "operands": "array, or sequence of arrays",
        "init_values": "number, or sequence of numbers: The identity of the computation.",
        "computation": "callable: Takes two scalars of each operand; associative.",
    },
    "reduce_window": {
        "init_value": "number: The identity of the computation.",
        "computation": "callable: Takes two scalars; associative.",
        "window_dimensions": "sequence of int: The size of a window along each axis.",
        "window_strides": "sequence of int: How far windows are apart.",
        "padding": 'sequence of pairs of int, or {"SAME", "VALID"}',
        "window_dilation": "sequence of int: How far elements of a window are apart.",
    },
    "select": {
        "pred": "array of bools: Without axes, or of the shape of the others.",
        "on_true": "array",
        "on_false": "array",
    },
    "slice": _STATIC_SLICE,
    "slice_in_dim": {
        "start_index": "int: The first element; by default 0 for None.",
        "limit_index": "int: The element behind the last one; the end for None.",
        "stride": "int: The step.",
    },
    "sort": {"is_stable": "bool: Whether equal elements keep their order."},
    "split": {"sizes": "sequence of int: The sizes of the parts."},
    "squeeze": {"dimensions": "sequence of int: Axes of size 1."},
    "transpose": {"permutation": "sequence of int: The order of axes."},
}

_RESULTS = {
    "Array of the shape that x and y broadcast to, in the dtype that theirs promote to.": (
        "div rem shift_right_arithmetic shift_right_logical"
    ),
    "Array of the shape of x; integers and bools give floats.": "one_minus_square rsqrt round",
    "Array of the shape that x and the coefficients broadcast to, of floats.": "polynomial",
    "Array of the shape and dtype of x.": "clz integer_pow",
    "Array of the shape that x and y broadcast to.": "complex mulhi",
    "Array of the shape that a and x broadcast to.": "igamma_grad_a random_gamma_grad",
    "Array of the elements that the bits are.": "bitcast_convert_type",
    "Array of the shape of the cases, in the dtype that theirs promote to.": "select_n",
    "Array without the axes, in the dtype of the operand.": (
        "reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_xor"
    ),
    "Array of the shape of `like_arr`, in the dtype of `arr`.": "broadcast_like",
    "Array of at least `rank` axes.": "broadcast_to_rank",
    "Array of as many elements, in the dtype of the operand.": "collapse",
    "Array of zeros.": "empty",
    "numpy.dtype": "dtype",
    "Array of the dtype of the operand, repeated.": "tile",
    "Array of one more axis.": "stack",
    "Tuple of arrays without the axis.": "unstack",
    "Array of the dtype of `src`.": "index_take",
    "List of pairs of int.": "padtype_to_pads",
    "Pair of arrays, the keys and the values.": "sort_key_val",
    "Array of the shape and dtype that the three have together.": "clamp",
    "Of the structure, shapes and dtypes of x.": "pmax pmin ppermute pshuffle pswapaxes",
    "Of the structure and shapes of x; integers and bools give floats.": "pmean",
    "Of the structure and dtypes of x.": "all_gather all_to_all psum_scatter",
    "Scalar i32.": "axis_index",
    "int": "axis_size",
    "Array without the axis, of the dtype `index_dtype`.": "argmax argmin",
    "Array of shape (..., m, n).": "batch_matmul",
    "Array of the new axes, then those of the operand, in its dtype.": "broadcast",
    "Array of `shape`, in the dtype of the operand.": "broadcast_in_dim",
    "Array of `shape` and `dtype`.": "broadcasted_iota",
    "Array of the dtype that the operands promote to.": "concatenate",
    "Array: [batch, outputs, *spatial].": "conv conv_with_general_padding",
    "ConvDimensionNumbers: the positions of the axes of lhs, rhs and result.": (
        "conv_dimension_numbers"
    ),
    "Array of the shape of the operand, in `new_dtype`.": "convert_element_type",
    "Array of the shape of the operand; dtypes as of the function of `anvl.numpy`.": (
        "cumlogsumexp cummax cummin cumprod cumsum"
    ),
    "Array of the axes that are not summed over.": "dot dot_general",
    "Array of the dtype of the operand, without the axis or with it.": (
        "dynamic_index_in_dim index_in_dim"
    ),
    "Array of `slice_sizes`, in the dtype of the operand.": "dynamic_slice",
    "Array of the dtype of the operand, of another size along the axis.": (
        "dynamic_slice_in_dim slice_in_dim"
    ),
    "Array of the shape and dtype of the operand.": (
        "dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim "
        "reduce_precision rev sort"
    ),
    "Array of the dtype of the argument.": "expand_dims squeeze transpose",
    "Vector of `size` elements.": "iota",
    "Array of the dtype of the operand.": "pad slice",
    "Array without the axes, or a list of them.": "reduce",
    "Array with an element for each window.": "reduce_window",
    "Array of shape `new_sizes`, in the dtype of the operand.": "reshape",
    "Array of the shape and dtype of `on_true` and `on_false`.": "select",
    "List of arrays.": "split",
}

#: For those that have none in the source: arguments, and what is printed.
_CALLS = {
    "argmax": "np.asarray([1, 3, 2]), 0, 'i32' -> 1",
    "argmin": "np.asarray([1, 3, 2]), 0, 'i32' -> 0",
    "batch_matmul": "np.ones((1, 1, 2)), np.ones((1, 2, 1)) -> [[[2.]]]",
    "broadcast": "np.asarray([1, 2]), (2,) -> [[1 2]\n [1 2]]",
    "conv": "np.ones((1, 1, 3)), np.ones((1, 1, 2)), (1,), 'VALID' -> [[[2. 2.]]]",
    "conv_with_general_padding": "np.ones((1, 1, 3)), np.ones((1, 1, 2)), (1,), [(1, 0)], (1,), (1,) -> [[[1. 2. 2.]]]",
    "convert_element_type": "np.asarray([1.5, -1.5]), 'i32' -> [ 1 -1]",
    "cumlogsumexp": "np.zeros(1) -> [0.]",
    "cummax": "np.asarray([1, 3, 2]) -> [1 3 3]",
    "cummin": "np.asarray([3, 1, 2]) -> [3 1 1]",
    "cumprod": "np.asarray([1, 2, 3]) -> [1 2 6]",
    "cumsum": "np.asarray([1, 2, 3]), reverse=True -> [6 5 3]",
    "dot": "np.asarray([1, 2]), np.asarray([3, 4]) -> 11",
    "dynamic_index_in_dim": "np.asarray([1, 2, 3]), 1 -> [2]",
    "dynamic_slice_in_dim": "np.asarray([1, 2, 3]), 1, 2 -> [2 3]",
    "dynamic_update_index_in_dim": "np.asarray([1, 2, 3]), 7, 1, 0 -> [1 7 3]",
    "dynamic_update_slice_in_dim": "np.asarray([1, 2, 3]), np.asarray([7, 8]), 1, 0 -> [1 7 8]",
    "expand_dims": "np.asarray([1, 2]), (1,) -> [[1]\n [2]]",
    "index_in_dim": "np.asarray([1, 2, 3]), 1, keepdims=False -> 2",
    "iota": "'i32', 3 -> [0 1 2]",
    "reshape": "np.asarray([1, 2, 3, 4]), (2, 2) -> [[1 2]\n [3 4]]",
    "rev": "np.asarray([1, 2, 3]), (0,) -> [3 2 1]",
    "select": "np.asarray([True, False]), np.asarray([1, 2]), np.asarray([3, 4]) -> [1 4]",
    "slice": "np.asarray([1, 2, 3, 4]), (0,), (4,), (2,) -> [1 3]",
    "slice_in_dim": "np.asarray([1, 2, 3, 4]), 1, 3 -> [2 3]",
    "sort": "np.asarray([3, 1, 2]) -> [1 2 3]",
    "split": "np.asarray([1, 2, 3]), (1, 2) -> [Array([1], dtype=int32), Array([2, 3], dtype=int32)]",
    "squeeze": "np.asarray([[1, 2]]), (0,) -> [1 2]",
    "transpose": "np.asarray([[1, 2]]), (1, 0) -> [[1]\n [2]]",
}


def _example(name: str, call: str) -> str:
    arguments, _, printed = call.partition(" -> ")
    imports = ">>> import anvl.numpy as np\n>>> from anvl import lax"
    return f"{imports}\n>>> print(lax.{name}({arguments}))\n{printed}"


def _link(name: str) -> str:
    return f"https://docs.jax.dev/en/latest/_autosummary/jax.lax.{name}.html"


_EXAMPLES = {name: _example(name, call) for name, call in _CALLS.items()}

LAX = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link, _EXAMPLES)
