"""The reverse sweep over one block: the engine of anvl-gradient, and of rules of ops with bodies.

Cotangents are kept per SSA value, so nothing is computed twice; the first contribution is set and
later ones are added; a value without contributions has no cotangent at all (a symbolic zero).
Activity analysis comes first: only rules of ops on a path from `wrt` to the seeded values are
called, and only for the operands on such a path.  test/unit/dialect/test_reverse.py has the same
algorithm in 25 lines, without speed.

Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), chapter 3.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from anvl.dialect.core.create import full, shared_literals
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
    replay,
    type_number,
)
from anvl.dialect.interpreters.masked_rules import unmasked_cotangent
from anvl.dialect.interpreters.masking import Masked, doubled, masked_by_select, materialize, summed
from anvl.dialect.interpreters.replaced import Replaced, replace_results
from anvl.dialect.interpreters.slices import slice_to

__all__ = ["reverse_sweep"]


def reverse_sweep(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    location: ir.Location | None = None,
    search: Search | None = None,
    *,
    symbols: SymbolTable | None = None,
    reached: list[tuple[ir.Value, ir.Value]] | None = None,
) -> list[ir.Value]:
    """Emit the adjoint ops at the current insertion point; return the cotangents of `wrt`.

    `seeds` pairs values of the block with their cotangents.  Values of `wrt` that no cotangent
    reaches get zeros.  Adjoint ops are named after their primal ops, unless `location` is given for
    all.  `symbols` has the functions that ops of the block call.  `reached` receives, in order,
    each value that has a cotangent, paired with it.  Raises `MissingRule` that lists every op on
    the path without an adjoint; with a `search`, it gets that list, and zeros stand in for the
    missing cotangents.
    """
    with shared_literals():
        return _swept(block, seeds, wrt, location, search, symbols, reached)


def _swept(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    location: ir.Location | None,
    search: Search | None,
    symbols: SymbolTable | None,
    reached: list[tuple[ir.Value, ir.Value]] | None,
) -> list[ir.Value]:
    try:
        found = _sweep_block(block, seeds, wrt, location, symbols, reached)
    except MissingRule as error:
        findings, found = _collect_findings(block, seeds, wrt, symbols)
        if not findings:
            raise
        if search is None:
            raise missing(findings) from error
        search.add(findings)
    if search is not None:
        search.zeros = [i for i, g in enumerate(found) if g is None]
    pairs = zip(wrt, found, strict=True)
    return [full(x.type, 0) if g is None else materialize(g) for x, g in pairs]


def _sweep_block(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    location: ir.Location | None,
    symbols: SymbolTable | None,
    reached: list[tuple[ir.Value, ir.Value]] | None,
) -> list[Any]:
    steps, ids, types = _active(block, seeds, wrt, symbols)
    for rules in check_rules(steps, "adjoint", symbols):
        if rules.recipes is not None:
            clear_if_replaced(rules.recipes, rules.adjoint.__func__, getattr(rules, "passes", None))
    cotangents = _seed_cotangents(seeds, ids, len(types))
    del ids
    _backward(steps, cotangents, types, Places("adjoint", location), symbols, len(wrt), reached)
    if reached is not None:
        reached.reverse()
    return cotangents[: len(wrt)]


def _backward(
    steps: list[PlainStep],
    cotangents: list[Any],
    types: list[int],
    places: Places,
    symbols: SymbolTable | None,
    n_wrt: int,
    reached: list[tuple[ir.Value, ir.Value]] | None,
) -> None:
    """Propagate cotangents from results to operands, from the last step to the first.

    A step and the cotangents of its results are released when it is done: Note [Handles].
    """
    while steps:
        rules, op, operands, ids, results, result_ids = step = steps.pop()
        g = _gather(result_ids, cotangents) if rules.multiple_results else cotangents[result_ids[0]]
        if g is None:
            continue
        at = places.of(rules, op)
        contributions: Iterable[tuple[int, Any]]
        recipe = recipe_for(rules.recipes, step, ids, types, _record_rule)
        if recipe is None or rules.selects_elements or type(g) is Masked:
            with at:
                contributions = _apply_rule(Step(*step, symbols), g, recipe)
        else:
            values = emitted(recipe, [*operands, results[0], g], at)
            contributions = zip(recipe.places(ids), recipe.answers(values), strict=True)
        for n, gx in contributions:
            known = cotangents[n]
            cotangents[n] = gx if known is None else summed(known, gx, at)
        _release(results, result_ids, cotangents, n_wrt, reached)


def _release(
    results: Sequence[ir.Value],
    ids: Sequence[int | None],
    cotangents: list[Any],
    n_wrt: int,
    reached: list[tuple[ir.Value, ir.Value]] | None,
) -> None:
    """Forget the cotangents of the results of a step, but for those of `wrt`; add to `reached`."""
    if reached is None and len(ids) == 1:  # most steps
        (m,) = ids
        if m is not None and m >= n_wrt:
            cotangents[m] = None
        return
    for y, n in zip(reversed(results), reversed(ids), strict=True):
        if n is None:
            continue
        if reached is not None and isinstance(cotangents[n], ir.Value):
            reached.append((y, cotangents[n]))
        if n >= n_wrt:
            cotangents[n] = None


def _gather(ids: Sequence[int | None], cotangents: list[Any]) -> Any:
    """The `g` for an op with several results: a tuple, or None if all cotangents are zero."""
    gs = tuple([None if n is None else cotangents[n] for n in ids])
    return None if all(g is None for g in gs) else gs


def _apply_rule(step: Step, g: Any, recipe: Recipe | None = None) -> list[tuple[int, Any]]:
    """Contributions of a step, with the masks of g: see Note [Lazy masks]."""
    g, mask = unmasked_cotangent(step, g)
    if recipe is None:
        found = _cotangents(step, g)
    else:
        answers = replay(recipe, [*step.operands, step.results[0], g])
        found = [(i, gx) for (i, _), gx in zip(recipe.outputs, answers, strict=True)]
    ids = step.active_ids
    return [(ids[i], gx if mask is None else mask(i, gx)) for i, gx in found]


def _cotangents(step: Step, g: Any) -> list[tuple[int, Any]]:
    """Answer of the rule: pairs of operand position and cotangent, for active operands."""
    rules, op = step.rules, step.op
    y: Any = step.results[0]
    if rules.multiple_results:
        y, g = rules.grouped(step.results), rules.grouped(g)
    params = step.params()
    if rules.adjoint_takes_activity:
        params["active"] = [n is not None for n in step.active_ids]
    found = ask(op, rules.adjoint, g, step.operands, y, **params)
    if type(found) is Replaced:
        replace_results(step.results, found.values)
        found = found.answer
    checked = enumerate(_checked(step, found))
    return [(i, gx) for i, gx in checked if gx is not None]


# Note [One value twice]
#
# x * x reads one value twice.  As the op is commutative, both operands get the same contribution:
# one is emitted, and doubled, which is the sum to the bit.  It is an op less for each square; and
# for GPUs XLA takes a product with a number, and no sum, into the kernel of a product of matrices
# that reads it: of attention's gradient that was one kernel of twelve.


def _checked(step: Step, found: Any) -> list[Any]:
    """Cotangents of the active operands, None for the others; raises `PassError` if wrong."""
    answers = listed(step, "adjoint", found, len(step.operands), "cotangent", "operand")
    reads_twice = _reads_one_value_twice(step)
    wanted: list[Any] = []
    for x, n, gx in zip(step.operands, step.active_ids, answers, strict=True):
        if gx is None or n is None:
            wanted.append(None)
            continue
        if reads_twice and wanted and isinstance(wanted[0], ir.Value):
            return [doubled(wanted[0]), None]
        if callable(gx) and not isinstance(gx, Masked):  # emitted only where it is wanted
            gx = ask(step.op, gx)
        check_type(step, "adjoint", gx, x, "cotangent", "an operand")
        # A user-defined op declares no masking: Note [Lazy masks].
        wanted.append(masked_by_select(gx) if step.rules.is_own else gx)
    return wanted


def _reads_one_value_twice(step: Step) -> bool:
    """Whether both operands are one active value and have equal cotangents."""
    rules, ids = step.rules, step.active_ids
    is_one = len(ids) == 2 and ids[0] is not None and ids[0] == ids[1]
    return is_one and rules.commutative and not rules.linear  # g + g needs no number


# -- before and beside the walk --------------------------------------------------------------------


def _active(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    symbols: SymbolTable | None,
) -> tuple[list[PlainStep], dict[ir.Value, int], list[int]]:
    """The steps from `wrt` to the seeds, in order; the ids of the values, and their types."""
    ids = {x: i for i, x in enumerate(wrt)}
    types = [type_number(x.type) for x in wrt]
    forward = steps_from(block, ids, types, symbols)
    steps = slice_to([ids[y] for y, _ in seeds if y in ids], forward)
    steps.reverse()
    return steps, ids, types


def _seed_cotangents(
    seeds: Sequence[tuple[ir.Value, ir.Value]], ids: dict[ir.Value, int], count: int
) -> list[Any]:
    cotangents: list[Any] = [None] * count
    for y, g in seeds:
        if y in ids:
            known = cotangents[ids[y]]
            cotangents[ids[y]] = g if known is None else summed(known, g)
    return cotangents


def _record_rule(step: Step, ids: Sequence[int | None]) -> Recipe | None:
    """Adjoint rule of an op as a recipe over its operands, its result and the cotangent."""
    rules, op = step.rules, step.op

    def rule(*values: ir.Value) -> list[Any]:
        *xs, y, g = values
        return _checked(step, rules.adjoint(g, tuple(xs), y, **rules.read(op)))

    with op.location:
        types = [x.type for x in (*step.operands, *step.results, *step.results)]
        recipe = record(rule, types, shares_literals=True)
    return recipe if recipe is not None and recipe.is_plain else None


def _contributions(step: Step, cotangents: list[Any]) -> Sequence[tuple[int, Any]]:
    """Cotangents of the active operands, by number; none if those of the results are zero."""
    ids = step.result_ids
    g = _gather(ids, cotangents) if step.rules.multiple_results else cotangents[ids[0]]
    return () if g is None else _apply_rule(step, g)


def _collect_findings(
    block: ir.Block,
    seeds: Sequence[tuple[ir.Value, ir.Value]],
    wrt: Sequence[ir.Value],
    symbols: SymbolTable | None,
) -> tuple[list[Finding], list[Any]]:
    """All ops on the path that cannot be differentiated, in order, and the cotangents of `wrt`.

    Repeats the sweep without recipes, with zeros for the cotangents of missing rules.
    """
    steps, ids, types = _active(block, seeds, wrt, symbols)
    cotangents = _seed_cotangents(seeds, ids, len(types))
    found: list[list[Finding]] = []
    for plain in reversed(steps):
        step = Step(*plain, symbols)
        why: Any = problem(plain, "adjoint", symbols)
        contributions: Sequence[tuple[int, Any]] = ()
        if why is None:
            try:
                contributions = _contributions(step, cotangents)
            except MissingRule as error:
                why = error
        if why is not None:
            found.append(found_at(plain, steps, len(wrt), why))
            operands = zip(step.active_ids, step.operands, strict=True)
            contributions = [(n, stand_in(x)) for n, x in operands if n is not None]
        for n, gx in contributions:
            if gx is not None:
                known = cotangents[n]
                cotangents[n] = gx if known is None else summed(known, gx)
    return [finding for of_one in reversed(found) for finding in of_one], cotangents[: len(wrt)]
