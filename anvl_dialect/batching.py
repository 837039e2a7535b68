"""Batching: an op, or a block of ops, with one more axis.

The extra axis is the first of whatever has it; ops none of whose operands have it stay as they are.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.activity import lacks, place_of
from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.mlir import ir
from anvl.dialect.op import Value, emit

__all__ = ["batch_block", "batched_results", "repeated"]


def batched_results(op: Any, operands: Sequence[Value], batched: Sequence[bool]) -> Sequence[Value]:
    """The results of an op with one more axis, emitted at the current insertion point.

    `operands` are those of the batch, of which `batched` marks the ones that have the axis.
    """
    rules = type(op)
    found = rules.batch(operands, batched, **rules.read(op.operation))
    ys = found if rules.multiple_results else [found]
    size = next(x.type.shape[0] for x, b in zip(operands, batched, strict=True) if b)
    wanted = [(y.type.element_type, (size, *y.type.shape)) for y in op.results]
    if [(y.type.element_type, tuple(y.type.shape)) for y in ys] != wanted:
        gave = ", ".join(str(y.type) for y in ys)
        raise PassError(
            "anvl-vectorize",
            f"{op.operation.name}: its batch rule gave {gave} for {size} of "
            f"{', '.join(str(y.type) for y in op.results)}",
            str(op.operation.location),
        )
    return ys


def repeated(y: Value, size: int) -> Value:
    """y, once for each member of a batch."""
    axes = tuple(range(1, y.type.rank + 1))
    return emit.broadcast_in_dim(y, shape=(size, *y.type.shape), broadcast_dimensions=axes)


def batch_block(block: ir.Block, types: dict[int, ir.Type]) -> list[tuple[Value, bool]]:
    """Batch a block in place; the values that it returns now, and whether they have the axis.

    `types` are the new ones of the arguments that have it.  The old terminator is left to who asks.
    Raises `MissingRule` that lists every op on the way without a batch rule; the block is then as
    it was.
    """
    *operations, terminator = list(block.operations)
    moved = [block.arguments[i] for i in types]
    on_the_way = _reached(operations, moved)
    _check_rules(on_the_way, moved)
    for i, type_ in types.items():
        block.arguments[i].set_type(type_)
    new: dict[Value, Value] = {x: x for x in moved}
    for op in on_the_way:
        operands = list(op.operands)
        flags = [x in new for x in operands]
        with op.location, ir.InsertionPoint(op):
            try:
                ys = batched_results(op, [new.get(x, x) for x in operands], flags)
            except Exception as error:  # of a rule's author: it stays as it is, and says where
                if not getattr(error, "location", ""):
                    error.location = str(op.location)  # type: ignore[attr-defined]
                raise
        new.update(zip(op.results, ys, strict=True))
    results = [(new.get(y, y), y in new) for y in terminator.operands]
    for i, (y, _) in enumerate(results):
        terminator.operation.operands[i] = y
    new.clear()
    for op in reversed(on_the_way):
        op.operation.erase()
    return results


def _reached(operations: Sequence[Any], moved: Sequence[Value]) -> list[Any]:
    """The ops that depend on the values that are batched."""
    marked = set(moved)
    found = []
    for op in operations:
        if not marked.isdisjoint(op.operands):
            marked.update(op.results)
            found.append(op)
    return found


def _check_rules(operations: Sequence[Any], moved: Sequence[Value]) -> None:
    """One error for all ops on the way that have no batch rule."""
    why = {rules: lacks(rules, "batch") for rules in {type(op) for op in operations}}
    if not any(why.values()):
        return
    problems = [op for op in operations if why[type(op)]]
    lines = [
        f"  {op.operation.name} at {place_of(op.operation)}: {why[type(op)]}"
        f" (reached by {_path(op, operations, moved)})"
        for op in problems
    ]
    text = f"{len(problems)} of the ops cannot be batched:\n" + "\n".join(lines)
    raise MissingRule(text, str(problems[0].operation.location))


def _path(op: Any, operations: Sequence[Any], moved: Sequence[Value]) -> str:
    """The names of the ops from a batched argument to this one."""
    producer = {y: other for other in operations for y in other.results}
    names = [op.operation.name]
    while set(moved).isdisjoint(op.operands):
        op = next(producer[x] for x in op.operands if x in producer)
        names.append(op.operation.name)
    return " -> ".join(["a batched argument", *reversed(names)])
