"""Values that few elements need, computed by a branch if any of them needs one."""

from collections.abc import Callable, Sequence

from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit

__all__ = ["unless_none"]


def unless_none(flags: Value, like: Value, f: Callable[[], Sequence[Value]], n: int) -> list[Value]:
    """Emit f(), n arrays, if any flag is set, else zeros."""
    pred = emit.any(flags, axes=tuple(range(flags.type.rank)))
    choice = ir.Operation.create("stablehlo.if", [like.type] * n, [pred], regions=2)
    branches: tuple[Callable[[], Sequence[Value]], ...] = (f, lambda: [zeros_like(like)] * n)
    for region, branch in zip(choice.regions, branches, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            ir.Operation.create("stablehlo.return", [], branch())
    return list(choice.results)
