"""A stretch as a scan, or as a batch whose results are summed."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.call import Callee, call, symbol
from anvl.dialect.control_flow.declared_scan import declare_scan
from anvl.dialect.core.attributes import VMAP
from anvl.dialect.core.captures import captured
from anvl.dialect.core.create import full, number_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Int, Ints
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import tensor
from anvl.passes.rolling.forms import Form
from anvl.passes.rolling.items import Block, Source
from anvl.passes.rolling.stacking import row, stacked, stacked_by_rule
from anvl.passes.rolling.stretches import Carried, Each, Inner, Same, Stretch

__all__ = ["Writer"]

_Key = tuple[int, int]  # item and result, in a repetition


class Writer:
    """Writes the stretches of one block, and keeps what stands for the values of others."""

    def __init__(self, block: Block, name: str, symbols: SymbolTable) -> None:
        self.block, self.name, self.symbols = block, name, symbols
        self._now: dict[Source, Value] = {}

    def write(self, stretch: Stretch, form: Form) -> None:
        """Replace a stretch by its form."""
        first = self.block.items[stretch.start].op.operation
        with first.context, first.location, ir.InsertionPoint(first):
            made = _Made(self, stretch, form)
            found = made.batch() if form.is_batch else made.scan()
        for (offset, result), y in found.items():
            self.replace(Source(stretch.start + offset, result), y)
        for i in reversed(range(stretch.start, stretch.end)):
            self.block.items[i].op.operation.erase()

    def replace(self, source: Source, new: Value) -> None:
        """Let the readers of a value read another one."""
        self._now[source] = new
        self.block.items[source.item].op.results[source.result].replace_all_uses_with(new)

    def value_of(self, source: Any) -> Value:
        """The value of a source, after what was replaced so far."""
        if type(source) is not Source:
            return source
        if source in self._now:
            return self._now[source]
        return self.block.items[source.item].op.results[source.result]


class _Made:
    """One stretch, as it is written."""

    def __init__(self, writer: Writer, stretch: Stretch, form: Form) -> None:
        self.writer, self.stretch, self.form = writer, stretch, form
        self.items = writer.block.items
        self._outside: dict[Any, Value] = {}  # copies of constants, and of what is apart
        for k in range(stretch.count):
            for o in sorted(stretch.apart):
                self._copy_apart(stretch.start + k * stretch.period + o)
        self.same = list(dict.fromkeys(self._links(Same)))
        self.each = list(dict.fromkeys(self._links(Each)))
        self.rest = [link for link in self.same if link.value not in writer.block.leaves]
        # Of fills, such as the numbers that the steps of a loop of Python's compute, one element.
        self.fills = {link for link in self.each if self._is_fill(link)}
        self.arrays = [self._rows(link) for link in self.each]

    def _links(self, kind: type) -> list[Any]:
        stretch = self.stretch
        return [
            link
            for o, links in enumerate(stretch.links)
            if o not in stretch.apart
            for link in links
            if type(link) is kind
        ]

    def _copy_apart(self, number: int) -> None:
        item = self.items[number]
        copy = item.op.operation.clone().operation
        _set_operands(copy, item.op.operation, [self.outside(x) for x in item.operands])
        for i, y in enumerate(copy.results):
            self._outside[Source(number, i)] = y
            self.writer.replace(Source(number, i), y)

    def outside(self, source: Any) -> Value:
        """A value from outside, which may stand behind the place where the loop is written."""
        if source in self._outside:
            return self._outside[source]
        leaf = self.writer.block.leaves.get(source)
        if leaf is None:
            return self.writer.value_of(source)
        self._outside[source] = found = leaf.operation.clone().operation.results[0]
        return found

    def _is_fill(self, link: Each) -> bool:
        leaves = self.writer.block.leaves
        ops: list[Any] = [leaves.get(x) for x in link.values]
        return all(number_of(op) is not None for op in ops) and ops[0].result.type.rank > 0

    def _rows(self, link: Each) -> Value:
        """An array of the values of all repetitions; constants are read, and not copied for it."""
        leaves, found = self.writer.block.leaves, None
        if link not in self.fills and all([x in leaves for x in link.values]):
            found = stacked_by_rule([leaves[x] for x in link.values])
        return stacked([self._row(link, x) for x in link.values]) if found is None else found

    def _row(self, link: Each, source: Any) -> Value:
        if link not in self.fills:
            return self.outside(source)
        op = self.writer.block.leaves[source]
        return full(tensor([], op.result.type.element_type), number_of(op))

    # -- a scan --------------------------------------------------------------------------------

    def scan(self) -> dict[_Key, Value]:
        """Emit a scan; returns its values in place of those that are read behind the stretch."""
        stretch, carried = self.stretch, self.stretch.carried()
        last = [key for key in self.form.last if key not in {(c.item, c.result) for c in carried}]
        first = [self.outside(x) for c in carried for x in reversed(c.first)]
        first += [full(self._type(key), 0) for key in last]
        parts = first, self.arrays, [self.outside(link.value) for link in self.rest]
        places = self._places(carried, last)

        def step(*args: Value) -> list[Value]:
            before, row_of, same = self._arguments(args, carried, len(last))
            values = self._emit_items(before, row_of, same)
            new = [x for c in carried for x in _moved_on(c, before, values)]
            return [
                *new,
                *(values[key] for key in last),
                *(values[key] for key in self.form.stacked),
            ]

        found = declare_scan(
            f"{self.writer.name}_step", step, parts, stretch.count, self.writer.symbols, places
        )
        return self._behind(found, carried, last)

    def _arguments(
        self, args: Sequence[Value], carried: Sequence[Carried], n_last: int
    ) -> tuple[dict[Any, Value], dict[Any, Value], dict[Any, Value]]:
        """Arguments of the step: what repetitions before computed, rows, and what stays."""
        given = iter(args)
        before = {
            (c.item, c.result, m): next(given) for c in carried for m in range(1, c.distance + 1)
        }
        for _ in range(n_last):
            next(given)
        rows = {link: next(given) for link in self.each}
        same = {link: next(given) for link in self.rest}
        return before, rows, same

    def _emit_items(
        self, before: dict[Any, Value], rows: dict[Any, Value], same: dict[Any, Value]
    ) -> dict[_Key, Value]:
        """Emit one repetition; returns its values."""
        values: dict[_Key, Value] = {}
        known: dict[Any, Value] = {link: self._whole(link, x) for link, x in rows.items()}
        known |= same

        def operand(link: Any) -> Value:
            if type(link) is Inner:
                return values[link]
            if type(link) is Carried:
                return before[link.item, link.result, link.distance]
            if link not in known:  # a constant
                leaf = self.writer.block.leaves[link.value]
                known[link] = leaf.operation.clone().operation.results[0]
            return known[link]

        for o in range(self.stretch.period):
            if o in self.stretch.apart or o in self.form.left_out:
                continue
            op = self.items[self.stretch.start + o].op.operation
            operands = [operand(link) for link in self.stretch.links[o]]
            copy = op.clone().operation
            _set_operands(copy, op, operands)
            values |= {(o, i): y for i, y in enumerate(copy.results)}
        return values

    def _whole(self, link: Each, found: Value) -> Value:
        if link not in self.fills:
            return found
        shape = tuple(link.values[0].type.shape)
        return emit.broadcast_in_dim(found, shape=shape, broadcast_dimensions=())

    def _places(self, carried: Sequence[Carried], last: Sequence[_Key]) -> list[ir.Location]:
        """Locations for the arguments of a step: those of the values, with their names."""
        start = self.items[self.stretch.start].op.operation.location

        def place(item: int) -> ir.Location:
            return self.items[self.stretch.start + item].op.operation.location

        return [
            *(place(c.item) for c in carried for _ in range(c.distance)),
            *(place(item) for item, _ in last),
            *(start for _ in (*self.each, *self.rest)),
        ]

    def _behind(
        self, found: Sequence[Value], carried: Sequence[Carried], last: Sequence[_Key]
    ) -> dict[_Key, Value]:
        stretch, given = self.stretch, iter(found)
        n, period = stretch.count, stretch.period
        behind: dict[_Key, Value] = {}
        for c in carried:
            for m in range(1, c.distance + 1):
                behind[(n - m) * period + c.item, c.result] = next(given)
        for item, result in last:
            behind[(n - 1) * period + item, result] = next(given)
        for item, result in self.form.stacked:
            array = next(given)
            for k in stretch.wanted[item, result]:
                behind[k * period + item, result] = row(array, k)
        return behind

    # -- a batch -------------------------------------------------------------------------------

    def batch(self) -> dict[_Key, Value]:
        """Emit a batch of the repetitions, and the sums of their terms."""
        stretch, form = self.stretch, self.form
        keys = [*(total.term for total in form.totals), *form.stacked]
        arrays, rest = self.arrays, [self.outside(link.value) for link in self.rest]
        types: list[ir.Type] = [tensor(x.type.shape[1:], x.type.element_type) for x in arrays]
        types += [x.type for x in rest]

        def body(*args: Value) -> list[Value]:
            _, rows, same = self._arguments(args, [], 0)
            values = self._emit_items({}, rows, same)
            return [values[key] for key in keys]

        places = self._places([], [])
        one = Callee.create(
            f"{self.writer.name}_term", self.writer.symbols, body, types, places=places
        )
        n = stretch.count
        request = {
            "callee": symbol(one),
            "batched": Ints.encode(tuple(range(len(arrays)))),
            "results": Ints.encode(tuple(range(len(keys)))),
            "size": Int.encode(n),
        }
        made = one.declare(
            "batch",
            [x.type for x in (*arrays, *rest)],
            [tensor([n, *y.shape], y.element_type) for y in one.types[1]],
            {VMAP: ir.DictAttr.get(request)},
        )
        found = call(made, [*arrays, *rest])
        behind: dict[_Key, Value] = {}
        for total, terms in zip(form.totals, found, strict=False):
            reduce: Any = OPS[f"anvl.{total.reduces_by}"]
            if number_of(self.writer.block.maker_of(total.first)) != _start(reduce, terms):
                first = stacked([self.outside(total.first)])
                terms = emit.concatenate(first, terms, dimension=0)
            behind[(n - 1) * stretch.period + total.item, 0] = reduce.build(terms, axes=(0,))
        for (item, result), array in zip(form.stacked, found[len(form.totals) :], strict=True):
            for k in stretch.wanted[item, result]:
                behind[k * stretch.period + item, result] = row(array, k)
        return behind

    def _type(self, key: _Key) -> Any:
        item, result = key
        return self.items[self.stretch.start + item].op.results[result].type


def _start(reduce: Any, terms: Value) -> complex:
    """The number from which a reduction of terms starts by itself."""
    start: complex = reduce.identity(terms.type.element_type)
    return start


def _moved_on(c: Carried, before: dict[Any, Value], values: dict[_Key, Value]) -> list[Value]:
    """The carries of the next repetition for one carried value, the newest first."""
    older = [before[c.item, c.result, m] for m in range(1, c.distance)]
    return [values[c.item, c.result], *older]


def _set_operands(copy: ir.Operation, op: ir.Operation, operands: Sequence[Value]) -> None:
    """Give a copy of an op other operands, and its regions other values from outside."""
    count = len(copy.operands)
    for i, x in enumerate(operands[:count]):
        copy.operands[i] = x
    if len(operands) == count:
        return
    outer = dict(zip(captured(op), operands[count:], strict=True))
    _rename(copy, outer)


def _rename(op: ir.Operation, values: dict[Value, Value]) -> None:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                operation = inner.operation
                for i, x in enumerate(operation.operands):
                    if x in values:
                        operation.operands[i] = values[x]
                _rename(operation, values)
