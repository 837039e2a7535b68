"""Linear filters of arrays: correlation with weights, Gaussian and uniform filters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, each_axis, int_of
from anvl.runtime import hiding_frames
from anvl.scipy.signal.correlations import part_of_convolution

__all__ = [
    "convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter", "gaussian_filter1d",
    "uniform_filter", "uniform_filter1d",
]  # fmt: skip

_PADDINGS = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge",
    "wrap": "wrap", "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant",
}  # fmt: skip


def _check(name: str, mode: Any, output: Any) -> None:
    if mode not in _PADDINGS:
        raise ValueError(
            f"{name}: mode is {mode!r}; it must be one of {', '.join(map(repr, _PADDINGS))}"
        )
    if output is not None:
        raise ValueError(f"{name}: output is {type(output).__name__}; arrays are not written to")


@hiding_frames
def correlate(
    input: Any,
    weights: Any,
    output: None = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    """Sums of the elements around each one, with weights, of which the conjugate is taken.

    Parameters
    ----------
    input, weights : array
        Of equal numbers of axes.
    output : None
    mode : {"reflect", "mirror", "nearest", "wrap", "constant"}
        Beyond the edges: the mirror image, also of the last elements, or without them; the last
        elements; the array again; cval.
    cval : number
    origin : int or sequence of int
        How far the center of the weights is moved, for all axes or for each.

    Returns
    -------
    Array of the shape and dtype of input, complex if the weights are; sums of integers are cut off.

    Raises
    ------
    ValueError
        Another mode, numbers of axes that differ, no weights, a center outside of them.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.correlate(np.asarray([1, 2, 3]), np.asarray([1, 0, 0])))
    [1 1 2]
    """
    _check("correlate", mode, output)
    return _weighted("correlate", input, weights, cval, mode, _origins(input, origin))


@hiding_frames
def convolve(
    input: Any,
    weights: Any,
    output: None = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    """Sums of the elements around each one, with weights in reverse.

    Parameters
    ----------
    input, weights : array
    output, mode, cval, origin
        As of `correlate`.

    Returns
    -------
    Array of the shape and dtype of input, complex if the weights are.

    Raises
    ------
    ValueError
        As `correlate`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.convolve(np.asarray([1, 2, 3]), np.asarray([1, 0, 0])))
    [2 3 3]
    """
    _check("convolve", mode, output)
    return _weighted("convolve", input, weights, cval, mode, _origins(input, origin))


def _origins(input: Any, origin: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.broadcast_to(origin, (np.ndim(input),)))


@hiding_frames
def correlate1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: None = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Sums of the elements around each one along an axis, with weights.

    Parameters
    ----------
    input : array
    weights : array
        A vector.
    axis : int
    output, mode, cval, origin
        As of `correlate`.

    Returns
    -------
    Array of the shape and dtype of input, complex if the weights are.

    Raises
    ------
    ValueError
        As `correlate`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.correlate1d(np.asarray([1, 2, 3]), np.asarray([1, 1])))
    [2 3 5]
    """
    _check("correlate1d", mode, output)
    return _weighted_along("correlate", input, weights, cval, mode, int(origin), int(axis))


@hiding_frames
def convolve1d(
    input: Any,
    weights: Any,
    axis: int = -1,
    output: None = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Sums of the elements around each one along an axis, with weights in reverse.

    Parameters
    ----------
    input : array
    weights : array
        A vector.
    axis : int
    output, mode, cval, origin
        As of `correlate`.

    Returns
    -------
    Array of the shape and dtype of input, complex if the weights are.

    Raises
    ------
    ValueError
        As `correlate`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.convolve1d(np.asarray([1, 2, 3]), np.asarray([1, 1])))
    [3 5 6]
    """
    _check("convolve1d", mode, output)
    return _weighted_along("convolve", input, weights, cval, mode, int(origin), int(axis))


@public("name", "mode", "origin", "axis")
def _weighted_along(
    name: str, input: Any, weights: Any, cval: Any, mode: str, origin: int, axis: int
) -> Any:
    (w,), _ = promoted(f"{name}1d", (weights,))
    rank = np.ndim(input)
    at = axis_of(axis, rank, f"{name}1d")
    if w.ndim != 1:
        raise ValueError(f"{name}1d: weights is {w.aval}; give a vector")
    shape, origins = [1] * rank, [0] * rank
    shape[at], origins[at] = w.shape[0], origin
    return _weighted(name, input, anp.reshape(w, shape), cval, mode, tuple(origins))


@public("name", "mode", "origins")
def _weighted(
    name: str, input: Any, weights: Any, cval: Any, mode: str, origins: tuple[int, ...]
) -> Any:
    (given,), _ = promoted(name, (input,))
    (x, w, fill), _ = promoted(name, (given, weights, cval), "float", broadcast=False)
    if x.ndim != w.ndim or 0 in w.shape:
        raise ValueError(
            f"{name}: input is {given.aval} and weights {w.aval}; give equal numbers of axes"
        )
    widths = [
        _width(name, size, origin) if size > 1 else (0, 0)
        for size, origin in zip(w.shape, origins, strict=True)
    ]
    if 0 in x.shape:
        return given
    padding = _PADDINGS[mode]
    extra = {"constant_values": fill} if padding == "constant" else {}
    around = anp.pad(x, widths, mode=padding, **extra)
    if name == "correlate":
        w = anp.conj(anp.flip(w))  # as of `numpy.correlate`
    found = part_of_convolution(
        around, w, [(k - 1, n) for k, n in zip(w.shape, x.shape, strict=True)]
    )
    return as_sums(found, given.dtype)


def as_sums(found: Any, dtype: np.dtype[Any]) -> Any:
    """Sums in the dtype of what was summed, or complex if they are: cut off, as C does."""
    if found.dtype.kind == "c":
        return anp.astype(found, np.promote_types(dtype, np.complex64))
    return anp.abs(found) >= 1 if dtype.kind == "b" else anp.astype(found, dtype)


def _width(name: str, size: int, origin: int) -> tuple[int, int]:
    """How many elements are needed before and behind."""
    low = size // 2 + origin if name == "correlate" else size - 1 - (size // 2 + origin)
    if not 0 <= low < size:
        raise ValueError(f"{name}: origin is {origin}, outside of {size} weights")
    return low, size - 1 - low


# -- Gaussian and uniform filters -------------------------------------------------------------


def _gaussian(sigma: float, order: int, radius: int) -> np.ndarray[Any, Any]:
    """The derivative of this order of a normalised Gaussian, times its sign in reverse."""
    if sigma == 0:
        return np.eye(1)[0]
    x = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 / sigma**2 * x**2)
    weights /= weights.sum()
    factor = np.polynomial.Polynomial([1.0])
    for _ in range(order):
        factor = factor.deriv() - np.polynomial.Polynomial([0, 1 / sigma**2]) * factor
    return np.asarray(factor(x) * weights)


@hiding_frames
def gaussian_filter1d(
    input: Any,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: None = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Any:
    """Convolve with a Gaussian, or with a derivative of it, along an axis.

    Parameters
    ----------
    input : array
    sigma : float
        Standard deviation; a number, not traced.
    axis : int
    order : int
        Which derivative, 0 for none.
    output, mode, cval
        As of `correlate`.
    truncate : float
        After how many standard deviations the weights end.
    radius : int, optional
        After how many elements, in place of truncate.

    Returns
    -------
    Array of the shape and dtype of input.

    Raises
    ------
    ValueError
        A negative sigma, order or radius; as `correlate`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(np.round(ndimage.gaussian_filter1d(np.asarray([0.0, 1.0, 0.0]), 0.5), 4))
    [0.1067 0.7866 0.1067]
    """
    _check("gaussian_filter1d", mode, output)
    order = int_of(order, "order", "gaussian_filter1d", least=0)
    sigma = float(sigma)
    reach = math.floor(truncate * sigma + 0.5) if radius is None else radius
    reach = int_of(reach, "radius", "gaussian_filter1d", least=0)
    if not sigma >= 0:
        raise ValueError(f"gaussian_filter1d: sigma is {sigma}; it must be at least 0")
    weights = _gaussian(sigma, order, reach)
    return convolve1d(input, anp.asarray(weights, dtype=_real_of(input)), axis, None, mode, cval)


def _real_of(input: Any) -> Any:
    dtype = anp.result_type(input)
    return "float64" if (dtype.itemsize > 4 and dtype.kind != "c") or dtype == "c16" else "float32"


def _for_each(name: str, value: Any, count: int) -> list[Any]:
    if isinstance(value, list | tuple):
        if len(value) != count:
            raise ValueError(f"{name}: {value} has not {count} values, one for each axis")
        return list(value)
    return [value] * count


def _along_axes(
    name: str, input: Any, axes: Any, options: dict[str, Any], f: Callable[..., Any]
) -> Any:
    """Apply a filter along each axis, with its options."""
    rank = np.ndim(input)
    along = range(rank) if axes is None else each_axis(axes, rank, name)
    each = {key: _for_each(name, value, len(along)) for key, value in options.items()}
    for i, axis in enumerate(along):
        input = f(input, axis=axis, **{key: values[i] for key, values in each.items()})
    return input


@hiding_frames
def gaussian_filter(
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: None = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: float = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    """Convolve with a Gaussian, or with a derivative of it, along several axes.

    Parameters
    ----------
    input : array
    sigma, order, mode, radius
        As of `gaussian_filter1d`, or a list with one for each axis.
    output, cval, truncate
        As of `gaussian_filter1d`.
    axes : int or tuple of int, optional
        By default all.

    Returns
    -------
    Array of the shape and dtype of input.

    Raises
    ------
    ValueError
        As `gaussian_filter1d`; a list of another length.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(np.round(ndimage.gaussian_filter(np.eye(2), 1.0), 4))
    [[0.5424 0.4576]
     [0.4576 0.5424]]
    """
    options = {"sigma": sigma, "order": order, "mode": mode, "radius": radius}

    def filtered(x: Any, **given: Any) -> Any:
        return gaussian_filter1d(x, output=output, cval=cval, truncate=truncate, **given)

    return _along_axes("gaussian_filter", input, axes, options, filtered)


@hiding_frames
def uniform_filter1d(
    input: Any,
    size: int,
    axis: int = -1,
    output: None = None,
    mode: str = "reflect",
    cval: Any = 0.0,
    origin: int = 0,
) -> Any:
    """Mean of `size` elements around each one along an axis.

    Parameters
    ----------
    input : array
    size, axis : int
    output, mode, cval, origin
        As of `correlate`.

    Returns
    -------
    Array of the shape and dtype of input.

    Raises
    ------
    ValueError
        A size below 1; as `correlate`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.uniform_filter1d(np.asarray([0.0, 2.0, 4.0]), 2))
    [0. 1. 3.]
    """
    _check("uniform_filter1d", mode, output)
    size = int_of(size, "size", "uniform_filter1d", least=1)
    weights = anp.full((size,), 1 / size, dtype=_real_of(input))
    return correlate1d(input, weights, axis, None, mode, cval, origin)


@hiding_frames
def uniform_filter(
    input: Any,
    size: Any = 3,
    output: None = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    axes: Any = None,
) -> Any:
    """Mean of the elements around each one.

    Parameters
    ----------
    input : array
    size, mode, origin
        As of `uniform_filter1d`, or a list with one for each axis.
    output, cval
        As of `correlate`.
    axes : int or tuple of int, optional
        By default all.

    Returns
    -------
    Array of the shape and dtype of input.

    Raises
    ------
    ValueError
        As `uniform_filter1d`; a list of another length.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.uniform_filter(np.asarray([[0.0, 3.0], [3.0, 6.0]]), 2))
    [[0.  1.5]
     [1.5 3. ]]
    """
    options = {"size": size, "mode": mode, "origin": origin}

    def filtered(x: Any, **given: Any) -> Any:
        return uniform_filter1d(x, output=output, cval=cval, **given)

    return _along_axes("uniform_filter", input, axes, options, filtered)
