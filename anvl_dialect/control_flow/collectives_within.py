"""Collectives in the bodies of choices, loops and functions, which all devices or members reach."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

from anvl.dialect.core.attributes import attribute_of, symbols_in
from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.core.op_registry import OPS, names_where
from anvl.dialect.core.params.base import Symbol
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["axes_along_members", "axes_combined", "collectives", "has_collectives"]


def collectives() -> tuple[str, ...]:
    """The names of the ops that combine values of several devices or members."""
    return names_where(_is_collective)


def _is_collective(rules: Any) -> bool:
    return bool(rules.is_collective)


def has_collectives(op: ir.Operation, symbols: SymbolTable | None) -> bool:
    """Whether an op has collectives in its regions, or in the function that it calls."""
    return next(_of_op(op.opview, None, symbols, ()), None) is not None


def axes_combined(programs: Sequence[Program]) -> frozenset[str]:
    """The axes of more than one device or member along which ops of the programs combine values."""
    return frozenset(
        name
        for program in programs
        for op, _ in _collectives(program.block, None, program.symbols, ())
        for name in _axes_of(op)
    )


def axes_along_members(programs: Sequence[Program], batched: Sequence[bool]) -> frozenset[str]:
    """The axes that are those of a batch: of collectives whose place is among its arguments.

    `batched` marks the arguments of each program; Note [Named axes] tells what a place is.
    """
    found: set[str] = set()
    for program in programs:
        marked = {x for x, b in zip(program.arguments, batched, strict=True) if b}
        for op, places in _collectives(program.block, marked, program.symbols, ()):
            if places is not None and op.operands[1] in places:
                found.update(_axes_of(op))
    return frozenset(found)


def _axes_of(op: ir.Operation) -> list[str]:
    params = OPS[op.name].read(op)
    return [name for name in params["axes"] if params["mesh"].along((name,)) > 1]


def _collectives(
    block: ir.Block,
    marked: Set[Value] | None,
    symbols: SymbolTable | None,
    around: tuple[str, ...],
) -> Iterator[tuple[ir.Operation, Set[Value] | None]]:
    """Collectives in a block, in regions there, and in functions that are called there.

    With each come the values that are `marked`, by the names that they have where it stands.
    """
    for op in block.operations:
        if op.operation.name in OPS and OPS[op.operation.name].is_collective:
            yield op.operation, marked
        yield from _of_op(op, marked, symbols, around)


def _of_op(
    op: Any, marked: Set[Value] | None, symbols: SymbolTable | None, around: tuple[str, ...]
) -> Iterator[tuple[ir.Operation, Set[Value] | None]]:
    """As `_collectives`, those inside of an op."""
    for region in op.operation.regions:
        for inner in region.blocks:
            yield from _collectives(inner, marked, symbols, around)
    if op.operation.name == "func.call" and symbols is not None:
        name = Symbol.decode(op.operation.attributes["callee"])
        for body in _bodies(name, symbols, around):
            inside = _handed_on(operands_of(op), marked, body)
            yield from _collectives(body, inside, symbols, (*around, name))


def _bodies(name: str, symbols: SymbolTable, around: tuple[str, ...]) -> Iterator[ir.Block]:
    """The block of a function, or of those that its declaration names."""
    if name not in symbols.functions or name in around:
        return
    function = symbols.functions[name]
    yield from function.regions[0].blocks
    if not len(function.regions[0].blocks):
        for entry in function.attributes:
            for other in symbols_in(attribute_of(function, entry)):
                yield from _bodies(other, symbols, (*around, name))


def _handed_on(
    operands: Sequence[Value], marked: Set[Value] | None, body: ir.Block
) -> Set[Value] | None:
    """The arguments of a function that are given marked values, by position."""
    if marked is None:
        return None
    return {x for x, given in zip(body.arguments, operands, strict=False) if given in marked}
