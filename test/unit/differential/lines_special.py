"""Functions of `anvl.scipy.special` and distributions of `anvl.scipy.stats`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
from comparing import Line
from drawing import Call, Draw, call
from tolerances import PROGRAM

import anvl.numpy as anp
from anvl.scipy import special, stats

__all__ = ["SPECIAL"]


def _line(name: str, draw: Any, reference: Any = None, **more: Any) -> Line:
    given = {"flavours": "pt", "length": 20_000.0, "refusals": False} | more
    return Line(
        f"special.{name}", getattr(special, name), reference or getattr(scipy.special, name), draw,
        **given,
    )  # fmt: skip


def numbers(*ranges: tuple[float, float], kinds: str = "s") -> Callable[[Draw], Call]:
    """Operands in ranges, which broadcast."""

    def draw(d: Draw) -> Call:
        shape, kind = d.shape(), d.dtype(kinds)
        found = []
        for low, high in ranges:
            found.append(d.array(kind, shape, low, high))
            shape = d.broadcastable(shape)
        return call(*found)

    return draw


def order_first(low: int, high: int, *ranges: tuple[float, float]) -> Callable[[Draw], Call]:
    """An integer written in Python, then operands."""
    return lambda d: call(d.number(low, high), *numbers(*ranges)(d).args)


def _logsumexp(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1))
    weights = {"b": d.array(x.dtype, d.broadcastable(shape), 0.5, 2)} if d.flag() else {}
    return call(x, axis=d.axes(len(shape)), keepdims=d.flag(), **weights)


def _softmax(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1))
    return call(x, axis=d.axes(len(shape)))


def _harmonic(d: Draw) -> Call:
    n = d.number(0, 5)
    angles = d.array("float64", s := d.shape(1, 1), 0, 3), d.array("float64", s, 0, 6)
    return call(np.full(s, n), np.full(s, d.number(-n, n)), *angles)


def _whole(*ranges: tuple[int, int]) -> Callable[[Draw], Call]:
    return lambda d: call(*(d.array("float64", (3,), *r, then=lambda x, rng: np.round(x))
                            for r in ranges))  # fmt: skip


def _multigammaln(a: Any, n: int) -> Any:
    parts = [scipy.special.gammaln(a - i / 2) for i in range(n)]
    return np.sum(parts, axis=0) + n * (n - 1) / 4 * np.log(np.pi)


_ONE = {
    (-4, 4): "erf erfc erfcx i0 i0e i1 i1e expit ndtr log_ndtr gammasgn dawsn",
    (0.05, 8): "gamma gammaln loggamma digamma psi exp1 expi entr spence",
    (-0.95, 0.95): "erfinv", (0.02, 1.98): "erfcinv", (0.05, 0.95): "logit ndtri", (0.0, 12.0): "factorial",
}  # fmt: skip
_TWO = {
    "beta": ((0.2, 6), (0.2, 6)), "betaln": ((0.2, 6), (0.2, 6)), "binom": ((2, 9), (0, 2)),
    "boxcox": ((0.2, 4), (-2, 2)), "boxcox1p": ((-0.8, 4), (-2, 2)), "comb": ((2, 9), (0, 2)),
    "gammainc": ((0.3, 6), (0, 9)), "gammaincc": ((0.3, 6), (0, 9)), "kl_div": ((0, 4), (0.1, 4)),
    "rel_entr": ((0, 4), (0.1, 4)), "xlogy": ((0, 4), (0.1, 4)), "xlog1py": ((0, 4), (-0.8, 4)),
    "poch": ((0.3, 5), (0, 3)), "owens_t": ((-3, 3), (-3, 3)), "zeta": ((1.2, 6), (0.3, 5)),
}  # fmt: skip

SPECIAL = [
    *(_line(n, numbers(limits)) for limits, names in _ONE.items() for n in names.split()),
    *(_line(n, numbers(*limits)) for n, limits in _TWO.items()),
    _line("betainc", numbers((0.3, 5), (0.3, 5), (0.0, 1.0))),
    _line("hyp1f1", numbers((0.3, 4), (0.5, 5), (-4, 4))),
    _line("hyp2f1", numbers((0.3, 3), (0.3, 3), (0.5, 4), (-3, 0.8)), length=10**6),
    _line("expn", order_first(0, 4, (0.1, 6))), _line("polygamma", order_first(0, 3, (0.3, 6))),
    _line("multigammaln", lambda d: call(d.array(d.dtype("s"), d.shape(0, 2), 2.2, 6), d.number(1, 4)),
          _multigammaln),
    _line("fresnel", numbers((-4, 4))), _line("sici", numbers((0.1, 9))),
    _line("loggamma", numbers((-9, 9), kinds="c")),
    _line("wofz", numbers((-3, 3), kinds="c")), _line("logsumexp", _logsumexp), _line("softmax", _softmax),
    _line("log_softmax", _softmax), _line("sph_harm_y", _harmonic, smooth=False),
    _line("bernoulli", lambda d: call(d.number(0, 9)), dtypes=False),
    _line("bessel_jn", lambda d: call(d.array("float64", (3,), 0.1, 9), v=d.number(0, 4)),
          lambda z, v: np.stack([scipy.special.jv(k, z) for k in range(v + 1)])),
]  # fmt: skip

SPECIAL += [
    Line(f"numpy.{name}", getattr(anp, name), getattr(scipy.special, name), line, "pt", 20_000.0,
         refusals=False)
    for name, line in {
        "betainc": numbers((0.3, 5), (0.3, 5), (0.0, 1.0)), "gammainc": numbers((0.3, 6), (0, 9)),
        "gammaincc": numbers((0.3, 6), (0, 9)), "polygamma": order_first(0, 3, (0.3, 6)),
        "zeta": numbers((1.2, 6), (0.3, 5)),
    }.items()
]  # fmt: skip

#: The parameters of each distribution, their ranges, and the range of its support.
_CONTINUOUS = {
    "norm": ((), (-3, 3)), "uniform": ((), (-0.5, 1.5)), "expon": ((), (0, 5)), "gamma": (((0.5, 4),), (0, 6)),
    "chi2": (((0.5, 6),), (0, 8)), "beta": (((0.5, 4), (0.5, 4)), (0, 1)), "t": (((1, 9),), (-4, 4)),
    "cauchy": ((), (-4, 4)), "laplace": ((), (-4, 4)), "logistic": ((), (-4, 4)), "pareto": (((0.5, 4),), (1, 6)),
    "gennorm": (((0.6, 4),), (-3, 3)), "truncnorm": (((-3, -1), (0.5, 3)), (-2, 2)), "vonmises": (((0.2, 5),), (-3, 3)),
    "wrapcauchy": (((0.1, 0.9),), (0, 6)), "gumbel_l": ((), (-3, 2)), "gumbel_r": ((), (-2, 3)),
}  # fmt: skip
_DISCRETE = {
    "bernoulli": (((0.1, 0.9),), (-1, 2)), "geom": (((0.1, 0.9),), (0, 6)), "poisson": (((0.3, 5),), (-1, 8)),
    "nbinom": (((1, 5), (0.1, 0.9)), (-1, 8)), "binom": (((8, 8), (0.1, 0.9)), (-1, 9)),
    "betabinom": (((8, 8), (0.5, 3), (0.5, 3)), (-1, 9)),
}  # fmt: skip


def _at(parameters: Any, support: Any, whole: bool, scaled: bool) -> Callable[[Draw], Call]:
    def draw(d: Draw) -> Call:
        shape = d.shape(0, 3)
        then = (lambda x, rng: np.round(x)) if whole else None
        kind = d.dtype("d" if whole else "s")
        x = d.array(kind, shape, *support, then=then)
        of = [
            d.array(kind, d.broadcastable(shape), *r) if r[0] < r[1] else r[0] for r in parameters
        ]
        loc = {"loc": d.of(0.0, 0.5)} if scaled and d.flag() else {}
        scale = (
            {"scale": d.of(2.0, d.array(kind, d.broadcastable(shape), 0.5, 3))} if scaled else {}
        )
        return call(x, *of, **loc, **scale)

    return draw


def _of_distributions(table: Any, whole: bool, functions: str) -> list[Line]:
    lines = []
    for name, (parameters, support) in table.items():
        ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
        for function in functions.split():
            if function not in str(ours).replace(":", ",").replace(">", ",").replace(
                " ", ","
            ).split(","):
                continue
            limits = (0.02, 0.98) if function in ("ppf", "isf") else support
            lines.append(Line(
                f"stats.{name}.{function}", getattr(ours, function), getattr(theirs, function),
                _at(parameters, limits, whole, not whole), "pt", 20_000.0, refusals=False, dtypes=False,
            ))  # fmt: skip
    return lines


def _sample(d: Draw) -> Call:
    x = d.array(d.dtype("si"), shape := d.shape(1, 3, least=2))
    return call(x, axis=d.of(None, d.axis(len(shape))))


def _ranked(d: Draw) -> Call:
    x = d.array(d.dtype("si"), shape := d.shape(1, 3, least=1))
    method = d.of("average", "min", "max", "dense", "ordinal")
    return call(x, method=method, axis=d.of(None, d.axis(len(shape))))


def _mode(d: Draw) -> Call:
    x = d.array(d.dtype("i"), shape := d.shape(1, 3, least=1), special=False)
    return call(x, axis=d.of(None, d.axis(len(shape))), keepdims=d.flag())


def _with_ddof(d: Draw) -> Call:
    found = _sample(d)
    return Call(found.args, {**found.kwargs, "ddof": d.of(0, 1)})


def _normal(d: Draw) -> Call:
    n = d.number(1, 3)
    x = d.array("float64", (*d.shape(0, 1, 1), n))
    covariance = d.array("float64", (n, n), then=lambda x, rng: x @ x.T + np.eye(len(x)))
    return call(x, d.array("float64", (n,)), covariance)


def _of_symmetric(f: Callable[..., Any]) -> Callable[..., Any]:
    """Of the symmetric part: SciPy reads the lower triangle, and derivatives here are symmetric."""
    return lambda x, mean, covariance: f(x, mean, (covariance + covariance.T) / 2)


def _summary(name: str, draw: Any, **more: Any) -> Line:
    given = {"flavours": "ptz", "length": PROGRAM, "refusals": False} | more
    return Line(f"stats.{name}", getattr(stats, name), getattr(scipy.stats, name), draw, **given)


def _simplex(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x / x.sum(0)


def _dirichlet(d: Draw) -> Call:
    n = d.number(2, 4)
    return call(d.array("float64", (n,), 0.1, 1, then=_simplex), d.array("float64", (n,), 0.5, 3))


def _multinomial(d: Draw) -> Call:
    n = d.number(2, 4)
    counts = d.array("float64", (n,), 0, 4, then=lambda x, rng: np.round(x))
    return call(counts, counts, d.array("float64", (n,), 0.1, 1, then=_simplex))


SPECIAL += [
    *_of_distributions(_CONTINUOUS, False, "logpdf pdf cdf logcdf sf logsf ppf isf"),
    *_of_distributions(_DISCRETE, True, "logpmf pmf cdf logcdf sf logsf"),
    _summary("zscore", _with_ddof, flavours="p"), _summary("sem", _with_ddof),
    _summary("rankdata", _ranked, dtypes=False), _summary("mode", _mode, seen=tuple, indices=True),
    Line("stats.multivariate_normal.logpdf", _of_symmetric(stats.multivariate_normal.logpdf),
         _of_symmetric(scipy.stats.multivariate_normal.logpdf), _normal, "pt", PROGRAM, refusals=False,
         seen=lambda y: y.squeeze()),  # as SciPy's are
    Line("stats.dirichlet.logpdf", stats.dirichlet.logpdf, scipy.stats.dirichlet.logpdf, _dirichlet,
         "p", PROGRAM, refusals=False, smooth=False),
    Line("stats.multinomial.logpmf", lambda x, y, p: stats.multinomial.logpmf(x, np.sum(y), p),
         lambda x, y, p: scipy.stats.multinomial.logpmf(x, np.sum(y), p), _multinomial,
         "p", PROGRAM, refusals=False, smooth=False, traced=False),
]  # fmt: skip
