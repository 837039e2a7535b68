"""An op and a pass as an installed package has them, for entry-points.mlir."""

from dataclasses import dataclass

from anvl.dialect import F, emit, unary
from anvl.passes import Pass, find

print("my_installed is imported")

unary("installed.double", lambda x: emit.add(x, x), F, lambda g, x, y: emit.add(g, g))


@dataclass(frozen=True)
class DropScales(Pass, argument="my-drop-scales"):
    """Put the operand of each scale in its place."""

    def run(self, module):
        for op in find(module, "installed.double"):
            op.result.replace_all_uses_with(op.operands[0])
            op.erase()
