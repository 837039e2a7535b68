"""anvl-forward: forward mode.

Walks the ops of a function first to last and applies the `tangent` rule of each.  Names no op.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import JVP, signature_of
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.ad_diagnostics import Search
from anvl.dialect.interpreters.common import named_after
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.passes.expand.checks import check_floats, check_function_given, is_float
from anvl.passes.expand.declarations import (
    KINDS,
    Kind,
    define_all,
    finish,
    nothing_declared,
)
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.placements import ARGUMENTS, RESULTS, copy_shardings
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["Forward"]

_NAME = "anvl-forward"


@dataclass(frozen=True)
class Forward(Pass, argument=_NAME):
    """Give every function that is declared as a forward derivative its body.

    A declaration with the attribute `anvl.jvp = {callee = @f, wrt = ...}` takes the arguments of
    `@f`, then one tangent for each argument in `wrt`; it returns the results of `@f`, then the
    tangent of each float result.  Afterwards no `anvl.jvp` is left, and no declaration that one
    depended on.

    With `function=f wrt=0,2`, also add `@f_tangent`, the forward derivative of `@f`; `@f` stays
    unchanged.

    With `split`, instead add `@f_primal`, which takes the arguments of `@f` and returns its
    results, then the residuals that the second function, `@f_linear`, needs.  `@f_linear` takes the
    residuals and the tangents, and returns the tangents of the float results.
    """

    anchor = "builtin.module"

    function: str = option("", help="also add the tangent of this function")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    split: bool = option(False, help="add two functions: the results with residuals, the tangents")
    suffix: str = option("", help="appended to the function's name; _tangent if not split")

    def idle(self, marks: Set[str]) -> bool:
        return nothing_declared(self, marks)

    def run(self, module: ir.Operation) -> None:
        check_function_given(self)
        expansion = define_all(module, KINDS[JVP], self.function)
        if expansion is None or not self.function:
            return
        function = expansion.find(self.function)
        inputs, outputs = signature_of(function)
        place = str(function.location)
        wrt = self.wrt or tuple(i for i, t in enumerate(inputs) if is_float(t))
        if not wrt:
            problem = f"@{self.function} has no float argument to differentiate with respect to"
            raise PassError(_NAME, problem, place)
        check_floats(_NAME, self.function, "wrt", wrt, inputs, place)
        suffix = self.suffix + _PRIMAL if self.split else self.suffix or _SUFFIX
        if self.split:
            expansion.check_free(self.function, self.suffix + _LINEAR)
        tangent = expansion.public_copy(self.function, suffix)
        # The first function must not depend on the tangents, which only the second one takes.
        expansion.write(KINDS[JVP], tangent, self.function, _Params(wrt, replaces=not self.split))
        if self.split:
            name = self.function + self.suffix
            late = range(len(inputs), len(inputs) + len(wrt))
            expansion.split(tangent, late, len(outputs), (name + _PRIMAL, name + _LINEAR))


_SUFFIX, _PRIMAL, _LINEAR = "_tangent", "_primal", "_linear"


class _Params(NamedTuple):
    """Active arguments; whether an op may be replaced by one that also computes its tangent."""

    wrt: Sequence[int]
    replaces: bool = True


class _Jvp(Kind):
    argument = _NAME
    attribute = JVP
    form = "{callee = @f, wrt = array<i64: ...>}"
    noun = "tangent"

    def read(self, attribute: Any) -> _Params:
        return _Params(Ints.decode(attribute["wrt"]))

    def check(
        self,
        name: str,
        params: _Params,
        inputs: list[ir.Type],
        outputs: list[ir.Type],
        place: str,
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        check_floats(_NAME, name, "wrt", params.wrt, inputs, place)
        moving = [inputs[i] for i in params.wrt]
        return [*inputs, *moving], [*outputs, *(t for t in outputs if is_float(t))]

    def write(
        self,
        function: ir.Operation,
        params: _Params,
        symbols: SymbolTable,
        search: Search | None = None,
    ) -> None:
        """Append the forward sweep, and return the tangents behind the results."""
        block = function.regions[0].blocks[0]
        terminator = terminator_of(block)
        results = list(terminator.operands)
        moving = [block.arguments[i] for i in params.wrt]
        with function.location, ir.InsertionPoint(terminator):
            tangents: dict[ir.Value, ir.Value | None] = {
                x: block.add_argument(x.type, named_after(x.location, "x", "tangent"))
                for x in moving
            }
            floats = [y for y in results if is_float(y.type)]
            found = forward_sweep(
                block, tangents, floats, search=search, symbols=symbols, replaces=params.replaces
            )
            filled = [
                full(y.type, 0) if t is None else t for y, t in zip(floats, found, strict=True)
            ]
        # Read again: a loop may have been replaced by one that also computes its tangents.
        finish(function, [*terminator.operands, *filled])
        first = len(block.arguments) - len(moving)
        copy_shardings(function, ARGUMENTS, params.wrt, ARGUMENTS, first)
        float_results = [i for i, y in enumerate(results) if is_float(y.type)]
        copy_shardings(function, RESULTS, float_results, RESULTS, len(results))


KINDS[JVP] = _Jvp()
