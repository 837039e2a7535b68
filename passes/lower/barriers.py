"""Removal of barriers that XLA:CPU cannot compile: those inside loops and branches."""

from anvl.passes.framework.walk import Found
from anvl.passes.functions.symbol_utils import is_private

__all__ = ["NAMES", "drop_inner_barriers"]

# Note [Barriers on the CPU]
#
# XLA:CPU drops barriers before common subexpression elimination, and so merges what `checkpoint`
# recomputes with the original.  `executables.py` makes XLA drop them later; but then those inside a
# loop are not dropped at all, and crash the process (jaxlib 0.10.2).  There nothing is lost: a step
# of the reverse loop recomputes what another loop computed, which is a different computation.  So
# lowering leaves barriers only in the main function.

NAMES = ("stablehlo.optimization_barrier",)


def drop_inner_barriers(found: Found) -> None:
    """Replace each barrier outside the body of a public function by its operands."""
    for op in found[NAMES[0]]:
        parent = op.parent.operation
        if parent.name == "func.func" and not is_private(parent):
            continue
        for y, x in zip(op.results, list(op.operands), strict=True):
            y.replace_all_uses_with(x)
        op.erase()
