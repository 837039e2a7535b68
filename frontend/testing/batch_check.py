"""The check of batch rules: each member of a batch against the op itself.

Parameters that name no axis, such as `is_stable`, stay as they are: a platform may give the same
numbers whatever they say, as a sort of XLA on the CPU does.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.batch import batched_results
from anvl.testing.checks import CLAIMS, Check, is_identity, listed, result_types, split
from anvl.testing.draw import Call
from anvl.testing.findings import NARROW, TOLERANCES, Findings

__all__ = ["BatchCheck", "batch_members"]

_BATCH = 3


class BatchCheck(Check):
    """The batch rule against a loop."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return bool(call.operands)

    def inputs(self) -> list[np.ndarray]:
        xs = self.call.operands
        return [*xs, *(batch_members(x, self.call.params) for x in xs)]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        n = len(self.call.operands)
        self.xs = xs = inputs[:n]
        many = inputs[n:]
        every = [c for c in itertools.product((False, True), repeat=n) if any(c)]
        # The rule is the same in all dtypes: for narrow ones only its results are checked.
        self.choices = every[-1:] if self.narrow else every
        results: list[ir.Value] = []
        self.changed: list[str] = []
        for batched in self.choices:
            chosen = [v if b else x for x, v, b in zip(xs, many, batched, strict=True)]
            params = self.batch_params()
            ys = listed(self.op_class, self.op_class.batch(chosen, batched, **params))
            self.changed += self._changed(ys[0].owner, params)
            results += ys
            for k in range(_BATCH):
                one = [_member(x, k) if b else x for x, b in zip(chosen, batched, strict=True)]
                results += self.build(*one)
        return [*results, *self.of_none(xs)]

    def _changed(self, op: Any, params: dict[str, Any]) -> Iterator[str]:
        """Parameters that the batched op, if it is of the same class, has with other values."""
        if isinstance(op, ir.Block) or type(op.opview) is not self.op_class:
            return
        read = self.op_class.read(op)
        for name, value in params.items():
            is_of_all = isinstance(value, bool | str) and name not in CLAIMS
            if is_of_all and read[name] != value:
                yield f"batch: {self.name}: {name} becomes {read[name]!r}"

    def check_emitted(self, findings: Findings) -> None:
        findings.problems += self.changed

    def of_none(self, xs: Sequence[ir.Value]) -> list[ir.Value]:
        """Batches of size 0, as in a batching pass."""
        empty = [full(tensor((0, *x.type.shape), x.type.element_type), 1) for x in xs]
        op = self.build(*xs)[0].owner
        return list(batched_results(op.opview, empty, [True] * len(xs)))

    def batch_params(self) -> dict[str, Any]:
        """The parameters as a batching pass reads them from an op."""
        if not self.op_class.bodies:
            return self.call.params
        return self.op_class.read(self.build(*self.xs)[0].owner)

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        narrow = self.narrow
        kind = f"batch {narrow}" if narrow else "batch"
        limit = NARROW[narrow] if narrow else TOLERANCES["batch"]
        types = result_types(self.op_class, self.call)
        count = len(types)
        for y, type_ in zip(found[-count:], types, strict=True):
            findings.compare(kind, f"{self.name} of size 0", y.shape, (0, *type_.shape), 0)
        for c, batched in enumerate(self.choices):
            at = c * (_BATCH + 1) * count
            ys, *members = split(found[at : at + (_BATCH + 1) * count], [count] * _BATCH)
            name = f"{self.name} batched {batched}"
            for y, *ones in zip(ys, *members, strict=True):
                findings.compare(kind, name, y, np.stack(ones), limit)


def batch_members(x: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    """Members of a batch: x, rolled, and perturbed if it is of floats.

    Indices with claims (sorted, unique) keep their order.
    """
    if x.dtype.kind in "iu" and any(map(params.get, CLAIMS)):
        return np.stack([x] * _BATCH)
    rolled = [np.roll(x, k) for k in range(_BATCH)]
    if x.dtype == bool:
        rolled = [r ^ (k % 2 == 1) for k, r in enumerate(rolled)]
    if x.dtype.kind in "fc" and len(np.unique(x)) == x.size and not is_identity(x):
        rolled = [r * (1 + 0.01 * k) for k, r in enumerate(rolled)]
    return np.stack(rolled)


def _member(x: ir.Value, k: int) -> ir.Value:
    shape = tuple(x.type.shape)
    zeros = (0,) * (len(shape) - 1)
    part = emit.slice(
        x,
        start_indices=(k, *zeros),
        limit_indices=(k + 1, *shape[1:]),
        strides=(1,) * len(shape),
    )
    return emit.reshape(part, shape=shape[1:])
