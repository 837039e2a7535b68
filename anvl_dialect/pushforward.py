"""The forward sweep over one block: the engine of anvl-forward, and of rules of ops with bodies.

As in the reverse sweep, what does not move has no tangent at all (a symbolic zero), and only ops on
a path from what moves to what is asked for are visited.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from anvl.dialect.activity import Step, check_rules, named_after, steps_from, steps_towards
from anvl.dialect.errors import PassError
from anvl.dialect.mlir import ir
from anvl.dialect.recipes import type_number

__all__ = ["forward_sweep"]


def forward_sweep(
    block: ir.Block,
    tangents: Mapping[ir.Value, ir.Value | None],
    targets: Sequence[ir.Value],
    location: ir.Location | None = None,
) -> list[ir.Value | None]:
    """Emit the tangent ops at the current insertion point; the tangents of `targets`.

    `tangents` has those of the values that move; None is zero.  Tangent ops are named for the ops
    that they belong to, unless `location` is where they all are.  Raises `MissingRule` that lists
    every op on the way without a tangent.
    """
    given = {x: t for x, t in tangents.items() if t is not None}
    number = {x: i for i, x in enumerate(given)}
    types = [type_number(x.type) for x in given]
    forward = steps_from(block, number, types)
    steps = steps_towards([number[y] for y in targets if y in number], forward)
    check_rules(steps, len(given), "tangent")
    known: list[Any] = [*given.values(), *[None] * (len(types) - len(given))]
    while steps:  # each is let go when it is done: MLIR's handles are dear to keep
        _push(steps.pop(), known, len(given), location)
    return [known[number[y]] if y in number else None for y in targets]


def _push(step: Step, known: list[Any], n_given: int, here: ir.Location | None) -> None:
    """The tangents of the results of one op, from those of its operands."""
    op, operands, wanted, results, numbers = step
    ts = [None if n is None else known[n] for n in wanted]
    if all(t is None for t in ts):
        return
    rules = type(op)
    several = rules.multiple_results
    location = op.location
    with here or named_after(location, rules.short_name, "tangent"):
        try:
            found = rules.tangent(
                ts, operands, results if several else results[0], **rules.read(op.operation)
            )
            found = _checked(op, results, found if several else (found,))
        except Exception as error:  # of a rule's author: it stays as it is, and says where
            if not getattr(error, "location", ""):
                error.location = str(location)  # type: ignore[attr-defined]
            raise
    for n, t in zip(numbers, found, strict=True):
        if n is not None and n >= n_given:  # what was given a tangent keeps it
            known[n] = t


def _checked(op: Any, results: Sequence[ir.Value], found: Any) -> Sequence[Any]:
    """What a rule gave, of as many and of the types that there must be."""
    if len(found) != len(results):
        _refuse(op, f"{len(found)} tangents for {len(results)} results")
    for y, t in zip(results, found, strict=True):
        if t is not None and t.type != y.type:
            _refuse(op, f"a tangent {t.type} for a result {y.type}")
    return found


def _refuse(op: Any, what: str) -> None:
    raise PassError(
        "anvl-forward",
        f"{op.operation.name}: its tangent rule gave {what}",
        str(op.operation.location),
    )
