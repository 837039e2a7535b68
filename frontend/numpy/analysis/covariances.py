"""Covariances and correlations: NumPy's names.  Source: NumPy's manual, "Statistics"."""

from __future__ import annotations

import builtins
from typing import Any

from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.choice import clip
from anvl.numpy.arrays.diagonals import diag
from anvl.numpy.arrays.shaping import atleast_2d, expand_dims, matrix_transpose, squeeze
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.elementwise import conj, divide, imag, multiply, real, sqrt, subtract
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.products import matmul
from anvl.numpy.functions.reductions import sum

__all__ = ["corrcoef", "cov"]


@public("rowvar", "bias", "ddof")
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Any:
    """Covariance matrix of variables.

    Parameters
    ----------
    m : array
        A vector, of one variable, or a matrix with a variable in each row.
    y : array, optional
        More variables.
    rowvar : bool
        Whether variables are rows, not columns.
    bias : bool
        Whether to divide by the number of observations, not by one less.
    ddof : int, optional
        Divide by the number of observations less this, whatever `bias` says.
    fweights, aweights : array, optional
        Vectors of integers that say how often each observation occurred, and of its relative
        weights.

    Returns
    -------
    A matrix; an array without axes for one variable.

    Raises
    ------
    TypeError
        `fweights` are no integers.
    ValueError
        More than two axes, weights of another number than observations, or a `ddof` that is no
        integer.

    Notes
    -----
    Source: `numpy.cov`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.cov(np.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
    [[ 1. -1.]
     [-1.  1.]]
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof is {ddof!r}; it must be an integer")
    if isinstance(fweights, Tracer) and not is_kind(fweights, "int", "uint"):
        raise TypeError(f"cov: fweights are {fweights.aval}; counts are integers, others aweights")
    return _covariance(
        "cov", m, y, rowvar, int(not bias) if ddof is None else ddof, (fweights, aweights)
    )


def _variables(name: str, m: Any, rowvar: bool) -> Tracer:
    x = array_like(m, name)
    if x.ndim > 2:
        raise ValueError(f"{name}: takes a matrix of observations, got {x.aval}")
    is_row = x.ndim < 2
    matrix: Tracer = atleast_2d(x)
    return matrix if rowvar or is_row else matrix_transpose(matrix)


def _covariance(
    name: str, m: Any, y: Any, rowvar: bool, ddof: int, weights: tuple[Any, Any]
) -> Any:
    given = [_variables(name, v, rowvar) for v in (m, y) if v is not None]
    operands, _ = promoted(name, given, "float", broadcast=False)
    x = concatenate(operands, 0)
    count = x.shape[1]
    fweights, aweights = (_weights(name, w, x) for w in weights)
    both = [w for w in (fweights, aweights) if w is not None]
    if not both:
        total: Any = count
        norm: Any = builtins.max(count - ddof, 0)
        weighted = x
    else:
        w = both[0] if len(both) == 1 else multiply(*both)
        total = sum(w)
        weighted = multiply(x, w)
        lost: Any = ddof
        if aweights is not None:
            lost = divide(multiply(ddof, sum(multiply(w, aweights))), total)
        norm = subtract(total, lost)
    mean = divide(sum(weighted, axis=1, keepdims=True), total)
    off = subtract(x, mean)
    scaled = off if not both else multiply(off, w)
    return squeeze(divide(matmul(off, conj(matrix_transpose(scaled)), precision="HIGHEST"), norm))


def _weights(name: str, w: Any, x: Tracer) -> Any:
    """The weights of the columns of x, with the digits that x has."""
    if w is None:
        return None
    found, count = array_like(w, name), x.shape[1]
    if found.shape != (count,):
        raise ValueError(
            f"{name}: weights {found.aval} are not one for each of {count} observations"
        )
    (wide, _), _ = promoted(name, (found, real(x)), broadcast=False)
    return wide


@public("rowvar")
def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Correlation coefficients of variables: covariances, divided by both standard deviations.

    x, y and `rowvar` are as of `cov`, with its errors; the result is clipped to -1 to 1, and NaN
    for a variable that is constant.  Source: `numpy.corrcoef`.

    >>> import anvl.numpy as np
    >>> print(np.corrcoef(np.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
    [[ 1. -1.]
     [-1.  1.]]
    """
    c = _covariance("corrcoef", x, y, rowvar, 1, (None, None))
    if c.ndim == 0:
        return divide(c, c)
    deviation = sqrt(real(diag(c)))
    found = divide(divide(c, expand_dims(deviation, 1)), expand_dims(deviation, 0))
    if is_kind(found, "complex"):
        return prim("complex", clip(real(found), -1, 1), clip(imag(found), -1, 1))
    return clip(found, -1, 1)
