"""`anvl.scipy.fft`, `ndimage`, `cluster.vq` and `sparse.linalg` against SciPy."""

import itertools

import numpy as np
import pytest
import scipy.cluster.vq
import scipy.fft
import scipy.ndimage
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.scipy import fft, ndimage
from anvl.scipy.cluster.vq import vq
from anvl.scipy.sparse import linalg
from anvl.testing import check_grads

RNG = np.random.default_rng(6)


def draw(*shape, dtype="f8"):
    x = RNG.normal(size=shape) * (9 if np.dtype(dtype).kind == "i" else 1)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.normal(size=shape)
    return x.astype(dtype)


def compare(found, right, length=PROGRAM):
    found, right = np.asarray(found), np.asarray(right)
    assert (found.shape, found.dtype) == (right.shape, right.dtype)
    limit = rounding(length, found) if found.dtype.kind in "fc" else 0
    np.testing.assert_allclose(found, right, rtol=limit, atol=limit * max(1, np.abs(right).max()))


@pytest.mark.sweep(keep=1, part=0)
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosine_transforms(kind):
    x = draw(3, 5)
    for norm, name in itertools.product((None, "ortho", "forward"), ("dct", "idct")):
        f, g = getattr(fft, name), getattr(scipy.fft, name)
        compare(f(x, kind, norm=norm), g(x, kind, norm=norm))
        compare(f(x, kind, 4, 0, norm), g(x, kind, 4, 0, norm))
        compare(f(x[:, :2] + 1j, kind, norm=norm), g(x[:, :2] + 1j, kind, norm=norm))
    compare(fft.dct(x.astype("f4"), kind), scipy.fft.dct(x.astype("f4"), kind))
    if kind > 1:
        compare(fft.dct(x[:, :1], kind), scipy.fft.dct(x[:, :1], kind))
    for name in ("dctn", "idctn"):
        f, g = getattr(fft, name), getattr(scipy.fft, name)
        compare(f(x, kind, norm="ortho"), g(x, kind, norm="ortho"))
        compare(f(x, kind, s=(2, 4), axes=(1, 0)), g(x, kind, s=(2, 4), axes=(1, 0)))
    compare(fft.rfft(x), scipy.fft.rfft(x))


MODES = ["constant", "grid-constant", "nearest", "mirror", "reflect", "wrap", "grid-wrap"]


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("mode", MODES)
def test_coordinates(mode):
    x = draw(4, 3)
    at = [RNG.uniform(-9, 9, (5, 7)), RNG.uniform(-6, 6, (5, 7))]
    at[0][0], at[1][1] = [-3, -1, 0, 1, 3, 4, 7], [-3, -2, -1, 0, 2, 3, 5]
    for order in (0, 1):
        right = scipy.ndimage.map_coordinates(x, at, order=order, mode=mode, cval=1.7)
        compare(ndimage.map_coordinates(x, at, order, mode, 1.7), right)
        i = draw(5, dtype="i4")
        right = scipy.ndimage.map_coordinates(i, at[:1], order=order, mode=mode)
        compare(ndimage.map_coordinates(i, at[:1], order, mode), right)
    one = np.array([[2.0]])
    here = [np.array([0.0, 0.4]), np.array([0.0, -0.3])]
    right = scipy.ndimage.map_coordinates(one, here, order=1, mode=mode)
    if mode != "wrap":  # a period of 0
        compare(ndimage.map_coordinates(one, here, 1, mode), right)


FILTERS = ["reflect", "mirror", "nearest", "wrap", "constant"]


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("mode", FILTERS)
def test_filters(mode):
    x = draw(4, 5)
    for shape, origin in (((3, 2), 0), ((2, 4), (0, -1)), ((1, 5), (0, 2)), ((6, 7), 0)):
        w = draw(*shape)
        for name in ("correlate", "convolve"):
            right = getattr(scipy.ndimage, name)(x, w, mode=mode, cval=0.3, origin=origin)
            compare(getattr(ndimage, name)(x, w, None, mode, 0.3, origin), right)
    for name, axis in itertools.product(("correlate1d", "convolve1d"), (0, 1)):
        right = getattr(scipy.ndimage, name)(x, w[0, :4], axis, mode=mode, origin=1)
        compare(getattr(ndimage, name)(x, w[0, :4], axis, mode=mode, origin=1), right)
    for order in (0, 1, 2, 3):
        right = scipy.ndimage.gaussian_filter1d(x, 1.3, 0, order, mode=mode)
        compare(ndimage.gaussian_filter1d(x, 1.3, 0, order, mode=mode), right)
    right = scipy.ndimage.gaussian_filter(x, (0.5, 0), (0, 1), mode=mode, truncate=3)
    compare(ndimage.gaussian_filter(x, (0.5, 0), (0, 1), mode=mode, truncate=3), right)
    right = scipy.ndimage.uniform_filter(x, (3, 2), mode=mode, origin=(1, 0))
    compare(ndimage.uniform_filter(x, (3, 2), mode=mode, origin=(1, 0)), right)
    i = draw(6, dtype="i4")
    compare(ndimage.correlate(i, np.array([1, 2])), scipy.ndimage.correlate(i, np.array([1, 2])))
    c = draw(4, 3, dtype="c16")
    compare(ndimage.gaussian_filter(c, 1.0), scipy.ndimage.gaussian_filter(c, 1.0))


def test_nearest_codes():
    for shape in ((7, 2), (7,)):
        x, codes = draw(*shape), draw(4, *shape[1:])
        for found, right in zip(vq(x, codes), scipy.cluster.vq.vq(x, codes), strict=True):
            compare(found, right)
    g = anvl.grad(lambda x: anp.sum(vq(x, x[:2])[1]))(draw(3, 2))
    assert np.isfinite(np.asarray(g)).all()


# -- iterations -------------------------------------------------------------------------------

N = 6
GENERAL = draw(N, N) + 4 * np.eye(N)
POSITIVE = GENERAL @ GENERAL.T
B = draw(N)
SOLVERS = {"cg": POSITIVE, "bicgstab": GENERAL, "gmres": GENERAL}
TIGHT = {"rtol": 1e-13}


@pytest.mark.sweep(keep=1, part=0)
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_iterations_solve_systems(name, dtype):
    f, a, b = getattr(linalg, name), SOLVERS[name].astype(dtype), B.astype(dtype)
    if dtype == "c16":
        s = draw(N, N)
        a = a + 1j * (s - s.T)
    right = np.linalg.solve(a, b)
    for m in (None, np.diag(1 / np.diag(a)).astype(dtype)):
        x, info = f(a, b, M=m, x0=0.1 * b, **TIGHT)
        assert int(info) == 0
        np.testing.assert_allclose(x, right, rtol=1e-8)
    tree = {"u": b[:2], "v": b[2:].reshape(2, 2)}

    def product(t):
        y = a @ anp.concatenate([t["u"], anp.ravel(t["v"])])
        return {"u": y[:2], "v": anp.reshape(y[2:], (2, 2))}

    x, _ = anvl.jit(lambda t: f(product, t, **TIGHT))(tree)
    np.testing.assert_allclose(np.ravel(x["v"]), right[2:], rtol=1e-8)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("name", SOLVERS)
def test_iterations_end(name):
    f, a = getattr(linalg, name), SOLVERS[name]
    options = {"restart": 1} if name == "gmres" else {}
    assert int(f(a, B, maxiter=1, **options)[1]) == 1
    x, info = f(a, 0 * B)
    assert int(info) == 0 and not np.any(x)
    assert int(f(a, B, atol=1e9)[1]) == 0
    with pytest.raises(ValueError, match=rf"{name}: A has shape \[6, 6\] and b 2 elements; give"):
        f(a, B[:2])


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("name", SOLVERS)
def test_derivatives_of_iterations(name):
    def f(a, b):
        a = a + a.T if name == "cg" else a
        m = np.diag(1 / np.diag(SOLVERS[name]))
        m = m if name == "cg" else m + 0.01
        return getattr(linalg, name)(a, b, M=m, **TIGHT)[0]

    check_grads(f, (SOLVERS[name], B), order=1, rtol=1e-5)
    if name == "gmres":
        small = SOLVERS[name][:2, :2]
        g = lambda a: linalg.gmres(a, B[:2], **TIGHT)[0]  # noqa: E731
        check_grads(g, (small,), order=2, rtol=1e-4)


def test_the_gradient_of_a_solution():
    f = lambda b: anp.sum(linalg.cg(POSITIVE, b, **TIGHT)[0] ** 2)  # noqa: E731
    right = 2 * np.linalg.solve(POSITIVE, np.linalg.solve(POSITIVE, B))
    np.testing.assert_allclose(anvl.grad(f)(B), right, rtol=1e-8)


X, Y = draw(3, 4), draw(4)
SMOOTH = {
    "dct": (lambda x: fft.dct(x, norm="ortho") ** 2, (X,)),
    "idct": (lambda x: fft.idctn(x, 4) ** 2, (X,)),
    "map_coordinates": (lambda x, a: ndimage.map_coordinates(x, [a, a * a], 1, "mirror"), (X, Y)),
    "gaussian_filter": (lambda x: ndimage.gaussian_filter(x, 0.7) ** 2, (X,)),
    "convolve": (lambda x, y: ndimage.convolve(x, y[None] * x[:1], mode="wrap"), (X, Y)),
    "vq": (lambda x, y: vq(x, y.reshape(1, 4))[1], (X, Y)),
}  # fmt: skip


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_of_both_orders(name):
    f, args = SMOOTH[name]
    check_grads(f, args, order=2)


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda: fft.dct(X, 5), ValueError, "dct: type is 5; it must be 1, 2, 3 or 4"),
        (lambda: fft.idct(X, norm="n"), ValueError, "idct: norm is 'n'; it must be None"),
        (
            lambda: fft.dct(X[:, :1], 1),
            ValueError,
            "dct: 1 elements along the axis; give at least 2",
        ),
        (lambda: fft.dctn(X, s=(2,), axes=(0, 1)), ValueError, "dctn: s is"),
        (
            lambda: ndimage.map_coordinates(X, [Y], 1),
            ValueError,
            "1 coordinates for f64[3,4]; give",
        ),
        (
            lambda: ndimage.map_coordinates(X, [Y, Y], 1, "up"),
            ValueError,
            "map_coordinates: mode is 'up'; it must be one of",
        ),
        (
            lambda: ndimage.correlate(X, Y),
            ValueError,
            "correlate: input is f64[3,4] and weights f64[4]",
        ),
        (
            lambda: ndimage.convolve(X, X, mode="up"),
            ValueError,
            "convolve: mode is 'up'; it must be",
        ),
        (
            lambda: ndimage.convolve1d(X, Y, origin=3),
            ValueError,
            "convolve: origin is 3, outside of 4",
        ),
        (
            lambda: ndimage.correlate1d(X, X),
            ValueError,
            "correlate1d: weights is f64[3,4]; give a vec",
        ),
        (
            lambda: ndimage.correlate(X, X, X),
            ValueError,
            "correlate: output is ndarray; arrays are",
        ),
        (lambda: ndimage.gaussian_filter(X, (1, 2, 3)), ValueError, "(1, 2, 3) has not 2 values"),
        (lambda: ndimage.gaussian_filter1d(X, -1), ValueError, "gaussian_filter1d: radius"),
        (lambda: vq(X, Y), ValueError, "vq: obs is f64[3,4] and code_book f64[4]; give"),
        (lambda: linalg.gmres(X, Y, restart=0), ValueError, "gmres: restart is 0; it must be at"),
    ],
)
def test_what_is_refused(f, error, message):
    with pytest.raises(error) as raised:
        f()
    assert message in str(raised.value)
