"""Counterparts of StableHLO and CHLO ops for lifting, and the reason where there is none."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.definition.op_checks import raised
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.op_registry import DEFINED, OPS
from anvl.dialect.core.types import why_no_array

__all__ = ["Refused", "counterparts", "emit_as", "why_left"]


class Refused(Exception):
    """A StableHLO op that its counterpart cannot express; the text is the reason."""


def counterparts() -> dict[str, list[type[AnvlOp]]]:
    """Candidate anvl ops by the name of the StableHLO or CHLO op."""
    return _counterparts(len(DEFINED))


@lru_cache(4)
def _counterparts(known: int) -> dict[str, list[type[AnvlOp]]]:
    found: dict[str, list[type[AnvlOp]]] = {}
    for op_class in OPS.values():
        if op_class.hlo is not None:
            name = op_class.hlo if "." in op_class.hlo else f"stablehlo.{op_class.hlo}"
            found.setdefault(name, []).append(op_class)
        elif op_class.lifts:
            found.setdefault(op_class.lifts, []).append(op_class)
    return found


def emit_as(op: ir.Operation, op_class: type[AnvlOp]) -> ir.Operation:
    """Emit the op of a class that is equivalent to a StableHLO op, at the insertion point.

    Raises `Refused` if no op of the class is equivalent.
    """
    if op_class.lifts:
        found = op_class.lift(op)
        if found is None:
            raise Refused(f"it is not equivalent to {op_class.short_name}")
        operands, attributes = found[0], op_class.encode(found[1])
    else:
        operands, attributes = list(op.operands), _attributes(op, op_class)
    types = [y.type for y in op.results]
    new = ir.Operation.create(op_class.OPERATION_NAME, types, operands, attributes)
    problem = op_class.problem_of(new)
    if problem is None:
        return new
    new.erase()
    raise Refused(problem)


def _attributes(op: ir.Operation, op_class: type[AnvlOp]) -> dict[str, ir.Attribute]:
    """Attributes of the lifted op.  Raises `Refused` if one cannot be expressed."""
    params = op_class.attribute_params
    found: dict[str, ir.Attribute] = {}
    for name in op.attributes:
        if name == _HINTS:
            continue
        value = attribute_of(op, name)
        if value is None:
            raise Refused(f"its attribute `{name}` cannot be decoded")
        if name in params:
            found |= _unless_default(name, value, params[name])
        elif str(value) not in _MEANINGLESS.get(name, ()):
            raise Refused(f"{op_class.short_name} has no attribute `{name}`, got {value}")
    missing = [name for name, param in params.items() if not (param.optional or name in found)]
    if missing:
        raise Refused(f"attribute `{missing[0]}` is missing")
    return found


def _unless_default(name: str, value: ir.Attribute, param: Any) -> dict[str, ir.Attribute]:
    """The attribute under its name; empty if it equals the default."""
    try:
        decoded = param.decode(value)
    except (TypeError, ValueError) as error:
        raise Refused(f"attribute `{name}`: {error}") from None
    return {} if param.optional and decoded == param.default else {name: value}


_HINTS = "mhlo.frontend_attributes"  # compiler hints, without effect on the result

# Attributes that restate the default semantics.  (Total-order comparisons differ: `lift_rest`.)
_MEANINGLESS = {
    "compare_type": tuple(
        f"#stablehlo<comparison_type {name}>" for name in ("NOTYPE", "FLOAT", "SIGNED", "UNSIGNED")
    ),
    "result_accuracy": (
        "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>",
    ),
}


def why_left(op: ir.Operation) -> str:
    """Reason why an op of another dialect was not lifted; empty if it never has a counterpart.

    Values read inside its regions count like operands.
    """
    inner = {x: None for region in op.regions for block in region.blocks for x in _read_in(block)}
    for type_ in dict.fromkeys(v.type for v in (*op.operands, *op.results, *inner)):
        why = why_no_array(type_)
        if why is not None:
            return why
    classes = counterparts().get(op.name)
    if classes is None:
        return ""
    reasons = [_why_not(op, op_class) for op_class in classes]
    return "anvl-lift has not been run" if "" in reasons else "; ".join(dict.fromkeys(reasons))


def _read_in(block: ir.Block) -> Iterator[Value]:
    """The values that the ops of a block, and of regions in it, read."""
    for op in block.operations:
        yield from op.operands
        for region in op.regions:
            for inner in region.blocks:
                yield from _read_in(inner)


def _why_not(op: ir.Operation, op_class: type[AnvlOp]) -> str:
    """Reason why an op of another dialect does not lift to this class; empty if it does."""
    try:
        with op.location, ir.InsertionPoint(op):
            emit_as(op, op_class).erase()
    except Refused as error:
        return str(error)
    except Exception as error:  # a bug in a user's rule: reported, not fatal
        return f"{op_class.short_name}: {raised('lift', error)}"
    return ""
