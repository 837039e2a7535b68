"""Functions of `anvl.scipy.signal`, `ndimage`, `interpolate`, and layers of `anvl.nn`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.interpolate
import scipy.ndimage
import scipy.signal
from comparing import Line
from drawing import Call, Draw, call
from tolerances import PROGRAM

import anvl.nn as nn
from anvl.scipy import interpolate, ndimage, signal

__all__ = ["SIGNALS"]

MODES = ("reflect", "constant", "nearest", "mirror", "wrap")


def _line(module: str, name: str, draw: Any, **more: Any) -> Line:
    ours, theirs = {"signal": (signal, scipy.signal), "ndimage": (ndimage, scipy.ndimage)}[module]
    given = {"flavours": "ptz", "length": PROGRAM, "refusals": False} | more
    return Line(f"{module}.{name}", getattr(ours, name), getattr(theirs, name), draw, **given)


def _two(rank: int | None = None, kinds: str = "sc", **keywords: Callable[[Draw], Any]) -> Any:
    def draw(d: Draw) -> Call:
        n = rank or d.number(1, 3)
        kind = d.dtype(kinds)
        shapes = [tuple(d.number(1, 4) for _ in range(n)) for _ in range(2)]
        if keywords:  # "valid": one is the larger in every dimension
            shapes = [tuple(map(max, *shapes)), tuple(map(min, *shapes))]
        return call(*(d.array(kind, s) for s in shapes), **{k: f(d) for k, f in keywords.items()})

    return draw


def _size(d: Draw) -> str:
    return d.of("full", "same", "valid")


def _boundary(d: Draw) -> str:
    return d.of("fill", "wrap", "symm")


def _lags(d: Draw) -> Call:
    n, m, mode = d.number(1, 5), d.number(1, 5), _size(d)
    is_off_in_scipy = mode == "same" and n % 2 and m % 2 == 0  # by 1, beside its own `correlate`
    return call(n, m + is_off_in_scipy, mode=mode)


def _along(least: int = 4, kinds: str = "s", **keywords: Callable[[Draw], Any]) -> Any:
    def draw(d: Draw) -> Call:
        shape = list(d.shape(1, 3, least=1))
        axis = d.axis(len(shape))
        shape[axis] = d.number(least, 9)
        x = d.array(d.dtype(kinds), tuple(shape))
        return call(x, **{k: f(d) for k, f in keywords.items()}, axis=axis)

    return draw


def _detrend(d: Draw) -> Call:
    return _along(3, "sc", type=lambda d: d.of("linear", "constant"))(d)


def _lfilter(d: Draw) -> Call:
    kind = d.dtype("s")
    b = d.array(kind, (d.number(1, 3),))
    a = d.array(kind, (d.number(1, 3),), then=lambda x, rng: x / 9 + (np.arange(x.size) == 0))
    found = _along(1, "d")(d)
    x = d.array(kind, found.args[0].shape)
    return call(b, a, x, **found.kwargs)


def _medfilt(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 2, least=1))
    return call(x, d.of(1, 3, tuple(d.of(1, 3) for _ in shape)))


def _savgol(d: Draw) -> Call:
    found = _along(5, "s")(d)
    given = {
        "deriv": d.of(0, 1, 2),
        "mode": d.of("interp", "mirror", "nearest", "wrap", "constant"),
    }
    return call(found.args[0], d.of(3, 5), d.of(0, 2), **given, **found.kwargs)


def _coefficients(d: Draw) -> Call:
    size = d.of(3, 5, 7)
    return call(size, d.number(0, 2), deriv=d.of(0, 1), pos=d.of(None, 0), use=d.of("conv", "dot"))


def _spectrum(*, two: bool = False, stft: bool = False, periodogram: bool = False) -> Any:
    def draw(d: Draw) -> Call:
        found = _along(8, "sc" if not two else "s")(d)
        x = found.args[0]
        given = {"fs": d.of(1.0, 2.5), **found.kwargs, "scaling": d.of("density", "spectrum")}
        given["detrend"] = d.of(False, "constant", "linear")
        if x.dtype.kind != "c":
            given["return_onesided"] = d.flag()
        if periodogram:
            return call(x, **given)
        given |= {"nperseg": d.of(4, 5, 8), "noverlap": d.of(None, 1)}
        given["window"] = d.of("hann", "boxcar", ("tukey", 0.5))
        if stft:
            given |= {"boundary": d.of("zeros", None, "even"), "padded": d.flag()}
            given["scaling"] = d.of("spectrum", "psd")
        elif not stft:
            given["average"] = d.of("mean", "median")
        return call(x, d.array(x.dtype, x.shape), **given) if two else call(x, **given)

    return draw


def _istft(d: Draw) -> Call:
    z = d.array("complex128", (*d.shape(0, 1, 1), 5, d.number(2, 4)))
    return call(z, fs=d.of(1.0, 3.0), nperseg=8, boundary=d.flag(), window="hann")


def _window(d: Draw) -> Call:
    name = d.of("hann", "hamming", "blackman", "boxcar", "triang", "bartlett", "cosine", "nuttall",
                "flattop", "parzen", "bohman", "blackmanharris", "barthann", ("kaiser", 5.0),
                ("gaussian", 2.0), ("tukey", 0.3), ("exponential", None, 2.0),
                "lanczos", ("general_cosine", [0.5, 0.3, 0.2]), ("general_gaussian", 1.5, 2.0))  # fmt: skip
    return call(name, d.number(1, 9), fftbins=d.flag())


def _filter1d(kinds: str = "s") -> Any:
    def draw(d: Draw) -> Call:
        x = d.array(d.dtype(kinds), shape := d.shape(1, 3, least=1))
        weights = d.array("float64", (n := d.number(1, 5),))
        mode, low = d.of(*MODES), -(n // 2)
        origin = d.number(low, (n - 1) // 2)
        return call(
            x, weights, axis=d.axis(len(shape)), mode=mode, cval=d.of(0.0, 2.0), origin=origin
        )

    return draw


def _filter(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1))
    weights = d.array("float64", tuple(d.number(1, 3) for _ in shape))
    return call(x, weights, mode=d.of(*MODES), cval=d.of(0.0, 2.0))


#: Of splines without those whose coefficients SciPy finds by a series that it cuts off.
_SPLINE_MODES = ("constant", "grid-constant", "mirror", "wrap", "grid-wrap")


def _image(d: Draw) -> Any:
    return d.array("float64", d.shape(2, 2, least=2))


def _coefficients1d(d: Draw) -> Call:
    return call(_image(d), order=d.number(2, 5), axis=d.of(0, -1), mode=d.of("mirror", "grid-wrap"))


def _coefficients(d: Draw) -> Call:
    return call(_image(d), order=d.number(2, 5), mode=d.of("mirror", "grid-wrap"))


def _resampling(d: Draw) -> dict[str, Any]:
    return {"order": d.number(1, 5), "mode": d.of(*_SPLINE_MODES), "cval": d.of(0.0, 2.0)}


def _shift(d: Draw) -> Call:
    return call(_image(d), d.of(0.3, (1.2, -0.7)), **_resampling(d))


def _zoom(d: Draw) -> Call:
    return call(_image(d), d.of(1.7, (0.8, 2.2)), **_resampling(d))


def _turn(d: Draw) -> Call:
    return call(_image(d), d.of(20.0, 90.0, -130.0), reshape=d.flag(), **_resampling(d))


def _affine(d: Draw) -> Call:
    matrix = np.asarray([[0.9, 0.2], [-0.1, 1.2]])
    return call(_image(d), d.of(matrix, matrix[0]), d.of(0.0, (0.4, -0.6)), **_resampling(d))


def _mapping(d: Draw) -> Call:
    def mapping(o: Any) -> Any:
        return tuple(0.7 * x + 0.4 * o[0] - 0.3 for x in o)

    return call(_image(d), mapping, **_resampling(d))


def _gaussian1d(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1))
    return call(x, d.of(0.7, 1.5), axis=d.axis(len(shape)), order=d.of(0, 1, 2), mode=d.of(*MODES))


def _gaussian(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1))
    sigma = d.of(0.8, tuple(d.of(0.5, 1.2) for _ in shape))
    return call(x, sigma, order=d.of(0, 1), mode=d.of(*MODES), truncate=d.of(2.0, 4.0))


def _uniform1d(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1))
    size = d.number(1, 5)
    origin = d.number(-(size // 2), (size - 1) // 2)
    return call(x, size, axis=d.axis(len(shape)), mode=d.of(*MODES), origin=origin)


def _uniform(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=1))
    return call(x, d.of(2, 3, tuple(d.number(1, 4) for _ in shape)), mode=d.of(*MODES))


def _coordinates(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=2))
    at = d.array("float64", (len(shape), *d.shape(1, 2)), -4, 7, special=False)
    return call(
        x,
        at,
        order=d.of(0, 1),
        mode=d.of(*MODES, "grid-wrap", "grid-constant"),
        cval=d.of(0.0, 2.0),
    )


def _interpolated(name: str) -> tuple[Any, Any]:
    """A class as a function of the samples and of the places."""

    def of(module: Any) -> Any:
        def f(x: Any, y: Any, at: Any, derivative: int = 0, **options: Any) -> Any:
            made = getattr(module, name)(x, y, **options)
            return made(at, derivative) if derivative else made(at)

        return f

    return of(interpolate), of(scipy.interpolate)


def _spline(d: Draw, *, pchip: bool = False, linear: bool = False) -> Call:
    axis = 0
    x = d.array("float64", (n := d.number(4, 7),), 0.3, 1, then=lambda x, rng: np.cumsum(x))
    y = d.array("float64", (n, *d.shape(0, 1, 1)))
    at = d.array("float64", d.shape(0, 2), 0.4, 2)
    if linear:
        return call(x, y, at, kind=d.of("linear", "nearest", "previous", "next"), axis=axis,
                    fill_value="extrapolate")  # fmt: skip
    given: dict[str, Any] = {} if pchip else {"bc_type": d.of("not-a-knot", "natural", "clamped")}
    return call(x, y, at, derivative=d.of(0, 1, 2), axis=axis, **given)


def _grid(module: Any) -> Any:
    def f(values: Any, at: Any, method: str, fill: Any) -> Any:
        axes = [np.arange(n) * 1.5 for n in np.shape(values)]
        made = module.RegularGridInterpolator(axes, values, method, False, fill)
        return made(at)

    return f


def _grid_call(d: Draw) -> Call:
    shape = d.shape(1, 3, least=2)
    at = d.array("float64", (*d.shape(1, 2), len(shape)), -0.5, 3)
    return call(d.array("float64", shape), at, d.of("linear", "nearest"), d.of(None, 7.0))


def _layer_norm(x: Any, axis: Any = -1, epsilon: float = 1e-5) -> Any:
    mean = np.mean(x, axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(np.var(x, axis=axis, keepdims=True) + epsilon)


def _rms_norm(x: Any, axis: Any = -1, epsilon: float = 1e-6) -> Any:
    return x / np.sqrt(np.mean(x * x, axis=axis, keepdims=True) + epsilon)


def _axis(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=2))
    return call(x, axis=d.axis(len(shape)))


def _glu(x: Any, axis: int) -> Any:
    first, second = np.split(x, 2, axis)
    return first / (1 + np.exp(-second))


def _even(d: Draw) -> Call:
    shape = list(d.shape(1, 3, least=1))
    axis = d.axis(len(shape))
    shape[axis] = d.of(2, 4)
    return call(d.array(d.dtype("s"), tuple(shape)), axis=axis)


def _one_hot(d: Draw) -> Call:
    x = d.array("int32", shape := d.shape(0, 2), -1, 4, special=False)
    return call(x, 3, axis=d.axis(len(shape) + 1))


def _one_hot_reference(x: Any, n: int, axis: int) -> Any:
    return np.moveaxis((x[..., None] == np.arange(n)).astype(np.float32), -1, axis)


def _attention(d: Draw) -> Call:
    b, n, m, heads, size = (d.number(1, 3) for _ in range(5))
    kind = d.dtype("s")
    return call(d.array(kind, (b, n, heads, size)), d.array(kind, (b, m, heads, size)),
                d.array(kind, (b, m, heads, size)))  # fmt: skip


def _attended(query: Any, key: Any, value: Any) -> Any:
    logits = np.einsum("bnhd,bmhd->bhnm", query, key) / np.sqrt(query.shape[-1])
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return np.einsum("bhnm,bmhd->bnhd", weights / weights.sum(-1, keepdims=True), value)


def _conv(d: Draw) -> Call:
    kind, features = d.dtype("s"), d.number(1, 2)
    x = d.array(kind, (d.number(1, 2), d.number(3, 6), d.number(3, 5), features))
    return call(x, d.array(kind, (d.number(1, 3), d.number(1, 3), features, d.number(1, 2))))


def _convolved(x: Any, kernel: Any) -> Any:
    rows = [scipy.signal.correlate(one, kernel[..., o], "valid")[..., 0] for one in x
            for o in range(kernel.shape[-1])]  # fmt: skip
    return np.moveaxis(np.reshape(rows, (len(x), kernel.shape[-1], *rows[0].shape)), 1, -1)


def _pooled(reduce: Any) -> Any:
    def f(x: Any, sizes: Any) -> Any:
        windows = np.lib.stride_tricks.sliding_window_view(x, sizes, (1, 2))
        return reduce(windows[:, :: sizes[0], :: sizes[1]], axis=(-2, -1))

    return f


def _pool(d: Draw) -> Call:
    x = d.array(d.dtype("s"), (d.number(1, 2), d.number(3, 6), d.number(3, 6), d.number(1, 2)))
    return call(x, (d.number(1, 3), d.number(1, 3)))


def _nn(name: str, draw: Any, reference: Any, f: Any = None, **more: Any) -> Line:
    given = {"flavours": "ptz", "length": PROGRAM, "refusals": False} | more
    return Line(f"nn.{name}", f or getattr(nn, name), reference, draw, **given)


def _of_class(name: str, draw: Any, **more: Any) -> Line:
    ours, theirs = _interpolated(name)
    return Line(f"interpolate.{name}", ours, theirs, draw, "pt", 10**6, refusals=False, **more)


SIGNALS = [
    *(_line("signal", n, _two(mode=_size, **({"method": lambda d: d.of("auto", "direct", "fft")} if n in (
        "convolve", "correlate") else {}))) for n in "convolve correlate fftconvolve oaconvolve".split()),
    *(_line("signal", n, _two(2, mode=_size, boundary=_boundary)) for n in "convolve2d correlate2d".split()),
    _line("signal", "correlation_lags", _lags), _line("signal", "detrend", _detrend),
    _line("signal", "lfilter", _lfilter), _line("signal", "medfilt", _medfilt),
    _line("signal", "savgol_filter", _savgol), _line("signal", "savgol_coeffs", _coefficients, dtypes=False),
    _line("signal", "hilbert", _along(2, "s", N=lambda d: d.of(None, 3, 8))),
    _line("signal", "resample", lambda d: Call((*(c := _along(2, "sc")(d)).args, d.number(1, 9)), c.kwargs)),
    _line("signal", "stft", _spectrum(stft=True)), _line("signal", "istft", _istft, flavours="p", seen=lambda found: found[1]),
    _line("signal", "welch", _spectrum(), flavours="pt"), _line("signal", "csd", _spectrum(two=True), flavours="pt"),
    _line("signal", "periodogram", _spectrum(periodogram=True)),
    _line("signal", "get_window", _window, dtypes=False),
    *(_line("ndimage", n, _filter1d()) for n in "convolve1d correlate1d".split()),
    *(_line("ndimage", n, _filter) for n in "convolve correlate".split()),
    _line("ndimage", "gaussian_filter1d", _gaussian1d), _line("ndimage", "gaussian_filter", _gaussian),
    _line("ndimage", "uniform_filter1d", _uniform1d), _line("ndimage", "uniform_filter", _uniform),
    _line("ndimage", "map_coordinates", _coordinates),
    _line("ndimage", "spline_filter1d", _coefficients1d), _line("ndimage", "spline_filter", _coefficients),
    _line("ndimage", "shift", _shift), _line("ndimage", "zoom", _zoom), _line("ndimage", "rotate", _turn),
    _line("ndimage", "affine_transform", _affine), _line("ndimage", "geometric_transform", _mapping),
    _of_class("CubicSpline", _spline), _of_class("PchipInterpolator", lambda d: _spline(d, pchip=True)),
    _of_class("interp1d", lambda d: _spline(d, linear=True)),
    Line("interpolate.RegularGridInterpolator", _grid(interpolate), _grid(scipy.interpolate), _grid_call,
         "pt", PROGRAM, refusals=False),
    _nn("layer_norm", _axis, _layer_norm, flavours="p", length=10**6),
    _nn("standardize", _axis, _layer_norm, flavours="p", length=10**6),
    _nn("rms_norm", _axis, _rms_norm, flavours="p"), _nn("glu", _even, _glu),
    _nn("one_hot", _one_hot, _one_hot_reference), _nn("dot_product_attention", _attention, _attended),
    _nn("conv", _conv, _convolved, lambda x, k: nn.conv(x, k, padding="VALID")),
    _nn("max_pool", _pool, _pooled(np.max)), _nn("avg_pool", _pool, _pooled(np.mean)),
]  # fmt: skip
