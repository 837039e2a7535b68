"""Ordering of LAPACK calls on stacks: concurrent ones may deadlock."""

from math import prod
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import kind, tensor
from anvl.passes.framework.walk import find
from anvl.passes.functions.dce import drop_unused_functions
from anvl.passes.functions.inlining import inline_calls
from anvl.passes.functions.symbol_utils import callee_of, calls_by_function, functions_of

__all__ = ["order_stacked_calls"]

# Note [Routines that wait for each other]
#
# jaxlib's handlers of LAPACK split a stack of matrices over XLA's thread pool and block until all
# of it is done (`ParallelBatchMap` in its `lapack_kernels.cc`).  XLA:CPU runs independent ops
# concurrently in that same pool.  With as many of these calls as it has threads, all threads wait
# and none is left to do the work: six functions of 1,000 matrices hang on two cores in the first
# seconds (jaxlib 0.10 to 0.12, and so does JAX).
#
# So the second of two independent calls is made to depend on the first.  A barrier does not help:
# execution is ordered by the arrays that are read and written, and it does neither.  So one operand
# is selected by a number that the first call returned:
#
#     a = call @f(x)                becomes      a = call @f(x)
#     b = call @g(y)                             b = call @g(select(a[0] is impossible, -y, y))
#
# They take no longer, since each of them has all threads to itself, and results are identical to
# the bit.  Loops and conditionals with such calls in them take part as a whole.  Functions with
# such calls are inlined if there are several, as XLA would inline them, so that all are seen.

_CALL, _WHILE = "stablehlo.custom_call", "stablehlo.while"
_LEAST = 2_000  # rows times columns times the larger, of all: smaller ones are not split
_IMPOSSIBLE = 127  # set bits of an integer

_create = ir.Operation.create


def order_stacked_calls(module: ir.Operation) -> None:
    """Make each LAPACK call that may be split over threads depend on the previous one."""
    stacked = [op for op in find(module, _CALL) if _is_split(op)]
    if not stacked:
        return
    functions = functions_of(module)
    holding = _holding(module, stacked)
    if len(stacked) == 1 and all(len(calls) == 1 for calls in holding.values()):
        return
    _inline(module, functions, holding)
    with module.context:
        for function in functions_of(module).values():
            for block in function.regions[0].blocks:
                _order(block)


def _is_split(op: ir.Operation) -> bool:
    if not op.attributes["call_target_name"].value.startswith("lapack_"):
        return False
    shapes = [x.type.shape for x in op.operands if _is_plain(x.type)]
    if not shapes or len(shapes) < len(op.operands) or prod(shapes[0][:-2]) < 2:
        return False
    return max(prod(shape) * max(shape[-2:]) for shape in shapes) >= _LEAST


def _function_of(op: ir.Operation) -> str:
    outer = op.parent.operation
    while outer.name != "func.func":
        outer = outer.parent.operation
    return str(outer.attributes["sym_name"].value)


def _holding(module: ir.Operation, stacked: list[ir.Operation]) -> dict[str, list[ir.Operation]]:
    """Such calls, and calls of functions with such calls, by the functions that contain them."""
    found: dict[str, list[ir.Operation]] = {}
    for op in stacked:
        found.setdefault(_function_of(op), []).append(op)
    callers = calls_by_function(module)
    pending = list(found)
    while pending:
        callee = pending.pop()
        for caller, calls in callers.items():
            those = [call for call in calls if callee_of(call) == callee]
            if those and caller not in found:
                pending.append(caller)
            if those:
                found.setdefault(caller, []).extend(those)
    return found


def _inline(
    module: ir.Operation,
    functions: dict[str, ir.Operation],
    holding: dict[str, list[ir.Operation]],
) -> None:
    """Inline functions with such calls into functions with several calls."""
    keeping = functions.keys() - holding.keys()
    several = [
        name
        for name, ops in holding.items()
        if len(ops) > 1 and any(op.name == "func.call" for op in ops)
    ]
    for name in several:
        inline_calls(name, functions, keeping)
    if several:
        drop_unused_functions(module)


class _Order(NamedTuple):
    """Calls in a block: whether there are any, and the values that depend on the last one."""

    is_any: bool
    later: set[ir.Value]


def _order(block: ir.Block) -> _Order:
    """Order the calls in a block and its nested blocks."""
    last: ir.Value | None = None
    later: set[ir.Value] = set()
    is_any = False
    for op in [op.operation for op in block.operations]:
        inner = [(b, _order(b)) for region in op.regions for b in region.blocks]
        depends = bool(later) and any(x in later for x in op.operands)
        if _has_call(op, inner):
            is_any = True
            if last is not None and not depends:
                _make_depend(op, last)
            given = _ordering_results(op, inner)
            if given:
                last, later = min(given, key=_size), set(given)
        elif depends:
            later.update(op.results)
    return _Order(is_any, later)


def _has_call(op: ir.Operation, inner: list[tuple[ir.Block, _Order]]) -> bool:
    return _is_call(op) or any(order.is_any for _, order in inner)


def _is_call(op: ir.Operation) -> bool:
    return bool(op.name == _CALL) and _is_split(op)


def _ordering_results(op: ir.Operation, inner: list[tuple[ir.Block, _Order]]) -> list[ir.Value]:
    """Results that may order the next call: not empty, and of elements that all ops accept."""
    results = _after_call(op, inner)
    return [y for y in results if _is_plain(y.type) and 0 not in y.type.shape]


def _after_call(op: ir.Operation, inner: list[tuple[ir.Block, _Order]]) -> list[ir.Value]:
    """Results that depend on a call, also in an op's body: XLA may know others earlier."""
    if not inner:
        return list(op.results)
    found = set()
    for block, order in inner:
        answers = block.operations[len(block.operations) - 1].operands
        found |= {i for i, y in enumerate(answers) if y in order.later}
    return [y for i, y in enumerate(op.results) if i in found]


def _make_depend(op: ir.Operation, y: ir.Value) -> None:
    """Make an operand of an op depend on a value, whatever its number."""
    operands = list(enumerate(op.operands))
    if op.name == _WHILE:
        operands = [(i, x) for i, x in operands if _is_carried(op, i)]
    operands = [(i, x) for i, x in operands if _is_plain(x.type)]
    if not operands:
        return
    i, x = min(operands, key=lambda row: _size(row[1]))
    with op.location, ir.InsertionPoint(op):
        never = _is_impossible(_first_element(y))
        other = "not" if kind(x.type.element_type) == "bool" else "negate"
        picked = [never, _create(f"stablehlo.{other}", [x.type], [x]).result, x]
        op.operands[i] = _create("stablehlo.select", [x.type], picked).result


def _is_carried(op: ir.Operation, i: int) -> bool:
    """Whether the body of a loop computes with a carry that is not a counter.

    XLA drops unused carries, and should know the initial values of counters.
    """
    block = op.regions[1].blocks[0]
    last = block.operations[len(block.operations) - 1].operation
    carry = block.arguments[i]
    is_used = any(use.owner.operation != last for use in carry.uses)
    return is_used and kind(carry.type.element_type) in ("float", "complex")


def _size(x: ir.Value) -> int:
    return prod(x.type.shape)


def _is_plain(type_: Any) -> bool:
    """Whether a type is an array of static shape with elements that all ops below accept."""
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        return False
    element = type_.element_type
    least = {"bool": 1, "int": 8, "uint": 8, "float": 16, "complex": 0}.get(kind(element))
    return least is not None and (least == 0 or element.width >= least)


def _first_element(y: ir.Value) -> ir.Value:
    """The first element of an array, as a scalar."""
    shape = y.type.shape
    if shape:
        indices = {
            "start_indices": [0] * len(shape), "limit_indices": [1] * len(shape),
            "strides": [1] * len(shape),
        }  # fmt: skip
        attributes = {name: ir.DenseI64ArrayAttr.get(ns) for name, ns in indices.items()}
        one = tensor([1] * len(shape), y.type.element_type)
        y = _create("stablehlo.slice", [one], [y], attributes).result
        y = _create("stablehlo.reshape", [tensor((), y.type.element_type)], [y]).result
    if kind(y.type.element_type) == "complex":
        y = _create("stablehlo.real", None, [y], infer_type=True).result
    if kind(y.type.element_type) == "bool":
        i32 = tensor((), ir.IntegerType.get_signless(32))
        y = _create("stablehlo.convert", [i32], [y]).result
    return y


def _is_impossible(y: ir.Value) -> ir.Value:
    """A predicate that is false for every number, unknown to XLA: y > inf, or too many set bits."""
    element = y.type.element_type
    if kind(element) == "float":
        return _compared(y, "GT", ir.FloatAttr.get(element, float("inf")))
    bits = _create("stablehlo.popcnt", [y.type], [y]).result
    return _compared(bits, "EQ", ir.IntegerAttr.get(element, _IMPOSSIBLE))


def _compared(x: ir.Value, direction: str, number: ir.Attribute) -> ir.Value:
    value = ir.DenseElementsAttr.get_splat(x.type, number)
    y = _create("stablehlo.constant", [x.type], attributes={"value": value}).result
    how = ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>")
    flag = tensor((), ir.IntegerType.get_signless(1))
    return _create("stablehlo.compare", [flag], [x, y], {"comparison_direction": how}).result
