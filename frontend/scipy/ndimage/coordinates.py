"""`map_coordinates`: values of an array between its elements, and beyond its edges."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import anvl.numpy as anp
from anvl.core.promote import as_tracer, promoted
from anvl.dispatch.eager import public
from anvl.runtime import hiding_frames

__all__ = ["map_coordinates"]

_MODES = (
    "constant", "grid-constant", "nearest", "mirror", "reflect", "grid-mirror", "wrap", "grid-wrap",
)  # fmt: skip


@hiding_frames
def map_coordinates(
    input: Any, coordinates: Sequence[Any], order: int, mode: str = "constant", cval: Any = 0.0
) -> Any:
    """Values of an array at coordinates that need not be integers.

    Parameters
    ----------
    input : array
    coordinates : array, or sequence of arrays
        One for each axis, which broadcast.
    order : {0, 1}
        The nearest element, or linear interpolation.
    mode : str
        Beyond the edges there are: cval, "constant" (also between the edge and the next element)
        and "grid-constant"; the last element, "nearest"; the mirror image at the centers of the
        last elements, "mirror", or at the edges, "reflect"; the array again, "grid-wrap", or again
        so that its first and last elements meet, "wrap".
    cval : number

    Returns
    -------
    Array of the shape of a coordinate, of the dtype of input; integers are rounded.

    Raises
    ------
    NotImplementedError
        Another order.
    ValueError
        Another mode; a number of coordinates that is not that of the axes; an empty axis.

    Notes
    -----
    Source: SciPy's manual, `scipy.ndimage.map_coordinates`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> x = np.asarray([[0.0, 1.0], [2.0, 3.0]])
    >>> print(ndimage.map_coordinates(x, [np.asarray(0.5), np.asarray(1.0)], 1))
    2.0
    """
    if order not in (0, 1):
        raise NotImplementedError(f"map_coordinates: order is {order!r}; there are 0 and 1")
    if mode not in _MODES:
        raise ValueError(
            f"map_coordinates: mode is {mode!r}; it must be one of {', '.join(map(repr, _MODES))}"
        )
    if not isinstance(coordinates, list | tuple):
        coordinates = tuple(coordinates)
    return _mapped(input, tuple(coordinates), cval, int(order), mode)


@public("order", "mode")
def _mapped(input: Any, coordinates: tuple[Any, ...], cval: Any, order: int, mode: str) -> Any:
    x = as_tracer(input, "map_coordinates")
    if len(coordinates) != x.ndim or x.ndim == 0 or 0 in x.shape:
        raise ValueError(
            f"map_coordinates: {len(coordinates)} coordinates for {x.aval}; give one for each axis "
            "of an array with elements"
        )
    places, _ = promoted("map_coordinates", coordinates, "float")
    (values, fill), _ = promoted("map_coordinates", (x, cval), "float", broadcast=False)
    inside: Any = True
    axes = []
    for size, place in zip(x.shape, places, strict=True):
        place, within = _brought_in(place, size, mode)
        inside = anp.logical_and(inside, within)
        axes.append(_neighbors(place, size, order, mode))
    total: Any = 0
    for chosen in itertools.product(*axes):
        element = values[tuple(index for index, _, _ in chosen)]
        weight: Any = 1.0
        for _, share, known in chosen:
            weight = anp.multiply(weight, share)
            element = anp.where(known, element, fill)
        total = anp.add(total, anp.multiply(element, weight))
    found = anp.where(inside, total, fill)
    if x.dtype.kind in "fc":
        return anp.astype(found, x.dtype)
    rounded = anp.where(anp.less(found, 0), anp.ceil(found - 0.5), anp.floor(found + 0.5))
    return anp.astype(rounded, x.dtype)


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


def _neighbors(place: Any, size: int, order: int, mode: str) -> list[tuple[Any, Any, Any]]:
    """Elements along an axis: their indices, their shares, whether they are in the array."""
    if order == 0:
        return [_with_share(anp.floor(place + 0.5), 1.0, size, mode)]
    low = anp.floor(place)
    share = anp.subtract(place, low)
    return [_with_share(low, 1 - share, size, mode), _with_share(low + 1, share, size, mode)]


def _with_share(node: Any, share: Any, size: int, mode: str) -> tuple[Any, Any, Any]:
    index, known = _index(node, size, mode)
    return index, share, known


def _index(node: Any, size: int, mode: str) -> tuple[Any, Any]:
    """The index of an integer coordinate, and whether there is an element."""
    node = anp.where(anp.isfinite(node), node, 0)
    node = anp.astype(anp.clip(node, -(2**30), 2**30), "int32")
    known: Any = True
    if mode in ("mirror", "reflect", "grid-mirror"):
        period = 2 * (size - 1) if mode == "mirror" else 2 * size
        node = anp.remainder(node, max(period, 1))
        node = anp.minimum(node, period - node - (mode != "mirror"))
    elif mode == "grid-wrap":
        node = anp.remainder(node, size)
    elif mode == "grid-constant":
        known = anp.logical_and(anp.greater_equal(node, 0), anp.less(node, size))
    return anp.clip(node, 0, size - 1), known
