"""Lazily masked derivatives, which keep the gradient of `where` finite.

Cotangents and tangents alike: below, `g` is either.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeAlias

from anvl.dialect.core.create import full, full_like, number_of, zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import tensor

__all__ = [
    "Masked",
    "Support",
    "doubled",
    "factor_masks",
    "is_alike",
    "masked_by_select",
    "materialize",
    "nonzero",
    "ones_in",
    "summed",
    "union",
]  # fmt: skip

# Note [Lazy masks]
#
# In `where(x > 0, log(x), 0)` the branch not taken has an infinite slope at x = 0: masking the
# cotangent before multiplying gives 0 * inf, a NaN.  So `select` returns a `Masked` cotangent, ops
# whose Jacobian is diagonal carry the mask past their own rule, and it is applied where the
# cotangent is next needed as a whole: the NaN is masked with the rest.  It costs no op.
#
# Three things follow.
# * A mask of one bool for the whole array is carried past any op: if all of a cotangent is zero, so
#   is everything computed from it.  But not past a collective, or an op with one inside: it is the
#   mask of one device or member, and the others have their own.
# * Behind an op that is not diagonal (a sum, a product of matrices) the mask is applied and gone;
#   only zeros remain of it, which the next infinite slope turns into NaN.  The same holds behind an
#   op that itself selects, such as `clamp`, unless its rule returns masks.  Such a cotangent knows
#   its `support`, bools that follow from the masks and from how ops move elements: for the latter
#   the rule of the op is called on an array of ones and zeros.  It is never inferred from the
#   numbers: a cotangent that happens to be zero has a derivative.  The support becomes a mask at a
#   diagonal op that does not preserve zeros for all operands; before, nothing is emitted, and in a
#   program without a selection, never.
# * A multiplication by infinity inside of one op cannot be masked behind it: in a product of
#   matrices, or of all elements, every cotangent meets all operands.
#
# A user-defined op need not know of this: if its adjoint rule returns a `select` between a
# cotangent and zeros, that is recognised as a mask.
#
# Tangents are masked in the same way, for earlier selections: in `sqrt(where(x > 0, x, 0))` the
# branch not taken is active, and its zero tangent meets the infinite slope.

# A bool array, or one bool for all, and whether true (or false) keeps g.
_Mask: TypeAlias = tuple[Value, bool]

#: So many supports that follow from each other are emitted at once, not when one is needed: a
#: program of n selections, of which none needs it, would take a stack of n calls.
_MANY_SUPPORTS = 50


class Support:
    """Bools of the shape of a cotangent, false where it was masked; emitted when first called.

    They follow from the supports `before`.  `masks` are such that each keeps a part of the
    elements, and all together keep these; none if that is not known, or they are many.
    """

    __slots__ = ("depth", "emit", "masks", "value")

    def __init__(
        self,
        emit: Callable[[], Value],
        *before: "Support | None",
        masks: frozenset[_Mask] = frozenset(),
    ) -> None:
        self.masks = masks
        self.emit: Callable[[], Value] | None = emit
        self.value: Any = None
        self.depth: int = 1 + max([x.depth for x in before if x is not None], default=0)
        if self.depth > _MANY_SUPPORTS:
            self()

    def __call__(self) -> Value:
        if self.emit is not None:
            # The call is dropped, with the cotangents and steps that it holds.
            self.value, self.emit, self.depth = self.emit(), None, 0
        return self.value


class Masked:
    """A cotangent or tangent still to be masked: for each of `masks`, `select(pred, g, 0)`.

    `support` tells where g was left unmasked by earlier masks; None: there were none.  Calling it
    applies the masks.  See Note [Lazy masks].
    """

    __slots__ = ("g", "masks", "support")

    def __init__(
        self, g: Any, masks: tuple[_Mask, ...] = (), support: Support | None = None
    ) -> None:
        self.g = g
        self.masks = masks
        self.support = support

    @property
    def type(self) -> Any:
        return self.g.type

    def of(self, g: Any) -> "Masked":
        """Apply the same masks to another value, on top of its own."""
        if type(g) is Masked:
            masks = _merged((*g.masks, *self.masks))
            return Masked(g.g, masks, _intersect(g.support, self.support))
        return Masked(g, self.masks, self.support)

    def __call__(self) -> Value:
        return _apply_masks(_merged(self.masks, 1), self.g)

    def split_for(self, rules: Any) -> "tuple[Value, Masked]":
        """Return the unmasked cotangent to pass to the rule, and the mask to apply to its answer.

        If the op is not diagonal or selects elements, `support` is still the support of g.
        """
        if not rules.diagonal:
            (given,), masks, (support,) = factor_masks([self])
            return given, Masked(None, masks, support)
        if self.support is None or rules.preserves_zeros:
            return self.g, self
        return self.g, Masked(None, _merged((*self.masks, (self.support(), True))))


#: More masks than these are merged, so that a chain of n selections costs n and not n^2 ops; of a
#: sum of so many, nobody asks whether it is everything.
_MANY_MASKS = 4


def _merged(masks: tuple[_Mask, ...], most: int = _MANY_MASKS) -> tuple[_Mask, ...]:
    """The masks, or, of more than `most`, one for each shape."""
    if len(masks) <= most:
        return masks
    found: dict[ir.Type, _Mask] = {}
    for mask in masks:
        known = found.get(mask[0].type)
        found[mask[0].type] = mask if known is None else _both(known, mask)
    return tuple(found.values())


def _both(one: _Mask, other: _Mask) -> _Mask:
    """One mask that keeps what both keep, for one op."""
    (p, keeps_true), (q, other_keeps_true) = one, other
    if keeps_true == other_keeps_true:
        return (_and if keeps_true else _or)(p, q), keeps_true
    kept, dropped = (p, q) if keeps_true else (q, p)
    return emit.compare(kept, dropped, comparison_direction="GT"), True  # kept and not dropped


def masked_by_select(g: Any) -> Any:
    """Turn a cotangent that a rule made by `select` with zeros into a masked one."""
    op = g.owner if isinstance(g, ir.OpResult) else None
    if type(op) is not OPS["anvl.select"]:
        return g
    pred, *arms = op.operands
    for keeps_true, (kept, zero) in ((True, arms), (False, arms[::-1])):
        if isinstance(zero, ir.OpResult) and number_of(zero.owner) == 0:
            inner = masked_by_select(kept)
            masks = inner.masks if type(inner) is Masked else ()
            return Masked(inner.g if masks else inner, (*masks, (pred, keeps_true)))
    return g


def materialize(g: Any) -> Any:
    """A cotangent as a value, with its masks applied if it has any; None stays None."""
    return g() if type(g) is Masked else g


_create = ir.Operation.create


def _like(x: Value, name: str, *operands: Value) -> Value:
    """An op whose result is of the type of `x`; its operands fit.

    Without a type rule to ask, it takes a third of the time of `emit`.
    """
    return _create(name, [x.type], operands).result


def summed(one: Any, other: Any, at: ir.Location | None = None) -> Any:
    """Sum of two derivatives, at a location or the current one.

    Masks that both share are applied once, after the sum.
    """
    if type(one) is not Masked and type(other) is not Masked:
        return _create("anvl.add", [one.type], (one, other), None, None, 0, at).result
    with at or ir.Location.current:
        return _summed_masked(one, other)


def doubled(g: Value) -> Value:
    """A derivative twice: see Note [One value twice]."""
    if isinstance(g.type.element_type, ir.ComplexType):  # 2 * inf of a part makes NaN of the other
        return _like(g, "anvl.add", g, g)
    return _like(g, "anvl.mul", g, full_like(g, 2))


def _summed_masked(one: Any, other: Any) -> Any:
    (x, y), masks, (left, right) = factor_masks([one, other], diagonal=True)
    found = _like(x, "anvl.add", x, y)
    support = None
    if left is not None and right is not None:
        support = union(left, right)
    return Masked(found, masks, support) if masks or support else found


def factor_masks(
    gs: Sequence[Any], diagonal: bool = False
) -> tuple[list[Any], tuple[_Mask, ...], list[Support | None]]:
    """Values to pass to a rule, the masks to apply to its answers, and the support of each value.

    None stays None.  Masks that all values share and that can be carried past the op (which is
    diagonal or not) are left to be applied after it.
    """
    present = [g for g in gs if g is not None]
    kept: tuple[_Mask, ...] = ()
    if all(type(g) is Masked for g in present):
        kept = tuple(m for m in _common_masks(present) if diagonal or m[0].type.rank == 0)
    parted = [_apply_masks_except(g, kept) for g in gs]
    return [value for value, _ in parted], kept, [support for _, support in parted]


def _common_masks(gs: Sequence[Masked]) -> list[_Mask]:
    first, *others = [g.masks for g in gs]
    return [mask for mask in first if all(mask in masks for masks in others)]


def is_alike(gs: Sequence[Any]) -> bool:
    """Whether all values have the same masks, and none was masked before."""
    first = gs[0]
    return type(first) is Masked and all(
        type(g) is Masked
        and g.support is None
        and len(g.masks) == len(first.masks)
        and all(mask in first.masks for mask in g.masks)
        for g in gs
    )


def nonzero(x: Value) -> Value:
    """Bool array that is true where x is not zero."""
    return emit.compare(x, zeros_like(x), comparison_direction="NE")


def ones_in(support: Support | None, x: Value) -> Value:
    """Ones of the type of x, but zeros outside of a support."""
    ones = full_like(x, 1)
    return ones if support is None else emit.select(support(), ones, zeros_like(x))


def union(*supports: Support) -> Support | None:
    """The support of a sum; None if it is everything, as where both arms of a choice are added."""
    masks = frozenset[_Mask]()
    if all(support.masks for support in supports):
        masks = masks.union(*[support.masks for support in supports])
        if any((pred, not keeps_true) in masks for pred, keeps_true in masks):
            return None
        same = [support for support in supports if support.masks == masks]
        if same:
            return same[0]
        if len(masks) > _MANY_MASKS:
            masks = frozenset()
    return Support(partial(_any_of, supports), *supports, masks=masks)


def _any_of(supports: Sequence[Support]) -> Value:
    return reduce(_or, [support() for support in supports])


def _intersect(one: Support | None, other: Support | None) -> Support | None:
    if one is None or other is None:
        return other if one is None else one
    return Support(lambda: _and(one(), other()), one, other)


def _and(x: Value, y: Value) -> Value:
    return _like(x, "anvl.and", x, y)


def _or(x: Value, y: Value) -> Value:
    return _like(x, "anvl.or", x, y)


def _apply_masks_except(g: Any, kept: Sequence[_Mask]) -> tuple[Any, Support | None]:
    """Apply all masks except those to be kept; return the value and its support."""
    if type(g) is not Masked:
        return g, None
    rest = tuple([mask for mask in g.masks if mask not in kept])
    if not rest:
        return g.g, g.support
    rest = _merged(rest, 1)  # the support needs them so
    is_one = g.support is None and len(rest) == 1 and rest[0][0].type.shape == g.type.shape
    masks = frozenset(rest) if is_one else frozenset[_Mask]()
    support = Support(partial(_support_behind_masks, rest, g.support, g.g), g.support, masks=masks)
    return _apply_masks(rest, g.g), support


def _support_behind_masks(masks: Sequence[_Mask], before: Support | None, g: Value) -> Value:
    """Where the masks keep elements of g, which has a support before them."""
    kept = [] if before is None else [before()]
    kept += [
        _as_bools(pred if keeps_true else _like(pred, "anvl.not", pred), g)
        for pred, keeps_true in masks
    ]
    return reduce(_and, kept)


def _as_bools(pred: Value, g: Value) -> Value:
    """A bool for each element of g, from one for all."""
    if pred.type.shape == g.type.shape:
        return pred
    bools = tensor(g.type.shape, pred.type.element_type)
    return emit.select(pred, full(bools, True), full(bools, False))


def _apply_masks(masks: Sequence[_Mask], g: Value) -> Value:
    zero: Any = zeros_like(g) if masks else None
    for pred, keeps_true in masks:
        g = _like(g, "anvl.select", pred, *((g, zero) if keeps_true else (zero, g)))
    return g
