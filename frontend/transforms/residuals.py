"""Derivatives outside of any trace, split into two compiled halves.

The first half computes the function and the residuals for the second.  The second may run many
times: `anvl.vjp` runs backward with it, `anvl.linearize` forward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments
from anvl.core.avals import Aval, aval, aval_of_type
from anvl.core.trace_state import passes_lock
from anvl.core.traced import Traced, trace_call
from anvl.core.tracing import Program as TracedProgram
from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dispatch.executables import Program, compiled_program
from anvl.passes.effects.reports import state_positions
from anvl.passes.framework.pass_base import Pass
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functionalize_effects import FunctionalizeEffects
from anvl.passes.functions.symbol_utils import functions_of, needed_by
from anvl.passes.remat import Remat
from anvl.passes.residuals.partial_eval import spare_copies
from anvl.runtime import Array, array_type, put

__all__ = ["APART", "Halves", "Late", "Plan", "halves"]


#: Distinguishes the names of the halves from those of functions in Python.
APART = "."


class Late(NamedTuple):
    """Inputs of the second half besides residuals: directions along arguments, or results.

    `chosen` are the positions of those that have one; `paths` and `avals` are of all leaves.
    """

    chosen: Sequence[int]
    paths: Sequence[str]
    avals: Sequence[Aval]


class Plan(NamedTuple):
    """A plan to split a traced function.

    `splitting` is a pass that splits `@main` into two functions, with these `suffixes` to its name.
    The second returns a direction for each position in `of` among values of these avals.
    """

    splitting: Pass
    suffixes: tuple[str, str]
    late: Late
    of: Sequence[int]
    avals: Sequence[Aval]


class Halves(NamedTuple):
    """An evaluated first half, and the second half to run.

    `result` is the result of f; `second` takes the `residuals`, then the late inputs.
    """

    result: Any
    second: Program
    residuals: list[Array]
    plan: Plan

    def run(self, given: Sequence[Any]) -> list[Array]:
        """Results of the second half for directions along all leaves; None is zeros."""
        late, placement = self.plan.late, self.second.executable.placement
        directions = [
            put(_zeros(late.avals[i]) if given[i] is None else given[i], placement)
            for i in late.chosen
        ]
        return self.second.execute([*self.residuals, *directions])


def _zeros(of: Aval) -> Any:
    return np.zeros(of.shape, of.dtype)


def halves(
    f: Callable[..., Any],
    arguments: Arguments,
    is_open: bool,
    plan_of: Callable[[Traced], Plan | None],
) -> Halves | None:
    """Trace f for these arrays, split it, and run the first half; None if there is no plan.

    With `is_open` the arrays go where the program runs: they were no arrays on a device.

    f is traced anew each time, as its captured values may have changed; programs with the same text
    are compiled once.
    """
    arrays = arguments.leaves
    avals = [aval(x.dtype, x.shape, x.weak_type) for x in arrays]
    traced = trace_call(f, StaticArguments(f, None), arguments._replace(leaves=avals))
    plan = plan_of(traced)
    if plan is None:
        return None
    first, second, kept = _cut(traced, plan)
    n_results, n_state = len(traced.out_avals), len(state_positions(_main(first)))
    _, types = signature_of(_main(first))
    out_avals = [*traced.out_avals, *map(aval_of_type, types[n_results + n_state :])]
    key = [x.aval for x in arrays]
    program = compiled_program(
        first, key, out_avals, traced.names, traced.out_tree, is_open=is_open
    )
    if program.moves:
        arrays = [put(x, program.executable.placement) for x in arrays]
    outputs = program.execute(arrays)
    values = [*arrays, *outputs[:n_results], *[None] * n_state, *outputs[n_results:]]
    residuals = [values[i] for i in kept]
    place = program.executable.placement
    avals = [plan.late.avals[i] for i in plan.late.chosen]
    inputs = [x.aval for x in residuals] + [array_type(a.shape, a.dtype, place) for a in avals]
    names = [f"residual {i}" for i in range(len(kept))]
    names += [plan.late.paths[i] for i in plan.late.chosen]
    then = compiled_program(second, inputs, [plan.avals[i] for i in plan.of], names, None)
    result = tree.unflatten(traced.out_tree, outputs[:n_results])
    return Halves(result, then, residuals, plan)


def _cut(traced: Traced, plan: Plan) -> tuple[TracedProgram, TracedProgram, list[int]]:
    """The two halves, and the positions of the residuals among the results of the first."""
    program = traced.program
    with passes_lock:
        Pipeline([FunctionalizeEffects(), Remat(), plan.splitting]).run(traced.program.module)
        first, second = (_standalone(traced, f"main{APART}{suffix}") for suffix in plan.suffixes)
        first.meetings = program.meetings
        main = _main(first)
        n_returned = len(traced.out_avals) + len(state_positions(main))
        return first, second, spare_copies(main, n_returned)


def _standalone(traced: Traced, name: str) -> TracedProgram:
    """A program of one function of another, as its `@main`, with the same captured arrays."""
    program = TracedProgram()
    program.captured, program.unplaced = traced.program.captured, traced.program.unplaced
    program.callbacks, program.mesh = traced.program.callbacks, traced.program.mesh
    functions = functions_of(traced.program.module.operation)
    with context():
        end = ir.InsertionPoint(program.module.body)
        for other in needed_by(name, functions):
            functions[other].clone(ip=end).operation.attributes["sym_visibility"] = (
                ir.StringAttr.get("private")
            )
        main = functions[name].clone(ip=end).operation
        main.attributes["sym_name"] = ir.StringAttr.get("main")
        if "arg_attrs" in main.attributes:
            del main.attributes["arg_attrs"]
    return program


def _main(program: TracedProgram) -> ir.Operation:
    operations = program.module.body.operations
    return operations[len(operations) - 1].operation
