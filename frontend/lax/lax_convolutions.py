"""Transposed and local convolutions, and patches, with the names and the order of `jax.lax`.

The orders of axes and the paddings are those of `jax.lax`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import anvl.numpy as anp
from anvl.lax.lax_forms import conv_general_dilated
from anvl.lax.lax_products import dot_general
from anvl.lax.lax_windows import ConvDimensionNumbers, Padding, conv_dimension_numbers
from anvl.numpy.arrays.axes import ints_of
from anvl.numpy.functions.contraction_options import with_precision
from anvl.runtime import hiding_frames

__all__ = [
    "conv_general_dilated_local", "conv_general_dilated_patches", "conv_transpose",
    "padtype_to_pads",
]  # fmt: skip

DimensionNumbers = ConvDimensionNumbers | tuple[str, str, str] | None

_TRANSPOSED = {
    2: ("NC", "IO", "NC"), 3: ("NHC", "HIO", "NHC"), 4: ("NHWC", "HWIO", "NHWC"),
    5: ("NHWDC", "HWDIO", "NHWDC"),
}  # fmt: skip


@hiding_frames
def conv_transpose(
    lhs: Any, rhs: Any, strides: Sequence[int], padding: Padding,
    rhs_dilation: Sequence[int] | None = None, dimension_numbers: DimensionNumbers = None,
    transpose_kernel: bool = False, precision: Any = None, preferred_element_type: Any = None,
    use_consistent_padding: bool = False,
) -> Any:  # fmt: skip
    """Transposed convolution: lhs with zeros between its elements, cross-correlated with a kernel.

    Parameters
    ----------
    lhs, rhs : arrays of one number of axes
        The operand and the kernel.
    strides : sequence of int
        How far elements of lhs are put apart, for each spatial axis.
    padding : {"SAME", "VALID"} or pairs
        As text of the convolution to transpose; pairs are of lhs with its zeros.
    rhs_dilation : sequence of int, optional
        How far elements of the kernel are put apart.
    dimension_numbers : three texts, or of `conv_dimension_numbers`, optional
        By default ("NHWC", "HWIO", "NHWC") and alike for other numbers of axes.
    transpose_kernel : bool
        Flip the spatial axes of the kernel, and exchange its inputs and outputs.
    precision : Precision, str or None
    preferred_element_type : dtype of the result, optional
    use_consistent_padding : bool
        Pairs, too, are those of the convolution to transpose.

    Returns
    -------
    An array of the dtype that both are promoted to.

    Raises
    ------
    TypeError, ValueError
        Shapes, axes, strides, dilations or a padding that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> lax.conv_transpose(np.ones((1, 4, 4, 3)), np.ones((3, 3, 3, 8)), (2, 2), "SAME").shape
    (1, 8, 8, 8)
    """
    x, kernel = anp.asarray(lhs), anp.asarray(rhs)
    dims = _transposed_axes(x, kernel, dimension_numbers)
    steps = ints_of(strides, "conv_transpose")
    dilation = ints_of(rhs_dilation or (1,) * len(steps), "conv_transpose")
    pads: Any = padding
    _check_counts(x, strides=steps, rhs_dilation=dilation, padding=padding)
    if use_consistent_padding or isinstance(padding, str):
        each = [padding] * len(steps) if isinstance(padding, str) else padding
        sizes = (kernel.shape[a] for a in dims.rhs_spec[2:])
        pads = list(map(_ends, sizes, dilation, steps, each))
    if transpose_kernel:
        kernel = anp.flip(kernel, dims.rhs_spec[2:])
        kernel = anp.swapaxes(kernel, *dims.rhs_spec[:2])
    return conv_general_dilated(
        x, kernel, (1,) * len(steps), pads, steps, dilation, dims, 1, 1, precision,
        preferred_element_type,
    )  # fmt: skip


def _transposed_axes(x: Any, kernel: Any, numbers: DimensionNumbers) -> ConvDimensionNumbers:
    if numbers is None and x.ndim not in _TRANSPOSED:
        raise ValueError(
            f"conv_transpose: lhs is {x.aval}, of {x.ndim} axes; for other than 2 to 5 give "
            "dimension_numbers"
        )
    given = _TRANSPOSED[x.ndim] if numbers is None else numbers
    return conv_dimension_numbers(x.shape, kernel.shape, given)


def _check_counts(x: Any, **given: Any) -> None:
    for name, values in given.items():
        if not isinstance(values, str) and len(values) != x.ndim - 2:
            raise ValueError(
                f"conv_transpose: {name} is {values!r}; give one for each of the {x.ndim - 2} "
                f"spatial axes of {x.aval}"
            )


def _ends(size: int, dilation: int, stride: int, padding: Any) -> tuple[int, int]:
    """Padding of lhs with its zeros along an axis, for a kernel of this size."""
    span = (size - 1) * dilation + 1 if size else 0
    if not isinstance(padding, str):
        low, high = padding
        return span - low - 1, span - high - 1
    total = span + stride - 2
    if padding == "SAME":
        before = span - 1 if stride > span - 1 else -(-total // 2)
        return before, total - before
    if padding == "VALID":
        return span - 1, total + max(span - stride, 0) - span + 1
    raise ValueError(f"conv_transpose: padding {padding!r} is neither 'SAME' nor 'VALID' nor pairs")


@hiding_frames
def conv_general_dilated_patches(
    lhs: Any, filter_shape: Sequence[int], window_strides: Sequence[int], padding: Padding,
    lhs_dilation: Sequence[int] | None = None, rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: DimensionNumbers = None, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """Take the windows that a convolution sees, each as a vector of features.

    Parameters
    ----------
    lhs : array
        A batch of features.
    filter_shape : sequence of int
        The size of a window along each spatial axis, in the order of the kernel.
    window_strides, lhs_dilation, rhs_dilation : sequences of int
        One for each spatial axis, as of `conv_general_dilated`.
    padding : {"SAME", "VALID"} or pairs
        (low, high) for each spatial axis.
    dimension_numbers : tuple of three texts, or of `conv_dimension_numbers`, optional
        What the axes are; by default ("NCHW", "OIHW", "NCHW") and alike for other numbers of axes.
    precision : Precision, str or None
    preferred_element_type : dtype, optional
        Of the result.

    Returns
    -------
    An array with the features of all elements of a window along the axis of the features: those of
    the first feature first.

    Raises
    ------
    TypeError
        Shapes that do not fit.
    ValueError
        Axes, strides, dilations or a padding that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> x = np.arange(4.0).reshape(1, 1, 4)
    >>> print(lax.conv_general_dilated_patches(x, (2,), (1,), "VALID"))
    [[[0. 1. 2.]
      [1. 2. 3.]]]
    """
    x = anp.asarray(lhs)
    shape = ints_of(filter_shape, "conv_general_dilated_patches")
    dims = conv_dimension_numbers(x.shape, (1, 1, *shape), dimension_numbers)
    size, n_features = math.prod(shape), x.shape[dims.lhs_spec[1]]
    unit = anp.broadcast_to(anp.eye(size, dtype=x.dtype), (n_features, size, size))
    kernel = anp.reshape(unit, (n_features * size, 1, *shape))
    kernel = anp.moveaxis(kernel, (0, 1), dims.rhs_spec[:2])
    return conv_general_dilated(
        x, kernel, window_strides, padding, lhs_dilation, rhs_dilation, dims, n_features, 1,
        precision, preferred_element_type,
    )  # fmt: skip


@hiding_frames
def conv_general_dilated_local(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: Padding,
    filter_shape: Sequence[int], lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None, dimension_numbers: DimensionNumbers = None,
    precision: Any = None,
) -> Any:  # fmt: skip
    """Convolution with a kernel of its own at each place of the result.

    Parameters
    ----------
    lhs : array
        A batch of features.
    rhs : array
        The kernels: along the spatial axes the places of the result, along that of the inputs the
        features of all elements of a window, in the order of `conv_general_dilated_patches`.
    window_strides, padding, filter_shape, lhs_dilation, rhs_dilation, dimension_numbers
        As of `conv_general_dilated_patches`.
    precision : Precision, str or None

    Returns
    -------
    An array of the dtype that both are promoted to.

    Raises
    ------
    TypeError
        Shapes that do not fit.
    ValueError
        Axes, strides, dilations or a padding that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> x, kernels = np.ones((1, 1, 3)), np.asarray([[[1.0, 2.0], [3.0, 4.0]]])
    >>> print(lax.conv_general_dilated_local(x, kernels, (1,), "VALID", (2,)))
    [[[4. 6.]]]
    """
    x = anp.asarray(lhs)
    shape = ints_of(filter_shape, "conv_general_dilated_local")
    dims = conv_dimension_numbers(x.shape, (1, 1, *shape), dimension_numbers)
    patches = conv_general_dilated_patches(
        x, shape, window_strides, padding, lhs_dilation, rhs_dilation, dims, precision
    )
    places = sorted(zip(dims.out_spec[2:], dims.rhs_spec[2:], strict=True))
    batching = ([a for a, _ in places], [b for _, b in places])
    contracting = ((dims.out_spec[1],), (dims.rhs_spec[1],))
    with with_precision("conv_general_dilated_local", precision):
        found = dot_general(patches, rhs, (contracting, batching))
    return anp.moveaxis(found, (-2, -1), dims.out_spec[:2])


@hiding_frames
def padtype_to_pads(
    in_shape: Sequence[int], window_shape: Sequence[int], window_strides: Sequence[int],
    padding: str,
) -> list[tuple[int, int]]:  # fmt: skip
    """Padding at both ends of each axis for "SAME", "SAME_LOWER" or "VALID".

    "SAME" gives one window for each `window_strides` elements, with the larger half of the padding
    at the end, "SAME_LOWER" with it at the beginning.  Raises `ValueError` for another text.

    >>> from anvl import lax
    >>> lax.padtype_to_pads((8,), (4,), (1,), "SAME")
    [(1, 2)]
    """
    if not isinstance(padding, str) or padding.upper() not in ("SAME", "SAME_LOWER", "VALID"):
        raise ValueError(
            f"padtype_to_pads: padding is {padding!r}; it must be 'SAME', 'SAME_LOWER' or 'VALID'"
        )
    sizes, spans, steps = (
        ints_of(tuple(v), "padtype_to_pads") for v in (in_shape, window_shape, window_strides)
    )
    if padding.upper() == "VALID":
        return [(0, 0)] * len(sizes)
    found = []
    for size, span, step in zip(sizes, spans, steps, strict=True):
        missing = max((-(-size // step) - 1) * step + span - size, 0)
        ends = (missing // 2, missing - missing // 2)
        found.append(ends if padding.upper() == "SAME" else ends[::-1])
    return found
