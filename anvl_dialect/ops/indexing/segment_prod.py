"""Products over rows with equal keys, for the derivative of a scatter that multiplies.

The rows are sorted by key; then the products of all preceding and of all following rows of the same
run are computed by doubling (Hillis and Steele, "Data parallel algorithms", 1986, section "scan").
Nothing is divided, so zeros are exact, to every order.
"""

import math
from typing import Any

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.shape import permuted, reshaped
from anvl.dialect.core.types import tensor
from anvl.dialect.ops.elementwise.elementary import and_, or_
from anvl.dialect.ops.indexing.indices import scatter_axes, window_axes
from anvl.dialect.ops.indexing.scatter_windows import ScatterPositions, counted, cut

__all__ = ["products_of_others"]


def products_of_others(positions: ScatterPositions, x: Any, u: Value) -> Value:
    """For each update in u, the product of the other updates of the same element of x."""
    if 0 in u.type.shape:
        return u
    dims = positions.scatter_dimension_numbers
    axes = scatter_axes(u.type.rank, dims)
    order = (*axes, *dims.update_window_dims)
    sizes = [u.type.shape[a] for a in order]
    count = math.prod(sizes[: len(axes)] if _alike_or_apart(x, u.type, dims) else sizes)
    shape = (count, math.prod(sizes) // count)
    # Updates out of bounds, at element 0, become zeros, so that their product is not infinite.
    elements, met = positions.gather(counted(x.shape), u.type), positions.where_met(x, u)
    elements, met = (reshaped(permuted(v, order), shape) for v in (elements, met))
    found = _of_rows(reshaped(cut(elements, {1: 0}), (count,)), met)
    back = tuple(order.index(a) for a in range(len(order)))
    return permuted(reshaped(found, sizes), back)


def _alike_or_apart(x: Any, u: Any, dims: ScatterDims) -> bool:
    """Whether any two windows are equal or disjoint, so that one element identifies them."""
    spans = zip(window_axes(x.rank, dims), dims.update_window_dims, strict=True)
    indexed = dims.scatter_dims_to_operand_dims
    return all(u.shape[of_u] in (1, x.shape[a]) or a not in indexed for a, of_u in spans)


def _of_rows(keys: Value, rows: Value) -> Value:
    """For each row the product of the other rows with its key; keys are non-negative."""
    place = _ranks(keys)
    sorted_keys, sorted_rows = _sorted(keys, place), _sorted(rows, place)
    before = _before(sorted_keys, sorted_rows)
    behind = _flipped(_before(_flipped(sorted_keys), _flipped(sorted_rows)))
    return _unsorted(emit.mul(before, behind), place)


def _ranks(keys: Value) -> Value:
    """Rank of each key in a stable sort.

    It counts smaller keys: n * n comparisons, which XLA fuses without an array (10 000 keys: 0.4 s
    on one core).  An op that sorts would take n log n.
    """
    (count,) = keys.type.shape
    square = (count, count)
    mine = emit.broadcast_in_dim(keys, shape=square, broadcast_dimensions=(0,))
    other = emit.broadcast_in_dim(keys, shape=square, broadcast_dimensions=(1,))
    row = emit.iota(iota_dimension=0, shape=square, dtype="i32")
    column = emit.iota(iota_dimension=1, shape=square, dtype="i32")
    less = emit.compare(other, mine, comparison_direction="LT")
    tie = emit.compare(other, mine, comparison_direction="EQ")
    first = emit.compare(column, row, comparison_direction="LT")
    ahead = or_(less, and_(tie, first))
    return emit.sum(emit.select(ahead, full_like(row, 1), zeros_like(row)), axes=(1,))


def _dims(x: Value) -> tuple[Any, ...]:
    """Dimension numbers of a gather or scatter of whole rows."""
    return tuple(range(1, x.type.rank)), (0,), (), (), (0,), 1


def _sorted(x: Value, place: Value) -> Value:
    return emit.scatter(
        zeros_like(x),
        place,
        x,
        scatter_dimension_numbers=ScatterDims(*_dims(x)),
        unique_indices=True,
        update_computation=lambda _, new: new,
    )[0]


def _unsorted(x: Value, place: Value) -> Value:
    return emit.gather(
        x,
        place,
        dimension_numbers=GatherDims(*_dims(x)),
        slice_sizes=(1, *x.type.shape[1:]),
    )


def _flipped(x: Value) -> Value:
    return emit.reverse(x, dimensions=(0,))


def _before(keys: Value, rows: Value) -> Value:
    """For each row, the product of the preceding rows of its run."""
    y = _where_same_run(keys, 1, rows)
    distance = 1
    while distance < keys.type.shape[0] - 1:
        y = emit.mul(y, _where_same_run(keys, distance, y))
        distance *= 2
    return y


def _where_same_run(keys: Value, distance: int, rows: Value) -> Value:
    """The row `distance` before each row, if it is in the same run; else 1."""
    same = emit.compare(keys, _moved(keys, distance, -1), comparison_direction="EQ")
    whole = emit.broadcast_in_dim(same, shape=tuple(rows.type.shape), broadcast_dimensions=(0,))
    return emit.select(whole, _moved(rows, distance, 1), full_like(rows, 1))


def _moved(x: Value, distance: int, fill: int) -> Value:
    """Shift the rows by `distance`."""
    none = (0,) * (x.type.rank - 1)
    return emit.pad(
        x,
        full(tensor([], x.type.element_type), fill),
        edge_padding_low=(distance, *none),
        edge_padding_high=(-distance, *none),
        interior_padding=(0,) * x.type.rank,
    )
