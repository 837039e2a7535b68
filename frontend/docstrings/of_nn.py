"""Parameters and results of the functions of `anvl.nn`, its initializers, windows and segments."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["INITIALIZERS", "NN", "SEGMENTS", "WINDOWS"]

_WINDOW = {
    "axes": "sequence of int: The spatial axes; by default those of the layout.",
    "batch_groups": "int: Groups of the batch, whose products are put side by side.",
    "body": "callable: Takes two scalars; associative.",
    "count_include_pad": "bool: Whether padding counts in the divisor.",
    "dilation": "int or sequence of int: How far elements of a window are apart.",
    "groups": "int: Groups of features that do not see each other.",
    "input_dilation": "int or sequence of int: How far elements of x are put apart.",
    "kernel": "array: The spatial axes, features in and features out, as the layout says.",
    "layout": "str or sequence of str: Letters for the axes: N batch, C features, others spatial.",
    "padding": '{"VALID", "SAME"}, or pairs of int: Elements before and behind each axis.',
    "precision": '{"DEFAULT", "HIGH", "HIGHEST"}',
    "sizes": "int or sequence of int: The size of a window along each spatial axis.",
    "start": "number: The identity of the body, and the padding value.",
    "strides": "int or sequence of int: How far windows are apart.",
    "x": "array",
}
_PARAMETERS = {
    **_WINDOW,
    "alpha": "float or array: Broadcasts with x.",
    "approximate": "bool: Whether to use tanh in place of the error function.",
    "axis": "int: The axis, negative ones from the end.",
    "b": "float or array: How round the corner is; broadcasts with x.",
    "bias": "array: Added in the end, of the sizes of the channels.",
    "dtype": "dtype: A dtype, by default the default float one.",
    "epsilon": "float: Added before a root is taken.",
    "keepdims": "bool: Whether the axes stay, with size 1.",
    "negative_slope": "float or array: The slope below 0; broadcasts with x.",
    "num_classes": "int: The size of the new axis.",
    "scale": "array: Multiplied in the end.",
    "where": "array of bools: Which elements count; broadcasts to x.",
}
_AXES = {"axis": "int or sequence of int: The axes; None for all."}
_OWN = {
    "instance_norm": {"axis": "int or sequence of int: The axes of channels.",
                      "scale": "array: Multiplied in the end, of the sizes of the channels."},
    "logmeanexp": _AXES,
    "log_softmax": _AXES,
    "one_hot": {"x": "array of integers", "axis": "int: The position of the new axis."},
    "rms_norm": {"axis": "int or sequence of int: The axes of each root mean square."},
    "softmax": _AXES,
}  # fmt: skip
_RESULTS = {
    "Array of floats, of the shape of x.": (
        "gelu hard_sigmoid hard_silu hard_swish hard_tanh instance_norm log1mexp log_sigmoid "
        "log_softmax mish relu6 rms_norm selu sigmoid silu soft_sign softmax softplus "
        "sparse_plus sparse_sigmoid swish tanh"
    ),
    "Array of floats, of the shape that both arguments broadcast to.": (
        "celu elu leaky_relu squareplus"
    ),
    "Array of floats, of half the size along the axis.": "glu",
    "Array of the shape and dtype of x.": "identity relu",
    "Array of floats, without the reduced axes.": "logmeanexp",
    "Array of the shape of x with a new axis.": "one_hot",
    "Array with an element for each window.": "avg_pool max_pool mean_pool reduce_window",
    "Array of the batch, the features out, and the spatial axes.": "conv",
}
_OF_JAX = frozenset(
    "celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu log1mexp "
    "log_sigmoid log_softmax logmeanexp mish one_hot relu relu6 selu sigmoid silu soft_sign "
    "softmax softplus sparse_plus sparse_sigmoid squareplus standardize swish tanh "
    "dot_product_attention".split()
)


def _link(name: str) -> str | None:
    pages = "https://docs.jax.dev/en/latest/_autosummary/jax.nn."
    return f"{pages}{name}.html" if name in _OF_JAX else None


NN = Entries(_PARAMETERS, _OWN, by_name(_RESULTS), _link)
WINDOWS = Entries(_WINDOW, {}, by_name(_RESULTS), lambda name: None)

_INITIALIZER_PARAMETERS = {
    "batch_axis": "int or sequence of int: Axes that count for neither.",
    "column_axis": "int: The axis of the columns of the matrix.",
    "dtype": "dtype: The dtype where a call gives none, by default the default float one.",
    "in_axis": "int or sequence of int: The axes of inputs.",
    "key": "key: Ignored.",
    "lower": "float: The lower bound, in standard deviations.",
    "out_axis": "int or sequence of int: The axes of outputs.",
    "scale": "float or array",
    "shape": "sequence of int: The sizes of the axes.",
    "stddev": "float or array: The standard deviation.",
    "upper": "float: The upper bound, in standard deviations.",
    "value": "number or array: Broadcasts to the shape.",
}
_INITIALIZER_RESULTS = {
    "Array of `shape` and `dtype`.": "ones zeros",
    "An initializer: a function of a key, a shape and a dtype that makes an array.": (
        "constant delta_orthogonal glorot_normal glorot_uniform he_normal he_uniform "
        "kaiming_normal kaiming_uniform lecun_normal lecun_uniform normal orthogonal "
        "truncated_normal uniform variance_scaling xavier_normal xavier_uniform"
    ),
}


def _initializer_link(name: str) -> str:
    return f"https://docs.jax.dev/en/latest/_autosummary/jax.nn.initializers.{name}.html"


INITIALIZERS = Entries(
    _INITIALIZER_PARAMETERS, {}, by_name(_INITIALIZER_RESULTS), _initializer_link
)

_SEGMENT_PARAMETERS = {
    "bucket_size": "None: For JAX's signature.",
    "data": "array: Rows along the first axes.",
    "indices_are_sorted": "bool: A promise, which makes no difference to the result.",
    "mode": "str: What numbers out of range do, as of `segment_sum`.",
    "num_segments": "int: The number of segments, which a traced function needs.",
    "segment_ids": "array of integers: The number of the segment of each row.",
    "unique_indices": "bool: A promise, which makes no difference to the result.",
}


def _segment_link(name: str) -> str:
    return f"https://docs.jax.dev/en/latest/_autosummary/jax.ops.{name}.html"


SEGMENTS = Entries(
    _SEGMENT_PARAMETERS,
    {},
    by_name({"Array with a row for each segment.": "segment_max segment_min segment_prod"}),
    _segment_link,
)
