"""Activity: the ops between what moves and what is asked for, and whether they have rules.

Both derivative modes begin with it: `anvl.dialect.sweep` and `anvl.dialect.pushforward`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from anvl.dialect.errors import MissingRule
from anvl.dialect.findings import Finding
from anvl.dialect.mlir import ir
from anvl.dialect.op import AnvlOp
from anvl.dialect.ops.create import full
from anvl.dialect.recipes import inside, type_number

__all__ = [
    "Step", "check_rules", "found_at", "lacks", "named_after", "ones_for", "path_to", "place_of",
    "problem", "stand_in", "steps_from", "steps_towards",
]  # fmt: skip


# One op on the way: the op, its operands, their numbers, its results, their numbers.  Read from
# MLIR once; values on a path from `wrt` have numbers, so that the rest of the work is on ints, and
# None stands for the others.  A plain tuple: one is made for every op (0.3 us less than a class).
Step: TypeAlias = tuple[
    Any, tuple[ir.Value, ...], tuple[Any, ...], tuple[ir.Value, ...], tuple[Any, ...]
]


def steps_from(block: ir.Block, number: dict[ir.Value, int], types: list[int]) -> list[Step]:
    """The ops that depend on numbered values, in order; their float results get numbers too.

    `types` are those of the numbered values, as `type_number` has them.
    """
    steps: list[Step] = []
    known = number.get
    forms: dict[type, int] = {}
    for op in list(block.operations):  # a list at once: a fifth less than one by one
        rules = type(op)
        form = forms.get(rules)
        if form is None:
            form = forms[rules] = _form(rules)
        if form == _ZERO:
            continue
        if form != _ONE_RESULT:
            steps += _steps_of(op, form, number, types)
            continue
        xs = op.operands
        wanted: tuple[int | None, ...]
        if len(xs) == 2:  # most ops; written out, as is `tuple`, 0.2 us less
            operands = x, y = xs[0], xs[1]
            wanted = known(x), known(y)
        else:
            operands = tuple(xs)
            wanted = tuple([known(x) for x in operands])
        if wanted.count(None) < len(wanted):
            result = op.result  # a third of what `results` costs
            n = _numbered(result, type_number(result.type), number, types)
            steps.append((op, operands, wanted, (result,), (n,)))
    return steps


def _steps_of(op: Any, form: int, number: dict[ir.Value, int], types: list[int]) -> list[Step]:
    """The step of an op of several results, or of no dialect of ours, if it depends on some."""
    operands = tuple(op.operands)
    if form == _FOREIGN:
        operands += _captured(op.operation, number)
    wanted = tuple([number.get(x) for x in operands])
    if wanted.count(None) == len(wanted):
        return []
    results = tuple(op.results)
    numbers = []
    for y in results:
        type_ = type_number(y.type)
        carries = form == _FOREIGN and _may_carry(y.type)
        numbers.append(_numbered(y, type_, number, types, carries))
    return [(op, operands, wanted, results, tuple(numbers))]


def _numbered(
    y: ir.Value, type_: int, number: dict[ir.Value, int], types: list[int], carries: bool = False
) -> int | None:
    """The number of a result, a new one or, where it is itself of `wrt`, its own."""
    if type_ <= 0 and not carries:
        return None
    n = number.setdefault(y, len(types))
    if n == len(types):
        types.append(type_)
    return n


_ZERO, _ONE_RESULT, _SEVERAL, _FOREIGN = range(4)


def _form(rules: type) -> int:
    """Whether the derivative of an op is zero by design; else, how many results it may have."""
    if not issubclass(rules, AnvlOp):
        return _FOREIGN
    if rules.zero:
        return _ZERO
    return _SEVERAL if rules.multiple_results else _ONE_RESULT


def _may_carry(type_: ir.Type) -> bool:
    """Whether a value that a foreign op makes may depend smoothly on its operands."""
    if isinstance(type_, ir.ShapedType):
        type_ = type_.element_type
    return not isinstance(type_, ir.IntegerType | ir.IndexType)


def _captured(op: ir.Operation, number: dict[ir.Value, int]) -> tuple[ir.Value, ...]:
    """The numbered values that the regions of an op use: those of foreign ops may use any."""
    found = {x: None for inner in inside(op) for x in inner.operands if x in number}
    return tuple(found)


def steps_towards(targets: Sequence[int], steps: list[Step]) -> list[Step]:
    """Of `steps`, those that a target depends on; last to first."""
    reached: set[int | None] = set(targets)
    kept = []
    for step in reversed(steps):
        reached.discard(None)
        if not reached.isdisjoint(step[4]):
            reached.update(step[2])
            kept.append(step)
    return kept


def named_after(location: ir.Location, short_name: str, what: str) -> ir.Location:
    """Names the forward op that derivative ops belong to: its Python name where known."""
    name = getattr(location, "name_str", None) or short_name
    return ir.Location.name(f"{name}_{what}", location)


# -- what cannot be differentiated -----------------------------------------------------------------


def check_rules(steps: Sequence[Step], rule: str) -> Iterable[Any]:
    """The classes of the ops; raises `MissingRule` where one of the ops lacks a rule.

    Only to tell that one does: `found_at` says what and where.
    """
    classes = {type(step[0]) for step in steps}
    doubtful = {cls for cls in classes if _may_lack(cls, rule)}
    if doubtful:
        for step in steps:
            if type(step[0]) in doubtful and (why := problem(step, rule)):
                raise MissingRule(why[0], str(step[0].operation.location))
    return classes


def found_at(
    step: Step, steps: Sequence[Step], n_wrt: int, why: tuple[str, int | None] | MissingRule
) -> list[Finding]:
    """What is to be said of an op that cannot be differentiated, as `problem` or its rule told.

    What the sweep over a body of the op has found is behind the op.
    """
    op = step[0].operation
    if not isinstance(why, MissingRule):
        reason, operand = why
        return [Finding(op.name, place_of(op), reason, path_to(step, steps, n_wrt, operand))]
    path = path_to(step, steps, n_wrt)
    if why.findings:
        return [finding.behind(path) for finding in why.findings]
    return [Finding(op.name, place_of(op), str(why), path)]


def lacks(rules: type, rule: str) -> str | None:
    """Why the ops of a class do not have a rule, None if they do."""
    if not issubclass(rules, AnvlOp):
        return f"it is no op of a dialect that has {rule} rules"
    if not rules.has_rule(rule):
        return f"it has no `{rule}` rule; define it on {rules.__name__} in {rules.__module__}"
    return None


def place_of(op: ir.Operation) -> str:
    """Where an op is, for a message."""
    return str(op.location).removeprefix("loc(").removesuffix(")")


def _may_lack(rules: type, rule: str) -> bool:
    return not (issubclass(rules, AnvlOp) and rules.has_rule(rule) and not rules.undefined)


def problem(step: Step, rule: str) -> tuple[str, int | None] | None:
    """Why an op cannot be differentiated, and in which operand; None if it can.

    And None where only its rule can tell.
    """
    rules, wanted = type(step[0]), step[2]
    missing = lacks(rules, rule)
    if missing is not None:
        return missing, None
    for i, reason in rules.undefined_of(len(wanted), step[0].operation).items():
        if wanted[i] is not None:
            return f"operand {i} has no derivative: {reason}", i
    return None


def stand_in(x: ir.Value) -> ir.Value | None:
    """In place of a derivative that a missing rule would give: zeros, of what can have them."""
    return full(x.type, 0) if type_number(x.type) > 0 else None


def ones_for(x: ir.Value) -> ir.Value:
    """In place of an operand, to see how an op moves elements; what is no float stays."""
    return full(x.type, 1) if type_number(x.type) > 0 else x


def path_to(
    step: Step, steps: Sequence[Step], n_wrt: int, operand: int | None = None
) -> tuple[str, ...]:
    """The names of the ops from `wrt` to this one, by an operand of it or any.

    From there on by the first active operand of each.
    """
    producer = {n: s for s in steps for n in s[4] if n is not None}
    names = [step[0].operation.name]
    reached = step[2] if operand is None else (step[2][operand],)
    while not any(n is not None and n < n_wrt for n in reached):
        step = producer[next(n for n in reached if n in producer)]
        names.append(step[0].operation.name)
        reached = step[2]
    return tuple(reversed(names))
