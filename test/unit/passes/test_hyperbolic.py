"""sinh and cosh, and the derivatives that they are of each other, as XLA computes them."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

LONG = np.longdouble
MOST = 2.5  # units in the last place

LIMITS = {"float32": 89.41598, "float64": 710.475}  # of numbers with a finite result
#: Where the sine becomes its series, and where exp(x) is infinite and the results are not.
POINTS = [-48.5, 88.02857, 88.73, 89.4, 542.7, 709.78, 709.79, 710.4, 1, 13 / 16, 13 / 32, 1e-20]


def numbers(dtype):
    limit, draw = LIMITS[dtype], np.random.default_rng(0)
    points = np.asarray([x for x in POINTS if x < limit])
    parts = [
        draw.uniform(-limit, limit, 20_000), draw.uniform(-2, 2, 20_000),
        draw.choice([-1, 1], 1000) * 10.0 ** draw.uniform(-30, 1, 1000),
    ]  # fmt: skip
    x = np.concatenate([points, np.nextafter(points, 0), -points, *parts]).astype(dtype)
    return x[np.abs(x) < limit]


def slopes(f):
    return anvl.jit(anvl.vmap(anvl.grad(f)))


@pytest.mark.skipif(np.finfo(LONG).nmant < 60, reason="NumPy has no longer type here")
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (anvl.jit(anp.sinh), np.sinh), (anvl.jit(anp.cosh), np.cosh),
        (slopes(anp.sinh), np.cosh), (slopes(anp.cosh), np.sinh),
    ],
)  # fmt: skip
def test_units_in_the_last_place(f, wanted, dtype):
    x = numbers(dtype)
    exact = wanted(x.astype(LONG))
    off = np.abs(np.asarray(f(x)).astype(LONG) - exact) / np.spacing(np.abs(exact).astype(dtype))
    assert off.max() < MOST, x[np.argmax(off)]


@pytest.mark.parametrize("dtype", [*LIMITS, "float16", "bfloat16"])
def test_ends_and_zeros(dtype):
    x = anp.asarray([-np.inf, -1000, -0.0, 0, 1000, np.inf, np.nan], dtype)
    sine, cosine = (np.asarray(anvl.jit(f)(x)).astype("float32") for f in (anp.sinh, anp.cosh))
    inf, nan = np.inf, np.nan
    np.testing.assert_array_equal(sine, [-inf, -inf, -0.0, 0, inf, inf, nan])
    assert np.signbit(sine[2]) and not np.signbit(sine[3])
    np.testing.assert_array_equal(cosine, [inf, inf, 1, 1, inf, inf, nan])


def test_narrow_floats_are_computed_in_f32():
    x = np.arange(-11, 11, 2.0**-6).astype("float16")
    for f, wanted in ((anp.sinh, np.sinh), (anp.cosh, np.cosh)):
        exact = wanted(x.astype(LONG))
        off = np.abs(np.asarray(anvl.jit(f)(x)) - exact) / np.spacing(np.abs(exact).astype("f2"))
        assert off.max() < 0.51  # once rounded, and near the middle of two numbers twice
