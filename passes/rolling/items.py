"""A block as a sequence of items, in which a repetition can be looked for.

Constants and other ops without operands are not items: which of them stand where depends on which
numbers are equal, and a trace writes each number once.  Equal ones count as one value.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.mlir import ir

__all__ = ["Block", "Item", "Source", "attributes_of"]


class Source(NamedTuple):
    """Result number `result` of the item `item`."""

    item: int
    result: int


class Item(NamedTuple):
    """An op with operands: what it reads, and a number that it shares with ops of its kind.

    `operands` are sources, and values from elsewhere; equal constants are the same value.
    """

    op: Any
    operands: tuple[Any, ...]
    symbol: int


class Block:
    """The items of a block, its constants, and where values are read.

    Attributes
    ----------
    items : list of Item
        The ops with operands, in their order.
    leaves : dict
        From values of ops without operands to these ops.
    read_at : dict
        From sources to the items that read them, in their order; `len(items)` is the terminator.
    """

    def __init__(self, block: ir.Block, is_movable: Callable[[Any], bool]) -> None:
        self.items: list[Item] = []
        self.leaves: dict[ir.Value, Any] = {}
        self.read_at: dict[Source, list[int]] = {}
        self._known: dict[ir.Value, Any] = {}  # what stands for a value
        self._leaf_keys: dict[Any, ir.Value] = {}
        self._symbols: dict[Any, int] = {}
        self._types: dict[Any, ir.Type] = {}
        self._arrays: dict[ir.Type, bool] = {}
        *ops, end = block.operations
        for op in ops:
            values = _values_read(op)
            if not values and _is_leaf(op):
                self._add_leaf(op)
            else:
                self._add(op, values, is_movable)
        self._note_reads(end.operands)

    def maker_of(self, x: Any) -> Any:
        """The op that computes a source or a constant; None for other values."""
        return self.items[x.item].op if type(x) is Source else self.leaves.get(x)

    def _add_leaf(self, op: Any) -> None:
        (value,) = op.results
        self.leaves[value] = op
        key = op.operation.name, attributes_of(op), value.type
        self._known[value] = self._leaf_keys.setdefault(key, value)

    def _add(self, op: Any, values: Sequence[ir.Value], is_movable: Callable[[Any], bool]) -> None:
        number = len(self.items)
        operands = self._note_reads(values)
        results = list(op.results)
        types = tuple([y.type for y in results])
        for i, y in enumerate(results):
            source = self._known[y] = Source(number, i)
            self._types[source] = types[i]
        key: Any = object()  # equal to no other
        read = tuple([self._type_of(x) for x in operands])
        is_pure = results and (all_dce_able(type(op)) or is_movable(op))
        if is_pure and all(map(self._is_array, {*types, *read})):
            key = op.operation.name, read, types, _regions_key(op)
        self.items.append(Item(op, operands, self._symbols.setdefault(key, len(self._symbols))))

    def _is_array(self, of: Any) -> bool:
        """Whether values of a type can be carried and stacked: no token, and no unknown size."""
        known = self._arrays.get(of)
        if known is None:
            is_tensor = isinstance(of, ir.RankedTensorType)
            known = self._arrays[of] = is_tensor and of.has_static_shape
        return known

    def _type_of(self, x: Any) -> ir.Type:
        """The type of a source or of a value; asking MLIR again and again takes time."""
        found = self._types.get(x)
        if found is None:
            found = self._types[x] = x.type
        return found

    def _note_reads(self, values: Iterable[ir.Value]) -> tuple[Any, ...]:
        known = self._known
        found = tuple([known.get(x, x) for x in values])
        for x in found:
            if type(x) is Source:
                self.read_at.setdefault(x, []).append(len(self.items))
        return found


def _values_read(op: Any) -> tuple[ir.Value, ...]:
    return operands_of(op) if getattr(op, "captures", False) else tuple(op.operands)


def _is_leaf(op: Any) -> bool:
    is_pure = getattr(type(op), "pure", False)
    return is_pure and not len(op.regions) and len(op.results) == 1


def attributes_of(op: Any) -> Any:
    """The attributes of an op, to be compared with those of another one."""
    attributes = op.attributes
    if not len(attributes):
        return ()
    names = list(attributes.keys())
    found = [attribute_of(op.operation, name) for name in names]
    if any(x is None for x in found):  # complex numbers, for which the bindings have no class
        return str(op.operation).partition("=")[2]
    return tuple(zip(names, found, strict=True))


def _regions_key(op: Any) -> Any:
    """A key of the regions of an op, the same whatever values from outside they read."""
    if not len(op.regions):
        return ()
    return tuple(_region_lines(op.operation, {}))


def _region_lines(op: ir.Operation, numbers: dict[ir.Value, int]) -> list[Any]:
    """Each op in the regions, with values numbered in the order in which they come up."""
    lines: list[Any] = []

    def number_of(x: ir.Value) -> int:
        return numbers.setdefault(x, len(numbers))

    for region in op.regions:
        for block in region.blocks:
            lines.append(tuple([(number_of(x), x.type) for x in block.arguments]))
            for inner in block.operations:
                operation = inner.operation
                operands = tuple([number_of(x) for x in operation.operands])
                results = tuple([(number_of(y), y.type) for y in operation.results])
                lines.append((operation.name, attributes_of(inner), operands, results))
                lines += _region_lines(operation, numbers)
    return lines
