"""anvl-lift: from StableHLO and CHLO to the ops of anvl, so that a program can be transformed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from anvl.dialect.errors import PassError
from anvl.dialect.mlir import ir
from anvl.dialect.op import DEFINED, OPS, AnvlOp, Value
from anvl.dialect.reading import attribute_of
from anvl.passes.lift_regions import lift_regions
from anvl.passes.pass_ import Pass

__all__ = ["Lift"]

_NAME = "anvl-lift"
_Attributes: TypeAlias = dict[str, ir.Attribute] | None


@dataclass(frozen=True)
class Lift(Pass, argument=_NAME):
    """Turn ops of StableHLO and CHLO into those of anvl that lower to them.

    A program from elsewhere can then be differentiated and batched.  Ops that anvl borrows stay,
    and so do those that it has no counterpart of: whoever needs a rule of one says so.  A `reduce`
    by a sum, a product, ... becomes that; loops and choices become calls of functions that are
    declared, `anvl.while`, `anvl.case`, and `anvl.scan` where a loop counts its steps.  Types and
    values stay as they are.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        found: list[ir.Operation] = []
        names = _lifted(len(DEFINED))

        def collect(op: ir.Operation) -> ir.WalkResult:
            if op.name in names:
                found.append(op)
            return ir.WalkResult.ADVANCE

        module.walk(collect)
        with module.context:
            for op in found:
                with op.location, ir.InsertionPoint(op):
                    any(_lift(op, op_class) for op_class in names[op.name])
        lift_regions(module, _NAME)


@lru_cache(4)
def _lifted(known: int) -> dict[str, list[type[AnvlOp]]]:
    """The ops that each op of StableHLO or CHLO may become."""
    found: dict[str, list[type[AnvlOp]]] = {}
    for op_class in OPS.values():
        if op_class.hlo is not None:
            name = op_class.hlo if "." in op_class.hlo else f"stablehlo.{op_class.hlo}"
            found.setdefault(name, []).append(op_class)
        elif op_class.lifts:
            found.setdefault(op_class.lifts, []).append(op_class)
    return found


def _lift(op: ir.Operation, op_class: type[AnvlOp]) -> bool:
    """Put an op of a class, or what its rule emits, in place of one of StableHLO, if it can be."""
    if not all(_is_static(x.type) for x in (*op.results, *op.operands)):
        return False
    made = _made(op, op_class)
    results = op_class.lift_rest(op) if made is None else _renamed(op, op_class, *made)
    if results is None:
        return False
    for y, z in zip(op.results, results, strict=True):
        y.replace_all_uses_with(z)
    op.erase()
    return True


def _made(op: ir.Operation, op_class: type[AnvlOp]) -> tuple[Sequence[Value], _Attributes] | None:
    """Operands and attributes of the new op; None where it can be no such op."""
    if not op_class.lifts:
        attributes = _attributes(op, op_class)
        return None if attributes is None else (list(op.operands), attributes)
    found = op_class.lift(op)
    return None if found is None else (found[0], op_class.encode(found[1]))


def _renamed(
    op: ir.Operation, op_class: type[AnvlOp], operands: Sequence[Value], attributes: _Attributes
) -> Sequence[Value]:
    types = [y.type for y in op.results]
    new = ir.Operation.create(op_class.OPERATION_NAME, types, operands, attributes)
    if not new.operation.verify():
        raise PassError(_NAME, f"{op.name} is no {op_class.OPERATION_NAME}", str(op.location))
    return list(new.results)


def _is_static(type_: ir.Type) -> bool:
    return isinstance(type_, ir.RankedTensorType) and type_.has_static_shape


def _attributes(op: ir.Operation, op_class: type[AnvlOp]) -> dict[str, ir.Attribute] | None:
    """The attributes of the new op; None where one says what that cannot."""
    found = {}
    for name in op.attributes:
        value = attribute_of(op, name)
        if value is None:
            return None
        kind: Any = op_class.attribute_params.get(name)
        if kind is None:
            if str(value) not in _MEANINGLESS.get(name, ()):
                return None
            continue
        try:
            decoded = kind.decode(value)
        except TypeError:
            return None
        if not (kind.optional and decoded == kind.default):
            found[name] = value
    required = {name for name, kind in op_class.attribute_params.items() if not kind.optional}
    return found if required <= found.keys() else None


# Attributes that say what holds anyway.  (A comparison in total order is another one: `lift_rest`.)
_MEANINGLESS = {
    "compare_type": tuple(
        f"#stablehlo<comparison_type {name}>" for name in ("NOTYPE", "FLOAT", "SIGNED", "UNSIGNED")
    ),
    "result_accuracy": (
        "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>",
    ),
}
