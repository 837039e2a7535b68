"""Barriers that XLA on the CPU can compile: not those inside of loops and branches."""

from anvl.passes.framework.walk import Found
from anvl.passes.functions.symbol_utils import is_private

__all__ = ["NAMES", "drop_inner_barriers"]

# Note [Barriers on the CPU]
#
# XLA:CPU drops barriers before it merges equal computations, and so merges what `checkpoint`
# computes again with what it was to replace.  `executables.py` asks it to drop them later; but
# then those inside of a loop are not dropped at all, and end the process (jaxlib 0.10.2).  In there
# nothing is lost: what a step back computes again was computed in another loop, which is another
# computation.  So lowering leaves barriers in the main function alone.

NAMES = ("stablehlo.optimization_barrier",)


def drop_inner_barriers(found: Found) -> None:
    """Put its operands in place of each barrier that is not in the body of a public function."""
    for op in found[NAMES[0]]:
        parent = op.parent.operation
        if parent.name == "func.func" and not is_private(parent):
            continue
        for y, x in zip(op.results, list(op.operands), strict=True):
            y.replace_all_uses_with(x)
        op.erase()
