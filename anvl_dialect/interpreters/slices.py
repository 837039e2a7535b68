"""Slices of a block: the ops and values that some values depend on, or that depend on them.

Named after MLIR's `getBackwardSlice` and `getForwardSlice`, which its Python bindings lack.
"""

from collections.abc import Iterable, Sequence, Set
from typing import Any, NamedTuple, TypeAlias

from anvl.dialect.core.captures import captured, operands_of, remembering
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.common import PlainStep

__all__ = [
    "OpReads", "Slice", "backward_reads", "backward_slice", "forward_slice", "live_in", "reads_of",
    "slice_to", "values_read",
]  # fmt: skip

# Note [Slices]
#
# A slice is taken of the ops of one block.  A region is part of its op: the op reads the values
# from outside that its regions capture.
#
# A result of control flow need not depend on all that the op reads: one carry of a loop may never
# meet another.  The rule `operands_read` of an op tells which results depend on which values, and a
# slice follows only these; it finds the functions that ops call in `symbols`.  Whoever moves or
# batches ops needs whole ones, with all operands and all results: `whole_ops`.
#
# Three walks take slices of their own, since each op counts there: `steps_from`
# (`activity_analysis.py`) and `_Batching` (`batch.py`) are forward slices that also number the
# operands, or batch the op; `slice_to`, below, is a backward slice of the former, on numbers in
# place of values.  Dead code elimination (`passes/functions/dce.py`) needs no slice: an op goes if
# its results have no uses.


class Slice(NamedTuple):
    """Ops of a block, in order, and values: the targets or sources, and all that was reached."""

    ops: list[Any]
    values: set[Value]


def backward_slice(
    ops: Sequence[Any],
    targets: Iterable[Value],
    stops: Iterable[Value] = (),
    *,
    symbols: SymbolTable | None = None,
    whole_ops: bool = False,
) -> Slice:
    """Ops and values that the targets depend on.

    `stops` are available, such as arguments: they are among the values where they are reached, but
    the ops that define them are not in the slice.  See Note [Slices] for the other arguments.
    """
    found, values = backward_reads(
        reads_of(ops), targets, stops, symbols=symbols, whole_ops=whole_ops
    )
    return Slice([op for op, _, _ in found], values)


#: An op, its results, and its operands if these are all that it reads: read from MLIR once for
#: several slices of a block that does not change meanwhile.
OpReads: TypeAlias = tuple[Any, tuple[Value, ...], tuple[Value, ...] | None]


def reads_of(ops: Iterable[Any]) -> list[OpReads]:
    """The results and the operands of ops, for `backward_reads`."""
    found: list[OpReads] = []
    for op in ops:
        rules: Any = type(op)
        if getattr(rules, "reads_operands", False):
            results = tuple(op.results) if rules.multiple_results else (op.result,)
            found.append((op, results, tuple(op.operands)))
        else:
            found.append((op, tuple(op.results), None))
    return found


def backward_reads(
    reads: Sequence[OpReads],
    targets: Iterable[Value],
    stops: Iterable[Value] = (),
    *,
    symbols: SymbolTable | None = None,
    whole_ops: bool = False,
) -> tuple[list[OpReads], set[Value]]:
    """As `backward_slice`, of ops that have been read."""
    ends = set(stops)
    reached = set(targets)
    wanted, met = reached - ends, reached & ends
    found = []
    for one in reversed(reads):
        op, results, operands = one
        if wanted.isdisjoint(results):
            continue
        found.append(one)
        if operands is None:
            operands = tuple(values_read(op, None if whole_ops else wanted, symbols))
        for x in operands:
            (met if x in ends else wanted).add(x)
    return found[::-1], wanted | met


def forward_slice(
    ops: Sequence[Any],
    sources: Iterable[Value],
    *,
    symbols: SymbolTable | None = None,
    whole_ops: bool = False,
) -> Slice:
    """Ops and values that depend on the sources.  See Note [Slices] for the other arguments."""
    values = set(sources)
    found = []
    for op in ops:
        is_plain = getattr(type(op), "reads_operands", False)
        if values.isdisjoint(op.operands if is_plain else values_read(op)):
            continue
        results = op.results if whole_ops or is_plain else _dependent(op, values, symbols)
        if len(results) or not len(op.results):
            found.append(op)
            values.update(results)
    return Slice(found, values)


def _dependent(op: Any, values: Set[Value], symbols: SymbolTable | None) -> Sequence[Value]:
    """Results of an op that depend on some of these values, of which it reads one."""
    if not hasattr(op if isinstance(op, ir.OpView) else op.opview, "operands_read"):
        return op.results
    return [y for y in op.results if not values.isdisjoint(values_read(op, {y}, symbols))]


def live_in(
    ops: Iterable[Any], wanted: Set[Value] | None = None, symbols: SymbolTable | None = None
) -> list[Value]:
    """Values that ops read and none of them defines, in the order of their first use.

    With `wanted`, only those that these values depend on.
    """
    defined: set[Value] = set()
    found: dict[Value, None] = {}
    for op in ops:
        is_plain = getattr(type(op), "reads_operands", False)
        for x in op.operands if is_plain else values_read(op, wanted, symbols):
            if x not in defined:
                found[x] = None
        defined.update(op.results)
    return list(found)


def values_read(
    op: Any, wanted: Set[Value] | None = None, symbols: SymbolTable | None = None
) -> Sequence[Value]:
    """Values that an op reads: its operands, then the values that its regions capture.

    With `wanted`, only those that its results among these depend on.
    """
    if isinstance(op, ir.Operation):
        op = op.opview
    if getattr(type(op), "reads_operands", False):
        return op.operands  # most ops
    find = None if wanted is None else getattr(type(op), "operands_read", None)
    if wanted is not None and find is not None:
        with remembering():  # nested loops are queried again and again
            flags = find(op.operation, [y in wanted for y in op.results], symbols)
        return [x for x, is_read in zip(operands_of(op), flags, strict=True) if is_read]
    operation = op.operation
    if not len(operation.regions):
        return op.operands
    return (*op.operands, *captured(operation))


def slice_to(targets: Sequence[int], steps: list[PlainStep]) -> list[PlainStep]:
    """Steps that a target depends on, last to first.

    Their results that no target depends on lose their numbers.
    """
    reached: set[int | None] = set(targets)
    kept = []
    for step in reversed(steps):
        reached.discard(None)
        rules, op, operands, active_ids, results, result_ids = step
        if not reached.isdisjoint(result_ids):
            if len(result_ids) > 1:
                used = tuple([n if n in reached else None for n in result_ids])
                step = rules, op, operands, active_ids, results, used
            reached.update(active_ids)
            kept.append(step)
    return kept
