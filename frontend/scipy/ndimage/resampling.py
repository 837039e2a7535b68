"""Arrays moved, scaled, turned and mapped by a matrix: values of their splines at other places."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import as_tracer, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import each_axis, sizes_of
from anvl.runtime import hiding_frames
from anvl.scipy.ndimage.coordinates import (
    Interpolation,
    as_input,
    at_places,
    check_mode,
    neighbors,
    prepared,
)
from anvl.scipy.ndimage.splines import check_order
from anvl.transforms.vmap import vmap

__all__ = ["affine_transform", "geometric_transform", "rotate", "shift", "zoom"]


def _how(function: str, order: Any, mode: Any, prefilter: Any, output: Any) -> Interpolation:
    if output is not None:
        raise ValueError(f"{function}: output is {output!r}; arrays are not written to")
    return Interpolation(check_order(function, order), check_mode(function, mode), bool(prefilter))


def _for_each_axis(function: str, name: str, value: Any, rank: int) -> tuple[Any, ...]:
    """A value for each axis, of one or of as many."""
    if np.ndim(value) == 0:
        return (value,) * rank
    if len(value) != rank:
        raise ValueError(
            f"{function}: {name} has {len(value)} values for {rank} axes; give one for each, or one"
        )
    return tuple(value[i] for i in range(rank))


def _sizes(function: str, input: Any, shape: Sequence[int] | None) -> tuple[int, ...]:
    """The shape of a result: by default that of the input."""
    return sizes_of(np.shape(input) if shape is None else shape, function)


@hiding_frames
def shift(
    input: Any,
    shift: Any,
    output: None = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Move an array along its axes, also by parts of an element.

    Raises
    ------
    ValueError
        As `map_coordinates`; shifts of another number than the axes.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.shift(np.asarray([1.0, 2.0, 4.0]), 0.5, order=1))
    [0.  1.5 3. ]
    """
    how = _how("shift", order, mode, prefilter, output)
    return _moved(input, _for_each_axis("shift", "shift", shift, np.ndim(input)), cval, how)


@public("how")
def _moved(input: Any, by: tuple[Any, ...], cval: Any, how: Interpolation) -> Any:
    x = as_tracer(input, "shift")
    places = [anp.subtract(_counted(x, n), step) for n, step in zip(x.shape, by, strict=True)]
    return _along_axes("shift", x, places, cval, how)


def _counted(x: Any, n: int) -> Any:
    """0, 1, ... as coordinates: in f64 if x is."""
    return anp.arange(n, dtype="float64" if x.dtype in (np.dtype("f8"), np.dtype("c16")) else "f4")


def _along_axes(function: str, x: Any, places: Sequence[Any], cval: Any, how: Interpolation) -> Any:
    """The spline of x where each coordinate is that of one axis: axis by axis."""
    if 0 in x.shape or not x.ndim:
        raise ValueError(f"{function}: input is {x.aval}; give an array with elements and axes")
    (values, fill), _ = promoted(function, (x, cval), "float", broadcast=False)
    values = prepared(values, fill, how, range(x.ndim))
    values = anp.subtract(values, fill)  # the weights add up to 1; what is not there becomes 0
    inside: Any = True
    for axis, (place, size) in enumerate(zip(places, x.shape, strict=True)):
        nodes, within = neighbors(place, size, how)
        shape = tuple(-1 if i == axis else 1 for i in range(x.ndim))
        total: Any = 0
        for node in nodes:
            weight = anp.where(node.is_known, node.weight, 0.0)
            weight = anp.broadcast_to(anp.astype(weight, fill.dtype), place.shape)
            part = anp.take(values, node.index, axis)
            total = anp.add(total, anp.multiply(part, anp.reshape(weight, shape)))
        values = total
        within = anp.broadcast_to(within, place.shape)
        inside = anp.logical_and(inside, anp.reshape(within, shape))
    return as_input(anp.add(anp.where(inside, values, 0.0), fill), x)


@hiding_frames
def zoom(
    input: Any,
    zoom: Any,
    output: None = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Any:
    """Scale an array along its axes.

    Raises
    ------
    ValueError
        As `map_coordinates`; factors of another number than the axes, or that leave no elements.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.zoom(np.asarray([1.0, 2.0, 4.0]), 5 / 3, order=1))
    [1.  1.5 2.  3.  4. ]
    """
    how = _how("zoom", order, mode, prefilter, output)
    factors = _for_each_axis("zoom", "zoom", zoom, np.ndim(input))
    if any(isinstance(f, Tracer) for f in factors):
        raise ValueError("zoom: a factor is traced; give numbers, since they decide the shape")
    sizes = tuple(round(n * float(f)) for n, f in zip(np.shape(input), factors, strict=True))
    if any(n < 1 for n in sizes):
        raise ValueError(f"zoom: factors {factors} give the shape {sizes}; give larger ones")
    return _scaled(input, cval, sizes, how, bool(grid_mode))


@public("sizes", "how", "grid_mode")
def _scaled(
    input: Any, cval: Any, sizes: tuple[int, ...], how: Interpolation, grid_mode: bool
) -> Any:
    x = as_tracer(input, "zoom")
    places = []
    for n, size in zip(x.shape, sizes, strict=True):
        place = np.arange(size, dtype=np.float64)
        if grid_mode:
            place = (place + 0.5) * (n / size) - 0.5
        elif size > 1:
            place *= (n - 1) / (size - 1)
        places.append(anp.asarray(place, _counted(x, 1).dtype))
    return _along_axes("zoom", x, places, cval, how)


@hiding_frames
def geometric_transform(
    input: Any,
    mapping: Callable[..., Any],
    output_shape: Sequence[int] | None = None,
    output: None = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    extra_arguments: tuple[Any, ...] = (),
    extra_keywords: Mapping[str, Any] | None = None,
) -> Any:
    """Map an array by a function: the result at o is the input at mapping(o).

    Raises
    ------
    ValueError
        As `map_coordinates`; a mapping to another number of coordinates than input has axes.
    TypeError
        A mapping that is not callable.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> x = np.arange(1, 5, dtype="f32").reshape(2, 2)
    >>> print(ndimage.geometric_transform(x, lambda o: (o[1], o[0]), order=1))
    [[1. 3.]
     [2. 4.]]
    """
    how = _how("geometric_transform", order, mode, prefilter, output)
    if not callable(mapping):
        raise TypeError(f"geometric_transform: mapping is {mapping!r}; give a function")
    sizes = _sizes("geometric_transform", input, output_shape)
    more = extra_keywords or {}
    places = _places(lambda *o: tuple(mapping(o, *extra_arguments, **more)), sizes, input)
    return _at_mapped(input, places, cval, sizes, how)


def _places(mapping: Callable[..., Any], sizes: tuple[int, ...], input: Any) -> tuple[Any, ...]:
    """The coordinates, in a row, that the elements of a result of these sizes are mapped to."""
    dtype = _counted(anp.asarray(input), 1).dtype
    grid = [anp.ravel(line) for line in anp.indices(sizes, dtype)]
    return tuple(vmap(mapping)(*grid) if grid and 0 not in sizes else grid)


@public("sizes", "how")
def _at_mapped(
    input: Any, places: tuple[Any, ...], cval: Any, sizes: tuple[int, ...], how: Interpolation
) -> Any:
    name = "geometric_transform"
    x = as_tracer(input, name)
    if len(places) != x.ndim or not x.ndim or 0 in x.shape:
        raise ValueError(
            f"{name}: the mapping gives {len(places)} coordinates for {x.aval}; give one for each "
            "axis of an array with elements"
        )
    given, _ = promoted(name, places, "float")
    return as_input(at_places(name, x, [anp.reshape(p, sizes) for p in given], cval, how), x)


@hiding_frames
def affine_transform(
    input: Any,
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Sequence[int] | None = None,
    output: None = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Map an array by a matrix: the result at o is the input at matrix @ o + offset.

    Raises
    ------
    ValueError
        As `map_coordinates`; a matrix of another shape.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> x = np.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> print(ndimage.affine_transform(x, np.asarray([[0.0, 1.0], [1.0, 0.0]]), order=1))
    [[1. 3.]
     [2. 4.]]
    """
    how = _how("affine_transform", order, mode, prefilter, output)
    sizes = _sizes("affine_transform", input, output_shape)
    each = _for_each_axis("affine_transform", "offset", offset, np.ndim(input))
    return _transformed(input, matrix, each, cval, sizes, how)


@public("sizes", "how")
def _transformed(
    input: Any, matrix: Any, offset: tuple[Any, ...], cval: Any, sizes: tuple[int, ...],
    how: Interpolation,
) -> Any:  # fmt: skip
    x, m = as_tracer(input, "affine_transform"), as_tracer(matrix, "affine_transform")
    n = x.ndim
    if m.shape == (n,) and len(sizes) == n:
        places = [
            anp.add(anp.multiply(_counted(x, size), m[i]), offset[i])
            for i, size in enumerate(sizes)
        ]
        return _along_axes("affine_transform", x, places, cval, how)
    if m.shape in ((n, n + 1), (n + 1, n + 1)):
        offset, m = tuple(m[i, n] for i in range(n)), m[:n, :n]
    if m.shape != (n, len(sizes)) or not n or 0 in x.shape:
        raise ValueError(
            f"affine_transform: the matrix is {m.aval} for input {x.aval} and output shape "
            f"{sizes}; give one of shape {(n, len(sizes))}, or {(n, n + 1)} with the offset"
        )
    return as_input(_by_matrix("affine_transform", x, m, offset, sizes, cval, how), x)


def _by_matrix(
    function: str, x: Any, m: Any, offset: Sequence[Any], sizes: tuple[int, ...], cval: Any,
    how: Interpolation,
) -> Any:  # fmt: skip
    """Values at matrix @ o + offset, for the last axes of x."""
    places = []
    for i, start in enumerate(offset):
        place: Any = start
        for j, size in enumerate(sizes):
            line = anp.reshape(
                _counted(x, size), tuple(-1 if k == j else 1 for k in range(len(sizes)))
            )
            place = anp.add(place, anp.multiply(line, m[i, j]))
        places.append(anp.broadcast_to(place, sizes))
    return at_places(function, x, places, cval, how)


@hiding_frames
def rotate(
    input: Any,
    angle: Any,
    axes: tuple[int, int] = (1, 0),
    reshape: bool = True,
    output: None = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Turn an array in the plane of two axes.

    Raises
    ------
    ValueError
        As `map_coordinates`; axes that are not two; a traced angle with `reshape`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(ndimage.rotate(np.asarray([[1.0, 2.0], [3.0, 4.0]]), 90, order=1))
    [[2. 4.]
     [1. 3.]]
    """
    how = _how("rotate", order, mode, prefilter, output)
    plane = _plane(axes, np.ndim(input))
    if isinstance(angle, Tracer):
        if reshape:
            raise ValueError(
                "rotate: angle is traced, and decides the shape of the result; give reshape=False"
            )
        turn = anp.deg2rad(angle)
        cosine, sine = anp.cos(turn), anp.sin(turn)
    else:
        cosine, sine = _exact(float(angle))
    height, width = (np.shape(input)[a] for a in plane)
    sizes = _size_of_turned(cosine, sine, height, width) if reshape else (height, width)
    return _turned(input, cosine, sine, cval, plane, sizes, how)


def _plane(axes: Any, rank: int) -> tuple[int, int]:
    plane = sorted(each_axis(tuple(axes), rank, "rotate"))
    if len(plane) != 2:
        raise ValueError(f"rotate: axes are {axes}; give two")
    return plane[0], plane[1]


def _size_of_turned(cosine: float, sine: float, height: int, width: int) -> tuple[int, ...]:
    """The sizes of a plane that holds all of a plane of these sizes after it is turned."""
    corners = np.array([[0, 0, height, height], [0, width, 0, width]])
    turned = np.array([[cosine, sine], [-sine, cosine]]) @ corners
    return tuple(int(n) for n in np.ptp(turned, axis=1) + 0.5)


def _exact(angle: float) -> tuple[float, float]:
    """Cosine and sine of degrees, exact at right angles."""
    quarter = round(angle / 90)
    rest = math.radians(math.fmod(angle, 360) - 90 * round(math.fmod(angle, 360) / 90))
    if angle == 90 * quarter:
        rest = 0.0
    c, s = math.cos(rest), math.sin(rest)
    turned = [(c, s), (-s, c), (-c, -s), (s, -c)]
    return turned[round(math.fmod(angle, 360) / 90) % 4]


@public("plane", "sizes", "how")
def _turned(
    input: Any, cosine: Any, sine: Any, cval: Any, plane: tuple[int, int], sizes: tuple[int, ...],
    how: Interpolation,
) -> Any:  # fmt: skip
    x = as_tracer(input, "rotate")
    if 0 in x.shape:
        raise ValueError(f"rotate: input is {x.aval}; give an array with elements")
    planes = anp.moveaxis(x, plane, (-2, -1))
    m = {(0, 0): cosine, (0, 1): sine, (1, 0): -sine, (1, 1): cosine}  # numbers stay numbers
    out_center = [(n - 1) / 2 for n in sizes]
    offset = [
        (planes.shape[i - 2] - 1) / 2 - (m[i, 0] * out_center[0] + m[i, 1] * out_center[1])
        for i in range(2)
    ]
    found = _by_matrix("rotate", planes, m, offset, sizes, cval, how)
    return as_input(anp.moveaxis(found, (-2, -1), plane), x)
