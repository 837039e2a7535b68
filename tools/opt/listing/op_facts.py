"""What an op class says about itself: its lowering, its rules and where they come from.

    facts(OPS["anvl.sum"])["adjoint"]       "own"

`docs/ops.md` explains the words; it is written from these facts.
"""

from typing import Any

from anvl.dialect.core.families import Creation, Elementwise
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.interpreters.pad_axes import can_pad

__all__ = ["facts"]

_KINDS = {"float": "F", "complex": "C", "int": "I", "uint": "U", "bool": "B"}


def facts(op_class: type[AnvlOp]) -> dict[str, str]:
    """The columns of the table of ops, by name, in their order."""
    return {
        "op": f"`{op_class.short_name}`",
        "StableHLO": _lowering(op_class),
        "elements": _elements(op_class),
        "adjoint": _derivative(op_class, "adjoint"),
        "tangent": _derivative(op_class, "tangent").partition(":")[0].partition(";")[0],
        "batch": "not needed" if issubclass(op_class, Creation) else _origin(op_class, "batch"),
        "padding": _padding(op_class),
        "sampled in": _domain(op_class),
        "at corners": op_class.singularity_convention,
    }


def _lowering(op_class: type[AnvlOp]) -> str:
    if op_class.OPERATION_NAME.startswith("stablehlo."):
        return "itself"
    if op_class.hlo:
        return f"`{op_class.hlo}`"
    if op_class.has_rule("lower"):
        return "expanded"
    return f"none: {op_class.why_not_lowered}"


def _elements(op_class: type[AnvlOp]) -> str:
    kinds = getattr(op_class, "kinds", None)
    return "any" if kinds is None else " ".join(v for k, v in _KINDS.items() if k in kinds.split())


def _derivative(op_class: type[AnvlOp], rule: str) -> str:
    if op_class.zero_derivative_reason:
        return f"zero: {op_class.zero_derivative_reason}"
    if set(getattr(op_class, "kinds", "float").split()).isdisjoint({"float", "complex"}):
        return "none: no floats"
    undefined = op_class.undefined
    if len(undefined) == op_class.n_operands:
        return f"none: {undefined[0]}"
    absent = (f"; none in operand {i}: {why}" for i, why in undefined.items())
    return _origin(op_class, rule) + "".join(absent)


def _padding(op_class: type[AnvlOp]) -> str:
    if not can_pad(op_class):
        return "refused"
    return _origin(op_class, "pad_axes") if op_class.has_rule("pad_axes") else "elementwise"


def _origin(op_class: type[AnvlOp], rule: str) -> str:
    """Where a rule is defined: in the op itself, or in which family."""
    owner: Any = next(cls for cls in op_class.__mro__ if rule in cls.__dict__)
    if owner is op_class:
        return "own"
    if owner is AnvlOp:
        return "**not written**"
    return "table" if owner is Elementwise and rule != "batch" else str(owner.__name__)


def _domain(op_class: type[AnvlOp]) -> str:
    domains = getattr(op_class, "domains", ())
    if len(set(domains)) == 1:
        domains = domains[:1]
    return ", ".join(f"[{low:g}, {high:g}]" for low, high in domains)
