"""Write docs/ops.md, the table of all ops and their rules, and the dialect as IRDL text.

Run by `make ops`.  The table is derived from the op classes.
"""

import sys
from collections.abc import Iterable

from anvl.dialect import OPS, AnvlOp
from anvl.dialect.core.dialect import irdl_text
from anvl.tools.opt.listing.op_facts import facts

__all__ = ["generated"]

_HEAD = """\
# The ops

Written by `tools/dev/op_table.py` (`make ops`), which reads the op classes.

**StableHLO**: what the op becomes; *expanded* where a rule of its own builds it, *itself* where the
IR holds StableHLO's own op (Note [Borrowed ops] in `anvl_dialect/core/op.py`). **Elements**: `F`
float, `C` complex, `I` signed and `U` unsigned integer, `B` bool. **Adjoint**, **tangent**,
**batch**: *own* is written in the op's block, *table* follows from its partial derivatives there;
another name is the family that gives the rule; *zero* and *none* are by design, with the reason.
**Padding**: the rule for `jit(bucket=...)`; *elementwise* ops are built again. **Sampled in**:
where the numeric tests draw from, off the corners. **At corners**: what the derivative is where its
formula breaks; `docs/conventions.md` says why. """


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
    found = [facts(op_class) for op_class in ops]
    rows = [[*found[0]], ["---"] * len(found[0]), *(list(each.values()) for each in found)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"## {name}", "", summary, "", *lines, ""])
