"""Forward mode over straight-line ops, for the tests: applies the `tangent` rule of each op."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.masking import materialize
from anvl.dialect.interpreters.replaced import answer_of

__all__ = ["push_forward"]


def push_forward(
    ops: Sequence[Any], tangents: dict[ir.Value, ir.Value], wanted: Sequence[ir.Value]
) -> list[ir.Value]:
    """Tangents of `wanted`, zero for independent values; emits after the ops."""
    known = dict(tangents)
    for op in ops:
        operands = tuple(op.operands)
        if known.keys().isdisjoint(operands):
            continue
        rules, ys = type(op), tuple(op.results)
        if not any(differentiable(y.type) for y in ys):
            continue
        ts = [known.get(x) for x in operands]
        several = rules.multiple_results
        found = answer_of(
            rules.tangent(ts, operands, ys if several else ys[0], **rules.read(op.operation))
        )
        for y, given in zip(ys, found if several else [found], strict=True):
            t = materialize(given)
            if t is not None:
                assert t.type == y.type, f"{op.operation.name}: tangent {t.type} of {y.type}"
                known[y] = t
    return [known[y] if y in known else full(y.type, 0) for y in wanted]
