"""Conversion of a counted loop to a scan, over arrays that it reads and stacks by row."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.call import Callee, call, symbol
from anvl.dialect.control_flow.trip_count import Count
from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Bool, Int
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import dtype_name, tensor
from anvl.dialect.interpreters.constant_folding import known_number, maker_of
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["as_scan"]


def as_scan(
    f: Callee, body: Callee, operands: Sequence[Value], types: Sequence[ir.Type], count: Count
) -> Sequence[Value]:
    """Emit, in the function f, a scan equivalent to a counted loop; return its results.

    `operands` are the carries, which have these types, and constants.  An array of which step i
    reads row i becomes a scanned array; one of which step i writes row i becomes a stacked result.
    So derivatives need not save rows, nor handle whole arrays in each step.
    """
    parts = _Parts(body.program, operands, len(types), count)
    carry, stacked = parts.carry, parts.stacked
    xs = [operands[parts.position(op.operands[0])] for op in parts.slices]
    rest = list(operands[len(types) :])
    step = _add_step(body, parts, types, rest)
    xs = [*(_numbers(types[k], count) for k in parts.counters), *xs]
    request = {
        "body": symbol(step),
        "carry": Int.encode(len(carry)),
        "xs": Int.encode(len(xs)),
        "length": Int.encode(count.steps),
        "reverse": Bool.encode(False),
    }
    given = [*(operands[k] for k in carry), *xs, *rest]
    made = f.declare(
        "scan",
        [x.type for x in given],
        [types[k] for k in (*carry, *stacked)],
        {"anvl.scan": ir.DictAttr.get(request)},
    )
    found = dict(zip((*carry, *stacked), call(made, given), strict=True))
    for k in parts.counters:
        found[k] = full(types[k], count.first + count.steps * count.by)
    return [found[k] for k in range(len(types))]


def _add_step(
    body: Callee, parts: "_Parts", types: Sequence[ir.Type], rest: Sequence[Value]
) -> Callee:
    """Add the function of one step: its arguments are carries, numbers, rows and constants."""
    numbered = (*parts.carry, *parts.counters)
    rows = [_row(op.result.type) for op in parts.slices]
    arguments = [*(types[k] for k in numbered), *rows, *(x.type for x in rest)]
    old = body.program.arguments
    places = [old[k].location for k in numbered]
    places += [op.location for op in parts.slices]
    places += [x.location for x in old[len(types) :]]
    return body.add("step", parts.step, arguments, places=places)


class _Parts:
    """Partition of a loop for a scan: carries, stacked results, and scanned rows."""

    def __init__(self, body: Program, operands: Sequence[Value], n: int, count: Count) -> None:
        self.body, self.operands, self.n, self.count = body, operands, n, count
        self.counter = body.arguments[count.carry]
        is_number = (count.first, count.by) == (0, 1)
        ops = list(body.block.operations) if is_number else []
        self.slices = [op for op in ops if self._is_row(op)]
        self.stacked = [k for k in range(n) if is_number and self._is_stacked(k)]
        # The counter becomes a scanned array of its own, only if other arrays are scanned or
        # stacked.
        self.counters = [count.carry] if self.slices or self.stacked else []
        not_carried = {*self.counters, *self.stacked}
        self.carry = [k for k in range(n) if k not in not_carried]

    def step(self, *values: Value) -> list[Value]:
        """Step of the scan, a function of carries, the counter, rows and constants."""
        body, m = self.body, len(self.carry) + len(self.counters)
        updates = [maker_of(body.results[k]).operands[1] for k in self.stacked]
        cut = Program(body.block, [*(body.results[k] for k in self.carry), *updates], body)
        whole = [op.result for op in self.slices]
        cut.arguments = [body.arguments[k] for k in (*self.carry, *self.counters)]
        cut.arguments += [*whole, *body.arguments[self.n :]]
        rows = [
            reshaped(x, tuple(y.type.shape))
            for x, y in zip(values[m : m + len(whole)], whole, strict=True)
        ]
        found = cut(*values[:m], *rows, *values[m + len(whole) :])
        late = len(self.carry)
        return [*found[:late], *(reshaped(y, tuple(y.type.shape[1:])) for y in found[late:])]

    def position(self, x: Value) -> int:
        """Position of a value among the arguments of the body."""
        return self.body.arguments.index(x)

    def _is_row(self, op: Any) -> bool:
        """Whether an op reads row i of a constant array in step i."""
        if type(op) is not OPS["anvl.dynamic_slice"] or not op.result.type.rank:
            return False
        x, at, *others = op.operands
        return self._is_constant(x) and self._is_at(x.type, op.result.type, at, others)

    def _is_stacked(self, k: int) -> bool:
        """Whether step i writes row i of carry k, which has no other readers."""
        op = maker_of(self.body.results[k])
        if type(op) is not OPS["anvl.dynamic_update_slice"] or not op.result.type.rank:
            return False
        x, update, at, *others = op.operands
        if x != self.body.arguments[k] or len(list(x.uses)) > 1 or len(list(op.result.uses)) > 1:
            return False
        return self._is_at(x.type, update.type, at, others)

    def _is_at(self, of: Any, row: Any, at: Value, others: Sequence[Value]) -> bool:
        shape = list(of.shape)
        is_whole = shape[0] == self.count.steps and list(row.shape) == [1, *shape[1:]]
        return is_whole and at == self.counter and all(map(self._is_zero, others))

    def _is_constant(self, x: Value) -> bool:
        if x not in self.body.arguments:
            return False
        k = self.position(x)
        return k >= self.n or self.body.results[k] == x

    def _is_zero(self, x: Value) -> bool:
        if self._is_constant(x):
            x = self.operands[self.position(x)]
        return known_number(x) == 0


def _row(type_: Any) -> ir.Type:
    return tensor(type_.shape[1:], type_.element_type)


def _numbers(type_: Any, count: Count) -> Value:
    """Values of the counter in all steps."""
    dtype = dtype_name(type_.element_type)
    return emit.iota(shape=(count.steps,), dtype=dtype, iota_dimension=0)
