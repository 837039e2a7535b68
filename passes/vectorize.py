"""anvl-vectorize: add a batch axis.

Applies the `batch` rule of each op that depends on a batched argument, and leaves the others.
Names no op.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from anvl.dialect.control_flow.collectives_within import axes_along_members, collectives
from anvl.dialect.core.attributes import VMAP, signature_of
from anvl.dialect.core.errors import PassError, ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Int, Ints
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.interpreters.ad_diagnostics import Search
from anvl.dialect.interpreters.batch import batch_block, first_member, repeated
from anvl.dialect.interpreters.subprogram import Program
from anvl.dialect.interpreters.variance import Variance
from anvl.passes.expand.checks import check_positions
from anvl.passes.expand.declarations import (
    KINDS,
    Kind,
    define_all,
    finish,
    nothing_declared,
)
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.framework.walk import find
from anvl.passes.functions.placements import ARGUMENTS, RESULTS, add_axis
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["Vectorize"]

_NAME = "anvl-vectorize"


@dataclass(frozen=True)
class Vectorize(Pass, argument=_NAME):
    """Give every function that is declared as a batch its body.

    A declaration with the attribute `anvl.vmap = {callee = @f, batched = ..., results = ...,
    size = n : i64}` takes the arguments and returns the results of `@f`, with a leading axis of
    size n for the arguments in `batched` and the results in `results`.  Other results must not
    depend on these arguments.  Afterwards no `anvl.vmap` is left, and no declaration that one
    depended on.

    With `function=f batched=0,2 size=n`, also add `@f_batched`, all of whose results have the axis;
    `@f` stays as it was.
    """

    anchor = "builtin.module"

    function: str = option("", help="also add the batch of this function")
    batched: tuple[int, ...] = option((), help="positions of arguments; all where not given")
    size: int = option(-1, help="size of the batch")
    suffix: str = option("_batched", help="appended to the name of the function")

    def idle(self, marks: Set[str]) -> bool:
        return nothing_declared(self, marks)

    def run(self, module: ir.Operation) -> None:
        if not self.function and (self.batched or self.size != -1):
            raise PassError(_NAME, "batched and size need function=f")
        if self.function and self.size < 0:
            raise PassError(_NAME, f"function={self.function} needs a size, such as size=8")
        expansion = define_all(module, KINDS[VMAP], self.function)
        if expansion is None or not self.function:
            return
        function = expansion.find(self.function)
        inputs, outputs = signature_of(function)
        batched = self.batched or tuple(range(len(inputs)))
        params = _Params(batched, tuple(range(len(outputs))), self.size)
        KINDS[VMAP].check(self.function, params, inputs, outputs, str(function.location))
        made = expansion.public_copy(self.function, self.suffix)
        expansion.write(KINDS[VMAP], made, self.function, params)


@dataclass(frozen=True)
class _Params:
    """Positions of the arguments and of the results with the extra axis, and its size."""

    batched: Sequence[int]
    results: Sequence[int]
    size: int


class _Vmap(Kind):
    argument = _NAME
    attribute = VMAP
    form = "{callee = @f, batched = array<i64: ...>, results = array<i64: ...>, size = n : i64}"
    positions = ("batched", "results")
    noun = "batch"
    differentiates = False

    def read(self, attribute: Any) -> _Params:
        return _Params(
            Ints.decode(attribute["batched"]),
            Ints.decode(attribute["results"]),
            Int.decode(attribute["size"]),
        )

    def check(
        self, name: str, params: _Params, inputs: list[ir.Type], outputs: list[ir.Type], place: str
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        if params.size < 0:
            raise PassError(_NAME, f"@{name}: size {params.size} is negative", place)
        check_positions(_NAME, name, "batched", params.batched, len(inputs), place)
        check_positions(_NAME, name, "results", params.results, len(outputs), place)
        for type_ in (*inputs, *outputs):
            if not isinstance(type_, ir.RankedTensorType):
                problem = f"{type_} is not a tensor, so it cannot have a batch axis"
                raise PassError(_NAME, f"@{name}: {problem}", place)
        return _batched(inputs, params.batched, params), _batched(outputs, params.results, params)

    def write(
        self,
        function: ir.Operation,
        params: _Params,
        symbols: SymbolTable,
        search: Search | None = None,
    ) -> None:
        """Batch the body in place."""
        block = function.regions[0].blocks[0]
        types = {i: _with_axis(block.arguments[i].type, params.size) for i in params.batched}
        is_equal = _equal_results(function, params, symbols)
        found = batch_block(block, types, symbols)
        results = []
        with function.location, ir.InsertionPoint(terminator_of(block)):
            for i, (y, has_axis) in enumerate(found):
                if i in params.results:
                    results.append(y if has_axis else repeated(y, params.size))
                elif not has_axis:
                    results.append(y)
                elif is_equal[i]:
                    results.append(first_member(y))
                else:
                    name = function.attributes["sym_name"].value
                    problem = f"result {i} depends on a batched argument; it must be in `results`"
                    raise PassError(_NAME, f"@{name}: {problem}", str(function.location))
        finish(function, results)
        add_axis(function, ARGUMENTS, params.batched)
        add_axis(function, RESULTS, params.results)


KINDS[VMAP] = _Vmap()


def _equal_results(function: ir.Operation, params: _Params, symbols: SymbolTable) -> list[bool]:
    """For each result, whether collectives make it equal for all members: Note [Variance].

    Refuses a loop with a collective, in which members may part.
    """
    if not params.size or not find(function.parent.operation, *collectives()):
        count = len(terminator_of(function.regions[0].blocks[0]).operands)
        return [False] * count  # of most programs, in a walk of MLIR's own
    program = Program.of_region(function.regions[0], symbols)
    flags = [i in params.batched for i in range(len(program.arguments))]
    axes = axes_along_members([program], flags)
    if not axes:
        return [False] * len(program.results)
    variance = Variance(symbols, axes)
    given = [axes if flag else frozenset[str]() for flag in flags]
    found = variance.results(program, given)
    for op, parts in variance.split:
        if op.opview.is_loop:  # of a choice, members compute all branches
            names = ", ".join(sorted(parts))
            raise ShardingError(
                f"vmap: members along {names} may stop at different steps in {op.name} at "
                f"{place_of(op)}, which has a collective along {names}, which all must reach; let "
                "its condition read what is equal for all, such as a psum or pmax"
            )
    return [not varies for varies in found]


def _batched(types: Sequence[ir.Type], which: Sequence[int], params: _Params) -> list[ir.Type]:
    return [_with_axis(t, params.size) if i in which else t for i, t in enumerate(types)]


def _with_axis(type_: Any, size: int) -> ir.Type:
    return tensor((size, *type_.shape), type_.element_type)
