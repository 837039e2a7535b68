"""Arguments that are refused, in the function's own name and before anything is computed."""

import numpy
import pytest
from tolerances import rounding

import anvl
import anvl.numpy as np

M = numpy.asarray([[2.0, 1.0], [1.0, 2.0]], "f")
V = numpy.asarray([1.0, 2.0, 3.0, 4.0], "f")


def refuses(call, error, text):
    with pytest.raises(error, match=text):
        call()


INTEGERS = [
    (lambda: np.linalg.matrix_power(M, 1.5), TypeError, r"matrix_power: n is 1\.5 of type float"),
    (lambda: np.linalg.matrix_power(M, True), TypeError, "matrix_power: n is True of type bool"),
    (lambda: np.diff(V, n=1.5), TypeError, r"diff: n is 1\.5 of type float; it must be an integer"),
    (lambda: np.diff(V, n=-1), ValueError, "diff: n is -1; it must be at least 0"),
    (lambda: np.linalg.expm(M, max_squarings=1.5), TypeError, r"expm: max_squarings is 1\.5"),
    (lambda: np.linalg.expm(M, max_squarings=-1), ValueError, "expm: max_squarings is -1"),
]


IMAGE, KERNEL = numpy.ones((1, 4, 4, 1), "f"), numpy.ones((2, 2, 1, 1), "f")
PADDINGS = "must be 'SAME', 'VALID' or a pair"
WINDOWS = [
    (
        lambda: anvl.windows.conv(IMAGE, KERNEL[:0]),
        TypeError,
        r"kernel f32.0,2,1,1. is empty",
    ),
    (lambda: anvl.windows.conv(IMAGE, KERNEL, padding=1), TypeError, f"conv: .* {PADDINGS}"),
    (lambda: anvl.windows.conv(IMAGE, KERNEL, padding=None), TypeError, f"conv: .* {PADDINGS}"),
    (lambda: anvl.windows.max_pool(V, 2, padding=1), TypeError, f"max_pool: .* {PADDINGS}"),
]


@pytest.mark.parametrize("call, error, text", WINDOWS)
def test_windows(call, error, text):
    refuses(call, error, text)


LISTS = [
    (lambda: np.quantile(V, ["a"]), TypeError, "not an array of numbers"),
    (lambda: np.average(V, weights=[1, [2]]), ValueError, r"asarray: \[1, \[2\]\] is not an array"),
    (lambda: np.average(V, weights=[1, 2]), TypeError, "average: weights f32.2. fit neither"),
]


@pytest.mark.parametrize("call, error, text", LISTS)
def test_lists(call, error, text):
    refuses(call, error, text)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_lists_of_numbers_stand_for_arrays_beside_x(dtype):
    x = V.astype(dtype)
    found = np.quantile(x, [0.1, 0.9])
    numpy.testing.assert_allclose(found, numpy.quantile(x, [0.1, 0.9]), rounding(8, found))
    numpy.testing.assert_allclose(np.percentile(x, (25, 75)), numpy.percentile(x, (25, 75)), 1e-6)
    weighted = np.average(x, weights=[0.1, 0.2, 0.3, 0.4])
    assert weighted.dtype == found.dtype == (numpy.float64 if dtype == "f8" else numpy.float32)
    wanted = numpy.average(x, weights=[0.1, 0.2, 0.3, 0.4])
    numpy.testing.assert_allclose(weighted, wanted, rounding(8, weighted))
    slope = anvl.jit(lambda v: np.average(v, weights=[v[0], v[1], v[2], v[3]]))(V)
    numpy.testing.assert_allclose(slope, numpy.average(V, weights=V), 1e-6)


KEY = anvl.random.key(0)
choice, uniform = anvl.random.choice, anvl.random.uniform
bernoulli = anvl.random.bernoulli
TWO = numpy.asarray([0.0, 1.0, 0.0, 1.0])
RANDOM = [
    (lambda: choice(KEY, 2, p=numpy.asarray([2.0, -1.0])), ValueError, "choice: p is -1 at 1; it"),
    (lambda: choice(KEY, 2, p=numpy.asarray([2.0, np.nan])), ValueError, "choice: p is nan at 1"),
    (lambda: choice(KEY, 2, p=np.zeros(2)), ValueError, "choice: p sums to 0; at least one"),
    (
        lambda: choice(KEY, 4, (3,), False, p=TWO),
        ValueError,
        "cannot draw 3 elements .* for 2",
    ),
    (
        lambda: choice(KEY, 2, (3,), False),
        ValueError,
        "choice: cannot draw 3 of 2 elements without",
    ),
    (
        lambda: choice(KEY, 0, (0,)),
        ValueError,
        "choice: a has 0 elements; it must have at least one",
    ),
    (
        lambda: choice(KEY, 2.5),
        TypeError,
        r"choice: a is 2\.5 of type float; it must be an integer",
    ),
    (
        lambda: uniform(KEY, minval=2, maxval=1),
        ValueError,
        "uniform: minval 2 is above maxval 1; exchange",
    ),
    (
        lambda: uniform(KEY, (4,), minval=V, maxval=2.5),
        ValueError,
        r"minval 3 is above maxval 2\.5",
    ),
    (lambda: bernoulli(KEY, 1.5), ValueError, r"bernoulli: p is 1\.5; it is a probability"),
    (lambda: bernoulli(KEY, np.asarray([0.5, -0.5])), ValueError, r"bernoulli: p is -0\.5; it is"),
    (lambda: bernoulli(KEY, float("nan")), ValueError, "bernoulli: p is nan; it is"),
    (lambda: anvl.random.normal(KEY, 3.5), TypeError, r"normal: 3\.5 must be an integer"),
    (lambda: anvl.random.split(KEY, -1), ValueError, "split: num is -1; it must be at least 0"),
    (lambda: anvl.random.split(KEY, 1.5), TypeError, r"split: 1\.5 must be an integer"),
]


@pytest.mark.parametrize("call, error, text", RANDOM)
def test_random(call, error, text):
    refuses(call, error, text)


def test_random_of_traced_chances_refuses_nothing():
    draw = anvl.jit(
        lambda p: (bernoulli(KEY, p[0]), choice(KEY, 2, p=p), uniform(KEY, maxval=p[0]))
    )
    assert len(draw(numpy.asarray([-1.0, 2.0]))) == 3
    assert set(choice(KEY, 4, (2,), False, p=TWO).tolist()) == {1, 3}
    assert bernoulli(KEY, 1) and not bernoulli(KEY, 0)


@pytest.mark.parametrize("call, error, text", INTEGERS)
def test_what_must_be_an_integer(call, error, text):
    refuses(call, error, text)


def test_integers_of_numpy_are_integers():
    numpy.testing.assert_allclose(np.linalg.matrix_power(M, numpy.int64(2)), M @ M)
    numpy.testing.assert_allclose(np.diff(V, n=numpy.int32(2)), [0, 0])
