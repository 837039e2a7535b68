"""Batching: an op, or a block of ops, with one more axis.

The batch axis is axis 0 of every batched value; ops without batched operands stay unchanged.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from anvl.dialect.core.create import full
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value, emit
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.activity_analysis import lacks, place_of
from anvl.dialect.interpreters.common import ask, refuse
from anvl.dialect.interpreters.emission_cache import (
    Recipe,
    clear_if_replaced,
    learn,
    record,
    replay,
    type_number,
)
from anvl.dialect.interpreters.slices import values_read

__all__ = [
    "PartlyBatched", "batch_block", "batched_results", "emit_batched", "first_member",
    "forget_replaced_rules", "repeated",
]  # fmt: skip


class PartlyBatched(NamedTuple):
    """An answer of a `batch` rule in which results without the batch axis are those of all members.

    A loop gives them: what it counts is the same for all members that take the same steps.
    """

    values: Sequence[Value]
    has_axis: Sequence[bool]


def batched_results(
    op: Any,
    operands: Sequence[Value],
    batched: Sequence[bool],
    symbols: SymbolTable | None = None,
) -> Sequence[Value]:
    """Results of an op with one more axis, emitted at the current insertion point.

    Those that all members share, of a rule that says so, are without it.  `batched` marks the
    operands that have the batch axis; `symbols` has the functions that the op
    calls.  For an empty batch the rule is not called.
    """
    rules = type(op)
    missing = lacks(rules, "batch", op.operation)
    if missing is not None:
        raise MissingRule(_no_batch(op, missing), str(op.operation.location))
    size = operands[batched.index(True)].type.shape[0]
    if size == 0 and not rules.has_side_effects(op.operation):
        return [full(tensor((0, *y.type.shape), y.type.element_type), 0) for y in op.results]
    found = rules.batch(operands, batched, **rules.read(op.operation, symbols))
    ys, has_axis = found if type(found) is PartlyBatched else (found, [True] * len(op.results))
    if not rules.multiple_results:
        ys = [found]
    wanted = [
        (y.type.element_type, (size, *y.type.shape) if flag else tuple(y.type.shape))
        for y, flag in zip(op.results, has_axis, strict=True)
    ]
    if not _are_of(ys, wanted):
        gave = _describe(found, rules.multiple_results)
        types = ", ".join(str(y.type) for y in op.results)
        refuse(op.operation, rules, "batch", f"gave {gave} for {size} of {types}")
    return ys


def _are_of(ys: Any, wanted: Sequence[tuple[Any, tuple[int, ...]]]) -> bool:
    if not _are_values(ys):
        return False
    return [(y.type.element_type, tuple(y.type.shape)) for y in ys] == wanted


def _are_values(ys: Any) -> bool:
    return isinstance(ys, Sequence) and all([isinstance(y, ir.Value) for y in ys])


def _describe(found: Any, several: bool) -> str:
    if isinstance(found, ir.Value):
        return str(found.type)
    if _are_values(found):
        types = ", ".join(str(y.type) for y in found) or "nothing"
        return types if several else f"a {type(found).__name__} of {types}"
    return f"{found!r} of type {type(found).__name__}"


def _no_batch(op: Any, why: str) -> str:
    return f"{op.operation.name} at {place_of(op.operation)} cannot be batched: {why}"


def repeated(y: Value, size: int) -> Value:
    """Repeat y for each member of a batch."""
    axes = tuple(range(1, y.type.rank + 1))
    return emit.broadcast_in_dim(y, shape=(size, *y.type.shape), broadcast_dimensions=axes)


def first_member(y: Value) -> Value:
    """The first member of a batch."""
    _, *shape = y.type.shape
    part = emit.slice(
        y, start_indices=(0,) * y.type.rank, limit_indices=(1, *shape), strides=(1,) * y.type.rank
    )
    return reshaped(part, tuple(shape))


class _Step(NamedTuple):
    """An op to batch.

    A batched value has one handle in all steps: Note [Handles] in `activity_analysis`.
    """

    op: Any
    operands: tuple[Value, ...]
    flags: tuple[bool, ...]  # which operands are batched
    results: tuple[Value, ...]


#: A step as a plain tuple, always unpacked by these names: see `PlainStep` in `common`.
_PlainStep: TypeAlias = tuple[Any, tuple[Value, ...], tuple[bool, ...], tuple[Value, ...]]


def batch_block(
    block: ir.Block, types: dict[int, ir.Type], symbols: SymbolTable | None = None
) -> list[tuple[Value, bool]]:
    """Batch a block in place; return its new results, and whether each has the batch axis.

    `types` are the new types of the batched arguments, `symbols` has the functions that the ops
    call.  The old terminator is left to the caller.  Raises `MissingRule` that lists every op on
    the path without a batch rule; the block is then unchanged.
    """
    moved = [block.arguments[i] for i in types]
    steps = _active_steps(block, moved)
    _check_rules(steps, moved)
    for i, type_ in types.items():
        block.arguments[i].set_type(type_)
    new: dict[Value, Value] = {x: x for x in moved}
    replaced = _batch_steps(steps, new, symbols)
    terminator = _terminator_of(block)
    returned = [(new.get(y, y), y in new) for y in terminator.operands]
    for i, (y, _) in enumerate(returned):
        terminator.operands[i] = y
    new.clear()
    steps.clear()
    while replaced:
        replaced.pop().operation.erase()
    return returned


def _batch_steps(
    steps: Sequence[_PlainStep], new: dict[Value, Value], symbols: SymbolTable | None
) -> list[Any]:
    """Batch each op; `new` gets the batched value of each result.  Returns the ops to erase.

    Where only the result type changes, the op is kept and retyped: a fourth of the time of a new
    op.
    """
    plain: dict[type, bool] = {}
    growth = _Growth(new)
    replaced = []
    shared: dict[Value, Value] = {}  # results without the axis, and what replaces them
    for step in steps:
        if shared:
            step = _without_shared(step, shared)
            if True not in step[2]:
                shared.update(zip(step[3], step[3], strict=True))
                continue
        op, operands, flags, results = step
        rules = type(op)
        if rules not in plain:
            plain[rules] = _is_plain(rules)
        if plain[rules]:
            growth.grow(step)
            continue
        with op.location, ir.InsertionPoint(op):
            given = [new[x] if b else x for x, b in zip(operands, flags, strict=True)]
            found = emit_batched(step, given, symbols)
        for y, z in zip(results, found, strict=True):
            if rules.multiple_results and z.type == y.type:
                y.replace_all_uses_with(z)
                shared[y] = z
            else:
                new[y] = z
        replaced.append(op)
    return replaced


def _without_shared(step: _PlainStep, shared: dict[Value, Value]) -> _PlainStep:
    """The step, of which operands may have turned out to have no batch axis."""
    op, operands, flags, results = step
    if shared.keys().isdisjoint(operands):
        return step
    still = tuple([f and x not in shared for x, f in zip(operands, flags, strict=True)])
    return op, tuple([shared.get(x, x) for x in operands]), still, results


_create = ir.Operation.create


class _Growth:
    """Batches ops in place, by changing their result types.

    An unbatched operand is broadcast once for all ops that use it.
    """

    def __init__(self, new: dict[Value, Value]) -> None:
        self.new = new
        self.grown: dict[ir.Type, ir.Type] = {}
        self.repeated: dict[Value, Value] = {}
        #: The op that repeats a value of a type: name, result types, attributes.
        self.repetitions: dict[ir.Type, tuple[str, list[ir.Type], dict[str, ir.Attribute]]] = {}

    def grow(self, step: _PlainStep) -> None:
        _, operands, flags, (y,) = step
        new = self.new
        if False in flags or tuple(map(new.get, operands)) != operands:
            self._replace_operands(step)
        old = y.type
        type_ = self.grown.get(old)
        if type_ is None:
            size = _size(operands, flags, new)
            type_ = self.grown[old] = tensor((size, *old.shape), old.element_type)
        y.set_type(type_)
        new[y] = y

    def _replace_operands(self, step: _PlainStep) -> None:
        op, operands, flags, _ = step
        for i, (x, has_axis) in enumerate(zip(operands, flags, strict=True)):
            if not has_axis:
                op.operation.operands[i] = self._repeated(x, step)
            elif self.new[x] is not x:
                op.operation.operands[i] = self.new[x]

    def _repeated(self, x: Value, step: _PlainStep) -> Value:
        known = self.repeated.get(x)
        if known is not None:
            return known
        op, operands, flags, _ = step
        how = self.repetitions.get(x.type)
        if how is None:
            with op.location, ir.InsertionPoint(op):
                known = repeated(x, _size(operands, flags, self.new))
            made = known.owner.operation
            self.repetitions[x.type] = made.name, [known.type], dict(made.attributes.items())
        else:  # in a third of the time: the size is that of the first one
            name, types, attributes = how
            place = op.location, ir.InsertionPoint(op)
            known = _create(name, types, (x,), attributes, None, 0, *place).result
        self.repeated[x] = known
        return known


def _size(operands: Sequence[Value], flags: Sequence[bool], new: dict[Value, Value]) -> int:
    """Size of the batch axis of the operands."""
    return next(new[x].type.shape[0] for x, b in zip(operands, flags, strict=True) if b)


def _is_plain(rules: Any) -> bool:
    """Whether batching an op changes nothing but its result type."""
    family: Any = Elementwise
    return rules.diagonal and rules.batch.__func__ is family.batch.__func__


def _active_steps(block: ir.Block, moved: Sequence[Value]) -> list[_PlainStep]:
    """Ops that depend on batched values, except the terminator: Note [Slices]."""
    kept = {x: x for x in moved}  # the handle of each batched value
    known = kept.get
    found: list[_PlainStep] = []
    operands: tuple[Value, ...]
    flags: tuple[bool, ...]
    for op in block.operations:
        xs = values_read(op) if not isinstance(op, AnvlOp) or op.captures else op.operands
        if len(xs) == 1:
            k = known(xs[0])
            if k is None:
                continue
            operands, flags = (k,), _ONE
        elif len(xs) == 2:  # most ops; written out, as in `steps_from`
            x, y = xs[0], xs[1]
            i, j = known(x), known(y)
            if i is None and j is None:
                continue
            operands = x if i is None else i, y if j is None else j
            flags = i is not None, j is not None
        else:
            operands, flags = _read(xs, kept)
            if True not in flags:
                continue
        found.append((op, operands, flags, _keep_results(op, kept)))
    if found and _Step(*found[-1]).op.operation == _terminator_of(block):
        found.pop()
    return found


def _read(
    xs: Sequence[Value], kept: dict[Value, Value]
) -> tuple[tuple[Value, ...], tuple[bool, ...]]:
    """Operands of an op, and whether each is batched."""
    operands = tuple([kept.get(x, x) for x in xs])
    return operands, tuple([x in kept for x in operands])


def _keep_results(op: Any, kept: dict[Value, Value]) -> tuple[Value, ...]:
    """Results of an op, which `kept` has from now on; most ops have one, which is soon read."""
    if isinstance(op, AnvlOp) and not op.multiple_results:
        y = op.result
        kept[y] = y
        return (y,)
    results = tuple(op.results)
    kept.update(zip(results, results, strict=True))
    return results


def _terminator_of(block: ir.Block) -> ir.Operation:
    return block.operations[len(block.operations) - 1].operation


_ONE = (True,)


def emit_batched(
    step: _PlainStep, given: Sequence[Value], symbols: SymbolTable | None
) -> Sequence[Value]:
    """Emit the batched op for these operands; return its results."""
    recipe = _recipe(step, given)
    if recipe is not None:
        return replay(recipe, given)
    op, _, flags, _ = step
    return ask(op.operation, batched_results, op, given, flags, symbols)


def _recipe(step: _PlainStep, given: Sequence[Value]) -> Recipe | None:
    """The recipe of an op, if there is one: Note [Recipes]."""
    op, _, flags, results = step
    rules = type(op)
    if getattr(rules, "batch_recipes", None) is None:
        return None
    key: tuple[Any, ...] = (*[type_number(x.type) for x in given], *flags)
    if not rules.is_inferred:  # some parameters are read off the result
        key += (type_number(results[0].type), *op.attributes.items())
    return learn(rules.batch_recipes, key, lambda: _record_rule(_Step(*step), given))


def _record_rule(step: _Step, given: Sequence[Value]) -> Recipe | None:
    """The batch rule of an op as a recipe."""

    def rule(*xs: Value) -> Sequence[Value]:
        return batched_results(step.op, xs, step.flags)

    return record(rule, [x.type for x in given])


def _check_rules(plain_steps: Sequence[_PlainStep], moved: Sequence[Value]) -> None:
    """Raise one error for all ops on the path that have no batch rule."""
    classes = {type(op) for op, *_ in plain_steps}
    plain = {r for r in classes if issubclass(r, AnvlOp) and r.has_rule("batch") and not r.captures}
    doubtful = [s for s in plain_steps if type(s[0]) not in plain]
    problems = [s for s in map(_Step._make, doubtful) if lacks(type(s.op), "batch", s.op.operation)]
    if problems:
        raise _without_rule(problems, plain_steps, moved)
    forget_replaced_rules(classes)


def forget_replaced_rules(classes: Iterable[Any]) -> None:
    """Forget the recipes of batch rules that have been replaced since."""
    for rules in classes:
        if getattr(rules, "batch_recipes", None) is not None:
            clear_if_replaced(rules.batch_recipes, rules.batch.__func__)


def _without_rule(
    steps: Sequence[_Step], every: Sequence[_PlainStep], moved: Sequence[Value]
) -> MissingRule:
    """The error for these steps, of every one."""
    ops = [step.op.operation for step in steps]
    lines = [
        f"  {op.name} at {place_of(op)}: {lacks(type(step.op), 'batch', op)}"
        f" (reached by {_path(step, every, moved)})"
        for step, op in zip(steps, ops, strict=True)
    ]
    text = f"{len(steps)} of the ops cannot be batched:\n" + "\n".join(lines)
    return MissingRule(text, str(ops[0].location))


def _path(step: _Step, steps: Sequence[_PlainStep], moved: Sequence[Value]) -> str:
    """Names of the ops on a path from a batched argument to this one."""
    producer = {y: other for other in map(_Step._make, steps) for y in other.results}
    names = [step.op.operation.name]
    while set(moved).isdisjoint(step.operands):
        step = next(producer[x] for x in step.operands if x in producer)
        names.append(step.op.operation.name)
    return " -> ".join(["a batched argument", *reversed(names)])
