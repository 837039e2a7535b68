"""Functions with fewer arguments and results, in place."""

from collections.abc import Collection, Sequence
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["drop_arguments", "drop_results", "return_values", "set_signature"]

_OF_ARGUMENTS, _OF_RESULTS = "arg_attrs", "res_attrs"


def set_signature(function: ir.Operation) -> None:
    """Write the type of a function as its body has it; attributes of arguments go if they must."""
    block = function.regions[0].blocks[0]
    inputs = [x.type for x in block.arguments]
    results = [x.type for x in terminator_of(block).operands]
    made = ir.FunctionType.get(inputs, results)
    function.attributes["function_type"] = ir.TypeAttr.get(made)
    for name, types in ((_OF_ARGUMENTS, inputs), (_OF_RESULTS, results)):
        if name in function.attributes and len(function.attributes[name]) != len(types):
            del function.attributes[name]


def return_values(function: ir.Operation, returned: Sequence[ir.Value]) -> None:
    """Return other values."""
    old = terminator_of(function.regions[0].blocks[0])
    point, location = ir.InsertionPoint(old), old.location
    ir.Operation.create("func.return", [], list(returned), ip=point, loc=location)
    old.erase()
    set_signature(function)


def drop_results(
    function: ir.Operation, calls: Sequence[ir.Operation], dropped: Collection[int]
) -> None:
    """Return less, and have all calls of the function return less; they use nothing of it."""
    end = terminator_of(function.regions[0].blocks[0])
    _keep_attributes(function, _OF_RESULTS, dropped)
    return_values(function, _kept(list(end.operands), dropped))
    for call in calls:
        made = _call(call, _kept([y.type for y in call.results], dropped), list(call.operands))
        kept = _kept(list(call.results), dropped)
        for old, new in zip(kept, made.results, strict=True):
            old.replace_all_uses_with(new)
        call.erase()


def drop_arguments(
    function: ir.Operation, calls: Sequence[ir.Operation], dropped: Collection[int]
) -> None:
    """Take less, where the body uses nothing of it, in all calls too."""
    block = function.regions[0].blocks[0]
    _keep_attributes(function, _OF_ARGUMENTS, dropped)
    for i in sorted(dropped, reverse=True):
        block.erase_argument(i)
    set_signature(function)
    for call in calls:
        made = _call(call, [y.type for y in call.results], _kept(list(call.operands), dropped))
        for old, new in zip(call.results, made.results, strict=True):
            old.replace_all_uses_with(new)
        call.erase()


def _kept(values: list[Any], dropped: Collection[int]) -> list[Any]:
    return [x for i, x in enumerate(values) if i not in dropped]


def _keep_attributes(function: ir.Operation, name: str, dropped: Collection[int]) -> None:
    if name in function.attributes:
        kept = _kept(list(function.attributes[name]), dropped)
        function.attributes[name] = ir.ArrayAttr.get(kept)


def _call(call: ir.Operation, types: list[ir.Type], operands: list[ir.Value]) -> ir.Operation:
    return ir.Operation.create(
        call.name, types, operands, dict(call.attributes.items()),
        ip=ir.InsertionPoint(call), loc=call.location,
    )  # fmt: skip
