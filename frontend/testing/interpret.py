"""Bodies of ops as functions of NumPy scalars, by the references of their ops."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["interpreted"]


def interpreted(
    body: Any, types: Sequence[Any], references: Mapping[str, Callable[..., Any]]
) -> Callable[..., list[Any]]:
    """A body as a function of NumPy scalars, which gives the list of its results."""

    def emit_ops(*xs: ir.Value) -> list[ir.Value]:
        ys = body(*xs)
        return list(ys) if isinstance(ys, list | tuple) else [ys]

    with context(), ir.Location.unknown():
        program = Program.of(emit_ops, types)

    def f(*xs: Any) -> list[Any]:
        values = dict(zip(program.arguments, xs, strict=True))
        for op in program.block.operations:
            rules: Any = type(op)
            operands = [np.asarray(values[x]) for x in op.operands]
            y = references[rules.short_name](*operands, **rules.read(op.operation))
            values.update(zip(op.results, y if rules.multiple_results else [y], strict=True))
        return [values[y] for y in program.results]

    return f
