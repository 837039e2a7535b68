"""`ragged_dot`: contractions of groups of rows, each with its group's matrix.

All rules work on names of axes: see Note [Names of axes].
Source: StableHLO, CHLO `ragged_dot` (its verifier and `chlo-legalize-to-stablehlo`).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.families import add_tangents, check_axes, check_kind, with_batch_axis
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import DotDims, Precision
from anvl.dialect.core.params.ragged_params import RaggedDimensions, RaggedDims
from anvl.dialect.core.shape import permuted
from anvl.dialect.core.types import dtype_name, kind, numpy_dtype, shape_text, tensor
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.linalg.contract import DotGeneralOp, check_contraction

__all__ = ["RaggedDotOp"]

# Note [Names of axes]
#
# An axis of x is named by its number, and so is the axis of y that is batched or contracted with
# it; the other axes of y come after.  One more name, `_GROUP`, stands for the groups.  A ragged
# contraction then is a sum over the names missing in the result, of products of elements of x and y
# whose row is in their group.  Either y has the groups, and each row meets its own (`m` is ragged:
# x[b, m, k] y[g, b, k, n] -> z[b, m, n]); or the result has them, and each is the sum over its rows
# (`k` is ragged: x[b, m, k] y[b, k, n] -> z[g, b, m, n]).  The cotangent of any operand is such a
# contraction of the other two arrays, of one kind or the other: `_contracted` emits it from names.
# With a ragged axis that is batched, groups make no difference.

_GROUP = -1
_BATCH = -2  # the axis that vmap adds


class _Names(NamedTuple):
    """Names of the axes of operands and result; `ragged` is the axis that groups divide."""

    x: tuple[int, ...]
    y: tuple[int, ...]
    sizes: tuple[int, ...]
    z: tuple[int, ...]
    ragged: int


class RaggedDotOp(AnvlOp, name="ragged_dot"):
    """Contract groups of rows, contiguous along the ragged axis of `x`.  CHLO `ragged_dot`.

    `group_sizes`, `[g]`, is the number of rows of each group; or `[.., g]`, with the batching axes
    of `x` and those before the ragged axis of its kind.  If the ragged axis is free, `y` has a
    group axis and each row of `x` meets its own group: `[m, k] [g, k, n] -> [m, n]`, zeros in rows
    of no group.  If it is contracted, each group is contracted separately:
    `[m, k] [k, n] -> [g, m, n]`.  If it is batched, this is `dot_general`, whatever the groups.  A
    negative size counts as 0; infinities and NaN stay in their group.  The work is that of `g`
    groups of all rows.
    """

    x: Operand
    y: Operand
    group_sizes: Operand
    ragged_dot_dimension_numbers: RaggedDimensions
    precision_config: Precision
    z: Result
    kinds = "bool int uint float complex"
    lifts = "chlo.ragged_dot"

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        if set(op.attributes) - cls.attribute_params.keys():
            return None
        (x, y, sizes), attributes = op.operands, op.attributes
        dims = RaggedDimensions.decode(attributes["ragged_dot_dimension_numbers"])
        try:
            precision = _precision_of(op)
            found = cls.result_type(x.type, y.type, sizes.type, dims, precision)
        except TypeError:  # CHLO accepts differing operands, results and precisions
            return None
        params = {"ragged_dot_dimension_numbers": dims, "precision_config": precision}
        return ((x, y, sizes), params) if found == op.results[0].type else None

    @classmethod
    def work(cls, op: ir.Operation) -> int:
        (x, y, sizes), dims = op.operands, cls.read(op)["ragged_dot_dimension_numbers"]
        names = _named(dims, x.type.rank, y.type.rank, sizes.type.rank)
        size = _sizes_of(names, x.type, y.type, sizes.type)
        met = {*names.x, *names.y, *names.z}
        return 2 * math.prod(n for name, n in size.items() if name in met)

    @classmethod
    def result_type(
        cls, x: Any, y: Any, group_sizes: Any, ragged_dot_dimension_numbers: RaggedDims,
        precision_config: str = "DEFAULT",
    ) -> Any:  # fmt: skip
        dims = ragged_dot_dimension_numbers
        check_kind("ragged_dot", x, cls.kinds)
        check_contraction("ragged_dot", x, y, DotDims(*dims[:4]))
        if kind(group_sizes.element_type) not in ("int", "uint") or not group_sizes.rank:
            raise TypeError(
                f"ragged_dot: group_sizes is {group_sizes}; it must be an array of integers"
            )
        _check_ragged(x, dims)
        _check_groups(y, group_sizes, dims)
        names = _named(dims, x.rank, y.rank, group_sizes.rank)
        _check_sizes(x, group_sizes, names)
        size = _sizes_of(names, x, y, group_sizes)
        return tensor([size[name] for name in names.z], x.element_type)

    @classmethod
    def lower(
        cls, hlo: Any, x: Value, y: Value, group_sizes: Value,
        ragged_dot_dimension_numbers: RaggedDims, precision_config: str = "DEFAULT",
    ) -> Value:  # fmt: skip
        dims = ragged_dot_dimension_numbers
        names = _named(dims, x.type.rank, y.type.rank, group_sizes.type.rank)
        numbers = DotDims(*dims[:4])
        if not _has_groups(names):
            return emit.dot_general(
                x, y, dot_dimension_numbers=numbers, precision_config=precision_config
            )
        size = _sizes_of(names, x.type, y.type, group_sizes.type)
        mask = _mask(group_sizes, size[names.ragged])
        apart = _rows_apart if _GROUP in names.y else _groups_apart
        return apart(x, y, mask, names, size, numbers, precision_config)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], z: Value, **params: Any
    ) -> Value | None:
        (tx, ty, _), (x, y, sizes) = ts, xs
        return add_tangents(
            [
                None if tx is None else cls.build(tx, y, sizes, **params),
                None if ty is None else cls.build(x, ty, sizes, **params),
            ]
        )

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], z: Value, ragged_dot_dimension_numbers: RaggedDims,
        precision_config: str = "DEFAULT",
    ) -> Sequence[Any]:  # fmt: skip
        (x, y, sizes), dims = xs, ragged_dot_dimension_numbers
        names = _named(dims, x.type.rank, y.type.rank, sizes.type.rank)
        if not _has_groups(names):
            numbers = DotDims(*dims[:4])
            params = {"precision_config": precision_config}
            return [*DotGeneralOp.adjoint(g, (x, y), z, numbers, **params), None]
        # The array with rows comes first, the one with groups second.
        (first, of_first), (second, of_second) = (y, names.y), (g, names.z)
        if _GROUP in names.y:
            (first, of_first), (second, of_second) = (g, names.z), (y, names.y)
        of_x = names._replace(x=of_first, y=of_second, z=names.x)
        of_y = names._replace(y=names.z, z=names.y)
        return [
            lambda: _contracted(first, second, sizes, of_x, precision_config),
            lambda: _contracted(x, g, sizes, of_y, precision_config),
            None,
        ]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool],
        ragged_dot_dimension_numbers: RaggedDims, precision_config: str = "DEFAULT",
    ) -> Value:  # fmt: skip
        ranks = [x.type.rank - b for x, b in zip(xs, batched, strict=True)]
        names = _named(ragged_dot_dimension_numbers, *ranks)
        if batched[2] or not _has_groups(names):
            # Each member has its own groups: batch over the axis.
            xs, batched = with_batch_axis(xs, batched), (True, True, True)
        (x, y, sizes), of = xs, (names.x, names.y, names.sizes, names.z)
        of_all = ((_BATCH, *n) if b else n for n, b in zip(of, (*batched, True), strict=True))
        of_x, of_y, of_sizes, of_z = of_all
        more = _Names(of_x, of_y, of_sizes, of_z, names.ragged)
        return _contracted(x, y, sizes, more, precision_config)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def numbers(*dims: tuple[int, ...]) -> dict[str, Any]:
            return {"ragged_dot_dimension_numbers": RaggedDims(*dims)}

        def sizes(*counts: Any, dtype: str = "i32") -> "np.ndarray":
            return np.array(counts, numpy_dtype(dtype))

        rows = numbers((), (), (1,), (1,), (0,), (0,))
        summed = numbers((), (), (0,), (0,), (0,))
        return draw.calls(
            ([draw.floats(5, 2), draw.floats(3, 2, 4), sizes(2, 0, 2)], rows),
            ([draw.floats(5, 2), draw.floats(2, 2, 1), sizes(4, 9, dtype="ui8")], rows),
            ([draw.floats(0, 2), draw.floats(2, 2, 1), sizes(0, 1)], rows),
            ([draw.floats(2, 2), draw.floats(0, 2, 1), sizes(dtype="i64")], rows),
            # Axes out of order, and sizes for each axis before the ragged one.
            ([draw.floats(2, 3, 2), draw.floats(2, 2, 2, 3), sizes([1, 2], [3, 1])],
             numbers((2,), (1,), (0,), (0,), (1,), (2,))),
            ([draw.floats(2, 3, 2), draw.floats(2, 2), sizes([1, 2], [3, 1])],
             numbers((), (), (2,), (1,), (1,), (0,))),
            ([draw.floats(5, 2), draw.floats(5, 3), sizes(2, 0, 2, dtype="i64")], summed),
            ([draw.floats(2, 0), draw.floats(0, 3), sizes(1, 1)],
             numbers((), (), (1,), (0,), (1,))),
            ([draw.floats(2, 2, 3, 2), draw.floats(3, 2, 2, 1),
              sizes([[1, 2], [3, 1]], [[0, 3]] * 2)],
             numbers((1,), (2,), (3, 2), (1, 0), (2,))),
            ([draw.floats(2, 3, 2), draw.floats(2, 4, 2), sizes(1, 0)],
             numbers((0,), (0,), (2,), (2,), (0,))),
        )  # fmt: skip


# -- checks ----------------------------------------------------------------------------------------


def _check_ragged(x: Any, dims: RaggedDims) -> None:
    """Raise TypeError unless x has exactly one ragged axis."""
    if len(dims.lhs_ragged) != 1:
        raise TypeError(
            f"ragged_dot: ragged axes {shape_text(dims.lhs_ragged)} of {x}; name exactly one"
        )
    check_axes(f"ragged_dot: ragged axis {dims.lhs_ragged[0]}", dims.lhs_ragged, x.rank, x)


def _check_groups(y: Any, group_sizes: Any, dims: RaggedDims) -> None:
    """Raise TypeError for a missing or superfluous group axis of y."""
    what = f"ragged_dot: group axes {shape_text(dims.rhs_group)}"
    (ragged,) = dims.lhs_ragged
    if ragged in (*dims.lhs_batching, *dims.lhs_contracting):
        if dims.rhs_group:
            raise TypeError(
                f"{what} of {y}; name none, as the ragged axis {ragged} is batched or summed over"
            )
        return
    if len(dims.rhs_group) != 1:
        raise TypeError(
            f"{what} of {y}; name exactly one, as the ragged axis {ragged} is neither batched "
            "nor summed over"
        )
    (group,), others = dims.rhs_group, (*dims.rhs_batching, *dims.rhs_contracting)
    both = f"{what}, batching and contracting {shape_text(others)}"
    check_axes(both, (group, *others), y.rank, y)
    if y.shape[group] != group_sizes.shape[-1]:
        raise TypeError(
            f"ragged_dot: axis {group} of {y} has {y.shape[group]} groups, "
            f"but group_sizes is {group_sizes}, for {group_sizes.shape[-1]}"
        )


def _check_sizes(x: Any, group_sizes: Any, names: _Names) -> None:
    """Raise TypeError unless there is one size per group, or one per group and preceding axis."""
    *found, count = group_sizes.shape
    before = [x.shape[n] for n in names.sizes[:-1]]
    if found != before:
        choice = f" or {shape_text([*before, count])}" if before else ""
        raise TypeError(
            f"ragged_dot: group_sizes is {group_sizes}; for the ragged axis {names.ragged} of {x} "
            f"its shape must be {shape_text([count])}{choice}"
        )


# -- names of axes ---------------------------------------------------------------------------------


@lru_cache(4096)
def _named(dims: RaggedDims, x_rank: int, y_rank: int, sizes_rank: int) -> _Names:
    """Names of the axes of an op: see Note [Names of axes]."""
    pairs = zip(
        (*dims.rhs_batching, *dims.rhs_contracting),
        (*dims.lhs_batching, *dims.lhs_contracting),
        strict=True,
    )
    known = dict(pairs) | dict.fromkeys(dims.rhs_group, _GROUP)
    of_x = tuple(range(x_rank))
    of_y = tuple(known.get(b, x_rank + b) for b in range(y_rank))
    batching, contracting, (ragged,) = dims.lhs_batching, dims.lhs_contracting, dims.lhs_ragged
    of_group = [_GROUP] if ragged in contracting else []
    free = [a for a in of_x if a not in (*batching, *contracting)]
    z = (*of_group, *batching, *free, *(n for n in of_y if n >= x_rank))
    before = _before(of_x, batching, contracting, ragged) if sizes_rank > 1 else []
    return _Names(of_x, of_y, (*before, _GROUP), z, ragged)


def _before(
    of_x: Sequence[int], batching: Sequence[int], contracting: Sequence[int], ragged: int
) -> list[int]:
    """Axes of x that group sizes may have: each of their members has its own groups."""
    if ragged in batching:
        return list(batching[: batching.index(ragged)])
    free = [n for n in of_x if n not in (*batching, *contracting)]
    alike = contracting if ragged in contracting else free
    return [*batching, *alike[: alike.index(ragged)]]


def _has_groups(names: _Names) -> bool:
    """Whether the groups make a difference."""
    return _GROUP in names.y or _GROUP in names.z


def _sizes_of(names: _Names, x: Any, y: Any, group_sizes: Any) -> dict[int, int]:
    """Size of the axis of each name, from the types of the operands."""
    found = {_GROUP: group_sizes.shape[-1]}
    for of, type_ in ((names.x, x), (names.y, y)):
        found.update(zip(of, type_.shape, strict=True))
    return found


def _broadcast(x: Value, of: Sequence[int], wanted: Sequence[int], size: dict[int, int]) -> Value:
    """Permute x, whose axes are `of`, to the axes `wanted`, and broadcast along new ones."""
    x = permuted(x, sorted(range(len(of)), key=lambda a: wanted.index(of[a])))
    if len(of) == len(wanted):
        return x
    return emit.broadcast_in_dim(
        x,
        shape=tuple(size[n] for n in wanted),
        broadcast_dimensions=tuple(sorted(wanted.index(n) for n in of)),
    )


def _contracted(x: Value, y: Value, sizes: Value, names: _Names, precision: str) -> Value:
    """Emit the op that sums products of x and y, rows by groups, over all names not in z."""
    of_x, dims, of_sizes, of_z = _plan(names)
    size = _sizes_of(names, x.type, y.type, sizes.type)
    z = emit.ragged_dot(
        _broadcast(x, names.x, of_x, size),
        y,
        _broadcast(sizes, names.sizes, of_sizes, size),
        ragged_dot_dimension_numbers=dims,
        precision_config=precision,
    )
    return _broadcast(z, of_z, names.z, size)


@lru_cache(4096)
def _plan(names: _Names) -> tuple[list[int], RaggedDims, list[int], list[int]]:
    """Arguments of the op: axes of x, dimension numbers, axes of the sizes and of the result."""
    of_x = _axis_order(names)
    batching, contracting = _shared_axes(names, of_x)
    more = len(names.sizes) > 1
    before = _before(of_x, batching, contracting, names.ragged) if more else []
    of_z = [
        *([_GROUP] if _GROUP in names.z else []),
        *batching,
        *(n for n in of_x if n not in names.y),
        *(n for n in names.y if n not in (*of_x, _GROUP)),
    ]
    of_y = names.y
    dims = RaggedDims(
        tuple(map(of_x.index, batching)),
        tuple(map(of_y.index, batching)),
        tuple(map(of_x.index, contracting)),
        tuple(map(of_y.index, contracting)),
        (of_x.index(names.ragged),),
        (of_y.index(_GROUP),) if _GROUP in of_y else (),
    )
    return of_x, dims, [*before, _GROUP], of_z


def _axis_order(names: _Names) -> list[int]:
    """Axes of x, such that those of sizes come before the ragged axis, be it free or contracted."""
    after = names.x[names.x.index(names.ragged) :]
    late = [n for n in after if n in names.sizes and n not in names.y]
    return [*late, *(n for n in names.x if n not in late)]


def _shared_axes(names: _Names, of_x: Sequence[int]) -> tuple[list[int], list[int]]:
    """Axes of x and y that are batched, and contracted: those of sizes first, then the ragged."""
    shared = [n for n in of_x if n in names.y]
    contracting = [n for n in shared if n not in names.z]
    contracting.sort(key=lambda n: 0 if n in names.sizes else 1 if n == names.ragged else 2)
    return [n for n in names.z if n in shared], contracting


# -- lowering --------------------------------------------------------------------------------------


def _mask(group_sizes: Value, count: int) -> Value:
    """Mask of the rows in each group: `[.., row, group]` for sizes `[.., group]`."""
    (*before, groups), element = group_sizes.type.shape, group_sizes.type.element_type
    # Sizes are clamped to 0 and all rows, so that their sums cannot wrap.
    most = min(count, np.iinfo(numpy_dtype(dtype_name(element))).max)
    low, high = (full(tensor([], element), bound) for bound in (0, most))
    dtype = "i32" if count * (groups + 1) < 2**31 else "i64"
    sizes = emit.clamp(low, group_sizes, high)
    sizes = sizes if dtype_name(element) == dtype else emit.convert(sizes, dtype=dtype)
    ends = emit.cumsum(sizes, axis=len(before))
    shape, axes = (*before, count, groups), (*range(len(before)), len(before) + 1)
    row = emit.iota(iota_dimension=len(before), shape=shape, dtype=dtype)
    first, end = (
        emit.broadcast_in_dim(v, shape=shape, broadcast_dimensions=axes)
        for v in (emit.sub(ends, sizes), ends)
    )
    begun = emit.compare(first, row, comparison_direction="LE")
    return and_(begun, emit.compare(row, end, comparison_direction="LT"))


def _where(mask: Value, x: Value) -> Value:
    return emit.select(mask, x, zeros_like(x))


# Both ways select: a product with zeros would carry infinities and NaN into other groups.


def _rows_apart(
    x: Value, y: Value, mask: Value, names: _Names, size: dict[int, int], numbers: DotDims,
    precision: str,
) -> Value:  # fmt: skip
    """Multiply each row by every group's matrix and select its own group's result."""
    z = emit.dot_general(x, y, dot_dimension_numbers=numbers, precision_config=precision)
    of_x = [n for n in names.z if n in names.x]
    of_z = [*of_x, *(n for n in names.y if n not in names.x)]
    of_mask = (*names.sizes[:-1], names.ragged, _GROUP)
    found = _where(_broadcast(mask, of_mask, of_z, size), z)
    add = emit.any if dtype_name(z.type.element_type) == "bool" else emit.sum
    return add(found, axes=(of_z.index(_GROUP),))


def _groups_apart(
    x: Value, y: Value, mask: Value, names: _Names, size: dict[int, int], numbers: DotDims,
    precision: str,
) -> Value:  # fmt: skip
    """Mask the rows of each group and batch over groups."""
    of_mask = (*names.sizes[:-1], names.ragged, _GROUP)

    def for_each(v: Value, of: tuple[int, ...]) -> Value:
        wanted = (_GROUP, *of)
        return _where(_broadcast(mask, of_mask, wanted, size), _broadcast(v, of, wanted, size))

    batching, contracting = (
        [tuple(a + 1 for a in axes) for axes in pair] for pair in (numbers[:2], numbers[2:])
    )
    return emit.dot_general(
        for_each(x, names.x),
        for_each(y, names.y),
        dot_dimension_numbers=DotDims(*((0, *axes) for axes in batching), *contracting),
        precision_config=precision,
    )


# -- lifting ---------------------------------------------------------------------------------------


def _precision_of(op: ir.Operation) -> str:
    """The precision that CHLO gives both operands; raises `TypeError` if they differ."""
    if "precision_config" not in op.attributes:
        return "DEFAULT"
    both = {str(one) for one in op.attributes["precision_config"]} or {"#chlo<precision DEFAULT>"}
    if len(both) != 1:
        raise TypeError(f"precisions differ: {', '.join(sorted(both))}")
    return both.pop().removeprefix("#chlo<precision ").removesuffix(">")
