"""anvl-forward: forward mode.

Walks the ops of a function first to last and asks each for its `tangent`.  Names no op.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import JVP
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.interpreters.ad_diagnostics import Search
from anvl.dialect.interpreters.common import named_after
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.passes.expand.declarations import (
    KINDS,
    Kind,
    check_floats,
    check_function_given,
    define_all,
    finish,
    is_float,
    nothing_declared,
    signature,
)
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["Forward"]

_NAME = "anvl-forward"


@dataclass(frozen=True)
class Forward(Pass, argument=_NAME):
    """Give every function that is declared as a forward derivative its body.

    A declaration with the attribute `anvl.jvp = {callee = @f, wrt = ...}` takes what `@f` takes,
    then one tangent for each argument in `wrt`; it returns what `@f` returns, then the tangent of
    each float result.  Afterwards no `anvl.jvp` is left, and nothing that one depended on.

    With `function=f wrt=0,2`, also add `@f_tangent`, which is that of `@f`; `@f` stays as it was.

    With `split`, instead add `@f_primal`, which takes what `@f` takes and returns its results, then
    the residuals: what the second, `@f_linear`, needs of it.  That takes the residuals and the
    tangents, and returns the tangents of the float results.
    """

    anchor = "builtin.module"

    function: str = option("", help="also add the tangent of this function")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    split: bool = option(False, help="add two functions: the results with residuals, the tangents")
    suffix: str = option("", help="appended to the name of the function; _tangent, but for split")

    def idle(self, marks: Set[str]) -> bool:
        return nothing_declared(self, marks)

    def run(self, module: ir.Operation) -> None:
        check_function_given(self)
        expansion = define_all(module, KINDS[JVP], self.function)
        if expansion is None or not self.function:
            return
        function = expansion.find(self.function)
        inputs, outputs = signature(function)
        place = str(function.location)
        wrt = self.wrt or tuple(i for i, t in enumerate(inputs) if is_float(t))
        if not wrt:
            problem = f"@{self.function} has no float argument that could move"
            raise PassError(_NAME, problem, place)
        check_floats(_NAME, self.function, "wrt", wrt, inputs, place)
        suffix = self.suffix + _PRIMAL if self.split else self.suffix or _SUFFIX
        if self.split:
            expansion.check_free(self.function, self.suffix + _LINEAR)
        tangent = expansion.public_copy(self.function, suffix)
        # What is computed early must not depend on the tangents, which come later.
        expansion.write(KINDS[JVP], tangent, self.function, _Asked(wrt, replaces=not self.split))
        if self.split:
            name = self.function + self.suffix
            late = range(len(inputs), len(inputs) + len(wrt))
            expansion.split(tangent, late, len(outputs), (name + _PRIMAL, name + _LINEAR))


_SUFFIX, _PRIMAL, _LINEAR = "_tangent", "_primal", "_linear"


class _Asked(NamedTuple):
    """The arguments that move; whether an op may give way to one that computes its tangent, too."""

    wrt: Sequence[int]
    replaces: bool = True


class _Jvp(Kind):
    argument = _NAME
    attribute = JVP
    form = "{callee = @f, wrt = array<i64: ...>}"
    noun = "tangent"

    def read(self, request: Any) -> _Asked:
        return _Asked(Ints.decode(request["wrt"]))

    def check(
        self,
        name: str,
        asked: _Asked,
        inputs: list[ir.Type],
        outputs: list[ir.Type],
        place: str,
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        check_floats(_NAME, name, "wrt", asked.wrt, inputs, place)
        moving = [inputs[i] for i in asked.wrt]
        return [*inputs, *moving], [*outputs, *(t for t in outputs if is_float(t))]

    def write(self, function: ir.Operation, asked: _Asked, search: Search | None = None) -> None:
        """Append the forward sweep, and return the tangents behind the results."""
        block = function.regions[0].blocks[0]
        terminator = terminator_of(block)
        results = list(terminator.operands)
        moving = [block.arguments[i] for i in asked.wrt]
        with function.location, ir.InsertionPoint(terminator):
            tangents: dict[ir.Value, ir.Value | None] = {
                x: block.add_argument(x.type, named_after(x.location, "x", "tangent"))
                for x in moving
            }
            floats = [y for y in results if is_float(y.type)]
            found = forward_sweep(block, tangents, floats, search=search, replaces=asked.replaces)
            filled = [
                full(y.type, 0) if t is None else t for y, t in zip(floats, found, strict=True)
            ]
        # Read again: a loop whose tangent computes its values as well has given way to that.
        finish(function, [*terminator.operands, *filled])


KINDS[JVP] = _Jvp()
