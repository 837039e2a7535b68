"""Reductions, scans, sorting, searching and statistics of `anvl.numpy`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sp
from comparing import Line
from drawing import Call, Draw, Operand, call
from tolerances import PROGRAM

import anvl.nn as nn
import anvl.numpy as anp

__all__ = ["REDUCTIONS"]

_METHODS = (
    "linear lower higher nearest midpoint inverted_cdf averaged_inverted_cdf "
    "closest_observation interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased"
).split()


def reduction(kinds: str, *keywords: str, least: int = 0, single: bool = False) -> Any:
    """A reduction over axes, with some of the keywords `initial`, `where`, `dtype`, `ddof`."""

    def draw(d: Draw) -> Call:
        kind = d.dtype(kinds)
        shape = d.shape(1 if single else 0, least=least)
        given = {} if "nokeep" in keywords else {"keepdims": d.flag()}
        axis = d.of(None, d.axis(len(shape))) if single else d.axes(len(shape))
        return call(d.array(kind, shape), axis=axis, **given, **_keywords(d, kind, shape, keywords))

    return draw


def _keywords(d: Draw, kind: Any, shape: Any, keywords: Any) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if "initial" in keywords and d.flag():
        given["initial"] = d.of(1, 2)
    if "where" in keywords and d.flag() and ("initial" in given or "free" in keywords):
        given["where"] = d.array("bool", d.broadcastable(shape))
    if "dtype" in keywords and d.number(0, 3) == 0:
        given["dtype"] = d.of("float64", "float32")
    if "ddof" in keywords:
        given["ddof"] = d.of(0, 1)
    return given


def _line(name: str, draw: Any, reference: Any = None, f: Any = None, **more: Any) -> Line:
    given = {"length": PROGRAM} | more
    return Line(
        f"numpy.{name}", f or getattr(anp, name), reference or getattr(np, name), draw, **given
    )


def along(kinds: str, *more: Callable[[Draw], Any], least: int = 0, **limits: Any) -> Any:
    """An array and an axis of it, as keyword."""

    def draw(d: Draw) -> Call:
        x = d.array(d.dtype(kinds), d.shape(1, least=least), **limits)
        return call(x, *(extra(d) for extra in more), axis=d.axis(len(x.shape)))

    return draw


def scanned(d: Draw) -> Call:
    x = d.array(d.dtype("fic"), d.shape(0, 3), -2, 2)
    return call(x, axis=d.of(None, *range(-len(x.shape), len(x.shape))))


def cumulative(d: Draw) -> Call:
    x = d.array(d.dtype("fic"), d.shape(1, 3), -2, 2)
    return call(x, axis=d.axis(len(x.shape)), include_initial=d.flag())


def quantile(factor: float) -> Any:
    def draw(d: Draw) -> Call:
        x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1), special=False)
        q = d.of(0.0, 1.0, 0.5, 0.25, d.array("float64", d.of((3,), (2, 2)), 0, 1, special=False))
        if factor != 1:
            q = d.of(0.0, 100.0, 30.0, d.array("float64", (3,), 0, 100, special=False))
        axis = d.of(None, d.axis(len(shape)), d.some(len(shape)))
        if d.number(0, 2) == 0:
            return call(x, q, axis=axis, keepdims=d.flag(), **_weights(d, x, axis))
        return call(x, q, axis=axis, keepdims=d.flag(), method=d.of(*_METHODS))

    return draw


def _counting(w: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Weights that tie, and one of 0 among others."""
    w = np.ceil(w * 2) / 2 + 0.5
    if min(w.shape, default=0) > 1:
        w.flat[0] = 0
    return w


def _weights(d: Draw, x: Operand, axis: Any) -> dict[str, Any]:
    """Weights of the shape of x, or of the axes."""
    shape = x.shape
    if axis is not None and d.flag():
        shape = tuple(shape[a] for a in ([axis] if isinstance(axis, int) else axis))
    weights = d.array(x.dtype, shape, 0, 3, special=False, then=_counting)
    return {"weights": weights, "method": "inverted_cdf"}


def _average(d: Draw) -> Call:
    x = d.array(d.dtype("sic"), shape := d.shape(1, 3, least=1))
    way = d.of("none", "same", "vector")
    axis = d.axis(len(shape))
    if way == "none":
        return call(x, axis=d.axes(len(shape)), keepdims=d.flag())
    of = shape if way == "same" else (shape[axis],)
    weights = d.array("float64", of, 0.5, 2, special=False)
    return call(x, axis=axis, weights=weights, keepdims=d.flag())


def _sort(d: Draw) -> Call:
    x = d.array(d.dtype("fiub"), d.shape(1))
    return call(x, axis=d.axis(len(x.shape)))


def _argsort(d: Draw) -> Call:
    x = d.array(d.dtype("fiub"), d.shape(1))
    return call(x, axis=d.axis(len(x.shape)))


def _partition(d: Draw) -> Call:
    x = d.array(d.dtype("si"), shape := d.shape(1, 3, least=2))
    axis = d.axis(len(shape))
    return call(x, d.number(0, shape[axis] - 1), axis=axis)


def _searched(d: Draw) -> Call:
    a = d.array(d.dtype("s"), d.shape(1, 1), then=lambda x, rng: np.sort(x))
    v = d.array(a.dtype, d.shape(0, 3))
    return call(a, v, side=d.of("left", "right"))


def _digitize(d: Draw) -> Call:
    bins = d.array("float64", d.shape(1, 1, least=1), then=lambda x, rng: np.sort(x), special=False)
    return call(d.array("float64", d.shape(0, 3)), bins, right=d.flag())


def _diff(d: Draw) -> Call:
    x = d.array(d.dtype("fic"), shape := d.shape(1, 3))
    axis = d.axis(len(shape))
    given = {"prepend": d.of(0.5, 2.0)} if x.dtype == np.float64 and d.flag() else {}
    return call(x, n=d.number(0, 3), axis=axis, **given)


def _cov(d: Draw) -> Call:
    x = d.array(d.dtype("sic"), shape := d.shape(1, 2, least=2))
    given: dict[str, Any] = {"rowvar": d.flag(), "bias": d.flag(), "ddof": d.of(None, 0, 1)}
    count = shape[-1] if given["rowvar"] or len(shape) == 1 else shape[0]
    if d.flag():
        given["fweights"] = d.array("int32", (count,), 1, 3, special=False)
    if d.flag():
        given["aweights"] = d.array("float64", (count,), 0.5, 2, special=False)
    return call(x, **given)


def _corrcoef(d: Draw) -> Call:
    x = d.array(d.dtype("sc"), d.shape(1, 2, least=3), zeros=False)
    return call(x, rowvar=d.flag())


def _gradient(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=3))
    axis = d.axis(len(shape))
    order = d.of(1, 2)
    spacing = d.of(1.0, 0.5, d.array("float64", (shape[axis],), 0.2, 1, special=False,
                                     then=lambda x, rng: np.cumsum(x)))  # fmt: skip
    return call(x, spacing, axis=axis, edge_order=order)


def _trapezoid(d: Draw) -> Call:
    x = d.array(d.dtype("sic"), shape := d.shape(1, 3))
    axis = d.axis(len(shape))
    if d.flag():
        return call(x, dx=d.of(0.5, 2.0), axis=axis)
    return call(x, d.array("float64", (shape[axis],), special=False), axis=axis)


def _histogram(d: Draw) -> Call:
    x = d.array(d.dtype("si"), d.shape(0, 2), special=False)
    given: dict[str, Any] = {"range": d.of(None, (-2.0, 2.0)), "density": d.flag()}
    if d.flag():
        given["weights"] = d.array("float64", x.shape, 0, 2, special=False)
    return call(x, d.of(1, 3, 10), **given)


def _bincount(d: Draw) -> Call:
    x = d.array(d.dtype("iu"), d.shape(1, 1, least=1), 0, 5, special=False)
    if d.flag():
        return call(x, minlength=d.of(0, 8))
    return call(x, d.array("float64", x.shape), minlength=d.of(0, 8))


def _interp(d: Draw) -> Call:
    xp = d.array("float64", shape := d.shape(1, 1, least=2), 0.3, 1, special=False,
                 then=lambda x, rng: np.cumsum(x))  # fmt: skip
    x = d.array("float64", d.shape(0, 2), -1, 4)
    given = {"left": -7.0} if d.flag() else {"right": 9.0} if d.flag() else {}
    if d.flag():
        given = {"period": 2.5}
    return call(x, xp, d.array(d.dtype("dc"), shape, special=False), **given)


def _unwrap(d: Draw) -> Call:
    x = d.array(d.dtype("si"), shape := d.shape(1, 3), -9, 9, special=False)
    given: dict[str, Any] = {"discont": 4.0} if d.flag() else {}
    if d.flag() or np.dtype(x.dtype).kind == "i":
        given["period"] = d.of(4, 5)
    return call(x, axis=d.axis(len(shape)), **given)


def _ediff1d(d: Draw) -> Call:
    x = d.array(d.dtype("si"), d.shape(0, 2))
    ends = {"to_end": d.array(x.dtype, (2,))} if d.flag() else {}
    return call(x, **ends)


def _count(d: Draw) -> Call:
    x = d.array(d.dtype("fiubc"), shape := d.shape())
    return call(x, axis=d.axes(len(shape)), keepdims=d.flag())


def _lexsort(d: Draw) -> Call:
    shape = d.shape(1, 2)
    keys = tuple(d.array(d.dtype("si"), shape) for _ in range(d.number(1, 3)))
    return call(keys, axis=d.axis(len(shape)))


def _minmax(x: Any, **more: Any) -> tuple[Any, Any]:
    """NumPy has it from 2.5 on."""
    return np.min(x, **more), np.max(x, **more)


_N = "where free initial"
REDUCTIONS = [
    _line("sum", reduction("fiubc", *_N.split(), "dtype")),
    _line("prod", reduction("fiubc", *_N.split(), "dtype")),
    _line("mean", reduction("fiubc", "where", "free", "dtype")),
    *(_line(n, reduction("fiu", "initial", "where", least=1)) for n in "max min amax amin".split()),
    _line("minmax", reduction("fiu", "where", "initial", least=1), _minmax),
    *(_line(n, reduction("fib", "where", "free")) for n in "all any".split()),
    *(_line(n, reduction("fic", "ddof", "where", "free")) for n in "var std".split()),
    _line("nanvar", reduction("fi", "ddof", "where", "free")),
    _line("nanstd", reduction("fi", "ddof", "where", "free"), smooth=False),  # not at 0, as it says
    *(_line(n, reduction("fi", *_N.split())) for n in "nansum nanprod".split()),
    *(_line(n, reduction("s", "initial", "where", least=1)) for n in "nanmax nanmin".split()),
    *(_line(n, reduction("si", least=1)) for n in "median nanmedian ptp".split()),
    _line("nanmean", reduction("fic")),
    *(_line(n, reduction("fiub", single=True, least=1), indices=True)
      for n in "argmax argmin".split()),
    *(_line(n, reduction("fi", single=True, least=1), flavours="ptz", indices=True)
      for n in "nanargmax nanargmin".split()),
    _line("count_nonzero", _count, indices=True),
    *(_line(n, scanned) for n in "cumsum cumprod nancumsum nancumprod".split()),
    *(_line(n, cumulative) for n in "cumulative_sum cumulative_prod".split()),
    _line("cummax", along("fiu"), np.maximum.accumulate),
    _line("cummin", along("fiu"), np.minimum.accumulate),
    _line("cumlogsumexp", along("s", least=1), np.logaddexp.accumulate, flavours="ptz"),
    _line("quantile", quantile(1)), _line("percentile", quantile(100)),
    # NumPy has an IndexError for weights along an axis beside others.
    _line("nanquantile", quantile(1), refusals=False), _line("nanpercentile", quantile(100), refusals=False),
    _line("average", _average, flavours="ptz"),
    _line("sort", _sort, flavours="ptznx"),
    _line("argsort", _argsort, lambda x, axis: np.argsort(x, axis, kind="stable"),
          flavours="ptzn", indices=True),
    _line("partition", _partition, lambda x, k, axis: np.take(np.partition(x, k, axis), k, axis),
          lambda x, k, axis: anp.take(anp.partition(x, k, axis), k, axis)),
    _line("argpartition", _partition,
          lambda x, k, axis: np.take_along_axis(x, np.argpartition(x, k, axis), axis).take(k, axis),
          lambda x, k, axis: anp.take(
              anp.take_along_axis(x, anp.argpartition(x, k, axis), axis), k, axis)),
    _line("searchsorted", _searched, indices=True), _line("digitize", _digitize, indices=True), _line("diff", _diff),
    _line("cov", _cov, flavours="ptz"), _line("corrcoef", _corrcoef, flavours="p"),
    _line("gradient", _gradient, flavours="ptz"), _line("trapezoid", _trapezoid),
    _line("histogram", _histogram, flavours="ptz", traced=False, wide=False, dtypes=False),
    _line("histogram_bin_edges", lambda d: call(
        d.array(d.dtype("si"), d.shape(0, 2), special=False), d.of(1, 4),
        range=d.of(None, (-2.0, 2.0))), flavours="ptz", dtypes=False),
    _line("bincount", _bincount, flavours="ptz", traced=False, indices=True),
    _line("interp", _interp), _line("unwrap", _unwrap, flavours="ptz", dtypes=False),
    _line("ediff1d", _ediff1d), _line("lexsort", _lexsort, flavours="ptz", indices=True),
    _line("sort_complex", lambda d: call(d.array(d.dtype("sci"), d.shape(1, 2))), dtypes=False),
    _line("logsumexp", reduction("s", single=True, least=1), sp.logsumexp, flavours="ptz"),
    _line("softmax", along("s", least=1), sp.softmax, flavours="ptz"),
    _line("log_softmax", along("s", least=1), sp.log_softmax, flavours="ptz"),
    Line("nn.softmax", nn.softmax, sp.softmax, along("s", least=1), "ptz", PROGRAM),
    Line("nn.log_softmax", nn.log_softmax, sp.log_softmax, along("s", least=1), "ptz", PROGRAM),
    Line("nn.logsumexp", nn.logsumexp, sp.logsumexp, reduction("s", single=True, least=1), "ptz", PROGRAM),
    Line("nn.logmeanexp", nn.logmeanexp,
         lambda x, axis, keepdims: np.log(np.mean(np.exp(x), axis=axis, keepdims=keepdims)),
         reduction("s", least=1), "ptz", PROGRAM),
]  # fmt: skip
