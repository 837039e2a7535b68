"""anvl-mixed-precision: contractions of bf16 or f16, everything else in f32.

Before derivatives are expanded, so that those of a contraction follow by its rules.  Names no op:
one that has the rule `narrowed` is a contraction.
"""

import sys
from collections.abc import Callable, Set
from dataclasses import dataclass, field

from anvl.dialect.core.attributes import MIXED_PRECISION
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.dce import run_on
from anvl.passes.functions.function_versions import versions_of
from anvl.passes.functions.narrowing import Cast, Narrower
from anvl.passes.functions.symbol_utils import body_of, functions_of

__all__ = ["MixedPrecision"]

_NAME = "anvl-mixed-precision"
_DTYPES = ("bf16", "f16")


@dataclass(frozen=True)
class MixedPrecision(Pass, argument=_NAME):
    """Multiply in bf16 or f16 and add in f32: contractions and convolutions from f32 to f32.

    A function with the attribute `anvl.mixed_precision = "bf16"` computes so, and with it the
    functions that it calls or names, such as the body of a scan; a function that is also called
    from elsewhere is copied.  With `dtype`, all functions do that have no attribute.  Each
    contraction casts its operands, results are f32, and all other ops stay (Note [Mixed
    precision]).  Afterwards no `anvl.mixed_precision` is left.
    """

    anchor = "builtin.module"

    dtype: str = option("", help="of all functions without an attribute: bf16 or f16")
    report: bool = option(False, help="say on stderr what was cast, and what not and why")
    #: Called with what became of each contraction; from Python only.
    on_report: Callable[[list[Cast]], None] | None = field(default=None, compare=False)

    def idle(self, marks: Set[str]) -> bool:
        return not (self.dtype or self.report) and MIXED_PRECISION not in marks

    def run(self, module: ir.Operation) -> None:
        if self.dtype and self.dtype not in _DTYPES:
            raise PassError(_NAME, f"dtype is {self.dtype!r}; it must be {' or '.join(_DTYPES)}")
        functions = functions_of(module)
        chosen = {name: dtype for name, op in functions.items() if (dtype := _dtype_of(name, op))}
        casts: list[Cast] = []
        for name, dtype in versions_of(functions, chosen, self.dtype).items():
            block = body_of(functions[name])
            if dtype and block is not None:
                narrower = Narrower(dtype)
                narrower.run(block)
                casts += narrower.casts
                if narrower.casts:  # also casts for what stayed
                    run_on(functions[name], "trivial-dce")
        for function in functions_of(module).values():
            if MIXED_PRECISION in function.attributes:
                del function.attributes[MIXED_PRECISION]
        self._tell(casts)

    def _tell(self, casts: list[Cast]) -> None:
        if self.on_report is not None:
            self.on_report(casts)
        if self.report:
            said = "\n".join(map(str, casts)) or f"{_NAME}: nothing is contracted"
            print(said, file=sys.stderr)


def _dtype_of(name: str, function: ir.Operation) -> str:
    """The dtype that a function asks for; empty if it asks for none."""
    if MIXED_PRECISION not in function.attributes:
        return ""
    attribute = function.attributes[MIXED_PRECISION]
    dtype = attribute.value if isinstance(attribute, ir.StringAttr) else ""
    if dtype not in _DTYPES:
        problem = f"@{name}: {MIXED_PRECISION} is {attribute}; it must be "
        listed = " or ".join(f'"{one}"' for one in _DTYPES)
        raise PassError(_NAME, problem + listed, str(function.location))
    return dtype
