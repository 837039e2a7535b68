"""Convolutions of neural networks; public in `anvl.nn`.

They are `anvl.windows.conv`, padded so that the spatial axes keep their sizes, as layers are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import ints_of
from anvl.windows import Padding, Steps
from anvl.windows import conv as windows_conv

__all__ = ["conv", "conv_transpose"]


@public("strides", "padding", "dilation", "input_dilation", "groups", "layout", "precision")
def conv(
    x: Any, kernel: Any, *, strides: Steps = 1, padding: Padding | Sequence[int] | int = "SAME",
    dilation: Steps = 1, input_dilation: Steps = 1, groups: int = 1,
    layout: Sequence[str] | None = None, precision: str = "DEFAULT",
) -> Any:  # fmt: skip
    """Cross-correlate x with a kernel along the spatial axes, of which there are 1, 2, 3 or others.

    Parameters
    ----------
    x : array
        [N, spatial axes, C] by default; without the batch N if it has one axis less than the
        kernel.
    kernel : array
        [spatial axes, C / groups, features] by default.
    strides, dilation, input_dilation : int or sequence of int
        One number, or one for each spatial axis: of the windows, of the kernel, of x.
    padding : str, int or sequence
        Of the spatial axes: "SAME", so that there are size / stride results; "VALID", none; a
        number for both ends of all axes, or for each axis a number or a pair (low, high).
    groups : int
        Splits the channels: each group of features sees one group of channels.
    layout : sequence of str, optional
        The axes of x, of the kernel and, if it differs from that of x, of the result, as in
        ("NHWC", "HWIO"), the default for two spatial axes, or ("NCHW", "OIHW").
    precision : str
        "DEFAULT", "HIGH" or "HIGHEST".

    Returns
    -------
    An array, linear in x and in the kernel.

    Raises
    ------
    ValueError
        Features that do not fit, or an invalid layout, stride, dilation or padding.

    Notes
    -----
    Source: StableHLO specification, `convolution`.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.nn.conv(np.ones((8, 28, 28, 1)), np.ones((3, 3, 1, 16)), strides=2).shape
    (8, 14, 14, 16)
    >>> print(anvl.nn.conv(np.ones((4, 1)), np.ones((3, 1, 1))).ravel())
    [2. 3. 3. 2.]
    """
    (a, b), _ = promoted("conv", (x, kernel), broadcast=False)
    is_single = layout is None and a.ndim == b.ndim - 1
    y = windows_conv(
        anp.expand_dims(a, 0) if is_single else a, b, strides=strides,
        padding=_pairs("conv", padding, b.ndim - 2), dilation=dilation,
        input_dilation=input_dilation, groups=groups, layout=layout, precision=precision,
    )  # fmt: skip
    return anp.squeeze(y, 0) if is_single else y


def _pairs(name: str, padding: Any, n: int) -> Any:
    """Padding with a number for one axis, or for all, as pairs."""
    if isinstance(padding, str):
        return padding
    if isinstance(padding, int | np.integer) and not isinstance(padding, bool):
        return ((int(padding), int(padding)),) * n
    if not isinstance(padding, Sequence | np.ndarray):
        return padding  # refused by the convolution
    each = (ints_of(pair, name) for pair in padding)
    return tuple(pair * 2 if len(pair) == 1 else pair for pair in each)


@public("strides", "padding", "dilation", "groups", "layout", "transpose_kernel", "precision")
def conv_transpose(
    x: Any, kernel: Any, *, strides: Steps = 1, padding: Padding | Sequence[int] | int = "SAME",
    dilation: Steps = 1, groups: int = 1, layout: Sequence[str] | None = None,
    transpose_kernel: bool = False, precision: str = "DEFAULT",
) -> Any:  # fmt: skip
    """Transposed convolution: x with zeros between its elements, cross-correlated with the kernel.

    With `transpose_kernel` it is the derivative of `conv` of the same strides and padding in its
    first operand.

    Parameters
    ----------
    x, kernel : array
        As in `conv`; with `transpose_kernel` the kernel is that of the `conv` to transpose, whose
        features are the channels of x.
    strides : int or sequence of int
        The spatial sizes grow by these factors.
    padding : str, int or sequence
        "SAME": the result is size * stride; "VALID": it is size * stride + max(kernel - stride, 0);
        otherwise as in `conv`, of x with its zeros.
    dilation : int or sequence of int
        Of the kernel.
    groups : int
        As in `conv`.
    layout, precision
        As in `conv`.
    transpose_kernel : bool
        Flip the spatial axes of the kernel and exchange its channels and features.

    Returns
    -------
    An array, linear in x and in the kernel.

    Raises
    ------
    TypeError, ValueError
        As `conv`; `ValueError` also for `transpose_kernel` with groups.

    Notes
    -----
    The paddings are those of `jax.lax.conv_transpose`.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> x, kernel = np.asarray([1.0, 2.0]).reshape(1, 2, 1), np.ones((2, 1, 1))
    >>> print(anvl.nn.conv_transpose(x, kernel, strides=2).ravel())
    [1. 1. 2. 2.]
    """
    options = {"groups": groups, "layout": layout, "precision": precision}
    return _transposed(x, kernel, strides, padding, dilation, transpose_kernel, options)


def _transposed(
    x: Any, kernel: Any, strides: Steps, padding: Any, dilation: Steps, transpose_kernel: bool,
    options: dict[str, Any],
) -> Any:  # fmt: skip
    (a, b), _ = promoted("conv_transpose", (x, kernel), broadcast=False)
    letters = _kernel_letters(options["layout"], b)
    spatial = tuple(i for i, letter in enumerate(letters) if letter not in "IO")
    steps, dilations = (_each(v, len(spatial)) for v in (strides, dilation))
    if isinstance(padding, str) and padding in ("SAME", "VALID"):
        spans = [(b.shape[i] - 1) * d + 1 for i, d in zip(spatial, dilations, strict=True)]
        padding = tuple(_ends(k, s, padding) for k, s in zip(spans, steps, strict=True))
    if transpose_kernel:
        if options["groups"] != 1:
            raise ValueError(
                f"conv_transpose: transpose_kernel with {options['groups']} groups, not 1"
            )
        b = anp.swapaxes(anp.flip(b, spatial), letters.index("I"), letters.index("O"))
    return conv(a, b, padding=padding, dilation=dilation, input_dilation=strides, **options)


def _kernel_letters(layout: Sequence[str] | None, kernel: Tracer) -> str:
    if layout is None:
        return "?" * (kernel.ndim - 2) + "IO"
    found = tuple(layout)
    if len(found) < 2 or not isinstance(found[1], str) or len(found[1]) != kernel.ndim:
        raise ValueError(
            f"conv_transpose: layout {layout!r} does not name the axes of the kernel, {kernel.aval}"
        )
    return found[1]


def _each(steps: Steps, n: int) -> tuple[int, ...]:
    found = ints_of(steps, "conv_transpose")
    found = found * n if len(found) == 1 else found
    if len(found) != n or any(i < 1 for i in found):
        raise ValueError(f"conv_transpose: {steps!r} must be positive, one number or {n}")
    return found


def _ends(span: int, stride: int, padding: str) -> tuple[int, int]:
    """Padding of x with its zeros, for a kernel that spans so many elements."""
    total = span + stride - 2 + (max(span - stride, 0) if padding == "VALID" else 0)
    if padding == "VALID" or stride > span - 1:
        return span - 1, total - span + 1
    return -(-total // 2), total // 2
