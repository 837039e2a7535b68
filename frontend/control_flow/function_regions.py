"""What control flow is made of: functions that are traced into the program.

They become regions of an op, which read what they close over where it is.  The step of a scan
stays a function, which takes what is given to it, and then what it closes over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, input_names, plain_aside
from anvl.core.avals import Aval
from anvl.core.locations import here
from anvl.core.promote import abstract, as_tracer, convert
from anvl.core.ranges import pass_on_of_branches, pass_on_of_steps
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracer import Tracer
from anvl.core.tracing import Trace, trace_function
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dispatch.jit import call_function
from anvl.passes.functions.inlining import dissolve
from anvl.passes.functions.symbol_utils import calls_of, terminator_of
from anvl.runtime import Array

__all__ = [
    "aligned", "common_result", "declare_control", "emit_choice", "emit_while", "known_scalar",
    "length_of", "outer_values", "traced_with",
]  # fmt: skip


def known_scalar(x: Any) -> Any:
    """A scalar that is known when a trace begins, as one of NumPy's; x itself where it is not.

    In a trace that is any array that is not traced: it is read once, as all that is closed over.
    """
    if isinstance(x, np.ndarray) or (isinstance(x, Array) and current.trace is not None):
        return np.asarray(x)[()] if not x.shape else x
    return x


def traced_with(f: Callable[..., Any], args: tuple[Any, ...], names: Sequence[str] = ()) -> Traced:
    """f, traced in the current program for arguments that are trees of avals and plain values.

    `names` are those of the arguments for messages, where f does not say.
    """
    trace = current.trace
    assert trace is not None
    static = StaticArguments(f, None)
    leaves, treedef = tree.flatten((plain_aside(args), {}))
    arguments = Arguments(leaves, treedef, ())
    paths = input_names(f, arguments) if not names else _paths(names, args)
    return trace_call(f, static, arguments, trace.program, paths)


def _paths(names: Sequence[str], args: tuple[Any, ...]) -> list[str]:
    plain = plain_aside(args)
    pairs = zip(names, plain, strict=True)
    return [path for name, x in pairs for path in tree.leaf_paths(tree.structure(x), name)]


def length_of(role: str, xs: Any, length: int | None = None) -> int:
    """The size of the first axes of arrays, of which all are the same, and `length` if it is given.

    Raises `ValueError` that names `role`, the paths of the arrays and their sizes.
    """
    leaves, treedef = tree.flatten(plain_aside(xs))
    sizes = {}
    for path, x in zip(tree.leaf_paths(treedef, "xs"), leaves, strict=True):
        of = abstract(x, f"{role}: {path}")
        if not of.shape:
            raise ValueError(f"{role}: {path} is {of}, which has no axis to go along")
        sizes[path] = of.shape[0]
    if length is not None:
        if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 0:
            raise ValueError(f"{role}: length is {length!r}; it must be an integer of at least 0")
        if length >= 2**31:
            raise ValueError(f"{role}: length is {length}, more than an i32 counts")
        sizes["length"] = int(length)
    if not sizes:
        raise ValueError(
            f"{role}: there are no arrays in xs and no length, so nothing says how many steps"
        )
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{path} is {n}" for path, n in sizes.items())
        raise ValueError(f"{role}: the lengths differ: {listed}")
    return next(iter(sizes.values()))


def outer_values(functions: Sequence[Traced]) -> list[Tracer]:
    """What functions close over, each once."""
    found = {id(x): x for f in functions for x, _ in f.trace.closed_over.values()}
    return list(found.values())


def aligned(f: Traced, outer: Sequence[Tracer], results: Sequence[Aval]) -> str:
    """The name of a function that does what f does, takes all `outer`, and returns these avals."""
    trace = current.trace
    assert trace is not None
    if [of.type for of in results] == [of.type for of in f.out_avals]:
        _take_all(f, outer)
        return f.trace.name
    own = [x for x, _ in f.trace.closed_over.values()]
    count = len(f.in_avals)

    def flat(tracers: Sequence[Tracer]) -> list[Tracer]:
        inner = current.trace
        assert inner is not None
        given = {id(x): y for x, y in zip(outer, tracers[count:], strict=True)}
        operands = [*tracers[:count], *(given[id(x)] for x in own)]
        found = call_function(inner, f.trace.name, operands, f.out_avals)
        return [convert(y, of.dtype) for y, of in zip(found, results, strict=True)]

    avals = [*f.in_avals, *(x.aval for x in outer)]
    names = [*f.names, *(f"outer{i}" for i in range(len(outer)))]
    made, _ = trace_function(flat, f.trace.name, avals, names, trace.program)
    return made.name


def emit_choice(
    name: str,
    choice: Tracer,
    branches: Sequence[Traced],
    operands: Sequence[Tracer],
    results: Sequence[Aval],
    attributes: dict[str, ir.Attribute],
) -> list[Tracer]:
    """Emit `if` or `case`, whose regions do what these functions do, of these operands."""
    trace = current.trace
    assert trace is not None
    location = here()
    value = trace.tracer_of(choice).value
    values = [trace.tracer_of(x).value for x in operands]
    made = [_returning(f, results) for f in branches]
    # Of `if`, the region of true comes first.
    order = made[::-1] if name == "stablehlo.if" else made
    pass_on_of_branches(trace, [of_one.name for of_one in order], value, values)
    op = ir.Operation.create(
        name,
        [y.type for y in results],
        [value],
        attributes,
        regions=len(made),
        loc=location,
    )
    for region, of_one in zip(op.regions, made, strict=True):
        _move_into(region, of_one, values)
    return [Tracer(y, a, trace, location) for y, a in zip(op.results, results, strict=True)]


def emit_while(
    operands: Sequence[Tracer],
    cond: Traced,
    body: Traced,
    carry: Sequence[Aval],
    results: Sequence[Aval],
    attributes: dict[str, ir.Attribute],
) -> list[Tracer]:
    """Emit `while`, whose regions do what these functions do, of carries of these avals."""
    trace = current.trace
    assert trace is not None
    location = here()
    values = [trace.tracer_of(x).value for x in operands]
    made = [_returning(cond, cond.out_avals), _returning(body, carry)]
    pass_on_of_steps(trace, [of_one.name for of_one in made])
    types = [of.type for of in carry]
    op = ir.Operation.create("stablehlo.while", types, values, attributes, regions=2, loc=location)
    for region, of_one in zip(op.regions, made, strict=True):
        _move_into(region, of_one)
    return [Tracer(y, a, trace, location) for y, a in zip(op.results, results, strict=True)]


def _returning(f: Traced, results: Sequence[Aval]) -> Trace:
    """A function that does what f does, and returns these avals."""
    if [of.type for of in results] == [of.type for of in f.out_avals]:
        return f.trace

    def flat(tracers: Sequence[Tracer]) -> list[Tracer]:
        inner = current.trace
        assert inner is not None
        operands = [*tracers, *(x for x, _ in f.trace.closed_over.values())]
        found = call_function(inner, f.trace.name, operands, f.out_avals)
        return [convert(y, of.dtype) for y, of in zip(found, results, strict=True)]

    made, _ = trace_function(flat, f.trace.name, f.in_avals, f.names, f.program)
    (call,) = calls_of(made.function)
    dissolve(f.trace.function, call)
    return made


def _move_into(region: ir.Region, made: Trace, operands: Sequence[ir.Value] = ()) -> None:
    """Move what a function does into a region of the current trace.

    The region has no argument for those that are given as operands.  What the function closes over
    the region reads where it is.  The function is gone.
    """
    trace = current.trace
    assert trace is not None
    block = made.block
    outer = [trace.tracer_of(x).value for x, _ in made.closed_over.values()]
    first = made.n_inputs - len(operands)
    arguments = list(block.arguments)[first:]
    for argument, x in zip(arguments, [*operands, *outer], strict=True):
        argument.replace_all_uses_with(x)
    for i in reversed(range(first, first + len(arguments))):
        block.erase_argument(i)
    terminator = terminator_of(block)
    values = list(terminator.operands)
    ir.Operation.create(
        "stablehlo.return",
        [],
        values,
        loc=terminator.location,
        ip=ir.InsertionPoint(terminator),
    )
    terminator.erase()
    block.append_to(region)
    made.function.erase()


def _take_all(f: Traced, outer: Sequence[Tracer]) -> None:
    """Have a traced function, which nobody calls yet, take all `outer` behind its arguments."""
    own, block = f.trace.closed_over, f.trace.block
    if [*own] == [*map(id, outer)]:
        return
    first = len(f.in_avals)
    for x in outer:
        argument = block.add_argument(x.aval.type, x.location)
        if id(x) in own:
            own[id(x)][1].value.replace_all_uses_with(argument)
    for _ in own:
        block.erase_argument(first)
    inputs = [a.type for a in block.arguments]
    type_ = ir.FunctionType.get(inputs, [y.type for y in f.out_avals], context())
    f.trace.function.attributes["function_type"] = ir.TypeAttr.get(type_)


def common_result(
    role: str, functions: Sequence[tuple[str, Traced]], hint: str
) -> tuple[list[Aval], Any]:
    """The avals and the structure of what functions return, which must be the same.

    A number takes the dtype of an array that another function returns.
    """
    (first, one), *others = functions
    avals = list(one.out_avals)
    for name, other in others:
        difference = tree.structure_difference(one.out_tree, other.out_tree)
        if difference is not None:
            raise TypeError(
                f"{role}: {first} and {name} return different structures: {difference}; {hint}"
            )
        paths = tree.leaf_paths(one.out_tree, "result")
        for i, (a, b) in enumerate(zip(avals, other.out_avals, strict=True)):
            met = _met(a, b)
            if met is None:
                raise TypeError(f"{role}: {paths[i]} is {a} of {first}, but {b} of {name}; {hint}")
            avals[i] = met
    return avals, one.out_tree


def _met(a: Aval, b: Aval) -> Aval | None:
    """The aval that both can have: a number gives way to an array of its shape."""
    if a.type == b.type:
        return a if not a.weak_type else b
    if a.shape != b.shape or a.weak_type == b.weak_type:
        return None
    weak, strong = (a, b) if a.weak_type else (b, a)
    return strong if weak.level <= strong.level else None


def declare_control(
    trace: Trace,
    name: str,
    attribute: str,
    request: dict[str, ir.Attribute],
    inputs: Sequence[Aval],
    outputs: Sequence[Aval],
    operands: Sequence[Any],
) -> list[Tracer]:
    """Declare a function of control flow, and call it."""
    fresh = trace.program.fresh_name(name)
    types = [a.type for a in inputs], [y.type for y in outputs]
    ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(fresh, context()),
            "sym_visibility": ir.StringAttr.get("private", context()),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(*types, context())),
            attribute: ir.DictAttr.get(request, context()),
        },
        regions=1,
        ip=ir.InsertionPoint(trace.program.module.body),
        loc=trace.function.location,
    )
    return call_function(trace, fresh, [as_tracer(x) for x in operands], outputs)
