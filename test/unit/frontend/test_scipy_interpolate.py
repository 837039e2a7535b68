"""`anvl.scipy.interpolate` against SciPy: values, ends, derivatives through points and values."""

import itertools

import numpy as np
import pytest
import scipy.interpolate as wanted
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.scipy import interpolate
from anvl.testing import check_grads

RNG = np.random.default_rng(4)
X = np.array([0.0, 0.7, 1.0, 2.5, 3.0, 4.2])
Y = RNG.normal(size=(6, 2))
AT = np.array([[-1.0, 0.0, 0.3, 0.7], [2.9, 4.2, 5.0, np.nan]])


def close(found, right):
    limit = rounding(PROGRAM)
    assert np.shape(found) == np.shape(right)
    np.testing.assert_allclose(found, right, rtol=limit, atol=limit * 10)


ENDS = [
    "not-a-knot", "natural", "clamped", ((1, 0.5), (2, -1.0)), ("natural", "not-a-knot"),
    ("not-a-knot", (2, 0.3)),
]  # fmt: skip


@pytest.mark.sweep(keep=1, part=0)
@pytest.mark.parametrize("ends", ENDS)
def test_cubic_splines(ends):
    pair = isinstance(ends, tuple) and isinstance(ends[0], tuple | str)
    scipys = (
        tuple((e[0], np.full(2, e[1])) if isinstance(e, tuple) else e for e in ends)
        if pair
        else ends
    )
    for n in (2, 3, 6):
        found = interpolate.CubicSpline(X[:n], Y[:n], bc_type=ends)
        right = wanted.CubicSpline(X[:n], Y[:n], bc_type=scipys)
        for nu in (0, 1, 2, 3):
            close(found(AT, nu), right(AT, nu))
        close(found.derivative(2)(AT), right.derivative(2)(AT))
        close(found.integrate(0.2, 3.5), right.integrate(0.2, 3.5))
        close(found.antiderivative()(AT), right.antiderivative()(AT))


def test_axes_and_ends_of_piecewise_polynomials():
    for name in ("CubicSpline", "PchipInterpolator"):
        f, g = getattr(interpolate, name), getattr(wanted, name)
        close(f(X, Y.T, axis=1)(AT), g(X, Y.T, axis=1)(AT))
        close(f(X, Y, extrapolate=False)(AT), g(X, Y, extrapolate=False)(AT))
        close(f(X, Y)(1.3), g(X, Y)(1.3))
        close(f(X, Y)(AT, extrapolate=False), g(X, Y)(AT, extrapolate=False))


@pytest.mark.parametrize("y", [[0, 0, 1, 1, 1, 5.0], [0, 9, 1, 1.5, 2, 2], [3, 2, 1, 0, -5, -5.1]])
def test_monotonic_interpolation(y):
    for n in (2, 3, 6):
        found, right = (
            m.PchipInterpolator(X[:n], np.array(y[:n], float)) for m in (interpolate, wanted)
        )
        for nu in (0, 1, 2):
            close(found(AT, nu), right(AT, nu))


def test_grids():
    points = (X, np.array([-1.0, 0.0, 2.0]))
    values = RNG.normal(size=(6, 3, 2))
    xi = np.stack([AT.ravel(), np.linspace(-2, 2.5, 8)], axis=-1).reshape(2, 4, 2)
    for method, fill in itertools.product(("linear", "nearest"), (np.nan, 7.0, None)):
        options = {"method": method, "bounds_error": False, "fill_value": fill}
        found = interpolate.RegularGridInterpolator(points, values, **options)
        right = wanted.RegularGridInterpolator(points, values, **options)
        close(found(xi), right(xi))
        close(found((xi[..., 0], 0.5)), right((xi[..., 0], 0.5)))
    close(found(xi, method="linear"), right(xi, method="linear"))


@pytest.mark.parametrize("kind", ["linear", "nearest", "previous", "next", "cubic"])
def test_one_variable(kind):
    order = np.array([3, 1, 0, 5, 4, 2])
    at = np.concatenate([AT.ravel()[:-1], X, (X[1:] + X[:-1]) / 2])
    for fill in (np.nan, (1.0, 2.0), "extrapolate"):
        options = {"kind": kind, "axis": 0, "bounds_error": False, "fill_value": fill}
        found = interpolate.interp1d(X[order], Y[order], **options)
        right = wanted.interp1d(X[order], Y[order], **options)
        close(found(at), right(at))
    close(interpolate.interp1d(X, Y.T, kind)(0.6), wanted.interp1d(X, Y.T, kind)(0.6))


P = np.array([0.2, 1.7, 2.8])
SMOOTH = {
    "spline": (lambda x, y, p: interpolate.CubicSpline(x, y)(p), (X, Y, P)),
    "natural": (lambda x, y, p: interpolate.CubicSpline(x, y, bc_type="natural")(p, 1), (X, Y, P)),
    "three": (lambda x, y, p: interpolate.CubicSpline(x, y)(p), (X[:3], Y[:3], P[:1])),
    "pchip": (lambda x, y, p: interpolate.PchipInterpolator(x, y)(p), (X, np.cumsum(Y**2, 0), P)),
    "pchip, flat": (lambda y: interpolate.PchipInterpolator(X, y)(P[:1]), (np.arange(6.0) ** 2 + 1,)),
    "grid": (lambda x, v, p: interpolate.RegularGridInterpolator((x, x[:2]), v)(anp.stack([p, p / 9], -1)), (X, Y, P)),
    "linear": (lambda x, y, p: interpolate.interp1d(x, y, axis=0)(p) ** 2, (X, Y, P)),
    "integral": (lambda x, y: interpolate.CubicSpline(x, y).integrate(0.1, 3.3), (X, Y)),
}  # fmt: skip


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_of_both_orders(name):
    f, args = SMOOTH[name]
    check_grads(f, args, order=2, rtol=2e-5)


def test_interpolators_are_arguments():
    spline = interpolate.CubicSpline(X, Y)
    grid = interpolate.RegularGridInterpolator((X,), Y)
    found = anvl.jit(lambda f, g, x: f(x) + g(x[:, None]))(spline, grid, P)
    close(found, np.asarray(spline(P)) + np.asarray(grid(P[:, None])))
    each = anvl.vmap(lambda y: interpolate.CubicSpline(X, y)(P), in_axes=1, out_axes=1)(Y)
    close(each, spline(P))


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda: interpolate.CubicSpline(X, Y[:3]), "CubicSpline: x is f64[6] and y f64[3,2]"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type="periodic"), "bc_type has 'periodic'; give"),
        (lambda: interpolate.PPoly(Y, X), "PPoly: c has shape [6, 2] and x [6]; give"),
        (
            lambda: interpolate.interp1d(X, Y),
            "interp1d: x has shape [6] and y [6, 2]; give a vector",
        ),
        (lambda: interpolate.interp1d(X, X, "what"), "interp1d: kind is 'what'; it must be one of"),
        (lambda: interpolate.interp1d(X, X, bounds_error=True), "interp1d: bounds_error is True"),
        (
            lambda: interpolate.RegularGridInterpolator((X, X), Y),
            "RegularGridInterpolator: points of the shapes",
        ),
        (
            lambda: interpolate.RegularGridInterpolator((X,), Y, "cubic"),
            "RegularGridInterpolator: method is 'cubic'; it must be 'linear'",
        ),
        (
            lambda: interpolate.RegularGridInterpolator((X,), Y, bounds_error=True),
            "RegularGridInterpolator: bounds_error is True",
        ),
        (
            lambda: interpolate.RegularGridInterpolator((X,), Y)(P),
            "RegularGridInterpolator: xi has shape [3]; its last axis must have 1",
        ),
    ],
)
def test_what_is_refused(f, message):
    with pytest.raises(ValueError) as error:
        f()
    assert message in str(error.value)
