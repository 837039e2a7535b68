"""A pass of a person's own, for load.mlir; it knows an op of their own."""

from dataclasses import dataclass

import my_ops

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.framework.walk import find


@dataclass(frozen=True)
class Rescale(Pass, argument="my-rescale"):
    """Give every my.axpy another factor."""

    to: float = option(1.0, help="the factor")

    def run(self, module):
        for op in find(module, "my.axpy"):
            x, y = op.operands
            with op.location, ir.InsertionPoint(op):
                new = my_ops.AxpyOp.build(x, y, a=self.to)
            for old, value in zip(op.results, new, strict=True):
                old.replace_all_uses_with(value)
            op.erase()
