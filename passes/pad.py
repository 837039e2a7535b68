"""anvl-pad: pad axes of arguments, so that one program serves many sizes.  Names no op."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from anvl.dialect.core.attributes import entries_of
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.pad_axes import BUCKETED, pad_block
from anvl.dialect.interpreters.padding import Length
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.functions.symbol_utils import body_of, functions_of, terminator_of

__all__ = ["PADDED", "Pad", "Record", "next_power_of_two", "record"]

_NAME = "anvl-pad"

#: Of an argument, the axes that were padded.
PADDED = "anvl.padded"


#: Of each op of a function, regions included, in order: its name, and the shapes of its results.
Record: TypeAlias = tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]


@dataclass(frozen=True)
class Pad(Pass, argument=_NAME):
    """Pad axes of the arguments of a function; their true sizes become further arguments.

    Axis `axes[i]` of argument `args[i]` gets the size `sizes[i]`, by default the next power of two.
    Its true size is an i32 argument behind the others: number `lengths[i]` of these, by default one
    for each pair.  Every op on padded values is asked for its `pad_axes` rule, and replaces padding
    by neutral values where it combines elements.  Results are padded too; their first elements are
    those of the function.  Run it when no declaration and no call is left, behind `anvl-inline`.

    A value that follows from the size alone, such as zeros that are only added up, depends on no
    argument.  The op that makes it has the attribute `anvl.bucketed = array<i64: 0>`, the axes of
    its result that have a bucketed size.  `reference`, the ops of the program at another size,
    marks them: `record` makes it.

    Arguments that are padded already are left as they are.
    """

    anchor = "builtin.module"

    function: str = option("main", help="the function whose arguments are padded")
    args: tuple[int, ...] = option((), help="positions of the arguments, one for each axis")
    axes: tuple[int, ...] = option((), help="the axis of each; 0 where not given")
    sizes: tuple[int, ...] = option((), help="the padded size of each; powers of two if not given")
    lengths: tuple[int, ...] = option((), help="the number of the true size of each")
    #: From Python only.
    reference: Record | None = field(default=None, compare=False)

    def run(self, module: ir.Operation) -> None:
        if not self.args:
            return
        functions = functions_of(module)
        function = functions.get(self.function)
        block = None if function is None else body_of(function)
        if function is None or block is None:
            raise PassError(
                _NAME, f"there is no function @{self.function} with a body; name one by function="
            )
        pairs = self._pairs(function, block)
        if pairs:
            if self.reference is not None:
                _mark_sizes(block, iter(self.reference))
            _pad(function, block, pairs)

    def _pairs(self, function: ir.Operation, block: ir.Block) -> list["_Pair"]:
        """What is to be padded and is not yet, checked."""
        count = len(self.args)
        axes = self.axes or (0,) * count
        lengths = self.lengths or tuple(range(count))
        types = [x.type for x in block.arguments]
        place = str(function.location)
        for name, given in (("axes", axes), ("lengths", lengths), ("sizes", self.sizes)):
            if given and len(given) != count:
                raise PassError(
                    _NAME, f"{name} has {len(given)} entries for {count} of args; give one for each"
                )
        if sorted(set(lengths)) != list(range(len(set(lengths)))):
            raise PassError(_NAME, f"lengths are {list(lengths)}; number them from 0, without gaps")
        found = []
        marked = _marks(function, len(types))
        for i, (position, axis) in enumerate(zip(self.args, axes, strict=True)):
            true = _size(self.function, types, position, axis, place)
            padded = self.sizes[i] if self.sizes else next_power_of_two(true)
            if axis in marked[position]:
                continue
            if not true <= padded < 2**31:
                raise PassError(
                    _NAME,
                    f"axis {axis} of argument {position} of @{self.function} has {true} elements, "
                    f"and cannot be padded to {padded}",
                    place,
                )
            found.append(_Pair(position, axis, true, padded, lengths[i]))
        _check_lengths(found)
        return found


@dataclass(frozen=True)
class _Pair:
    """An axis of an argument: its sizes, and the number of its true size among the arguments."""

    position: int
    axis: int
    true: int
    padded: int
    length: int


def record(module: ir.Operation, function: str = "main") -> Record:
    """The ops of a function, to find sizes by comparison with the program at other sizes."""
    block = body_of(functions_of(module)[function])
    return () if block is None else tuple(_recorded(block))


def _recorded(block: ir.Block) -> Iterator[tuple[str, tuple[tuple[int, ...], ...]]]:
    for op in block.operations:
        operation = op.operation
        yield operation.name, tuple(map(_shape_of, operation.results))
        for region in operation.regions:
            for inner in region.blocks:
                yield from _recorded(inner)


def _shape_of(y: Any) -> tuple[int, ...]:
    return tuple(y.type.shape) if isinstance(y.type, ir.RankedTensorType) else ()


def _mark_sizes(block: ir.Block, reference: Iterator[Any]) -> None:
    """Mark the axes whose size differs from that of the same op of the reference."""
    for op in block.operations:
        operation = op.operation
        _, shapes = next(reference)
        if len(operation.results) == 1 and not len(operation.regions):
            pairs = zip(_shape_of(operation.result), shapes[0], strict=True)
            axes = tuple(a for a, (n, other) in enumerate(pairs) if n != other)
            if axes:
                operation.attributes[BUCKETED] = Ints.encode(axes)
        for region in operation.regions:
            for inner in region.blocks:
                _mark_sizes(inner, reference)


def next_power_of_two(size: int) -> int:
    """The least power of two that is at least `size`; 0 for 0."""
    return 1 << (size - 1).bit_length() if size else 0


def _size(name: str, types: Sequence[Any], position: int, axis: int, place: str) -> int:
    """The size of an axis of an argument."""
    if not 0 <= position < len(types):
        problem = f"args has {position}, but @{name} has {len(types)} arguments"
        raise PassError(_NAME, problem, place)
    type_ = types[position]
    if not isinstance(type_, ir.RankedTensorType) or not 0 <= axis < type_.rank:
        problem = f"argument {position} of @{name} is {type_}, which has no axis {axis}"
        raise PassError(_NAME, problem, place)
    return type_.shape[axis]


def _check_lengths(pairs: Sequence[_Pair]) -> None:
    """Refuse axes of different sizes with one length."""
    sizes: dict[int, tuple[int, int]] = {}
    for pair in pairs:
        found = pair.true, pair.padded
        if sizes.setdefault(pair.length, found) != found:
            raise PassError(
                _NAME,
                f"axis {pair.axis} of argument {pair.position} has {pair.true} elements, padded to "
                f"{pair.padded}, and shares length {pair.length} with one of "
                f"{sizes[pair.length][0]}, padded to {sizes[pair.length][1]}",
            )


def _pad(function: ir.Operation, block: ir.Block, pairs: Sequence[_Pair]) -> None:
    i32 = tensor([], element_type("i32"))
    count = len(block.arguments)
    with function.location:
        values: dict[int, Any] = {}
        for number in sorted({pair.length for pair in pairs}):
            place = ir.Location.name(f"length{number}", function.location)
            values[number] = block.add_argument(i32, place)
        axes: dict[int, dict[int, Length]] = {}
        for pair in pairs:
            length = Length(pair.true, pair.padded, values[pair.length])
            axes.setdefault(pair.position, {})[pair.axis] = length
        pad_block(block, axes)
    _mark(function, count, len(values), axes)
    results = [y.type for y in terminator_of(block).operands]
    type_ = ir.FunctionType.get([x.type for x in block.arguments], results, function.context)
    function.attributes["function_type"] = ir.TypeAttr.get(type_)


def _marks(function: ir.Operation, count: int) -> list[Sequence[int]]:
    """The axes of each argument that are padded already."""
    if "arg_attrs" not in function.attributes:
        return [()] * count
    attributes = function.attributes["arg_attrs"]
    return [Ints.decode(a[PADDED]) if PADDED in a else () for a in attributes]


def _mark(function: ir.Operation, count: int, more: int, axes: dict[int, Any]) -> None:
    """Record which axes of the first `count` arguments are padded; `more` follow."""
    context = function.context
    old = (
        list(function.attributes["arg_attrs"])
        if "arg_attrs" in function.attributes
        else [ir.DictAttr.get({}, context)] * count
    )
    for position, of_one in axes.items():
        entries = {PADDED: Ints.encode(tuple(sorted(of_one)))}
        old[position] = ir.DictAttr.get(entries_of(old[position]) | entries, context)
    old += [ir.DictAttr.get({}, context)] * more
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(old, context)
