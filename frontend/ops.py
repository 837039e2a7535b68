"""`anvl.ops`: sums, products and extremes of segments, with the names and arguments of `jax.ops`.

>>> import anvl.numpy as np
>>> from anvl import ops
>>> print(ops.segment_sum(np.asarray([1.0, 2.0, 3.0]), np.asarray([0, 0, 2]), num_segments=4))
[3. 0. 3. 0.]
"""

from __future__ import annotations

from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import as_tracer
from anvl.core.ranges import integer_limits
from anvl.core.tracer import Tracer
from anvl.dialect.core.op import emit
from anvl.dialect.core.params.index_params import ScatterDims
from anvl.dialect.core.types import element_type, largest_float
from anvl.dispatch.eager import public
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_nn import SEGMENTS as _ENTRIES
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.functions.emitting import prim
from anvl.runtime import hiding_frames

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]


@hiding_frames
def segment_sum(
    data: Any,
    segment_ids: Any,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Any:
    """Sum rows by the number of their segment.

    Parameters
    ----------
    data : array of shape (n, ...)
    segment_ids : array of integers
        The segment of each row, in any order; rows with ids outside of [0, num_segments) are left
        out.  Of shape (n,), or of the first axes of data, whose elements then are the rows.
    num_segments : int, optional
        The number of segments; by default the largest id and 1, which needs concrete ids.
    indices_are_sorted, unique_indices : bool
        Promises of the caller, which change nothing here.
    bucket_size : None
        Not available.
    mode : {None, "drop", "fill", "clip", "promise_in_bounds"}
        What happens with ids outside: their rows are dropped; with "clip" they count as the first
        or the last id.

    Returns
    -------
    An array of shape (num_segments, ...) of the dtype of data; 0 for a segment without rows.

    Raises
    ------
    TypeError
        The ids are not integers, or traced without `num_segments`.
    ValueError
        The ids have another shape than the first axes of data, or an option is not available.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import ops
    >>> print(ops.segment_sum(np.asarray([1.0, 2.0, 3.0]), np.asarray([0, 1, 0])))
    [4. 2.]
    """
    return _segments("segment_sum", data, segment_ids, num_segments, bucket_size, mode)


@hiding_frames
def segment_prod(
    data: Any,
    segment_ids: Any,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Any:
    """Multiply rows by the number of their segment; 1 for a segment without rows.

    Parameters and errors as in `segment_sum`.

    >>> import anvl.numpy as np
    >>> from anvl import ops
    >>> print(ops.segment_prod(np.asarray([1.0, 2.0, 3.0]), np.asarray([0, 1, 0])))
    [3. 2.]
    """
    return _segments("segment_prod", data, segment_ids, num_segments, bucket_size, mode)


@hiding_frames
def segment_max(
    data: Any,
    segment_ids: Any,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Any:
    """Largest row elements by the number of the segment.

    -inf, or the least integer, for a segment without rows.  Parameters and errors as in
    `segment_sum`.

    >>> import anvl.numpy as np
    >>> from anvl import ops
    >>> print(ops.segment_max(np.asarray([1.0, 2.0, 3.0]), np.asarray([0, 1, 0])))
    [3. 2.]
    """
    return _segments("segment_max", data, segment_ids, num_segments, bucket_size, mode)


@hiding_frames
def segment_min(
    data: Any,
    segment_ids: Any,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Any:
    """Smallest row elements by the number of the segment.

    inf, or the largest integer, for a segment without rows.  Parameters and errors as in
    `segment_sum`.

    >>> import anvl.numpy as np
    >>> from anvl import ops
    >>> print(ops.segment_min(np.asarray([1.0, 2.0, 3.0]), np.asarray([0, 1, 0])))
    [1. 2.]
    """
    return _segments("segment_min", data, segment_ids, num_segments, bucket_size, mode)


def _segments(
    name: str, data: Any, ids: Any, count: int | None, bucket_size: Any, mode: Any
) -> Any:
    if bucket_size is not None:
        raise ValueError(f"{name}: bucket_size is {bucket_size}; it is not available, leave it out")
    if mode not in _MODES:
        raise ValueError(
            f"{name}: mode is {mode!r}; it must be one of {', '.join(map(repr, _MODES))}"
        )
    if count is None:
        count = _count(name, ids)
    count = int_of(count, "num_segments", name, least=0)
    return _combined(data, ids, count, name, mode == "clip")


_MODES = (None, "drop", "fill", "clip", "promise_in_bounds")


def _count(name: str, ids: Any) -> int:
    if isinstance(ids, Tracer):
        raise TypeError(f"{name}: segment_ids is traced; pass num_segments, as shapes are static")
    found = np.asarray(ids)
    return int(found.max()) + 1 if found.size else 0


@public("count", "name", "clips")
def _combined(data: Any, ids: Any, count: int, name: str, clips: bool) -> Any:
    rows, ids = as_tracer(data, name), as_tracer(ids, name)
    if integer_limits(ids.dtype) is None:
        raise TypeError(f"{name}: segment_ids are {ids.aval}; give integers")
    if ids.ndim < 1 or rows.shape[: ids.ndim] != ids.shape:
        raise ValueError(
            f"{name}: data has shape {list(rows.shape)}, segment_ids {list(ids.shape)}; "
            "give one id for each row"
        )
    rows = anp.reshape(rows, (ids.size, *rows.shape[ids.ndim :]))
    ids = anp.ravel(ids)
    if clips and count:
        ids = anp.where(ids < 0, 0, anp.where(ids < count, ids, count - 1))
    start = anp.full((count, *rows.shape[1:]), _neutral(name, rows.dtype), dtype=rows.dtype)
    if 0 in rows.shape or not count:
        return start
    dims = ScatterDims(
        update_window_dims=tuple(range(1, rows.ndim)),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        index_vector_dim=1,
    )
    return prim(
        "scatter", start, anp.reshape(_places(ids, count), (-1, 1)), rows,
        scatter_dimension_numbers=dims, update_computation=_BODIES[name],
        unique_indices=False, indices_are_sorted=False,
    )[0]  # fmt: skip


_BODIES = {
    "segment_sum": emit.add, "segment_prod": emit.mul, "segment_min": emit.minimum,
    "segment_max": emit.maximum,
}  # fmt: skip


def _places(ids: Any, count: int) -> Any:
    """Signed indices of 32 bits or more; those outside stay outside, where a scatter skips them."""
    if ids.dtype.kind == "i":
        return ids if ids.dtype.itemsize >= 4 else anp.astype(ids, "int32")
    inside = anp.less(ids, count)
    return anp.where(inside, anp.astype(anp.where(inside, ids, 0), "int32"), count)


def _neutral(name: str, dtype: np.dtype[Any]) -> Any:
    """What a segment without rows gets."""
    if name in ("segment_sum", "segment_prod"):
        return 0 if name == "segment_sum" else 1
    if dtype.kind == "b":
        return name == "segment_min"
    largest = largest_float(element_type(dtype))
    low, high = integer_limits(dtype) or (-largest, largest)
    return low if name == "segment_max" else high


_complete(__all__, globals(), _ENTRIES)


def __dir__() -> list[str]:
    return list(__all__)
