"""`closure_convert`: turn captured values of a function into arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.core.arguments import StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.promote import abstract, as_tracer
from anvl.core.ranges import pass_on_of_later
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.nested_calls import call_function
from anvl.runtime import hiding_frames
from anvl.transforms.declare import argument_name, check_callable, closed_over
from anvl.transforms.jvp import operand_of

__all__ = ["closure_convert"]

_NAME = "closure_convert"


@hiding_frames
def closure_convert(
    f: Callable[..., Any], *example_args: Any
) -> tuple[Callable[..., Any], list[Tracer]]:
    """Convert a function into one that takes its captured values as further arguments.

    Dependence on a traced value through a closure is hidden; as an argument it can be
    differentiated or batched like any other.  f is traced at once.  `converted` raises `TypeError`
    or `ValueError` for arguments unlike the example, and `TraceError` in the trace of another
    program.

    Parameters
    ----------
    f : callable
    *example_args
        Positional arguments of f, arrays or avals: only structure, dtypes and shapes matter.

    Returns
    -------
    A pair `(converted, consts)`: `converted(*args, *consts)` equals `f(*args)` for arguments like
    the example; `consts` are the captured tracers, none outside of a trace.  Arrays stay constants.

    Examples
    --------
    >>> import anvl
    >>> @anvl.jit
    ... def slope(a):
    ...     f, consts = anvl.closure_convert(lambda x: a * x * x, 0.0)
    ...     return anvl.grad(f, wrt=1)(3.0, *consts)
    >>> print(slope(5.0))
    9.0
    """
    check_callable(_NAME, f)
    arguments = StaticArguments(f, None).split(*wrap_plain_leaves((example_args, {})))
    paths = input_names(f, arguments)
    avals = [
        x if isinstance(x, Aval) else abstract(x, f"{_NAME}: {path} of {name_of(f)}")
        for x, path in zip(arguments.leaves, paths, strict=True)
    ]
    if current.trace is None:  # there is nothing to capture
        nested = None
    else:
        static, program = StaticArguments(f, None), current.trace.program
        nested = trace_call(f, static, arguments._replace(leaves=avals), program, paths)
    consts = [] if nested is None else closed_over(nested)
    expected = [*avals, *(x.aval for x in consts)]
    names = [*paths, *(f"consts[{i}]" for i in range(len(consts)))]

    @hiding_frames
    def converted(*args: Any) -> Any:
        n = len(example_args)
        _check_count(f, len(args), n, len(consts))
        leaves, _ = tree.flatten(wrap_plain_leaves((args[:n], {})))
        _check_structure(f, example_args, args[:n])
        given = [*leaves, *args[n:]]
        for x, of, path in zip(given, expected, names, strict=True):
            _check(f, x, of, path)
        return f(*args) if nested is None else _called(nested, given, expected)

    converted.__name__ = name_of(f)
    return converted, consts


def _check_count(f: Callable[..., Any], found: int, n_args: int, n_consts: int) -> None:
    if found != n_args + n_consts:
        raise TypeError(
            f"{_NAME}: {name_of(f)} takes {n_args + n_consts} arguments, of which {n_consts} are "
            f"captured values, got {found}; call it as converted(*args, *consts)"
        )


def _check_structure(f: Callable[..., Any], example: tuple[Any, ...], args: Any) -> None:
    for i, (wanted, found) in enumerate(zip(example, args, strict=True)):
        sides = wrap_plain_leaves(found), wrap_plain_leaves(wanted)
        difference = tree.structure_difference(*sides, root=argument_name(f, i))
        if difference is not None:
            raise ValueError(
                f"{_NAME}: the arguments of {name_of(f)} differ in structure from those of the "
                f"example: {difference}"
            )


def _check(f: Callable[..., Any], x: Any, of: Aval, path: str) -> None:
    found = abstract(x, f"{_NAME}: {path} of {name_of(f)}")
    fits = found.weak_type and found.shape == of.shape and found.level <= of.level
    if found.type != of.type and not fits:
        raise TypeError(
            f"{_NAME}: {path} of {name_of(f)} is {found}, but was {of} when it was converted; "
            "convert it again for other dtypes and shapes"
        )


def _called(nested: Traced, given: list[Any], expected: list[Aval]) -> Any:
    trace = current.trace
    if trace is None or trace.program is not nested.program:
        raise TraceError(
            f"{_NAME}: {nested.trace.name} is called in another program than it was converted in; "
            "call closure_convert where the result is used"
        )
    operands = [operand_of(x, of) for x, of in zip(given, expected, strict=True)]
    consts = closed_over(nested)
    later = zip(consts, operands[len(operands) - len(consts) :], strict=True)
    pairs = [(old.value, as_tracer(new).value) for old, new in later if new is not old]
    pass_on_of_later(trace, nested.trace.name, pairs)
    return tree.unflatten(
        nested.out_tree, call_function(trace, nested.trace.name, operands, nested.out_avals)
    )
