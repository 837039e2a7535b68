"""Write docs/ops.md, the table of all ops and their rules, and the dialect as IRDL text.

Run by `make ops`.  The table is derived from the op classes.
"""

import sys
from collections.abc import Iterable
from typing import Any

from anvl.dialect import OPS, AnvlOp
from anvl.dialect.core.dialect import irdl_text
from anvl.dialect.core.families import Creation, Elementwise

__all__ = ["generated"]

_HEAD = """\
# The ops

Written by `tools/dev/op_table.py` (`make ops`), which reads the op classes.

**StableHLO**: what the op becomes; *expanded* where a rule of its own builds it, *itself* where the
IR holds StableHLO's own op (Note [Borrowed ops] in `anvl_dialect/core/op.py`). **Elements**: `F`
float, `C` complex, `I` signed and `U` unsigned integer, `B` bool. **Adjoint**, **tangent**,
**batch**: *own* is written in the op's block, *table* follows from its partial derivatives there;
another name is the family that gives the rule; *zero* and *none* are by design, with the reason.
**Sampled in**: where the numeric tests draw from, off the corners. **At corners**: what the
derivative is where its formula breaks; `docs/conventions.md` says why. """

_KINDS = {"float": "F", "complex": "C", "int": "I", "uint": "U", "bool": "B"}
_COLUMNS = (
    "op", "StableHLO", "elements", "adjoint", "tangent", "batch", "sampled in", "at corners",
)  # fmt: skip


def generated() -> dict[str, str]:
    """Generated files: path from the root -> text."""
    return {
        "docs/ops.md": _document(),
        "anvl_dialect/anvl.irdl.mlir": (
            "// Written by tools/dev/op_table.py (`make ops`), for `mlir-opt --irdl-file=`.\n"
            f"{irdl_text()}"
        ),
    }


def _document() -> str:
    families: dict[str, list[type[AnvlOp]]] = {}
    for op_class in OPS.values():
        families.setdefault(op_class.__module__, []).append(op_class)
    return "\n".join([_HEAD, *(_section(name, ops) for name, ops in families.items())])


def _section(module: str, ops: Iterable[type[AnvlOp]]) -> str:
    name = module.rpartition(".")[2]
    summary = (sys.modules[module].__doc__ or "").strip().partition("\n")[0]
    rows = [_COLUMNS, ["---"] * len(_COLUMNS), *map(_row, ops)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"## {name}", "", summary, "", *lines, ""])


def _row(op_class: type[AnvlOp]) -> list[str]:
    return [
        f"`{op_class.short_name}`",
        _lowering(op_class),
        _elements(op_class),
        _derivative(op_class, "adjoint"),
        _derivative(op_class, "tangent").partition(":")[0].partition(";")[0],
        "not needed" if issubclass(op_class, Creation) else _origin(op_class, "batch"),
        _domain(op_class),
        op_class.singularity_convention,
    ]


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
