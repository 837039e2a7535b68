"""Convolution and correlation of vectors: NumPy's names.  For more axes see `anvl.windows.conv`.

Source: NumPy's manual; StableHLO specification, `convolution`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from anvl.core.promote import broadcast_to, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.params.window_params import ConvDims
from anvl.dispatch.eager import public
from anvl.numpy.arrays.shaping import flip, reshape
from anvl.numpy.functions.elementwise import astype, conj, mark_weak
from anvl.numpy.functions.emitting import is_kind, prim

__all__ = ["convolve", "correlate"]

_MODES = ("full", "same", "valid")
_SHORT = 16  # so many products of slices take no longer than a convolution
_DIMS = ConvDims(0, 1, (2,), 1, 0, (2,), 0, 1, (2,))  # batch, feature, position; out, in, position


@public("mode")
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Convolve two vectors: y[k] = the sum of a[j] v[k - j] over j.

    Linear in each.  Outside of the overlap, the shorter vector meets zeros if it has more than 16
    elements: its infinities and NaN then give NaN there, too.

    Parameters
    ----------
    a, v : array
        Vectors of n and m elements.
    mode : {"full", "same", "valid"}
        "full" gives all n + m - 1 elements, "same" the middle max(n, m) of these, "valid" those in
        which the two overlap completely.

    Returns
    -------
    A vector.

    Raises
    ------
    TypeError
        An operand is not a vector.
    ValueError
        An operand is empty, or the mode is another one.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.convolve(np.asarray([1, 2, 3]), np.asarray([0, 1])))
    [0 1 2 3]
    """
    x, y, weak = _vectors("convolve", a, v, mode)
    if y.size > x.size:
        x, y = y, x
    return _slid(x, flip(y), mode, weak)


@public("mode")
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Correlate two vectors: y[k] = the sum of a[k + j] conj(v[j]) over j.

    Modes and errors as of `convolve`; in "full", k begins at -(m - 1).

    >>> import anvl.numpy as np
    >>> print(np.correlate(np.asarray([1, 2, 3]), np.asarray([0, 1]), "full"))
    [1 2 3 0]
    """
    x, y, weak = _vectors("correlate", a, v, mode)
    if y.size <= x.size:
        return _slid(x, conj(y), mode, weak)
    return flip(_slid(conj(y), x, mode, weak))


def _vectors(name: str, a: Any, v: Any, mode: str) -> tuple[Tracer, Tracer, bool]:
    if mode not in _MODES:
        raise ValueError(f"{name}: mode {mode!r} is not one of {', '.join(_MODES)}")
    (x, y), weak = promoted(name, (a, v), broadcast=False)
    for operand in (x, y):
        if operand.ndim != 1:
            raise TypeError(f"{name}: takes vectors, got {operand.aval}; see anvl.windows.conv")
        if operand.size == 0:
            raise ValueError(f"{name}: {operand.aval} is empty")
    return x, y, weak


def _slid(x: Tracer, y: Tracer, mode: str, weak: bool) -> Any:
    """Slide y, the shorter vector, along x: the sums of products."""
    if is_kind(x, "bool"):
        i32 = np.dtype(np.int32)
        return astype(_slid(convert(x, i32), convert(y, i32), mode, weak), bool)
    n = y.size
    padding = {"full": (n - 1, n - 1), "same": (n // 2, (n - 1) // 2), "valid": (0, 0)}[mode]
    if n <= _SHORT:
        return mark_weak(_shifted_products(x, y, padding), weak)
    z = prim(
        "convolution",
        reshape(x, (1, 1, x.size)),
        reshape(y, (1, 1, n)),
        window_strides=(1,),
        padding=(padding,),
        lhs_dilation=(1,),
        rhs_dilation=(1,),
        window_reversal=(False,),
        dimension_numbers=_DIMS,
        feature_group_count=1,
        batch_group_count=1,
        precision_config="HIGHEST",
    )
    return reshape(z, (z.size,))


def _shifted_products(x: Tracer, y: Tracer, padding: tuple[int, int]) -> Tracer:
    """The same as a sum of shifted multiples of x.

    Neither padding nor cropped elements are multiplied: 0 times an infinity would be NaN, here or
    in derivatives.
    """
    narrow = is_kind(x, "float") and x.dtype.itemsize < 4
    wide = [convert(v, np.dtype(np.float32)) if narrow else v for v in (x, y)]
    low, high = padding[0], padding[1] - y.size + 1
    zero = constant(0, wide[0].dtype)
    terms = []
    for j in range(y.size):
        before, behind = low - j, high + j
        part = _part(wide[0], max(0, -before), x.size - max(0, -behind))
        term = prim("mul", part, broadcast_to(_part(wide[1], j, j + 1), part.shape))
        ends = {
            "edge_padding_low": (max(0, before),), "edge_padding_high": (max(0, behind),),
            "interior_padding": (0,),
        }  # fmt: skip
        terms.append(prim("pad", term, zero, **ends))
    return convert(functools.reduce(lambda x, y: prim("add", x, y), terms), x.dtype)


def _part(x: Tracer, start: int, limit: int) -> Any:
    return prim("slice", x, start_indices=(start,), limit_indices=(limit,), strides=(1,))
