"""`anvl.image`: resizing, with the names and arguments of `jax.image`.

>>> import anvl.numpy as np
>>> from anvl import image
>>> print(image.resize(np.asarray([0.0, 2.0]), (4,), "linear"))
[0.  0.5 1.5 2. ]
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import as_tracer, promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, sizes_of
from anvl.runtime import hiding_frames

__all__ = ["ResizeMethod", "resize", "scale_and_translate"]


class ResizeMethod(enum.Enum):
    """Method of `resize` and `scale_and_translate`, which take its members and their names.

    Examples
    --------
    >>> from anvl.image import ResizeMethod
    >>> ResizeMethod.from_string("bilinear").name
    'LINEAR'
    """

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """The member for a name, in one of its forms.  Raises `ValueError`."""
        return ResizeMethod[_method("ResizeMethod.from_string", s).upper()]


def _triangle(x: Any) -> Any:
    return anp.maximum(0, 1 - anp.abs(x))


def _keys(x: Any) -> Any:
    """The cubic kernel of R. Keys, Cubic convolution interpolation (1981), with a = -1/2."""
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return anp.where(anp.less(x, 1), near, anp.where(anp.less(x, 2), far, 0))


def _lanczos(x: Any, radius: float) -> Any:
    return anp.where(anp.less(x, radius), anp.multiply(anp.sinc(x), anp.sinc(x / radius)), 0)


_KERNELS = {
    "linear": _triangle,
    "cubic": lambda x: _keys(anp.abs(x)),
    "lanczos3": lambda x: _lanczos(anp.abs(x), 3.0),
    "lanczos5": lambda x: _lanczos(anp.abs(x), 5.0),
}
_METHODS = {
    "nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear",
    "triangle": "linear", "cubic": "cubic", "bicubic": "cubic", "tricubic": "cubic",
    "lanczos3": "lanczos3", "lanczos5": "lanczos5",
}  # fmt: skip


def _method(name: str, method: Any) -> str:
    found = method.name.lower() if isinstance(method, ResizeMethod) else method
    if not isinstance(found, str) or found not in _METHODS:
        raise ValueError(f"{name}: method is {method!r}; it must be one of {', '.join(_METHODS)}")
    return _METHODS[found]


def _weights(size: int, new: int, scale: Any, shift: Any, kernel: Any, antialias: bool) -> Any:
    """Matrix (old, new) of the samples of one axis; columns that look outside are 0."""
    inverse = anp.divide(1, scale)
    width = anp.maximum(inverse, 1) if antialias else anp.ones_like(inverse)
    spots = anp.arange(new, dtype=scale.dtype) + 0.5
    places = spots * inverse - shift * inverse - 0.5
    old = anp.expand_dims(anp.arange(size, dtype=scale.dtype), 1)
    weights = kernel((places - old) / width)
    total = anp.sum(weights, axis=0, keepdims=True)
    eps = 1000 * float(np.finfo(np.float32).eps)
    usable = anp.greater(anp.abs(total), eps)
    weights = anp.where(usable, weights / anp.where(usable, total, 1), 0)
    inside = anp.logical_and(anp.greater_equal(places, -0.5), anp.less_equal(places, size - 0.5))
    return anp.where(inside, weights, 0)


def _along(x: Any, axis: int, weights: Any) -> Any:
    moved = anp.moveaxis(x, axis, -1)
    return anp.moveaxis(anp.matmul(moved, anp.astype(weights, x.dtype)), -1, axis)


@hiding_frames
def resize(image: Any, shape: Sequence[int], method: str | ResizeMethod, antialias: bool = True,
           precision: Any = None) -> Any:  # fmt: skip
    """Resize an array to a shape.

    Parameters
    ----------
    image : array
        Integers become floats, except for "nearest".
    shape : sequence of int
        The new size of each axis.
    method : str or ResizeMethod
        "nearest"; "linear" ("bilinear", "trilinear", "triangle"); "cubic" ("bicubic", "tricubic"),
        Keys' kernel; "lanczos3"; "lanczos5".
    antialias : bool
        Widen the kernel where the array becomes smaller.
    precision : None

    Returns
    -------
    An array of the new shape.  Pixels are squares: sample i stands at i + 1/2.

    Raises
    ------
    ValueError
        An unknown method, a shape with another number of axes, or an axis without elements.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import image
    >>> print(image.resize(np.asarray([[1.0, 2.0]]), (1, 4), "nearest"))
    [[1. 1. 2. 2.]]
    """
    return _resize(image, sizes_of(shape, "resize"), _method("resize", method), bool(antialias))


@public("shape", "method", "antialias")
def _resize(image: Any, shape: tuple[int, ...], method: str, antialias: bool) -> Any:
    x = as_tracer(image, "resize")
    if len(shape) != x.ndim:
        raise ValueError(
            f"resize: the image has shape {list(x.shape)}, the new one is {list(shape)}; give the "
            "size of each axis"
        )
    if method != "nearest":
        (x,), _ = promoted("resize", (x,), "float")
    for axis, (old, new) in enumerate(zip(x.shape, shape, strict=True)):
        if old == new:
            continue
        if old == 0 or (new == 0 and method == "nearest"):
            raise ValueError(
                f"resize: axis {axis} of the image has size {old}, the new size is {new}; give "
                "sizes of at least 1"
            )
        if method == "nearest":
            places = np.floor((np.arange(new) + 0.5) * (old / new)).astype(np.int32)
            x = anp.take(x, anp.asarray(np.minimum(places, old - 1)), axis=axis)
            continue
        dtype = np.dtype(np.float64 if x.dtype == np.float64 else np.float32)
        scale = anp.full((), new / old, dtype=dtype)
        shift = anp.zeros((), dtype)
        x = _along(x, axis, _weights(old, new, scale, shift, _KERNELS[method], antialias))
    return x


@hiding_frames
def scale_and_translate(
    image: Any, shape: Sequence[int], spatial_dims: Sequence[int], scale: Any, translation: Any,
    method: str | ResizeMethod, antialias: bool = True, precision: Any = None,
) -> Any:  # fmt: skip
    """Scale and move an array: x becomes scale * x + translation.

    Parameters
    ----------
    image : array
    shape : sequence of int
        The size of each axis of the result.
    spatial_dims : sequence of int
        The axes that are scaled and moved; the others keep their size.
    scale, translation : arrays of one number for each of these axes
        Differentiable.
    method, antialias, precision
        As in `resize`, without "nearest".

    Returns
    -------
    An array of the shape; 0 where it looks outside of the image.

    Raises
    ------
    ValueError
        An unknown method, or shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import image
    >>> x, one = np.asarray([1.0, 2.0, 3.0]), np.ones(1)
    >>> print(image.scale_and_translate(x, (3,), (0,), one, one, "linear"))
    [0. 1. 2.]
    """
    name = "scale_and_translate"
    kernel = _method(name, method)
    if kernel == "nearest":
        raise ValueError(f"{name}: method is 'nearest', which has no kernel; use resize")
    axes = tuple(int(a) for a in spatial_dims)
    return _scaled(image, scale, translation, sizes_of(shape, name), axes, kernel, bool(antialias))


@public("shape", "axes", "method", "antialias")
def _scaled(
    image: Any, scale: Any, translation: Any, shape: tuple[int, ...], axes: tuple[int, ...],
    method: str, antialias: bool,
) -> Any:  # fmt: skip
    name = "scale_and_translate"
    (x,), _ = promoted(name, (image,), "float")
    (scale, translation), _ = promoted(name, (scale, translation), "float", broadcast=False)
    axes = tuple(axis_of(a, x.ndim, name) for a in axes)
    kept = all(shape[a] == x.shape[a] for a in range(min(x.ndim, len(shape))) if a not in axes)
    if len(shape) != x.ndim or not kept:
        raise ValueError(
            f"{name}: the image has shape {list(x.shape)}, the result {list(shape)}, and the axes "
            f"{list(axes)} are scaled; the others keep their size"
        )
    if scale.shape != (len(axes),) or translation.shape != (len(axes),):
        raise ValueError(
            f"{name}: scale and translation have shapes {list(scale.shape)}, "
            f"{list(translation.shape)}; give a number for each of {len(axes)} axes"
        )
    for i, axis in enumerate(axes):
        weights = _weights(
            x.shape[axis], shape[axis], scale[i], translation[i], _KERNELS[method], antialias
        )
        x = _along(x, axis, weights)
    return x


def __dir__() -> list[str]:
    return list(__all__)
