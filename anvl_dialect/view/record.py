"""A record of a module: its ops, values and text as plain Python objects.

    record = recorded(module)
    record.functions["main"].blocks[0].ops[0].text      '%0 = "anvl.sin"(%x) : ...'

A record holds attributes, types and locations, which live as long as the context, but no op of
MLIR: so it stays valid when passes change the module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from anvl.dialect.core.mlir import ir

__all__ = ["Block", "Op", "Record", "Value", "recorded"]

_LARGEST = 16  # elements of a constant in the text

# Note [Numbered locations]
#
# The text of an op, and the names of values in it, are known to MLIR's printer alone.  So a copy of
# the module is printed whose ops have their number as location: each op ends in `loc("@anvl@":7:1)`
# , or `loc("loss"("@anvl@":7:1))` to keep the name of its result, and the arguments of its blocks
# have the columns from 2 on.  A printer that leaves out a body, as that of a short reduction does,
# leaves its ops without a line.
_FILE = "@anvl@"
_LOCATION = re.compile(rf' loc\(("(?:[^"\\]|\\.)*"\()?"{_FILE}":(\d+):(\d+)(?(1)\)\)|\))')
_RESULTS = re.compile(r"\s*((?:%[\w$.\-]+(?::\d+)?(?:, )?)+) = ")
_ARGUMENT = re.compile(r"[(,]\s*(%[\w$.\-]+):")
_INITIAL = re.compile(r"(%[\w$.\-]+) = %")  # `stablehlo.while(%iterArg = %x)`
_RESOURCE = "dense_resource<"
_BLOB = re.compile(r'"?([^\s":]+)"?: "(0x[0-9A-Fa-f]*)"')
# What continues an op with regions at its own indentation.
_CONTINUES = ("}", "cond {", "do {", ")")


@dataclass(eq=False, repr=False, slots=True)
class Value:
    """A result of an op, or an argument of a block; `name` is that in the text, with its `%`."""

    owner: Op | Block
    index: int
    type: Any
    name: str = ""
    users: list[Op] = field(default_factory=list)

    @property
    def op(self) -> Op | None:
        """The op that has this value as a result."""
        return self.owner if isinstance(self.owner, Op) else None


@dataclass(eq=False, repr=False, slots=True)
class Block:
    """A block of a region of `parent`."""

    parent: Op
    region: int
    index: int
    arguments: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


@dataclass(eq=False, repr=False, slots=True)
class Op:
    """An op.  `line` and `last_line` count the lines of the text from 0, and are -1 without one."""

    number: int
    name: str
    block: Block | None
    location: Any
    attributes: dict[str, Any]
    successors: tuple[int, ...] = ()
    operands: list[Value] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    line: int = -1
    last_line: int = -1
    text: str = ""

    @property
    def origin(self) -> Any:
        """The location as an attribute: locations themselves hash by identity."""
        return self.location.attr

    @property
    def parent(self) -> Op | None:
        return self.block.parent if self.block is not None else None

    @property
    def symbol(self) -> str:
        """The name of a function, or of another op with a symbol; empty without one."""
        name = self.attributes.get("sym_name")
        return name.value if isinstance(name, ir.StringAttr) else ""

    def __repr__(self) -> str:
        return f"<Op {self.number}: {self.text or self.name}>"

    def walk(self) -> Iterator[Op]:
        """This op and all ops in it, in the order of the text."""
        pending = [self]
        while pending:
            op = pending.pop()
            yield op
            pending += [inner for block in reversed(op.blocks) for inner in reversed(block.ops)]


@dataclass(eq=False, repr=False)
class Record:
    """A module; `ops` are all its ops, the module first, in the order of the text."""

    root: Op
    ops: list[Op]
    lines: list[str]

    @property
    def functions(self) -> dict[str, Op]:
        """The ops of the module that have a symbol, by name."""
        return {op.symbol: op for block in self.root.blocks for op in block.ops if op.symbol}


def recorded(module: ir.Module | ir.Operation) -> Record:
    """The record of a module, which stays as it is."""
    copy = module.operation.clone(ip=False)
    operation = copy.operation
    ops = _ops_of(operation)
    text = operation.get_asm(
        enable_debug_info=True,
        use_local_scope=True,
        use_name_loc_as_prefix=True,
        assume_verified=True,
        large_elements_limit=_LARGEST,
        large_resource_limit=_LARGEST,
    )
    if _RESOURCE in text:
        _read_resources(ops, operation.get_asm(assume_verified=True))
    lines = _read_lines(ops, text.rstrip("\n").split("\n"))
    return Record(ops[0], ops, lines)


@dataclass(frozen=True)
class _Resource:
    """An array in the resources of a module; equal to one of another name with equal bytes."""

    text: str = field(compare=False)
    type: str
    data: str

    def __str__(self) -> str:
        return self.text


def _read_resources(ops: list[Op], text: str) -> None:
    """Put the bytes in place of the names of resources, which MLIR makes unique in its context."""
    data = dict(_BLOB.findall(text.rpartition("{-#")[2]))
    for op in ops:
        for name, attribute in op.attributes.items():
            if type(attribute) is ir.Attribute and (found := str(attribute)).startswith(_RESOURCE):
                key, _, rest = found.removeprefix(_RESOURCE).partition(">")
                op.attributes[name] = _Resource(found, rest, data.get(key.strip('"'), key))


def _ops_of(root: ir.Operation) -> list[Op]:
    """The ops, whose locations in MLIR become their numbers."""
    ops: list[Op] = []
    values: dict[ir.Value, Value] = {}
    operands: list[list[ir.Value]] = []
    at: dict[ir.Block, tuple[Block, int]] = {}
    pending: list[tuple[ir.Operation, Block | None]] = [(root, None)]
    while pending:
        found, block = pending.pop()
        op = Op(len(ops), found.name, block, found.location, _attributes(found))
        ops.append(op)
        if block is not None:
            block.ops.append(op)
        for i, x in enumerate(found.results):
            values[x] = made = Value(op, i, x.type)
            op.results.append(made)
        operands.append(list(found.operands))
        inner = list(_blocks_of(op, found, values, at)) if len(found.regions) else []
        pending += reversed(inner)
        found.location = _numbered(op.location, op.number, 1)
        if block is not None and len(successors := found.successors):
            op.successors = tuple(at[each][1] for each in successors)
    for op, given in zip(ops, operands, strict=True):
        op.operands = [values[x] for x in given]
        for value in dict.fromkeys(op.operands):
            value.users.append(op)
    return ops


def _attributes(op: ir.Operation) -> dict[str, Any]:
    """The attributes by name; those without a class in the bindings (complex elements) as text."""
    try:
        return dict(op.attributes.items())
    except TypeError:
        return {name: _attribute(op, name) for name in op.attributes.keys()}


def _attribute(op: ir.Operation, name: str) -> Any:
    try:
        return op.attributes[name]
    except TypeError as error:  # which holds the text
        return str(error).partition("Attribute(")[2].removesuffix("))")


def _blocks_of(
    op: Op,
    found: ir.Operation,
    values: dict[ir.Value, Value],
    at: dict[ir.Block, tuple[Block, int]],
) -> Iterator[tuple[ir.Operation, Block]]:
    """Add the blocks of an op; the ops in them."""
    column = 1
    for r, region in enumerate(found.regions):
        for b, block in enumerate(region.blocks):
            made = Block(op, r, b)
            at[block] = made, b
            op.blocks.append(made)
            for i, x in enumerate(block.arguments):
                values[x] = value = Value(made, i, x.type)
                made.arguments.append(value)
                column += 1
                x.set_location(_numbered(x.location, op.number, column))
            yield from ((inner.operation, made) for inner in block.operations)


def _numbered(location: ir.Location, number: int, column: int) -> ir.Location:
    """See Note [Numbered locations]."""
    made = ir.Location.file(_FILE, number, column, location.context)
    name = getattr(location, "name_str", "")
    return ir.Location.name(name, made, location.context) if name else made


def _read_lines(ops: list[Op], lines: list[str]) -> list[str]:
    """The lines without locations; ops get their lines and text, and values their names."""
    clean: list[str] = []
    for i, line in enumerate(lines):
        found = list(_LOCATION.finditer(line))
        start, pieces = 0, []
        for match in found:
            number, column = int(match[2]), int(match[3])
            piece = line[start : match.start()]
            if column > 1 and (name := _ARGUMENT.search(piece)):
                _argument(ops[number], column - 2).name = name[1]
            elif column == 1:
                ops[number].last_line = i
            pieces.append(piece)
            start = match.end()
        clean.append("".join(pieces) + line[start:])
    for op in ops:
        if op.last_line >= 0:
            _read_op(op, clean)
    return clean


def _argument(op: Op, index: int) -> Value:
    return [x for block in op.blocks for x in block.arguments][index]


def _read_op(op: Op, lines: list[str]) -> None:
    op.line = _first_line(op, lines)
    first = lines[op.line]
    op.text = first.strip()
    match = _RESULTS.match(first)
    if match is not None:
        names = iter(_names(match[1]))
        for result, name in zip(op.results, names, strict=False):
            result.name = name
    if op.blocks:
        initial = _INITIAL.findall(first)
        for block in op.blocks:
            for i, x in enumerate(block.arguments):
                x.name = x.name or (initial[i] if i < len(initial) else f"%arg{i}")


def _names(text: str) -> Iterator[str]:
    """`%0:2, %b` -> `%0#0`, `%0#1`, `%b`."""
    for part in text.split(", "):
        name, _, count = part.partition(":")
        yield from (f"{name}#{i}" for i in range(int(count))) if count else (name,)


def _first_line(op: Op, lines: list[str]) -> int:
    """The line in which an op begins that ends in its last line."""
    at = op.last_line
    line = lines[at]
    indent = len(line) - len(line.lstrip())
    if not op.blocks or not line.lstrip().startswith(_CONTINUES):
        return at
    while at > 0:
        at -= 1
        line = lines[at]
        text = line.lstrip()
        if len(line) - len(text) == indent and not text.startswith((*_CONTINUES, "^")):
            return at
    return op.last_line
