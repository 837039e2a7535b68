"""anvl-print-collectives: compile a function for its mesh, and list what the devices exchange.

It executes XLA's compiler, so it belongs to the tools: Note [A pass that executes].
"""

import sys
from dataclasses import dataclass

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass, option
from anvl.tools.plan.collectives import collectives, counted, listed
from anvl.tools.plan.simulated import compiled, devices_of
from anvl.tools.run.entry import lowered

__all__ = ["PrintCollectives"]

_NAME = "anvl-print-collectives"


@dataclass(frozen=True)
class PrintCollectives(Pass, argument=_NAME, registered=False):
    """Compile a function for simulated devices and list the collectives that XLA wrote, on stderr.

    A line for each has the arrays on a device and their bytes, how often it runs, and the groups of
    devices that exchange them; the last line has the sum.  There are as many devices as the meshes
    of the function have.  The module stays as it was.
    """

    anchor = "builtin.module"

    function: str = option("main", help="the function to compile")

    def run(self, module: ir.Operation) -> None:
        from anvl.runtime import RuntimeFailure

        copy = ir.Module.parse(module.get_asm(assume_verified=True), context())
        program = lowered(copy, self.function, "cpu", "lapack")
        devices = devices_of(program.text)
        try:
            found = collectives(compiled(program.text, devices).program)
        except (RuntimeFailure, ValueError) as error:
            raise PassError(_NAME, str(error)) from error
        head = f"@{self.function} on {counted(devices, 'device')}:"
        print("\n  ".join([head, *listed(found)]), file=sys.stderr)
