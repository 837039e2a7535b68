"""`scipy.linalg.solve_banded` and `solveh_banded`: numbers beside dense systems, derivatives."""

import numpy as np
import pytest
import scipy.linalg
from tolerances import ITERATION, assert_close

import anvl
import anvl.numpy as anp
from anvl.scipy import linalg
from anvl.testing import check_grads

RNG = np.random.default_rng(20261127)


def draw(*shape, dtype="f8"):
    x = RNG.normal(size=shape)
    return x + 1j * RNG.normal(size=shape) if dtype == "c16" else x.astype(dtype)


def band(a, low, high):
    """The diagonals of a, with NaN for what lies outside of it."""
    n = a.shape[-1]
    ab = np.full((low + high + 1, n), np.nan, a.dtype)
    for i, j in np.ndindex(n, n):
        if -low <= j - i <= high:
            ab[high + i - j, j] = a[i, j]
    return ab


BANDS = [(0, 0), (1, 1), (2, 1), (0, 2), (3, 0), (1, 4)]


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize(("low", "high"), BANDS)
def test_numbers_are_those_of_dense_systems(low, high, n, dtype):
    a = np.triu(np.tril(draw(n, n, dtype=dtype), high), -low)
    a[0, 0] *= 1e-9  # rows are exchanged
    for b in (draw(n), draw(n, 2)):
        found = linalg.solve_banded((low, high), band(a, low, high), b)
        right = np.linalg.solve(a, b)
        assert found.dtype == right.dtype
        error = np.abs(a @ np.asarray(found) - b).max() / np.abs(right).max()
        assert_close(error, 0, ITERATION)


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("lower", [False, True])
def test_numbers_of_hermitian_systems(lower, count, n, dtype):
    a = np.triu(np.tril(draw(n, n, dtype=dtype), count), -count)
    a = a + a.conj().T + 4 * (count + 1) * np.eye(n)
    ab = band(a, count, 0) if lower else band(a, 0, count)
    for b in (draw(n), draw(n, 2)):
        found = linalg.solveh_banded(ab, b, lower=lower)
        assert_close(found, np.linalg.solve(a, b), ITERATION)


def test_stacks_broadcast():
    ab, b = draw(3, 1, 3, 5), draw(2, 5, 2)
    ab[..., 1, :] += 5
    found = linalg.solve_banded((1, 1), ab, b)
    for i, j in np.ndindex(3, 2):
        right = scipy.linalg.solve_banded((1, 1), ab[i, 0], b[j])
        assert_close(found[i, j], right, ITERATION)
    mapped = anvl.vmap(lambda ab, b: linalg.solve_banded((1, 1), ab, b), (2, 1))
    stacks = np.moveaxis(ab[:, 0], 0, 2), np.stack([b[0], b[1], b[0]], 1)
    assert_close(mapped(*stacks)[1], found[1, 1], ITERATION)


@pytest.mark.parametrize("shape", [(0,), (0, 2), (4, 0)])
def test_nothing_to_solve(shape):
    b = np.zeros(shape)
    assert linalg.solve_banded((1, 1), np.ones((3, shape[0])), b).shape == shape
    assert linalg.solveh_banded(np.ones((2, shape[0])), b).shape == shape


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("name", ["general", "upper", "lower"])
def test_derivatives(name, dtype):
    ab = draw(4 if name == "general" else 2, 5, dtype=dtype)
    main = {"general": 1, "upper": 1, "lower": 0}[name]
    ab[main] += 9
    f = {
        "general": lambda ab, b: linalg.solve_banded((2, 1), ab, b),
        "upper": linalg.solveh_banded,
        "lower": lambda ab, b: linalg.solveh_banded(ab, b, lower=True),
    }[name]
    check_grads(f, (ab, draw(5, 2, dtype=dtype)), order=2)


def test_derivatives_by_what_is_not_read_are_zero():
    ab = np.ones((3, 4)) + np.asarray([[0], [4], [0]])
    ab[0, 0] = ab[2, 3] = np.nan
    g = anvl.grad(lambda ab: anp.sum(linalg.solve_banded((1, 1), ab, np.ones(4))))(ab)
    assert g[0, 0].item() == g[2, 3].item() == 0
    assert np.isfinite(np.asarray(g)).all()


def test_what_has_no_solution():
    assert not np.isfinite(linalg.solve_banded((1, 1), np.zeros((3, 3)), np.ones(3))).any()
    indefinite = np.asarray([[0, 2.0, 2.0], [1.0, 1.0, 1.0]])
    assert np.isnan(linalg.solveh_banded(indefinite, np.ones(3))).all()


ONES = np.ones((3, 4))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: linalg.solve_banded((1, 2), ONES, ONES[0]), ValueError,
         r"solve_banded: ab is f64\[3,4\], but l_and_u, \(1, 2\), asks for 4 diagonals"),
        (lambda: linalg.solve_banded((1, 1), ONES, np.ones(3)), linalg.LinAlgError,
         r"solve_banded: b is f64\[3\], which does not fit ab, f64\[3,4\]; give \(4,\)"),
        (lambda: linalg.solve_banded((1.0, 1), ONES, ONES[0]), TypeError,
         r"solve_banded: l_and_u is \(1\.0, 1\); give two integers"),
        (lambda: linalg.solve_banded(1, ONES, ONES[0]), TypeError, "l_and_u is 1; give two"),
        (lambda: linalg.solve_banded((3, -1), ONES, ONES[0]), ValueError,
         r"l_and_u is \(3, -1\); neither count can be negative"),
        (lambda: linalg.solveh_banded(ONES[0], ONES[0]), ValueError,
         r"solveh_banded: ab is f64\[4\]; give diagonals, \(..., u \+ 1, n\)"),
        (lambda: linalg.solveh_banded(ONES, np.ones((4, 3, 2))), linalg.LinAlgError,
         r"solveh_banded: b is f64\[4,3,2\], which does not fit ab"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
