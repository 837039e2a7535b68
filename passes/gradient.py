"""anvl-gradient: reverse mode.

Walks the ops of a function last to first, applies the `adjoint` rule of each, and sums the
contributions to each value.  Names no op, only the attribute `anvl.vjp` that requests it: a new op
needs no change here.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from anvl.dialect.control_flow.while_loop import SLOTS, is_slots
from anvl.dialect.core.attributes import LINEAR_TRANSPOSE, VJP, signature_of
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints, Texts
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import shape_text
from anvl.dialect.interpreters.ad_diagnostics import Search
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.passes.expand.checks import check_floats, check_function_given, is_float
from anvl.passes.expand.declarations import (
    KINDS,
    Kind,
    define_all,
    finish,
    nothing_declared,
)
from anvl.passes.expand.linear_transpose import Transposed
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.adjoint_names import name_adjoints
from anvl.passes.functions.dce import drop_dead
from anvl.passes.functions.placements import ARGUMENTS, RESULTS, copy_shardings
from anvl.passes.functions.symbol_utils import terminator_of
from anvl.passes.functions.tags import tagged_values, tags_of

__all__ = ["Gradient"]

_NAME = "anvl-gradient"


@dataclass(frozen=True)
class Gradient(Pass, argument=_NAME):
    """Give every function that is declared as a derivative its body.

    A declaration with the attribute `anvl.vjp = {callee = @f, wrt = ..., targets = ...}` takes the
    arguments of `@f`, then one cotangent for each result in `targets`; it returns the results of
    `@f`, then the adjoint of each argument in `wrt`, and of each value that an op of `@f` tags with
    a name in the optional `tags = ["hidden", ...]`.  A declaration with `anvl.linear_transpose =
    {callee = @f, wrt = ...}` takes the other arguments of `@f` and one cotangent for each result,
    and returns the cotangents of the arguments in `wrt`, in which `@f` must be linear.  Afterwards
    no `anvl.vjp` and no `anvl.linear_transpose` is left.

    With `function=f wrt=0,2`, also add `@f_adjoint`: it takes the arguments of `@f` and returns the
    results of `@f`, then the derivative of result `target` (a float scalar) with respect to each
    argument of `wrt` and each tag of `tags`.  `results=none` leaves out the results of `@f`,
    `results=target` all but that one; dead code is then erased.  With `transpose` it is the
    transpose of `@f` instead.  `@f` stays unchanged.

    With `split`, instead add `@f_fwd`, which takes the arguments of `@f` and returns its results,
    then the residuals that the second function, `@f_bwd`, needs.  `@f_bwd` takes the residuals and
    a cotangent for each result in `target`, of any shape, and returns the adjoints.

    `slots` is the number of carries that each level of a loop of unknown trip count saves, unless
    the loop has its own `slots`: fewer take less memory and recompute more steps.
    """

    anchor = "builtin.module"

    function: str = option("", help="also add the adjoint of this function")
    wrt: tuple[int, ...] = option((), help="positions of arguments; all float ones where not given")
    target: tuple[int, ...] = option(
        (), help="position of the result to differentiate, 0 where not given; with split all floats"
    )
    tags: tuple[str, ...] = option((), help="names of tagged values, besides wrt")
    transpose: bool = option(False, help="of a linear function: its transpose, of all results")
    results: str = option("all", help="which results of the function come first: all, target, none")
    split: bool = option(False, help="add two functions: forward with residuals, and backward")
    suffix: str = option("", help="appended to the function's name; _adjoint if not split")
    slots: int = option(
        SLOTS,
        help="carries kept per level, a power of 2, in loops of unknown length without their own",
    )

    def idle(self, marks: Set[str]) -> bool:
        return nothing_declared(self, marks)

    def run(self, module: ir.Operation) -> None:
        self._check_options()
        expansion = define_all(module, KINDS[VJP], self.function, {"slots": self.slots})
        if expansion is None or not self.function:
            return
        function = expansion.find(self.function)
        inputs, outputs = signature_of(function)
        kind = KINDS[LINEAR_TRANSPOSE if self.transpose else VJP]
        params = self._params(inputs, outputs, str(function.location))
        params = kind.resolved(params, self.function, expansion.functions)
        suffix = self.suffix + _FORWARD if self.split else self.suffix or _SUFFIX
        if self.split:
            expansion.check_free(self.function, self.suffix + _BACKWARD)
        made = expansion.public_copy(self.function, suffix)
        expansion.write(kind, made, self.function, params)
        if not self.split:
            drop_dead(made, expansion.functions)
            return
        name = self.function + self.suffix
        late = range(len(inputs), len(inputs) + len(params.targets))
        expansion.split(made, late, len(params.results), (name + _FORWARD, name + _BACKWARD))

    def _check_options(self) -> None:
        check_function_given(self, but=["slots"])
        if not is_slots(self.slots):
            problem = f"slots is {self.slots}; it must be a power of 2, of at least 2"
            raise PassError(_NAME, problem)
        if self.results not in _RESULTS:
            raise PassError(
                _NAME, f"results must be one of {', '.join(_RESULTS)}, got {self.results!r}"
            )
        if self.transpose and (self.target or self.tags):
            raise PassError(_NAME, "a transpose covers all results: give no target and no tags")
        if self.transpose and (self.split or self.results != "all"):
            raise PassError(_NAME, "a transpose computes no results: give no results and no split")
        if len(self.target) > 1 and not self.split:
            raise PassError(
                _NAME,
                f"target {shape_text(self.target)} names {len(self.target)} results; give one, or "
                "split, for a cotangent of each",
            )

    def _params(self, inputs: list[ir.Type], outputs: list[ir.Type], place: str) -> Any:
        floats = () if self.tags else tuple(i for i, t in enumerate(inputs) if is_float(t))
        wrt = self.wrt or floats
        if self.transpose:
            transposed = Transposed(wrt)
            KINDS[LINEAR_TRANSPOSE].check(self.function, transposed, inputs, outputs, place)
            return transposed
        _check_wrt(self.function, inputs, wrt, self.tags, place)
        if self.split:
            targets = self.target or tuple(i for i, t in enumerate(outputs) if is_float(t))
            _check_targets(self.function, outputs, targets, place)
        else:
            targets = self.target or (0,)
            _check_target(self.function, outputs, targets[0], place)
        kept = {"all": range(len(outputs)), "target": targets, "none": ()}[self.results]
        return _Params(wrt, targets, seeded=not self.split, tags=self.tags, results=kept)


_RESULTS = ("all", "target", "none")
_SUFFIX, _FORWARD, _BACKWARD = "_adjoint", "_fwd", "_bwd"


@dataclass(frozen=True)
class _Params:
    """Positions of arguments and of results; `seeded` with ones, not with further arguments.

    Also names of tagged values, with their types once these are known.  `results` are the results
    to return, for a function requested by name: then adjoints have names.
    """

    wrt: Sequence[int]
    targets: Sequence[int]
    seeded: bool = False
    tags: Sequence[str] = ()
    tagged: Sequence[ir.Type] = ()
    results: Sequence[int] | None = None


class _Vjp(Kind):
    argument = _NAME
    attribute = VJP
    form = "{callee = @f, wrt = array<i64: ...>, targets = array<i64: ...>}"
    positions = ("wrt", "targets")
    noun = "derivative"

    def read(self, attribute: Any) -> _Params:
        wrt, targets = Ints.decode(attribute["wrt"]), Ints.decode(attribute["targets"])
        tags = Texts.decode(attribute["tags"]) if "tags" in attribute else ()
        return _Params(wrt, targets, tags=tags)

    def resolved(self, params: _Params, callee: str, functions: dict[str, ir.Operation]) -> _Params:
        if not params.tags:
            return params
        values = _tagged(callee, params, functions[callee], functions)
        return replace(params, tagged=[y.type for y in values])

    def check(
        self, name: str, params: _Params, inputs: list[ir.Type], outputs: list[ir.Type], place: str
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        check_floats(_NAME, name, "wrt", params.wrt, inputs, place)
        check_floats(_NAME, name, "targets", params.targets, outputs, place)
        cotangents = [outputs[i] for i in params.targets]
        adjoints = [*(inputs[i] for i in params.wrt), *params.tagged]
        return [*inputs, *cotangents], [*outputs, *adjoints]

    def write(
        self,
        function: ir.Operation,
        params: _Params,
        symbols: SymbolTable,
        search: Search | None = None,
    ) -> None:
        """Append the reverse sweep, and return the adjoints behind the results."""
        block = function.regions[0].blocks[0]
        terminator = terminator_of(block)
        results = list(terminator.operands)
        wrt = [block.arguments[i] for i in params.wrt]
        if params.tags:
            name = function.attributes["sym_name"].value
            wrt += _tagged(name, params, function, {})
        is_named = params.results is not None
        forward = [op.operation for op in block.operations] if is_named else []
        reached: list[tuple[ir.Value, ir.Value]] | None = [] if is_named else None
        with function.location, ir.InsertionPoint(terminator):
            seeds = [
                full(results[i].type, 1)
                if params.seeded
                else block.add_argument(results[i].type, _cotangent_location(function, i))
                for i in params.targets
            ]
            pairs = [(results[i], g) for i, g in zip(params.targets, seeds, strict=True)]
            adjoints = reverse_sweep(
                block, pairs, wrt, search=search, symbols=symbols, reached=reached
            )
        results = list(terminator.operands)  # a rule may have replaced one
        if reached is not None:
            named = [*pairs, *reached, *reversed(list(zip(wrt, adjoints, strict=True)))]
            name_adjoints(forward, _added(block, forward), named)
        kept = results if params.results is None else [results[i] for i in params.results]
        finish(function, [*kept, *adjoints], params.results)
        if not params.seeded:
            first = len(block.arguments) - len(seeds)
            copy_shardings(function, RESULTS, params.targets, ARGUMENTS, first)
        copy_shardings(function, ARGUMENTS, params.wrt, RESULTS, len(kept))


def _added(block: ir.Block, before: Sequence[ir.Operation]) -> list[ir.Operation]:
    """The ops of a block that were not there before."""
    known = set(before)
    return [op.operation for op in block.operations if op.operation not in known]


KINDS[VJP] = _Vjp()


def _cotangent_location(function: ir.Operation, i: int) -> ir.Location:
    return ir.Location.name(f"cotangent{i or ''}", function.location)


def _tagged(
    name: str, params: _Params, function: ir.Operation, functions: dict[str, ir.Operation]
) -> list[ir.Value]:
    """Values with the requested tags, in @name and its callees."""
    place = str(function.location)
    values = tagged_values(_NAME, name, params.tags, tags_of(function, functions), place)
    for tag, y in zip(params.tags, values, strict=True):
        if not is_float(y.type):
            problem = f"tag {tag!r} is {y.type}; only floats have a derivative"
            raise PassError(_NAME, f"@{name}: {problem}", place)
    return values


def _check_wrt(
    name: str, inputs: Sequence[ir.Type], wrt: Sequence[int], tags: Sequence[str], place: str
) -> None:
    if not wrt and not tags:
        problem = f"@{name} has no float argument to differentiate with respect to"
        raise PassError(_NAME, problem, place)
    check_floats(_NAME, name, "wrt", wrt, inputs, place)


def _check_targets(
    name: str, outputs: Sequence[ir.Type], targets: Sequence[int], place: str
) -> None:
    if not targets:
        raise PassError(_NAME, f"@{name} has no float result to differentiate", place)
    check_floats(_NAME, name, "target", targets, outputs, place)


def _check_target(name: str, outputs: Sequence[ir.Type], target: int, place: str) -> None:
    if not 0 <= target < len(outputs):
        problem = f"target {target} is not a result of @{name}, which has {len(outputs)}"
        raise PassError(_NAME, problem, place)
    type_ = outputs[target]
    if not is_float(type_) or type_.rank != 0:
        raise PassError(
            _NAME,
            f"target {target} of @{name} is {type_}, not a float scalar; "
            "return a sum of it, or use split or anvl.vjp, with a cotangent of its shape",
            place,
        )
