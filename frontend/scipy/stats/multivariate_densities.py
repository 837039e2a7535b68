"""Distributions of vectors."""

from __future__ import annotations

import math
from typing import Any

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.scipy.linalg.linear_systems import solve_triangular
from anvl.scipy.special.entropies import xlogy
from anvl.scipy.special.evaluation import nan_unless
from anvl.scipy.stats.distribution_base import Named

__all__ = ["dirichlet", "multinomial", "multivariate_normal"]


@public()
def _normal_logpdf(x: Any, mean: Any, cov: Any) -> Any:
    (x, mean, cov), _ = promoted("multivariate_normal", (x, mean, cov), "float", broadcast=False)
    if cov.ndim < 2:
        size = mean.shape[-1] if mean.ndim else x.shape[-1] if x.ndim and not cov.ndim else 1
        if mean.ndim == 0 and x.ndim <= 1:  # one dimension
            off = anp.subtract(x, mean)
            return -0.5 * (anp.square(off) / cov + anp.log(2 * math.pi * cov))
        cov = anp.multiply(anp.eye(size, dtype=cov.dtype), cov)
    size = cov.shape[-1]
    if cov.shape[-2] != size or (x.ndim and x.shape[-1] != size):
        raise ValueError(
            f"multivariate_normal: x has shape {list(x.shape)}, cov {list(cov.shape)}; the last "
            "axis of x and both of cov are the dimension"
        )
    off = anp.expand_dims(anp.subtract(x, mean), -1)
    factor = anp.linalg.cholesky(cov)
    shape = anp.broadcast_arrays(off[..., 0, 0], factor[..., 0, 0])[0].shape
    off = anp.broadcast_to(off, (*shape, size, 1))
    white = solve_triangular(factor, off, lower=True)
    length = anp.sum(anp.square(white), axis=(-2, -1))
    logs = anp.sum(anp.log(anp.diagonal(factor, axis1=-2, axis2=-1)), axis=-1)
    return -0.5 * (length + size * math.log(2 * math.pi)) - logs


class MultivariateNormal(Named):
    """Normal distribution of vectors: functions `logpdf` and `pdf`."""

    def logpdf(self, x: Any, mean: Any = 0.0, cov: Any = 1.0, allow_singular: Any = None) -> Any:
        """Logarithm of the density; NaN where cov is not positive definite.

        Parameters
        ----------
        x : array of shape (..., n)
        mean : array of shape (..., n), or a number
        cov : array of shape (..., n, n), or a number times the identity
        allow_singular : None or False

        Raises
        ------
        NotImplementedError
            `allow_singular` is true.
        ValueError
            The shapes do not fit.

        Examples
        --------
        >>> import anvl.numpy as np
        >>> from anvl.scipy import stats
        >>> z = np.zeros(2)
        >>> print(round(float(stats.multivariate_normal.logpdf(z, z, np.eye(2))), 5))
        -1.83788
        """
        if allow_singular:
            raise NotImplementedError(
                "multivariate_normal.logpdf: allow_singular is true; only regular covariances have "
                "a density here"
            )
        return _normal_logpdf(x, mean, cov)

    def pdf(self, x: Any, mean: Any = 0.0, cov: Any = 1.0) -> Any:
        """The density: parameters as in `logpdf`."""
        return anp.exp(self.logpdf(x, mean, cov))


@public()
def _dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    (x, alpha), _ = promoted("dirichlet", (x, alpha), "float", broadcast=False)
    if alpha.ndim != 1 or not alpha.size or x.shape[:1] not in (alpha.shape, (alpha.shape[0] - 1,)):
        raise ValueError(
            f"dirichlet: x has shape {list(x.shape)}, alpha {list(alpha.shape)}; the first axis of "
            "x is as long as the vector alpha, or one shorter"
        )
    if x.shape[0] == alpha.shape[0] - 1:
        x = anp.concatenate([x, 1 - anp.sum(x, axis=0, keepdims=True)], axis=0)
    norm = anp.sum(anp.gammaln(alpha)) - anp.gammaln(anp.sum(alpha))
    column = anp.reshape(alpha - 1, (-1,) + (1,) * (x.ndim - 1))
    tolerance = 16 * float(anp.finfo(x.dtype).eps) * x.shape[0]
    off = anp.abs(anp.sum(x, axis=0) - 1)
    inside = anp.logical_and(anp.all(anp.greater_equal(x, 0), axis=0), anp.less(off, tolerance))
    safe = anp.where(anp.expand_dims(inside, 0), x, 1 / x.shape[0])
    found = anp.sum(xlogy(anp.broadcast_to(column, x.shape), safe), axis=0) - norm
    found = anp.where(inside, found, -anp.inf)
    total = anp.sum(x, axis=0)
    allowed = anp.logical_and(anp.all(anp.greater(alpha, 0)), anp.logical_not(anp.isnan(total)))
    return nan_unless(allowed, found, total, anp.sum(alpha))


class Dirichlet(Named):
    """Dirichlet distribution on vectors of sum 1: functions `logpdf` and `pdf`."""

    def logpdf(self, x: Any, alpha: Any) -> Any:
        """Logarithm of the density; -inf off the simplex.

        Parameters
        ----------
        x : array of shape (n, ...), or (n - 1, ...) without the last component
        alpha : array of shape (n,)

        Raises
        ------
        ValueError
            The shapes do not fit.

        Examples
        --------
        >>> import anvl.numpy as np
        >>> from anvl.scipy import stats
        >>> print(round(float(stats.dirichlet.pdf(np.asarray([0.5, 0.5]), np.ones(2))), 5))
        1.0
        """
        return _dirichlet_logpdf(x, alpha)

    def pdf(self, x: Any, alpha: Any) -> Any:
        """The density: parameters as in `logpdf`."""
        return anp.exp(self.logpdf(x, alpha))


@public()
def _multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    (p,), _ = promoted("multinomial", (p,), "float")
    x, n = anp.astype(x, p.dtype), anp.astype(n, p.dtype)
    found = anp.gammaln(n + 1) + anp.sum(xlogy(x, p) - anp.gammaln(x + 1), axis=-1)
    whole = anp.logical_and(anp.greater_equal(x, 0), anp.equal(x, anp.floor(x)))
    inside = anp.logical_and(anp.equal(anp.sum(x, axis=-1), n), anp.all(whole, axis=-1))
    return anp.where(inside, found, -anp.inf)


class Multinomial(Named):
    """Counts of n draws from classes: functions `logpmf` and `pmf`."""

    def logpmf(self, x: Any, n: Any, p: Any) -> Any:
        """Logarithm of the probability; -inf unless the counts sum to n.

        Parameters
        ----------
        x : array of counts, of shape (..., k)
        n : array of integers
        p : array of probabilities, of shape (..., k)

        Examples
        --------
        >>> import anvl.numpy as np
        >>> from anvl.scipy import stats
        >>> half = np.asarray([0.5, 0.5])
        >>> print(round(float(stats.multinomial.logpmf(np.asarray([1, 1]), 2, half)), 5))
        -0.69315
        """
        return _multinomial_logpmf(x, n, p)

    def pmf(self, x: Any, n: Any, p: Any) -> Any:
        """The probability: parameters as in `logpmf`."""
        return anp.exp(self.logpmf(x, n, p))


multivariate_normal: MultivariateNormal = MultivariateNormal("multivariate_normal")
dirichlet: Dirichlet = Dirichlet("dirichlet")
multinomial: Multinomial = Multinomial("multinomial")
