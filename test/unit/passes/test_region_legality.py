"""Bodies with what XLA would end the process for are refused; others are not."""

import numpy
import pytest

import anvl
import anvl.numpy as np
from anvl import prim
from anvl.dialect.core.errors import PassError
from anvl.passes.lower.region_legality import check_bodies

_X = numpy.asarray([[3.0, 1.0, 2.0]], "f")
_START = numpy.float32(0)


def _map(f):
    return lambda x: prim.map(x, dimensions=(0, 1), computation=f, dtype="f32")


def _reduce(f):
    return lambda x: prim.reduce(x, _START, dimensions=(1,), body=lambda a, b: a + f(b))


def _window(f):
    return lambda x: anvl.windows.reduce_window(x, lambda a, b: a + f(b), 0.0, (1, 2))


def _sort(f):
    return lambda x: prim.sort(x, dimension=1, comparator=lambda a, b: f(a) < f(b))


_HOSTS = {"map": _map, "reduce": _reduce, "reduce_window": _window, "sort": _sort}

_REFUSED = {
    "igamma": lambda a: prim.igamma(a, a),
    "betainc": lambda a: prim.betainc(a, a, a * 0.1),
    "sort": lambda a: np.sort(np.stack([a, -a]))[0],
    "fft": lambda a: np.real(np.fft.fft(np.stack([a, a]))[0]),
    "inv": lambda a: np.linalg.inv(np.stack([a, 0 * a, 0 * a, a]).reshape(2, 2))[0, 0],
    "cholesky": lambda a: np.linalg.cholesky(a.reshape(1, 1))[0, 0],
    "matmul": lambda a: (np.ones((2, 2)) * a @ np.ones((2, 2)))[0, 0],
}
_TAKEN = {
    "erf": np.erf,
    "lgamma": prim.lgamma,
    "digamma": prim.digamma,
    "cumsum": lambda a: np.cumsum(np.stack([a, a]))[1],
    "sum": lambda a: np.sum(np.stack([a, a])),
    "where": lambda a: np.where(a > 0, a, -a),
    "write": lambda a: np.stack([a, a]).at[0].set(1.0).sum(),
    "long sum": lambda a: np.sum(np.sin(np.arange(100.0) * a)),
}
_NOT_IN_SORT = ("cumsum", "sum", "write", "long sum")


def _lowered(f):
    return anvl.jit(f).lower(_X).mlir("stablehlo")


def _check(text):
    from anvl.dialect.core.context import context
    from anvl.dialect.core.mlir import ir

    with context():
        check_bodies("test", ir.Module.parse(text).operation, "cpu")


@pytest.mark.parametrize("host", _HOSTS)
@pytest.mark.parametrize("name", _REFUSED)
def test_refused_in_a_body(host, name):
    with pytest.raises(PassError, match=rf"{host}: its \w+ contains stablehlo\.\w+.*XLA compiles"):
        _check(_lowered(_HOSTS[host](_REFUSED[name])))


@pytest.mark.sweep(keep=10)
@pytest.mark.parametrize("host", _HOSTS)
@pytest.mark.parametrize("name", _TAKEN)
def test_taken_in_a_body(host, name):
    """Not refused, and truly compiled and run: where it were not, this process would end."""
    f = _HOSTS[host](_TAKEN[name])
    if host == "sort" and name in _NOT_IN_SORT:
        with pytest.raises(PassError, match=r"sort: its comparator contains stablehlo\.(red|sc)"):
            _check(_lowered(f))
        return
    _check(_lowered(f))
    anvl.tree.map(numpy.asarray, anvl.jit(f)(_X))


def test_outside_of_a_body_all_is_taken():
    _check(_lowered(lambda x: np.sort(x) + prim.igamma(x, x) + x @ np.ones((3, 3), "f32")))
