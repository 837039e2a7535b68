"""Convolution and correlation of vectors: NumPy's names.  For more axes see `anvl.windows.conv`.

Source: NumPy's manual; StableHLO specification, `convolution`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.dialect.params_window import ConvDims
from anvl.numpy.elementwise import astype, conj
from anvl.numpy.emitting import is_kind, prim
from anvl.numpy.shaping import flip, reshape
from anvl.promote import convert, promoted
from anvl.public import public
from anvl.tracer import Tracer

__all__ = ["convolve", "correlate"]

_MODES = ("full", "same", "valid")
_DIMS = ConvDims(0, 1, (2,), 1, 0, (2,), 0, 1, (2,))  # batch, feature, place; out, in, place


@public("mode")
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """y[k] = the sum of a[j] v[k - j] over j, of two vectors.

    Of n and m elements, "full" gives all n + m - 1, "same" the middle max(n, m) of these, "valid"
    those in which the two overlap completely.  Linear in each.  Where they do not, the rest of the
    shorter one meets zeros: what is infinite or NaN in it gives NaN there, too.
    Raises `TypeError` for what is no vector, `ValueError` for an empty one or another mode.

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
    """y[k] = the sum of a[k + j] conj(v[j]) over j, of two vectors.

    Modes and errors as those of `convolve`; in "full", k begins at -(m - 1).

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
        raise ValueError(f"{name}: mode {mode!r} is none of {', '.join(_MODES)}")
    (x, y), weak = promoted(name, (a, v), broadcast=False)
    for operand in (x, y):
        if operand.ndim != 1:
            raise TypeError(f"{name}: takes vectors, got {operand.aval}; see anvl.windows.conv")
        if operand.size == 0:
            raise ValueError(f"{name}: {operand.aval} is empty")
    return x, y, weak


def _slid(x: Tracer, y: Tracer, mode: str, weak: bool) -> Any:
    """y, no longer than x, laid on x at each place: the sums of products."""
    if is_kind(x, "bool"):
        counts = (convert(v, np.dtype(np.int32)) for v in (x, y))
        return astype(_slid(*counts, mode, weak), bool)
    n = y.size
    padding = {"full": (n - 1, n - 1), "same": (n // 2, (n - 1) // 2), "valid": (0, 0)}[mode]
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
