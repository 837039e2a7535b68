"""Batching: an op, or a block of ops, with one more axis.

The batch axis is axis 0 of every batched value; ops without batched operands stay unchanged.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from anvl.dialect.core.create import are_literals_shared, full
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
    *ops, terminator = block.operations
    _check_rules(ops, moved)
    for i, type_ in types.items():
        block.arguments[i].set_type(type_)
    batching = _Batching(moved, symbols)
    batching.batch(ops)
    ops.clear()
    while batching.replaced:
        batching.replaced.pop().operation.erase()
    return [(y, y in batching.batched) for y in terminator.operands]


_create = ir.Operation.create


class _Batching:
    """Batches ops one by one: those of the forward slice of the batched values (Note [Slices]).

    Where only the result type changes, the op is kept and retyped: a fourth of the time of a new
    op.  An unbatched operand of such ops is broadcast once for all that use it.  A new op has the
    uses of the one that it replaces, so that a batched value always stands for itself.
    """

    def __init__(self, moved: Sequence[Value], symbols: SymbolTable | None) -> None:
        #: No answer of a rule is an unbatched operand: it would be the same for all members.
        self.batched: set[Value] = set(moved)
        self.symbols = symbols
        self.size = moved[0].type.shape[0] if moved else 0
        self.replaced: list[Any] = []  # ops to erase
        self.forms: dict[type, int] = {}
        self.grown: dict[ir.Type, ir.Type] = {}
        self.repeated: dict[Value, Value] = {}
        #: The op that repeats a value of a type: name, result types, attributes.
        self.repetitions: dict[ir.Type, tuple[str, list[ir.Type], dict[str, ir.Attribute]]] = {}

    def batch(self, ops: Sequence[Any]) -> None:
        batched, grown, forms = self.batched, self.grown, self.forms
        operands: tuple[Value, ...]
        flags: tuple[bool, ...]
        for op in ops:
            form = forms.get(type(op))
            if form is None:
                form = forms[type(op)] = _form_of(type(op))
            xs = values_read(op) if form == _READS_MORE else op.operands
            if len(xs) == 2:  # most ops; written out, which takes half the time
                operands = x, y = xs[0], xs[1]
                flags = is_first, is_second = x in batched, y in batched
                if not (is_first or is_second):
                    continue
                are_all = is_first and is_second
            else:
                operands = tuple(xs)
                flags = tuple([x in batched for x in operands])
                if True not in flags:
                    continue
                are_all = False not in flags
            if form != _RETYPED:
                self._replace(op, operands, flags)
                continue
            if not are_all:
                self._repeat_others(op, operands, flags)
            result = op.result
            old = result.type
            result.set_type(grown.get(old) or self._grown(old))
            batched.add(result)

    def _grown(self, old: Any) -> ir.Type:
        found = self.grown[old] = tensor((self.size, *old.shape), old.element_type)
        return found

    def _replace(self, op: Any, operands: tuple[Value, ...], flags: tuple[bool, ...]) -> None:
        """Emit a batched op in place of one."""
        several = type(op).multiple_results
        results = tuple(op.results) if several else (op.result,)
        with op.location, ir.InsertionPoint(op):
            emitted = emit_batched((op, operands, flags, results), operands, self.symbols)
        for y, z in zip(results, emitted, strict=True):
            if not (several and z.type == y.type):  # else all members share it
                self.batched.add(z)
            y.replace_all_uses_with(z)
        self.replaced.append(op)

    def _repeat_others(self, op: Any, operands: Sequence[Value], flags: Sequence[bool]) -> None:
        """Give an op the repeated values of its unbatched operands."""
        for i, is_batched in enumerate(flags):
            if not is_batched:
                op.operation.operands[i] = self._repeated(operands[i], op)

    def _repeated(self, x: Value, op: Any) -> Value:
        known = self.repeated.get(x)
        if known is not None:
            return known
        how = self.repetitions.get(x.type)
        if how is None:
            with op.location, ir.InsertionPoint(op):
                known = repeated(x, self.size)
            made = known.owner.operation
            self.repetitions[x.type] = made.name, [known.type], dict(made.attributes.items())
        else:  # in a third of the time: the size is that of the first one
            name, types, attributes = how
            place = op.location, ir.InsertionPoint(op)
            known = _create(name, types, (x,), attributes, None, 0, *place).result
        self.repeated[x] = known
        return known


def _form_of(rules: Any) -> int:
    """How an op of a class is batched: by retyping it, or by its rule."""
    if not getattr(rules, "reads_operands", False):
        return _READS_MORE
    family: Any = Elementwise
    is_plain = rules.diagonal and rules.batch.__func__ is family.batch.__func__
    return _RETYPED if is_plain else _BY_RULE


_RETYPED, _BY_RULE, _READS_MORE = range(3)  # the last: by its rule, too, or not at all


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
    if shares := are_literals_shared():  # an adjoint that batches its body
        key += (None,)
    return learn(rules.batch_recipes, key, lambda: _record_rule(_Step(*step), given, shares))


def _record_rule(step: _Step, given: Sequence[Value], shares_literals: bool) -> Recipe | None:
    """The batch rule of an op as a recipe."""

    def rule(*xs: Value) -> Sequence[Value]:
        return batched_results(step.op, xs, step.flags)

    return record(rule, [x.type for x in given], shares_literals=shares_literals)


def _check_rules(ops: Sequence[Any], moved: Sequence[Value]) -> None:
    """Raise one error for all ops on the path that have no batch rule."""
    classes = set(map(type, ops))
    plain = {r for r in classes if issubclass(r, AnvlOp) and r.has_rule("batch") and not r.captures}
    if len(plain) < len(classes):
        steps = _active_steps(ops, moved)
        doubtful = [s for s in steps if type(s.op) not in plain]
        problems = [s for s in doubtful if lacks(type(s.op), "batch", s.op.operation)]
        if problems:
            raise _without_rule(problems, steps, moved)
    forget_replaced_rules(classes)


def _active_steps(ops: Sequence[Any], moved: Sequence[Value]) -> list[_Step]:
    """Ops that depend on batched values: a forward slice of its own, as Note [Slices] says."""
    batched = set(moved)
    found = []
    for op in ops:
        operands = tuple(values_read(op))
        flags = tuple([x in batched for x in operands])
        if True in flags:
            results = tuple(op.results)
            batched.update(results)
            found.append(_Step(op, operands, flags, results))
    return found


def forget_replaced_rules(classes: Iterable[Any]) -> None:
    """Forget the recipes of batch rules that have been replaced since."""
    for rules in classes:
        if getattr(rules, "batch_recipes", None) is not None:
            clear_if_replaced(rules.batch_recipes, rules.batch.__func__)


def _without_rule(
    steps: Sequence[_Step], every: Sequence[_Step], moved: Sequence[Value]
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


def _path(step: _Step, steps: Sequence[_Step], moved: Sequence[Value]) -> str:
    """Names of the ops on a path from a batched argument to this one."""
    producer = {y: other for other in steps for y in other.results}
    names = [step.op.operation.name]
    while set(moved).isdisjoint(step.operands):
        step = next(producer[x] for x in step.operands if x in producer)
        names.append(step.op.operation.name)
    return " -> ".join(["a batched argument", *reversed(names)])
