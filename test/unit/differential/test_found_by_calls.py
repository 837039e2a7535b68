"""Disagreements with NumPy and SciPy that the calls of `test_scipy_calls.py` found."""

import functools
import itertools

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal
from tolerances import FORMULA, ITERATION, PROGRAM, assert_close

import anvl
import anvl.numpy as anp
from anvl.scipy import fft, linalg, ndimage, signal

RNG = np.random.default_rng(20261127)
A, X, C = RNG.normal(size=(3, 3)), RNG.normal(size=9), RNG.normal(size=4) + 1j * RNG.normal(size=4)
TALL = RNG.normal(size=(5, 3))


@pytest.mark.parametrize("lower", [True, False])
def test_eigvalsh_reads_one_triangle(lower):
    """It took the mean of both, as `anvl.numpy.linalg.eigvalsh` does."""
    wanted = scipy.linalg.eigvalsh(A, lower=lower)
    assert_close(linalg.eigvalsh(A, lower=lower), wanted, PROGRAM)
    slope = anvl.grad(lambda a: anp.sum(linalg.eigvalsh(a, lower=lower)[0]))(A)
    unread = np.triu(slope, 1) if lower else np.tril(slope, -1)
    assert not unread.any()


def test_eigvalsh_of_a_pair_and_a_subset():
    b = A @ A.T + np.eye(3)
    assert_close(linalg.eigvalsh(A, b), scipy.linalg.eigvalsh(A, b), ITERATION)
    wanted = scipy.linalg.eigvalsh(A, subset_by_index=(1, 2))
    assert_close(linalg.eigvalsh(A, subset_by_index=(1, 2)), wanted, PROGRAM)


@pytest.mark.parametrize(
    "bounds", [{"atol": 1.5}, {"rtol": 0.5}, {"atol": 0.5, "rtol": 0.3}, {}, {"atol": 99.0}]
)
def test_pinv_by_absolute_bounds_and_its_rank(bounds):
    found, rank = linalg.pinv(TALL, return_rank=True, **bounds)
    wanted, right = scipy.linalg.pinv(TALL, return_rank=True, **bounds)
    assert_close(found, wanted, PROGRAM)
    assert rank.item() == right
    assert_close(linalg.pinv(TALL, **bounds), wanted, PROGRAM)


def test_pinv_of_zeros_of_stacks_and_in_former_spellings():
    assert not np.asarray(linalg.pinv(np.zeros((2, 3)), atol=0.0)).any()
    _, rank = linalg.pinv(np.stack([A, np.zeros((3, 3))]), return_rank=True)
    assert rank.tolist() == [3, 0]
    for found in (linalg.pinv(TALL, 0.5), linalg.pinv(TALL, rcond=0.5)):
        assert_close(found, scipy.linalg.pinv(TALL, rtol=0.5), PROGRAM)


@pytest.mark.parametrize("x", [TALL, TALL.T, TALL + 1j * TALL[::-1], np.stack([A, A.T @ A])])
@pytest.mark.parametrize("rcond", [0.3, 0.6])
def test_the_derivative_of_pinv_counts_values_that_are_dropped(x, rcond):
    """It was that of the matrix without them, which moves in another way."""
    way, h = RNG.normal(size=x.shape), 1e-4

    def at(step):
        return np.linalg.pinv(x + step * way, rcond)

    wanted = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    f = functools.partial(anp.linalg.pinv, rcond=rcond)
    _, tangent = anvl.jvp(f, (x,), (way.astype(x.dtype),))
    assert_close(tangent, wanted, ITERATION)
    weights = RNG.normal(size=wanted.shape)
    slope = anvl.grad(lambda x: anp.sum(anp.real(f(x)) * weights))(x)
    found = np.sum(np.real(np.asarray(slope) * way))
    assert_close(found, np.sum(np.real(wanted) * weights), ITERATION)


@pytest.mark.parametrize(
    "values", [(5, 0.5, 0), (5, 0.5, 0, 0), (5, 5, 0.5, 0.5), (5, 4, 0.2, 0.1)]
)
def test_second_derivatives_of_pinv_beside_dropped_values_some_of_which_are_0(values):
    """They were NaN where dropped values repeat: they went through the singular vectors."""
    n = len(values)
    (u, _), (v, _) = np.linalg.qr(RNG.normal(size=(n, n))), np.linalg.qr(RNG.normal(size=(n, n)))
    x, (a, b), h = (u * values) @ v, RNG.normal(size=(2, n, n)), 2e-3
    step = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}  # by differences of the fourth order
    wanted = sum(
        p * q / h**2 * np.linalg.pinv(x + h * (i * a + j * b), 0.3)
        for (i, p), (j, q) in itertools.product(step.items(), repeat=2)
    )
    f, weights = functools.partial(anp.linalg.pinv, rcond=0.3), RNG.normal(size=(n, n))
    _, found = anvl.jvp(lambda x: anvl.jvp(f, (x,), (a,))[1], (x,), (b,))
    assert_close(found, wanted, ITERATION)
    slope = anvl.grad(lambda x: anp.sum(f(x) * weights))
    turned = anvl.grad(lambda x: anp.sum(slope(x) * a))(x)
    assert_close(np.sum(turned * b), np.sum(found * weights), ITERATION)


def test_the_gradient_of_pinv_where_values_that_are_kept_repeat():
    slope = anvl.grad(lambda x: anp.sum(anp.linalg.pinv(x, 1e-3)))(np.diag([2.0, 2.0, 1e-5]))
    assert np.isfinite(slope).all()
    assert_close(slope[:2, :2], np.full((2, 2), -0.25), PROGRAM)


def test_left_eigenvectors():
    w, left, right = linalg.eig(A, left=True)
    left = np.asarray(left)
    assert_close(left.conj().T @ A, np.asarray(w)[:, None] * left.conj().T, ITERATION)
    assert_close(np.linalg.norm(left, axis=0), np.ones(3), PROGRAM)
    assert_close(A @ np.asarray(right), np.asarray(right) * np.asarray(w), ITERATION)
    assert_close(linalg.eig(A, right=False), w, PROGRAM)
    assert len(linalg.eig(A, left=True, right=False)) == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.svdvals(A, check_finite=False, overwrite_a=True),
        lambda m: m.norm(a=A, check_finite=False),
        lambda m: m.lstsq(TALL, X[:5], cond=1e-3, lapack_driver="gelsd")[0],
        lambda m: m.pinv(A, check_finite=False),
        lambda m: np.sort_complex(m.eigvals(A, check_finite=False)),
        lambda m: m.eig(A, check_finite=False)[0] if m is scipy.linalg else m.eig(A)[0],
    ],
)
def test_parameters_of_scipy_without_effect(call):
    assert_close(call(linalg), call(scipy.linalg), ITERATION)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "dct", "idct"])
def test_transforms_take_workers(name):
    found = getattr(fft, name)(X, overwrite_x=False, workers=2)
    assert_close(found, getattr(scipy.fft, name)(X, workers=2), PROGRAM)
    found = getattr(fft, f"{name}n")(A, workers=-1)
    assert_close(found, getattr(scipy.fft, f"{name}n")(A), PROGRAM)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize(
    "given",
    [{"axes": (1, 1)}, {"axes": (1, 0, 1)}, {"axes": (0, 1, 1), "s": (5, 3, 2)}, {"axes": (0, 0)}],
)
def test_an_axis_that_is_named_twice_is_transformed_twice(name, given):
    x = RNG.normal(size=(3, 4))
    wanted = getattr(np.fft, name)(x, norm="ortho", **given)
    assert_close(getattr(anp.fft, name)(x, norm="ortho", **given), wanted, FORMULA)


@pytest.mark.parametrize("mode", ["interp", "mirror", "nearest", "wrap", "constant"])
@pytest.mark.parametrize("length", [2, 4, 6])
def test_savgol_filter_of_even_length(length, mode):
    options = {"window_length": length, "polyorder": 1, "mode": mode, "cval": 0.5}
    assert_close(
        signal.savgol_filter(X, **options), scipy.signal.savgol_filter(X, **options), PROGRAM
    )


def test_medfilt_is_nan_where_there_is_one_around():
    x = np.asarray([3.0, 1.0, np.nan, 2.0, 5.0, 4.0, 6.0])
    found = signal.medfilt(x, 3)
    assert np.isnan(found).tolist() == [False, True, True, True, False, False, False]
    assert signal.medfilt(np.asarray(2.5)).item() == 2.5


@pytest.mark.parametrize("nfft", [1, 2, 8, 9, 12])
def test_periodogram_takes_the_first_points(nfft):
    for found, wanted in zip(
        signal.periodogram(X, nfft=nfft), scipy.signal.periodogram(X, nfft=nfft), strict=True
    ):
        assert_close(found, wanted, PROGRAM)


def test_stft_continued_through_its_ends():
    found = signal.stft(X, nperseg=4, boundary="odd")
    for one, other in zip(found, scipy.signal.stft(X, nperseg=4, boundary="odd"), strict=True):
        assert_close(one, other, PROGRAM)


@pytest.mark.parametrize("name", ["correlate", "convolve", "correlate1d", "convolve1d"])
@pytest.mark.parametrize("x", [X, X.astype("f4"), np.arange(9, dtype="i4"), X + 1j * X[::-1]])
def test_complex_weights_make_complex_sums(name, x):
    """They were cut off to their real parts."""
    found, wanted = getattr(ndimage, name)(x, C), getattr(scipy.ndimage, name)(x, C)
    assert found.dtype == (np.complex128 if x.dtype != np.float32 else wanted.dtype)
    assert_close(found, wanted, PROGRAM)


def test_means_of_bools_are_cut_off():
    x = np.asarray([True, False, True, True, True])
    wanted = scipy.ndimage.uniform_filter1d(x, 3)
    assert ndimage.uniform_filter1d(x, 3).tolist() == wanted.tolist()
    weights = np.asarray([0.5, -1.5, 0.4])
    wanted = scipy.ndimage.convolve1d(x, weights)
    assert ndimage.convolve1d(x, weights).tolist() == wanted.tolist()


def test_a_circulant_system_without_equations():
    assert linalg.solve_circulant(np.zeros(0), np.zeros((0, 2))).shape == (0, 2)


def test_a_keyword_is_answered_once_by_functions_that_take_lists():
    with pytest.raises(TypeError) as raised:
        ndimage.uniform_filter1d(X, 3, axs=0)
    assert str(raised.value).count("did you mean") == 1


@pytest.mark.parametrize("name", ["toeplitz", "circulant", "fiedler"])
def test_a_number_is_a_vector_of_one(name):
    wanted = getattr(scipy.linalg, name)(2.0)
    assert_close(getattr(linalg, name)(2.0), wanted, FORMULA)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_expm_of_half_precision(dtype):
    x = anp.asarray(A / 2).astype(dtype)
    found = linalg.expm(x)
    assert found.dtype == np.float32
    assert_close(found, scipy.linalg.expm(np.asarray(x).astype("f4")), PROGRAM)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize("s", [(-1, 3), (3, -1), (-1, -1)])
def test_a_length_of_minus_one_is_that_of_the_axis(name, s):
    x = RNG.normal(size=(3, 4))
    wanted = getattr(np.fft, name)(x, s, (0, 1))
    assert_close(getattr(anp.fft, name)(x, s, (0, 1)), wanted, FORMULA)
