"""The reverse sweep over one block: the engine of anvl-gradient, and of rules of ops with bodies.

Cotangents are kept per SSA value, so nothing is computed twice; the first contribution is set and
later ones are added; what does not contribute has no cotangent at all (a symbolic zero).  Activity
first: only ops on a path from `wrt` to the seeded values are asked, and only for the operands on
such a path.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.activity_analysis import (
    Step,
    check_rules,
    found_at,
    named_after,
    ones_for,
    problem,
    slice_to,
    stand_in,
    steps_from,
)
from anvl.dialect.interpreters.ad_diagnostics import Finding, Search, missing
from anvl.dialect.interpreters.emission_cache import (
    Recipe,
    learn,
    replay,
    type_number,
    written,
    written_from,
)
from anvl.dialect.interpreters.masking import (
    Masked,
    Support,
    masked_by_select,
    materialize,
    ones_where,
    shared,
    summed,
)
from anvl.dialect.interpreters.replaced import Replaced, supersede

__all__ = ["sweep"]


def sweep(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    location: ir.Location | None = None,
    search: Search | None = None,
    *,
    reached: list[tuple[ir.Value, ir.Value]] | None = None,
) -> list[ir.Value]:
    """Emit the adjoint ops at the current insertion point; the cotangents of `wrt`.

    `seeds` pairs values of the block with their cotangents.  Values of `wrt` that nothing reaches
    get zeros.  Adjoint ops are named for the ops that they belong to, unless `location` is where
    they all are.  `reached` receives each value that has a cotangent, in order, with it.  Raises
    `MissingRule` that lists every op on the way without an adjoint; with a `search`, it gets that
    list, and zeros stand in for what is missing.
    """
    try:
        found = _swept(block, seeds, wrt, location, reached)
    except MissingRule as error:
        findings, found = _searched(block, seeds, wrt)
        if not findings:
            raise
        if search is None:
            raise missing(findings) from error
        search.add(findings)
    if search is not None:
        search.zeros = [i for i, g in enumerate(found) if g is None]
    return [
        full(x.type, 0) if g is None else materialize(g) for x, g in zip(wrt, found, strict=True)
    ]


def _swept(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    location: ir.Location | None,
    reached: list[tuple[ir.Value, ir.Value]] | None,
) -> list[Any]:
    steps, number, types = _active(block, seeds, wrt)
    for rules in check_rules(steps, "adjoint"):
        if rules.recipes is not None:
            written_from(rules.recipes, rules.adjoint.__func__, getattr(rules, "passes", None))
    cotangents = _seeded(seeds, number, len(types))
    values = list(number) if reached is not None else []
    del number
    _backward(steps, cotangents, types, location)
    if reached is not None:
        pairs = zip(values, cotangents, strict=True)
        reached += [(y, g) for y, g in pairs if isinstance(g, ir.Value)]
    return cotangents[: len(wrt)]


def _active(
    block: ir.Block, seeds: Sequence[tuple[ir.Value, ir.Value]], wrt: Sequence[ir.Value]
) -> tuple[list[Step], dict[ir.Value, int], list[int]]:
    """The steps from `wrt` to the seeds, in order; the numbers of the values, and their types."""
    number = {x: i for i, x in enumerate(wrt)}
    types = [type_number(x.type) for x in wrt]
    forward = steps_from(block, number, types)
    steps = slice_to([number[y] for y, _ in seeds if y in number], forward)
    steps.reverse()
    return steps, number, types


def _seeded(
    seeds: Sequence[tuple[ir.Value, ir.Value]], number: dict[ir.Value, int], count: int
) -> list[Any]:
    cotangents: list[Any] = [None] * count
    for y, g in seeds:
        if y in number:
            _add(cotangents, number[y], g)
    return cotangents


def _add(cotangents: list[Any], n: int, g: Any) -> None:
    known = cotangents[n]
    cotangents[n] = g if known is None else summed(known, g)


def _backward(
    steps: list[Step], cotangents: list[Any], types: list[int], here: ir.Location | None
) -> None:
    """Turn the cotangents of results into those of operands, step by step from the last.

    One loop and few calls: this is where compiling a gradient spends most of its time.
    """
    create = ir.Operation.create
    places: dict[type, tuple[ir.Location, ir.Location]] = {}
    while steps:  # each step is let go when it is done: MLIR's handles are dear to keep
        step = steps.pop()
        rules, op, operands, wanted, results, numbers = step
        g = _joined(numbers, cotangents) if rules.multiple_results else cotangents[numbers[0]]
        if g is None:
            continue
        location = op.location
        place = places.get(rules)
        # Most often that of the last of its kind; `!=` takes twice as long as `==`.
        if place is None or not place[0] == location:
            place = location, here or named_after(location, rules.short_name, "adjoint")
            places[rules] = place
        at = place[1]  # given to each op: to enter a location takes as long as a fourth of one
        recipe = None if rules.recipes is None else _recipe(step, types)
        if recipe is None or rules.selects_elements or type(g) is Masked:
            with at:
                _add_asked(step, g, recipe, cotangents)
            continue
        values = [*operands, results[0], g]
        append = values.append
        for name, result_types, pick, attributes, _ in recipe.builds:
            append(create(name, result_types, pick(values), attributes, None, 0, at).result)
        for i, k in recipe.outputs:
            n = wanted[i]
            if cotangents[n] is None:
                cotangents[n] = values[k]
            else:
                with at:
                    cotangents[n] = summed(cotangents[n], values[k])


def _add_asked(step: Step, g: Any, recipe: Recipe | None, cotangents: list[Any]) -> None:
    """What a rule gives for g, masked or not, to the cotangents of the operands."""
    rules, _, operands, wanted, results, _ = step
    masked = None
    if rules.selects_elements or type(g) is Masked or rules.multiple_results:
        g, masked = _unmasked(step, g)
    if recipe is None:
        found = _ask(step, g)
    else:
        answers = zip(recipe.outputs, replay(recipe, [*operands, results[0], g]), strict=True)
        found = [(i, wanted[i], gx) for (i, _), gx in answers]
    for i, n, gx in found:
        _add(cotangents, n, gx if masked is None else masked(i, gx))


# What the answer of a rule for operand i is with the masks that it is to have.
_Wrap: TypeAlias = Callable[[int, Any], Any]


def _unmasked(step: Step, g: Any) -> tuple[Any, _Wrap | None]:
    """A cotangent, or those of several results, as a rule gets it, and how its answers are masked.

    See Note [Lazy masks].
    """
    rules = step[0]
    if rules.multiple_results:
        if not any(type(part) is Masked for part in g):
            return g, None
        parts, masks, _ = shared(g)
        mask = Masked(None, masks)
        return tuple(parts), lambda i, gx: mask.of(gx)
    if type(g) is Masked:
        g, mask = g.carried(rules)
        if rules.diagonal and not rules.selects_elements:
            return g, lambda i, gx: mask.of(gx)
    else:
        mask = Masked(None)
    if not rules.selects_elements and (mask.support is None or not rules.moves_elements):
        mask = Masked(None, mask.masks)
        return g, lambda i, gx: mask.of(gx)
    support = cache(partial(_operand_support, step, mask.support))
    return g, lambda i, gx: Masked(None, mask.masks, cache(lambda: support()[i])).of(gx)


def _operand_support(step: Step, support: Support | None) -> list[Any]:
    """The support of the cotangent of each operand, given that of the result."""
    rules, op, operands, wanted, results, _ = step
    y = results[0]
    g = full_like(y, 1) if support is None else support()
    xs = operands if rules.selects_elements else tuple(map(ones_for, operands))
    answers = rules.operand_support(g, xs, y, **rules.read(op))
    rows = zip(operands, wanted, answers, strict=True)
    found = [materialize(_checked(op, *row)) for row in rows]
    return [None if gx is None else ones_where(gx) for gx in found]


def _searched(
    block: ir.Block, seeds: Sequence[tuple[ir.Value, ir.Value]], wrt: Sequence[ir.Value]
) -> tuple[list[Finding], list[Any]]:
    """All ops on the way that cannot be differentiated, in order, and the cotangents of `wrt`.

    The sweep again, without recipes, with zeros for the cotangents that a missing rule would give.
    """
    steps, number, types = _active(block, seeds, wrt)
    cotangents = _seeded(seeds, number, len(types))
    found: list[list[Finding]] = []
    contributions: list[tuple[int, Any]]
    for step in reversed(steps):
        why: Any = problem(step, "adjoint")
        if why is None:
            try:
                contributions = _contributions(step, cotangents)
            except MissingRule as error:
                why = error
        if why is not None:
            found.append(found_at(step, steps, len(wrt), why))
            operands = zip(step[3], step[2], strict=True)
            contributions = [(n, stand_in(x)) for n, x in operands if n is not None]
        for n, gx in contributions:
            if gx is not None:
                _add(cotangents, n, gx)
    return [finding for of_one in reversed(found) for finding in of_one], cotangents[: len(wrt)]


def _contributions(step: Step, cotangents: list[Any]) -> list[tuple[int, Any]]:
    """What a step contributes to the cotangents of its operands."""
    rules, numbers = step[0], step[5]
    g = _joined(numbers, cotangents) if rules.multiple_results else cotangents[numbers[0]]
    if g is None:
        return []
    g, masked = _unmasked(step, g)
    return [(n, gx if masked is None else masked(i, gx)) for i, n, gx in _ask(step, g)]


def _recipe(step: Step, types: list[int]) -> Recipe | None:
    """The recipe of an op, if there is one: `recipe_for`, written out for the hottest loop."""
    rules, op, operands, wanted, _, numbers = step
    if len(wanted) == 2:  # most ops
        m, n = wanted
        key: Any = (
            types[m] if m is not None else -abs(type_number(operands[0].type)),
            types[n] if n is not None else -abs(type_number(operands[1].type)),
        )
    else:
        pairs = zip(operands, wanted, strict=True)
        key = tuple([types[n] if n is not None else -abs(type_number(x.type)) for x, n in pairs])
    if not rules.is_inferred:
        key += (types[numbers[0]], *op.attributes.items())
    found = rules.recipes.get(key)
    if type(found) is Recipe:
        return found
    return learn(rules.recipes, key, lambda: _written(step))


def _written(step: Step) -> Recipe | None:
    """The adjoint rule of an op as a recipe: of its operands, its result and the cotangent."""
    rules, op, operands, wanted, results, _ = step

    def rule(*values: ir.Value) -> list[Any]:
        *xs, y, g = values
        found = rules.adjoint(g, tuple(xs), y, **rules.read(op))
        rows = zip(operands, wanted, found, strict=True)
        return [_checked(op, *row, rules.is_own) for row in rows]

    with op.location:
        recipe = written(rule, [x.type for x in (*operands, *results, *results)])
    return recipe if recipe is not None and recipe.is_plain else None


def _ask(step: Step, g: Any) -> list[tuple[int, int, Any]]:
    """Ask the rule: for each active operand its position, its number and its cotangent."""
    rules, op, operands, wanted, results, _ = step
    y = results if rules.multiple_results else results[0]
    try:
        contributions = rules.adjoint(g, operands, y, **rules.read(op))
        if type(contributions) is Replaced:
            supersede(results, contributions.values)
            contributions = contributions.answer
        if len(contributions) != len(operands):
            _wrong_number(op, len(contributions), len(operands))
        rows = zip(operands, wanted, contributions, strict=True)
        checked = [_checked(op, *row, rules.is_own) for row in rows]
    except Exception as error:  # of a rule's author: it stays as it is, and says where
        if not getattr(error, "location", ""):
            error.location = str(op.location)  # type: ignore[attr-defined]
        raise
    found = enumerate(zip(wanted, checked, strict=True))
    return [(i, n, gx) for i, (n, gx) in found if gx is not None]


def _checked(op: Any, x: ir.Value, n: int | None, gx: Any, is_own: bool = False) -> Any:
    """What a rule gave for the operand x: its cotangent if it is wanted, else None.

    `is_own` of an op of a person's, of which nothing is declared: Note [Lazy masks].
    """
    if gx is None or n is None:
        return None
    if not isinstance(gx, ir.Value | Masked):
        gx = gx()
    if gx.type != x.type:
        _wrong_type(op, x, gx)
    return masked_by_select(gx) if is_own else gx


def _joined(numbers: Sequence[int | None], cotangents: list[Any]) -> Any:
    """What a rule of several results calls g: a tuple, or None if all of it is zero."""
    gs = [None if n is None else cotangents[n] for n in numbers]
    return None if all(g is None for g in gs) else tuple(gs)


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
