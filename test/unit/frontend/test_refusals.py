"""Arguments that are refused, in the function's own name and before anything is computed."""

import numpy
import pytest

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


@pytest.mark.parametrize("call, error, text", INTEGERS)
def test_what_must_be_an_integer(call, error, text):
    refuses(call, error, text)


def test_integers_of_numpy_are_integers():
    numpy.testing.assert_allclose(np.linalg.matrix_power(M, numpy.int64(2)), M @ M)
    numpy.testing.assert_allclose(np.diff(V, n=numpy.int32(2)), [0, 0])
