"""Other forms of ops, for platforms where XLA lacks them or computes them in another way.

An op says so by its rule `on_platform`.  This comes before lowering: what lowering emits is chosen
for the platform by the rules that emit it.
"""

from functools import lru_cache

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import DEFINED, OPS, ops_with_rule
from anvl.passes.framework.walk import find

__all__ = ["write_platform_forms"]


def write_platform_forms(module: ir.Operation, platform: str) -> None:
    """Replace the ops that have another form for a platform."""
    for op in find(module, *_names(len(DEFINED))):
        rules = OPS[op.name]
        with ir.InsertionPoint(op), op.location:
            found = rules.on_platform(platform, list(op.operands), **rules.read(op))
        if found is None:
            continue
        for old, new in zip(op.results, found, strict=True):
            old.replace_all_uses_with(new)
        op.erase()


@lru_cache(4)
def _names(known: int) -> tuple[str, ...]:
    return tuple(op_class.OPERATION_NAME for op_class in ops_with_rule("on_platform"))
