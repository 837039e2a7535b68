"""Random vectors and matrices: correlated normal ones, orthogonal ones; public in `anvl.random`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.config import as_dtype
from anvl.core.promote import broadcast_shapes, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import element_type, kind
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of, sizes_of
from anvl.numpy.functions.emitting import prim
from anvl.random.distributions import normals
from anvl.random.fractions import wide_dtype
from anvl.random.key_reuse import draws
from anvl.random.parameters import drawn_shape, float_dtype
from anvl.random.prng import Source

__all__ = ["multivariate_normal", "orthogonal"]


@draws
@public("shape", "dtype", "method")
def multivariate_normal(
    key: Any, mean: Any, cov: Any, shape: Any = None, dtype: Any = None, method: str = "cholesky"
) -> Any:
    """Normal vectors of a mean and a covariance.

    Parameters
    ----------
    key : ui64[]
    mean : array
        [..., n].
    cov : array
        [..., n, n], symmetric and positive definite; for "eigh" and "svd" semidefinite.
    shape : sequence of int, optional
        To which both batches, `...`, broadcast.
    dtype : dtype, optional
        That of mean and cov by default.
    method : str
        How cov is factorized: "cholesky", "eigh" or "svd".

    Returns
    -------
    An array [*shape, n], differentiable in mean and cov; NaN where cov is not positive definite, or
    for "eigh" has a negative eigenvalue.

    Raises
    ------
    TypeError
        An invalid key, shapes that do not fit, a non-float dtype.
    ValueError
        Another method.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.random.multivariate_normal(anvl.random.key(0), np.zeros(2), np.eye(2), (3,)).shape
    (3, 2)
    """
    if method not in _FACTORS:
        raise ValueError(
            f"multivariate_normal: method is {method!r}; it must be one of {', '.join(_FACTORS)}"
        )
    (center, spread), _ = promoted("multivariate_normal", (mean, cov), "float", broadcast=False)
    n = center.shape[-1] if center.ndim else 0
    if not center.ndim or spread.shape[-2:] != (n, n):
        raise TypeError(
            f"multivariate_normal: mean is {center.aval} and cov {spread.aval}; they must be "
            "[..., n] and [..., n, n]"
        )
    wanted = float_dtype("multivariate_normal", center.dtype if dtype is None else dtype)
    wide = wide_dtype(wanted)
    least = broadcast_shapes(center.shape[:-1], spread.shape[:-2], function="multivariate_normal")
    sizes = drawn_shape("multivariate_normal", shape, least)
    factor = _FACTORS[method](convert(spread, wide))
    x = normals(Source(key, "multivariate_normal"), (*sizes, n), wide)
    turned = anp.squeeze(anp.matmul(factor, anp.expand_dims(x, -1)), -1)
    return convert(anp.add(convert(center, wide), turned), wanted)


def _by_eigenvalues(cov: Tracer) -> Any:
    values, vectors = anp.linalg.eigh(cov)
    return anp.multiply(vectors, anp.expand_dims(anp.sqrt(values), -2))


def _by_singular_values(cov: Tracer) -> Any:
    u, s, _ = anp.linalg.svd(cov)
    return anp.multiply(u, anp.expand_dims(anp.sqrt(s), -2))


def _by_cholesky(cov: Tracer) -> Any:
    return anp.linalg.cholesky(cov)


_FACTORS: dict[str, Callable[[Tracer], Any]] = {
    "cholesky": _by_cholesky, "eigh": _by_eigenvalues, "svd": _by_singular_values,
}  # fmt: skip


@draws
@public("n", "shape", "dtype", "m")
def orthogonal(key: Any, n: int, shape: Any = (), dtype: Any = None, m: int | None = None) -> Any:
    """Uniformly distributed orthogonal matrices: [*shape, n, m], of m = n by default.

    For m other than n the shorter of rows and columns are orthonormal.  Of a complex dtype the
    matrices are unitary.  Raises `TypeError` for an invalid key or dtype, `ValueError` for a
    negative size.  Source: F. Mezzadri, How to generate random matrices from the classical compact
    groups, Notices of the AMS 54 (2007).

    >>> import anvl, anvl.numpy as np
    >>> q = anvl.random.orthogonal(anvl.random.key(0), 3)
    >>> bool(np.allclose(q @ q.T, np.eye(3), atol=1e-5))
    True
    """
    rows = int_of(n, "n", "orthogonal", least=0)
    columns = rows if m is None else int_of(m, "m", "orthogonal", least=0)
    sizes = sizes_of(shape, "orthogonal")
    long, short = max(rows, columns), min(rows, columns)
    z = _gaussian(key, (*sizes, long, short), dtype)
    q, r = anp.linalg.qr(z)
    diagonal = anp.diagonal(r, axis1=-2, axis2=-1)
    size = anp.abs(diagonal)
    is_zero = anp.equal(size, 0)
    phase = anp.where(is_zero, 1, anp.divide(diagonal, anp.where(is_zero, 1, size)))
    q = anp.multiply(q, anp.expand_dims(phase, -2))
    wanted = z.dtype if dtype is None else as_dtype(dtype)
    return convert(q if rows >= columns else anp.matrix_transpose(q), wanted)


def _gaussian(key: Any, shape: tuple[int, ...], dtype: Any) -> Tracer:
    """Normal numbers of a float or complex dtype, of 32 bits at least."""
    if dtype is None or kind(element_type(as_dtype(dtype))) != "complex":
        return normals(Source(key, "orthogonal"), shape, float_dtype("orthogonal", dtype))
    part = np.dtype(np.float64 if as_dtype(dtype).itemsize == 16 else np.float32)
    parts = [normals(Source(key, "orthogonal", i), shape, part) for i in (0, 1)]
    return prim("complex", *parts)
