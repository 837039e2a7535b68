"""The forward sweep over one block: the engine of anvl-forward, and of rules of ops with bodies.

As in the reverse sweep, what does not move has no tangent at all (a symbolic zero), and only ops on
a path from what moves to what is asked for are visited.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, reduce
from typing import Any

from anvl.dialect.core.create import full_like
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
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
    recipe_for,
    type_number,
    written,
    written_from,
)
from anvl.dialect.interpreters.masking import (
    Masked,
    Support,
    is_alike,
    masked_by_select,
    materialize,
    ones_where,
    shared,
    summed,
)
from anvl.dialect.interpreters.replaced import Replaced, supersede

__all__ = ["forward_sweep"]


def forward_sweep(
    block: ir.Block,
    tangents: Mapping[ir.Value, ir.Value | None],
    targets: Sequence[ir.Value],
    location: ir.Location | None = None,
    search: Search | None = None,
    *,
    replaces: bool = True,
) -> list[ir.Value | None]:
    """Emit the tangent ops at the current insertion point; the tangents of `targets`.

    `tangents` has those of the values that move; None is zero.  Tangent ops are named for the ops
    that they belong to, unless `location` is where they all are.  Raises `MissingRule` that lists
    every op on the way without a tangent; with a `search`, it gets that list, and zeros stand in
    for what is missing.  Without `replaces`, an op stays also where its rule has another one.
    """
    given = {x: t for x, t in tangents.items() if t is not None}
    try:
        found = _swept(block, given, targets, location, replaces)
    except MissingRule as error:
        findings, found = _searched(block, given, targets)
        if not findings:
            raise
        if search is None:
            raise missing(findings) from error
        search.add(findings)
    return [materialize(t) for t in found]


def _swept(
    block: ir.Block,
    given: Mapping[ir.Value, ir.Value],
    targets: Sequence[ir.Value],
    location: ir.Location | None,
    replaces: bool,
) -> list[Any]:
    steps, number, types = _active(block, given, targets)
    for rules in check_rules(steps, "tangent"):
        if rules.tangent_recipes is not None:
            written_from(
                rules.tangent_recipes, rules.tangent.__func__, getattr(rules, "passes", None)
            )
    known: list[Any] = [*given.values(), *[None] * (len(types) - len(given))]
    _forward(steps, known, types, len(given), location, replaces)
    return [known[number[y]] if y in number else None for y in targets]


def _active(
    block: ir.Block, given: Mapping[ir.Value, ir.Value], targets: Sequence[ir.Value]
) -> tuple[list[Step], dict[ir.Value, int], list[int]]:
    """The steps to the targets, last to first; the numbers of the values, and their types."""
    number = {x: i for i, x in enumerate(given)}
    types = [type_number(x.type) for x in given]
    forward = steps_from(block, number, types)
    return slice_to([number[y] for y in targets if y in number], forward), number, types


def _forward(
    steps: list[Step],
    known: list[Any],
    types: list[int],
    n_given: int,
    here: ir.Location | None,
    replaces: bool,
) -> None:
    """Turn the tangents of operands into those of results, step by step; `steps` is backwards."""
    create = ir.Operation.create
    places: dict[type, tuple[ir.Location, ir.Location]] = {}
    masks = False  # whether any tangent is masked
    while steps:  # each step is let go when it is done: MLIR's handles are dear to keep
        step = steps.pop()
        rules, op, operands, wanted, results, numbers = step
        ts = [None if n is None else known[n] for n in wanted]
        moving = [t for t in ts if t is not None]
        if not moving:
            continue
        location = op.location
        place = places.get(rules)
        # Most often that of the last of its kind; `!=` takes twice as long as `==`.
        if place is None or not place[0] == location:
            place = location, here or named_after(location, rules.short_name, "tangent")
            places[rules] = place
        at = place[1]  # given to each op: to enter a location takes as long as a fourth of one
        is_masked = masks and any(type(t) is Masked for t in moving)
        plain = rules.tangent_recipes is not None and not (is_masked or rules.selects_elements)
        recipe = _recipe(step, ts, types) if plain else None
        if recipe is None:
            with at:
                ask = _carried if is_masked or rules.selects_elements else _ask
                found = ask(step, ts, replaces)
        else:
            values = [*operands, results[0], *moving]
            append = values.append
            for name, result_types, pick, attributes, _ in recipe.builds:
                append(create(name, result_types, pick(values), attributes, None, 0, at).result)
            found = [values[k] for _, k in recipe.outputs] or _NOTHING
        for n, t in zip(numbers, found, strict=True):
            if n is not None and n >= n_given:  # what was given a tangent keeps it
                known[n] = t
                masks = masks or type(t) is Masked


def _carried(step: Step, ts: Sequence[Any], replaces: bool = True) -> Sequence[Any]:
    """The tangents of the results, where some of those of the operands are masked or chosen.

    See Note [Lazy masks].
    """
    rules = step[0]
    moving = [i for i, t in enumerate(ts) if t is not None]
    if rules.diagonal and not rules.preserves_zeros:
        if len(moving) == 1:
            return _ask_one(step, ts, moving[0], replaces)
        if not is_alike([ts[i] for i in moving]):
            # What moves one operand may not be masked with what masks another.
            parts = [_ask_one(step, ts, i, replaces) for i in moving]
            return [_total(of_one) for of_one in zip(*parts, strict=True)]
    plain, masks, supports = shared(ts, rules.diagonal)
    mask = Masked(None, masks, _support_behind(step, ts, supports))
    return [None if t is None else mask.of(t) for t in _ask(step, plain, replaces)]


def _ask_one(step: Step, ts: Sequence[Any], i: int, replaces: bool) -> Sequence[Any]:
    """The tangents of the results of a diagonal op where operand i alone moves."""
    if type(ts[i]) is not Masked:
        return _ask(step, [t if k == i else None for k, t in enumerate(ts)], replaces)
    given, mask = ts[i].carried(step[0])
    found = _ask(step, [given if k == i else None for k in range(len(ts))], replaces)
    return [None if t is None else mask.of(t) for t in found]


def _support_behind(
    step: Step, ts: Sequence[Any], supports: Sequence[Support | None]
) -> Support | None:
    """The support of the tangent of the result, given those of the operands."""
    rules = step[0]
    known = [support for support in supports if support is not None]
    if rules.selects_elements or (known and rules.moves_elements):
        return cache(partial(_result_support, step, ts, supports))
    moving = [t for t in ts if t is not None]
    if known and rules.diagonal and len(known) == len(moving):  # the union of theirs
        return cache(lambda: reduce(emit.add, [support() for support in known]))
    return None


def _result_support(step: Step, ts: Sequence[Any], supports: Sequence[Support | None]) -> Any:
    rules, op, operands, _, results, _ = step
    given = [
        None if t is None else full_like(x, 1) if support is None else support()
        for x, t, support in zip(operands, ts, supports, strict=True)
    ]
    xs = operands if rules.selects_elements else tuple(map(ones_for, operands))
    return ones_where(materialize(rules.result_support(given, xs, results[0], **rules.read(op))))


def _total(parts: Sequence[Any]) -> Any:
    present = [t for t in parts if t is not None]
    return reduce(summed, present) if present else None


def _searched(
    block: ir.Block, given: Mapping[ir.Value, ir.Value], targets: Sequence[ir.Value]
) -> tuple[list[Finding], list[Any]]:
    """All ops on the way that cannot be differentiated, in order, and the tangents of `targets`.

    The sweep again, without recipes, with zeros for the tangents that a missing rule would give.
    """
    steps, number, types = _active(block, given, targets)
    known: list[Any] = [*given.values(), *[None] * (len(types) - len(given))]
    found: list[Finding] = []
    for step in reversed(steps):
        why: Any = problem(step, "tangent")
        ts = [None if n is None else known[n] for n in step[3]]
        if why is None and any(t is not None for t in ts):
            try:
                answers = _carried(step, ts)
            except MissingRule as error:
                why = error
        elif why is None:
            continue
        if why is not None:
            found += found_at(step, steps, len(given), why)
            answers = [stand_in(y) for y in step[4]]
        for n, t in zip(step[5], answers, strict=True):
            if n is not None and n >= len(given):
                known[n] = t
    return found, [known[number[y]] if y in number else None for y in targets]


_NOTHING = [None]


def _recipe(step: Step, ts: Sequence[Any], types: list[int]) -> Recipe | None:
    """The recipe of an op, if there is one."""
    rules, op, operands, wanted, _, numbers = step
    key: list[Any] = [
        types[n] if t is not None and n is not None else -abs(type_number(x.type))
        for x, n, t in zip(operands, wanted, ts, strict=True)
    ]
    return recipe_for(rules.tangent_recipes, rules, op, key, types[numbers[0]], _written, step, ts)


def _written(step: Step, ts: Sequence[Any]) -> Recipe | None:
    """The tangent rule of an op as a recipe: of its operands, its result and what moves."""
    rules, op, operands, _, results, _ = step
    n = len(operands)

    def rule(*values: ir.Value) -> Sequence[Any]:
        moving = iter(values[n + 1 :])
        given = [None if t is None else next(moving) for t in ts]

        def ask(ts: Sequence[Any]) -> Any:
            return rules.tangent(ts, values[:n], values[n], **rules.read(op))

        return [_own(ask, given) if rules.is_own else ask(given)]

    inputs = [*operands, *results, *(t for t in ts if t is not None)]
    with op.location:
        recipe = written(rule, [x.type for x in inputs])
    return recipe if recipe is not None and recipe.is_plain else None


def _ask(step: Step, ts: Sequence[Any], replaces: bool) -> Sequence[Any]:
    """Ask the rule: the tangent of each result."""
    if step[0].is_own and not step[0].multiple_results:
        return [_own(lambda given: _answer(step, given, replaces)[0], ts)]
    return _answer(step, ts, replaces)


def _own(ask: Callable[[Sequence[Any]], Any], ts: Sequence[Any]) -> Any:
    """The tangent of an op of one's own, of which nothing is declared: Note [Lazy masks].

    What its rule selects for one operand is seen where it is asked for that one alone.
    """
    moving = [i for i, t in enumerate(ts) if t is not None]
    alone = [[t if k == i else None for k, t in enumerate(ts)] for i in moving]
    parts = [masked_by_select(ask(given)) for given in alone]
    if len(parts) == 1 or any(type(part) is Masked for part in parts):
        return _total(parts)
    return ask(ts)


def _answer(step: Step, ts: Sequence[Any], replaces: bool) -> Sequence[Any]:
    rules, op, operands, _, results, numbers = step
    several = rules.multiple_results
    try:
        params = rules.read(op)
        if rules.uses_activity:
            params["active"] = [n is not None for n in numbers]
        found = rules.tangent(ts, operands, results if several else results[0], **params)
        if type(found) is Replaced:
            if replaces:
                supersede(results, found.values)
            found = found.answer
        return _checked(op, results, found if several else (found,))
    except Exception as error:  # of a rule's author: it stays as it is, and says where
        if not getattr(error, "location", ""):
            error.location = str(op.location)  # type: ignore[attr-defined]
        raise


def _checked(op: ir.Operation, results: Sequence[ir.Value], found: Any) -> Sequence[Any]:
    """What a rule gave, of as many and of the types that there must be."""
    if len(found) != len(results):
        _refuse(op, f"{len(found)} tangents for {len(results)} results")
    for y, t in zip(results, found, strict=True):
        if t is not None and t.type != y.type:
            _refuse(op, f"a tangent {t.type} for a result {y.type}")
    return found


def _refuse(op: ir.Operation, what: str) -> None:
    raise PassError(
        "anvl-forward",
        f"{op.name}: its tangent rule gave {what}",
        str(op.location),
    )
