"""What ops on windows, folds and scans compute, in NumPy.  Bodies are functions of scalars."""

from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.dialect.core.types import numpy_dtype

__all__ = ["WINDOWS"]


def _pad(
    x: np.ndarray, value: np.ndarray, edge_padding_low: Any, edge_padding_high: Any,
    interior_padding: Any,
) -> np.ndarray:  # fmt: skip
    for axis, (low, high, inner) in enumerate(
        zip(edge_padding_low, edge_padding_high, interior_padding, strict=True)
    ):
        x = np.moveaxis(x, axis, 0)
        n = x.shape[0]
        dilated = np.full((max(n + max(n - 1, 0) * inner, 0), *x.shape[1:]), value, x.dtype)
        dilated[:: inner + 1] = x
        before = np.full((max(low, 0), *x.shape[1:]), value, x.dtype)
        after = np.full((max(high, 0), *x.shape[1:]), value, x.dtype)
        whole = np.concatenate([before, dilated, after])
        x = np.moveaxis(whole[max(-low, 0) : len(whole) - max(-high, 0)], 0, axis)
    return x


def _reduce(*xs: np.ndarray, dimensions: Any, body: Callable[..., Any]) -> list[np.ndarray]:
    n = len(xs) // 2
    moved = [np.moveaxis(x, dimensions, range(len(dimensions))) for x in xs[:n]]
    rows = [x.reshape(-1, *x.shape[len(dimensions) :]) for x in moved]
    best = [np.broadcast_to(start, row.shape[1:]) for start, row in zip(xs[n:], rows, strict=True)]
    for i in range(len(rows[0])):
        best = body(*best, *(row[i] for row in rows))
    return best


def _reduce_window(
    *xs: np.ndarray, window_dimensions: Any, body: Callable[..., Any], window_strides: Any = None,
    base_dilations: Any = None, window_dilations: Any = None, padding: Any = None,
) -> list[np.ndarray]:  # fmt: skip
    n, ones = len(xs) // 2, (1,) * len(window_dimensions)
    strides, dilations = window_strides or ones, window_dilations or ones
    low, high = zip(*padding, strict=True) if padding else ((0,) * len(ones),) * 2
    inner = tuple(d - 1 for d in base_dilations or ones)
    whole = [_pad(x, v, low, high, inner) for x, v in zip(xs[:n], xs[n:], strict=True)]
    spans = [(k - 1) * d + 1 for k, d in zip(window_dimensions, dilations, strict=True)]
    counts = [
        max((size - span) // step + 1, 0)
        for size, span, step in zip(whole[0].shape, spans, strides, strict=True)
    ]
    results = [np.zeros(counts, x.dtype) for x in whole]
    for at in np.ndindex(*counts):
        window = tuple(
            slice(i * step, i * step + span, d)
            for i, step, span, d in zip(at, strides, spans, dilations, strict=True)
        )
        best: Any = xs[n:]
        for members in zip(*(x[window].ravel() for x in whole), strict=True):
            best = body(*best, *members)
        for y, value in zip(results, best, strict=True):
            y[at] = value
    return results


def _cumulative(f: Callable[..., Any]) -> Callable[..., Any]:
    def whole(x: np.ndarray, axis: int, reverse: bool = False) -> np.ndarray:
        if not reverse:
            return f(x, axis=axis).astype(x.dtype)
        return np.flip(f(np.flip(x, axis), axis=axis), axis).astype(x.dtype)

    return whole


def _linear_recurrence(
    a: np.ndarray, b: np.ndarray, axis: int, reverse: bool = False
) -> np.ndarray:
    step = -1 if reverse else 1
    a, y = (np.moveaxis(v, axis, 0)[::step] for v in (a, b.copy()))
    for i in range(1, len(y)):
        y[i] += a[i] * y[i - 1]
    return np.moveaxis(y[::step], 0, axis)


def _convolution(
    x: np.ndarray, y: np.ndarray, dimension_numbers: Any, feature_group_count: int,
    batch_group_count: int, window_strides: Any = None, padding: Any = None,
    lhs_dilation: Any = None, rhs_dilation: Any = None, window_reversal: Any = None,
    precision_config: str = "DEFAULT", dtype: Any = None,
) -> np.ndarray:  # fmt: skip
    d = dimension_numbers
    x, y = (v.astype((dtype and numpy_dtype(dtype)) or v.dtype) for v in (x, y))
    ones = (1,) * (x.ndim - 2)
    window_strides, lhs_dilation = window_strides or ones, lhs_dilation or ones
    rhs_dilation, window_reversal = rhs_dilation or ones, window_reversal or ()
    padding = ((0, 0),) * len(ones) if padding is None else padding
    x = x.transpose(d[0], d[1], *d[2])  # batch, features, places
    y = y.transpose(d[4], d[3], *d[5])  # output features, input features, places
    y = np.flip(y, [i + 2 for i, turned in enumerate(window_reversal) if turned])
    low, high = zip(*[(0, 0), (0, 0), *padding], strict=True)
    x = _pad(x, np.zeros((), x.dtype), low, high, (0, 0, *(n - 1 for n in lhs_dilation)))
    groups = feature_group_count * batch_group_count
    split = np.split(x, groups, axis=1 if feature_group_count > 1 else 0)
    parts = [
        _one_group(a, b, window_strides, rhs_dilation)
        for a, b in zip(split, np.split(y, groups), strict=True)
    ]
    z = np.concatenate(parts, axis=1)
    return z.transpose(np.argsort([d[6], d[7], *d[8]]))


def _one_group(x: np.ndarray, y: np.ndarray, strides: Any, dilations: Any) -> np.ndarray:
    spans = [(k - 1) * d + 1 for k, d in zip(y.shape[2:], dilations, strict=True)]
    counts = [
        max((n - span) // step + 1, 0)
        for n, span, step in zip(x.shape[2:], spans, strides, strict=True)
    ]
    z = np.zeros((len(x), len(y), *counts), x.dtype)
    axes = list(range(1, x.ndim))
    for at in np.ndindex(*counts):
        window = tuple(
            slice(i * step, i * step + span, d)
            for i, step, span, d in zip(at, strides, spans, dilations, strict=True)
        )
        z[:, :, *at] = np.tensordot(x[:, :, *window], y, (axes, axes))
    return z


def _per_feature(x: np.ndarray, feature_index: int) -> tuple[Any, tuple[int, ...]]:
    """How to spread a value for each feature over x, and the other axes."""
    shape = [1] * x.ndim
    shape[feature_index] = -1
    return lambda v: v.reshape(shape), tuple(a for a in range(x.ndim) if a != feature_index)


def _batch_norm_inference(
    x: np.ndarray, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: float,
    feature_index: int,
) -> np.ndarray:  # fmt: skip
    wide, _ = _per_feature(x, feature_index)
    deviation = np.sqrt(wide(variance) + epsilon)
    return wide(scale) * (x - wide(mean)) / deviation + wide(offset)


def _batch_norm_training(
    x: np.ndarray, scale: Any, offset: Any, epsilon: float, feature_index: int
) -> list[np.ndarray]:
    _, axes = _per_feature(x, feature_index)
    mean, variance = x.mean(axes), x.var(axes)
    y = _batch_norm_inference(x, scale, offset, mean, variance, epsilon, feature_index)
    return [y, mean, variance]


def _batch_norm_grad(
    x: np.ndarray, scale: Any, mean: Any, variance: Any, g: np.ndarray, epsilon: float,
    feature_index: int,
) -> list[np.ndarray]:  # fmt: skip
    wide, axes = _per_feature(x, feature_index)
    deviation, count = np.sqrt(wide(variance) + epsilon), x.size // x.shape[feature_index]
    centered = x - wide(mean)
    through = wide((g * centered).sum(axes)) * centered / deviation**2
    rest = count * g - wide(g.sum(axes)) - through
    slope = wide(scale) / deviation / count
    return [slope * rest, (g * centered / deviation).sum(axes), g.sum(axes)]


def _select_and_scatter(
    x: np.ndarray, source: np.ndarray, start: np.ndarray, select: Any, scatter: Any,
    window_dimensions: Any, window_strides: Any = None, padding: Any = None,
) -> np.ndarray:  # fmt: skip
    ones = (1,) * x.ndim
    strides, lows = window_strides or ones, [low for low, _ in padding or [(0, 0)] * x.ndim]
    y = np.full(x.shape, start, x.dtype)
    for j in np.ndindex(*source.shape):
        best = None
        for k in np.ndindex(*window_dimensions):
            at = tuple(a * s + b - low for a, s, b, low in zip(j, strides, k, lows, strict=True))
            if any(not 0 <= a < n for a, n in zip(at, x.shape, strict=True)):
                continue
            if best is None or not select(x[best], x[at])[0]:
                best = at
        y[best] = scatter(y[best], source[j])[0]
    return y


WINDOWS: dict[str, Callable[..., Any]] = {
    "pad": _pad,
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "cumsum": _cumulative(np.cumsum),
    "cumprod": _cumulative(np.cumprod),
    "cummax": _cumulative(np.maximum.accumulate),
    "cummin": _cumulative(np.minimum.accumulate),
    "cumlogsumexp": _cumulative(np.logaddexp.accumulate),
    "linear_recurrence": _linear_recurrence,
    "convolution": _convolution,
    "batch_norm_inference": _batch_norm_inference,
    "batch_norm_training": _batch_norm_training,
    "batch_norm_grad": _batch_norm_grad,
    "select_and_scatter": _select_and_scatter,
}
