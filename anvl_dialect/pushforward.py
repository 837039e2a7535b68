"""The forward sweep over one block: the engine of anvl-forward, and of rules of ops with bodies.

As in the reverse sweep, what does not move has no tangent at all (a symbolic zero), and only ops on
a path from what moves to what is asked for are visited.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from anvl.dialect.activity import Step, check_rules, named_after, steps_from, steps_towards
from anvl.dialect.errors import PassError
from anvl.dialect.mlir import ir
from anvl.dialect.recipes import Recipe, recipe_for, type_number, written, written_from

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
    for rules in check_rules(steps, len(given), "tangent"):
        if rules.tangent_recipes is not None:
            written_from(
                rules.tangent_recipes, rules.tangent.__func__, getattr(rules, "passes", None)
            )
    known: list[Any] = [*given.values(), *[None] * (len(types) - len(given))]
    _forward(steps, known, types, len(given), location)
    return [known[number[y]] if y in number else None for y in targets]


def _forward(
    steps: list[Step], known: list[Any], types: list[int], n_given: int, here: ir.Location | None
) -> None:
    """Turn the tangents of operands into those of results, step by step; `steps` is backwards."""
    create = ir.Operation.create
    places: dict[type, tuple[ir.Location, ir.Location]] = {}
    while steps:  # each step is let go when it is done: MLIR's handles are dear to keep
        step = steps.pop()
        op, operands, wanted, results, numbers = step
        ts = [None if n is None else known[n] for n in wanted]
        moving = [t for t in ts if t is not None]
        if not moving:
            continue
        rules = type(op)
        location = op.location
        place = places.get(rules)
        if place is None or place[0] != location:  # most often it is that of the last of its kind
            place = location, here or named_after(location, rules.short_name, "tangent")
            places[rules] = place
        with place[1]:
            recipe = None if rules.tangent_recipes is None else _recipe(step, ts, types)
            if recipe is None:
                found = _ask(step, ts)
            else:
                values = [*operands, results[0], *moving]
                append = values.append
                for name, result_types, pick, attributes, _ in recipe.builds:
                    append(create(name, result_types, pick(values), attributes).result)
                found = [values[at] for _, at in recipe.outputs] or _NOTHING
        for n, t in zip(numbers, found, strict=True):
            if n is not None and n >= n_given:  # what was given a tangent keeps it
                known[n] = t


_NOTHING = [None]


def _recipe(step: Step, ts: Sequence[Any], types: list[int]) -> Recipe | None:
    """The recipe of an op, if there is one."""
    op, operands, wanted, _, numbers = step
    key: list[Any] = [
        types[n] if t is not None and n is not None else -abs(type_number(x.type))
        for x, n, t in zip(operands, wanted, ts, strict=True)
    ]
    return recipe_for(type(op).tangent_recipes, op, key, types[numbers[0]], _written, step, ts)


def _written(step: Step, ts: Sequence[Any]) -> Recipe | None:
    """The tangent rule of an op as a recipe: of its operands, its result and what moves."""
    op, operands, _, results, _ = step
    n = len(operands)

    def rule(*values: ir.Value) -> Sequence[Any]:
        moving = iter(values[n + 1 :])
        given = [None if t is None else next(moving) for t in ts]
        return [type(op).tangent(given, values[:n], values[n], **type(op).read(op.operation))]

    inputs = [*operands, *results, *(t for t in ts if t is not None)]
    recipe = written(rule, [x.type for x in inputs])
    return recipe if recipe is not None and recipe.is_plain else None


def _ask(step: Step, ts: Sequence[Any]) -> Sequence[Any]:
    """Ask the rule: the tangent of each result."""
    op, operands, _, results, _ = step
    rules = type(op)
    several = rules.multiple_results
    try:
        found = rules.tangent(
            ts, operands, results if several else results[0], **rules.read(op.operation)
        )
        return _checked(op, results, found if several else (found,))
    except Exception as error:  # of a rule's author: it stays as it is, and says where
        if not getattr(error, "location", ""):
            error.location = str(op.location)  # type: ignore[attr-defined]
        raise


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
