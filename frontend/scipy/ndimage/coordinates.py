"""`map_coordinates`: values of an array between its elements, and beyond its edges."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl.core.promote import as_tracer, promoted
from anvl.dispatch.eager import public
from anvl.runtime import hiding_frames
from anvl.scipy.ndimage.splines import check_order, coefficients, weights_at

__all__ = ["MODES", "Interpolation", "check_mode", "map_coordinates"]

MODES = (
    "constant", "grid-constant", "nearest", "mirror", "reflect", "grid-mirror", "wrap", "grid-wrap",
)  # fmt: skip

# Elements before and behind an array whose spline is not continued by its own rule, as in SciPy.
_MARGIN = 12


class Interpolation(NamedTuple):
    """How values between elements are found, and beyond the edges."""

    order: int
    mode: str
    prefilter: bool

    @property
    def margin(self) -> int:
        """How many elements are put before and behind the array."""
        is_padded = self.mode in ("nearest", "grid-constant") and self.prefilter and self.order > 1
        return _MARGIN if is_padded else 0


def check_mode(function: str, mode: Any) -> str:
    """A mode.  Raises `ValueError` for another one."""
    if mode not in MODES:
        raise ValueError(
            f"{function}: mode is {mode!r}; it must be one of {', '.join(map(repr, MODES))}"
        )
    return str(mode)


@hiding_frames
def map_coordinates(
    input: Any,
    coordinates: Sequence[Any],
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Values of an array at coordinates that need not be integers.

    Parameters
    ----------
    input : array
    coordinates : array, or sequence of arrays
        One for each axis, which broadcast.
    order : int
        0 is the nearest element, 1 linear interpolation, and 2 to 5 a spline of this order.
    mode : str
        Beyond the edges there are: cval, "constant" (also between the edge and the next element)
        and "grid-constant"; the last element, "nearest"; the mirror image at the centers of the
        last elements, "mirror", or at the edges, "reflect"; the array again, "grid-wrap", or again
        so that its first and last elements meet, "wrap".
    cval : number
    prefilter : bool
        Whether input holds values; if not, it holds the coefficients that `spline_filter` gives.

    Returns
    -------
    Array of the shape of a coordinate, of the dtype of input; integers are rounded.

    Raises
    ------
    ValueError
        Another order or mode; a number of coordinates that is not that of the axes; an empty axis.

    Notes
    -----
    Source: SciPy's manual, `scipy.ndimage.map_coordinates`; the order of parameters is JAX's.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> x = np.asarray([[0.0, 1.0], [2.0, 3.0]])
    >>> print(ndimage.map_coordinates(x, [np.asarray(0.5), np.asarray(1.0)], 1))
    2.0
    """
    if not isinstance(coordinates, list | tuple):
        coordinates = tuple(coordinates)
    how = Interpolation(
        check_order("map_coordinates", order), check_mode("map_coordinates", mode), bool(prefilter)
    )
    return _mapped(input, tuple(coordinates), cval, how)


@public("how")
def _mapped(input: Any, coordinates: tuple[Any, ...], cval: Any, how: Interpolation) -> Any:
    x = as_tracer(input, "map_coordinates")
    if len(coordinates) != x.ndim or x.ndim == 0 or 0 in x.shape:
        raise ValueError(
            f"map_coordinates: {len(coordinates)} coordinates for {x.aval}; give one for each axis "
            "of an array with elements"
        )
    places, _ = promoted("map_coordinates", coordinates, "float")
    return as_input(at_places("map_coordinates", x, places, cval, how), x)


def at_places(function: str, x: Any, places: Sequence[Any], cval: Any, how: Interpolation) -> Any:
    """Values of the spline of the last axes of x at coordinates that broadcast, as floats."""
    (values, fill), _ = promoted(function, (x, cval), "float", broadcast=False)
    sizes = x.shape[x.ndim - len(places) :]
    values = prepared(values, fill, how, range(x.ndim - len(places), x.ndim))
    inside: Any = True
    axes = []
    for size, place in zip(sizes, places, strict=True):
        nodes, within = neighbors(place, size, how)
        inside = anp.logical_and(inside, within)
        axes.append(nodes)
    total: Any = 0
    for chosen in itertools.product(*axes):
        element = values[(..., *(node.index for node in chosen))]
        weight: Any = 1.0
        for node in chosen:
            weight = anp.multiply(weight, node.weight)
            element = anp.where(node.is_known, element, fill)
        total = anp.add(total, anp.multiply(element, weight))
    return anp.where(inside, total, fill)


def as_input(found: Any, x: Any) -> Any:
    """Values in the dtype of the input: integers are rounded, halves away from 0."""
    if x.dtype.kind in "fcV":
        return anp.astype(found, x.dtype)
    rounded = anp.where(anp.less(found, 0), anp.ceil(found - 0.5), anp.floor(found + 0.5))
    return anp.astype(rounded, x.dtype)


def prepared(values: Any, fill: Any, how: Interpolation, axes: Sequence[int]) -> Any:
    """The coefficients of an array, with a margin where its spline needs one."""
    if not how.prefilter or how.order < 2:
        return values
    if how.margin:
        widths = [(how.margin,) * 2 if a in axes else (0, 0) for a in range(values.ndim)]
        extra = {"constant_values": fill} if how.mode == "grid-constant" else {}
        values = anp.pad(values, widths, mode="constant" if extra else "edge", **extra)
    return coefficients(values, how.order, how.mode, axes)


class _Node(NamedTuple):
    """An element that has a part in a value: its index, its weight, whether it is in the array."""

    index: Any
    weight: Any
    is_known: Any


def neighbors(place: Any, size: int, how: Interpolation) -> tuple[list[_Node], Any]:
    """The nodes of a coordinate along an axis of so many elements, and whether it has a value."""
    place, within = _brought_in(place, size, how.mode)
    place, size = place + how.margin, size + 2 * how.margin
    if how.margin and how.mode == "nearest":
        place = anp.clip(place, 0, size - 1)
    if how.order == 0:
        if how.mode == "mirror":  # halves are rounded up in the array, so down in its image
            period = max(2 * (size - 1), 1)
            place = anp.remainder(place, period)
            place = anp.minimum(place, period - place)
        first, weights = anp.floor(place + 0.5), [1.0]
    else:
        first, weights = weights_at(place, how.order)
    mode = how.mode
    if mode in ("constant", "wrap"):  # the place is in the array, so few nodes are beyond an end
        mode = "mirror" if size < how.order + 2 else "mirrored once"
    first = _integer(first)
    nodes = [_Node(*_index(first + k, size, mode), w) for k, w in enumerate(weights)]
    return [_Node(index, w, known) for index, known, w in nodes], within


def _brought_in(place: Any, size: int, mode: str) -> tuple[Any, Any]:
    """A coordinate, in the period of "wrap", and whether it is one that has a value."""
    if mode == "constant":
        return place, anp.logical_and(anp.greater_equal(place, 0), anp.less_equal(place, size - 1))
    if mode == "wrap":
        period = max(size - 1, 1)
        below = place + period * (anp.trunc(-place / period) + 1)
        above = place - period * anp.trunc(place / period)
        place = anp.where(anp.less(place, 0), below, anp.where(place > period, above, place))
    return place, True


def _integer(node: Any) -> Any:
    """An integer coordinate as an integer: the nearest that has neighbors, 0 if it is infinite."""
    return anp.clip(anp.astype(node, "int32"), -(2**30), 2**30)


def _index(node: Any, size: int, mode: str) -> tuple[Any, Any]:
    """The index of an integer coordinate, and whether there is an element."""
    known: Any = True
    if mode in ("mirror", "reflect", "grid-mirror"):
        period = 2 * (size - 1) if mode == "mirror" else 2 * size
        node = anp.remainder(node, max(period, 1))
        node = anp.minimum(node, period - node - (mode != "mirror"))
    elif mode == "mirrored once":  # without a remainder
        node = anp.abs(node)
        node = anp.minimum(node, 2 * (size - 1) - node)
    elif mode == "grid-wrap":
        node = anp.remainder(node, size)
    elif mode == "grid-constant":
        known = anp.logical_and(anp.greater_equal(node, 0), anp.less(node, size))
    return anp.clip(node, 0, size - 1), known
