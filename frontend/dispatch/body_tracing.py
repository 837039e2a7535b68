"""Bodies of ops, such as the combiner of `reduce`: user-defined functions of scalars.

A body is traced like any function, in a program of its own, and its ops are copied into the op.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from anvl.core.arguments import name_of
from anvl.core.avals import aval_of_type
from anvl.core.importing import load_module
from anvl.core.locations import describe
from anvl.core.promote import abstract, as_tracer, constant
from anvl.core.tracer import Tracer
from anvl.core.tracing import Program, Trace, trace_function
from anvl.dialect.control_flow.case import CHOICES
from anvl.dialect.core.errors import TraceError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.interpreters.subprogram import Program as Scratch
from anvl.passes.effects.functionalize import effect_ops
from anvl.passes.framework.walk import find

__all__ = ["with_bodies"]


def with_bodies(op_class: type[AnvlOp], params: dict[str, Any]) -> dict[str, Any]:
    """Parameters of an op, with Python bodies replaced by functions of MLIR values."""
    return {
        name: _body(f"{op_class.short_name}: {name}", value) if name in op_class.bodies else value
        for name, value in params.items()
    }


def _body(name: str, f: Any) -> Callable[..., list[Value]]:
    """Wrap f, a function of tracers, as a function that emits its ops."""
    if not callable(f):
        raise TypeError(f"{name} is {f!r} of type {type(f).__name__}; it must be a function")

    @functools.wraps(f)  # callers count the parameters of f
    def emit_ops(*values: Value) -> list[Value]:
        program = Program()
        avals = [aval_of_type(v.type) for v in values]
        names = [f"x{i}" for i in range(len(values))]
        trace, _ = trace_function(
            lambda xs: _listed(name, f(*xs), xs[0]), name_of(f), avals, names, program
        )
        _check_closed(name, f, trace)
        _check_pure(name, f, program)
        return _inlined(program, trace)(*values)

    return emit_ops


def _listed(name: str, result: Any, first: Tracer) -> Sequence[Any]:
    """List the results; numbers take the dtype of the first argument, as they would beside it."""
    results = result if isinstance(result, list | tuple) else [result]
    return [
        constant(y, first.dtype) if type(y) in (int, float) else as_tracer(y, name) for y in results
    ]


def _check_closed(name: str, f: Any, trace: Trace) -> None:
    """Refuse captures: a body has no operands but its own, and no derivative with respect to
    others."""
    for outer, _ in trace.closed_over.values():
        raise TraceError(
            f"{name} {name_of(f)} closes over a traced value {outer.aval} from "
            f"{describe(outer.location)}; pass it as one more operand, broadcast to their shape"
        )
    for array in trace.program.captured:
        of = abstract(array)
        raise TraceError(
            f"{name} {name_of(f)} closes over an array {of}; use a Python number, or pass it as "
            "one more operand, broadcast to their shape"
        )


def _check_pure(name: str, f: Any, program: Program) -> None:
    """Refuse effects: a body runs any number of times, in any order, and returns values alone."""
    for op in effect_ops(program.module.operation):
        raise TraceError(
            f"{name} {name_of(f)} has an effect, {op.name} at {describe(op.location)}; a body of "
            "an op returns values alone: check its operands or its results"
        )


def _inlined(program: Program, trace: Trace) -> Scratch:
    """Inline the calls, and the derivatives, of a traced body."""
    module = program.module
    if len(list(module.body.operations)) > 1 or find(module.operation, *CHOICES):
        del trace.function.attributes["sym_visibility"]  # the inliner drops private functions
        # The passes are imported for such bodies alone: they are two thirds of importing `anvl.nn`.
        of_jit = load_module("anvl.passes.pipelines.jit_pipeline")
        pipeline = load_module("anvl.passes.framework.pipeline").Pipeline
        pipeline([*of_jit.transformations(select=True, blocks=False), "anvl-inline"]).run(module)
    function = ir.SymbolTable(module.operation)[trace.name]
    block = function.regions[0].blocks[0]
    terminator = list(block.operations)[-1].operation
    return Scratch(block, list(terminator.operands), module)
