"""anvl-probe: make a function also return a summary of its values.

Used by `jit(f, debug_nans=True)` to find the op that produced a NaN: see docs/debugging.md.
"""

from dataclasses import dataclass

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.ops.array.nan_probe import counts, is_probed
from anvl.passes.expand.declarations import finish
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.symbol_utils import body_of, functions_of, terminator_of

__all__ = ["Probe", "ops_of", "probed_values"]

_NAME = "anvl-probe"


@dataclass(frozen=True)
class Probe(Pass, argument=_NAME):
    """Add a result to a function: counts of the NaNs and infinities in each of its float values.

    The new result is `i32[n, 2]`, for each float result of an op, in the order of the program, the
    number of NaNs and of infinities.  Values in the bodies of ops are not looked at.

    With `op=k`, it returns instead the operands and the results of the op at position k.
    """

    anchor = "builtin.module"

    function: str = option("main", help="the function to change")
    op: int = option(-1, help="position of the op whose operands and results to return")

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        function = functions.get(self.function)
        if function is None or body_of(function) is None:
            known = ", ".join(f"@{n}" for n, f in functions.items() if body_of(f)) or "none"
            problem = f"there is no function @{self.function} with a body; the module has {known}"
            raise PassError(_NAME, problem)
        ops = ops_of(function)
        place = str(function.location)
        if not -1 <= self.op < len(ops):
            problem = f"op {self.op} is out of range for the {len(ops)} ops of @{self.function}"
            raise PassError(_NAME, problem, place)
        terminator = terminator_of(function.regions[0].blocks[0])
        with function.location, ir.InsertionPoint(terminator):
            if self.op == -1:
                more = [counts([y for op in ops for y in probed_values(op)])]
            else:
                more = [*ops[self.op].operands, *ops[self.op].results]
        finish(function, [*terminator.operands, *more])


def ops_of(function: ir.Operation) -> list[ir.Operation]:
    """Ops of a function, in order, without the terminator."""
    return [op.operation for op in function.regions[0].blocks[0].operations][:-1]


def probed_values(op: ir.Operation) -> list[ir.Value]:
    """The results of an op that may be infinite or NaN."""
    return [y for y in op.results if is_probed(y.type)]
