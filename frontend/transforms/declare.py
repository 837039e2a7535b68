"""Declared transformations: the common part of `grad`, `vjp`, `jvp` and `vmap`.

Inside a trace, the function becomes a `func.func` of the program, its transformation a declaration
with an attribute such as `anvl.vjp`, and the result a call of it; a pass writes the body later.
Outside of any trace, the same is traced, compiled and run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from anvl import tree
from anvl.core.arguments import Arguments, name_of, parameters_of, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.trace_state import current
from anvl.core.traced import Traced
from anvl.core.tracer import Tracer
from anvl.core.tracing import Trace
from anvl.dialect.core.attributes import IMPLICIT, JET, JVP, LINEAR_TRANSPOSE, VJP, VMAP
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import TraceError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Int, Ints, Texts
from anvl.dialect.core.types import element_type, kind
from anvl.dispatch.jit import evaluate
from anvl.runtime import explain_error

__all__ = [
    "Position", "argument_name", "argument_of", "check_callable", "closed_over", "declare_jet",
    "declare_jvp", "declare_linear_transpose", "declare_vjp", "declare_vmap", "float_positions",
    "has_derivative", "numbered", "run", "runnable",
]  # fmt: skip


def check_callable(transform: str, f: Any) -> None:
    """Refuse a value that is not callable."""
    if not callable(f):
        raise TypeError(f"{transform}: takes a function, got {f!r} of type {type(f).__name__}")


def has_derivative(of: Aval) -> bool:
    """Whether arrays of this dtype have a derivative."""
    return kind(element_type(of.dtype)) in ("float", "complex")


def float_positions(avals: Sequence[Aval]) -> tuple[int, ...]:
    """Positions of the avals that have a derivative."""
    return tuple(i for i, of in enumerate(avals) if has_derivative(of))


def runnable(
    f: Callable[..., Any],
    in_trace: Callable[..., Any],
    doc: str,
    outside: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Make `in_trace`, a transformation of f that emits ops, callable outside of a trace, too.

    There `outside` is called instead, if given; it returns an array, or a pytree of arrays.
    """
    compiled = outside or in_trace
    # The argument names in messages come from f also when this is traced.
    compiled.__wrapped__ = f  # type: ignore[attr-defined]
    compiled.__name__ = name_of(f)

    @functools.wraps(f)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(in_trace if current.trace is not None else compiled, args, kwargs)
        except Exception as error:
            explain_error(error, f)
            raise

    transformed.__doc__ = doc
    return transformed


def run(in_trace: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Emit into the current trace; without one, trace, compile and run."""
    if current.trace is not None:
        return in_trace(*args, **kwargs)
    try:
        return evaluate(in_trace, *wrap_plain_leaves((args, kwargs)))
    except _MAYBE_KNOWN as error:
        # Integers are arguments, so that another value needs no other program; but one that Python
        # needs, such as the bound of a range, is a part of the program.
        if not any(type(x) is int for x in tree.leaves((args, kwargs))):
            raise
        first = error
    try:
        return evaluate(in_trace, *wrap_plain_leaves((args, kwargs), integers=True))
    except _MAYBE_KNOWN:
        if isinstance(first, TraceError | OverflowError):
            raise  # beyond the need for the integers, there is another error
        raise first from None


_MAYBE_KNOWN = (TraceError, TypeError, ValueError, OverflowError)


class Position(int):
    """The position of a leaf, as a type distinct from numeric arguments."""


def numbered(arguments: Arguments) -> Any:
    """Args and kwargs of a call with each leaf replaced by its position."""
    return tree.unflatten(arguments.treedef, map(Position, range(len(arguments.leaves))))


# -- arguments by name -----------------------------------------------------------------------------


def argument_of(
    f: Callable[..., Any],
    transform: str,
    which: int | str,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    """The argument of a call of f that `which` names."""
    if isinstance(which, int) and which < len(args):
        return args[which]
    name = which if isinstance(which, str) else _name_at(f, which)
    if name in kwargs:
        return kwargs[name]
    raise ValueError(
        f"{transform}: argument {name if name is not None else which!r} of {name_of(f)} is in wrt "
        f"but was not passed; it has {len(args)} positional arguments and "
        f"{', '.join(kwargs) or 'no keywords'}"
    )


def argument_name(f: Callable[..., Any], which: int | str) -> str:
    """Name of an argument for messages."""
    name = which if isinstance(which, str) else _name_at(f, which)
    return f"arg{which}" if name is None else name


def _name_at(f: Callable[..., Any], position: int) -> str | None:
    known = parameters_of(f).known.items()
    return next((name for name, at in known if at == position), None)


# -- declarations ----------------------------------------------------------------------------------


def closed_over(nested: Traced) -> list[Tracer]:
    """Captured values of a traced function: tracers of the surrounding traces."""
    return [x for x, _ in nested.trace.closed_over.values()]


def declare_vjp(
    trace: Trace,
    nested: Traced,
    avals: Sequence[Aval],
    wrt: Sequence[int],
    targets: Sequence[int],
    tags: Mapping[str, Aval] = MappingProxyType({}),
) -> str:
    """Declare the reverse-mode derivative of a traced function on these avals; returns its name.

    It is with respect to tagged values too, after the arguments in `wrt`.
    """
    inputs, outputs = [a.type for a in avals], [y.type for y in nested.out_avals]
    request = {"wrt": Ints.encode(wrt), "targets": Ints.encode(targets)}
    if tags:
        request["tags"] = Texts.encode(list(tags))
    takes = [*inputs, *(outputs[i] for i in targets)]
    adjoints = [*(inputs[i] for i in wrt), *(of.type for of in tags.values())]
    return _declare(trace, nested, VJP, request, takes, [*outputs, *adjoints])


def declare_linear_transpose(
    trace: Trace, nested: Traced, avals: Sequence[Aval], wrt: Sequence[int]
) -> str:
    """Declare the transpose of a traced linear function; returns its name."""
    inputs, outputs = [a.type for a in avals], [y.type for y in nested.out_avals]
    takes = [*(t for i, t in enumerate(inputs) if i not in wrt), *outputs]
    request = {"wrt": Ints.encode(wrt)}
    return _declare(trace, nested, LINEAR_TRANSPOSE, request, takes, [inputs[i] for i in wrt])


def declare_jvp(trace: Trace, nested: Traced, avals: Sequence[Aval], wrt: Sequence[int]) -> str:
    """Declare the forward-mode derivative of a traced function; returns its name."""
    inputs, outputs = [a.type for a in avals], [y.type for y in nested.out_avals]
    floats = [y.type for y in nested.out_avals if has_derivative(y)]
    takes = [*inputs, *(inputs[i] for i in wrt)]
    return _declare(trace, nested, JVP, {"wrt": Ints.encode(wrt)}, takes, [*outputs, *floats])


def declare_jet(
    trace: Trace,
    nested: Traced,
    avals: Sequence[Aval],
    given: Sequence[tuple[int, int]],
    order: int,
) -> str:
    """Declare the derivatives up to an order of a traced function along curves; returns its name.

    Behind the arguments come derivatives of some of them: `given` has the position and the order of
    each.
    """
    inputs, outputs = [a.type for a in avals], [y.type for y in nested.out_avals]
    floats = [y.type for y in nested.out_avals if has_derivative(y) for _ in range(order)]
    takes = [*inputs, *(inputs[i] for i, _ in given)]
    request = {
        "wrt": Ints.encode([i for i, _ in given]),
        "orders": Ints.encode([k for _, k in given]),
        "order": Int.encode(order),
    }
    return _declare(trace, nested, JET, request, takes, [*outputs, *floats])


def declare_vmap(
    trace: Trace,
    nested: Traced,
    inputs: Sequence[Aval],
    batched: Sequence[int],
    outputs: Sequence[Aval],
    results: Sequence[int],
    size: int,
    is_implicit: bool = False,
) -> str:
    """Declare the batched form of a traced function, on these avals; returns its name.

    Messages do not speak of the members of an implicit batch: a transformation makes it.
    """
    request = {
        "batched": Ints.encode(batched),
        "results": Ints.encode(results),
        "size": Int.encode(size),
    }
    if is_implicit:
        request[IMPLICIT] = ir.UnitAttr.get(context())
    types = [a.type for a in inputs], [y.type for y in outputs]
    return _declare(trace, nested, VMAP, request, *types)


def _declare(
    trace: Trace,
    nested: Traced,
    attribute: str,
    request: dict[str, ir.Attribute],
    inputs: Sequence[ir.Type],
    outputs: Sequence[ir.Type],
) -> str:
    suffix = attribute.rpartition(".")[2]
    name = trace.program.fresh_name(f"{nested.trace.name}_{suffix}")
    callee = ir.FlatSymbolRefAttr.get(nested.trace.name, context())
    ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name, context()),
            "sym_visibility": ir.StringAttr.get("private", context()),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs, context())),
            attribute: ir.DictAttr.get({"callee": callee, **request}, context()),
        },
        regions=1,
        ip=ir.InsertionPoint(trace.program.module.body),
        loc=nested.trace.function.location,
    )
    return name
