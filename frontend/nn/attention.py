"""`dot_product_attention`; public in `anvl.nn`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.promote import as_tracer, broadcast_shapes, broadcast_to, convert
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.nn.softmax_family import logsumexp, softmax
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.functions.emitting import is_kind, prim

__all__ = ["dot_product_attention"]

_NAME = "dot_product_attention"


@public("is_causal", "local_window_size", "implementation", "return_residual")
def dot_product_attention(
    query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, *, scale: Any = None,
    is_causal: bool = False, query_seq_lengths: Any = None, key_value_seq_lengths: Any = None,
    local_window_size: int | tuple[int, int] | None = None, implementation: str | None = None,
    return_residual: bool = False,
) -> Any:  # fmt: skip
    """softmax(query key^T scale + bias) value, for each head.

    Parameters
    ----------
    query : array
        [B, T, N, H]: batch, positions, heads, features; or without the batch.
    key, value : array
        [B, S, K, H], of the dtype of the query.  N is a multiple of K: each head of them serves
        N / K heads of the query.
    bias : array, optional
        Added to the logits: broadcasts to [B, N, T, S], or [N, T, S].
    mask : array of bool, optional
        Where a position of the query may look: broadcasts as the bias.
    scale : float, optional
        1 / sqrt(H) by default.
    is_causal : bool
        No position looks at later ones.
    query_seq_lengths, key_value_seq_lengths : array of int, optional
        [B]: positions from there on are padding, at which none looks, and whose results are 0.
    local_window_size : int or pair of int, optional
        How many positions to the left and to the right a position looks at.
    implementation : str, optional
        "xla", the only one.
    return_residual : bool
        Also return the logarithms of the sums of exponentials, [B, T, N], without derivative.

    Returns
    -------
    An array of the shape and dtype of the query.  A position that may look at none gives 0; JAX
    gives the mean of all values.  Logits and softmax are f32 at least.

    Raises
    ------
    TypeError
        Shapes or dtypes that do not fit.
    ValueError
        An invalid window, or another implementation.

    Notes
    -----
    Source: A. Vaswani et al., Attention is all you need (2017).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> x = np.arange(6.0).reshape(3, 1, 2)
    >>> print(anvl.nn.dot_product_attention(x, x, x, is_causal=True)[0])
    [[0. 1.]]
    """
    if implementation not in (None, "xla"):
        raise ValueError(f"{_NAME}: implementation is {implementation!r}; the only one is 'xla'")
    masks = mask, is_causal, query_seq_lengths, key_value_seq_lengths, local_window_size
    y, residual = _attended((query, key, value), bias, scale, masks)
    return (y, residual) if return_residual else y


def _attended(of_heads: tuple[Any, ...], bias: Any, scale: Any, masks: tuple[Any, ...]) -> Any:
    """The result, and the logarithms of sums of exponentials, which are dropped if not used."""
    given = [as_tracer(v, _NAME) for v in of_heads]
    q, k, v = (anp.expand_dims(a, 0) if a.ndim == 3 else a for a in given)
    _check_heads(given, q, k, v)
    shape = q.shape[0], q.shape[2], q.shape[1], k.shape[1]
    allowed = _allowed(shape, *masks)
    logits = _logits(q, k, shape, bias, scale)
    if allowed is not None:
        allowed = anp.reshape(broadcast_to(allowed, shape), logits.shape)
    y, residual = _weighted(logits, allowed, v, q.shape), _residual(logits, allowed, shape, q.dtype)
    lengths = masks[2]
    if lengths is not None:
        kept = _before(lengths, shape[0], shape[2], "query_seq_lengths")
        y = anp.where(anp.reshape(kept, (*kept.shape, 1, 1)), y, 0)
    return (y, residual) if given[0].ndim == 4 else (anp.squeeze(y, 0), anp.squeeze(residual, 0))


def _logits(q: Tracer, k: Tracer, shape: tuple[int, ...], bias: Any, scale: Any) -> Any:
    """Logits [B, K, N / K, T, S], in f32 at least."""
    b, n, t, _ = shape
    heads, h = k.shape[2:]
    wide = np.dtype(np.float32) if q.dtype.itemsize < 4 else q.dtype
    grouped = anp.reshape(convert(q, wide), (b, t, heads, n // heads, h))
    logits = anp.einsum("btkgh,bskh->bkgts", grouped, convert(k, wide))
    factor = 1 / math.sqrt(max(h, 1)) if scale is None else scale
    logits = convert(anp.multiply(logits, factor), wide)
    if bias is None:
        return logits
    added = anp.reshape(_to_logits("bias", bias, shape), logits.shape)
    return anp.add(logits, convert(added, wide))


def _weighted(logits: Any, allowed: Any, v: Tracer, shape: tuple[int, ...]) -> Any:
    """Values weighted by the softmax of the logits."""
    weights = convert(softmax(logits, -1, allowed), v.dtype)
    return anp.reshape(anp.einsum("bkgts,bskh->btkgh", weights, v), shape)


def _residual(logits: Any, allowed: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    sums = anp.reshape(logsumexp(logits, -1, where=allowed), shape[:-1])
    return convert(prim("stop_gradient", anp.moveaxis(sums, 1, 2)), dtype)


def _check_heads(given: list[Tracer], q: Tracer, k: Tracer, v: Tracer) -> None:
    avals = ", ".join(
        f"{w} {x.aval}" for w, x in zip(("query", "key", "value"), given, strict=True)
    )
    fits = all(x.ndim == 4 for x in (q, k, v)) and k.shape == v.shape
    fits = fits and q.shape[::3] == k.shape[::3] and len({x.ndim for x in given}) == 1
    if not fits:
        raise TypeError(f"{_NAME}: {avals}; they must be [B, T, N, H] and twice [B, S, K, H]")
    if not k.shape[2] or q.shape[2] % k.shape[2]:
        raise TypeError(f"{_NAME}: {avals}; {q.shape[2]} heads are no multiple of {k.shape[2]}")
    if len({x.dtype for x in (q, k, v)}) > 1 or not is_kind(q, "float"):
        raise TypeError(f"{_NAME}: {avals}; they must be of one float dtype")


def _to_logits(what: str, x: Any, shape: tuple[int, ...]) -> Tracer:
    operand = as_tracer(x, _NAME)
    if (
        operand.ndim not in (3, 4)
        or broadcast_shapes(shape, operand.shape, function=_NAME) != shape
    ):
        raise TypeError(
            f"{_NAME}: {what} is {operand.aval}; it must have 3 or 4 axes and broadcast to "
            f"[B, N, T, S], {list(shape)}"
        )
    return broadcast_to(operand, shape)


def _allowed(
    shape: tuple[int, ...], mask: Any, is_causal: bool, q_lengths: Any, kv_lengths: Any, window: Any
) -> Any:
    """Where positions may look, which broadcasts to the logits; None for everywhere."""
    b, _, t, s = shape
    masks: list[Any] = []
    if mask is not None:
        found = _to_logits("mask", mask, shape)
        if not is_kind(found, "bool"):
            raise TypeError(f"{_NAME}: mask is {found.aval}; it must be bool")
        masks.append(found)
    row, column = anp.arange(t).reshape(t, 1), anp.arange(s)
    if is_causal:
        masks.append(anp.greater_equal(row, column))
    if window is not None:
        left, right = _window(window)
        masks.append(anp.less_equal(row, anp.add(column, left)))
        masks.append(anp.greater_equal(row, anp.subtract(column, right)))
    if q_lengths is not None:
        masks.append(_before(q_lengths, b, t, "query_seq_lengths").reshape(b, 1, t, 1))
    if kv_lengths is not None:
        masks.append(_before(kv_lengths, b, s, "key_value_seq_lengths").reshape(b, 1, 1, s))
    allowed = None
    for each in masks:
        allowed = each if allowed is None else anp.logical_and(allowed, each)
    return allowed


def _window(window: Any) -> tuple[int, int]:
    pair = window if isinstance(window, tuple | list) else (window, window)
    if len(pair) != 2:
        raise ValueError(f"{_NAME}: local_window_size is {window!r}; it must be one number or two")
    left, right = (int_of(n, "local_window_size", _NAME, least=0) for n in pair)
    return left, right


def _before(lengths: Any, b: int, size: int, what: str) -> Any:
    """Bools [B, size]: positions before each length."""
    operand = as_tracer(lengths, _NAME)
    if operand.shape != (b,) or not is_kind(operand, "int", "uint"):
        raise TypeError(f"{_NAME}: {what} are {operand.aval}; they must be {b} integers")
    return anp.less(anp.arange(size), anp.expand_dims(operand, -1))
