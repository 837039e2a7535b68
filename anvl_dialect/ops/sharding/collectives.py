"""Collectives: ops that combine an array of each device, or of each member of a batch.

An op names axes of a mesh, and has the position along them, `place`, as an operand.  See Note
[Named axes].  Source: StableHLO specification, `all_reduce` and the other collectives.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.families import Creation, check_axes, check_kind
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Int, Ints, Text, Texts
from anvl.dialect.core.params.sharding_params import MeshText
from anvl.dialect.core.shape import permuted, reshaped
from anvl.dialect.core.shardings import MeshShape
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.batch import repeated
from anvl.dialect.ops.sharding.collective_lowering import Group, emit_collective, position

__all__ = [
    "AllGatherOp", "AllReduceOp", "AllToAllOp", "AxisIndexOp", "CollectivePermuteOp",
    "ReduceScatterOp",
]  # fmt: skip

# Note [Named axes]
#
# A collective stands in a function that runs many times at once: for each device of a mesh, inside
# of `shard_map`, or for each member of a batch, inside of `vmap(axis_name="i")`, which is a mesh of
# one axis, `i=3`.  Its operand `place`, a scalar i32, is where the function runs along the axes:
# the op `axis_index`, or a hidden argument of the function that vmap batches.  So it is a matter of
# data who resolves the axis, and no pass needs to know of names:
#
# * a batch that has `place` in it is the named axis itself.  The batch rule has the operands of all
#   members, and writes the op with a sum, a transpose or a slice.
# * any other batch adds an axis to x, which the op passes over.
# * what is left in a manual computation is lowered to StableHLO's collective.
#
# A collective is a linear map of the operands of all members to the results of all, and its adjoint
# rule is the adjoint of this map: of a sum, a sum.  So the gradient of one member in a function
# that has a collective is that of the sum over all members' results, `vmap(grad(f))` is the
# gradient of `sum(vmap(f))`, and JAX agrees (its `check_vma=False`).
#
# Along axes of one device or member a collective is the identity, wherever it stands.

_KINDS = ("sum", "max", "min")


class _Collective(AnvlOp):
    """An op of an operand x and its place along `axes` of `mesh`."""

    is_collective = True
    #: Whether all members get the same.
    unites: ClassVar[bool] = False

    @classmethod
    def varying_axes(
        cls, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        axes = frozenset(cls.read(op)["axes"])
        return [given[0] - axes if cls.unites else given[0] | axes]

    @classmethod
    def named(cls, x: Value, count: int, **rest: Any) -> Value:
        """The results of all members, from the x of all: the first axis of both."""
        raise NotImplementedError

    @classmethod
    def shifted(cls, **params: Any) -> dict[str, Any]:
        """The parameters for an operand with one more axis, the first."""
        return params

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], mesh: Any, axes: Any, **rest: Any
    ) -> Value:
        x, place = xs
        count, size = mesh.along(axes), xs[batched.index(True)].type.shape[0]
        if not batched[1]:
            return cls.build(x, place, mesh=mesh, axes=axes, **cls.shifted(**rest))
        if not batched[0]:
            x = repeated(x, size)
        if count == 1:  # whatever the place is
            zero = full(tensor([], element_type("i32")), 0)
            return cls.build(x, zero, mesh=mesh, axes=axes, **cls.shifted(**rest))
        if size != count:
            raise ShardingError(
                f"{cls.short_name}: its place is batched, {size} members, but {'*'.join(axes)} of "
                f"mesh {str(mesh)!r} has {count}; batch the place of the axis along itself alone"
            )
        return cls.named(x, count, **rest)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, **params: Any
    ) -> Value | None:
        return None if ts[0] is None else cls.build(ts[0], xs[1], **params)


def _check(name: str, x: Any, place: Any, mesh: MeshShape, axes: Sequence[str]) -> int:
    """The number of members; refuses axes that the mesh lacks, and a place that is no i32."""
    if not axes or len(set(axes)) != len(axes) or not set(axes) <= set(mesh.names):
        raise TypeError(
            f"{name}: axes {list(axes)} must be different axes of mesh {str(mesh)!r}, one at least"
        )
    if place is not None and (place.rank or place.element_type != element_type("i32")):
        raise TypeError(
            f"{name}: place is {place}; it must be tensor<i32>, the position along axes"
        )
    return mesh.along(axes)


def _check_axis(name: str, what: str, axis: int, x: Any, divisor: int = 1) -> None:
    check_axes(f"{name}: {what} {axis}", (axis,), x.rank, x)
    if x.shape[axis] % divisor:
        raise TypeError(
            f"{name}: axis {axis} of {x} does not divide into {divisor} parts, one for each member"
        )


def _resized(x: Any, axis: int, size: int) -> Any:
    return tensor([size if i == axis else n for i, n in enumerate(x.shape)], x.element_type)


class AllReduceOp(_Collective, name="all_reduce"):
    """The sum, maximum or minimum (`kind`) of x over all members along `axes`, for each of them.

    The derivative of a maximum is shared evenly by the elements that attain it.
    """

    unites = True

    x: Operand
    place: Operand
    mesh: MeshText
    axes: Texts
    kind: Text
    y: Result

    @classmethod
    def result_type(cls, x: Any, place: Any, mesh: Any, axes: Any, kind: str) -> Any:
        _check("all_reduce", x, place, mesh, axes)
        if kind not in _KINDS:
            raise TypeError(f"all_reduce: kind is {kind!r}; it must be one of {', '.join(_KINDS)}")
        check_kind("all_reduce", x, "int uint float" + (" complex" if kind == "sum" else ""))
        return x

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, mesh: Any, axes: Any, kind: str
    ) -> Sequence[Any]:
        total = emit.all_reduce(g, xs[1], mesh=mesh, axes=axes, kind="sum")
        return [total if kind == "sum" else emit.mul(total, _share(xs, y, mesh, axes)), None]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, **params: Any
    ) -> Value | None:
        t, kind = ts[0], params["kind"]
        if t is None:
            return None
        if kind != "sum":
            t = emit.mul(t, _share(xs, y, params["mesh"], params["axes"]))
        return emit.all_reduce(t, xs[1], **params | {"kind": "sum"})

    @classmethod
    def named(cls, x: Value, count: int, kind: str) -> Value:
        found = getattr(emit, kind)(x, axes=(0,))
        return repeated(found, count)

    @classmethod
    def lower(cls, hlo: Any, x: Value, place: Value, mesh: Any, axes: Any, kind: str) -> Value:
        return emit_collective(hlo, "all_reduce", x, x.type, Group(mesh, axes), reduces_by=kind)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            *(_call(draw.floats(2, 3), kind=kind) for kind in _KINDS),
            _call(draw.complexes(3), kind="sum"), _call(draw.ints(), kind="max"),
        )  # fmt: skip


def _share(xs: Sequence[Value], y: Value, mesh: Any, axes: Any) -> Value:
    """The derivative of an extreme: 1 where it is attained, over how many times it is."""
    x, place = xs
    attains = emit.compare(x, y, comparison_direction="EQ")
    flags = emit.select(attains, full_like(x, 1), full_like(x, 0))
    return emit.div(flags, emit.all_reduce(flags, place, mesh=mesh, axes=axes, kind="sum"))


class _Along(_Collective):
    """A collective that changes the size of one axis, `dimension`."""

    @classmethod
    def shifted(cls, dimension: int) -> dict[str, Any]:
        return {"dimension": dimension + 1}


class AllGatherOp(_Along, name="all_gather"):
    """The x of all members along `axes`, in their order, joined along `dimension`."""

    unites = True

    x: Operand
    place: Operand
    mesh: MeshText
    axes: Texts
    dimension: Int
    y: Result

    @classmethod
    def result_type(cls, x: Any, place: Any, mesh: Any, axes: Any, dimension: int) -> Any:
        count = _check("all_gather", x, place, mesh, axes)
        _check_axis("all_gather", "dimension", dimension, x)
        return _resized(x, dimension, x.shape[dimension] * count)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, **params: Any) -> Sequence[Any]:
        return [emit.reduce_scatter(g, xs[1], **params), None]

    @classmethod
    def named(cls, x: Value, count: int, dimension: int) -> Value:
        _, *shape = x.type.shape
        moved = permuted(x, _moved(0, dimension, x.type.rank))
        shape[dimension] *= count
        return repeated(reshaped(moved, tuple(shape)), count)

    @classmethod
    def lower(cls, hlo: Any, x: Value, place: Value, mesh: Any, axes: Any, dimension: int) -> Value:
        y = cls.result_type(x.type, place.type, mesh, axes, dimension)
        return emit_collective(
            hlo, "all_gather", x, y, Group(mesh, axes), all_gather_dim=Int.encode(dimension)
        )

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            _call(draw.floats(2, 3), dimension=1), _call(draw.bools(2), dimension=0),
        )  # fmt: skip


class ReduceScatterOp(_Along, name="reduce_scatter"):
    """The sum of x over all members along `axes`, of which each has a part along `dimension`."""

    x: Operand
    place: Operand
    mesh: MeshText
    axes: Texts
    dimension: Int
    y: Result

    @classmethod
    def result_type(cls, x: Any, place: Any, mesh: Any, axes: Any, dimension: int) -> Any:
        count = _check("reduce_scatter", x, place, mesh, axes)
        check_kind("reduce_scatter", x, "int uint float complex")
        _check_axis("reduce_scatter", "dimension", dimension, x, count)
        return _resized(x, dimension, x.shape[dimension] // count)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, **params: Any) -> Sequence[Any]:
        return [emit.all_gather(g, xs[1], **params), None]

    @classmethod
    def named(cls, x: Value, count: int, dimension: int) -> Value:
        total = emit.sum(x, axes=(0,))
        shape = list(total.type.shape)
        shape[dimension : dimension + 1] = [count, shape[dimension] // count]
        parts = reshaped(total, tuple(shape))
        return permuted(parts, _moved(dimension, 0, len(shape)))

    @classmethod
    def lower(cls, hlo: Any, x: Value, place: Value, mesh: Any, axes: Any, dimension: int) -> Value:
        y = cls.result_type(x.type, place.type, mesh, axes, dimension)
        return emit_collective(
            hlo, "reduce_scatter", x, y, Group(mesh, axes),
            reduces_by="sum", scatter_dimension=Int.encode(dimension),
        )  # fmt: skip

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            _call(draw.floats(2, 3), dimension=1), _call(draw.ints(4), dimension=0),
        )  # fmt: skip


class AllToAllOp(_Collective, name="all_to_all"):
    """Part k along `split_dimension` of each member goes to member k, which joins what it gets
    along `concat_dimension`, in the order of the members."""

    x: Operand
    place: Operand
    mesh: MeshText
    axes: Texts
    split_dimension: Int
    concat_dimension: Int
    y: Result

    @classmethod
    def result_type(
        cls, x: Any, place: Any, mesh: Any, axes: Any, split_dimension: int, concat_dimension: int
    ) -> Any:
        count = _check("all_to_all", x, place, mesh, axes)
        _check_axis("all_to_all", "split_dimension", split_dimension, x, count)
        _check_axis("all_to_all", "concat_dimension", concat_dimension, x)
        y = _resized(x, split_dimension, x.shape[split_dimension] // count)
        return _resized(y, concat_dimension, y.shape[concat_dimension] * count)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, mesh: Any, axes: Any,
        split_dimension: int, concat_dimension: int,
    ) -> Sequence[Any]:  # fmt: skip
        back = {"split_dimension": concat_dimension, "concat_dimension": split_dimension}
        return [emit.all_to_all(g, xs[1], mesh=mesh, axes=axes, **back), None]

    @classmethod
    def shifted(cls, split_dimension: int, concat_dimension: int) -> dict[str, Any]:
        return {"split_dimension": split_dimension + 1, "concat_dimension": concat_dimension + 1}

    @classmethod
    def named(cls, x: Value, count: int, split_dimension: int, concat_dimension: int) -> Value:
        shape = list(x.type.shape)
        at = split_dimension + 1
        shape[at : at + 1] = [count, shape[at] // count]
        parts = permuted(reshaped(x, tuple(shape)), _moved(at, 0, len(shape)))
        # Now by receiver, then by sender.
        moved = permuted(parts, _moved(1, concat_dimension + 1, len(shape)))
        joined = list(moved.type.shape)
        joined[concat_dimension + 1 : concat_dimension + 3] = [
            joined[concat_dimension + 1] * joined[concat_dimension + 2]
        ]
        return reshaped(moved, tuple(joined))

    @classmethod
    def lower(
        cls, hlo: Any, x: Value, place: Value, mesh: Any, axes: Any,
        split_dimension: int, concat_dimension: int,
    ) -> Value:  # fmt: skip
        y = cls.result_type(x.type, place.type, mesh, axes, split_dimension, concat_dimension)
        return emit_collective(
            hlo, "all_to_all", x, y, Group(mesh, axes),
            split_dimension=Int.encode(split_dimension),
            concat_dimension=Int.encode(concat_dimension),
            split_count=Int.encode(mesh.along(axes)),
        )  # fmt: skip

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            _call(draw.floats(2, 3), split_dimension=1, concat_dimension=0),
            _call(draw.bools(2), split_dimension=0, concat_dimension=0),
        )


class CollectivePermuteOp(_Collective, name="collective_permute"):
    """The x of another member: `pairs` are source, target, source, target, ...

    Where no pair leads to a member, it has zeros.
    """

    x: Operand
    place: Operand
    mesh: MeshText
    axes: Texts
    pairs: Ints
    y: Result

    @classmethod
    def result_type(cls, x: Any, place: Any, mesh: Any, axes: Any, pairs: Any) -> Any:
        count = _check("collective_permute", x, place, mesh, axes)
        sources, targets = pairs[::2], pairs[1::2]
        ends = {"sources": sources, "targets": targets}
        for name, of in ends.items():
            if len(set(of)) != len(of) or not all(0 <= i < count for i in of):
                raise TypeError(
                    f"collective_permute: {name} {list(of)} must be different members, "
                    f"from 0 to {count - 1}"
                )
        if len(sources) != len(targets):
            raise TypeError(
                f"collective_permute: pairs has {len(pairs)} numbers; give a target for each source"
            )
        return x

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, mesh: Any, axes: Any, pairs: Any
    ) -> Sequence[Any]:
        back = tuple(pairs[i ^ 1] for i in range(len(pairs)))
        return [emit.collective_permute(g, xs[1], mesh=mesh, axes=axes, pairs=back), None]

    @classmethod
    def named(cls, x: Value, count: int, pairs: Any) -> Value:
        sources = dict(zip(pairs[1::2], pairs[::2], strict=True))
        parts, start = [], 0
        while start < count:  # stretches that come from neighbours in their order, or from nobody
            first, stop = sources.get(start), start + 1
            while stop < count and sources.get(stop) == _next(first, stop - start):
                stop += 1
            parts.append(_stretch(x, first, stop - start))
            start = stop
        return parts[0] if len(parts) == 1 else emit.concatenate(*parts, dimension=0)

    @classmethod
    def lower(cls, hlo: Any, x: Value, place: Value, mesh: Any, axes: Any, pairs: Any) -> Value:
        if mesh.along(axes) == 1 and not pairs:
            return full_like(x, 0)
        return emit_collective(hlo, "collective_permute", x, x.type, Group(mesh, axes), pairs=pairs)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            _call(draw.floats(2, 3), pairs=(0, 0)), _call(draw.floats(2), pairs=()),
            _call(draw.bools(2), pairs=(0, 0)),
        )  # fmt: skip


def _next(first: int | None, step: int) -> int | None:
    return None if first is None else first + step


def _stretch(x: Value, first: int | None, size: int) -> Value:
    """Members from `first` on; zeros if that is None."""
    shape = tuple(x.type.shape)
    if first is None:
        return full(tensor([size, *shape[1:]], x.type.element_type), 0)
    if size == shape[0]:
        return x
    zeros = (0,) * (len(shape) - 1)
    return emit.slice(
        x, start_indices=(first, *zeros), limit_indices=(first + size, *shape[1:]),
        strides=(1,) * len(shape),
    )  # fmt: skip


class AxisIndexOp(Creation, name="axis_index"):
    """Where the device stands along `axes` of the mesh, an i32: the place of a collective.

    It counts the devices with the last axis fastest.
    """

    mesh: MeshText
    axes: Texts
    y: Result

    @classmethod
    def result_type(cls, mesh: Any, axes: Any) -> Any:
        _check("axis_index", None, None, mesh, axes)
        return tensor([], element_type("i32"))

    @classmethod
    def varying_axes(
        cls, op: ir.Operation, given: Sequence[frozenset[str]], variance: Any
    ) -> Sequence[frozenset[str]]:
        return [frozenset(cls.read(op)["axes"])]

    @classmethod
    def lower(cls, hlo: Any, mesh: Any, axes: Any) -> Value:
        return position(hlo, Group(mesh, axes))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(([], {"mesh": MeshShape.parse("x=1,y=1"), "axes": ("y",)}))


def _moved(source: int, target: int, rank: int) -> list[int]:
    """The permutation that moves an axis."""
    order = [i for i in range(rank) if i != source]
    order.insert(target, source)
    return order


def _call(x: Any, **params: Any) -> Any:
    """A sample: along one device, where each collective is the identity."""
    place = np.zeros((), "int32")
    return [x, place], {"mesh": MeshShape.parse("x=1"), "axes": ("x",), **params}
