"""Ops and attributes of `sdy` in a module that was read from bytecode, in the form for artifacts.

They have the form that `shardy.py` writes in text: Note [Shardings in StableHLO] in
`ops/sharding/with_sharding.py`.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.text.manual_text import MARK, outline
from anvl.dialect.text.shardy import NotPlacement
from anvl.dialect.text.shardy_bytecode import Computation, Numbered

__all__ = ["AS_TEXT", "rewrite_placement"]

_PREFIX, _SHARDING = "sdy.", "sdy.sharding"
_KINDS = {"sdy.sharding_rule": "sharding rule"}
_CONSTRAINTS = ("sdy.sharding_constraint", "sdy.reshard")
_COMPUTATION, _RETURN, _MESH = "sdy.manual_computation", "sdy.return", "sdy.mesh"
#: What to do about bytecode of which that does not read enough.
AS_TEXT = "give the program as text, as str(module) has it, instead of bytecode"
_PROPERTY = re.compile(r'"sdy\.\w+"\([^)]*\) <(\d+)')


def rewrite_placement(module: ir.Module, known: Numbered) -> tuple[bool, Mapping[str, int]]:
    """Rewrite what is known of placement, and remove the rest.

    Returns whether there was anything, and counts of removals by kind.  Raises `NotPlacement` for
    an op that does more than place arrays, and is not known.
    """
    found, dropped = list[ir.Operation](), Counter[str]()
    counted = 0

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal counted
        if op.name.startswith(_PREFIX):
            found.append(op)
        for name in [name for name in op.attributes if name.startswith(_PREFIX)]:
            dropped[_KINDS.get(name, "sharding")] += 1
            del op.attributes[name]
        for name in ("arg_attrs", "res_attrs"):
            if name in op.attributes:
                entries = [_placed(entry, known, dropped) for entry in op.attributes[name]]
                counted += entries != list(op.attributes[name])
                op.attributes[name] = ir.ArrayAttr.get(entries)
        return ir.WalkResult.ADVANCE

    with module.context:
        module.operation.walk(visit)
        for op in found:  # those in a computation before it
            _rewrite(op, known, dropped)
        outline(module)
    if not dropped.keys() - {"mesh"}:
        meshes = dropped.pop("mesh", 0)  # each sharding has its mesh with it
        return bool(counted or found or meshes), dropped
    return True, dropped


def _placed(attributes: Any, known: Numbered, dropped: Counter[str]) -> ir.DictAttr:
    """The attributes of an argument or result, its sharding as a string."""
    kept = {e.name: attributes[e.name] for e in attributes if not e.name.startswith(_PREFIX)}
    if _SHARDING in attributes:
        number = attributes[_SHARDING]
        text = known.shardings.get(number.value) if isinstance(number, ir.IntegerAttr) else None
        if text is None:
            dropped["sharding"] += 1
        else:
            kept |= _strings(sharding=f"#sdy.sharding{text}")
    return ir.DictAttr.get(kept)


def _strings(**texts: str) -> dict[str, ir.Attribute]:
    entries = {f"xla.sdy.{name}": ir.StringAttr.get(text) for name, text in texts.items()}
    return {"mhlo.frontend_attributes": ir.DictAttr.get(entries)}


def _rewrite(op: ir.Operation, known: Numbered, dropped: Counter[str]) -> None:
    if op.name == _COMPUTATION:
        _write_computation(op, known)
    elif op.name in _CONSTRAINTS:
        _write_constraint(op, known, dropped)
    elif op.name == _MESH:
        dropped["mesh"] += 1
        op.erase()
    elif op.name != _RETURN:
        raise NotPlacement(op.name, advice=AS_TEXT)


def _number(op: ir.Operation) -> int:
    """The first property of an op of an unregistered dialect, which no binding shows; or -1."""
    found = _PROPERTY.search(op.get_asm(assume_verified=True, skip_regions=True))
    return -1 if found is None else int(found[1])


def _write_constraint(op: ir.Operation, known: Numbered, dropped: Counter[str]) -> None:
    text, (x,) = known.shardings.get(_number(op)), op.operands
    if text is None:
        dropped["constraint"] += 1
        y = x
    else:
        said = _strings(sharding=f"#sdy.sharding_per_value<[{text}]>")
        y = _call(op, "Sharding", [x], [op.result.type], said).result
    op.result.replace_all_uses_with(y)
    op.erase()


def _call(
    before: ir.Operation, target: str, xs: Sequence[ir.Value], types: Sequence[ir.Type],
    attributes: Mapping[str, ir.Attribute],
) -> ir.Operation:  # fmt: skip
    name = {"call_target_name": ir.StringAttr.get(target)}
    with before.location, ir.InsertionPoint(before):
        return ir.Operation.create("stablehlo.custom_call", types, xs, {**name, **attributes})


def _write_computation(op: ir.Operation, known: Numbered) -> None:
    """Put the ops of a manual computation between two calls, which `outline` reads."""
    block = op.regions[0].blocks[0]
    inside = [each.operation for each in block.operations]
    returned = inside.pop()
    said = _computation(op, returned, known)
    if said is None or not op.operands or any(MARK in each.attributes for each in inside):
        raise NotPlacement(op.name, advice=AS_TEXT)
    marks = {MARK: ir.UnitAttr.get(), "has_side_effect": ir.BoolAttr.get(True)}
    names = ", ".join(f'"{name}"' for name in said.axes)
    axes = f"#sdy<manual_axes{{{names}}}>"
    sides = [f"#sdy.sharding_per_value<[{', '.join(of)}]>" for of in (said.ins, said.outs)]
    before = _call(
        op, "xla.sdy.GlobalToLocalShape", list(op.operands), [x.type for x in block.arguments],
        marks | _strings(in_shardings=sides[0], manual_axes=axes),
    )  # fmt: skip
    for argument, x in zip(block.arguments, before.results, strict=True):
        argument.replace_all_uses_with(x)
    for each in inside:
        each.move_before(op)
    after = _call(
        op, "xla.sdy.LocalToGlobalShape", list(returned.operands), [y.type for y in op.results],
        marks | _strings(out_shardings=sides[1], manual_axes=axes),
    )  # fmt: skip
    for old, new in zip(op.results, after.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _computation(op: ir.Operation, returned: ir.Operation, known: Numbered) -> Computation | None:
    """Specs and axes of a manual computation; None if unknown, or if several may be meant."""
    fitting = [
        of
        for of in known.computations.get(_number(op), [])
        if len(of.ins) == len(op.operands) and len(of.outs) == len(op.results)
    ]
    return fitting[0] if fitting and all(of == fitting[0] for of in fitting) else None
