"""Forward mode over a straight line of ops, for the tests: asks each op for its `tangent`."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.families import differentiable
from anvl.dialect.mlir import ir
from anvl.dialect.ops.create import full

__all__ = ["push_forward"]


def push_forward(
    ops: Sequence[Any], tangents: dict[ir.Value, ir.Value], wanted: Sequence[ir.Value]
) -> list[ir.Value]:
    """The tangents of `wanted`, zeros where nothing moves them; emits behind the ops."""
    known = dict(tangents)
    for op in ops:
        operands = tuple(op.operands)
        if known.keys().isdisjoint(operands):
            continue
        rules, (y,) = type(op), op.results
        if not differentiable(y.type):
            continue
        ts = [known.get(x) for x in operands]
        t = rules.tangent(ts, operands, y, **rules.read(op.operation))
        if t is not None:
            assert t.type == y.type, f"{op.operation.name}: tangent {t.type} of {y.type}"
            known[y] = t
    return [known[y] if y in known else full(y.type, 0) for y in wanted]
