"""XLA's `ApproxTopK`, lifted to a sort, which has rules: it finds what that may miss.

Source: XLA, `ApproxTopK` (Chern et al., 2022, arXiv:2206.14286); its fallback is a sort, too.
"""

from contextlib import suppress
from typing import Any

from anvl.dialect.core.attributes import attribute_of, entries_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import body_of, functions_of
from anvl.passes.lifting.lift_forms import of_arrays, replaced

__all__ = ["lift_top_k"]

_CONFIGS = ("mhlo.backend_config", "backend_config")
_READ = {*_CONFIGS, "api_version", "call_target_name", "called_computations", "has_side_effect"}


def lift_top_k(module: ir.Operation) -> None:
    """Replace calls of `ApproxTopK` by sorts and slices."""
    found = [
        op
        for op in find(module, "stablehlo.custom_call")
        if op.attributes["call_target_name"].value == "ApproxTopK" and of_arrays(op)
    ]
    functions = functions_of(module) if found else {}
    with module.context:
        for op in found:
            # It stays if an option is missing or another.
            with op.location, ir.InsertionPoint(op), suppress(LookupError, TypeError, ValueError):
                replaced(op, _sorted(op, functions))


def _sorted(op: ir.Operation, functions: dict[str, ir.Operation]) -> list[Value]:
    axis, count = _axis_and_count(op)
    xs = list(op.operands)[: len(op.results)]
    shape = list(xs[0].type.shape)
    shape[axis] = count
    if len(op.operands) != 2 * len(xs) or list(op.results[0].type.shape) != shape:
        raise ValueError("not the operands or results of a whole search")
    (comparator,) = op.attributes["called_computations"]
    body = body_of(functions[ir.FlatSymbolRefAttr(comparator).value])
    if body is None or any(inner.operation.regions for inner in body.operations):
        raise ValueError("the comparator has no body, or ops with regions")
    attributes = {
        "dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis),
        "is_stable": ir.BoolAttr.get(True),
    }
    types = [x.type for x in xs]
    sort = ir.Operation.create("stablehlo.sort", types, xs, attributes, regions=1)
    _copy(body, sort.regions[0])
    return [_first(y, axis, count) for y in sort.results]


def _axis_and_count(op: ir.Operation) -> tuple[int, int]:
    """The options of a call that searches its whole operand."""
    options: dict[str, Any] = {}
    for config in (attribute_of(op, name) for name in _CONFIGS):
        options |= entries_of(config) if isinstance(config, ir.DictAttr) else {}
    whole = options.get("reduction_input_size_override")
    if set(op.attributes) - _READ or (whole is not None and whole.value >= 0):
        raise ValueError("other options")
    return options["reduction_dim"].value, options["top_k"].value


def _copy(body: ir.Block, region: Any) -> None:
    """Copy the body of a function into a region."""
    types = [x.type for x in body.arguments]
    block = region.blocks.append(*types, arg_locs=[x.location for x in body.arguments])
    copies = dict(zip(body.arguments, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        for op in body.operations:
            operands = [copies[x] for x in op.operands]
            if op.operation.name == "func.return":
                ir.Operation.create("stablehlo.return", [], operands)
                continue
            copy = op.operation.clone()
            for i, x in enumerate(operands):
                copy.operation.operands[i] = x
            copies |= dict(zip(op.results, copy.operation.results, strict=True))


def _first(y: Value, axis: int, count: int) -> Value:
    ends = [count if a == axis else n for a, n in enumerate(y.type.shape)]
    return emit.slice(
        y, start_indices=(0,) * len(ends), limit_indices=tuple(ends), strides=(1,) * len(ends)
    )
