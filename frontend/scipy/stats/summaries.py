"""Statistics of samples: ranks, modes, standard errors, scores, kernel densities."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import random
from anvl.core.promote import as_tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.functions.einstein import einsum

__all__ = ["ModeResult", "gaussian_kde", "mode", "rankdata", "sem", "zscore"]


class ModeResult(NamedTuple):
    """Result of `mode`.

    Attributes
    ----------
    mode : array
        The most frequent values, the least of equals.
    count : array
        How often each occurs, i32.
    """

    mode: Any
    count: Any


def _only_propagate(name: str, nan_policy: str) -> None:
    if nan_policy != "propagate":
        raise NotImplementedError(
            f"{name}: nan_policy is {nan_policy!r}; only 'propagate' is there, as no shape depends "
            "on values"
        )


_METHODS = ("average", "min", "max", "dense", "ordinal")


@public("method", "axis", "nan_policy")
def rankdata(a: Any, method: str = "average", *, axis: Any = None,
             nan_policy: str = "propagate") -> Any:  # fmt: skip
    """Ranks of the elements, from 1 on.

    Parameters
    ----------
    a : array
    method : {"average", "min", "max", "dense", "ordinal"}
        What equal elements get: the mean, the least or the largest of their ranks; consecutive
        ranks of distinct values; or ranks in their order.
    axis : int, optional
        By default the elements of all axes are ranked, as one row.
    nan_policy : "propagate"
        A NaN makes all ranks of its row NaN.

    Returns
    -------
    An array of floats, of the shape of a or flat without `axis`.

    Raises
    ------
    ValueError
        An unknown method.
    NotImplementedError
        Another `nan_policy`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import stats
    >>> print(stats.rankdata(np.asarray([3, 1, 3, 0])))
    [3.5 2.  3.5 1. ]
    """
    _only_propagate("rankdata", nan_policy)
    if method not in _METHODS:
        raise ValueError(f"rankdata: method is {method!r}; it must be one of {', '.join(_METHODS)}")
    x = as_tracer(a, "rankdata")
    x, at = (anp.ravel(x), 0) if axis is None else (x, axis_of(axis, x.ndim, "rankdata"))
    rows = anp.moveaxis(x, at, -1)
    order = anp.argsort(rows, axis=-1)
    place = anp.argsort(order, axis=-1)  # of each element in sorted order
    ordered = anp.take_along_axis(rows, order, axis=-1)
    first = anp.not_equal(ordered[..., 1:], ordered[..., :-1])
    end = anp.ones_like(rows[..., :1], dtype=bool)  # of the first and the last, if there are any
    starts = anp.concatenate([end, first], axis=-1)
    dense = anp.cumsum(anp.astype(starts, "int32"), axis=-1)
    spots = anp.broadcast_to(anp.arange(1, rows.shape[-1] + 1, dtype="int32"), rows.shape)
    low = anp.cummax(anp.where(starts, spots, 0), axis=rows.ndim - 1)
    ends = anp.concatenate([first, end], axis=-1)
    last = anp.flip(anp.where(ends, spots, rows.shape[-1]), axis=-1)
    high = anp.flip(anp.cummin(last, axis=rows.ndim - 1), axis=-1)
    floats = x.dtype if x.dtype.kind == "f" else None
    mean = anp.divide(anp.add(low, high), 2)
    by_method = {"average": mean, "min": low, "max": high, "dense": dense, "ordinal": spots}
    ranks = anp.take_along_axis(by_method[method], place, axis=-1)
    ranks = anp.astype(ranks, floats or float)
    if floats is not None:
        ranks = anp.where(anp.any(anp.isnan(rows), axis=-1, keepdims=True), anp.nan, ranks)
    return anp.moveaxis(ranks, -1, at)


@public("axis", "nan_policy", "keepdims")
def mode(a: Any, axis: Any = 0, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    """Most frequent value along an axis, the smallest of several; a `ModeResult`.

    Parameters
    ----------
    a : array
    axis : int, optional
        None counts all elements.
    nan_policy : "propagate"
    keepdims : bool

    Returns
    -------
    ModeResult
        The values, of the dtype of a, and their counts, without the axis.

    Raises
    ------
    NotImplementedError
        Another `nan_policy`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import stats
    >>> found = stats.mode(np.asarray([3, 1, 3, 0]))
    >>> print(found.mode, found.count)
    3 2
    """
    _only_propagate("mode", nan_policy)
    x = as_tracer(a, "mode")
    x, at = (anp.ravel(x), 0) if axis is None else (x, axis_of(axis, x.ndim, "mode"))
    ordered = anp.sort(anp.moveaxis(x, at, -1), axis=-1)
    counts = anp.sum(
        anp.astype(anp.equal(ordered[..., :, None], ordered[..., None, :]), "int32"), axis=-1
    )
    place = anp.expand_dims(anp.argmax(counts, axis=-1), -1)
    found = [
        anp.moveaxis(anp.take_along_axis(v, place, axis=-1), -1, at) for v in (ordered, counts)
    ]
    if not keepdims:
        return ModeResult(*(anp.squeeze(v, axis=at) for v in found))
    if axis is None:
        found = [anp.reshape(v, (1,) * anp.ndim(a)) for v in found]
    return ModeResult(*found)


@public("axis", "ddof", "nan_policy", "keepdims")
def sem(
    a: Any, axis: Any = 0, ddof: int = 1, nan_policy: str = "propagate", *, keepdims: bool = False
) -> Any:
    """Standard error of the mean along an axis: the standard deviation over the root of the count.

    Parameters
    ----------
    a : array
    axis : int, optional
        None takes all elements.
    ddof : int
        The deviation divides by the count less this.
    nan_policy : "propagate"
    keepdims : bool

    Returns
    -------
    Array of floats, without the axis.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import stats
    >>> print(round(float(stats.sem(np.asarray([1.0, 2.0, 3.0, 4.0]))), 5))
    0.6455
    """
    _only_propagate("sem", nan_policy)
    x = as_tracer(a, "sem")
    count = x.size if axis is None else x.shape[axis_of(axis, x.ndim, "sem")]
    return _deviation(x, axis, ddof, keepdims, count) / math.sqrt(count)


def _deviation(x: Any, axis: Any, ddof: int, keepdims: bool, count: int) -> Any:
    off = anp.subtract(x, anp.mean(x, axis=axis, keepdims=True))
    total = anp.sum(anp.square(anp.abs(off)), axis=axis, keepdims=keepdims)
    return anp.sqrt(anp.divide(total, float(count - ddof)))


@public("axis", "ddof", "nan_policy")
def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Distance from the mean in standard deviations; parameters as in `sem`.

    Parameters
    ----------
    a : array
    axis : int, optional
        None takes all elements.
    ddof : int
        The deviation divides by the count less this.
    nan_policy : "propagate"

    Returns
    -------
    Array of floats, of the shape of a.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import stats
    >>> print(stats.zscore(np.asarray([1.0, 3.0])))
    [-1.  1.]
    """
    _only_propagate("zscore", nan_policy)
    x = as_tracer(a, "zscore")
    count = x.size if axis is None else x.shape[axis_of(axis, x.ndim, "zscore")]
    off = anp.subtract(x, anp.mean(x, axis=axis, keepdims=True))
    return anp.divide(off, _deviation(x, axis, ddof, True, count))


class gaussian_kde:
    """Density estimate: a normal distribution around each point of a sample.

    Parameters
    ----------
    dataset : array of shape (d, n), or (n,)
    bw_method : {"scott", "silverman"} or float, optional
        The rule of the bandwidth, by default Scott's, or the factor of the covariance's root.
    weights : array of shape (n,), optional

    Raises
    ------
    ValueError
        The sample has less than two points, or weights of another shape, or a rule is unknown.

    Source: D. W. Scott, Multivariate Density Estimation (1992).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import stats
    >>> density = stats.gaussian_kde(np.asarray([0.0, 1.0, 2.0]))
    >>> print(round(float(density(1.0)[0]), 4))
    0.3182
    """

    d: int
    n: int
    dataset: Any
    neff: Any
    factor: Any
    covariance: Any

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        data = anp.atleast_2d(dataset)
        self.d, self.n = data.shape
        if self.n < 2:
            raise ValueError(f"gaussian_kde: the sample has {self.n} points; give at least two")
        self.dataset = data if data.dtype.kind == "f" else anp.astype(data, float)
        if weights is None:
            share = anp.full((self.n,), 1 / self.n, dtype=self.dataset.dtype)
        else:
            share = anp.astype(weights, self.dataset.dtype)
            if share.shape != (self.n,):
                raise ValueError(
                    f"gaussian_kde: weights have shape {list(share.shape)}, the sample has "
                    f"{self.n} points"
                )
            share = anp.divide(share, anp.sum(share))
        self.weights = share
        self.neff = anp.divide(1, anp.sum(anp.square(share)))
        self.factor = self._factor(bw_method)
        mean = anp.matmul(self.dataset, share)
        off = anp.subtract(self.dataset, anp.expand_dims(mean, 1))
        cov = anp.matmul(anp.multiply(off, share), anp.matrix_transpose(off))
        cov = anp.divide(cov, anp.subtract(1, anp.sum(anp.square(share))))
        self.covariance = anp.multiply(cov, anp.square(self.factor))
        self._root = anp.linalg.cholesky(self.covariance)

    def _factor(self, rule: Any) -> Any:
        if rule is None or rule == "scott":
            return anp.power(self.neff, -1 / (self.d + 4))
        if rule == "silverman":
            return anp.power(self.neff * (self.d + 2) / 4, -1 / (self.d + 4))
        if isinstance(rule, str):
            raise ValueError(
                f"gaussian_kde: bw_method is {rule!r}; it must be 'scott', 'silverman' or a number"
            )
        return anp.asarray(rule, dtype=self.dataset.dtype)

    def logpdf(self, x: Any) -> Any:
        """Logarithm of the density at points of shape (d, m): an array of shape (m,)."""
        points = anp.astype(anp.atleast_2d(x), self.dataset.dtype)
        if points.shape[0] != self.d:
            if self.d == 1 or points.shape != (1, self.d):
                raise ValueError(
                    f"gaussian_kde: points have shape {list(points.shape)}; the first axis is the "
                    f"dimension, {self.d}"
                )
            points = anp.matrix_transpose(points)
        near = anp.linalg.solve(self._root, points)
        ours = anp.linalg.solve(self._root, self.dataset)
        off = anp.subtract(anp.expand_dims(ours, 2), anp.expand_dims(near, 1))
        energy = anp.multiply(-0.5, anp.sum(anp.square(off), axis=0))
        logs = anp.add(anp.expand_dims(anp.log(self.weights), 1), energy)
        norm = 0.5 * self.d * math.log(2 * math.pi) + anp.sum(anp.log(anp.diagonal(self._root)))
        return anp.subtract(anp.logsumexp(logs, axis=0), norm)

    def pdf(self, x: Any) -> Any:
        """The density at points: see `logpdf`."""
        return anp.exp(self.logpdf(x))

    def evaluate(self, points: Any) -> Any:
        """The density at points: see `logpdf`."""
        return self.pdf(points)

    __call__ = evaluate

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        """Probability between two numbers, of a one-dimensional estimate."""
        if self.d != 1:
            raise ValueError(f"gaussian_kde: integrate_box_1d takes dimension 1, this has {self.d}")
        width = self._root[0, 0] * math.sqrt(2)
        ends = [anp.divide(anp.subtract(end, self.dataset[0]), width) for end in (low, high)]
        inside = anp.multiply(0.5, anp.subtract(anp.erf(ends[1]), anp.erf(ends[0])))
        return anp.sum(anp.multiply(self.weights, inside))

    def resample(self, key: Any, shape: tuple[int, ...] = ()) -> Any:
        """Samples from the estimate with a key: an array of shape (d, *shape)."""
        first, second = random.split(key)
        which = random.choice(first, self.n, shape, p=self.weights)
        noise = random.normal(second, (self.d, *shape), self.dataset.dtype)
        centres = anp.take(self.dataset, which, axis=1)
        return anp.add(centres, einsum("ij,j...->i...", self._root, noise))
