"""Lazily masked derivatives, which keep the gradient of `where` finite.

Cotangents and tangents alike: below, `g` is either.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from anvl.dialect.core.create import full_like, number_of, zeros_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import dtype_name
from anvl.dialect.interpreters.common import once

__all__ = [
    "Masked",
    "Support",
    "factor_masks",
    "is_alike",
    "masked_by_select",
    "materialize",
    "nonzero",
    "ones_where",
    "summed",
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
#   is everything computed from it.
# * Behind an op that is not diagonal (a sum, a product of matrices) the mask is applied and gone;
#   only zeros remain of it, which the next infinite slope turns into NaN.  The same holds behind an
#   op that itself selects, such as `clamp`, unless its rule returns masks.  Such a cotangent knows
#   its `support`, which follows from the masks and from how ops move elements: the rule of the op
#   is called on an array of ones and zeros.  It is never inferred from the numbers: a cotangent
#   that happens to be zero has a derivative.  Its support becomes a mask at a diagonal op that does
#   not preserve zeros for all operands; before, nothing is emitted, and in a program without a
#   selection, never.
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

#: Emits ones where a cotangent was not masked, zeros where it was; in the type of the cotangent.
Support: TypeAlias = Callable[[], Value]


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
        support = _support_like(self.support, g)
        if type(g) is Masked:
            masks = _merged((*g.masks, *self.masks))
            return Masked(g.g, masks, _intersect(g.support, support))
        return Masked(g, self.masks, support)

    def __call__(self) -> Value:
        return _apply_masks(self.masks, self.g)

    def split_for(self, rules: Any) -> "tuple[Value, Masked]":
        """Return the unmasked cotangent to pass to the rule, and the mask to apply to its answer.

        If the op is not diagonal or selects elements, `support` is still the support of g.
        """
        if not rules.diagonal:
            (given,), masks, (support,) = factor_masks([self])
            return given, Masked(None, masks, support)
        if self.support is None or rules.preserves_zeros:
            return self.g, self
        return self.g, Masked(None, _merged((*self.masks, (nonzero(self.support()), True))))


#: More masks than these are merged, so that a chain of n selections costs n and not n^2 ops.
_MANY_MASKS = 4


def _merged(masks: tuple[_Mask, ...]) -> tuple[_Mask, ...]:
    """The masks, or, of many, one for each shape."""
    if len(masks) <= _MANY_MASKS:
        return masks
    found: dict[ir.Type, Value] = {}
    for pred, keeps_true in masks:
        kept = pred if keeps_true else getattr(emit, "not")(pred)
        known = found.get(pred.type)
        found[pred.type] = kept if known is None else getattr(emit, "and")(known, kept)
    return tuple((pred, True) for pred in found.values())


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
_ADD = "anvl.add"  # its class may not exist yet


def summed(one: Any, other: Any, at: ir.Location | None = None) -> Any:
    """Sum of two derivatives, at a location or the current one.

    Masks that both share are applied once, after the sum.
    """
    if type(one) is not Masked and type(other) is not Masked:
        # The types are equal, so no type rule is needed: a third less time than `emit.add`.
        return _create(_ADD, [one.type], (one, other), None, None, 0, at).result
    with at or ir.Location.current:
        return _summed_masked(one, other)


def _summed_masked(one: Any, other: Any) -> Any:
    (x, y), masks, (left, right) = factor_masks([one, other], diagonal=True)
    found = emit.add(x, y)
    support = None
    if left is not None and right is not None:
        support = once(lambda: emit.add(left(), right()))
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


def ones_where(x: Value) -> Value:
    """Ones where x is not zero, zeros elsewhere."""
    return emit.select(nonzero(x), full_like(x, 1), zeros_like(x))


def _apply_masks_except(g: Any, kept: Sequence[_Mask]) -> tuple[Any, Support | None]:
    """Apply all masks except those to be kept; return the value and its support."""
    if type(g) is not Masked:
        return g, None
    rest = [mask for mask in g.masks if mask not in kept]
    if not rest:
        return g.g, g.support
    before, like = g.support, g.g
    support = once(lambda: _apply_masks(rest, full_like(like, 1) if before is None else before()))
    return _apply_masks(rest, g.g), support


def _apply_masks(masks: Sequence[_Mask], g: Value) -> Value:
    zero = zeros_like(g) if masks else None
    for pred, keeps_true in masks:
        g = emit.select(pred, *((g, zero) if keeps_true else (zero, g)))
    return g


def _support_like(support: Support | None, g: Any) -> Support | None:
    """Convert a support to the dtype of g, which differs behind `real`, `convert`, ..."""
    if support is None or g is None:
        return support
    wanted = g.type

    def converted() -> Value:
        found = support()
        if found.type == wanted:
            return found
        return emit.convert(nonzero(found), dtype=dtype_name(wanted.element_type))

    return once(converted)


def _intersect(one: Support | None, other: Support | None) -> Support | None:
    if one is None or other is None:
        return other if one is None else one
    return once(lambda: emit.mul(one(), other()))
