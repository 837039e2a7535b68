"""Arguments that are refused, in the function's own name and before anything is computed."""

import numpy
import pytest

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
        "kernel tensor<0x2x1x1xf32> is empty",
    ),
    (lambda: anvl.windows.conv(IMAGE, KERNEL, padding=1), TypeError, f"conv: .* {PADDINGS}"),
    (lambda: anvl.windows.conv(IMAGE, KERNEL, padding=None), TypeError, f"conv: .* {PADDINGS}"),
    (lambda: anvl.windows.max_pool(V, 2, padding=1), TypeError, f"max_pool: .* {PADDINGS}"),
]


@pytest.mark.parametrize("call, error, text", WINDOWS)
def test_windows(call, error, text):
    refuses(call, error, text)


LISTS = [
    (lambda: np.quantile(V, ["a"]), TypeError, "no array of numbers"),
    (lambda: np.average(V, weights=[1, [2]]), ValueError, r"asarray: \[1, \[2\]\] is no array"),
    (lambda: np.average(V, weights=[1, 2]), TypeError, "average: weights f32.2. fit neither"),
]


@pytest.mark.parametrize("call, error, text", LISTS)
def test_lists(call, error, text):
    refuses(call, error, text)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_lists_of_numbers_stand_for_arrays_beside_x(dtype):
    x = V.astype(dtype)
    found = np.quantile(x, [0.1, 0.9])
    numpy.testing.assert_allclose(
        found, numpy.quantile(x, [0.1, 0.9]), 1e-15 if dtype == "f8" else 1e-6
    )
    numpy.testing.assert_allclose(np.percentile(x, (25, 75)), numpy.percentile(x, (25, 75)), 1e-6)
    weighted = np.average(x, weights=[0.1, 0.2, 0.3, 0.4])
    assert weighted.dtype == found.dtype == (numpy.float64 if dtype == "f8" else numpy.float32)
    wanted = numpy.average(x, weights=[0.1, 0.2, 0.3, 0.4])
    numpy.testing.assert_allclose(weighted, wanted, 1e-15 if dtype == "f8" else 1e-6)
    slope = anvl.jit(lambda v: np.average(v, weights=[v[0], v[1], v[2], v[3]]))(V)
    numpy.testing.assert_allclose(slope, numpy.average(V, weights=V), 1e-6)


@pytest.mark.parametrize("call, error, text", INTEGERS)
def test_what_must_be_an_integer(call, error, text):
    refuses(call, error, text)


def test_integers_of_numpy_are_integers():
    numpy.testing.assert_allclose(np.linalg.matrix_power(M, numpy.int64(2)), M @ M)
    numpy.testing.assert_allclose(np.diff(V, n=numpy.int32(2)), [0, 0])
