"""The reverse sweep over one block: the engine of anvl-gradient, and of rules of ops with bodies.

Cotangents are kept per SSA value, so nothing is computed twice; the first contribution is set and
later ones are added; what does not contribute has no cotangent at all (a symbolic zero).  Activity
first: only ops on a path from `wrt` to the seeded values are asked, and only for the operands on
such a path.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.families import differentiable
from anvl.dialect.masked import Masked, settled, summed
from anvl.dialect.mlir import ir
from anvl.dialect.op import AnvlOp
from anvl.dialect.ops.create import full

__all__ = ["forward_sweep", "sweep"]


# One op on the way: the op, its operands, their numbers, its results, their numbers.  Read from
# MLIR once; values on a path from `wrt` have numbers, so that the rest of the work is on ints, and
# None stands for the others.  A plain tuple: one is made for every op (0.3 us less than a class).
_Step: TypeAlias = tuple[
    Any,
    tuple[ir.Value, ...],
    tuple[int | None, ...],
    tuple[ir.Value, ...],
    tuple[int | None, ...],
]


def sweep(
    block: ir.Block, seeds: Sequence[tuple[ir.Value, ir.Value]], wrt: Sequence[ir.Value]
) -> list[ir.Value]:
    """Emit the adjoint ops at the current insertion point; the cotangents of `wrt`.

    `seeds` pairs values of the block with their cotangents.  Values of `wrt` that nothing reaches
    get zeros.  Raises `MissingRule` that lists every op on the way without an adjoint.
    """
    number = {x: i for i, x in enumerate(wrt)}
    forward = _from(block, number)
    steps = _towards([number[y] for y, _ in seeds if y in number], forward)
    _check_rules(steps, len(wrt))
    cotangents: list[Any] = [None] * len(number)
    for y, g in seeds:
        if y in number:
            _accumulate(cotangents, number[y], g)
    steps.reverse()
    del forward, number
    while steps:  # each step is let go when it is done: MLIR's handles are dear to keep
        _visit(steps.pop(), cotangents)
    found = cotangents[: len(wrt)]
    return [full(x.type, 0) if g is None else settled(g) for x, g in zip(wrt, found, strict=True)]


def _from(block: ir.Block, number: dict[ir.Value, int]) -> list[_Step]:
    """The ops that depend on numbered values, in order; their float results get numbers too."""
    steps: list[_Step] = []
    known = number.get
    for op in block.operations:
        operands = tuple(op.operands)
        wanted = tuple([known(x) for x in operands])
        if wanted.count(None) == len(wanted) or getattr(op, "zero", False):
            continue  # nothing moves it, or it moves nothing: its derivative is zero by design
        # `result` costs a third of `results`, and nearly all ops have one.
        results = tuple(op.results) if _has_several(type(op)) else (op.result,)
        # A value of `wrt` may itself depend on another: it keeps its number.
        numbers = tuple(
            [number.setdefault(y, len(number)) if differentiable(y.type) else None for y in results]
        )
        steps.append((op, operands, wanted, results, numbers))
    return steps


def _has_several(rules: type) -> bool:
    """Whether the op may have several results, or none: those of other dialects may."""
    return getattr(rules, "multiple_results", True)


def _towards(targets: Sequence[int], steps: list[_Step]) -> list[_Step]:
    """Of `steps`, those that a target depends on; last to first."""
    reached: set[int | None] = set(targets)
    kept = []
    for step in reversed(steps):
        reached.discard(None)
        if not reached.isdisjoint(step[4]):
            reached.update(step[2])
            kept.append(step)
    return kept


def _visit(step: _Step, cotangents: list[Any]) -> None:
    op, operands, wanted, results, numbers = step
    rules = type(op)
    g = _cotangent(rules, numbers, cotangents)
    if g is None:
        return
    operation = op.operation
    params = rules.read(operation) if rules.params else _NONE
    with _adjoint_location(operation, rules.short_name):
        mask = None
        if type(g) is Masked:  # an op that is diagonal need not see it: Note [Lazy masks]
            g, mask = (g.g, g) if rules.diagonal else (g(), None)
        y = results if rules.multiple_results else results[0]
        contributions = rules.adjoint(g, operands, y, **params)
        if len(contributions) != len(operands):
            _wrong_number(operation, len(contributions), len(operands))
        for i, gx in enumerate(contributions):
            n = wanted[i]
            if gx is None or n is None:
                continue
            if not isinstance(gx, ir.Value | Masked):
                gx = gx()
            if gx.type != operands[i].type:
                _wrong_type(operation, operands[i], gx)
            _accumulate(cotangents, n, gx if mask is None else mask.of(gx))


def _cotangent(rules: Any, numbers: Sequence[int | None], cotangents: list[Any]) -> Any:
    """What a rule calls g: of one result, or a tuple for several; None if all of it is zero."""
    if not rules.multiple_results:
        n = numbers[0]
        return None if n is None else cotangents[n]
    gs = [None if n is None else cotangents[n] for n in numbers]
    return None if all(g is None for g in gs) else tuple([settled(g) for g in gs])


_NONE: dict[str, Any] = {}


def _accumulate(cotangents: list[Any], n: int, g: Any) -> None:
    known = cotangents[n]
    cotangents[n] = g if known is None else summed(known, g)


def _adjoint_location(op: ir.Operation, short_name: str) -> ir.Location:
    """Names the forward op that adjoint ops belong to: its Python name where known."""
    location = op.location
    name = getattr(location, "name_str", None) or short_name
    return ir.Location.name(f"{name}_adjoint", location)


def _wrong_number(op: ir.Operation, found: int, wanted: int) -> None:
    raise PassError(
        "anvl-gradient",
        f"{op.name}: its adjoint rule gave {found} cotangents for {wanted} operands",
        str(op.location),
    )


def _wrong_type(op: ir.Operation, x: ir.Value, g: ir.Value) -> None:
    raise PassError(
        "anvl-gradient",
        f"{op.name}: its adjoint rule gave a cotangent {g.type} for an operand {x.type}",
        str(op.location),
    )


def forward_sweep(
    block: ir.Block, tangents: dict[ir.Value, ir.Value | None], targets: Sequence[ir.Value]
) -> list[ir.Value | None]:
    """Emit the tangent ops of a block at the current insertion point; the tangents of `targets`.

    `tangents` has those of the inputs.  Only ops that a target depends on are asked; None is zero.
    """
    operations = list(block.operations)
    wanted = set(targets)
    for op in reversed(operations):
        if not wanted.isdisjoint(op.results):
            wanted.update(op.operands)
    known = dict(tangents)
    for op in operations:
        if not wanted.isdisjoint(op.results):
            _push(op, known)
    return [known.get(y) for y in targets]


def _push(op: Any, known: dict[ir.Value, ir.Value | None]) -> None:
    """The tangents of the results of one op, from those of its operands."""
    xs, ys = tuple(op.operands), tuple(op.results)
    ts = [known.get(x) for x in xs]
    if all(t is None for t in ts) or not any(differentiable(y.type) for y in ys):
        return
    rules = type(op)
    operation = op.operation
    with operation.location:
        found = rules.tangent(
            ts, xs, ys if rules.multiple_results else ys[0], **rules.read(operation)
        )
    known.update(zip(ys, found if rules.multiple_results else (found,), strict=True))


# -- what cannot be differentiated -----------------------------------------------------------------


def _check_rules(steps: Sequence[_Step], n_wrt: int) -> None:
    """One error for all ops on the way that have no adjoint."""
    doubtful = {cls for cls in {type(step[0]) for step in steps} if _may_lack_rules(cls)}
    problems = [
        (step, why)
        for step in reversed(steps)
        if type(step[0]) in doubtful and (why := _problem(step))
    ]
    if not problems:
        return
    lines = [
        f"  {step[0].operation.name} at {_place(step[0].operation)}: {why}"
        f" (reached by {_path(step, steps, n_wrt)})"
        for step, why in problems
    ]
    text = f"{len(problems)} of the ops cannot be differentiated:\n" + "\n".join(lines)
    raise MissingRule(text, str(problems[0][0][0].operation.location))


def _may_lack_rules(rules: type) -> bool:
    return not (issubclass(rules, AnvlOp) and rules.has_rule("adjoint") and not rules.undefined)


def _problem(step: _Step) -> str | None:
    rules, wanted = type(step[0]), step[2]
    if not issubclass(rules, AnvlOp):
        return "it is no op of a dialect that has adjoint rules"
    if not rules.has_rule("adjoint"):
        return f"it has no `adjoint` rule; define it on {rules.__name__} in {rules.__module__}"
    for i, reason in rules.undefined_of(len(wanted)).items():
        if wanted[i] is not None:
            return f"operand {i} has no derivative: {reason}"
    return None


def _place(op: ir.Operation) -> str:
    return str(op.location).removeprefix("loc(").removesuffix(")")


def _path(step: _Step, steps: Sequence[_Step], n_wrt: int) -> str:
    """The names of the ops from `wrt` to this one, by the first active operand of each."""
    producer = {n: s for s in steps for n in s[4] if n is not None}
    names = [step[0].operation.name]
    while not any(n is not None and n < n_wrt for n in step[2]):
        step = producer[next(n for n in step[2] if n in producer)]
        names.append(step[0].operation.name)
    return " -> ".join(["wrt", *reversed(names)])
