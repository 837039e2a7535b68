"""`anvl.windows`: convolutions, and reductions of windows that slide over an array.

    >>> import anvl, anvl.numpy as np
    >>> images, kernel = np.ones((1, 4, 4, 1)), np.ones((3, 3, 1, 1))
    >>> anvl.windows.conv(images, kernel, padding="SAME")[0, :, :, 0]
    Array([[4., 6., 6., 4.],
           [6., 9., 9., 6.],
           [6., 9., 9., 6.],
           [4., 6., 6., 4.]], dtype=float32)

`padding` is "VALID" for none; "SAME" for as much as gives one result for each `strides` elements,
of which the larger half is at the end; or a pair (low, high) for each axis to slide along.
Source: StableHLO specification, `convolution` and `reduce_window`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core.config import precision_of
from anvl.core.promote import as_tracer, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.window_params import ConvDims
from anvl.dialect.core.types import element_type
from anvl.dialect.ops.reduction.reduce import extreme
from anvl.dispatch.body_tracing import with_bodies
from anvl.dispatch.eager import public
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_nn import WINDOWS as _ENTRIES
from anvl.numpy.arrays.axes import Axis, each_axis, ints_of
from anvl.numpy.functions.elementwise import divide, mark_weak
from anvl.numpy.functions.emitting import filled, is_kind, prim

__all__ = ["conv", "max_pool", "mean_pool", "reduce_window"]

Steps = int | Sequence[int]
Padding = str | Sequence[tuple[int, int]]

_LAYOUTS = {
    2: ("NC", "IO"), 3: ("NWC", "WIO"), 4: ("NHWC", "HWIO"), 5: ("NDHWC", "DHWIO"),
}  # fmt: skip
# A pooled array of one or two axes is a signal or an image of one channel.
_POOL_LAYOUTS = {1: "W", 2: "HW", 3: "NWC", 4: "NHWC", 5: "NDHWC"}


@public(
    "strides", "padding", "dilation", "input_dilation", "groups", "batch_groups", "layout",
    "precision",
)  # fmt: skip
def conv(
    x: Any,
    kernel: Any,
    *,
    strides: Steps = 1,
    padding: Padding = "VALID",
    dilation: Steps = 1,
    input_dilation: Steps = 1,
    groups: int = 1,
    batch_groups: int = 1,
    layout: Sequence[str] | None = None,
    precision: str = "DEFAULT",
) -> Any:
    """Cross-correlate x with a kernel along the spatial axes of x.

    `layout` names the axes of x, of the kernel and, if it differs from that of x, of the result: N
    is the batch, C the features of x, I and O the input and output features of the kernel; all
    other letters are the spatial axes, which all three share.  It is ("NHWC", "HWIO") by default,
    and alike for other numbers of spatial axes.  `strides`, `dilation` (of the kernel) and
    `input_dilation` are one number, or one for each spatial axis in the order of x.  `groups`
    splits the features: the kernel takes C / groups of them, and each group of its outputs sees one
    group of the inputs; `batch_groups` splits the batch likewise.  Both arrays are promoted to one
    dtype.  Linear in each. Raises `ValueError` for features that do not fit, or an
    invalid layout, stride, dilation or padding.  Source: StableHLO, `convolution`.

    >>> import anvl, anvl.numpy as np
    >>> x, kernel = np.arange(5.0).reshape(1, 5, 1), np.asarray([1.0, -1.0]).reshape(2, 1, 1)
    >>> print(anvl.windows.conv(x, kernel, strides=2).ravel())
    [-1. -1.]
    """
    (a, b), weak = promoted("conv", (x, kernel), broadcast=False)
    dims = _dims(layout, a, b)
    n = len(dims.input_spatial)
    steps, dilations, inner = (
        _steps("conv", word, given, n)
        for word, given in (
            ("strides", strides), ("dilation", dilation), ("input_dilation", input_dilation),
        )
    )  # fmt: skip
    sizes = [(s - 1) * i + 1 for s, i in zip(_sizes_of(a, dims.input_spatial), inner, strict=True)]
    spans = [
        (s - 1) * d + 1 for s, d in zip(_sizes_of(b, dims.kernel_spatial), dilations, strict=True)
    ]
    _check_features(a, b, dims, _count("groups", groups))
    result = prim(
        "convolution",
        a,
        b,
        window_strides=steps,
        padding=_padding("conv", padding, sizes, spans, steps),
        lhs_dilation=inner,
        rhs_dilation=dilations,
        window_reversal=(False,) * n,
        dimension_numbers=dims,
        feature_group_count=_count("groups", groups),
        batch_group_count=_count("batch_groups", batch_groups),
        precision_config=precision_of(precision),
    )
    return mark_weak(result, weak)


def _check_features(x: Tracer, kernel: Tracer, dims: ConvDims, groups: int) -> None:
    channels, wanted = x.shape[dims.input_feature], kernel.shape[dims.kernel_input_feature]
    if channels != wanted * groups:
        raise ValueError(
            f"conv: the kernel {kernel.aval} takes {wanted} features in each of {groups} groups, "
            f"but {x.aval} has {channels}; give groups or a layout that fits"
        )


def _sizes_of(x: Tracer, axes: Sequence[int]) -> list[int]:
    return [x.shape[a] for a in axes]


def _count(word: str, n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"conv: {word} {n!r} must be a positive integer")
    return int(n)


def _dims(layout: Sequence[str] | None, x: Tracer, kernel: Tracer) -> ConvDims:
    """Dimension numbers from the letters of a layout."""
    if layout is None and x.ndim not in _LAYOUTS:
        raise ValueError(
            f"conv: x is {x.aval}, of {x.ndim} axes; for other than 2 to 5 name them by `layout`"
        )
    given = _LAYOUTS[x.ndim] if layout is None else tuple(layout)
    if len(given) not in (2, 3) or not all(isinstance(text, str) for text in given):
        raise ValueError(f"conv: layout {layout!r} is not a pair or triple like ('NHWC', 'HWIO')")
    of_x, of_kernel, of_result = (*given, given[0])[:3]
    spatial = [letter for letter in of_x if letter not in "NC"]
    for text, roles in ((of_x, "NC"), (of_kernel, "IO"), (of_result, "NC")):
        _check_letters(text, roles, spatial)
    for name, operand, text in (("x", x, of_x), ("the kernel", kernel, of_kernel)):
        if operand.ndim != len(text):
            raise TypeError(f"conv: {name} is {operand.aval}, but its layout is {text!r}")

    def axes(text: str, first: str, second: str) -> tuple[int, int, tuple[int, ...]]:
        return text.index(first), text.index(second), tuple(map(text.index, spatial))

    return ConvDims(*axes(of_x, "N", "C"), *axes(of_kernel, "I", "O"), *axes(of_result, "N", "C"))


def _check_letters(text: str, roles: str, spatial: Sequence[str]) -> None:
    if sorted(text) != sorted([*spatial, *roles]):
        raise ValueError(
            f"conv: layout {text!r} must name {roles[0]}, {roles[1]} and the spatial axes "
            f"{', '.join(spatial) or 'of x, none'} once each"
        )


def _steps(name: str, word: str, given: Any, n: int) -> tuple[int, ...]:
    """One positive number for each of n axes."""
    found = ints_of(given, name)
    found = found * n if len(found) == 1 else found
    if len(found) != n or any(i < 1 for i in found):
        raise ValueError(f"{name}: {word} {given!r} must be positive, one number or {n}")
    return found


def _padding(
    name: str, given: Any, sizes: Sequence[int], spans: Sequence[int], strides: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    if given == "VALID":
        return ((0, 0),) * len(sizes)
    if given == "SAME":
        return tuple(map(_same, sizes, spans, strides))
    if isinstance(given, str):
        raise ValueError(f"{name}: padding {given!r} is neither 'SAME' nor 'VALID' nor pairs")
    if not isinstance(given, Sequence | np.ndarray):
        raise TypeError(
            f"{name}: padding is {given!r} of type {type(given).__name__}; it must be 'SAME', "
            f"'VALID' or a pair (low, high) for each of {len(sizes)} axes"
        )
    pairs = tuple(ints_of(pair, name) for pair in given)
    if len(pairs) != len(sizes) or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"{name}: padding {given!r} must be a pair (low, high) for each of {len(sizes)} axes"
        )
    return pairs  # type: ignore[return-value]


def _same(size: int, span: int, stride: int) -> tuple[int, int]:
    count = -(-size // stride)
    missing = max((count - 1) * stride + span - size, 0)
    return missing // 2, missing - missing // 2


# -- reductions ------------------------------------------------------------------------------------


@public("body", "start", "sizes", "strides", "padding", "dilation", "axes")
def reduce_window(
    x: Any,
    body: Callable[[Any, Any], Any],
    start: Any,
    sizes: Steps,
    *,
    strides: Steps = 1,
    padding: Padding = "VALID",
    dilation: Steps = 1,
    axes: Axis = None,
) -> Any:
    """Reduce every window of `sizes` along `axes` of x with `body`.

    `body(best, next)` maps two scalars to one and is associative; `start`, a number or an array of
    one that is not traced, is its identity, and the padding value.  `sizes`, `strides` and
    `dilation` are one number, or one for each of the axes; all axes by default.  The derivative is
    that of the body, right only if it is associative and `start` its identity, which is not
    checked.  For several arrays at once see
    `anvl.prim.reduce_window`. Raises `TypeError` for a body that does not return a scalar of the
    dtype of x, `ValueError` for bad axes, sizes and paddings, and for a window that is larger than
    its axis. Source: StableHLO, `reduce_window`.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.windows.reduce_window(np.asarray([1.0, 2.0, 3.0]), np.multiply, 1.0, 2))
    [2. 6.]
    """
    operand = as_tracer(x, "reduce_window")
    order = _slid("reduce_window", operand, axes)
    windows = _windows("reduce_window", operand, order, sizes, strides, padding, dilation)
    number = _start(start, operand)
    params = with_bodies(OPS["stablehlo.reduce_window"], {"body": body})
    return mark_weak(_reduced(operand, params["body"], number, windows), operand.weak_type)


def _start(given: Any, x: Tracer) -> Any:
    """The number that reduces to nothing: a number, or an array of one that is known by now."""
    if isinstance(given, Tracer):
        raise TypeError(
            f"reduce_window: start is a traced {given.aval}; it is the identity of the body, "
            "which is a number, such as 0 or -numpy.inf"
        )
    number = given.item() if getattr(given, "shape", None) == () else given
    if isinstance(number, complex) and is_kind(x, "complex"):
        return number
    if not isinstance(number, bool | int | float):
        raise TypeError(
            f"reduce_window: start is {number!r}; for x, which is {x.aval}, it must be one number"
        )
    return number


@public("sizes", "strides", "padding", "dilation", "axes", "layout")
def max_pool(
    x: Any,
    sizes: Steps,
    *,
    strides: Steps | None = None,
    padding: Padding = "VALID",
    dilation: Steps = 1,
    axes: Axis = None,
    layout: str | None = None,
) -> Any:
    """Maximum of every window of `sizes` along the spatial axes of x.

    The spatial axes are those of `layout` other than N, the batch, and C, the channels.  The
    default layout is "NHWC", for three axes "NWC", for five "NDHWC", for two "HW" and for one "W",
    without batch and channels.  `sizes` is one number, or one for each spatial axis; with one for
    each axis of x, or with `axes` in place of a layout, the window slides along those instead.
    `strides` are the sizes by default, so that windows do not overlap; they, `dilation` and
    `padding` are as in `reduce_window`, for the same axes as `sizes`.  x is real.  The derivative
    is shared among equals.
    Raises `TypeError` for complex numbers, `ValueError` for a layout that does not name each axis
    once, for bad axes, sizes and paddings, and for a window that is larger than its axis.
    Source: StableHLO, `reduce_window`.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.windows.max_pool(np.asarray([1, 5, 2, 3, 9]), 2))
    [5 3]
    >>> anvl.windows.max_pool(np.ones((4, 8, 8, 3)), 2).shape
    (4, 4, 4, 3)
    >>> anvl.windows.max_pool(np.ones((4, 3, 8, 8)), 2, layout="NCHW").shape
    (4, 3, 4, 4)
    """
    operand = as_tracer(x, "max_pool")
    if is_kind(operand, "complex"):
        what = "complex numbers have no order; pool their abs or real parts"
        raise TypeError(f"max_pool: {operand.aval} is complex; {what}")
    windows = _pool("max_pool", operand, sizes, strides, padding, dilation, axes, layout)
    lowest = extreme(element_type(operand.dtype), lowest=True)
    return mark_weak(
        _reduced(operand, OPS["anvl.maximum"].build, lowest, windows), operand.weak_type
    )


@public("sizes", "strides", "padding", "dilation", "axes", "layout", "count_include_pad")
def mean_pool(
    x: Any,
    sizes: Steps,
    *,
    strides: Steps | None = None,
    padding: Padding = "VALID",
    dilation: Steps = 1,
    axes: Axis = None,
    layout: str | None = None,
    count_include_pad: bool = False,
) -> Any:
    """Mean of every window of `sizes` along the spatial axes of x.

    Padding does not count: the sum is divided by the number of elements of x in the window; with
    `count_include_pad` by the number of its elements, padding or not.
    Other parameters and errors are those of `max_pool`.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.windows.mean_pool(np.asarray([1, 5, 2, 3, 9]), 2, padding="SAME"))
    [3.  2.5 9. ]
    """
    (operand,), weak = promoted("mean_pool", (x,), "float")
    windows = _pool("mean_pool", operand, sizes, strides, padding, dilation, axes, layout)
    narrow = operand.dtype.itemsize <= 2
    wide = convert(operand, np.dtype(np.float32)) if narrow else operand
    add = OPS["anvl.add"].build
    total = _reduced(wide, add, 0, windows)
    count: Any = math.prod(windows["window_dimensions"])
    if not count_include_pad:
        count = _reduced(filled(wide, 1), add, 0, windows)
    return mark_weak(convert(divide(total, count), operand.dtype), weak)


def _pool(
    name: str, x: Tracer, sizes: Any, strides: Any, padding: Any, dilation: Any, axes: Any,
    layout: Any,
) -> dict[str, Any]:  # fmt: skip
    """Parameters of `reduce_window` for a pool, along the spatial axes by default."""
    if axes is not None and layout is not None:
        raise ValueError(f"{name}: axes {axes!r} and layout {layout!r} both say where to slide")
    steps = sizes if strides is None else strides
    if axes is not None:
        return _windows(name, x, _slid(name, x, axes), sizes, steps, padding, dilation)
    n_sizes, order = len(ints_of(sizes, name)), _spatial_axes(name, x, layout)
    if n_sizes == x.ndim > 1:
        order = _slid(name, x, None)
    if n_sizes not in (1, len(order)):
        raise ValueError(
            f"{name}: sizes {sizes!r} must be one number, {len(order)} for the spatial axes, "
            f"or {x.ndim} for all axes of {x.aval}"
        )
    return _windows(name, x, order, sizes, steps, padding, dilation)


def _spatial_axes(name: str, x: Tracer, layout: Any) -> tuple[int, ...]:
    """The axes that a layout names otherwise than N and C."""
    if layout is None and x.ndim not in _POOL_LAYOUTS:
        raise ValueError(
            f"{name}: x is {x.aval}, of {x.ndim} axes; for other than 1 to 5 give `layout`"
        )
    letters = _POOL_LAYOUTS[x.ndim] if layout is None else layout
    if not isinstance(letters, str) or len(set(letters)) != len(letters):
        raise ValueError(f"{name}: layout {layout!r} is not a text of different letters, as 'NHWC'")
    if len(letters) != x.ndim:
        raise ValueError(f"{name}: layout {layout!r} names {len(letters)} axes, x is {x.aval}")
    spatial = tuple(i for i, letter in enumerate(letters) if letter not in "NC")
    if not spatial:
        raise ValueError(f"{name}: layout {layout!r} names no axis to slide along, only N and C")
    return spatial


def _slid(name: str, x: Tracer, axes: Any) -> tuple[int, ...]:
    """Axes of a window, in the order given; all for None."""
    return tuple(range(x.ndim)) if axes is None else each_axis(axes, x.ndim, name)


def _windows(
    name: str, x: Tracer, order: tuple[int, ...], sizes: Any, strides: Any, padding: Any,
    dilation: Any,
) -> dict[str, Any]:  # fmt: skip
    """Parameters of `reduce_window`, for windows along the axes `order`."""
    n = len(order)
    lengths, steps, dilations = (
        _steps(name, word, value, n)
        for word, value in (("sizes", sizes), ("strides", strides), ("dilation", dilation))
    )
    spans = [(k - 1) * d + 1 for k, d in zip(lengths, dilations, strict=True)]
    pairs = _padding(name, padding, _sizes_of(x, order), spans, steps)
    if padding != "SAME":
        _check_room(name, x, order, spans, pairs)

    def whole(values: Sequence[Any], other: Any) -> tuple[Any, ...]:
        found = dict(zip(order, values, strict=True))
        return tuple(found.get(a, other) for a in range(x.ndim))

    return {
        "window_dimensions": whole(lengths, 1),
        "window_strides": whole(steps, 1),
        "window_dilations": whole(dilations, 1),
        "padding": whole(pairs, (0, 0)),
    }


def _check_room(
    name: str, x: Tracer, order: tuple[int, ...], spans: Sequence[int], pairs: Sequence[Any]
) -> None:
    """Refuse a window larger than its axis; a window of one element is allowed on an empty axis."""
    for axis, span, (low, high) in zip(order, spans, pairs, strict=True):
        size = x.shape[axis]
        if span > max(size + low + high, 1):
            padded = f", padded by {low} and {high}" if low or high else ""
            raise ValueError(
                f"{name}: a window that spans {span} elements is larger than axis {axis} of "
                f"{x.aval}, which has {size}{padded}; "
                "slide along other axes, by `axes`, or pad, by padding='SAME'"
            )


def _reduced(x: Tracer, body: Any, start: complex, windows: dict[str, Any]) -> Tracer:
    return prim("reduce_window", x, constant(start, x.dtype), **windows, body=body)[0]


_complete(__all__, globals(), _ENTRIES)


def __dir__() -> list[str]:
    return sorted(__all__)
