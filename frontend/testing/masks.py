"""Check the masks of derivatives: Note [Lazy masks] in `anvl_dialect/interpreters/masking.py`.

The op stands between an infinite slope, which no derivative should reach, and a selection that
masks part of its input.  There, the flags of an op (`diagonal`, `preserves_zeros`,
`selects_elements`, `moves_elements`) decide between a zero and a NaN, or a lost derivative.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.testing.checks import DerivativeCheck, listed, without_bodies
from anvl.testing.draw import Call
from anvl.testing.findings import TOLERANCES, Findings
from anvl.testing.program import type_of

__all__ = ["MaskedAdjointCheck", "MaskedTangentCheck"]

_SINGULARITIES = (np.nan, np.inf, 0.0, -1.0)  # points of infinite or undefined slope


def _nonzero(x: ir.Value) -> ir.Value:
    return emit.compare(x, zeros_like(x), comparison_direction="NE")


def _not(p: ir.Value) -> ir.Value:
    return getattr(emit, "not")(p)


def _one_where(p: ir.Value, like: ir.Value) -> ir.Value:
    return emit.select(p, full_like(like, 1), zeros_like(like))


def _at_singularities(mask: np.ndarray, shape: Sequence[int], first: int) -> np.ndarray:
    """Each of these numbers in turn at unselected positions, and zeros elsewhere."""
    x = np.zeros(shape)
    if mask.shape == x.shape:
        x[~mask] = np.resize(np.roll(_SINGULARITIES, -first), np.sum(~mask))
    return x


class _MaskedCheck(DerivativeCheck):
    """Common part, for calls with f64 operands: their first differentiable result."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        if call.through is not None:
            return False
        if not all(x.dtype in (np.float64, bool) or x.dtype.kind in "iu" for x in call.operands):
            return False
        if not DerivativeCheck.applies(op_class, call):
            return False
        types = op_class.result_type(*map(type_of, call.operands), **without_bodies(op_class, call))
        ys = [y for y in listed(op_class, types) if differentiable(y)]
        return str(ys[0].element_type) == "f64"

    @property
    def declares_zeros(self) -> bool:
        """Whether the op declares how zeros propagate."""
        rules = self.op_class
        return rules.diagonal or rules.selects_elements or rules.moves_elements

    def result(self, *xs: ir.Value) -> ir.Value:
        return self.determined(*xs)[0]

    def inputs(self) -> list[np.ndarray]:
        """The inputs that `split` splits."""
        super().inputs()
        given = [*self.ts, self.gs[0]]
        masks = [self.random.permutation(x.size).reshape(x.shape) % 2 == 0 for x in given]
        singular = [_at_singularities(masks[-1], x.shape, i) for i, x in enumerate(self.ts)]
        return [*self.call.operands, *given, *masks, *singular]

    @property
    def directions(self) -> list[np.ndarray | None]:
        return [None] * (len(self.call.operands) + 3 * len(self.ts) + 2)

    @directions.setter
    def directions(self, value: Any) -> None:
        pass

    def split(self, inputs: Sequence[ir.Value]) -> tuple[list[Any], ...]:
        """Operands, tangents and cotangent, their masks, operands with infinite slopes."""
        n, m = len(self.call.operands), len(self.ts) + 1
        parts = inputs[:n], inputs[n : n + m], inputs[n + m : n + 2 * m], inputs[n + 2 * m :]
        return tuple(map(list, parts))

    def is_masked(self, masked: ir.Value, whole: ir.Value) -> ir.Value:
        """Where a derivative is zero because of masks, or of the op's own selection."""
        is_zero = emit.compare(masked, zeros_like(masked), comparison_direction="EQ")
        if self.op_class.selects_elements:
            return is_zero
        return emit.select(_nonzero(whole), is_zero, zeros_like(is_zero))

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        half = len(found) // 2
        for given, wanted in zip(found[:half], found[half:], strict=True):
            findings.compare(self.kind, self.name, given, wanted, TOLERANCES["adjoint"])

    kind = ""


class MaskedAdjointCheck(_MaskedCheck):
    """`where(p, op(x + sqrt(s)), 0)`: the cotangent of s, which is 0 at masked positions."""

    kind = "masked adjoint"

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        xs, (*_, g), (*_, p), singular = self.split(inputs)
        block = ir.InsertionPoint.current.block
        moving = [xs[i] for i in self.wrt]
        y = self.result(*xs)
        masked = reverse_sweep(block, [(y, emit.select(p, g, zeros_like(g)))], moving)
        whole = reverse_sweep(block, [(y, g)], moving)
        if not self.declares_zeros:
            z = emit.select(p, y, zeros_like(y))
            return [*reverse_sweep(block, [(z, g)], moving), *masked]
        unmasked = [_not(self.is_masked(*pair)) for pair in zip(masked, whole, strict=True)]
        roots = [_one_where(live, x) for live, x in zip(unmasked, moving, strict=True)]
        moved = list(xs)
        for i, s, live in zip(self.wrt, roots, unmasked, strict=True):
            step = emit.sub(emit.sqrt(s), _one_where(live, xs[i]))  # 0, and varies with s
            moved[i] = emit.add(xs[i], step)
        z = emit.select(p, self.result(*moved), zeros_like(y))
        found = reverse_sweep(block, [(z, g)], roots)
        half = [emit.mul(gx, full_like(gx, 0.5)) for gx in masked]
        if not self.op_class.diagonal:
            return [*found, *half]
        return [*found, *self.emit_at_singularities(xs, g, p, singular), *half, *masked]

    def emit_at_singularities(
        self, xs: Sequence[ir.Value], g: ir.Value, p: ir.Value, singular: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The adjoint with other operands at unselected positions, after an op that only moves
        elements."""
        block = ir.InsertionPoint.current.block
        moved = list(xs)
        for i, x in zip(self.wrt, singular, strict=True):
            moved[i] = emit.select(p, xs[i], x)
        y = self.result(*moved)
        z = emit.select(p, emit.reverse(y, dimensions=()), zeros_like(y))
        return reverse_sweep(block, [(z, g)], [moved[i] for i in self.wrt])


class MaskedTangentCheck(_MaskedCheck):
    """`sqrt(op(where(p, x + u, x)))`, shifted to 0 where it is constant: the tangent in u."""

    kind = "masked tangent"

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        xs, (*ts, _), (*ps, _), _ = self.split(inputs)
        block = ir.InsertionPoint.current.block
        moving = [xs[i] for i in self.wrt]
        y = self.result(*xs)
        cut = [emit.select(p, t, zeros_like(t)) for t, p in zip(ts, ps, strict=True)]
        masked = _along(block, moving, cut, y)
        whole = _along(block, moving, ts, y)
        units = [zeros_like(x) for x in moving]
        moved = list(xs)
        for i, u, p in zip(self.wrt, units, ps, strict=True):
            moved[i] = emit.select(p, emit.add(xs[i], u), xs[i])
        z = self.result(*moved)
        if not self.declares_zeros:
            return [_along(block, units, ts, z), masked]
        level = _one_where(_not(self.is_masked(masked, whole)), y)
        root = emit.sqrt(emit.add(emit.sub(z, y), level))
        return [_along(block, units, ts, root), emit.mul(masked, full_like(masked, 0.5))]


def _along(
    block: ir.Block, xs: Sequence[ir.Value], ts: Sequence[ir.Value], y: ir.Value
) -> ir.Value:
    """Tangent of y along the tangents ts of xs."""
    (t,) = forward_sweep(block, dict(zip(xs, ts, strict=True)), [y])
    return zeros_like(y) if t is None else t
