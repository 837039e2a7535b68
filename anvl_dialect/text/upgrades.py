"""Upgrade of forms that earlier versions wrote, after MLIR has read them.

Renamed ops and attributes are replaced before that: `versions.py`.

Until November 2026 a conditional was a function declared by `anvl.case = {branches = [@a, ...]}`,
and a loop of unknown length one declared by `anvl.while = {cond = @c, body = @b, carry = n : i64}`.
Such a declaration becomes a function whose body is that op, calling the named functions.
"""

from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.control_flow.case import choose
from anvl.dialect.control_flow.loop_values import and_below
from anvl.dialect.control_flow.region_ops import emit_loop
from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int, Symbol, Text
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.text.hazards import InvalidOp

__all__ = ["upgrade"]


def upgrade(module: ir.Module) -> None:
    """Add bodies to functions that an older version declared as control flow.

    Raises `InvalidOp` for a malformed declaration, `ir.MLIRError` if its parts do not fit.
    """
    changed = False
    for op in list(module.body.operations):
        function = op.operation
        for name, (written, form) in _WRITTEN.items():
            if function.name == "func.func" and name in function.attributes:
                _write(function, name, written, form)
                changed = True
    if changed:
        module.operation.verify()


def _write(function: ir.Operation, name: str, written: "_Written", form: str) -> None:
    request, place = function.attributes[name], str(function.location)
    symbol = function.attributes["sym_name"].value
    if len(function.regions[0].blocks):
        raise InvalidOp(f"@{symbol} has {name} and a body; it must be a declaration", place)
    type_ = function.attributes["function_type"].value
    inputs, outputs = list(type_.inputs), list(type_.results)
    location = function.location
    block = function.regions[0].blocks.append(*inputs, arg_locs=[location] * len(inputs))
    with location, ir.InsertionPoint(block):
        try:
            results = written(request, list(block.arguments), outputs)
        except (TypeError, KeyError, IndexError):
            problem = f"@{symbol}: {name} must be {form}, got {request}"
            raise InvalidOp(problem, place) from None
        except (ValueError, PassError) as error:
            raise InvalidOp(f"@{symbol}: {name}: {error}", place) from None
        ir.Operation.create("func.return", [], results)
    del function.attributes[name]


_Written = Callable[[Any, list[Value], list[ir.Type]], Sequence[Value]]


def _call(request: Any, xs: Sequence[Value], types: Sequence[ir.Type]) -> list[Value]:
    callee = ir.FlatSymbolRefAttr.get(Symbol.decode(request))
    return list(ir.Operation.create("func.call", types, list(xs), {"callee": callee}).results)


def _case(request: Any, xs: list[Value], types: list[ir.Type]) -> Sequence[Value]:
    """An index below 0 meant the first branch; StableHLO takes the last."""
    index, *operands = xs
    branches = [lambda b=b: _call(b, operands, types) for b in request["branches"]]
    if not branches:
        raise ValueError("it has no branches")
    strategy = Text.decode(request["batch"]) if "batch" in request else None
    return choose(emit.maximum(index, zeros_like(index)), branches, strategy)


def _while(request: Any, xs: list[Value], types: list[ir.Type]) -> Sequence[Value]:
    n = Int.decode(request["carry"])
    carry, rest = xs[:n], xs[n:]
    attributes = {
        f"anvl.{k}": request[k] for k in ("slots", "max_iterations", "ends") if k in request
    }
    most = Int.decode(request["max_iterations"]) if "max_iterations" in request else 0
    flag, index = tensor([], element_type("bool")), tensor([], element_type("i32"))
    counts = [full(index, 0)] if most else []
    k = len(counts)

    def goes_on(*values: Value) -> Value:
        (found,) = _call(request["cond"], [*values[k:], *rest], [flag])
        return and_below(values[0], most, found) if most else found

    def step(*values: Value) -> list[Value]:
        found = _call(request["body"], [*values[k:], *rest], types)
        return [*(emit.add(i, full(index, 1)) for i in values[:k]), *found]

    return emit_loop([*counts, *carry], goes_on, step, attributes)[k:]


#: Rules by attribute, which no version after 0.1 writes, with its syntax.
_WRITTEN: dict[str, tuple[_Written, str]] = {
    "anvl.case": (_case, "{branches = [@a, ...]}"),
    "anvl.while": (_while, "{cond = @c, body = @b, carry = n : i64}"),
}
