"""StableHLO's collectives over the devices of a mesh."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.context import context
from anvl.dialect.core.create import full
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.shardings import MeshShape
from anvl.dialect.core.types import element_type, tensor

__all__ = ["Group", "emit_collective", "position"]

_REDUCTIONS = {"sum": "add", "max": "maximum", "min": "minimum"}


class Group(NamedTuple):
    """Devices that differ along some axes of a mesh alone."""

    mesh: MeshShape
    axes: Sequence[str]


def emit_collective(
    hlo: Any,
    name: str,
    x: Value,
    y: ir.Type,
    group: Group,
    *,
    reduces_by: str = "",
    pairs: Sequence[int] = (),
    **attributes: ir.Attribute,
) -> Value:
    """Emit the collective `name` with a result of type y; along one device, x itself."""
    if group.mesh.along(group.axes) == 1:
        return x
    if 0 in y.shape:  # a reduce_scatter of none is no StableHLO
        return full(y, 0)
    groups = group.mesh.groups(group.axes)
    attributes["channel_handle"] = _channel()
    if name == "collective_permute":
        steps = [
            (of[s], of[t]) for of in groups for s, t in zip(pairs[::2], pairs[1::2], strict=True)
        ]
        attributes["source_target_pairs"] = _numbers(steps, 2)
    else:
        attributes["replica_groups"] = _numbers(groups, len(groups[0]))
        if name != "all_to_all":
            attributes["use_global_device_ids"] = ir.UnitAttr.get(context())
    op = ir.Operation.create(
        f"stablehlo.{name}", [y], [x], attributes, regions=1 if reduces_by else 0
    )
    if reduces_by:
        scalar = tensor([], x.type.element_type)
        here = [ir.Location.current] * 2
        block = op.regions[0].blocks.append(scalar, scalar, arg_locs=here)
        with ir.InsertionPoint(block):
            total = hlo(_REDUCTIONS[reduces_by], *block.arguments, type=scalar)
            ir.Operation.create("stablehlo.return", [], [total])
    return op.result


def position(hlo: Any, group: Group) -> Value:
    """Where this device stands along the axes, an i32, the last axis fastest."""
    mesh = group.mesh
    index = tensor([], element_type("i32"))
    if mesh.along(group.axes) == 1:
        return full(index, 0)
    device = hlo("convert", hlo("partition_id", type=tensor([], element_type("ui32"))), type=index)
    steps = []
    for axis in group.axes:
        at = mesh.names.index(axis)
        stride, size = mesh.along(mesh.names[at + 1 :]), full(index, mesh.sizes[at])
        steps.append((emit.rem(emit.div(device, full(index, stride)), size), size))
    (place, _), *rest = steps
    for step, size in rest:
        place = emit.add(emit.mul(place, size), step)
    return place


def _channel() -> ir.Attribute:
    # One for all, as in JAX's programs: XLA takes the order of the collectives from the program.
    return ir.Attribute.parse("#stablehlo.channel_handle<handle = 1, type = 1>", context())


def _numbers(rows: Sequence[Sequence[int]], width: int) -> ir.Attribute:
    table = np.array(rows, dtype=np.int64).reshape(-1, width)
    return ir.DenseElementsAttr.get(table, type=element_type("i64"))
