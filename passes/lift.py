"""anvl-lift: raise StableHLO and CHLO to anvl ops, so that a program can be transformed."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from anvl.dialect.core.counterparts import Refused, counterparts, emit_as
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value
from anvl.passes.framework.pass_base import Pass
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.framework.walk import find
from anvl.passes.functions.closed_bodies import close_bodies
from anvl.passes.lifting.lift_forms import lift_forms, of_arrays, replaced
from anvl.passes.lifting.lift_loops import lift_regions
from anvl.passes.lifting.lift_manual import lift_manual_computations
from anvl.passes.lifting.lift_routines import lift_routines
from anvl.passes.lifting.lift_shardings import lift_shardings
from anvl.passes.lifting.lift_top_k import lift_top_k
from anvl.passes.lifting.resources import inline_resources
from anvl.passes.lifting.written_out import lift_written_out

__all__ = ["Lift"]

_NAME = "anvl-lift"
_COMPOSITE = "stablehlo.composite"
_COMPOSITES_TO_CALLS = "func.func(stablehlo-legalize-composite-to-call)"


@dataclass(frozen=True)
class Lift(Pass, argument=_NAME):
    """Turn ops of StableHLO and CHLO into those of anvl that lower to them.

    A program from elsewhere can then be differentiated and batched.  Ops that anvl borrows stay,
    and so do ops without an anvl counterpart, for example with dynamic shapes or 2-bit integers:
    they go through all passes, and a pass that needs a rule of one reports the op and the reason.

    A `reduce` by a sum, a product, ... becomes the anvl reduction; choices and loops stay, but a
    counted loop becomes a call of a function that is declared as a scan; a composite becomes a call
    of its decomposition.  A manual computation, in which each device runs a function on its parts,
    becomes a call of a function declared as `anvl.shard_map`, with collectives along axes of its
    mesh.  The log-gamma function that JAX 0.12 writes out on bits becomes its op.  Data of
    resources are put into the constants.  Types and values are unchanged, but for roundings.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        found: list[ir.Operation] = []
        names = counterparts()
        if find(module, _COMPOSITE):
            Pipeline([_COMPOSITES_TO_CALLS]).run(module)
        inline_resources(module)
        lift_written_out(module)
        lift_shardings(module)
        lift_manual_computations(_NAME, module)
        lift_routines(module)
        lift_top_k(module)
        lift_forms(module)

        def collect(op: ir.Operation) -> ir.WalkResult:
            if op.name in names and of_arrays(op):
                found.append(op)
            return ir.WalkResult.ADVANCE

        module.walk(collect)
        with module.context:
            for op in found:
                with op.location, ir.InsertionPoint(op):
                    any(_lift(op, op_class) for op_class in names[op.name])
        close_bodies(module)
        lift_regions(module, _NAME)


def _lift(op: ir.Operation, op_class: type[AnvlOp]) -> bool:
    """Replace a StableHLO op by an op of a class, or by the ops its rule emits, if possible."""
    results: Sequence[Value] | None = None
    # If a rule raises, the op stays: `why_left` gives the reason to a pass that needs a rule of it.
    with suppress(Exception):
        try:
            results = list(emit_as(op, op_class).results)
        except Refused:
            results = op_class.lift_rest(op)
    return results is not None and replaced(op, results)
