"""Parameters and results of the functions of `anvl.numpy.fft`."""

from __future__ import annotations

from anvl.docstrings.entries import Entries, by_name

__all__ = ["FFT"]

_PARAMETERS = {
    "axes": "sequence of int: The axes, negative ones from the end.",
    "axis": "int: The axis, negative ones from the end.",
    "d": "float: The distance of two points.",
    "device": "Device or str: Where the array is put.",
    "dtype": "dtype: A float dtype, by default the default one.",
    "n": "int: The length along the axis: x is cut off, or filled up with zeros.",
    "norm": '{"backward", "ortho", "forward"}: What is divided: the inverse, both, or the transform.',
    "s": "sequence of int: The lengths along the axes: x is cut off, or filled up with zeros.",
    "x": "array",
}
_RESULTS = {
    "Array of complex numbers, of the shape of x with the lengths n or s.": (
        "fft fft2 fftn ifft ifft2 ifftn"
    ),
    "Array of floats, of length n along the axis.": "hfft irfft",
    "Array of floats, of lengths s along the axes.": "irfft2 irfftn",
    "Array of complex numbers, of length n // 2 + 1 along the (last) axis.": (
        "ihfft rfft rfft2 rfftn"
    ),
    "Vector of n floats.": "fftfreq",
    "Vector of n // 2 + 1 floats.": "rfftfreq",
    "Array of the shape and dtype of x.": "fftshift ifftshift",
}
_N = {"n": "int: The number of points."}
_STANDARD = frozenset(
    "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq "
    "rfftn".split()
)


def _link(name: str) -> str:
    if name in _STANDARD:
        pages = "https://data-apis.org/array-api/2025.12/extensions/generated/array_api.fft."
        return f"{pages}{name}.html"
    return f"https://numpy.org/doc/stable/reference/generated/numpy.fft.{name}.html"


FFT = Entries(_PARAMETERS, {"fftfreq": _N, "rfftfreq": _N}, by_name(_RESULTS), _link)
