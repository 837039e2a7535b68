"""Propagation of masks past one op: Note [Lazy masks] in `masking.py`."""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeAlias

from anvl.dialect.interpreters.activity_analysis import ones_for
from anvl.dialect.interpreters.common import Step, check_type, listed, once
from anvl.dialect.interpreters.masking import (
    Masked,
    Support,
    factor_masks,
    is_alike,
    materialize,
    nonzero,
    ones_in,
    summed,
    union,
)

__all__ = ["tangents_through", "total", "unmasked_cotangent"]

# Applies the masks to the answer of a rule for operand i.
_Wrap: TypeAlias = Callable[[int, Any], Any]

# Calls a rule for the tangents of the results, given the tangents of the operands.
_Ask: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]


def unmasked_cotangent(step: Step, g: Any) -> tuple[Any, _Wrap | None]:
    """Return the unmasked cotangent to pass to the rule, and the mask to apply to its answers."""
    rules, g = step.rules, _whole_for_members(step, g)
    if rules.multiple_results:
        if not any(type(part) is Masked for part in g):
            return g, None
        parts, masks, _ = factor_masks(g)
        mask = Masked(None, masks)
        return tuple(parts), lambda i, gx: mask.of(gx)
    if type(g) is Masked:
        g, mask = g.split_for(rules)
        if rules.diagonal and not rules.selects_elements:
            return g, lambda i, gx: mask.of(gx)
    elif not rules.selects_elements:
        return g, None
    else:
        mask = Masked(None)
    if not rules.selects_elements and (mask.support is None or not rules.moves_elements):
        mask = Masked(None, mask.masks)
        return g, lambda i, gx: mask.of(gx)
    return g, partial(_masked_selection, step, mask, once(partial(_operand_supports, step, mask)))


def _whole_for_members(step: Step, g: Any) -> Any:
    """The cotangent with its masks applied, if they are those of one member of several."""
    parts = g if step.rules.multiple_results else (g,)
    if not any(type(part) is Masked for part in parts):
        return g
    if not step.rules.combines_members(step.op, step.symbols):
        return g
    return tuple(map(materialize, g)) if step.rules.multiple_results else materialize(g)


def _masked_selection(
    step: Step, mask: Masked, supports: Callable[[], Sequence[Any]], i: int, gx: Any
) -> Masked:
    """The answer of a rule that selects, for operand i."""
    if type(gx) is Masked and step.rules.diagonal:  # its own masks tell what it selects
        return mask.of(gx)
    return Masked(None, mask.masks, Support(lambda: supports()[i], mask.support)).of(gx)


def _operand_supports(step: Step, mask: Masked) -> list[Any]:
    """Support of the cotangent of each operand, given that of the result's cotangent."""
    rules, operands = step.rules, step.operands
    y = step.results[0]
    g = ones_in(mask.support, y)
    xs = operands if rules.selects_elements else tuple(map(ones_for, operands))
    answers = rules.operand_support(g, xs, y, **step.params())
    found: list[Any] = []
    for x, n, gx in zip(
        operands,
        step.active_ids,
        listed(step, "adjoint", answers, len(operands), "cotangent", "operand"),
        strict=True,
    ):
        if n is None or gx is None:
            found.append(None)
            continue
        given = materialize(gx() if callable(gx) and not isinstance(gx, Masked) else gx)
        check_type(step, "adjoint", given, x, "cotangent", "an operand")
        found.append(nonzero(given))
    return found


def tangents_through(step: Step, ts: Sequence[Any], ask: _Ask) -> Sequence[Any]:
    """Tangents of the results, if some tangents of operands are masked, or the op selects."""
    rules = step.rules
    if rules.combines_members(step.op, step.symbols):
        return ask(list(map(materialize, ts)))
    moving = [i for i, t in enumerate(ts) if t is not None]
    if rules.diagonal and not rules.preserves_zeros:
        if len(moving) == 1:
            return _through_one(step, ts, moving[0], ask)
        if not is_alike([ts[i] for i in moving]):
            # The tangent of one operand must not get the mask of another.
            parts = [_through_one(step, ts, i, ask) for i in moving]
            return [total(of_one) for of_one in zip(*parts, strict=True)]
    plain, masks, supports = factor_masks(ts, rules.diagonal)
    mask = Masked(None, masks, _support_behind(step, ts, supports))
    return [None if t is None else mask.of(t) for t in ask(plain)]


def _through_one(step: Step, ts: Sequence[Any], i: int, ask: _Ask) -> Sequence[Any]:
    """Tangents of the results of a diagonal op whose only active operand is i."""
    if type(ts[i]) is not Masked:
        return ask([t if k == i else None for k, t in enumerate(ts)])
    given, mask = ts[i].split_for(step.rules)
    found = ask([given if k == i else None for k in range(len(ts))])
    return [None if t is None else mask.of(t) for t in found]


def _support_behind(
    step: Step, ts: Sequence[Any], supports: Sequence[Support | None]
) -> Support | None:
    """Support of the tangent of the result, given the supports of the operands' tangents."""
    rules = step.rules
    known = [support for support in supports if support is not None]
    if rules.selects_elements or (known and rules.moves_elements):
        return Support(partial(_result_support, step, ts, supports), *known)
    moving = [t for t in ts if t is not None]
    if known and rules.diagonal and len(known) == len(moving):  # the union of the supports
        return union(*known)
    return None


def _result_support(step: Step, ts: Sequence[Any], supports: Sequence[Support | None]) -> Any:
    rules, operands = step.rules, step.operands
    given = [
        None if t is None else ones_in(support, x)
        for x, t, support in zip(operands, ts, supports, strict=True)
    ]
    xs = operands if rules.selects_elements else tuple(map(ones_for, operands))
    answer = rules.result_support(given, xs, step.results[0], **step.params())
    return nonzero(materialize(answer))


def total(parts: Sequence[Any]) -> Any:
    """Sum of tangents; None if all are zero."""
    present = [t for t in parts if t is not None]
    return reduce(summed, present) if present else None
