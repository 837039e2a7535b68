"""The reverse sweep over one block: the engine of anvl-gradient.

Cotangents are kept per SSA value, so nothing is computed twice; the first contribution is set and
later ones are added; what does not contribute has no cotangent at all (a symbolic zero).  Activity
first: only ops on a path from `wrt` to the seeded values are asked, and only for the operands on
such a path.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.errors import MissingRule, PassError
from anvl.dialect.families import differentiable
from anvl.dialect.mlir import ir
from anvl.dialect.op import AnvlOp, emit
from anvl.dialect.ops.create import full

__all__ = ["sweep"]


class _Step(NamedTuple):
    """One op on the way: its class, operands and results are read from MLIR once."""

    op: Any
    operands: tuple[ir.Value, ...]
    results: tuple[ir.Value, ...]


def sweep(
    block: ir.Block, seeds: Sequence[tuple[ir.Value, ir.Value]], wrt: Sequence[ir.Value]
) -> list[ir.Value]:
    """Emit the adjoint ops at the current insertion point; the cotangents of `wrt`.

    `seeds` pairs values of the block with their cotangents.  Values of `wrt` that nothing reaches
    get zeros.  Raises `MissingRule` that lists every op on the way without an adjoint.
    """
    active: set[ir.Value] = set(wrt)
    steps = _towards([y for y, _ in seeds], _from(block, active), active)
    _check_rules(steps, active, set(wrt))
    cotangents: dict[ir.Value, ir.Value] = {}
    for y, g in seeds:
        _accumulate(cotangents, y, g)
    for step in steps:
        _visit(step, active, cotangents)
    return [cotangents[x] if x in cotangents else full(x.type, 0) for x in wrt]


def _from(block: ir.Block, active: set[ir.Value]) -> list[_Step]:
    """The ops that depend on `active`, in order; their float results join `active`."""
    steps = []
    for op in block.operations:
        operands = tuple(op.operands)
        if active.isdisjoint(operands):
            continue
        results = tuple(op.results)
        moving = [y for y in results if differentiable(y.type)]
        if moving:
            active.update(moving)
            steps.append(_Step(op, operands, results))
    return steps


def _towards(targets: Sequence[ir.Value], steps: list[_Step], active: set[ir.Value]) -> list[_Step]:
    """Of `steps`, those that a target depends on; last to first."""
    reached = set(targets)
    kept = []
    for step in reversed(steps):
        if not reached.isdisjoint(step.results):
            reached.update(active.intersection(step.operands))
            kept.append(step)
    return kept


def _visit(step: _Step, active: set[ir.Value], cotangents: dict[ir.Value, ir.Value]) -> None:
    op, operands, results = step
    rules = type(op)
    if rules.multiple_results:
        y: Any = results
        g: Any = tuple(cotangents.pop(r, None) for r in results)
        if all(part is None for part in g):
            return
    else:
        (y,) = results
        g = cotangents.pop(y, None)
        if g is None:
            return
    operation = op.operation
    params = rules.read(operation) if rules.params else {}
    with _adjoint_location(operation, rules.short_name):
        contributions = rules.adjoint(g, operands, y, **params)
        if len(contributions) != len(operands):
            _wrong_number(operation, len(contributions), len(operands))
        for x, gx in zip(operands, contributions, strict=True):
            if gx is None or x not in active:
                continue
            if not isinstance(gx, ir.Value):
                gx = gx()
            if gx.type != x.type:
                _wrong_type(operation, x, gx)
            _accumulate(cotangents, x, gx)


def _accumulate(cotangents: dict[ir.Value, ir.Value], x: ir.Value, g: ir.Value) -> None:
    known = cotangents.get(x)
    cotangents[x] = g if known is None else emit.add(known, g)


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


# -- what cannot be differentiated -----------------------------------------------------------------


def _check_rules(steps: Sequence[_Step], active: set[ir.Value], wrt: set[ir.Value]) -> None:
    """One error for all ops on the way that have no adjoint."""
    problems = [(step, why) for step in reversed(steps) if (why := _problem(step, active))]
    if not problems:
        return
    lines = [
        f"  {step.op.operation.name} at {_place(step.op.operation)}: {why}"
        f" (reached by {_path(step, steps, active, wrt)})"
        for step, why in problems
    ]
    raise MissingRule(f"{len(problems)} of the ops cannot be differentiated:\n" + "\n".join(lines))


def _problem(step: _Step, active: set[ir.Value]) -> str | None:
    rules = type(step.op)
    if not issubclass(rules, AnvlOp):
        return "it is no op of a dialect that has adjoint rules"
    if not rules.has_rule("adjoint"):
        return f"it has no `adjoint` rule; define it on {rules.__name__} in {rules.__module__}"
    for i, reason in rules.undefined.items():
        if step.operands[i] in active:
            return f"operand {i} has no derivative: {reason}"
    return None


def _place(op: ir.Operation) -> str:
    return str(op.location).removeprefix("loc(").removesuffix(")")


def _path(
    step: _Step, steps: Sequence[_Step], active: set[ir.Value], wrt: set[ir.Value]
) -> str:
    """The names of the ops from `wrt` to this one, by the first active operand of each."""
    producer = {y: s for s in steps for y in s.results}
    names = [step.op.operation.name]
    while not wrt.intersection(step.operands):
        step = producer[next(x for x in step.operands if x in active and x in producer)]
        names.append(step.op.operation.name)
    return " -> ".join(["wrt", *reversed(names)])
