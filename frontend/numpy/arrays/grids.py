"""Grids and index builders: NumPy's names.

Sizes and slices are Python numbers, since they determine shapes.  Indices are of the default
integer dtype, i32.
Source: NumPy's manual, "Indexing routines" and "Array creation routines".
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from typing import Any

from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import constant, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import sizes_of
from anvl.numpy.arrays.creation import arange, asarray, iota, linspace
from anvl.numpy.arrays.shaping import broadcast_arrays, ravel, reshape, swapaxes, transpose
from anvl.numpy.arrays.stacking import concatenate, stack
from anvl.runtime import Array, hiding_frames

__all__ = [
    "c_", "index_exp", "indices", "meshgrid", "mgrid", "ogrid", "r_", "s_",
]  # fmt: skip


# -- grids -----------------------------------------------------------------------------------------


@public("dimensions", "dtype", "sparse")
def indices(dimensions: Sequence[int], dtype: Any = None, sparse: bool = False) -> Any:
    """The index of each element of an array of shape `dimensions`, along each of its axes.

    The result has one more axis, the first, which enumerates the axes; with `sparse` it is a tuple
    of arrays that broadcast.  The dtype is the default integer by default.
    Source: `numpy.indices`.

    >>> import anvl.numpy as np
    >>> print(np.indices((2, 2))[1])
    [[0 1]
     [0 1]]
    """
    shape = sizes_of(dimensions, "indices")
    of = default_dtype(int) if dtype is None else as_dtype(dtype)
    n = len(shape)
    if sparse:
        lines = [tuple(s if i == a else 1 for i in range(n)) for a, s in enumerate(shape)]
        return tuple(iota(line, a, of) for a, line in enumerate(lines))
    if not shape:
        return constant(0, of, (0,))
    return stack([iota(shape, a, of) for a in range(n)])


@public("indexing", n_apart=sys.maxsize)
def meshgrid(*xs: Any, indexing: str = "xy") -> Any:
    """Coordinate arrays of the grid spanned by vectors.

    `indexing` is "xy" (the first two axes exchanged, as in plots) or "ij".

    >>> import anvl.numpy as np
    >>> np.meshgrid(np.arange(2), np.arange(3), indexing="ij")[1]
    Array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing {indexing!r} is neither 'xy' nor 'ij'")
    n = len(xs)
    arrays = [asarray(x) if isinstance(x, builtins.list | tuple) else x for x in xs]
    spread = [reshape(ravel(x), (-1,) + (1,) * (n - 1 - i)) for i, x in enumerate(arrays)]
    grids = broadcast_arrays(*spread)
    return tuple(swapaxes(g, 0, 1) for g in grids) if indexing == "xy" and n > 1 else grids


def _line(name: str, item: slice) -> Any:
    """The numbers of a slice: start, start + step, ..., or, for a step of 5j, 5 of them."""
    start, stop, step = item.start, item.stop, item.step
    first = 0 if start is None else start
    if stop is None:
        raise TypeError(f"{name}: a slice needs a stop, got {item}")
    for number in (first, stop, step):
        if isinstance(number, Array | Tracer):
            raise TypeError(
                f"{name}: {number!r} in a slice must be a Python number: it decides the shape"
            )
    if isinstance(step, complex):
        return linspace(first, stop, int(builtins.abs(step)))
    return arange(first, stop, 1 if step is None else step)


class _Grid:
    """`mgrid[0:2, 0:3]`: a grid of coordinates; with a step of 5j, 5 points, the stop included."""

    __name__: str

    def __init__(self, name: str, sparse: bool, doc: str) -> None:
        self.__name__, self._sparse, self.__doc__ = name, sparse, doc

    @hiding_frames
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _line(self.__name__, key)
        items = key if isinstance(key, tuple) else (key,)
        if not builtins.all(isinstance(item, slice) for item in items):
            raise TypeError(f"{self.__name__}: takes slices of numbers, got {key!r}")
        return _grid_of(tuple(_line(self.__name__, item) for item in items), self._sparse)

    def __repr__(self) -> str:
        return f"<grids by slices: np.{self.__name__}[0:2, 0:3]>"


@public("sparse")
def _grid_of(lines: tuple[Any, ...], sparse: bool) -> Any:
    operands, _ = promoted("mgrid", lines, broadcast=False)
    n = len(operands)
    spread = [
        reshape(x, tuple(x.size if i == a else 1 for i in range(n))) for a, x in enumerate(operands)
    ]
    return tuple(spread) if sparse else stack(broadcast_arrays(*spread))


mgrid: _Grid = _Grid(
    "mgrid",
    False,
    """Coordinates of the points of a grid, of a slice for each axis, as an array: see `ogrid`.

    Source: `numpy.mgrid`.

    >>> import anvl.numpy as np
    >>> print(np.mgrid[0:2, 0:2][0])
    [[0 0]
     [1 1]]
    """,
)
ogrid: _Grid = _Grid(
    "ogrid",
    True,
    """Coordinates of the points of a grid, of a slice for each axis, as arrays that broadcast.

    A slice is `start:stop:step`, or with an imaginary step `start:stop:5j`: 5 points, with the
    stop.  Raises `TypeError` for traced numbers, which would decide the shape.
    Source: `numpy.ogrid`.

    >>> import anvl.numpy as np
    >>> [x.shape for x in np.ogrid[0:2, 0:1:5j]]
    [(2, 1), (1, 5)]
    """,
)


class _Joined:
    """`r_[1:4, 0, x]`: slices, numbers and arrays joined along an axis."""

    __name__: str

    def __init__(self, name: str, axis: int, ndmin: int, first: int, doc: str) -> None:
        self.__name__, self.__doc__ = name, doc
        self._layout = (axis, ndmin, first)

    @hiding_frames
    def __getitem__(self, key: Any) -> Any:
        items = list(key) if isinstance(key, tuple) else [key]
        layout = self._layout
        if items and isinstance(items[0], str):
            layout = self._directive(items.pop(0))
        parts = [_line(self.__name__, x) if isinstance(x, slice) else x for x in items]
        if not parts:
            raise ValueError(f"{self.__name__}: there is nothing to join")
        return _joined(tuple(asarray(x) if isinstance(x, list) else x for x in parts), layout)

    def _directive(self, text: str) -> tuple[int, int, int]:
        """`"axis"`, `"axis,ndmin"` or `"axis,ndmin,first"`, with our own for those left out."""
        try:
            given = [int(number) for number in text.split(",")]
        except ValueError:
            given = []
        if not 1 <= len(given) <= 3:
            raise ValueError(
                f"{self.__name__}: {text!r} is no directive; write '0,2', the axis and the number "
                "of axes (there are no matrices, 'r' and 'c')"
            )
        axis, ndmin, first = (*given, *self._layout[len(given) :])
        return axis, ndmin, first

    def __repr__(self) -> str:
        return f"<joining by an index: np.{self.__name__}[1:4, 0, x]>"


@public("layout")
def _joined(parts: tuple[Any, ...], layout: tuple[int, int, int]) -> Any:
    axis, ndmin, first = layout
    operands, _ = promoted("r_", parts, broadcast=False)
    return concatenate([_raised(x, ndmin, first) for x in operands], axis)


def _raised(x: Tracer, ndmin: int, first: int) -> Any:
    """x with at least `ndmin` axes; its own begin at position `first` of these."""
    missing = builtins.max(builtins.max(ndmin, 1) - x.ndim, 0)
    wide = reshape(x, (1,) * missing + x.shape)
    if not missing or first == -1 or not x.ndim:
        return wide
    at = first + missing + 1 if first < 0 else first
    own = tuple(range(missing, wide.ndim))
    added = list(range(missing))
    return transpose(wide, (*added[:at], *own, *added[at:]))


r_: _Joined = _Joined(
    "r_",
    0,
    1,
    -1,
    """Join slices, numbers and arrays along the first axis, by an index: `r_[1:4, 0, x]`.

    A slice is one of `ogrid`; a first item `"0,2"` names the axis and the number of axes.
    Raises `ValueError` for another directive.  Source: `numpy.r_`.

    >>> import anvl.numpy as np
    >>> print(np.r_[1:4, 0, np.asarray([7, 8])])
    [1 2 3 0 7 8]
    """,
)
c_: _Joined = _Joined(
    "c_",
    -1,
    2,
    0,
    """Join vectors as columns, by an index: `c_[x, y]`, which is `r_["-1,2,0", x, y]`.

    Source: `numpy.c_`.

    >>> import anvl.numpy as np
    >>> print(np.c_[np.asarray([1, 2]), np.asarray([3, 4])])
    [[1 3]
     [2 4]]
    """,
)


class _Slices:
    """`s_[1:4, ...]`: the index itself."""

    __name__: str

    def __init__(self, name: str, always_tuple: bool, doc: str) -> None:
        self.__name__, self._always_tuple, self.__doc__ = name, always_tuple, doc

    def __getitem__(self, key: Any) -> Any:
        return (key,) if self._always_tuple and not isinstance(key, tuple) else key

    def __repr__(self) -> str:
        return f"<an index as a value: np.{self.__name__}[1:4, ...]>"


s_: _Slices = _Slices(
    "s_",
    False,
    """An index as a value: `x[np.s_[1:4, 0]]` is `x[1:4, 0]`.  Source: `numpy.s_`.

    >>> import anvl.numpy as np
    >>> np.s_[1:4, 0]
    (slice(1, 4, None), 0)
    """,
)
index_exp: _Slices = _Slices(
    "index_exp",
    True,
    """An index as a tuple: as `s_`, for a single item too.  Source: `numpy.index_exp`.

    >>> import anvl.numpy as np
    >>> np.index_exp[1:4]
    (slice(1, 4, None),)
    """,
)
