"""Explanation of zero derivatives: the ops that block them by design."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.activity_analysis import (
    may_carry,
    path_to,
    place_of,
    reads_bits_as_float,
    steps_from,
)
from anvl.dialect.interpreters.ad_diagnostics import Finding
from anvl.dialect.interpreters.common import PlainStep, Step
from anvl.dialect.interpreters.emission_cache import type_number
from anvl.dialect.interpreters.slices import backward_slice

__all__ = ["dead_ends"]


def dead_ends(
    block: ir.Block, x: ir.Value, targets: Sequence[ir.Value], symbols: SymbolTable | None
) -> list[Finding]:
    """Ops of a block that block every path of derivatives from x to the targets.

    Precondition: the derivative is zero, so every path is blocked by some op.  Empty if the
    derivative is missing instead.
    """
    needed = backward_slice(list(block.operations), targets, whole_ops=True).values
    number = {x: 0}
    steps = steps_from(block, number, [type_number(x.type)], symbols)
    if any(reads_bits_as_float(s) and not needed.isdisjoint(Step(*s).results) for s in steps):
        return []  # missing, not zero
    for bits in [y for y in number if not may_carry(y.type)]:
        del number[bits]  # integers: no path continues there
    reached = [op for op in block.operations if not needed.isdisjoint(op.results)]
    found = [
        _finding(op, why, number, steps) for op in reached if (why := _why_it_ends(op, number))
    ]
    if found:
        return found
    place = place_of(block.owner.operation)
    if x not in needed:
        return [Finding("", place, "no result depends on it", ())]
    return [Finding("", place, "the derivative of every op that uses it is zero", ())]


def _why_it_ends(op: Any, number: dict[ir.Value, int]) -> str:
    """Why no path of derivatives goes on behind an op; empty if one does, or none reaches it."""
    if not any(x in number for x in operands_of(op)):
        return ""
    zero = getattr(op, "zero_derivative_reason", "")
    if zero:
        return f"its derivative is zero: {zero}"
    if not any(y in number for y in op.results):
        types = ", ".join(str(y.type) for y in op.results)
        return f"its derivative is zero: its results are {types}"
    return ""


def _finding(op: Any, why: str, number: dict[ir.Value, int], steps: Sequence[PlainStep]) -> Finding:
    operands = operands_of(op)
    ids = tuple(number.get(x) for x in operands)
    step = type(op), op.operation, operands, ids, (), ()
    return Finding(op.operation.name, place_of(op.operation), why, path_to(step, steps, 1))
