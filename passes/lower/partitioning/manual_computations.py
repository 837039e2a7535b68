"""Manual computations, in which each device runs a function on its parts, as XLA reads them.

See Note [Manual computations] in `anvl_dialect/control_flow/shard_map.py`, and Note [Shardings in
StableHLO] in `anvl_dialect/ops/sharding/with_sharding.py`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.call import Callee
from anvl.dialect.control_flow.collectives_within import collectives
from anvl.dialect.control_flow.shard_map import ShardMap, ShardMapParts
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Bool, Symbol, Text
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.shardings import OPEN, Spec
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.ops.sharding.collectives import AxisIndexOp
from anvl.dialect.ops.sharding.with_sharding import frontend_attributes
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import KnownFunctions, callee_of

__all__ = ["write_manual_computations"]

#: XLA takes functions whose names begin so for the bodies of manual computations, and no other.
_BODY = "xla.sdy.manual_computation_body"


def write_manual_computations(argument: str, module: ir.Operation) -> None:
    """Write calls of functions that are declared as `anvl.shard_map`, and remove these.

    Raises `PassError` of the pass `argument` for a collective that stands elsewhere: it would
    combine the values of no device but its own.
    """
    table = KnownFunctions(module)
    declared = [n for n, op in table.functions.items() if ShardMap.attribute in op.attributes]
    rule = ShardMap()
    for name in declared:
        _check(argument, rule, Callee(name, table))
    bodies = {_body_name(table.functions[name]) for name in declared}
    _check_collectives(argument, module, bodies)
    count = 0
    for op in find(module, "func.call") if declared else ():
        if callee_of(op) in declared:
            _write_call(rule, Callee(callee_of(op), table), op, f"{_BODY}_{count}")
            count += 1
    for name in declared:
        table.functions[name].erase()
    called = {callee_of(op) for op in find(module, "func.call")} if bodies else set()
    for name in bodies - called:
        table.functions[name].erase()


def _body_name(function: ir.Operation) -> str:
    return Symbol.decode(function.attributes[ShardMap.attribute]["body"])


def _check(argument: str, rule: ShardMap, f: Callee) -> None:
    try:
        rule.check(f)
    except ValueError as error:
        text = f"@{f.name}: {rule.attribute}: {str(error).partition(chr(10))[0]}"
    except (TypeError, KeyError):
        text = f"@{f.name}: {rule.attribute} must be {rule.form}, got {f.request(rule)}"
    except LookupError as error:
        text = str(error)
    else:
        rule.equal_on_devices(f)
        return
    raise PassError(argument, text, str(f.function.location))


def _check_collectives(argument: str, module: ir.Operation, bodies: set[str]) -> None:
    for op in find(module, *collectives()):
        params = OPS[op.name].read(op)
        mesh, axes = params["mesh"], params["axes"]
        if mesh.along(axes) > 1 and _function_around(op) not in bodies:
            raise PassError(
                argument,
                f"{op.name} combines values along {', '.join(axes)} of mesh {str(mesh)!r}, but "
                "stands in no function that runs for each of them; put it into one that is given "
                "to vmap with this axis_name, or to shard_map over this mesh",
                str(op.location),
            )


def _function_around(op: ir.Operation) -> str:
    outer: Any = op.parent
    while outer.operation.name != "func.func":
        outer = outer.operation.parent
    name: str = outer.operation.attributes["sym_name"].value
    return name


def _write_call(rule: ShardMap, f: Callee, op: ir.Operation, name: str) -> None:
    """Replace a call of a declaration by one of a copy of its body, for each device."""
    parts = rule.read(f)
    is_cut = parts.mesh.along(parts.axes) > 1
    if parts.mesh.size > 1 and not is_cut:
        name = name.removeprefix("xla.sdy.")
    source = parts.body.function
    first = source.parent.regions[0].blocks[0].operations[0]
    made = source.clone(ip=ir.InsertionPoint(first)).operation  # callees stand before callers
    made.attributes["sym_name"] = Text.encode(name)
    made.attributes["sym_visibility"] = Text.encode("private")
    with op.context, op.location, ir.InsertionPoint(op):
        xs, ins = list(op.operands), list(parts.ins)
        if is_cut and len(parts.axes) < len(parts.mesh.names):
            along = _take_positions(made, parts)
            xs += [_positions(parts.mesh.along(axes)) for axes in along]
            ins += [Spec((axes,)) for axes in along]
        takes, gives = parts.body.types
        if is_cut:
            takes = [x.type for x in made.regions[0].blocks[0].arguments]
            xs = _crossing("GlobalToLocalShape", "in", xs, parts, ins, takes)
        callee = {"callee": ir.FlatSymbolRefAttr.get(name)}
        ys = list(ir.Operation.create("func.call", gives, xs, callee).results)
        if is_cut:
            whole = [y.type for y in op.results]
            ys = _crossing("LocalToGlobalShape", "out", ys, parts, parts.outs, whole)
    for old, new in zip(op.results, ys, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _take_positions(body: ir.Operation, parts: ShardMapParts) -> list[tuple[str, ...]]:
    """Let a body take its positions along axes as arguments; returns these axes.

    Each is the part of an iota.  A device's number, by which it else finds its position, has no
    meaning where the partitioner divides the body further.  The place of a collective is not read.
    """
    block = body.regions[0].blocks[0]
    one = tensor([1], element_type("i32"))
    found: dict[tuple[str, ...], ir.Value] = {}
    for op in find(body, AxisIndexOp.OPERATION_NAME):
        axes = AxisIndexOp.read(op)["axes"]
        is_read = any(not _is_collective(use.owner.operation) for use in op.result.uses)
        if is_read and axes not in found:
            found[axes] = block.add_argument(one, op.location)
        with op.location, ir.InsertionPoint(op):
            place = reshaped(found[axes], ()) if is_read else full(op.result.type, 0)
        op.result.replace_all_uses_with(place)
        op.erase()
    types = [x.type for x in block.arguments], list(body.attributes["function_type"].value.results)
    body.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
    return list(found)


def _is_collective(op: ir.Operation) -> bool:
    return op.name in OPS and OPS[op.name].is_collective


def _positions(count: int) -> ir.Value:
    return emit.iota(iota_dimension=0, shape=(count,), dtype="i32")


def _crossing(
    target: str,
    side: str,
    xs: Sequence[ir.Value],
    parts: ShardMapParts,
    specs: Sequence[Spec],
    types: Sequence[ir.Type],
) -> list[ir.Value]:
    """Values on the other side of the border of a manual computation."""
    if not xs:
        return []
    mesh_text = parts.mesh.to_sdy().removeprefix("#sdy.")
    if len(parts.axes) < len(parts.mesh.names):  # the partitioner may cut along the others
        specs = [Spec(tuple((*entry, OPEN) for entry in spec.entries)) for spec in specs]
    of_each = ", ".join(f"<{mesh_text}, {spec.to_sdy()}>" for spec in specs)
    axes = ", ".join(f'"{name}"' for name in parts.mesh.names if name in parts.axes)
    texts = {
        f"{side}_shardings": f"#sdy.sharding_per_value<[{of_each}]>",
        "manual_axes": f"#sdy<manual_axes{{{axes}}}>",
    }
    attributes = {
        "call_target_name": Text.encode(f"xla.sdy.{target}"),
        "has_side_effect": Bool.encode(True),
        **frontend_attributes(**texts),
    }
    return list(ir.Operation.create("stablehlo.custom_call", types, xs, attributes).results)
