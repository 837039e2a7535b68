"""anvl-gradient: reverse mode.

Walks the ops of a function last to first, asks each for its `adjoint`, and sums what meets.
Names no op but the one that asks for it (`anvl.vjp`): a new op needs no change here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from anvl.dialect.asked import LINEAR_TRANSPOSE, VJP
from anvl.dialect.errors import PassError
from anvl.dialect.findings import Search
from anvl.dialect.mlir import ir
from anvl.dialect.ops.create import full
from anvl.dialect.params import Ints, Texts
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
from anvl.passes.tags import tagged_values, tags_of
from anvl.passes.transpose import Transposed

__all__ = ["Gradient"]

_NAME = "anvl-gradient"


@dataclass(frozen=True)
class Gradient(Pass, argument=_NAME):
    """Give every function that is declared as a derivative its body.

    A declaration with the attribute `anvl.vjp = {callee = @f, wrt = ..., targets = ...}` takes
    what `@f` takes, then one cotangent for each result in `targets`; it returns what `@f` returns,
    then the adjoint of each argument in `wrt`, and that of each value which the ops of `@f` tag
    with a name in `tags = ["hidden", ...]`, if there are some.  A declaration with
    `anvl.linear_transpose = {callee = @f, wrt = ...}` takes the other arguments of `@f` and one
    cotangent for each result, and returns those of the arguments in `wrt`, in which `@f` must be
    linear.  Afterwards no `anvl.vjp` and no `anvl.linear_transpose` is left.

    With `function=f wrt=0,2`, also add `@f_adjoint`: it takes what `@f` takes and returns the
    results of `@f`, then the derivative of result `target` (a float scalar) with respect to each
    argument of `wrt` and each tag of `tags`.  With `transpose` it is the transpose of `@f` instead.
    `@f` stays as it was.
    """

    anchor = "builtin.module"

    function: str = option("", help="also add the adjoint of this function")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    target: int = option(0, help="position of the result to differentiate")
    tags: tuple[str, ...] = option((), help="names of tagged values, besides wrt")
    transpose: bool = option(False, help="of a linear function: its transpose, of all results")
    suffix: str = option("_adjoint", help="appended to the name of the function")

    def run(self, module: ir.Operation) -> None:
        if not self.function and (self.wrt or self.target or self.tags or self.transpose):
            raise PassError(_NAME, "wrt and target are of a function; say which, function=f")
        expansion = define_all(module, KINDS[VJP], self.function)
        if expansion is None or not self.function:
            return
        function = expansion.find(self.function)
        inputs, outputs = signature(function)
        floats = () if self.tags else tuple(i for i, t in enumerate(inputs) if is_float(t))
        wrt = self.wrt or floats
        place = str(function.location)
        asked: Any = _Asked(wrt, (self.target,), seeded=True, tags=self.tags)
        kind = KINDS[LINEAR_TRANSPOSE if self.transpose else VJP]
        if self.transpose:
            if self.target or self.tags:
                raise PassError(_NAME, "a transpose is of all results: give no target and no tags")
            asked = Transposed(wrt)
            kind.check(self.function, asked, inputs, outputs, place)
        else:
            _check_wrt(self.function, inputs, asked, place)
            _check_target(self.function, outputs, self.target, place)
        asked = kind.resolved(asked, self.function, expansion.functions)
        adjoint = expansion.public_copy(self.function, self.suffix)
        expansion.write(kind, adjoint, self.function, asked)


@dataclass(frozen=True)
class _Asked:
    """Positions of arguments and of results; `seeded` with ones, not with further arguments.

    And names of tagged values, with their types once these are known.
    """

    wrt: Sequence[int]
    targets: Sequence[int]
    seeded: bool = False
    tags: Sequence[str] = ()
    tagged: Sequence[ir.Type] = ()


class _Vjp(Kind):
    argument = _NAME
    attribute = VJP
    form = "{callee = @f, wrt = array<i64: ...>, targets = array<i64: ...>}"
    noun = "derivative"

    def read(self, request: Any) -> _Asked:
        wrt, targets = Ints.decode(request["wrt"]), Ints.decode(request["targets"])
        tags = Texts.decode(request["tags"]) if "tags" in request else ()
        return _Asked(wrt, targets, tags=tags)

    def resolved(self, asked: _Asked, callee: str, functions: dict[str, ir.Operation]) -> _Asked:
        if not asked.tags:
            return asked
        values = _tagged(callee, asked, functions[callee], functions)
        return replace(asked, tagged=[y.type for y in values])

    def check(
        self, name: str, asked: _Asked, inputs: list[ir.Type], outputs: list[ir.Type], place: str
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        check_floats(_NAME, name, "wrt", asked.wrt, inputs, place)
        check_floats(_NAME, name, "targets", asked.targets, outputs, place)
        cotangents = [outputs[i] for i in asked.targets]
        adjoints = [*(inputs[i] for i in asked.wrt), *asked.tagged]
        return [*inputs, *cotangents], [*outputs, *adjoints]

    def write(self, function: ir.Operation, asked: _Asked, search: Search | None = None) -> None:
        """Append the reverse sweep, and return the adjoints behind the results."""
        block = function.regions[0].blocks[0]
        terminator = terminator_of(block)
        results = list(terminator.operands)
        wrt = [block.arguments[i] for i in asked.wrt]
        if asked.tags:
            name = function.attributes["sym_name"].value
            wrt += _tagged(name, asked, function, {})
        with function.location, ir.InsertionPoint(terminator):
            seeds = [
                full(results[i].type, 1)
                if asked.seeded
                else block.add_argument(results[i].type, _cotangent_location(function, i))
                for i in asked.targets
            ]
            pairs = [(results[i], g) for i, g in zip(asked.targets, seeds, strict=True)]
            adjoints = sweep(block, pairs, wrt, search=search)
        # Read again: a scan may have given way to one that also keeps what its adjoint needs.
        finish(function, [*terminator.operands, *adjoints])


KINDS[VJP] = _Vjp()


def _cotangent_location(function: ir.Operation, i: int) -> ir.Location:
    return ir.Location.name(f"cotangent{i or ''}", function.location)


def _tagged(
    name: str, asked: _Asked, function: ir.Operation, functions: dict[str, ir.Operation]
) -> list[ir.Value]:
    """The values with the tags that are asked for, in @name and what it calls."""
    place = str(function.location)
    values = tagged_values(_NAME, name, asked.tags, tags_of(function, functions), place)
    for tag, y in zip(asked.tags, values, strict=True):
        if not is_float(y.type):
            problem = f"tag {tag!r} is {y.type}; only floats have a derivative"
            raise PassError(_NAME, f"@{name}: {problem}", place)
    return values


def _check_wrt(name: str, inputs: Sequence[ir.Type], asked: _Asked, place: str) -> None:
    if not asked.wrt and not asked.tags:
        problem = f"@{name} has no float argument to differentiate with respect to"
        raise PassError(_NAME, problem, place)
    check_floats(_NAME, name, "wrt", asked.wrt, inputs, place)


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
