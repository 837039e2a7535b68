"""`anvl.scipy.signal` against SciPy: convolutions, filters, spectra, by dtype, mode and axis."""

import itertools

import numpy as np
import pytest
import scipy.signal as wanted
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp
from anvl.scipy import signal
from anvl.testing import check_grads

RNG = np.random.default_rng(3)
MODES = ("full", "same", "valid")


def draw(*shape, dtype="f8"):
    x = RNG.normal(size=shape) * (9 if np.dtype(dtype).kind == "i" else 1)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.normal(size=shape)
    return x.astype(dtype)


def compare(found, right, length=PROGRAM):
    found, right = np.asarray(found), np.asarray(right)
    assert found.shape == right.shape
    limit = rounding(length, found) if found.dtype.kind in "fc" else 0
    scale = max(np.max(np.abs(right), initial=0), 1)
    np.testing.assert_allclose(found, right, rtol=limit, atol=limit * scale)


def compare_all(found, right, length=PROGRAM):
    assert len(found) == len(right)
    for x, y in zip(found, right, strict=True):
        compare(x, y, length)


SHAPES = [((5,), (3,)), ((2,), (6,)), ((4, 6), (3, 2)), ((1, 2), (3, 4)), ((3, 4, 5), (2, 2, 3))]


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_convolutions(shapes, dtype):
    a, v = (draw(*shape, dtype=dtype) for shape in shapes)
    for mode in MODES:
        for name in ("convolve", "correlate"):
            right = getattr(wanted, name)(a, v, mode, method="direct")
            compare(getattr(signal, name)(a, v, mode), right)
            if dtype == "f8":
                compare(getattr(signal, name)(a, v, mode, method="fft"), right)
    compare(signal.fftconvolve(a, v, "same"), wanted.fftconvolve(a, v, "same"))


def test_long_kernels_and_arrays():
    a, v = draw(40, 7), draw(9, 5)
    compare(signal.convolve(a, v), wanted.convolve(a, v, method="direct"))
    a, v = draw(3000), draw(1500)
    compare(signal.correlate(a, v, "same"), wanted.correlate(a, v, "same"))
    compare(signal.oaconvolve(a, v, "valid"), wanted.oaconvolve(a, v, "valid"))
    a, v = draw(3, 8), draw(1, 5)
    compare(signal.fftconvolve(a, v, axes=1), wanted.fftconvolve(a, v, axes=1))
    for n, k in ((5, 3), (6, 3), (4, 4)):
        for mode in MODES:
            compare(signal.correlation_lags(n, k, mode), wanted.correlation_lags(n, k, mode))


@pytest.mark.parametrize("n", [1, 3, 4])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_lags_are_those_of_the_elements_of_correlate(n, k):
    at = np.zeros(n), np.zeros(k)
    at[0][0] = at[1][0] = 1  # equal where the lag is 0
    found = signal.correlate(*at, "same")
    assert [lag == 0 for lag in signal.correlation_lags(n, k, "same")] == [x == 1 for x in found]


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
def test_convolutions_of_two_axes(boundary):
    for shape, mode in itertools.product([(3, 2), (2, 4), (1, 1), (4, 3)], MODES):
        a, v = draw(4, 5), draw(*shape)
        for name in ("convolve2d", "correlate2d"):
            right = getattr(wanted, name)(a, v, mode, boundary, 0.3)
            compare(getattr(signal, name)(a, v, mode, boundary, 0.3), right)


WINDOWS = [
    "boxcar", "hann", "hamming", "blackman", "bartlett", "triang", "cosine", "parzen", "bohman",
    "nuttall", "blackmanharris", "flattop", "tukey", ("tukey", 0.3), ("kaiser", 4.0), 6.0,
    ("gaussian", 2.5), ("general_hamming", 0.6), "barthann", "lanczos", "exponential",
    ("exponential", None, 2.5), ("general_cosine", [0.5, 0.3, 0.2]), ("general_gaussian", 1.5, 2.0),
]  # fmt: skip


def test_windows():
    for window, n, periodic in itertools.product(WINDOWS, [1, 2, 7, 8], [True, False]):
        right = wanted.get_window(window, n, fftbins=periodic)
        np.testing.assert_allclose(
            signal.get_window(window, n, fftbins=periodic), right, atol=rounding(FORMULA, "f4")
        )


def test_filters():
    x = draw(3, 20)
    for b, a in (([1.0, 0.5], [2.0, -0.3, 0.2]), ([0.5, 1, 2], [1.0]), ([3.0], [2.0])):
        b, a = np.array(b), np.array(a)
        for axis in (0, 1):
            compare(signal.lfilter(b, a, x, axis), wanted.lfilter(b, a, x, axis))
        zi = draw(3, max(len(a), len(b)) - 1)
        if zi.size:
            compare_all(signal.lfilter(b, a, x, zi=zi), wanted.lfilter(b, a, x, zi=zi))
    compare(signal.lfilter(b, a, x + 1j), wanted.lfilter(b, a, x + 1j))


def test_filters_of_polynomials():
    x = draw(3, 20)
    for mode in ("interp", "mirror", "nearest", "wrap", "constant"):
        for deriv in (0, 1, 2):
            args = (7, 3, deriv, 0.5)
            compare(
                signal.savgol_filter(x, *args, mode=mode), wanted.savgol_filter(x, *args, mode=mode)
            )
    compare(signal.savgol_filter(x.T, 5, 2, axis=0), wanted.savgol_filter(x.T, 5, 2, axis=0))
    for args in ((5, 2), (6, 3), (5, 4, 1, 0.5), (7, 2, 0, 1.0, 1), (5, 1, 2)):
        for use in ("conv", "dot"):
            right = wanted.savgol_coeffs(*args, use=use)
            compare(signal.savgol_coeffs(*args, use=use), right)


def test_filters_of_medians_and_transforms():
    x = draw(3, 20)
    z = x + 1j
    compare(signal.medfilt(x, (3, 5)), wanted.medfilt(x, (3, 5)))
    compare(signal.medfilt(np.arange(6)[::-1] % 4), wanted.medfilt(np.arange(6)[::-1] % 4))
    for n in (7, 8):
        compare(signal.hilbert(x, n), wanted.hilbert(x, n))
        compare(signal.hilbert(x[:, :n].T, axis=0), wanted.hilbert(x[:, :n].T, axis=0))
    for n, num in ((7, 4), (8, 4), (8, 5), (8, 8), (8, 12), (7, 13)):
        compare(signal.resample(x[0, :n], num), wanted.resample(x[0, :n], num))
        compare(signal.resample(z[:, :n], num, axis=1), wanted.resample(z[:, :n], num, axis=1))


def test_trends():
    x = draw(4, 9)
    for kind, axis in itertools.product(("linear", "constant"), (0, 1)):
        compare(signal.detrend(x, axis, kind), wanted.detrend(x, axis, kind))
    compare(signal.detrend(x, bp=[3, 5]), wanted.detrend(x, bp=[3, 5]))
    compare(signal.detrend(x, bp=4), wanted.detrend(x, bp=4))


SPECTRA = [
    {}, {"nperseg": 8}, {"nperseg": 9, "noverlap": 3, "nfft": 12}, {"fs": 0.3, "window": ("gaussian", 2.0), "nperseg": 8},
    {"nperseg": 8, "return_onesided": False}, {"axis": 0, "nperseg": 3}, {"nperseg": 8, "detrend": "linear"},
]  # fmt: skip


@pytest.mark.sweep(keep=2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", SPECTRA)
def test_spectra(options):
    x, y = draw(5, 40), draw(5, 40)
    compare_all(signal.welch(x, **options), wanted.welch(x, **options))
    compare_all(signal.csd(x, y, **options), wanted.csd(x, y, **options))
    more = {**options, "scaling": "spectrum", "average": "median"}
    compare_all(signal.csd(x, y, **more), wanted.csd(x, y, **more))
    compare_all(signal.stft(x, **options), wanted.stft(x, **options))


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.filterwarnings("ignore")
def test_options_of_short_time_transforms():
    x, z = draw(3, 30), draw(30, dtype="c16")
    for boundary in (None, "zeros", "constant", "even"):
        for padded in (True, False):
            options = {"nperseg": 7, "boundary": boundary, "padded": padded, "scaling": "psd"}
            compare_all(signal.stft(x, 2.0, **options), wanted.stft(x, 2.0, **options))
    compare_all(signal.stft(z, nperseg=8), wanted.stft(z, nperseg=8))
    compare_all(signal.welch(z, nperseg=8), wanted.welch(z, nperseg=8))
    compare_all(signal.periodogram(x, 3.0), wanted.periodogram(x, 3.0))
    x4 = x.astype("f4")
    assert all(np.asarray(v).dtype == "f4" for v in signal.welch(x4, nperseg=8))


def compare_inverse(found, right):
    compare(found[1], right[1])
    if right[1].ndim == 1:  # the times of SciPy are as many as the first axis has elements
        compare(found[0], right[0])


def test_inverses_of_short_time_transforms():
    x = draw(3, 30)
    for options in (
        {"nperseg": 8},
        {"nperseg": 9, "noverlap": 6},
        {"nperseg": 8, "nfft": 10, "scaling": "psd"},
    ):
        z = wanted.stft(x, 2.0, **options)[2]
        compare_inverse(signal.istft(z, 2.0, **options), wanted.istft(z, 2.0, **options))
    z = np.moveaxis(z, 0, 1)
    compare_inverse(
        signal.istft(z, time_axis=-1, freq_axis=0, **options),
        wanted.istft(z, time_axis=-1, freq_axis=0, **options),
    )
    z = wanted.stft(x[0], nperseg=8)[2]
    compare_inverse(signal.istft(z, 2.0), wanted.istft(z, 2.0))
    z = wanted.stft(x + 1j, nperseg=8, return_onesided=False)[2]
    compare_inverse(signal.istft(z, input_onesided=False), wanted.istft(z, input_onesided=False))


B, A = np.array([1.0, 0.4]), np.array([1.5, -0.3, 0.2])
X, Y = draw(12), draw(4)
SMOOTH = {
    "convolve": (lambda x, y: signal.convolve(x, y * x[:4], "same"), (X, Y)),
    "fftconvolve": (lambda x, y: signal.fftconvolve(x, y * x[:4], "valid"), (X, Y)),
    "correlate2d": (lambda x, y: signal.correlate2d(x.reshape(3, 4), y.reshape(2, 2) ** 2, "same", "wrap"), (X, Y)),
    "lfilter": (signal.lfilter, (B, A, X)),
    "welch": (lambda x: signal.welch(x, nperseg=4)[1], (X,)),
    "stft": (lambda x: anp.abs(signal.stft(x, nperseg=4)[2] + 2) ** 2, (X,)),
    "istft": (lambda x: signal.istft(x.reshape(3, 4) ** 2)[1], (X,)),
    "savgol_filter": (lambda x: signal.savgol_filter(x, 5, 2) ** 2, (X,)),
    "hilbert": (lambda x: anp.abs(signal.hilbert(x)) ** 2, (X,)),
    "resample": (lambda x: signal.resample(x, 7) ** 2, (X,)),
    "detrend": (lambda x: signal.detrend(x) ** 2, (X,)),
    "medfilt": (lambda x: signal.medfilt(x) ** 2, (X,)),
}  # fmt: skip


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_of_both_orders(name):
    f, args = SMOOTH[name]
    check_grads(f, args, order=2)


def test_functions_are_compiled_and_batched():
    x, v = draw(3, 20), draw(4)
    batched = anvl.jit(anvl.vmap(lambda x: signal.welch(signal.convolve(x, v), nperseg=8)[1]))(x)
    for found, row in zip(batched, x, strict=True):
        compare(found, wanted.welch(wanted.convolve(row, v), nperseg=8)[1])
    found = anvl.vmap(lambda x: signal.lfilter(B, A, x))(x)
    assert_close(found, wanted.lfilter(B, A, x), PROGRAM)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda: signal.convolve(X, Y, "all"), "convolve: mode is 'all'; it must be one of 'full'"),
        (lambda: signal.convolve(X, Y[None]), "convolve: the arrays are f64[12] and f64[1,4]"),
        (lambda: signal.convolve(X, Y[:0]), "convolve: the arrays are f64[12] and f64[0]"),
        (
            lambda: signal.correlate(draw(2, 5), draw(3, 3), "valid"),
            "correlate: 'valid' of f64[2,5] and f64[3,3]: one must be",
        ),
        (
            lambda: signal.convolve2d(X, Y),
            "convolve2d: the arrays are f64[12] and f64[4]; give matr",
        ),
        (lambda: signal.convolve2d(X, Y, boundary="a"), "convolve2d: boundary is 'a'; it must be"),
        (
            lambda: signal.get_window("what", 3),
            "get_window: window is 'what'; there are barthann, bartlett",
        ),
        (
            lambda: signal.lfilter(B[None], A, X),
            "lfilter: b is f64[1,2] and a f64[3]; give vectors",
        ),
        (lambda: signal.lfilter(B, A, X, zi=X), "lfilter: zi is f64[12]; give 2 elements along"),
        (lambda: signal.medfilt(X, 4), "medfilt: kernel_size is 4; sizes must be odd"),
        (lambda: signal.savgol_filter(Y, 5, 2), "savgol_filter: 4 points are fewer than window"),
        (
            lambda: signal.savgol_coeffs(3, 3),
            "savgol_coeffs: polyorder is 3; it must be less than 3",
        ),
        (lambda: signal.detrend(X, bp=13), "detrend: bp is (13,); the places must be in [0, 12]"),
        (lambda: signal.hilbert(X + 1j), "hilbert: takes real numbers, got c128[12]"),
        (
            lambda: signal.stft(X, nperseg=4, noverlap=4),
            "stft: noverlap is 4; it must be less than",
        ),
        (lambda: signal.welch(X, nperseg=4, nfft=3), "csd: nfft is 3; it must be at least nperseg"),
        (
            lambda: signal.welch(X, nperseg=4, detrend="no"),
            "csd: detrend is 'no'; it must be one of",
        ),
        (lambda: signal.istft(X), "istft: Zxx has shape [12]; give frequencies and times"),
    ],
)
def test_what_is_refused(f, message):
    with pytest.raises(ValueError) as error:
        f()
    assert message in str(error.value)
