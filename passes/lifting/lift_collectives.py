"""StableHLO's collectives, in the function of one device, as ops along axes of its mesh."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, permutations
from typing import TypeAlias

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.shardings import MeshShape
from anvl.dialect.core.types import element_type, is_array, tensor
from anvl.passes.lifting.lift_forms import replaced

__all__ = ["lift_collectives"]

_Lift: TypeAlias = Callable[[ir.Operation, MeshShape], Sequence[Value] | None]

_REDUCTIONS = {"stablehlo.add": "sum", "stablehlo.maximum": "max", "stablehlo.minimum": "min"}


def lift_collectives(function: ir.Operation, mesh: MeshShape, manual: Sequence[str]) -> None:
    """Lift the collectives in a function that each device along `manual` axes of a mesh runs.

    Those in groups that no axes of the mesh make stay, and have no derivative.
    """
    lifts: dict[str, _Lift] = {
        **_LIFTS,
        "stablehlo.partition_id": partial(_partition_id, manual=tuple(manual)),
    }
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if op.name in lifts:
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.walk(collect)
    with function.context:
        for op in found:
            if not all(is_array(x.type) for x in (*op.operands, *op.results)):
                continue
            with op.location, ir.InsertionPoint(op), suppress(TypeError, KeyError):
                results = lifts[op.name](op, mesh)
                if results is not None:
                    replaced(op, results)


def _axes_of(op: ir.Operation, mesh: MeshShape) -> tuple[str, ...] | None:
    """The axes along which the groups of an op lie, in the order of their members; else None.

    Numbers of devices are those of the mesh, the last axis fastest.
    """
    if attribute_of(op, "channel_handle") is None:
        return None  # groups of replicas, of which there is one
    rows = attribute_of(op, "replica_groups")
    if rows is None or (op.name != "stablehlo.all_to_all" and _GLOBAL not in op.attributes):
        return None
    width = rows.type.shape[1]
    flat = [int(n) for n in rows]
    groups = sorted(flat[i : i + width] for i in range(0, len(flat), width))
    for count in range(1, len(mesh.names) + 1):
        for axes in combinations(mesh.names, count):
            if mesh.along(axes) != width:
                continue
            for order in permutations(axes):
                if sorted(mesh.groups(order)) == groups:
                    return order
    return None


_GLOBAL = "use_global_device_ids"


def _place(mesh: MeshShape, axes: Sequence[str]) -> Value:
    return emit.axis_index(mesh=mesh, axes=tuple(axes))


def _kind_of(op: ir.Operation) -> str | None:
    """The reduction in the region of an op, of its two arguments; None for another one."""
    block = op.regions[0].blocks[0]
    first, *rest = (each for each in block.operations if not _is_constraint(each.operation))
    is_one = len(rest) == 1 and len(block.arguments) == 2 and len(first.operands) == 2
    if not is_one or {*first.operands} != {*block.arguments}:
        return None
    found = rest[0].operands[0].owner
    while found != first.operation and _is_constraint(found):
        found = found.operands[0].owner
    if found != first.operation:
        return None
    return _REDUCTIONS.get(first.operation.name)


def _is_constraint(op: ir.Operation) -> bool:
    """Whether an op says where a value is to lie: of a scalar in a reduction it says nothing."""
    target = attribute_of(op, "call_target_name")
    return isinstance(target, ir.StringAttr) and target.value == "Sharding"


def _all_reduce(op: ir.Operation, mesh: MeshShape) -> Sequence[Value] | None:
    axes, kind = _axes_of(op, mesh), _kind_of(op)
    if axes is None or kind is None:
        return None
    place = _place(mesh, axes)
    return [emit.all_reduce(x, place, mesh=mesh, axes=axes, kind=kind) for x in op.operands]


def _all_gather(op: ir.Operation, mesh: MeshShape) -> Sequence[Value] | None:
    axes = _axes_of(op, mesh)
    if axes is None:
        return None
    dimension, place = Int.decode(op.attributes["all_gather_dim"]), _place(mesh, axes)
    return [
        emit.all_gather(x, place, mesh=mesh, axes=axes, dimension=dimension) for x in op.operands
    ]


def _reduce_scatter(op: ir.Operation, mesh: MeshShape) -> Sequence[Value] | None:
    axes = _axes_of(op, mesh)
    if axes is None or _kind_of(op) != "sum":
        return None
    dimension, (x,) = Int.decode(op.attributes["scatter_dimension"]), op.operands
    place = _place(mesh, axes)
    return [emit.reduce_scatter(x, place, mesh=mesh, axes=axes, dimension=dimension)]


def _all_to_all(op: ir.Operation, mesh: MeshShape) -> Sequence[Value] | None:
    axes = _axes_of(op, mesh)
    if axes is None:
        return None
    split, concat = (Int.decode(op.attributes[f"{n}_dimension"]) for n in ("split", "concat"))
    place = _place(mesh, axes)
    return [
        emit.all_to_all(
            x, place, mesh=mesh, axes=axes, split_dimension=split, concat_dimension=concat
        )
        for x in op.operands
    ]


def _collective_permute(op: ir.Operation, mesh: MeshShape) -> Sequence[Value] | None:
    rows = attribute_of(op, "source_target_pairs")
    if rows is None or attribute_of(op, "channel_handle") is None:
        return None
    pairs, axes = tuple(int(n) for n in rows), mesh.names
    place = _place(mesh, axes)
    return [
        emit.collective_permute(x, place, mesh=mesh, axes=axes, pairs=pairs) for x in op.operands
    ]


def _partition_id(
    op: ir.Operation, mesh: MeshShape, manual: tuple[str, ...]
) -> Sequence[Value] | None:
    """The number of a device; the first of those that the partitioner sees as one."""
    if manual == mesh.names:
        return [emit.convert(_place(mesh, manual), dtype="ui32")]
    number = full(tensor([], element_type("ui32")), 0)
    for axis in manual:
        stride = mesh.along(mesh.names[mesh.names.index(axis) + 1 :])
        step = emit.convert(_place(mesh, (axis,)), dtype="ui32")
        number = emit.add(number, emit.mul(step, full(number.type, stride)))
    return [number]


_LIFTS: dict[str, _Lift] = {
    "stablehlo.all_gather": _all_gather,
    "stablehlo.all_reduce": _all_reduce,
    "stablehlo.all_to_all": _all_to_all,
    "stablehlo.collective_permute": _collective_permute,
    "stablehlo.reduce_scatter": _reduce_scatter,
}
