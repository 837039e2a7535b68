"""Convolutions and reductions of windows with the names and the argument order of `jax.lax`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import windows
from anvl.runtime import hiding_frames

__all__ = [
    "ConvDimensionNumbers", "conv", "conv_dimension_numbers", "conv_general_dilated",
    "conv_with_general_padding", "reduce_window",
]  # fmt: skip

Padding = str | Sequence[tuple[int, int]]


class ConvDimensionNumbers(NamedTuple):
    """Positions of the axes of a convolution.

    Attributes
    ----------
    lhs_spec, out_spec : tuple of int
        Of the operand and of the result: the axes of the batch, the features, the space.
    rhs_spec : tuple of int
        Of the kernel: the axes of its outputs, its inputs, the space.
    """

    lhs_spec: tuple[int, ...]
    rhs_spec: tuple[int, ...]
    out_spec: tuple[int, ...]


@hiding_frames
def conv_dimension_numbers(
    lhs_shape: Sequence[int],
    rhs_shape: Sequence[int],
    dimension_numbers: ConvDimensionNumbers | tuple[str, str, str] | None,
) -> ConvDimensionNumbers:
    """Find the positions of the axes of a convolution from letters: ("NHWC", "HWIO", "NHWC").

    By default the batch and the features come first, and in the kernel its outputs and inputs.

    >>> from anvl import lax
    >>> lax.conv_dimension_numbers((1, 8, 8, 3), (3, 3, 3, 4), ("NHWC", "HWIO", "NHWC")).rhs_spec
    (3, 2, 0, 1)
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if len(rhs_shape) != rank:
        raise ValueError(
            f"conv_dimension_numbers: the shapes {tuple(lhs_shape)} and {tuple(rhs_shape)} have "
            "not one number of axes"
        )
    if dimension_numbers is None:
        return ConvDimensionNumbers(*(tuple(range(rank)),) * 3)
    texts = tuple(dimension_numbers)
    if len(texts) != 3 or not all(_names(t, f, rank) for t, f in zip(texts, _FIRST, strict=True)):
        raise ValueError(
            f"conv_dimension_numbers: {dimension_numbers!r} does not name the {rank} axes of the "
            "operand, the kernel and the result, as ('NHWC', 'HWIO', 'NHWC') does"
        )
    spatial = [letter for letter in texts[1] if letter not in "OI"]  # their order is the kernel's
    if any(sorted(spatial) != sorted(set(t) - set(f)) for t, f in zip(texts, _FIRST, strict=True)):
        raise ValueError(f"conv_dimension_numbers: the spatial axes of {texts} differ")
    return ConvDimensionNumbers(
        *(tuple(map(t.index, (*f, *spatial))) for t, f in zip(texts, _FIRST, strict=True))
    )


_FIRST = ("NC", "OI", "NC")


def _names(text: Any, first: str, rank: int) -> bool:
    if not isinstance(text, str) or len(text) != rank or len(set(text)) != rank:
        return False
    return set(first) <= set(text)


def _letters(spec: Sequence[int], first: str) -> str:
    """The layout of an array with its axes at these positions: spatial axes are a, b, ...."""
    letters = [*first, *(chr(ord("a") + i) for i in range(len(spec) - 2))]
    return "".join(letters[spec.index(i)] for i in range(len(spec)))


def _arranged(name: str, given: Any, order: Sequence[int]) -> Any:
    """One for each spatial axis, in their order in the operand."""
    if given is None:
        return 1
    if len(given) != len(order):
        raise ValueError(
            f"conv_general_dilated: {name} is {given!r}; it must have one entry for each of "
            f"{len(order)} spatial axes"
        )
    return tuple(given[i] for i in order)


@hiding_frames
def conv_general_dilated(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvDimensionNumbers | tuple[str, str, str] | None = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
) -> Any:
    """Cross-correlate an operand with a kernel; `anvl.windows.conv` says more.

    Parameters
    ----------
    lhs, rhs : arrays of one number of axes
        The operand and the kernel.
    window_strides, lhs_dilation, rhs_dilation : sequences of int
        One for each spatial axis.
    padding : {"SAME", "VALID"} or pairs
        (low, high) for each spatial axis.
    dimension_numbers : tuple of three texts, or of `conv_dimension_numbers`, optional
        What the axes are; by default ("NCHW", "OIHW", "NCHW") and alike for other numbers of axes.
    feature_group_count, batch_group_count : int
        Groups of the features and of the batch.

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
    >>> lax.conv_general_dilated(np.ones((1, 3, 8, 8)), np.ones((4, 3, 3, 3)), (2, 2), "SAME").shape
    (1, 4, 4, 4)
    """
    x, kernel = anp.asarray(lhs), anp.asarray(rhs)
    dims = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    layout = tuple(_letters(s, f) for s, f in zip(dims, _FIRST, strict=True))
    order = [ord(letter) - ord("a") for letter in layout[0] if letter.islower()]

    return windows.conv(
        x,
        kernel,
        strides=_arranged("window_strides", window_strides, order),
        padding=padding if isinstance(padding, str) else _arranged("padding", padding, order),
        dilation=_arranged("rhs_dilation", rhs_dilation, order),
        input_dilation=_arranged("lhs_dilation", lhs_dilation, order),
        groups=feature_group_count,
        batch_groups=batch_group_count,
        layout=layout,
    )


@hiding_frames
def conv(lhs: Any, rhs: Any, window_strides: Sequence[int], padding: str) -> Any:
    """Cross-correlate with the axes of the default of `conv_general_dilated`."""
    return conv_general_dilated(lhs, rhs, window_strides, padding)


@hiding_frames
def conv_with_general_padding(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
) -> Any:
    """Cross-correlate with the axes of the default of `conv_general_dilated`, and dilations."""
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation)


@hiding_frames
def reduce_window(
    operand: Any,
    init_value: Any,
    computation: Callable[[Any, Any], Any],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
    *,
    window_dilation: Sequence[int] | None = None,
) -> Any:
    """Reduce every window of an array with `computation`; `anvl.windows.reduce_window` says more.

    >>> from anvl import lax
    >>> print(lax.reduce_window(lax.iota("i32", 4), 0, lax.add, (2,), (2,), "VALID"))
    [1 5]
    """
    return windows.reduce_window(
        operand,
        computation,
        init_value,
        tuple(window_dimensions),
        strides=tuple(window_strides),
        padding=padding if isinstance(padding, str) else list(padding),
        dilation=1 if window_dilation is None else tuple(window_dilation),
    )
