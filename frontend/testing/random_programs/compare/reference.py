"""The namespaces `np`, `anvl` and `own` for running a program on NumPy.

Floats have 64 bits, whatever they are in the program; NumPy gives the expected value, and the
dtype of the program the tolerance.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from anvl.dialect.core.types import numpy_dtype
from anvl.testing.random_programs.compare.array_values import kind_of

__all__ = ["NUMPY", "Namespace", "NoReference", "absent", "as_reference", "reference_text"]


class NoReference(Exception):
    """NumPy has no such function, or no answer for these operands."""


def as_reference(x: np.ndarray) -> np.ndarray:
    """An array as NumPy gets it: floats and complex numbers in 64 bits."""
    kind = kind_of(x.dtype)
    if kind == "f":
        return x.astype(np.float64)
    return x.astype(np.complex128) if kind == "c" else x


def reference_text(text: str) -> str:
    """An expression without `x.at`, which NumPy's arrays lack."""
    return re.sub(r"\b(v\d+)\.at\[", r"own.at(\1)[", text)


# -- functions that NumPy does not have, or has in other forms -------------------------------------


def _special(name: str) -> Callable[..., Any]:
    def function(*xs: Any) -> Any:
        try:
            module = importlib.import_module("scipy.special")
        except ImportError as error:
            raise NoReference(name) from error
        return getattr(module, name)(*xs)

    return function


def _along(axis: int | None, x: Any) -> tuple[Any, int]:
    return (np.ravel(x), 0) if axis is None else (np.asarray(x), axis)


def _accumulated(function: Callable[..., Any]) -> Callable[..., Any]:
    def cumulative(x: Any, axis: int | None = None, reverse: bool = False) -> Any:
        given, along = _along(axis, x)
        turned = np.flip(given, along) if reverse else given
        found = function(turned, axis=along)
        return np.flip(found, along) if reverse else found

    return cumulative


def _astype(x: Any, dtype: Any) -> Any:
    """Conversion to an integer: the nearest end of its range; 0 for NaN."""
    of = numpy_dtype(dtype)
    x = np.asarray(x)
    if kind_of(x.dtype) == "c" and kind_of(of) not in "cb":
        x = x.real
    if kind_of(x.dtype) != "f" or kind_of(of) not in "iu":
        return x.astype(of)
    info = np.iinfo(of)
    low, high = x <= info.min, x >= float(info.max)
    inside = np.where(low | high | np.isnan(x), 0, x).astype(of)
    return np.where(low, of.type(info.min), np.where(high, of.type(info.max), inside)).astype(of)


def _softmax(x: Any, axis: int = -1) -> Any:
    largest = np.max(x, axis=axis, keepdims=True)
    raised = np.exp(x - largest)
    found = raised / np.sum(raised, axis=axis, keepdims=True)
    return np.where(largest == np.inf, np.where(x == np.inf, np.nan, 0.0), found)


def _logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    reduce: Any = np.logaddexp.reduce  # NumPy's overloads know `keepdims` as a literal only
    return reduce(x, axis=axis, keepdims=keepdims) if _one(axis) else _many(x, axis, keepdims)


def _one(axis: Any) -> bool:
    return isinstance(axis, int)


def _many(x: Any, axis: Any, keepdims: bool) -> Any:
    axes = tuple(range(np.ndim(x))) if axis is None else axis
    if not axes:
        return np.asarray(x)
    for a in axes:
        x = np.logaddexp.reduce(x, axis=a, keepdims=True)
    return x if keepdims else np.squeeze(x, axis=axes)


def _log_softmax(x: Any, axis: int = -1) -> Any:
    largest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    lowered = x - largest
    found = lowered - np.log(np.sum(np.exp(lowered), axis=axis, keepdims=True))
    return np.where(largest == np.inf, np.where(x == np.inf, np.nan, -np.inf), found)


def _top_k(x: Any, k: int, axis: int = -1) -> Any:
    """The k largest: NaN counts as the largest; of equal elements the first comes first."""
    ranks = np.where(np.isnan(x), np.inf, x) if np.asarray(x).dtype.kind == "f" else x
    if np.asarray(x).dtype.kind == "f" and np.isnan(x).any():
        raise NoReference("top_k of NaN")
    n = np.shape(x)[axis]
    back = n - 1 - np.argsort(np.flip(ranks, axis), axis=axis, kind="stable")
    places = np.take(np.flip(back, axis), range(k), axis=axis)
    return np.take_along_axis(x, places, axis), places


def _searchsorted(a: Any, v: Any, side: str = "left") -> Any:
    return np.searchsorted(a, v, side=side)  # type: ignore[call-overload]


def _lexsort(keys: Any, axis: int = -1) -> Any:
    return np.lexsort([np.asarray(k) for k in keys], axis=axis)


class _At:
    """`x.at` for NumPy's arrays."""

    def __init__(self, x: Any, index: Any = None) -> None:
        self.x, self.index = np.array(x), index

    def __getitem__(self, index: Any) -> _At:
        return _At(self.x, index)

    def set(self, value: Any) -> Any:
        self.x[self.index] = value
        return self.x

    def _by(self, function: Any, value: Any) -> Any:
        # NumPy would add an int64 to an uint64 as floats.
        function.at(self.x, self.index, np.asarray(value).astype(self.x.dtype))
        return self.x

    def add(self, value: Any) -> Any:
        return self._by(np.add, value)

    def multiply(self, value: Any) -> Any:
        return self._by(np.multiply, value)

    def min(self, value: Any) -> Any:
        return self._by(np.minimum, value)

    def max(self, value: Any) -> Any:
        return self._by(np.maximum, value)


# -- control flow ----------------------------------------------------------------------------------


def _cond(pred: Any, one: Any, other: Any, *xs: Any, batch: Any = None) -> Any:
    return (one if pred else other)(*xs)


def _switch(index: Any, branches: Any, *xs: Any) -> Any:
    return branches[min(max(int(index), 0), len(branches) - 1)](*xs)


def _scan(f: Any, init: Any, xs: Any, reverse: bool = False, checkpoint: Any = None) -> Any:
    carry, ys = init, []
    for x in reversed(xs) if reverse else xs:
        carry, y = f(carry, x)
        ys.append(y)
    if not ys:
        raise NoReference("scan of nothing: the dtype of its results is not known")
    return carry, np.stack(ys[::-1] if reverse else ys)


def _fori_loop(lower: int, upper: Any, body: Any, x: Any) -> Any:
    for i in range(lower, int(upper)):
        x = body(i, x)
    return x


def _while_loop(test: Any, body: Any, carry: Any, max_iterations: int | None = None) -> Any:
    count = 0
    while test(carry) and (max_iterations is None or count < max_iterations):
        carry = body(carry)
        count += 1
    return carry


def _map(f: Any, xs: Any, batch_size: Any = None) -> Any:
    if not len(xs):
        raise NoReference("map of nothing")
    return np.stack([f(x) for x in xs])


def _vmap(f: Any, in_axes: Any = (0, 0)) -> Any:
    def batched(*xs: Any) -> Any:
        n = next(len(x) for x, a in zip(xs, in_axes, strict=True) if a is not None)
        if not n:
            raise NoReference("vmap of nothing")
        rows = ([x[i] if a == 0 else x for x, a in zip(xs, in_axes, strict=True)] for i in range(n))
        return np.stack([f(*row) for row in rows])

    return batched


def _associative_scan(f: Any, xs: Any, reverse: bool = False) -> Any:
    found: list[Any] = []
    for x in reversed(xs) if reverse else xs:
        found.append(f(found[-1], x) if found else x)
    if not found:
        return xs
    return np.stack(found[::-1] if reverse else found)


def _reduce(f: Any, xs: Any, init: Any, axis: Any = None) -> Any:
    given, along = _along(axis, xs)
    total = np.full(np.delete(given.shape, along), init, given.dtype)
    for x in np.moveaxis(given, along, 0):
        total = f(total, x)
    return total


def _same(f: Any) -> Any:
    return f


def absent(name: str) -> Callable[..., Any]:
    """A function that a namespace lacks: it raises `NoReference`."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise NoReference(name)

    return function


class Namespace:
    """A module with some functions replaced, and errors for missing ones."""

    def __init__(self, base: Any, **others: Any) -> None:
        self.__dict__.update(others)
        self._base = base

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._base, name, None) if self._base is not None else None
        return found if callable(found) else absent(name)


_SPECIAL = "erf erfc erfinv gammaln digamma i0 i0e i1 i1e gammainc gammaincc betainc polygamma zeta"


def _expm(a: Any) -> Any:
    """By Taylor's series and squaring, in 80 bits: SciPy's has errors of 600 units in 64."""
    a = np.asarray(a)
    wide = a.astype(np.clongdouble if kind_of(a.dtype) == "c" else np.longdouble)
    size = np.abs(wide).sum(-2).max(initial=0)
    if not a.size or not np.isfinite(size):
        return np.full(a.shape, np.nan, np.complex128 if kind_of(a.dtype) == "c" else np.float64)
    halvings = max(0, int(np.ceil(np.log2(size + 1e-30))) + 2)
    x = wide / 2.0**halvings
    total = term = np.broadcast_to(np.eye(a.shape[-1], dtype=wide.dtype), a.shape)
    for k in range(1, 30):
        term = np.matmul(term, x) / k
        total = total + term
    for _ in range(halvings):
        total = np.matmul(total, total)
    return total.astype(np.complex128 if kind_of(a.dtype) == "c" else np.float64)


def _finite(name: str) -> Callable[..., Any]:
    """A NumPy function for which LAPACK may not terminate on a non-finite matrix."""
    function = getattr(np.linalg, name)

    def checked(a: Any, *args: Any, **kwargs: Any) -> Any:
        if not np.isfinite(a).all():
            raise NoReference(f"{name} of a matrix that is not finite")
        return function(a, *args, **kwargs)

    return checked


_linalg = Namespace(
    np.linalg,
    **{
        name: _finite(name)
        for name in "cond eig eigh eigvalsh matrix_rank pinv svd svdvals".split()
    },
    expm=_expm,
    eigvals=lambda a: _finite("eigvals")(a).astype(np.complex128),
    lstsq=lambda a, b: _finite("lstsq")(a, b, rcond=None),
)

_np = Namespace(
    np,
    **{name: _special(name) for name in _SPECIAL.split()},
    rsqrt=lambda x: 1 / np.sqrt(x),
    sigmoid=lambda x: np.where(np.real(x) < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x))),
    astype=_astype,
    empty_like=np.zeros_like,
    cumsum=_accumulated(np.cumsum),
    cumprod=_accumulated(np.cumprod),
    cummax=_accumulated(np.maximum.accumulate),
    cummin=_accumulated(np.minimum.accumulate),
    cumlogsumexp=_accumulated(np.logaddexp.accumulate),
    softmax=_softmax,
    log_softmax=_log_softmax,
    logsumexp=_logsumexp,
    top_k=_top_k,
    searchsorted=_searchsorted,
    argsort=lambda x, axis=-1: np.argsort(x, axis=axis, kind="stable"),
    lexsort=_lexsort,
    polymul=np.convolve,  # NumPy's own removes zeros in front
    linalg=_linalg,
    fft=np.fft,
)

_anvl = Namespace(
    None,
    cond=_cond,
    switch=_switch,
    scan=_scan,
    fori_loop=_fori_loop,
    while_loop=_while_loop,
    map=_map,
    vmap=_vmap,
    associative_scan=_associative_scan,
    reduce=_reduce,
    jit=_same,
    checkpoint=_same,
    windows=Namespace(None),
)

_own = SimpleNamespace(
    at=_At,
    with_jvp_rule=_same,
    with_vjp_rule=_same,
    rebuilt_from_svd=lambda x: x,
    rebuilt_from_eig=lambda x: x,
)
_own.root_by_eigh = lambda x: _root(x)


def _root(x: Any) -> Any:
    w, v = _finite("eigh")(x)
    return (v * np.sqrt(np.abs(w))[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2))


#: The namespace of programs on NumPy.
NUMPY: dict[str, Any] = {"np": _np, "anvl": _anvl, "own": _own, "prim": Namespace(None)}
