"""The padding walk: a block of ops with some axes of its arguments padded.

Names no op: each op is asked for its `pad_axes` rule.  See Note [Padding] in `padding.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from anvl.dialect.core.errors import BucketError, place_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.op_registry import MAYBE_RULES
from anvl.dialect.core.params.base import Ints
from anvl.dialect.interpreters.common import ask, refuse
from anvl.dialect.interpreters.padding import CannotPad, Length, Padded, Padding, padded_type
from anvl.dialect.interpreters.slices import values_read

__all__ = ["BUCKETED", "can_pad", "pad_block"]

#: Of an op whose operands do not tell it: the axes of its result that have a bucketed size.
BUCKETED = "anvl.bucketed"

_PASS = MAYBE_RULES["pad_axes"]
_REMEDY = "leave the argument out of `bucket`, or compute this outside of the jitted function"


def pad_block(block: ir.Block, axes: Mapping[int, Mapping[int, Length]]) -> None:
    """Pad the axes of the arguments of a block, by position, in place; also what it returns.

    Raises `BucketError` for an op that has no rule for it; the block is then to be thrown away.
    """
    walk = _Walk([length for of_one in axes.values() for length in of_one.values()])
    for position, of_one in axes.items():
        walk.pad_argument(block.arguments[position], of_one)
    terminator = _terminator_of(block)
    for i, y in enumerate(walk.run(block)):
        terminator.operands[i] = y.value
    walk.erase_replaced()


class _CarryMeetsPadded(Exception):
    """A carry of a loop, whose regions are padded, must have these axes padded too."""

    def __init__(self, loop: ir.Operation, position: int, axes: Mapping[int, Length]) -> None:
        self.loop, self.position, self.axes = loop, position, axes


class _Walk:
    """The padded values so far."""

    def __init__(self, lengths: Sequence[Length]) -> None:
        self.lengths = lengths
        #: By the value in the traced program, where it depends on a padded argument.
        self.known: dict[Value, Padded] = {}
        #: By the value and the padded axes, for values that were made again.
        self.grown: dict[Any, Padded] = {}
        # Erased at the end: until then values are looked up by the ops that made them.
        self.replaced: list[ir.Operation] = []
        #: The loop that carries a value, and its position there, while its regions are padded.
        self.carries: dict[Value, tuple[ir.Operation, int]] = {}

    def pad_argument(self, x: Value, axes: Mapping[int, Length]) -> None:
        """Pad an argument of a block, in place."""
        shape = tuple(x.type.shape)
        x.set_type(padded_type(shape, axes, x.type.element_type))
        self.known[x] = Padded(x, shape, axes, x)

    def of(self, x: Value) -> Padded:
        known = self.known.get(x)
        return Padded(x, _shape_of(x), {}, x) if known is None else known

    def run(self, block: ir.Block) -> list[Padded]:
        """Pad the ops of a block in place; returns what it returns, whose terminator stays."""
        for op in list(block.operations)[:-1]:
            marked = self._marked(op)
            if not marked and not any(x in self.known for x in values_read(op)):
                continue
            found = self.ask(op, marked, 0 if marked else None)
            pairs = list(zip(op.results, found, strict=True))
            self.known.update((y, p) for y, p in pairs if p.axes or p.value != y)
            if pairs and all(p.value != y for y, p in pairs):
                self.replaced.append(op.operation)
        return [self.of(y) for y in _terminator_of(block).operands]

    def _marked(self, op: Any) -> dict[int, Length]:
        """The axes of the first result that an attribute marks, with their lengths."""
        attributes = op.operation.attributes
        if BUCKETED not in attributes:
            return {}
        found = {}
        for axis in Ints.decode(attributes[BUCKETED]):
            size = op.results[0].type.shape[axis]
            length = next((n for n in self.lengths if size and size % n.true == 0), None)
            if length is None:
                why = (
                    f"its result has {size} elements along axis {axis}, which follows from the "
                    "size of a bucketed axis in another way than as a multiple"
                )
                self._refuse_op(op, {}, why)
            found[axis] = length if size == length.true else length.scaled(size // length.true)
        return found

    def erase_replaced(self) -> None:
        """Erase the ops that were replaced, or made again, and whose results nothing reads now."""
        self.known.clear()
        self.grown.clear()
        for op in reversed(list(dict.fromkeys(self.replaced))):
            if not any(list(y.uses) for y in op.results):
                op.erase()
        self.replaced.clear()

    def ask(
        self, op: Any, wanted: Mapping[int, Length], position: int | None = None
    ) -> list[Padded]:
        """The padded results of an op by its rule; that at `position` along `wanted` axes too."""
        rules, operation = type(op), op.operation
        if not can_pad(rules):
            self._refuse_op(op, wanted, "it has no `pad_axes` rule")
        xs = [self.of(x) for x in op.operands]
        shapes = [_shape_of(y) for y in op.results]
        with op.location, ir.InsertionPoint(op):
            pads = Padding(operation, wanted, self._widened, self, position)
            params = {} if rules.captures else rules.read(operation)
            try:
                found = ask(operation, rules.pad_axes, pads, xs, **params)
            except CannotPad as error:
                self._refuse_op(op, wanted, str(error))
            pairs = found if rules.multiple_results else [found]
        made = [
            Padded(value, shape, axes, y)
            for y, shape, (value, axes) in zip(operation.results, shapes, pairs, strict=True)
        ]
        _check(operation, rules, made)
        if position is not None and not wanted.keys() <= made[position].axes.keys():
            self._refuse_op(op, wanted, "its result cannot be made at the padded size")
        return made

    # -- values at the padded size -----------------------------------------------------------------

    def _widened(self, x: Padded, axes: Mapping[int, Length]) -> Padded:
        missing = {a: length for a, length in axes.items() if a not in x.axes}
        for a in axes.keys() & x.axes.keys():
            if axes[a].padded != x.axes[a].padded:
                raise CannotPad(
                    f"its operands have {axes[a].padded} and {x.axes[a].padded} elements for "
                    f"{axes[a].true} along axis {a}, after reshapes"
                )
        if not missing:
            return x
        key = x.source, tuple(sorted((a, axes[a].padded) for a in missing.keys() | x.axes.keys()))
        if key not in self.grown:
            self.grown[key] = self._made_again(x, missing)
        return self.grown[key]

    def _made_again(self, x: Padded, missing: Mapping[int, Length]) -> Padded:
        """x made again with more padded axes, by the op that makes it, at its place."""
        owner = x.source.owner
        axis = min(missing)
        if x.source in self.carries:
            raise _CarryMeetsPadded(*self.carries[x.source], missing)
        if isinstance(owner, ir.Block) or getattr(type(owner.opview), "captures", False):
            raise CannotPad(
                f"a bucketed axis of size {missing[axis].true} meets axis {axis} of "
                f"{_name_of(x.source)}, whose size is fixed; name it in `bucket` too"
            )
        position = list(owner.results).index(x.source)
        found = self.ask(owner.opview, {**x.axes, **missing}, position)
        self.replaced.append(owner)
        return found[position]

    # -- regions -----------------------------------------------------------------------------------

    def choice(self, op: ir.Operation, xs: Sequence[Padded]) -> list[Any]:
        """Pad the regions of a choice in place; returns its results, with their padded axes."""
        for i, x in enumerate(xs):
            op.operands[i] = x.value
        returned = [self.run(region.blocks[0]) for region in op.regions]
        axes = [_union(ys) for ys in zip(*returned, strict=True)]
        for region, ys in zip(op.regions, returned, strict=True):
            self._return(region.blocks[0], ys, axes)
        return _retyped(op, axes)

    def loop(self, op: ir.Operation, xs: Sequence[Padded]) -> list[Any]:
        """Pad a copy of a loop, whose regions all take the carries and the last returns them.

        The padded axes of the carries are the fewest that its body keeps.
        """
        axes: list[dict[int, Length]] = [dict(x.axes) for x in xs]
        while True:
            before = dict(self.known), dict(self.grown), self.replaced[:], dict(self.carries)
            copy = op.clone(ip=ir.InsertionPoint(op)).operation
            try:
                wider, returned = self._padded_regions(copy, axes)
            except _CarryMeetsPadded as error:
                if error.loop != copy:
                    raise
                axes[error.position] = {**axes[error.position], **error.axes}
            else:
                if [a.keys() for a in wider] == [a.keys() for a in axes]:
                    break
                axes = wider
                returned.clear()
            self.known, self.grown, self.replaced, self.carries = (
                before  # no handle into the copy is left
            )
            copy.erase()
        self._return(copy.regions[len(copy.regions) - 1].blocks[0], returned, axes)
        for i, (x, of_one) in enumerate(zip(xs, axes, strict=True)):
            copy.operands[i] = self._widened(x, of_one).value
        return _retyped(copy, axes)

    def _padded_regions(
        self, loop: ir.Operation, axes: Sequence[Mapping[int, Length]]
    ) -> tuple[list[dict[int, Length]], list[Padded]]:
        """Pad the regions of a loop in place; the axes that its body returns, and the values."""
        returned: list[Padded] = []
        for region in loop.regions:
            for i, (x, of_one) in enumerate(zip(region.blocks[0].arguments, axes, strict=True)):
                self.carries[x] = loop, i
                if of_one:
                    self.pad_argument(x, of_one)
            returned = self.run(region.blocks[0])
            for i, y in enumerate(returned):
                _terminator_of(region.blocks[0]).operands[i] = y.value
        for region in loop.regions:
            for x in region.blocks[0].arguments:
                del self.carries[x]
        return [{**a, **y.axes} for a, y in zip(axes, returned, strict=True)], returned

    def _return(
        self, block: ir.Block, ys: Sequence[Padded], axes: Sequence[Mapping[int, Length]]
    ) -> None:
        """Return these values, padded along `axes`, from a region."""
        terminator = _terminator_of(block)
        for i, (y, of_one) in enumerate(zip(ys, axes, strict=True)):
            terminator.operands[i] = self._widened(y, of_one).value

    # -- errors ------------------------------------------------------------------------------------

    def _refuse_op(self, op: Any, wanted: Mapping[int, Length], why: str) -> NoReturn:
        padded = [(i, x) for i, x in enumerate(map(self.of, op.operands)) if x.axes]
        if padded:
            i, x = padded[0]
            axis, length = next(iter(x.axes.items()))
            what = f"axis {axis} of operand {i}, of {length.true} elements, is bucketed"
        elif wanted:
            axis, length = next(iter(wanted.items()))
            what = f"its result meets a bucketed axis of {length.true} elements along axis {axis}"
        else:
            what = "it depends on a bucketed axis"
        location = str(op.location)
        raise BucketError(
            _PASS, f"{op.operation.name} at {place_in(location)}: {what}, and {why}; {_REMEDY}",
            location,
        ) from None  # fmt: skip


def can_pad(rules: Any) -> bool:
    """Whether an op class has a padding rule, its own or that of its family."""
    return issubclass(rules, AnvlOp) and (rules.diagonal or rules.has_rule("pad_axes"))


def _check(op: ir.Operation, rules: Any, made: Sequence[Padded]) -> None:
    """Refuse an answer of a rule that is not of the padded type."""
    for y, p in zip(op.results, made, strict=True):
        wanted = padded_type(p.shape, p.axes, y.type.element_type)
        if p.value.type != wanted:
            refuse(op, rules, "pad_axes", f"gave {p.value.type} for {wanted}")


def _retyped(op: ir.Operation, axes: Sequence[Mapping[int, Length]]) -> list[Any]:
    """The results of an op with regions, after their types were padded."""
    for y, of_one in zip(op.results, axes, strict=True):
        if of_one:
            y.set_type(padded_type(_shape_of(y), of_one, y.type.element_type))
    return list(zip(op.results, axes, strict=True))


def _union(ys: Sequence[Padded]) -> dict[int, Length]:
    axes: dict[int, Length] = {}
    for y in ys:
        axes |= y.axes
    return axes


def _shape_of(x: Value) -> tuple[int, ...]:
    return tuple(x.type.shape) if isinstance(x.type, ir.RankedTensorType) else ()


def _name_of(x: Value) -> str:
    """An argument by its name, another value by its type."""
    name = getattr(x.location, "name_str", None)
    return f"{name}, {x.type}" if name else str(x.type)


def _terminator_of(block: ir.Block) -> ir.Operation:
    return block.operations[len(block.operations) - 1].operation
