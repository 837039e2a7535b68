"""`linear_transpose`: the transpose of a linear function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.promote import abstract, constant
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracing import Program
from anvl.dispatch.nested_calls import call_function
from anvl.runtime import hiding_frames
from anvl.transforms.declare import (
    Position,
    check_callable,
    closed_over,
    declare_linear_transpose,
    has_derivative,
    numbered,
    run,
)
from anvl.transforms.jvp import directions_of, operand_of

__all__ = ["linear_transpose"]

_NAME = "linear_transpose"


@hiding_frames
def linear_transpose(f: Callable[..., Any], *example_args: Any) -> Callable[[Any], Any]:
    """Transpose a linear function: map cotangents of its result to those of its arguments.

    For f = x -> A x it is g -> A^T g.  A constant added by f is ignored.  f is traced at once, and
    not run.

    Parameters
    ----------
    f : callable
    *example_args
        The positional arguments of f, arrays or avals: only structure, dtypes and shapes matter.

    Returns
    -------
    A function of one argument, a cotangent of the structure, dtypes and shapes of the result of f
    (None for non-floats), that returns a tuple with an entry for each argument, of its structure.

    Raises
    ------
    TypeError
        Arguments or results hold no floats; from the function, a cotangent of another dtype or
        shape.
    ValueError
        From the function: a cotangent of another structure.
    PassError
        When it is compiled: f is not linear; the op whose derivative depends on an argument is
        named.

    Notes
    -----
    Source: the transposition of A. Radul et al., You Only Linearize Once (POPL 2023), section 4.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> back = anvl.linear_transpose(lambda x: 3 * x[::-1], anvl.aval("f32", (2,)))
    >>> print(*back(np.asarray([1.0, 2.0], "f32")))
    [6. 3.]
    """
    check_callable(_NAME, f)
    arguments = StaticArguments(f, None).split(*wrap_plain_leaves((example_args, {})))
    paths = input_names(f, arguments)
    avals = [
        x if isinstance(x, Aval) else abstract(x, f"{_NAME}: {path} of {name_of(f)}")
        for x, path in zip(arguments.leaves, paths, strict=True)
    ]
    for of, path in zip(avals, paths, strict=True):
        _check_float(f, of, path, "let the function close over it")
    transpose = _Transpose(f, arguments._replace(leaves=avals), paths)

    def in_trace(cotangents: list[Any]) -> Any:
        return transpose.emit(cotangents)

    in_trace.__name__ = name_of(f)

    @hiding_frames
    def transposed(cotangent: Any) -> Any:
        return run(in_trace, (transpose.matched(cotangent),), {})

    return transposed


def _check_float(f: Callable[..., Any], of: Aval, path: str, remedy: str) -> None:
    if not has_derivative(of):
        raise TypeError(
            f"{_NAME}: {path} of {name_of(f)} is {of}; only floats have a transpose: {remedy}"
        )


class _Transpose:
    """A traced linear function, and its transpose in the traces that call it."""

    def __init__(self, f: Callable[..., Any], arguments: Arguments, paths: list[str]) -> None:
        self.f = f
        self.arguments = arguments
        self.paths = paths
        self.nested = self._traced(Program() if current.trace is None else current.trace.program)
        self.out_paths = tree.leaf_paths(self.nested.out_tree, "result")
        for of, path in zip(self.nested.out_avals, self.out_paths, strict=True):
            _check_float(f, of, path, "return it from another function, or cast it")

    def _traced(self, program: Program) -> Traced:
        static = StaticArguments(self.f, None)
        return trace_call(self.f, static, self.arguments, program, self.paths)

    def matched(self, cotangent: Any) -> list[Any]:
        """Cotangents of the leaves of the result, or None."""
        outs = self.nested.out_avals
        result = tree.unflatten(self.nested.out_tree, outs)
        given = "cotangent", cotangent
        return directions_of(_NAME, given, result, self.out_paths, outs, name_of(self.f))

    def emit(self, cotangents: list[Any]) -> Any:
        """Cotangents of the arguments, in their structure."""
        trace = current.trace
        assert trace is not None
        if self.nested.program is not trace.program:
            self.nested = self._traced(trace.program)
        nested, avals = self.nested, self.arguments.leaves
        outer = closed_over(nested)
        wrt = range(len(avals))
        inputs = [*avals, *(x.aval for x in outer)]
        name = declare_linear_transpose(trace, nested, inputs, wrt)
        seeds = [
            constant(0, of.dtype, of.shape) if g is None else operand_of(g, of)
            for g, of in zip(cotangents, nested.out_avals, strict=True)
        ]
        found = call_function(trace, name, [*outer, *seeds], avals)
        args, _ = numbered(self.arguments)
        return tree.map(lambda i: found[i] if isinstance(i, Position) else None, args)
