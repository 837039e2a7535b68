"""anvl-gradient: reverse mode.

Walks the ops of a function last to first, asks each for its `adjoint`, and sums what meets.
Names no op but the one that asks for it (`anvl.vjp`): a new op needs no change here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anvl.dialect.asked import VJP
from anvl.dialect.errors import PassError
from anvl.dialect.mlir import ir
from anvl.dialect.ops.create import full
from anvl.dialect.params import Ints
from anvl.dialect.sweep import sweep
from anvl.passes.declared import (
    KINDS,
    Kind,
    check_floats,
    define_all,
    finish,
    is_float,
    signature,
)
from anvl.passes.inline import terminator_of
from anvl.passes.pass_ import Pass, option

__all__ = ["Gradient"]

_NAME = "anvl-gradient"


@dataclass(frozen=True)
class Gradient(Pass, argument=_NAME):
    """Give every function that is declared as a derivative its body.

    A declaration with the attribute `anvl.vjp = {callee = @f, wrt = ..., targets = ...}` takes
    what `@f` takes, then one cotangent for each result in `targets`; it returns what `@f` returns,
    then the adjoint of each argument in `wrt`.  Afterwards no `anvl.vjp` is left.

    With `function=f wrt=0,2`, also add `@f_adjoint`: it takes what `@f` takes and returns the
    results of `@f`, then the derivative of result `target` (a float scalar) with respect to each
    argument of `wrt`.  `@f` stays as it was.
    """

    anchor = "builtin.module"

    function: str = option("", help="also add the adjoint of this function")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    target: int = option(0, help="position of the result to differentiate")
    suffix: str = option("_adjoint", help="appended to the name of the function")

    def run(self, module: ir.Operation) -> None:
        if not self.function and (self.wrt or self.target):
            raise PassError(_NAME, "wrt and target are of a function; say which, function=f")
        expansion = define_all(module, KINDS[VJP], self.function)
        if expansion is None or not self.function:
            return
        function = expansion.find(self.function)
        inputs, outputs = signature(function)
        wrt = self.wrt or tuple(i for i, t in enumerate(inputs) if is_float(t))
        place = str(function.location)
        _check_wrt(self.function, inputs, wrt, place)
        _check_target(self.function, outputs, self.target, place)
        adjoint = expansion.public_copy(self.function, self.suffix)
        asked = _Asked(wrt, (self.target,), seeded=True)
        expansion.write(KINDS[VJP], adjoint, self.function, asked)


@dataclass(frozen=True)
class _Asked:
    """Positions of arguments and of results; `seeded` with ones, not with further arguments."""

    wrt: Sequence[int]
    targets: Sequence[int]
    seeded: bool = False


class _Vjp(Kind):
    argument = _NAME
    attribute = VJP
    form = "{callee = @f, wrt = array<i64: ...>, targets = array<i64: ...>}"
    noun = "derivative"

    def read(self, request: Any) -> _Asked:
        return _Asked(Ints.decode(request["wrt"]), Ints.decode(request["targets"]))

    def check(
        self, name: str, asked: _Asked, inputs: list[ir.Type], outputs: list[ir.Type], place: str
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        check_floats(_NAME, name, "wrt", asked.wrt, inputs, place)
        check_floats(_NAME, name, "targets", asked.targets, outputs, place)
        cotangents = [outputs[i] for i in asked.targets]
        return [*inputs, *cotangents], [*outputs, *(inputs[i] for i in asked.wrt)]

    def write(self, function: ir.Operation, asked: _Asked) -> None:
        """Append the reverse sweep, and return the adjoints behind the results."""
        block = function.regions[0].blocks[0]
        terminator = terminator_of(block)
        results = list(terminator.operands)
        arguments = [block.arguments[i] for i in asked.wrt]
        with function.location, ir.InsertionPoint(terminator):
            seeds = [
                full(results[i].type, 1)
                if asked.seeded
                else block.add_argument(results[i].type, _cotangent_location(function, i))
                for i in asked.targets
            ]
            pairs = [(results[i], g) for i, g in zip(asked.targets, seeds, strict=True)]
            adjoints = sweep(block, pairs, arguments)
        finish(function, [*results, *adjoints])


KINDS[VJP] = _Vjp()


def _cotangent_location(function: ir.Operation, i: int) -> ir.Location:
    return ir.Location.name(f"cotangent{i or ''}", function.location)


def _check_wrt(name: str, inputs: Sequence[ir.Type], wrt: Sequence[int], place: str) -> None:
    if not wrt:
        problem = f"@{name} has no float argument to differentiate with respect to"
        raise PassError(_NAME, problem, place)
    check_floats(_NAME, name, "wrt", wrt, inputs, place)


def _check_target(name: str, outputs: Sequence[ir.Type], target: int, place: str) -> None:
    if not 0 <= target < len(outputs):
        problem = f"target {target} is no result of @{name}, which has {len(outputs)}"
        raise PassError(_NAME, problem, place)
    type_ = outputs[target]
    if not is_float(type_) or type_.rank != 0:
        raise PassError(
            _NAME,
            f"target {target} of @{name} is {type_}, not a float scalar; "
            "return a sum of it, or use anvl.vjp with a cotangent of its shape",
            place,
        )
