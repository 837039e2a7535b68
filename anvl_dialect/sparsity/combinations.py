"""Dependence of ops that combine elements of two arrays, or of windows."""

import itertools
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.sparsity.dependence import Dependence
from anvl.dialect.sparsity.index_sets import EMPTY

__all__ = [
    "contraction_dependence", "convolution_dependence", "product_dependence", "spread",
    "systems_dependence", "windows_union",
]  # fmt: skip

#: Zeros of a known operand count where this many products are left at most.
_MOST_PRODUCTS = 20_000_000


def product_dependence(rules: Any, deps: Dependence, xs: Sequence[Any], /) -> Any:
    """Sets of a product: where one factor is known to be 0, it depends on nothing of the other."""
    known = [deps.known(1), deps.known(0)]
    pairs = zip(xs, known, strict=True)
    return deps.union(*(x if v is None else np.where(v == 0, EMPTY, x) for x, v in pairs))


def contraction_dependence(deps: Dependence, xs: Sequence[Any], dims: Any) -> Any:
    """Sets of the result of a `dot_general`: products of patterns.

    Where one operand is known, its zeros take nothing of the other.
    """
    forms = [(dims[0], dims[2]), (dims[1], dims[3])]
    lhs, rhs = (_as_matrices(x, *form) for x, form in zip(xs, forms, strict=True))
    values = [
        None if known is None else _as_matrices(np.asarray(known), *form)
        for known, form in zip(map(deps.known, (0, 1)), forms, strict=True)
    ]
    of_lhs = _times(deps, lhs, values[1], rhs.shape[1])
    of_rhs = _times(deps, rhs, values[0], lhs.shape[1]).transpose(0, 2, 1)
    return deps.union(of_lhs, of_rhs).reshape(deps.shapes[0])


def _as_matrices(x: Any, batching: Sequence[int], contracting: Sequence[int]) -> Any:
    """x as a stack of matrices: batching axes, free axes, contracted axes."""
    free = [a for a in range(x.ndim) if a not in (*batching, *contracting)]
    shape = [
        int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
        for axes in (batching, free, contracting)
    ]
    return x.transpose([*batching, *free, *contracting]).reshape(shape)


def _times(deps: Dependence, x: Any, known: Any, count: int) -> Any:
    """Sets of x, times another stack of matrices with `count` rows."""
    batch, rows, _ = x.shape
    shape = (batch, rows, count)
    if not x.any():
        return np.broadcast_to(np.int64(EMPTY), shape)
    if known is None or known.all():
        return np.broadcast_to(deps.reduced(x, (2,))[..., None], shape)
    at, column, k = np.nonzero(known)
    if len(at) * rows > _MOST_PRODUCTS:
        return np.broadcast_to(deps.reduced(x, (2,))[..., None], shape)
    ids = x[at, :, k]  # one row for each product
    groups = (at[:, None] * rows + np.arange(rows)) * count + column[:, None]
    return deps.sets.grouped(groups.reshape(-1), ids.reshape(-1), batch * rows * count).reshape(
        shape
    )


def spread(
    x: Any, low: Sequence[int], high: Sequence[int], steps: Sequence[int], fill: Any = EMPTY
) -> Any:
    """x with its elements `steps` apart, and padded or, where negative, cut at both ends."""
    sizes = [(n - 1) * step + 1 if n else 0 for n, step in zip(x.shape, steps, strict=True)]
    shape = [n + max(a, 0) + max(b, 0) for n, a, b in zip(sizes, low, high, strict=True)]
    whole = np.full(shape, fill, np.int64)
    places = zip(low, sizes, steps, strict=True)
    whole[tuple(slice(max(a, 0), max(a, 0) + n, step) for a, n, step in places)] = x
    cuts = zip(low, high, shape, strict=True)
    return whole[tuple(slice(max(-a, 0), n - max(-b, 0)) for a, b, n in cuts)]


def windows_union(
    deps: Dependence,
    x: Any,
    sizes: Sequence[int],
    strides: Sequence[int],
    base_dilations: Sequence[int],
    window_dilations: Sequence[int],
    padding: Sequence[tuple[int, int]],
    is_read: Any = None,
) -> Any:
    """The unions of windows, as of a `reduce_window`; `is_read` tells their elements that count."""
    low, high = zip(*padding, strict=True) if padding else ((), ())
    whole = spread(x, low, high, base_dilations)
    spans = [(n - 1) * d + 1 for n, d in zip(sizes, window_dilations, strict=True)]
    counts = [
        0 if n == 0 or span > n else (n - span) // s + 1
        for n, span, s in zip(whole.shape, spans, strides, strict=True)
    ]
    found = np.zeros(counts, np.int64)
    for offset in itertools.product(*map(range, sizes)):
        if is_read is not None and not is_read[offset]:
            continue
        lows = [k * d for k, d in zip(offset, window_dilations, strict=True)]
        part = tuple(
            slice(low, low + (n - 1) * s + 1 if n else low, s)
            for low, n, s in zip(lows, counts, strides, strict=True)
        )
        found = deps.union(found, whole[part])
    return found


def convolution_dependence(deps: Dependence, xs: Sequence[Any], conv: Any) -> Any:
    """Sets of the result of a convolution, from its parameters under their shorter names."""
    dims = conv.dims
    x = xs[0].transpose([dims.input_batch, dims.input_feature, *dims.input_spatial])
    to_front = [dims.kernel_output_feature, dims.kernel_input_feature, *dims.kernel_spatial]
    y = xs[1].transpose(to_front)
    known = deps.known(1)
    is_read = None if known is None else known.transpose(to_front).any((0, 1))
    if is_read is not None:
        is_read = is_read[tuple(slice(None, None, -1 if back else 1) for back in conv.reversal)]
    # Features of one group are combined: (batch, group, 1, positions).
    batch, features, *positions = x.shape
    groups = conv.feature_groups
    split = x.reshape(batch, groups, features // groups if groups else 0, *positions)
    combined = deps.reduced(split, (2,))
    spatial = windows_union(
        deps,
        combined,
        (1, 1, *y.shape[2:]),
        (1, 1, *conv.strides),
        (1, 1, *conv.lhs_dilation),
        (1, 1, *conv.rhs_dilation),
        ((0, 0), (0, 0), *conv.padding),
        None if is_read is None else is_read[None, None],
    )
    count = y.shape[0]
    # (groups of the batch, members, groups of features, positions), one of each for an output.
    parts = conv.batch_groups
    members = spatial.reshape(parts, batch // parts, groups, *spatial.shape[2:])
    output = np.arange(count)
    of_batch, of_features = output // max(count // parts, 1), output // max(count // groups, 1)
    found = members[of_batch, :, of_features] if count else members[:0, :, 0]
    kernel = deps.reduced(y, range(1, y.ndim))
    found = deps.union(found, kernel.reshape(-1, *[1] * (found.ndim - 1)))
    # From (features, batch, positions) to the axes of the result.
    target = [dims.output_feature, dims.output_batch, *dims.output_spatial]
    return found.transpose(np.argsort(target))


def systems_dependence(deps: Dependence, a: Any, b: Any, axis: int) -> Any:
    """Sets of the solution of linear systems: of the whole matrix, and of its right-hand side."""
    of_a = deps.reduced(a, (a.ndim - 2, a.ndim - 1))
    return deps.union(of_a[..., None, None], deps.along(b, (axis % b.ndim,)))
