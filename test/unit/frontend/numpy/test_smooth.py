"""Derivatives to the second order and beyond, at ties, zeros and extremes, of every function.

The functions are those of `anvl.numpy`, `linalg`, `fft` and `windows`.  One that is in no table
fails the first test here: give it points where its arguments tie, vanish or sit on a branch, or a
phrase of its documentation that says where it is not smooth.
"""

import inspect
from collections.abc import Iterator
from typing import Any

import ml_dtypes  # noqa: F401  bfloat16
import numpy as np
import pytest
from smooth_arrays import ARRAYS, COMPLEX, MATRICES
from smooth_elsewhere import CORNERS, FLAT, LINEAR, OTHER_NAMES
from smooth_points import ELEMENTWISE
from smooth_staples import STAPLES, STAPLES_FLAT, STAPLES_LINEAR, STAPLES_WITH_CORNERS
from smoothness import computed, derivatives, errors
from tolerances import rounding

import anvl
import anvl.numpy as anp
from anvl import windows
from anvl.numpy import fft, linalg

TABLES = {
    "elementwise": ELEMENTWISE, "arrays": ARRAYS, "complex": COMPLEX, "matrices": MATRICES,
    "staples": STAPLES,
}  # fmt: skip
LINEAR_FUNCTIONS = LINEAR | STAPLES_LINEAR
NOT_SMOOTH = CORNERS | STAPLES_WITH_CORNERS
LONG = ("elementwise", "matrices")  # half a minute each
SWEPT = {True: pytest.mark.sweep(keep=0, part=0), False: pytest.mark.sweep(keep=0)}
BILINEAR = {"conv"}  # as a product of arrays; the table of the op has its samples


def public_functions() -> Iterator[tuple[str, Any]]:
    for module in (anp, linalg, fft, windows):
        for name in module.__all__:
            f = getattr(module, name)
            if callable(f) and not isinstance(f, type) and not inspect.ismodule(f):
                yield name, f


def words(names: Any) -> set[str]:
    return {word.strip(",") for name in names for word in name.split()}


def test_every_function_has_points_or_a_reason() -> None:
    smooth = words(row.name for rows in TABLES.values() for row in rows)
    flat = FLAT | STAPLES_FLAT | OTHER_NAMES
    known = smooth | BILINEAR | set(LINEAR_FUNCTIONS) | set(NOT_SMOOTH) | flat
    assert sorted({name for name, _ in public_functions()} - known) == []


@pytest.mark.parametrize("name", NOT_SMOOTH)
def test_a_function_that_is_not_smooth_says_where(name: str) -> None:
    f = dict(public_functions())[name]
    assert NOT_SMOOTH[name] in " ".join(f.__doc__.split()), (
        f"{name}: its documentation does not say"
    )


@pytest.mark.parametrize(
    "table", [pytest.param(name, marks=SWEPT[name in LONG]) for name in TABLES]
)
def test_derivatives_are_those_of_the_values_around(table: str) -> None:
    rows = TABLES[table]
    programs, points = [derivatives(row) for row in rows], [row.point for row in rows]

    def everything(points: Any) -> Any:
        return [f(*xs) for f, xs in zip(programs, points, strict=True)]

    found = computed(everything, points)
    wrong = {row.name: errors(row, one) for row, one in zip(rows, found, strict=True)}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.sweep(keep=0)
def test_linear_functions_are_their_own_derivatives() -> None:
    x, t = np.zeros((3, 4)), np.arange(1.0, 13).reshape(3, 4)

    def everything(x: Any, t: Any) -> Any:
        found = []
        for f in LINEAR_FUNCTIONS.values():
            tangent = anvl.jvp(f, (x,), (t,))[1]
            y, pulled = anvl.vjp(f, x)
            back = anp.sum(pulled(tangent)[0] * t)
            second = anvl.jvp(lambda x, f=f: anvl.jvp(f, (x,), (t,))[1], (x,), (t,))[1]
            found.append((y, f(t), tangent, back, second))
        return found

    for name, found in zip(LINEAR_FUNCTIONS, computed(everything, x, t), strict=True):
        zero, y, tangent, back, second = map(np.asarray, found)
        assert np.all(zero == 0) and np.all(second == 0), name
        np.testing.assert_allclose(tangent, y, 1e-12, err_msg=name)
        # A cotangent pairs with a tangent without conjugation.
        np.testing.assert_allclose(back, np.sum(np.real(y * y)), 1e-12, err_msg=name)


# f(c x) = c^degree f(x): of a function, a point and the degree.
SCALED = {
    **{
        f"norm, {order}": (lambda x, order=order: linalg.norm(x, order), [3.0, -4], 1)
        for order in (2, 3, 1.5, 0.5, -1, 4)
    },
    "norm of rows": (lambda x: anp.sum(linalg.norm(x, axis=1)), [[3.0, -4], [1, 0]], 1),
    "norm of matrices": (lambda x: linalg.norm(x, "fro", (0, 1)), [[3.0, -4], [1, 0]], 1),
    "norm of complex": (lambda x: linalg.norm(x[:2] + 1j * x[2:]), [3.0, -4, 0, 12], 1),
    "hypot": (lambda x: anp.hypot(x[0], x[1]), [3.0, -4], 1),
    "abs of complex": (lambda x: anp.abs(x[0] + 1j * x[1]), [3.0, -4], 1),
    "atan2": (lambda x: anp.arctan2(x[0], x[1]), [3.0, -4], 0),
}
EXPONENTS = {"float16": 10, "bfloat16": 110, "float32": 110, "float64": 1000}


def check_multiples(rows: list[tuple[str, np.dtype[Any], int]]) -> None:
    """Compare value, gradient and Hessian at 2^k times the points of SCALED with those there."""
    rows = [(name, np.dtype("float64"), 0) for name in SCALED] + rows
    points = [np.ldexp(SCALED[name][1], k).astype(dtype) for name, dtype, k in rows]

    def everything(points: Any) -> Any:
        functions = [SCALED[name][0] for name, *_ in rows]
        return [
            (f(x), anvl.grad(f)(x), anvl.hessian(f)(x))
            for f, x in zip(functions, points, strict=True)
        ]

    results = [[np.asarray(y, float) for y in ys] for ys in computed(everything, points)]
    usual = dict(zip(SCALED, results, strict=False))
    for (name, dtype, k), found in zip(rows, results, strict=True):
        for order, (y, wanted) in enumerate(zip(found, usual[name], strict=True)):
            power = k * (SCALED[name][2] - order)
            if abs(power) <= EXPONENTS[dtype.name]:  # else it is out of range itself
                limit = rounding(10, dtype)
                np.testing.assert_allclose(
                    np.ldexp(y, -power), wanted, limit, limit, err_msg=f"{name}, {dtype}, 2^{k}"
                )


@pytest.mark.sweep(keep=0, part=0)
def test_derivatives_hold_over_the_whole_range_of_a_dtype() -> None:
    """Where the square of a number is none, the derivatives are those of its multiples."""
    check_multiples(
        [
            (name, np.dtype(dtype), sign * most)
            for dtype, most in EXPONENTS.items()
            for sign in (-1, 1)
            for name in SCALED
            if "complex" not in name or dtype in ("float32", "float64")
        ]
    )


def test_the_hessian_of_a_short_vector_is_finite() -> None:
    """Before and behind the exponents where the sum of squares is none."""
    exponents = (-110, -90, -70, -45, 70, 110)
    check_multiples([("norm, 2", np.dtype("float32"), k) for k in exponents])


INF, NAN = np.inf, np.nan
_I, _UP = np.eye(2), np.eye(2, k=1)

# Of a function: the point, the value and the gradient there.
LIMITS = {
    "logaddexp of nan": (anp.logaddexp, (NAN, 0.0), NAN, (NAN, NAN)),
    "logaddexp of inf": (anp.logaddexp, (INF, 0.0), INF, (1, 0)),
    "logaddexp of -inf": (anp.logaddexp, (-INF, 0.0), 0, (0, 1)),
    "logaddexp of inf twice": (anp.logaddexp, (INF, INF), INF, (0.5, 0.5)),
    "logaddexp of -inf twice": (anp.logaddexp, (-INF, -INF), -INF, (0.5, 0.5)),
    "hypot of nan": (anp.hypot, (NAN, 1.0), NAN, (NAN, NAN)),
    "hypot of inf": (anp.hypot, (INF, 0.0), INF, (1, 0)),
    "hypot of -inf": (anp.hypot, (2.0, -INF), INF, (0, -1)),
    "hypot of inf twice": (anp.hypot, (INF, INF), INF, (NAN, NAN)),
    "hypot of 0": (anp.hypot, (0.0, 0.0), 0, (0, 0)),
    "hypot that overflows": (anp.hypot, (1.5e308, 1.5e308), INF, (0.5**0.5, 0.5**0.5)),
    "norm of 0": (lambda x, y: linalg.norm(anp.stack([x, y])), (0.0, 0.0), 0, (0, 0)),
    "norm, 3, of 0": (lambda x, y: linalg.norm(anp.stack([x, y]), 3), (0.0, 0.0), 0, (0, 0)),
    "norm, -1, with 0": (lambda x, y: linalg.norm(anp.stack([x, y]), -1), (0.0, 2.0), 0, (0, 0)),
    "norm, of which XLA's inverse is 0": (
        lambda x, y: linalg.norm(anp.stack([x, y])), (np.float32(1.5e38), np.float32(1.5e38)),
        1.5e38 * 2**0.5, (0.5**0.5, 0.5**0.5),
    ),
    "norm of inf": (lambda x, y: linalg.norm(anp.stack([x, y])), (INF, 1.0), INF, (NAN, NAN)),
    "norm of nan": (lambda x, y: linalg.norm(anp.stack([x, y])), (NAN, 1.0), NAN, (NAN, NAN)),
    "norm, -1, of inf": (lambda x, y: linalg.norm(anp.stack([x, y]), -1), (INF, 2.0), 2, (0, 1)),
    **{
        f"curvature of {name} at 0": (
            lambda x, y, f=f: anvl.grad(lambda x: f(x, y))(x), (0.0, 0.0), 0, (NAN, NAN)
        )
        for name, f in {
            "hypot": anp.hypot,
            "norm": lambda x, y: linalg.norm(anp.stack([x, y])),
            "norm, 3": lambda x, y: linalg.norm(anp.stack([x, y]), 3),
            "a modulus": lambda x, y: anp.abs(x + 1j * y),
            "a cosine of a norm": lambda x, y: anp.cos(linalg.norm(anp.stack([x, y]))),
        }.items()
    },
    **{
        f"curvature of {name} ** {n!r} at 0": (
            lambda x, y, f=f, n=n: anvl.grad(lambda x: f(x, y) ** n)(x),
            (0.0, 0.0), 0, (2 if n == 2 else 0, 0),
        )
        for name, f in {
            "hypot": anp.hypot,
            "norm": lambda x, y: linalg.norm(anp.stack([x, y])),
            "norm, kept": lambda x, y: linalg.norm(anp.stack([x, y]), keepdims=True).reshape(()),
            "a modulus": lambda x, y: anp.abs(x + 1j * y),
            "abs": lambda x, y: anp.abs(x),
        }.items()
        for n in (2, 3, 2.0, np.float64(3), np.asarray(4.0), 5)
    },
    "third derivative of norm ** 5 at 0": (
        lambda x, y: anvl.grad(anvl.grad(lambda x: linalg.norm(anp.stack([x, y])) ** 5))(x),
        (0.0, 0.0), 0, (0, 0),
    ),
    "atan2 of inf": (anp.arctan2, (INF, 1.0), np.pi / 2, (0, 0)),
    "atan2 of 0": (anp.arctan2, (0.0, 0.0), 0, (NAN, NAN)),
    "sinc of inf": (anp.sinc, (INF,), NAN, (NAN,)),
    "sinc of nan": (anp.sinc, (NAN,), NAN, (NAN,)),
    "i0 of -inf": (anp.i0, (-INF,), INF, (-INF,)),
    "i1 of -inf": (anp.i1, (-INF,), -INF, (INF,)),
    "i1 of nan": (anp.i1, (NAN,), NAN, (NAN,)),
    "x**-2 at inf": (lambda x: x**-2, (INF,), 0, (0,)),
    "x**-2 at 0": (lambda x: x**-2, (0.0,), INF, (-INF,)),
    "x**-3 at -0": (lambda x: x**-3, (-0.0,), -INF, (-INF,)),
    "x**-3 at nan": (lambda x: x**-3, (NAN,), NAN, (NAN,)),
    "asinh of inf": (anp.asinh, (INF,), INF, (0,)),
    **{
        f"curvature of {name} along a line through 1, in forward mode": (
            lambda t, f=f: anvl.jvp(lambda t: f(_I + t * _UP), (t,), (anp.ones_like(t),))[1],
            (0.0,), 0, (curvature,)
        )
        for name, f, curvature in [
            ("eigvalsh, squared,", lambda x: anp.sum(linalg.eigvalsh(x) ** 2), NAN),
            ("eigh, squared,", lambda x: anp.sum(linalg.eigh(x)[0] ** 2), NAN),
            ("svdvals, squared,", lambda x: anp.sum(linalg.svdvals(x) ** 2), NAN),
            ("svd, squared,", lambda x: anp.sum(linalg.svd(x)[1] ** 2), NAN),
            ("eigvals, squared,", lambda x: anp.real(anp.sum(linalg.eigvals(x + x.T) ** 2)), NAN),
            ("norm, nuc", lambda x: linalg.norm(x, "nuc"), 0.5),
        ]
    },
    "expm1 of -50": (anp.expm1, (-50.0,), -1, (np.exp(-50),)),
    **{
        f"curvature of {f.__name__} near 0": (lambda x, f=f: anvl.grad(f)(x), (1e-10,), y, (g,))
        for f, y, g in [(anp.asin, 1, 1e-10), (anp.acos, -1, -1e-10), (anp.atanh, 1, 2e-10)]
    },
    "gammainc(1, x) at 0": (lambda x: anp.gammainc(1.0, x), (0.0,), 0, (1,)),
    "curvature of gammainc(2, x) at 0": (
        lambda x: anvl.grad(lambda x: anp.gammainc(2.0, x))(x), (0.0,), 0, (1,)
    ),
    "curvature of betainc(3, 1, x) at 1": (
        lambda x: anvl.grad(lambda x: anp.betainc(3.0, 1.0, x))(x), (1.0,), 3, (6,)
    ),
    **{
        f"x**{n} in {dtype}, {x}": (lambda x, n=n: x**n, (np.dtype(dtype).type(x),), y, (g,))
        for n, dtype, x, y, g in [
            (-12, "float32", 1e7, 0, 0),
            (-6, "float32", 1700, 1700.0**-6, -6 * 1700.0**-7),
            (-12, "float32", 30, 30.0**-12, -12 * 30.0**-13),
            (-2, "float16", 300, 300.0**-2, -2 * 300.0**-3),
            (-3, "float64", 1e-90, 1e270, -INF),
            (-3, "float64", 1e90, 1e-270, 0),
        ]
    },
}  # fmt: skip


@pytest.mark.sweep(keep=0, part=0)
def test_limits() -> None:
    """Values and gradients at infinities, NaN and ends of a range, in both modes."""
    points = [[np.asarray(x) for x in xs] for _, xs, _, _ in LIMITS.values()]

    def everything(points: Any) -> Any:
        found = []
        for (f, *_), xs in zip(LIMITS.values(), points, strict=True):
            every = tuple(range(len(xs)))
            value, slopes = anvl.value_and_grad(f, wrt=every)(*xs)
            ones = [anp.ones_like(x) for x in xs]
            rest = [[anp.zeros_like(x) for x in xs] for _ in every]
            ways = [[*zeros[:i], ones[i], *zeros[i + 1 :]] for i, zeros in enumerate(rest)]
            forward = [anvl.jvp(f, tuple(xs), tuple(way))[1] for way in ways]
            found.append((value, slopes, forward))
        return found

    results = computed(everything, points)
    for (name, (_, xs, y, slopes)), found in zip(LIMITS.items(), results, strict=True):
        limits = np.finfo(np.asarray(xs[0]).dtype)
        rtol, smallest = 50 * float(limits.eps), float(limits.smallest_subnormal)
        for wanted, seen in (((y,), found[:1]), (slopes, found[1]), (slopes, found[2])):
            seen = np.hstack([np.ravel(v).astype(float) for v in seen])
            np.testing.assert_allclose(seen, wanted, rtol, smallest, err_msg=name)


# Of a function of one array: the point and the gradient there, the same in both modes.
SHARED = {
    "median, the middle two": (anp.median, [0, 1, 1, 5], [0, 0.5, 0.5, 0]),
    "median, all": (anp.median, [1, 1, 1], [1 / 3] * 3),
    "median, an odd count": (anp.median, [0, 1, 1], [0, 0.5, 0.5]),
    "median, infinite": (anp.median, [INF, INF, 1, INF], [1 / 3, 1 / 3, 0, 1 / 3]),
    "median, not sorted": (anp.median, [5, 1, 0, 1], [0, 0.5, 0, 0.5]),
    "quantile": (lambda x: anp.quantile(x, 0.4), [0, 1, 1, 5], [0, 0.5, 0.5, 0]),
    "quantile, below": (lambda x: anp.quantile(x, 0.25), [0, 1, 1, 5], [0.25, 0.375, 0.375, 0]),
    **{
        f"percentile, {method}": (
            lambda x, method=method: anp.percentile(x, 40, method=method), [1, 0, 5, 1],
            [0.5, 0, 0, 0.5],
        )
        for method in ("linear", "lower", "higher", "midpoint", "nearest")
    },
    "rows": (lambda x: anp.sum(anp.median(x, 1)), [[2, 2, 0], [0, 1, 2]],
             [[0.5, 0.5, 0], [0, 1, 0]]),
    "columns": (lambda x: anp.sum(anp.median(x, 0)), [[2, 2], [2, 1], [0, 0]],
                [[0.5, 0], [0.5, 1], [0, 0]]),
    "a batch": (lambda x: anp.sum(anvl.vmap(anp.median)(x)), [[2, 2, 0], [0, 1, 2]],
                [[0.5, 0.5, 0], [0, 1, 0]]),
}  # fmt: skip


@pytest.mark.sweep(keep=0, part=0)
def test_equal_elements_share_a_quantile() -> None:
    points = [np.asarray(x, np.float64) for _, x, _ in SHARED.values()]

    def everything(points: Any) -> Any:
        return [
            (anvl.grad(f)(x), anvl.jacfwd(f)(x), anvl.vmap(anvl.grad(f))(anp.stack([x, x]))[1])
            for (f, *_), x in zip(SHARED.values(), points, strict=True)
        ]

    found = computed(everything, points)
    for (name, (_, _, wanted)), slopes in zip(SHARED.items(), found, strict=True):
        for slope in slopes:
            np.testing.assert_allclose(slope, wanted, 1e-15, err_msg=name)
