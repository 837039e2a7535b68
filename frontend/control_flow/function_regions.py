"""Regions of control flow: functions traced into the program under construction.

They become regions of an op, which read captured values in place.  The step of a scan stays a
function: it takes its own arguments first, then the captured values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, input_names, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.key_uses import pass_on_uses_of_branches, pass_on_uses_of_steps
from anvl.core.locations import here
from anvl.core.promote import abstract, as_tracer, convert
from anvl.core.ranges import pass_on_of_branches, pass_on_of_steps
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracer import Tracer
from anvl.core.tracing import Trace, trace_function
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dispatch.nested_calls import call_function
from anvl.passes.functions.inlining import dissolve
from anvl.passes.functions.symbol_utils import calls_of, terminator_of
from anvl.runtime import Array
from anvl.transforms.declare import has_derivative

__all__ = [
    "aligned", "common_result", "declare_control", "emit_choice", "emit_while", "known_scalar",
    "length_of", "outer_values", "result_avals", "traced_with",
]  # fmt: skip


def known_scalar(x: Any) -> Any:
    """x as a NumPy scalar if it is a scalar known at trace time; else x itself.

    Within a trace that is any concrete array: it is read once, like every captured array.
    """
    if isinstance(x, np.ndarray) or (isinstance(x, Array) and current.trace is not None):
        return np.asarray(x)[()] if not x.shape else x
    return x


def traced_with(f: Callable[..., Any], args: tuple[Any, ...], names: Sequence[str] = ()) -> Traced:
    """Trace f in the current program for arguments that are pytrees of avals and plain values.

    `names` name the arguments in messages where the signature of f does not.
    """
    trace = current.trace
    assert trace is not None
    static = StaticArguments(f, None)
    leaves, treedef = tree.flatten((wrap_plain_leaves(args), {}))
    arguments = Arguments(leaves, treedef, ())
    paths = input_names(f, arguments) if not names else _paths(names, args)
    return trace_call(f, static, arguments, trace.program, paths)


def _paths(names: Sequence[str], args: tuple[Any, ...]) -> list[str]:
    plain = wrap_plain_leaves(args)
    pairs = zip(names, plain, strict=True)
    return [path for name, x in pairs for path in tree.leaf_paths(tree.structure(x), name)]


def length_of(role: str, xs: Any, length: int | None = None) -> int:
    """Common size of the leading axes of the arrays in `xs`; equals `length` if that is given.

    Raises `ValueError` naming `role`, the paths of the arrays and their sizes.
    """
    leaves, treedef = tree.flatten(wrap_plain_leaves(xs))
    sizes = {}
    for path, x in zip(tree.leaf_paths(treedef, "xs"), leaves, strict=True):
        of = abstract(x, f"{role}: {path}")
        if not of.shape:
            raise ValueError(f"{role}: {path} is {of}, which has no leading axis to iterate over")
        sizes[path] = of.shape[0]
    if length is not None:
        if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 0:
            raise ValueError(f"{role}: length is {length!r}; it must be an integer of at least 0")
        if length >= 2**31:
            raise ValueError(f"{role}: length is {length}, which exceeds the range of i32")
        sizes["length"] = int(length)
    if not sizes:
        raise ValueError(
            f"{role}: xs holds no arrays and no length is given; give the number of steps as length"
        )
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{path} is {n}" for path, n in sizes.items())
        raise ValueError(f"{role}: the lengths differ: {listed}")
    return next(iter(sizes.values()))


def outer_values(functions: Sequence[Traced]) -> list[Tracer]:
    """Values that any of the functions captures, each once."""
    found = {id(x): x for f in functions for x, _ in f.trace.closed_over.values()}
    return list(found.values())


def aligned(f: Traced, outer: Sequence[Tracer], results: Sequence[Aval]) -> str:
    """Name of a function equivalent to f that takes all of `outer` and returns these avals."""
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
    """Emit `if` or `case` with these functions as regions, applied to these operands."""
    trace = current.trace
    assert trace is not None
    location = here()
    value = trace.tracer_of(choice).value
    values = [trace.tracer_of(x).value for x in operands]
    made = [_returning(f, results) for f in branches]
    # `if` has the region of true first.
    order = made[::-1] if name == "stablehlo.if" else made
    names = [of_one.name for of_one in order]
    pass_on_of_branches(trace, names, value, values)
    pass_on_uses_of_branches(trace, names, values)
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
    """Emit `while` with these functions as regions, over carries of these avals."""
    trace = current.trace
    assert trace is not None
    location = here()
    values = [trace.tracer_of(x).value for x in operands]
    made = [_returning(cond, cond.out_avals), _returning(body, carry)]
    names = [of_one.name for of_one in made]
    pass_on_of_steps(trace, names)
    pass_on_uses_of_steps(trace, names)
    types = [of.type for of in carry]
    op = ir.Operation.create("stablehlo.while", types, values, attributes, regions=2, loc=location)
    for region, of_one in zip(op.regions, made, strict=True):
        _move_into(region, of_one)
    return [Tracer(y, a, trace, location) for y, a in zip(op.results, results, strict=True)]


def _returning(f: Traced, results: Sequence[Aval]) -> Trace:
    """Trace a function equivalent to f that returns these avals."""
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
    """Move the body of a traced function into a region of the current trace, erasing the function.

    Inputs given as `operands` get no block argument.  The region reads captured values in place.
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
    """Append all of `outer` to the arguments of a traced function that has no calls yet."""
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
    """Avals and structure of the results of several functions, which must agree.

    A weak number takes the dtype of the array that another function returns in its place.
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
            common = _common_aval(a, b)
            if common is None:
                raise TypeError(f"{role}: {paths[i]} is {a} of {first}, but {b} of {name}; {hint}")
            avals[i] = common
    return avals, one.out_tree


def _common_aval(a: Aval, b: Aval) -> Aval | None:
    """The common aval of a and b: a weak number yields to an array of its shape; None if none."""
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


def result_avals(avals: Sequence[Aval]) -> list[Aval]:
    """Avals of the results of a loop: its integers are no longer weak.

    See Note [Ranges of weak arguments] in `frontend/core/ranges.py`.
    """
    return [of if has_derivative(of) else of.strong() for of in avals]
