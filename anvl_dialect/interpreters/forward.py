"""The forward sweep over one block: the engine of anvl-forward, and of rules of ops with bodies.

As in the reverse sweep, inactive values have no tangent at all (a symbolic zero), and only ops on a
path from active inputs to targets are visited.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.activity_analysis import (
    check_rules,
    found_at,
    problem,
    stand_in,
    steps_from,
)
from anvl.dialect.interpreters.ad_diagnostics import Finding, Search, missing
from anvl.dialect.interpreters.common import Places, PlainStep, Step, ask, check_type, listed
from anvl.dialect.interpreters.emission_cache import (
    Recipe,
    clear_if_replaced,
    emitted,
    recipe_for,
    record,
    type_number,
)
from anvl.dialect.interpreters.masked_rules import tangents_through, total
from anvl.dialect.interpreters.masking import Masked, masked_by_select, materialize
from anvl.dialect.interpreters.replaced import Replaced, replace_results
from anvl.dialect.interpreters.slices import slice_to

__all__ = ["forward_sweep"]


def forward_sweep(
    block: ir.Block,
    tangents: Mapping[ir.Value, ir.Value | None],
    targets: Sequence[ir.Value],
    location: ir.Location | None = None,
    search: Search | None = None,
    *,
    symbols: SymbolTable | None = None,
    replaces: bool = True,
) -> list[ir.Value | None]:
    """Emit the tangent ops at the current insertion point; return the tangents of `targets`.

    `tangents` maps active values to their tangents; None is zero.  Tangent ops are named after
    their primal ops, unless `location` is given for all.  `symbols` has the functions that ops of
    the block call.  Raises `MissingRule` that lists every op on the path without a tangent; with a
    `search`, it gets that list, and zeros stand in for the missing tangents.  Without `replaces`,
    an op stays even if its rule replaces it.
    """
    given = {x: t for x, t in tangents.items() if t is not None}
    try:
        found = _sweep_block(block, given, targets, location, symbols, replaces)
    except MissingRule as error:
        findings, found = _collect_findings(block, given, targets, symbols)
        if not findings:
            raise
        if search is None:
            raise missing(findings) from error
        search.add(findings)
    return [materialize(t) for t in found]


def _sweep_block(
    block: ir.Block,
    given: Mapping[ir.Value, ir.Value],
    targets: Sequence[ir.Value],
    location: ir.Location | None,
    symbols: SymbolTable | None,
    replaces: bool,
) -> list[Any]:
    steps, ids, types = _active(block, given, targets, symbols)
    for rules in check_rules(steps, "tangent", symbols):
        if rules.tangent_recipes is not None:
            passes = getattr(rules, "passes", None)
            clear_if_replaced(rules.tangent_recipes, rules.tangent.__func__, passes)
    tangents: list[Any] = [*given.values(), *[None] * (len(types) - len(given))]
    places = Places("tangent", location)
    _Sweep(tangents, types, len(given), places, symbols, replaces).run(steps)
    return [tangents[ids[y]] if y in ids else None for y in targets]


def _active(
    block: ir.Block,
    given: Mapping[ir.Value, ir.Value],
    targets: Sequence[ir.Value],
    symbols: SymbolTable | None,
) -> tuple[list[PlainStep], dict[ir.Value, int], list[int]]:
    """Active steps to the targets, last to first; the ids of the values, and their types."""
    ids = {x: i for i, x in enumerate(given)}
    types = [type_number(x.type) for x in given]
    forward = steps_from(block, ids, types, symbols)
    return slice_to([ids[y] for y in targets if y in ids], forward), ids, types


class _Sweep:
    """Propagates tangents, by number, from operands to results.  The first `n_given` are given."""

    __slots__ = ("n_given", "places", "replaced", "symbols", "tangents", "types")

    def __init__(
        self,
        tangents: list[Any],
        types: list[int],
        n_given: int,
        places: Places,
        symbols: SymbolTable | None,
        replaces: bool,
    ) -> None:
        self.tangents, self.types, self.n_given = tangents, types, n_given
        self.places, self.symbols = places, symbols
        #: Values in place of results of the ops that were replaced; None if none may be.
        self.replaced: dict[ir.Value, ir.Value] | None = {} if replaces else None

    def run(self, steps: list[PlainStep]) -> None:
        """Visit each step, from the first to the last.

        `steps` are last to first: each is released when it is done (Note [Handles]).
        """
        tangents, n_given, any_masked = self.tangents, self.n_given, False
        while steps:
            step = steps.pop()
            if self.replaced:
                step = _with_operands(step, self.replaced)
            ts = [None if n is None else tangents[n] for n in step[3]]
            moving = [t for t in ts if t is not None]
            if not moving:
                continue
            is_masked = any_masked and any([type(t) is Masked for t in moving])
            found = self._tangents_of(step, ts, moving, is_masked or step[0].selects_elements)
            for n, t in zip(step[5], found, strict=True):
                if n is not None and n >= n_given:  # an input keeps its given tangent
                    tangents[n] = t
                    any_masked = any_masked or type(t) is Masked

    def _tangents_of(
        self, step: PlainStep, ts: list[Any], moving: list[Any], is_masked: bool
    ) -> Sequence[Any]:
        """Tangents of the results, from a recipe if there is one: Note [Recipes]."""
        rules, op, operands, ids, results, _ = step
        at = self.places.of(rules, op)
        recipe = None
        if not is_masked:
            if len(moving) < len(ts):
                ids = tuple([n if t is not None else None for n, t in zip(ids, ts, strict=True)])
            recipe = recipe_for(rules.tangent_recipes, step, ids, self.types, _record_rule)
        if recipe is None:
            with at:
                return _apply_rule(Step(*step, self.symbols), ts, is_masked, self.replaced)
        values = emitted(recipe, [*operands, results[0], *moving], at)
        return [values[k] for _, k in recipe.outputs] or _NOTHING


_NOTHING = [None]


def _with_operands(step: PlainStep, replaced: Mapping[ir.Value, ir.Value]) -> PlainStep:
    """The step as it is in the IR, where some results of earlier ops were replaced."""
    rules, op, operands, ids, results, result_ids = step
    return rules, op, tuple([replaced.get(x, x) for x in operands]), ids, results, result_ids


def _apply_rule(
    step: Step, ts: Sequence[Any], is_masked: bool, replaced: dict[ir.Value, ir.Value] | None
) -> Sequence[Any]:
    """Tangents of the results, carrying the masks of the operands' tangents: Note [Lazy masks]."""
    answer = partial(_tangents, step, replaced=replaced)
    return tangents_through(step, ts, answer) if is_masked else answer(ts)


def _tangents(
    step: Step, ts: Sequence[Any], replaced: dict[ir.Value, ir.Value] | None
) -> Sequence[Any]:
    """Tangents of the results, as returned by the rule."""
    if step.rules.is_own and not step.rules.multiple_results:
        return [_tangent_of_own_op(lambda given: _checked(step, given, replaced)[0], ts)]
    return _checked(step, ts, replaced)


def _tangent_of_own_op(answer: Callable[[Sequence[Any]], Any], ts: Sequence[Any]) -> Any:
    """Tangent of a user-defined op, which declares no masking: Note [Lazy masks].

    The rule is called for one operand at a time, to observe what it selects for each.
    """
    moving = [i for i, t in enumerate(ts) if t is not None]
    alone = [[t if k == i else None for k, t in enumerate(ts)] for i in moving]
    parts = [masked_by_select(answer(given)) for given in alone]
    if len(parts) == 1 or any(type(part) is Masked for part in parts):
        return total(parts)
    return answer(ts)


def _checked(
    step: Step, ts: Sequence[Any], replaced: dict[ir.Value, ir.Value] | None
) -> Sequence[Any]:
    """Answer of the rule; raises `PassError` for a wrong one."""
    rules, op, results = step.rules, step.op, step.results
    several = rules.multiple_results
    params = step.params()
    if rules.takes_activity:
        params["active"] = [n is not None for n in step.result_ids]
    y = rules.grouped(results) if several else results[0]
    found = ask(op, rules.tangent, ts, step.operands, y, **params)
    if type(found) is Replaced:
        if replaced is not None:
            replace_results(results, found.values)
            replaced.update(zip(results, found.values, strict=True))
        found = found.answer
    answers = found if several else (found,)
    for y, t in zip(
        results, listed(step, "tangent", answers, len(results), "tangent", "result"), strict=True
    ):
        if t is not None:
            check_type(step, "tangent", t, y, "tangent", "a result")
    return answers


def _record_rule(step: Step, ids: Sequence[int | None]) -> Recipe | None:
    """Tangent rule of an op as a recipe over its operands, its result and the active tangents."""
    rules, op = step.rules, step.op
    n = len(step.operands)

    def rule(*values: ir.Value) -> Sequence[Any]:
        moving = iter(values[n + 1 :])
        given = [None if i is None else next(moving) for i in ids]

        def answer(ts: Sequence[Any]) -> Any:
            return rules.tangent(ts, values[:n], values[n], **rules.read(op))

        return [_tangent_of_own_op(answer, given) if rules.is_own else answer(given)]

    moving = [x for x, i in zip(step.operands, ids, strict=True) if i is not None]
    with op.location:
        recipe = record(rule, [x.type for x in (*step.operands, *step.results, *moving)])
    return recipe if recipe is not None and recipe.is_plain else None


def _try_rule(plain: PlainStep, step: Step, ts: Sequence[Any]) -> tuple[Sequence[Any], Any]:
    """Tangents of the results, and why there are none."""
    nothing = [None] * len(step.results)
    why: Any = problem(plain, "tangent", step.symbols)
    if why is not None or all(t is None for t in ts):
        return nothing, why
    try:
        return _apply_rule(step, ts, True, {}), None
    except MissingRule as error:
        return nothing, error


def _collect_findings(
    block: ir.Block,
    given: Mapping[ir.Value, ir.Value],
    targets: Sequence[ir.Value],
    symbols: SymbolTable | None,
) -> tuple[list[Finding], list[Any]]:
    """All ops on the path that cannot be differentiated, in order, and the tangents of `targets`.

    Repeats the sweep without recipes, with zeros for the tangents of missing rules.
    """
    steps, ids, types = _active(block, given, targets, symbols)
    tangents: list[Any] = [*given.values(), *[None] * (len(types) - len(given))]
    found: list[Finding] = []
    for plain in reversed(steps):
        step = Step(*plain, symbols)
        ts = [None if n is None else tangents[n] for n in step.active_ids]
        answers, why = _try_rule(plain, step, ts)
        if why is not None:
            found += found_at(plain, steps, len(given), why)
            answers = [stand_in(y) for y in step.results]
        for n, t in zip(step.result_ids, answers, strict=True):
            if n is not None and n >= len(given):
                tangents[n] = t
    return found, [tangents[ids[y]] if y in ids else None for y in targets]
