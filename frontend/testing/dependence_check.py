"""The check of dependence rules: no derivative is outside of the pattern that a rule gives.

The Jacobian of an op by each of its operands, for the numbers of the sample and at special points,
is held against the sets that the rule gives, with unknown integers and with known ones.  An element
that is NaN says nothing: it may be a product of 0 and infinity.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.create import dense, zeros_like
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.families import Elementwise, differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.types import dtype_name, numpy_of
from anvl.dialect.interpreters.subprogram import batch_of, jvp_of
from anvl.dialect.sparsity.dependence_walk import dependences
from anvl.testing.checks import Check
from anvl.testing.draw import Call
from anvl.testing.findings import NARROW, Findings

__all__ = ["DependenceCheck", "OwnDependenceCheck"]

#: Jacobians of more columns are not computed.
_MOST = 64


class _Pattern(NamedTuple):
    """The pattern of one result by one operand, as bools: (result, operand), both flat."""

    label: str
    mask: np.ndarray


class DependenceCheck(Check):
    """The dependence rule against the Jacobian."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        """The rule of an elementwise op follows from its shape: nothing can be wrong with it."""
        plain = issubclass(op_class, Elementwise) and not op_class.has_rule("dependence")
        is_wide = all(dtype_name(x.dtype) not in NARROW for x in call.operands)
        is_given = op_class.has_rule("dependence") or op_class.diagonal
        return is_given and not plain and is_wide and op_class.has_rule("tangent")

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        self.patterns: list[_Pattern] = []
        found: list[ir.Value] = []
        whole = [not differentiable(x.type) for x in xs]
        for is_known in (False, True) if any(whole) else (False,):
            given = list(xs)
            if is_known:
                pairs = zip(xs, self.call.operands, whole, strict=True)
                given = [emit.constant(value=dense(v)) if w else x for x, v, w in pairs]
            for i in [i for i, w in enumerate(whole) if not w]:
                found += self._jacobian(given, i, "known integers" if is_known else "")
        return found

    def _jacobian(self, xs: Sequence[ir.Value], i: int, form: str) -> list[ir.Value]:
        """The Jacobians of all results by operand i; records their patterns."""
        size = int(np.prod(xs[i].type.shape, dtype=np.int64))
        if not 0 < size <= _MOST:
            return []
        block = ir.InsertionPoint.current.block
        start = len(list(block.operations))
        ys = self.build(*xs)
        ops = list(block.operations)[start:]
        sets, ids = dependences(ops, xs[i], ys)

        def along(t: ir.Value) -> list[ir.Value]:
            moving = [t if k == i else None for k in range(len(xs))]
            moved = jvp_of(lambda *vs: self.build(*vs), xs, moving, symbols=None)
            return [zeros_like(y) if m is None else m for m, y in zip(moved, ys, strict=True)]

        try:
            jacobians = batch_of(along, [_basis(xs[i], size)], [True], symbols=None)
        except MissingRule:  # of an operand without a derivative
            return []
        kept = []
        for j, (y, of, jacobian) in enumerate(zip(ys, ids, jacobians, strict=True)):
            if not differentiable(y.type):
                continue
            mask = np.zeros((of.size, size), bool)
            mask[sets.pairs(of.reshape(-1))] = True
            label = f"result {j} by operand {i}{f', {form}' if form else ''}"
            self.patterns.append(_Pattern(label, mask))
            kept.append(jacobian)
        return kept

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        for (label, mask), jacobian in zip(self.patterns, found, strict=True):
            columns = np.asarray(jacobian).reshape(mask.shape[1], -1).T
            outside = (columns != 0) & ~np.isnan(columns) & ~mask
            if outside.any():
                row, column = np.argwhere(outside)[0]
                findings.problems.append(
                    f"dependence: {self.name}: {label}: the derivative of element {row} by element "
                    f"{column} is {columns[row, column]}, and the rule says that there is none"
                )


class OwnDependenceCheck(DependenceCheck):
    """The same for ops of one's own; those of anvl have a test that tries them less often."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return op_class.is_own and super().applies(op_class, call)


def _basis(x: ir.Value, size: int) -> ir.Value:
    """All unit directions of an operand, along a first axis."""
    numbers = np.eye(size, dtype=numpy_of(x.type.element_type))
    return emit.constant(value=dense(numbers.reshape((size, *x.type.shape)), x.type.element_type))
