"""Manual computations in the form of XLA's partitioner, as functions declared `anvl.shard_map`.

A call of a function whose name says so stands between two custom calls, which cut its arguments and
put its results together: Note [Shardings in StableHLO] in `ops/sharding/with_sharding.py`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from anvl.dialect.control_flow.shard_map import shard_map_attribute
from anvl.dialect.core.attributes import attribute_of, entries_of
from anvl.dialect.core.errors import PassError, ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Text
from anvl.dialect.core.shardings import MeshShape, Spec, sharding_from_sdy
from anvl.dialect.ops.sharding.with_sharding import FRONTEND, meshes_around
from anvl.passes.framework.walk import find
from anvl.passes.functions.inlining import inline_calls
from anvl.passes.functions.symbol_utils import callee_of, functions_of
from anvl.passes.lifting.lift_collectives import lift_collectives

__all__ = ["lift_manual_computations"]

_BODY = "xla.sdy.manual_computation_body"
_BEFORE, _AFTER = "xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape"
_VALUES = re.compile(r"#sdy\.sharding_per_value<\[(.*)\]>", re.DOTALL)
_QUOTED = re.compile(r'"([^"]*)"')


def lift_manual_computations(argument: str, module: ir.Operation) -> None:
    """Declare the manual computations of a module as `anvl.shard_map`, with collectives as ops.

    Then they have derivatives and batches.  What devices return is taken as equal where it must be:
    whoever wrote the program says so.  Raises `PassError` for one without such a form: within
    another one, with devices in another order, with shardings that a spec cannot say.
    """
    calls = [op for op in find(module, "func.call") if callee_of(op).startswith(_BODY)]
    functions = functions_of(module) if calls else {}
    for op in calls:
        try:
            _lift(op, functions)
        except (KeyError, ShardingError) as error:
            said = str(error).partition("\n")[0]
            problem = f"the manual computation @{callee_of(op)} has no form as a shard_map: {said}"
            raise PassError(argument, problem, str(op.location)) from None
    left = {callee_of(op) for op in find(module, "func.call")} if calls else set()
    for name in functions:
        if name.startswith(_BODY) and name not in left:
            functions[name].erase()


def _lift(op: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    before, after = _call_before(op), _call_after(op)
    mesh, ins, outs = _mesh_and_specs(op, before, after)
    axes = _manual_axes(op, mesh)
    body = _named_copy(functions, callee_of(op), "manual_computation")
    inline_calls(body, functions)
    lift_collectives(functions[body], mesh, axes)
    xs = list(before.operands) if before else []
    results = list(after.results) if after else []
    specs = _parts(ins, axes), _parts(outs, axes)
    _check_parts(mesh, specs[0], before, op.operands, axes)
    name, request = shard_map_attribute(body, mesh, *specs, axes=axes, is_checked=False)
    types = ir.FunctionType.get([x.type for x in xs], [y.type for y in results], op.context)
    source = functions[body]
    with op.context, op.location:
        declared = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": Text.encode(_fresh(functions, f"{body}_shard_map")),
                "sym_visibility": Text.encode("private"),
                "function_type": ir.TypeAttr.get(types),
                name: request,
            },
            regions=1,
            ip=ir.InsertionPoint(source),
        )
        functions[declared.attributes["sym_name"].value] = declared
        callee = {"callee": ir.FlatSymbolRefAttr.get(declared.attributes["sym_name"].value)}
        with ir.InsertionPoint(op):
            xs = _wished(xs, mesh, ins, axes)
            made = ir.Operation.create("func.call", types.results, xs, callee)
            found = _wished(made.results, mesh, outs, axes)
    for old, new in zip(results, found, strict=True):
        old.replace_all_uses_with(new)
    for one in (after, op, before):
        if one is not None:
            one.erase()


def _call_before(op: ir.Operation) -> ir.Operation | None:
    """The custom call whose results a call takes, in their order; None if it takes nothing."""
    xs = list(op.operands)
    if not xs:
        return None
    owner = xs[0].owner
    found: Any = None if isinstance(owner, ir.Block) else owner.operation
    if not _is_call_of(found, _BEFORE) or list(found.results) != xs:
        raise ShardingError(f"its arguments are not the results of one call of {_BEFORE}")
    return found


def _call_after(op: ir.Operation) -> ir.Operation | None:
    """The custom call that takes the results of a call, in their order; None if it has none."""
    ys = list(op.results)
    if not ys:
        return None
    users = [use.owner.operation for y in ys for use in y.uses]
    found: Any = users[0] if users else None
    if not _is_call_of(found, _AFTER) or list(found.operands) != ys or {*users} != {found}:
        raise ShardingError(f"its results are not the operands of one call of {_AFTER}")
    return found


def _is_call_of(op: Any, target: str) -> bool:
    if op is None or op.name != "stablehlo.custom_call":
        return False
    return str(ir.StringAttr(op.attributes["call_target_name"]).value) == target


def _texts(op: ir.Operation | None) -> dict[str, str]:
    """Shardy's strings of an op; some writers quote them twice."""
    given = None if op is None else attribute_of(op, FRONTEND)
    if given is None:
        return {}
    entries = {key: value.value for key, value in entries_of(given).items()}
    return {key.removeprefix("xla.sdy."): text.replace("\\22", '"').replace('\\"', '"')
            for key, text in entries.items()}  # fmt: skip


def _shardings(
    op: ir.Operation, border: ir.Operation | None, side: str
) -> Iterator[tuple[MeshShape, Spec]]:
    """The shardings of the values at a border, which it has or, in an older form, the call."""
    if border is None:
        return
    texts = _texts(op) | _texts(border)
    found = _VALUES.fullmatch(texts[f"{side}_shardings"])
    if found is None:
        raise ShardingError(f"{side}_shardings is {texts[f'{side}_shardings']!r}")
    meshes = meshes_around(op)
    for part in _parted(found[1]):
        mesh, spec = sharding_from_sdy(f"#sdy.sharding{part}", meshes)
        yield mesh, spec


def _parted(text: str) -> Iterator[str]:
    """The parts of a list, between commas that stand in no brackets."""
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c in "<[{(") - (c in ">]})")
        if c == "," and not depth:
            yield text[start:i].strip()
            start = i + 1
    if text[start:].strip():
        yield text[start:].strip()


def _mesh_and_specs(
    op: ir.Operation, before: ir.Operation | None, after: ir.Operation | None
) -> tuple[MeshShape, list[Spec], list[Spec]]:
    """The one mesh of all shardings of a call, and the specs of its arguments and results."""
    ins, outs = list(_shardings(op, before, "in")), list(_shardings(op, after, "out"))
    meshes = [mesh for mesh, _ in (*ins, *outs)]
    if not meshes or any(mesh != meshes[0] for mesh in meshes):
        raise ShardingError("its shardings are over no mesh, or over several")
    return meshes[0], [spec for _, spec in ins], [spec for _, spec in outs]


def _manual_axes(op: ir.Operation, mesh: MeshShape) -> tuple[str, ...]:
    """The axes that the body is written for: all, unless the partitioner divides it further."""
    texts = _texts(op) | _texts(_call_after(op)) | _texts(_call_before(op))
    manual = _QUOTED.findall(texts["manual_axes"])
    rest = [name for name in mesh.names if name not in manual and mesh.along((name,)) > 1]
    return tuple(name for name in mesh.names if name in manual) if rest else mesh.names


def _parts(specs: Sequence[Spec], axes: Sequence[str]) -> list[Spec]:
    """The cuts along the axes of the body."""
    return [
        Spec(tuple(tuple(name for name in entry if name in axes) for entry in spec.entries))
        for spec in specs
    ]


def _check_parts(
    mesh: MeshShape,
    specs: Sequence[Spec],
    before: ir.Operation | None,
    parts: Sequence[Value],
    axes: Sequence[str],
) -> None:
    """Refuse shardings by which the parts of arguments have other shapes than the body takes."""
    for x, part, spec in zip(before.operands if before else (), parts, specs, strict=True):
        if tuple(part.type.shape) != spec.local_shape(mesh, x.type.shape):
            raise ShardingError(
                f"an argument is {x.type}, cut by {str(spec)!r} along {', '.join(axes)} of mesh "
                f"{str(mesh)!r}, and its body takes {part.type}"
            )


def _wished(
    xs: Sequence[Value], mesh: MeshShape, specs: Sequence[Spec], axes: Sequence[str]
) -> list[Value]:
    """Values with their whole specs as wishes, where these name other axes than the body's."""
    return [
        emit.with_sharding(x, mesh=mesh, spec=spec) if {*spec.axes} - {*axes} else x
        for x, spec in zip(xs, specs, strict=True)
    ]


def _named_copy(functions: dict[str, ir.Operation], name: str, new: str) -> str:
    """Copy a function, by a name that XLA does not read as that of a manual computation."""
    source, new = functions[name], _fresh(functions, new)
    made = source.clone(ip=ir.InsertionPoint(source)).operation
    made.attributes["sym_name"] = Text.encode(new)
    made.attributes["sym_visibility"] = Text.encode("private")
    functions[new] = made
    return new


def _fresh(functions: dict[str, ir.Operation], name: str) -> str:
    found, count = name, 0
    while found in functions:
        count += 1
        found = f"{name}_{count}"
    return found
