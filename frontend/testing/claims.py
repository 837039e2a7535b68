"""Check the claims of ops on their indices, `indices_are_sorted` and `unique_indices`.

A wrong claim gives right numbers on a plugin that ignores it, and wrong ones elsewhere.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.dialect.interpreters.subprogram import Program as Body
from anvl.testing.batch_check import batch_members
from anvl.testing.checks import CLAIMS, Check, is_wide
from anvl.testing.draw import Call
from anvl.testing.findings import Findings
from anvl.testing.program import type_of

__all__ = ["IndexClaimsCheck"]


class IndexClaimsCheck(Check):
    """Indices about which the rules of an op make claims, in a derivative and in batches."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return any(name in op_class.params for name in CLAIMS) and is_wide(op_class, call)

    def inputs(self) -> list[np.ndarray]:
        xs = self.call.operands
        return [*xs, *(batch_members(x, self.call.params) for x in xs)]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        n = len(self.call.operands)
        xs, many = inputs[:n], inputs[n:]
        block = ir.InsertionPoint.current.block
        ys = self.build(*xs)
        indices = next(i for i, x in enumerate(self.call.operands) if x.dtype.kind in "iu")
        params = self.op_class.read(ys[0].owner)
        is_index = [i == indices for i in range(n)]
        for batched in ([True] * n, is_index, [not i for i in is_index]):
            chosen = [v if b else x for x, v, b in zip(xs, many, batched, strict=True)]
            self.op_class.batch(chosen, batched, **params)
        Body.of(self._derivative, list(map(type_of, self.call.operands)))(*xs)
        self.claims = list(_claims_in(block))
        return [operand for *_, operand in self.claims]

    def _derivative(self, *xs: ir.Value) -> list[ir.Value]:
        block = ir.InsertionPoint.current.block
        (y,) = self.determined(*xs)[:1]
        wrt = [x for x in xs if x.type.element_type == y.type.element_type]
        return reverse_sweep(block, [(y, y)], wrt)

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        for (claim, name, dims, _), indices in zip(self.claims, found, strict=True):
            places = _places(indices, dims)
            is_kept = places == sorted(places) if claim == CLAIMS[0] else _differ(places)
            if not is_kept:
                findings.problems.append(f"claims: {self.name}: {name} has {claim} of {indices}")


def _claims_in(block: ir.Block) -> Iterator[tuple[str, str, Any, ir.Value]]:
    """Claims of the ops of a block: the claim, the op, its dimension numbers, and the indices."""
    for op in block.operations:
        rules = type(op)
        if not (issubclass(rules, AnvlOp) and CLAIMS[0] in rules.params):
            continue
        params = rules.read(op.operation)
        dims = next(v for k, v in params.items() if k.endswith("dimension_numbers"))
        operands = list(op.operands)
        for claim in CLAIMS:
            if params.get(claim):
                yield claim, rules.short_name, dims, operands[len(operands) // 2]


def _places(indices: np.ndarray, dims: Sequence[Any]) -> list[tuple[int, ...]]:
    """Target of each index vector, after its coordinates along batching axes; in order."""
    *_, along, _, vector = dims
    if vector == indices.ndim:
        indices = indices[..., None]
    vectors = np.moveaxis(indices, vector, -1)
    counted = [a for a in range(indices.ndim) if a != vector]
    batching = [counted.index(a) for a in along]
    every = np.ndindex(vectors.shape[:-1])
    return [(*(at[a] for a in batching), *map(int, vectors[at])) for at in every]


def _differ(places: list[tuple[int, ...]]) -> bool:
    return len(set(places)) == len(places)
