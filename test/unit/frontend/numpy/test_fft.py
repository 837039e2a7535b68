"""Fourier transforms agree with NumPy's, and their derivatives with differences."""

import numpy as np
import pytest
from agreement import agrees, values
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp

NORMS = [None, "backward", "ortho", "forward"]


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_along_one_axis(name):
    f, reference = getattr(anp.fft, name), getattr(np.fft, name)
    dtypes = ["f4", "f8", "i4"] if name in ("rfft", "ihfft") else ["f4", "c16", "c8", "i4"]
    asked = [{"norm": norm} for norm in NORMS]
    asked += [{"n": n, "axis": axis} for n in (1, 2, 5, 8) for axis in (0, -1)]
    agrees(
        lambda x: [f(x, **given) for given in asked],
        lambda x: [reference(x, **given) for given in asked],
        [(values(d, (4, 5)),) for d in dtypes],
    )


@pytest.mark.sweep(keep=1, part=1)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_along_several_axes(name):
    f, reference = getattr(anp.fft, name), getattr(np.fft, name)
    dtype = "f8" if name == "rfftn" else "c16"
    asked = [{"axes": axes, "norm": norm} for axes in (None, (1,), (2, 0)) for norm in NORMS]
    asked += [{"s": (3, 6), "axes": (0, 1)}, {"s": (5, 2, 3), "axes": (2, 0, 1)}]
    asked += [{"axes": (0, 0)}, {"axes": (1, 0, -2)}]  # along an axis again, as in NumPy
    agrees(
        lambda x: [f(x, **given) for given in asked],
        lambda x: [reference(x, **given) for given in asked],
        [(values(dtype, (2, 3, 4)),)],
    )
    five = values(dtype, (2, 3, 2, 3, 4))
    agrees(f, reference, [(five,)])


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_along_two_axes(name):
    f, reference = getattr(anp.fft, name), getattr(np.fft, name)
    x = values("f8" if name == "rfft2" else "c16", (2, 3, 4))
    asked = [{}, {"s": (2, 6)}, {"axes": (0, 1)}, {"norm": "ortho"}]
    agrees(
        lambda x: [f(x, **given) for given in asked],
        lambda x: [reference(x, **given) for given in asked],
        [(x,)],
    )


def test_single_precision_stays_single_and_narrow_floats_are_widened():
    for dtype in ("float16", "float32", anp.bfloat16):
        x = np.arange(4).astype(dtype)
        assert anp.fft.fft(x).dtype == anp.fft.rfft(x).dtype == np.complex64
    assert anp.fft.irfft(np.ones(3, "c8")).dtype == np.float32
    assert anp.fft.fft(np.ones(3)).dtype == np.complex128


def test_an_empty_batch_is_transformed_to_an_empty_batch():
    for name, dtype in (("fftn", "c8"), ("ifftn", "c8"), ("rfftn", "f4"), ("irfftn", "c8")):
        x = np.zeros((0, 3, 4), dtype)
        expected = getattr(np.fft, name)(x, axes=(1, 2))
        found = getattr(anp.fft, name)(x, axes=(1, 2))
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies_and_shifts(n):
    for name in ("fftfreq", "rfftfreq"):
        for d in (1.0, 0.1):
            found = getattr(anp.fft, name)(n, d, dtype="f64")
            np.testing.assert_allclose(found, getattr(np.fft, name)(n, d), rtol=rounding(FORMULA))
    assert anp.fft.fftfreq(n).dtype == np.float32
    x = values("f8", (n, 3))
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (1,), (0, 1)):
            found = getattr(anp.fft, name)(x, axes)
            np.testing.assert_array_equal(found, getattr(np.fft, name)(x, axes))


FUNCTIONS = {
    "fft": lambda x: anp.fft.fft(x, 5, 0, "ortho"),
    "ifft": lambda x: anp.fft.ifft(x + 1j * x * x),
    "rfft": lambda x: anp.fft.rfft(x, 7, norm="forward"),
    "irfft": lambda x: anp.fft.irfft(x + 1j * x * x, 3),
    "hfft": lambda x: anp.fft.hfft(x + 1j * x * x),
    "ihfft": lambda x: anp.fft.ihfft(x, axis=0),
    "fft2": anp.fft.fft2,
    "ifft2": anp.fft.ifft2,
    "rfft2": anp.fft.rfft2,
    "irfft2": lambda x: anp.fft.irfft2(x + 1j * x * x),
    "fftn": lambda x: anp.fft.fftn(x, (3, 5)),
    "irfftn": lambda x: anp.fft.irfftn(x + 1j * x * x, axes=(1, 0)),
    "fftshift": anp.fft.fftshift,
}


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_is_the_slope(name):
    x, t = values("f8", (3, 4)), values("f8", (3, 4), -1, 1)

    def f(x):
        y = FUNCTIONS[name](x)
        weights = np.random.default_rng(3).normal(size=(2, *y.shape))
        return anp.sum(anp.real(y) * weights[0] + anp.imag(y) * weights[1])

    run, step = anvl.jit(f), 1e-3
    difference = (run(x + step * t).item() - run(x - step * t).item()) / (2 * step)
    slope = np.sum(np.asarray(anvl.jit(anvl.grad(f))(x)) * t)
    # All are linear, or of second degree, so that only rounding is left.
    assert abs(slope - difference) < 1e-9 * max(1, abs(slope))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda f, x: f.fft(x, 0), ValueError, "fft: 0 points; there must be at least 1"),
        (lambda f, x: f.irfft(x[:, :1]), ValueError, "irfft: 0 points"),
        (lambda f, x: f.fft(x, 2.5), TypeError, "fft: 2.5 must be an integer"),
        (lambda f, x: f.fft(x, axis=2), ValueError, "fft: axis 2 is out of range of 2 axes"),
        (lambda f, x: f.fft(x[0, 0]), ValueError, r"fft: c128\[\] has no axis to transform"),
        (
            lambda f, x: f.fft(x, norm="no"),
            ValueError,
            "fft: norm 'no' is not one of backward, ortho",
        ),
        (lambda f, x: f.hfft(x, norm="no"), ValueError, "hfft: norm 'no' is not one of backward"),
        (lambda f, x: f.rfft(x * 1j), TypeError, r"rfft: takes reals, got c128\[2,3\]; use `fft`"),
        (lambda f, x: f.fftn(x, (2,), (0, 1)), ValueError, "fftn: s .* one length for each"),
        (lambda f, x: f.fftn(x, (2, 2, 2)), ValueError, "fftn: axis -3 is out of range of 2 axes"),
        (lambda f, x: f.rfftn(x[0, 0]), ValueError, r"rfftn: takes at least one axis, got none"),
        (lambda f, x: f.fftfreq(0), ValueError, "fftfreq: 0 points; there must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(anp.fft, anp.asarray(np.ones((2, 3))))


@pytest.mark.parametrize("routine", [anp.linalg.inv, anp.linalg.svdvals, anp.linalg.det])
def test_a_transform_goes_into_a_routine_that_takes_columns(routine):
    x = np.random.default_rng(0).normal(size=(3, 3))
    found = anvl.jit(lambda x: routine(anp.fft.fft(x)))(x)
    expected = getattr(np.linalg, routine.__name__)(np.fft.fft(x))
    assert_close(found, expected, PROGRAM)
    text = anvl.jit(anp.fft.fft).lower(x).mlir()
    lifted = anvl.from_stablehlo(text)
    slope = anvl.jvp(lifted, (x,), (x,))[1]
    assert_close(slope, np.fft.fft(x), PROGRAM)
