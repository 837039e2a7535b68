"""Discrete Fourier transforms: functions of `anvl.numpy.fft`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import as_tracer, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import Axis, axes_of, axis_of, each_axis, ints_of
from anvl.numpy.arrays.creation import arange
from anvl.numpy.arrays.padding import pad
from anvl.numpy.arrays.placing import placed
from anvl.numpy.arrays.shaping import moveaxis, roll, slice_axis
from anvl.numpy.functions.elementwise import conj, divide, multiply
from anvl.numpy.functions.emitting import is_kind, prim

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

_NORMS = ("backward", "ortho", "forward")
_SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward", None: "forward"}
_AT_ONCE = 3  # axes that one op transforms

Lengths = Sequence[int] | None


# -- along one axis --------------------------------------------------------------------------------


@public("n", "axis", "norm")
def fft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Fourier transform along `axis`: y[k] = the sum of x[j] exp(-2 pi i j k / n) over j.

    Parameters
    ----------
    x : array
    n : int, optional
        Length of the transformed axis, its size by default: x is cropped or zero-padded to it.
    axis : int
    norm : {"backward", "forward", "ortho"}, optional

    Returns
    -------
    A complex array.

    Raises
    ------
    ValueError
        n is below 1, x does not have this axis, or `norm` is another one.
    TypeError
        n or `axis` is not an integer.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.fft.fft(np.asarray([1.0, 0.0, 0.0])))
    [1.+0.j 1.+0.j 1.+0.j]
    """
    return _along_one("fft", "FFT", x, n, axis, norm)


@public("n", "axis", "norm")
def ifft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Inverse of `fft`: y[j] = the mean of x[k] exp(2 pi i j k / n) over k.

    Parameters and errors as of `fft`.

    >>> import anvl.numpy as np
    >>> print(np.fft.ifft(np.fft.fft(np.asarray([1.0, 2.0]))))
    [1.+0.j 2.+0.j]
    """
    return _along_one("ifft", "IFFT", x, n, axis, norm)


@public("n", "axis", "norm")
def rfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """`fft` of real x: the first n // 2 + 1 frequencies, which determine the others.

    Raises `TypeError` for a complex x; other parameters and errors as of `fft`.

    >>> import anvl.numpy as np
    >>> print(np.fft.rfft(np.asarray([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j]
    """
    return _along_one("rfft", "RFFT", x, n, axis, norm)


@public("n", "axis", "norm")
def irfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Inverse of `rfft`: n reals, by default 2 (m - 1) for m frequencies.

    The imaginary part of the first frequency is ignored, and of the last one if n is even.
    Parameters and errors as of `fft`.

    >>> import anvl.numpy as np
    >>> print(np.fft.irfft(np.asarray([3.0, 0.0, 1.0]), n=4))
    [1.  0.5 1.  0.5]
    """
    return _along_one("irfft", "IRFFT", x, n, axis, norm)


@public("n", "axis", "norm")
def hfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """`fft` of a Hermitian signal, x[-j] = conj(x[j]), given by its first half: n reals.

    By default n is 2 (m - 1) for m given elements.  Parameters and errors as of `fft`.

    >>> import anvl.numpy as np
    >>> print(np.fft.hfft(np.asarray([1.0, 2.0, 3.0])))
    [ 8. -2.  0. -2.]
    """
    _check_norm("hfft", norm)
    return _along_one("hfft", "IRFFT", conj(x), n, axis, _SWAPPED[norm])


@public("n", "axis", "norm")
def ihfft(x: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """Inverse of `hfft`: the first n // 2 + 1 elements of the signal.

    Raises `TypeError` for a complex x; other parameters and errors as of `fft`.

    >>> import anvl.numpy as np
    >>> print(np.real(np.fft.ihfft(np.asarray([8.0, -2.0, 0.0, -2.0]))))
    [1. 2. 3.]
    """
    _check_norm("ihfft", norm)
    return conj(_along_one("ihfft", "RFFT", x, n, axis, _SWAPPED[norm]))


# -- along several ---------------------------------------------------------------------------------


@public("s", "axes", "norm")
def fftn(x: Any, s: Lengths = None, axes: Axis = None, norm: str | None = None) -> Any:
    """`fft` along several axes, of lengths s, -1 for all; by default the last len(s) axes, or all.

    An axis that is named twice is transformed twice.  Raises `ValueError` if s and `axes` differ
    in number; otherwise as `fft`.

    >>> import anvl.numpy as np
    >>> print(np.fft.fftn(np.ones((2, 2))))
    [[4.+0.j 0.+0.j]
     [0.+0.j 0.+0.j]]
    """
    return _along_several("fftn", "FFT", x, s, axes, norm)


@public("s", "axes", "norm")
def ifftn(x: Any, s: Lengths = None, axes: Axis = None, norm: str | None = None) -> Any:
    """Inverse of `fftn`, with its parameters and errors.

    >>> import anvl.numpy as np
    >>> print(np.real(np.fft.ifftn(np.fft.fftn(np.ones((2, 2))))))
    [[1. 1.]
     [1. 1.]]
    """
    return _along_several("ifftn", "IFFT", x, s, axes, norm)


@public("s", "axes", "norm")
def rfftn(x: Any, s: Lengths = None, axes: Axis = None, norm: str | None = None) -> Any:
    """`fftn` of real x; along the last of `axes` the first half of the frequencies, as `rfft`.

    >>> import anvl.numpy as np
    >>> np.fft.rfftn(np.ones((2, 6))).shape
    (2, 4)
    """
    return _along_several("rfftn", "RFFT", x, s, axes, norm)


@public("s", "axes", "norm")
def irfftn(x: Any, s: Lengths = None, axes: Axis = None, norm: str | None = None) -> Any:
    """Inverse of `rfftn`; the last length is by default 2 (m - 1) for m frequencies.

    >>> import anvl.numpy as np
    >>> np.fft.irfftn(np.ones((2, 4))).shape
    (2, 6)
    """
    return _along_several("irfftn", "IRFFT", x, s, axes, norm)


@public("s", "axes", "norm")
def fft2(x: Any, s: Lengths = None, axes: Axis = (-2, -1), norm: str | None = None) -> Any:
    """`fftn` along the last two axes.

    >>> import anvl.numpy as np
    >>> np.fft.fft2(np.ones((5, 2, 3))).shape
    (5, 2, 3)
    """
    return _along_several("fft2", "FFT", x, s, axes, norm)


@public("s", "axes", "norm")
def ifft2(x: Any, s: Lengths = None, axes: Axis = (-2, -1), norm: str | None = None) -> Any:
    """`ifftn` along the last two axes.

    >>> import anvl.numpy as np
    >>> np.fft.ifft2(np.ones((5, 2, 3))).shape
    (5, 2, 3)
    """
    return _along_several("ifft2", "IFFT", x, s, axes, norm)


@public("s", "axes", "norm")
def rfft2(x: Any, s: Lengths = None, axes: Axis = (-2, -1), norm: str | None = None) -> Any:
    """`rfftn` along the last two axes.

    >>> import anvl.numpy as np
    >>> np.fft.rfft2(np.ones((5, 2, 4))).shape
    (5, 2, 3)
    """
    return _along_several("rfft2", "RFFT", x, s, axes, norm)


@public("s", "axes", "norm")
def irfft2(x: Any, s: Lengths = None, axes: Axis = (-2, -1), norm: str | None = None) -> Any:
    """`irfftn` along the last two axes.

    >>> import anvl.numpy as np
    >>> np.fft.irfft2(np.ones((5, 2, 3))).shape
    (5, 2, 4)
    """
    return _along_several("irfft2", "IRFFT", x, s, axes, norm)


# -- frequencies -----------------------------------------------------------------------------------


@placed
@public("n", "d", "dtype")
def fftfreq(n: int, d: Any = 1.0, *, dtype: Any = None) -> Any:
    """Frequencies of `fft` for n points with spacing d: 0, 1, ..., -2, -1 over n d.

    A vector of the default float dtype, or of `dtype`.  Raises `ValueError` for an n below 1.

    >>> import anvl.numpy as np
    >>> print(np.fft.fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """
    _check_length("fftfreq", n)
    return _per_distance(ifftshift(arange(-(n // 2), n - n // 2)), n, d, dtype)


@placed
@public("n", "d", "dtype")
def rfftfreq(n: int, d: Any = 1.0, *, dtype: Any = None) -> Any:
    """Frequencies of `rfft` for n points with spacing d: 0, 1, ..., n // 2 over n d.

    A vector of the default float dtype, or of `dtype`.  Raises `ValueError` for an n below 1.

    >>> import anvl.numpy as np
    >>> print(np.fft.rfftfreq(4))
    [0.   0.25 0.5 ]
    """
    _check_length("rfftfreq", n)
    return _per_distance(arange(n // 2 + 1), n, d, dtype)


def _per_distance(k: Tracer, n: int, d: Any, dtype: Any) -> Any:
    wanted = default_dtype(float) if dtype is None else as_dtype(dtype)
    return divide(convert(k, wanted), d * n)


@public("axes")
def fftshift(x: Any, axes: Axis = None) -> Any:
    """Shift the zero frequency from the start to the center of these axes, or of all.

    >>> import anvl.numpy as np
    >>> print(np.fft.fftshift(np.fft.fftfreq(4)))
    [-0.5  -0.25  0.    0.25]
    """
    return _shifted("fftshift", x, axes, lambda n: n // 2)


@public("axes")
def ifftshift(x: Any, axes: Axis = None) -> Any:
    """Inverse of `fftshift`; the two differ for odd lengths.

    >>> import anvl.numpy as np
    >>> print(np.fft.ifftshift(np.asarray([-1, 0, 1])))
    [ 0  1 -1]
    """
    return _shifted("ifftshift", x, axes, lambda n: -(n // 2))


def _shifted(name: str, x: Any, axes: Axis, by: Callable[[int], int]) -> Any:
    operand = as_tracer(x, name)
    at = axes_of(axes, operand.ndim, name)
    return roll(operand, tuple(by(operand.shape[a]) for a in at), at) if at else operand


# -- how -------------------------------------------------------------------------------------------


def _along_one(name: str, kind: str, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    _check_norm(name, norm)
    operand = operand_of(name, kind, x)
    if not operand.ndim:
        raise ValueError(f"{name}: {operand.aval} has no axis to transform; reshape it")
    at = axis_of(axis, operand.ndim, name)
    lengths = None if n is None else ints_of(n, name)
    return _transformed(name, kind, operand, (at,), lengths, norm)


def _along_several(name: str, kind: str, x: Any, s: Any, axes: Any, norm: Any) -> Any:
    _check_norm(name, norm)
    operand = operand_of(name, kind, x)
    lengths = None if s is None else ints_of(s, name)
    if axes is not None:
        at = tuple(axis_of(a, operand.ndim, name) for a in ints_of(axes, name))
    else:
        count = operand.ndim if lengths is None else len(lengths)
        at = each_axis(tuple(range(-count, 0)), operand.ndim, name)
    if lengths is not None and len(lengths) != len(at):
        raise ValueError(f"{name}: s {lengths} must name one length for each of the axes {at}")
    if lengths is not None:  # -1: all that there are
        pairs = zip(lengths, at, strict=True)
        lengths = tuple(operand.shape[a] if n == -1 else n for n, a in pairs)
    if not at and kind in ("RFFT", "IRFFT"):
        raise ValueError(f"{name}: takes at least one axis, got none for {operand.aval}")
    if len(set(at)) < len(at):
        return _one_by_one(name, kind, operand, at, lengths, norm)
    return _transformed(name, kind, operand, at, lengths, norm)


def _one_by_one(
    name: str, kind: str, x: Tracer, axes: tuple[int, ...], lengths: Any, norm: Any
) -> Any:
    """Transform along each axis alone, from the last one on, as often as it is named."""
    kinds = [{"RFFT": "FFT", "IRFFT": "IFFT"}.get(kind, kind)] * (len(axes) - 1) + [kind]
    sizes = _lengths(kind, tuple(x.shape[a] for a in axes), lengths)
    steps = list(zip(kinds, axes, sizes, strict=True))
    for each, axis, n in steps if kind == "IRFFT" else reversed(steps):  # the real one last, first
        x = _transformed(name, each, x, (axis,), (n,), norm)
    return x


def operand_of(name: str, kind: str, x: Any) -> Tracer:
    """x in a dtype that XLA transforms."""
    (operand,), _ = promoted(name, (x,), "float")
    is_complex = is_kind(operand, "complex")
    if kind == "RFFT":
        if is_complex:
            raise TypeError(f"{name}: takes reals, got {operand.aval}; use `fft`, or the real part")
        return convert(operand, np.promote_types(_known(operand.dtype), np.float32))
    if is_complex:
        return operand
    return convert(operand, np.promote_types(_known(operand.dtype), np.complex64))


def _known(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """f16 in place of floats that NumPy cannot promote."""
    return dtype if dtype in (np.float32, np.float64) else np.dtype(np.float16)


def _check_norm(name: str, norm: Any) -> None:
    if norm is not None and norm not in _NORMS:
        raise ValueError(f"{name}: norm {norm!r} is not one of {', '.join(_NORMS)}")


def _check_length(name: str, n: Any) -> None:
    (length,) = ints_of(n, name)
    if length < 1:
        raise ValueError(f"{name}: {n} points; there must be at least 1")


def _transformed(
    name: str, kind: str, x: Tracer, axes: tuple[int, ...], lengths: Any, norm: Any
) -> Any:
    """Move the axes to the end, crop or pad, transform, and move them back."""
    if not axes:
        return x
    last = tuple(range(-len(axes), 0))
    moved = moveaxis(x, axes, last)
    sizes = _lengths(kind, moved.shape[-len(axes) :], lengths)
    for n in sizes:
        _check_length(name, n)
    stored = (*sizes[:-1], sizes[-1] // 2 + 1) if kind == "IRFFT" else sizes
    for axis, n in zip(last, stored, strict=True):
        moved = _resized(moved, axis, n)
    return moveaxis(_normalized(_chained(kind, moved, sizes), kind, sizes, norm), last, axes)


def _lengths(kind: str, shape: tuple[int, ...], lengths: Any) -> tuple[int, ...]:
    if lengths is not None:
        return tuple(lengths)
    return (*shape[:-1], 2 * (shape[-1] - 1)) if kind == "IRFFT" else shape


def _resized(x: Tracer, axis: int, n: int) -> Tracer:
    """Crop or zero-pad an axis of x to n elements."""
    size = x.shape[axis]
    if n <= size:
        return slice_axis(x, axis, 0, n) if n < size else x
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, n - size)
    return pad(x, tuple(widths))


def _chained(kind: str, x: Tracer, sizes: tuple[int, ...]) -> Tracer:
    """Transform the last axes, up to three at once; the real one comes first, or last."""
    if 0 in x.shape:
        return _of_nothing(kind, x, sizes)
    near, far = sizes[-_AT_ONCE:], sizes[:-_AT_ONCE]
    if not far:
        return prim("fft", x, fft_type=kind, fft_length=sizes)
    # For a complex kind: the leading axes first, with the trailing ones transposed away.
    complex_kind = {"RFFT": "FFT", "IRFFT": "IFFT"}.get(kind, kind)
    after = tuple(range(-len(near), 0))
    before = tuple(range(-len(sizes), -len(sizes) + len(near)))
    if kind == "RFFT":
        x = _chained(kind, x, near)
    x = moveaxis(_chained(complex_kind, moveaxis(x, after, before), far), before, after)
    return x if kind == "RFFT" else _chained(kind, x, near)


def _of_nothing(kind: str, x: Tracer, sizes: tuple[int, ...]) -> Tracer:
    """Empty result of an empty batch."""
    last = sizes[-1] // 2 + 1 if kind == "RFFT" else sizes[-1]
    shape = (*x.shape[: -len(sizes)], *sizes[:-1], last)
    dtype = x.dtype
    if kind in ("RFFT", "IRFFT"):
        pairs = {"float32": "complex64", "float64": "complex128"}
        swapped = pairs | {v: k for k, v in pairs.items()}
        dtype = np.dtype(swapped[dtype.name])
    return constant(0, dtype, shape)


def _normalized(y: Tracer, kind: str, sizes: tuple[int, ...], norm: Any) -> Tracer:
    """Scale by `norm`; the op itself divides the inverse kinds by n, as "backward" requires."""
    n = float(math.prod(sizes))
    is_inverse = kind in ("IFFT", "IRFFT")
    by = {"ortho": math.sqrt(n) if is_inverse else 1 / math.sqrt(n)}
    by["forward"] = n if is_inverse else 1 / n
    return multiply(y, by[norm]) if norm in by else y
