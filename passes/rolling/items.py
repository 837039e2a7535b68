"""A block as a sequence of items, in which a repetition can be looked for.

Constants and other ops without operands are not items: which of them stand where depends on which
numbers are equal, and a trace writes each number once.  Equal ones count as one value.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.mlir import ir

__all__ = ["Block", "Item", "Source", "is_plain"]


#: `Item(...)` and `Source(...)` are calls of Python, of which there would be two for each op.
_tuple: Any = tuple.__new__


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
    n_results: int


class Block:
    """The items of a block, given by its ops, its constants, and where values are read.

    Attributes
    ----------
    items : list of Item
        The ops with operands, in their order.
    leaves : dict
        From values of ops without operands to these ops.
    read_at : dict
        From sources to the items that read them, in their order; `len(items)` is the terminator.
    """

    def __init__(self, ops: Sequence[Any], is_movable: Callable[[Any], bool]) -> None:
        self.items: list[Item] = []
        self.leaves: dict[ir.Value, Any] = {}
        self.read_at: dict[tuple[int, int], list[int]] = {}
        self._known: dict[ir.Value, Any] = {}  # what stands for a value
        self._leaf_keys: dict[Any, ir.Value] = {}
        self._symbols: dict[Any, int] = {}
        self._numbers: dict[ir.Type, int] = {}
        self._types: dict[Any, int] = {}  # the numbers of the types of sources and of values
        self._inferred: dict[Any, int] = {}  # of results, by the class and the types of operands
        self._attributes: dict[int, Any] = {}
        for op in ops[:-1]:
            if is_plain(type(op)):
                values = tuple(op.operands)
                if values:
                    self._add_plain(op, values)
                else:
                    self._add_leaf(op)
                continue
            values = operands_of(op)
            if not values and _is_leaf(op):
                self._add_leaf(op)
            else:
                self._add(op, values, is_movable)
        self._note_reads(ops[-1].operands)

    def attributes(self, number: int) -> Any:
        """The attributes of an item, to be compared with those of another one."""
        found = self._attributes.get(number)
        if found is None:
            found = self._attributes[number] = _attributes_of(self.items[number].op)
        return found

    def maker_of(self, x: Any) -> Any:
        """The op that computes a source or a constant; None for other values."""
        return self.items[x.item].op if type(x) is Source else self.leaves.get(x)

    def _add_leaf(self, op: Any) -> None:
        value = op.result
        self.leaves[value] = op
        key = op.operation.name, _attributes_of(op), value.type
        self._known[value] = self._leaf_keys.setdefault(key, value)

    def _add_plain(self, op: Any, values: Sequence[ir.Value]) -> None:
        """As `_add`, for most ops: without a call for each part of it."""
        items, known, read_at, types = self.items, self._known, self.read_at, self._types
        number = len(items)
        operands = tuple(map(known.get, values, values))
        y, rules, least = op.result, type(op), 1
        kind: Any = [rules]
        for x in operands:
            read = types.get(x) or self._type_of(x)
            kind.append(read)
            if read < least:
                least = read
            if type(x) is Source:
                readers = read_at.get(x)
                if readers is None:
                    read_at[x] = [number]
                else:
                    readers.append(number)
        kind = tuple(kind)
        of = self._inferred.get(kind)
        if of is None:
            of = self._numbers.get(y.type) or self._number_of(y.type)
            if rules.is_inferred:
                self._inferred[kind] = of
            else:
                kind = (*kind, of)
        source = known[y] = _tuple(Source, (number, 0))
        types[source] = of
        if least < 0 or of < 0:
            kind = object()  # equal to no other
        symbol = self._symbols.setdefault(kind, len(self._symbols))
        items.append(_tuple(Item, (op, operands, symbol, 1)))

    def _add(self, op: Any, values: Sequence[ir.Value], is_movable: Callable[[Any], bool]) -> None:
        number = len(self.items)
        operands = self._note_reads(values)
        results = tuple(op.results)
        numbers, known = self._numbers.get, self._types.get
        types = tuple([numbers(t := y.type) or self._number_of(t) for y in results])
        for i, y in enumerate(results):
            source = self._known[y] = Source(number, i)
            self._types[source] = types[i]
        read = tuple([known(x) or self._type_of(x) for x in operands])
        regions = _regions_key(op) if len(op.regions) else ()
        kind: Any = op.operation.name, read, types, regions
        is_pure = results and (all_dce_able(type(op)) or is_movable(op))
        if not is_pure or min(*types, *read, 0) < 0:
            kind = object()  # equal to no other
        symbol = self._symbols.setdefault(kind, len(self._symbols))
        self.items.append(Item(op, operands, symbol, len(results)))

    def _number_of(self, of: ir.Type) -> int:
        """Number of a type: negative if its values cannot be carried and stacked, since they are
        tokens or of unknown size."""
        if of not in self._numbers:
            is_array = isinstance(of, ir.RankedTensorType) and of.has_static_shape
            count = len(self._numbers) + 1
            self._numbers[of] = count if is_array else -count
        return self._numbers[of]

    def _type_of(self, x: Any) -> int:
        found = self._types[x] = self._number_of(x.type)
        return found

    def _note_reads(self, values: Iterable[ir.Value]) -> tuple[Any, ...]:
        known = self._known
        found = tuple([known.get(x, x) for x in values])
        for x in found:
            if type(x) is Source:
                self.read_at.setdefault(x, []).append(len(self.items))
        return found


def _is_leaf(op: Any) -> bool:
    is_pure = getattr(type(op), "pure", False)
    return is_pure and not len(op.regions) and len(op.results) == 1


def _is_plain_by_class(rules: Any) -> bool:
    """Whether an op of this class has one result, no region, and no effect."""
    return all_dce_able(rules) and not (rules.multiple_results or rules.bodies or rules.captures)


# (mypy takes `type[Any]` for something without a hash: hence the type of this cache.)
is_plain: Callable[[Any], bool] = cache(_is_plain_by_class)


def _attributes_of(op: Any) -> Any:
    attributes = op.attributes
    if not len(attributes):
        return ()
    try:
        return tuple(attributes.items())
    except TypeError:  # complex numbers, for which the bindings have no class
        # Of this op alone, and unverified: `str` verifies and numbers the whole function each time.
        text = op.operation.get_asm(assume_verified=True, use_local_scope=True)
        return text.partition("=")[2]


def _regions_key(op: Any) -> Any:
    """A key of the regions of an op, the same whatever values from outside they read."""
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
                lines.append((operation.name, _attributes_of(inner), operands, results))
                lines += _region_lines(operation, numbers)
    return lines
