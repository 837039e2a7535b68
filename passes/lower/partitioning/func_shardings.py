"""The attribute `anvl.sharding` of arguments and results, in the form that XLA reads.

Note [Convolutions over a mesh]

The gradient of a convolution's kernel is a convolution of the images with the cotangent, whose
window has the size of an image.  If both are cut along spatial dimensions, and there are copies
along another axis of the mesh, XLA sums over all devices, and the result is too large by the number
of copies (jaxlib 0.10.2; JAX has it, too).  So over a mesh of several axes the second operand of a
convolution is whole along its spatial dimensions: a kernel is in any case, a cotangent is gathered.
"""

from anvl.dialect.core.attributes import SHARDING, entries_of
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.core.shardings import OPEN, MeshShape, Spec
from anvl.dialect.ops.sharding.with_sharding import (
    FRONTEND,
    frontend_attributes,
    placement_call,
)
from anvl.passes.framework.walk import find
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
            _keep_windows_whole(function, of_arguments[min(of_arguments)][0])
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


def _keep_windows_whole(function: ir.Operation, mesh: MeshShape) -> None:
    """Ask for windows that are not cut: Note [Convolutions over a mesh]."""
    if sum(size > 1 for size in mesh.sizes) < 2:  # no copies of what is cut
        return
    for op in find(function, "stablehlo.convolution"):
        window = op.operands[1]
        numbers = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
        spatial = numbers.kernel_spatial_dimensions
        spec = [() if i in spatial else (OPEN,) for i in range(len(window.type.shape))]
        with function.context, op.location, ir.InsertionPoint(op):
            whole = placement_call("Sharding", window, "sharding", mesh, Spec(tuple(spec)))
        op.operands[1] = whole
