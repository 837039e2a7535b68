"""The attribute `anvl.sharding` of arguments and results, in the form that XLA reads."""

from anvl.dialect.core.attributes import SHARDING, entries_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import MeshShape, Spec
from anvl.dialect.ops.sharding.with_sharding import (
    FRONTEND,
    frontend_attributes,
    placement_call,
)
from anvl.passes.functions.placements import ARGUMENTS, RESULTS, shardings_of
from anvl.passes.functions.symbol_utils import body_of, functions_of, terminator_of

__all__ = ["lower_func_shardings"]


def lower_func_shardings(argument: str, module: ir.Operation) -> None:
    """Write Shardy's strings: Note [Shardings in StableHLO] in `ops/sharding/with_sharding.py`.

    An argument has an attribute; a result gets a constraint, from which the partitioner takes its
    sharding, and which a program on one device passes over.  Raises `PassError` of the pass
    `argument` for a sharding that does not fit its type.
    """
    for function in functions_of(module).values():
        if ARGUMENTS not in function.attributes and RESULTS not in function.attributes:
            continue
        of_arguments = shardings_of(argument, function, ARGUMENTS)
        of_results = shardings_of(argument, function, RESULTS)
        if of_arguments:
            _mark_arguments(function, of_arguments)
        block = body_of(function)
        if of_results and block is not None:
            _mark_results(function, block, of_results)


def _mark_arguments(function: ir.Operation, found: dict[int, tuple[MeshShape, Spec]]) -> None:
    all_ = list(function.attributes[ARGUMENTS])
    with function.context:
        for i, (mesh, spec) in found.items():
            entries = entries_of(all_[i])
            del entries[SHARDING]
            mesh_text = mesh.to_sdy().removeprefix("#sdy.")
            text = f"#sdy.sharding<{mesh_text}, {spec.to_sdy()}>"
            given = entries_of(entries[FRONTEND]) if FRONTEND in entries else {}
            made = entries_of(frontend_attributes(sharding=text)[FRONTEND])
            all_[i] = ir.DictAttr.get(entries | {FRONTEND: ir.DictAttr.get(given | made)})
        function.attributes[ARGUMENTS] = ir.ArrayAttr.get(all_)


def _mark_results(
    function: ir.Operation, block: ir.Block, found: dict[int, tuple[MeshShape, Spec]]
) -> None:
    terminator = terminator_of(block)
    with function.context, terminator.location, ir.InsertionPoint(terminator):
        for i, sharding in found.items():
            y = terminator.operands[i]
            terminator.operands[i] = placement_call("Sharding", y, "sharding", *sharding)
        all_ = [entries_of(attributes) for attributes in function.attributes[RESULTS]]
        for entries in all_:
            entries.pop(SHARDING, None)
        function.attributes[RESULTS] = ir.ArrayAttr.get([ir.DictAttr.get(a) for a in all_])
