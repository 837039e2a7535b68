"""Values with padded axes, on which a `pad_axes` rule works, and the services of the padding walk.

The walk itself is in `pad_axes.py`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import element_type, tensor

__all__ = ["CannotPad", "Length", "Padded", "Padding", "padded_type"]

# Note [Padding]
#
# A padded axis has `true` elements in the program as it was traced, `padded` of them after the
# walk, and the number that counts is a value of the program, so that one program serves all true
# sizes up to the padded one.  What stands in the padding is arbitrary: zeros in an argument, but
# logarithms and quotients of these behind it, so NaN too.  A rule keeps one promise: the elements
# at true positions are those of the op at the true size, whatever is in the padding of its
# operands.  So an op that combines elements along a padded axis first replaces the padding by a
# neutral value, with a `select`, never by a product: 0 * NaN is NaN.  An op that treats the
# elements along an axis alike, such as an elementwise one, needs no mask.
#
# A value of the true size that meets a padded one is made again at the padded size, by the rule of
# the op that makes it, which finds the axes in `wanted`: a constant of equal numbers, an `iota`, a
# broadcast, and what follows from these elementwise.  A value whose elements are fixed, such as an
# array that the function closes over, has no rule for that, and is refused.


class Length(NamedTuple):
    """Size of a padded axis: see Note [Padding].  At run time it is `times * value`."""

    true: int
    padded: int
    value: Value
    times: int = 1

    def scaled(self, by: int) -> "Length":
        """Length of this axis merged with axes of `by` elements behind it."""
        return Length(self.true * by, self.padded * by, self.value, self.times * by)

    def divided(self, by: int) -> "Length | None":
        """Length of the first of the two axes that this one splits into; None if it cannot."""
        if self.times % by:
            return None
        return Length(self.true // by, self.padded // by, self.value, self.times // by)


class Padded(NamedTuple):
    """A value with padded axes, if any: its true shape, and the value in the traced program."""

    value: Value
    shape: tuple[int, ...]
    axes: Mapping[int, Length]
    source: Value

    @property
    def element(self) -> Any:
        return self.value.type.element_type


class CannotPad(Exception):
    """A rule cannot pad an axis; the walk adds the op and its place."""


def padded_type(shape: Sequence[int], axes: Mapping[int, Length], element: Any) -> Any:
    """Type of an array of true shape `shape` with padded axes."""
    return tensor([axes[i].padded if i in axes else n for i, n in enumerate(shape)], element)


class Padding:
    """Services for the `pad_axes` rule of one op.

    Attributes
    ----------
    op : ir.Operation
        The op at the true size.
    wanted : mapping of int to Length
        Axes that the result must have padded, whatever the operands have.
    position : int or None
        The result that these axes are of, where there are any.
    """

    def __init__(
        self,
        op: ir.Operation,
        wanted: Mapping[int, Length],
        widen: Callable[[Padded, Mapping[int, Length]], Padded],
        walk: Any,
        position: int | None = None,
    ) -> None:
        self.op, self.wanted, self.position = op, wanted, position
        self._widen, self._walk = widen, walk

    def choice(self, xs: Sequence[Padded]) -> list[Any]:
        """The padded results of an op whose regions are branches, padded in place."""
        return self._walk.choice(self.op, xs)

    def loop(self, xs: Sequence[Padded]) -> list[Any]:
        """The padded results of a loop that carries `xs`."""
        return self._walk.loop(self.op, xs)

    def shape(self, axes: Mapping[int, Length], result: int = 0) -> tuple[int, ...]:
        """Shape of a result, padded along `axes`."""
        true = self.op.results[result].type.shape
        return tuple(axes[i].padded if i in axes else n for i, n in enumerate(true))

    def widened(self, x: Padded, axes: Mapping[int, Length]) -> Padded:
        """x, padded along these axes too."""
        return self._widen(x, axes)

    def masked(
        self,
        x: Padded,
        fill: complex | Value,
        axes: Iterable[int] | None = None,
        last: int = 0,
    ) -> Value:
        """x with `fill`, a number or a scalar, in the padding along `axes`, by default all.

        `last` counts elements before the padding that are replaced too.
        """
        value = x.value
        for axis in sorted(x.axes if axes is None else set(axes) & x.axes.keys()):
            inside = _inside(tuple(value.type.shape), axis, x.axes[axis], last)
            value = emit.select(inside, value, _filled(value.type, fill))
        return value

    def aligned(self, xs: Sequence[Padded]) -> tuple[list[Padded], dict[int, Length]]:
        """Operands of one shape, or scalars, padded along the axes of all; and these axes."""
        rank = len(self.op.results[0].type.shape)
        axes: dict[int, Length] = dict(self.wanted)
        for x in xs:
            if len(x.shape) == rank:
                axes |= x.axes
        return [self.widened(x, axes) if len(x.shape) == rank else x for x in xs], axes

    def elementwise(self, build: Callable[..., Value], xs: Sequence[Padded], **params: Any) -> Any:
        """The padded result of an op on operands of the shape of its result, or scalars."""
        xs, axes = self.aligned(xs)
        return build(*(x.value for x in xs), **params), axes

    def along_others(
        self, build: Callable[..., Any], x: Padded, used: Iterable[int], why: str, **params: Any
    ) -> Any:
        """The padded result, of the operand's shape, of an op that acts only along axes `used`."""
        x = self.widened(x, self.wanted)
        self.check_unused([x], used, why)
        return build(x.value, **params), x.axes

    def stacked(
        self, build: Callable[..., Any], xs: Sequence[Padded], trailing: int, **params: Any
    ) -> Any:
        """The padded results of an op on stacks of vectors or matrices, the `trailing` axes."""
        axes = dict(self.wanted)
        for x in xs:
            axes |= x.axes
        xs = [self.widened(x, axes) for x in xs]
        for x in xs:
            rank = len(x.shape)
            self.check_unused([x], range(rank - trailing, rank), "its elements belong together")
        ys = build(*(x.value for x in xs), **params)
        return [(y, axes) for y in ys] if len(self.op.results) > 1 else (ys, axes)

    def check_unused(self, xs: Sequence[Padded], used: Iterable[int], why: str) -> None:
        """Refuse operands that are padded along an axis that the op acts along."""
        for axis in used:
            if any(axis in x.axes for x in xs):
                self.refuse(axis, why)

    def reduced(
        self, x: Padded, removed: Sequence[int], wanted: Mapping[int, Length] | None = None
    ) -> tuple[Padded, dict[int, Length]]:
        """The operand of an op that removes axes, and the padded axes of its result."""
        kept = [a for a in range(len(x.shape)) if a not in removed]
        wanted = self.wanted if wanted is None else wanted
        x = self.widened(x, {kept[a]: length for a, length in wanted.items()})
        return x, {kept.index(a): length for a, length in x.axes.items() if a not in removed}

    def reshaped(self, x: Padded, shape: Sequence[int]) -> tuple[Padded, dict[int, Length]]:
        """The operand of a reshape to a true shape, and the padded axes of its result."""
        x = self.widened(x, self._moved(self.wanted, shape, x.shape))
        return x, self._moved(x.axes, x.shape, shape)

    def _moved(
        self, axes: Mapping[int, Length], old: Sequence[int], new: Sequence[int]
    ) -> dict[int, Length]:
        found = {}
        if axes and 0 in old:
            self.refuse(min(axes), f"{_text(old)} has no elements by which to tell its axes apart")
        for axis, length in axes.items():
            before = math.prod(old[:axis])
            at = next(
                (i for i, n in enumerate(new) if n != 1 and math.prod(new[:i]) == before), None
            )
            moved = None if at is None else self._resized(length, axis, old, new[at])
            if at is None or moved is None:
                self.refuse(axis, f"its elements are regrouped from {_text(old)} to {_text(new)}")
            found[at] = moved
        return found

    def _resized(self, length: Length, axis: int, old: Sequence[int], size: int) -> Length | None:
        """The length of a padded axis in a reshape that begins an axis of `size` with it."""
        if size == length.true:
            return length
        if size > length.true:
            merged = [math.prod(old[axis:end]) for end in range(axis + 1, len(old) + 1)]
            return length.scaled(size // length.true) if size in merged else None
        return length.divided(length.true // size) if length.true % size == 0 else None

    def refuse(self, axis: int, why: str) -> NoReturn:
        """Raise `CannotPad` for an axis of an operand."""
        raise CannotPad(f"it cannot be padded along axis {axis}: {why}")


def _text(shape: Sequence[int]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _inside(shape: tuple[int, ...], axis: int, length: Length, last: int) -> Value:
    """Mask of the elements at true positions along an axis, but the `last` of them."""
    i32 = element_type("i32")
    limit = length.value
    scalar = tensor([], i32)
    if length.times != 1:
        limit = emit.mul(limit, full(scalar, length.times))
    if last:
        limit = emit.sub(limit, full(scalar, last))
    size = shape[axis]
    at = emit.iota(iota_dimension=0, shape=(size,), dtype="i32")
    limits = emit.broadcast_in_dim(limit, shape=(size,), broadcast_dimensions=())
    inside = emit.compare(at, limits, comparison_direction="LT")
    if len(shape) == 1:
        return inside
    return emit.broadcast_in_dim(inside, shape=shape, broadcast_dimensions=(axis,))


def _filled(type_: Any, fill: Any) -> Value:
    if isinstance(fill, ir.Value):
        return emit.broadcast_in_dim(fill, shape=tuple(type_.shape), broadcast_dimensions=())
    return full(type_, fill)
