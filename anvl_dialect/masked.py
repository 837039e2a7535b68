"""Derivatives that are still to be masked: what keeps the gradient of `where` finite.

Cotangents and tangents alike: below, `g` is either.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from anvl.dialect.op import Value, emit
from anvl.dialect.ops.create import zeros_like

__all__ = ["CHOSEN", "Masked", "is_alike", "settled", "shared", "summed"]

# Note [Lazy masks]
#
# In `where(x > 0, log(x), 0)` the side that is not taken has an infinite slope at x = 0: to mask
# the cotangent first and multiply then gives 0 * inf, a NaN.  So `select` hands back a `Masked`
# cotangent, ops whose Jacobian is diagonal carry the mask past their own rule, and it is applied
# where the cotangent is next needed as a whole: the NaN is masked with the rest.  It costs no op.
#
# Three things follow.
# * A mask of one bool for the whole array is carried past any op: if all of a cotangent is zero, so
#   is all of what comes of it.
# * Behind an op that is not diagonal (a sum, a product of matrices) the mask is applied and gone,
#   and what is left of it are zeros; so too behind an op that chooses by itself, such as `maximum`.
#   Such a cotangent is `holed`: the next diagonal op whose slope may be infinite is asked as if it
#   had the mask `g != 0`.  Ops that keep zeros, such as `add`, need none.  So a program without a
#   choice in it pays nothing.
# * Only what a product of matrices, or of all elements, multiplies by an infinity inside of itself
#   cannot be masked after: there, the cotangent of every element meets all others.
#
# Tangents are masked in the same way, for what comes before: in `sqrt(where(x > 0, x, 0))` the side
# that is not taken moves, and its zero tangent meets the infinite slope.

# A bool array, or one bool for all, and whether g is kept where it is true.
_Mask: TypeAlias = tuple[Value, bool]


class Masked:
    """A cotangent or tangent still to be masked: for each of `masks`, `select(pred, g, 0)`.

    `holed` says that g has zeros where it was masked before.  Called, it applies the masks.
    See Note [Lazy masks].
    """

    __slots__ = ("g", "holed", "masks")

    def __init__(self, g: Value, masks: tuple[_Mask, ...] = (), holed: bool = False) -> None:
        self.g = g
        self.masks = masks
        self.holed = holed

    @property
    def type(self) -> Any:
        return self.g.type

    def of(self, g: Any) -> "Masked":
        """The same masks on another value, and its own."""
        if type(g) is Masked:
            return Masked(g.g, (*g.masks, *self.masks), g.holed or self.holed)
        return Masked(g, self.masks, self.holed)

    def __call__(self) -> Value:
        return self._without(())[0]

    def _without(self, kept: Sequence[_Mask]) -> tuple[Value, bool]:
        """g with all masks applied that are not to be kept, and whether it then has holes."""
        g = self.g
        rest = [mask for mask in self.masks if mask not in kept]
        for pred, keeps_true in rest:
            zero = zeros_like(g)
            g = emit.select(pred, *((g, zero) if keeps_true else (zero, g)))
        return g, bool(rest) or self.holed

    def carried(self, rules: Any) -> "tuple[Value, Masked]":
        """What to ask a rule of an op with, and what its answer is then masked as."""
        if not rules.diagonal:
            given, mask = shared([self])
            return given[0], mask
        if not self.holed or rules.keeps_zeros:
            return self.g, Masked(self.g, self.masks, self.holed or rules.chooses)
        nonzero = emit.compare(self.g, zeros_like(self.g), comparison_direction="NE")
        return self.g, Masked(self.g, (*self.masks, (nonzero, True)))


#: As what the answers of an op that chooses are masked.
CHOSEN = Masked(None, (), holed=True)


def settled(g: Any) -> Any:
    """A cotangent as a value, with its masks applied if it has any; None stays None."""
    return g() if type(g) is Masked else g


def summed(one: Any, other: Any) -> Any:
    """The sum of two cotangents; what both are masked with is applied once, after the sum."""
    if type(one) is not Masked and type(other) is not Masked:
        return emit.add(one, other)
    kept = _common([one, other], _is_any)
    (x, x_holed), (y, y_holed) = _parted(one, kept), _parted(other, kept)
    holed = x_holed and y_holed
    found = emit.add(x, y)
    return Masked(found, kept, holed) if kept or holed else found


def shared(gs: Sequence[Any], diagonal: bool = False) -> tuple[list[Any], Masked]:
    """The values to ask a rule with that needs several, and what its answers are masked as.

    None stays None.  Of the masks that all have, those that can be carried past the op, which is
    diagonal or not, are left to be applied after.
    """
    kept = _common([g for g in gs if g is not None], _is_any if diagonal else _is_for_all)
    parted = [None if g is None else _parted(g, kept) for g in gs]
    holed = any(part is not None and part[1] for part in parted)
    return [None if part is None else part[0] for part in parted], Masked(None, kept, holed)


def is_alike(gs: Sequence[Any]) -> bool:
    """Whether all have the same masks, and no holes."""
    first = gs[0]
    return type(first) is Masked and all(
        type(g) is Masked
        and not g.holed
        and len(g.masks) == len(first.masks)
        and all(mask in first.masks for mask in g.masks)
        for g in gs
    )


def _parted(g: Any, kept: Sequence[_Mask]) -> tuple[Value, bool]:
    return g._without(kept) if type(g) is Masked else (g, False)


def _common(gs: Sequence[Any], carries: Callable[[_Mask], bool]) -> tuple[_Mask, ...]:
    if not all(type(g) is Masked for g in gs):
        return ()
    first, *others = [g.masks for g in gs]
    return tuple(m for m in first if carries(m) and all(m in masks for masks in others))


def _is_for_all(mask: _Mask) -> bool:
    return bool(mask[0].type.rank == 0)


def _is_any(mask: _Mask) -> bool:
    return True
