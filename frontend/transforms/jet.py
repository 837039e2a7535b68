"""`jet`: Taylor mode, the derivatives of all orders along a curve at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.promote import abstract
from anvl.core.trace_state import current
from anvl.core.traced import Traced, known_numbers, trace_call
from anvl.dispatch.nested_calls import call_function
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, closed_over, declare_jet, has_derivative, run
from anvl.transforms.jvp import directions_of, operand_of

__all__ = ["jet"]


@hiding_frames
def jet(f: Callable[..., Any], primals: Sequence[Any], series: Sequence[Any]) -> tuple[Any, Any]:
    """Evaluate f and its derivatives along a curve, up to an order n: Taylor mode.

    The arguments are curves x(t), given by x and its derivatives x', x'', ... in t at 0; the result
    is y(t) = f(x(t)), by y and its derivatives.  The cost grows by n^2, not by 2^n as that of n
    nested derivatives.

    Parameters
    ----------
    f : callable
    primals : tuple
        The positional arguments of f.
    series : tuple
        For each argument a list of its derivatives along the curve, from the first on, equally many
        for all: each of the structure, dtypes and shapes of the argument, or None for zero.  None
        in place of a list is for an argument that does not move; integers need it.

    Returns
    -------
    A pair `(result, series)`: series is a list of the derivatives of the result, each of its
    structure, with None for non-floats.

    Raises
    ------
    TypeError
        A derivative of another dtype or shape than its primal.
    ValueError
        The lists differ in length or are all None, or the structures differ.
    MissingRule
        An op has no derivative of such an order.

    Notes
    -----
    As `jax.experimental.jet.jet`: series have derivatives, not Taylor coefficients.  Source: A.
    Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), chapter 13.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> value, slopes = anvl.jet(lambda x: x**3, (2.0,), ([1.0, 0.0, 0.0],))
    >>> print(value, *slopes)
    8.0 12.0 12.0 6.0
    """
    order = _order(f, primals, series)
    arguments = StaticArguments(f, None).split(*wrap_plain_leaves((tuple(primals), {})))
    given, moving = _derivatives(f, tuple(primals), series, arguments)

    def in_trace(leaves: list[Any], moving: list[Any]) -> Any:
        return _emit(f, arguments._replace(leaves=leaves), given, moving, order)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (arguments.leaves, moving), {})


def _derivatives(
    f: Callable[..., Any], primals: tuple[Any, ...], series: Sequence[Any], arguments: Arguments
) -> tuple[list[tuple[int, int]], list[Any]]:
    """The derivatives that are not zero: the leaf and the order of each, and the derivatives."""
    paths = input_names(f, arguments)
    avals = [abstract(x, p) for x, p in zip(arguments.leaves, paths, strict=True)]
    given, moving = [], []
    for k in range(max(len(s) for s in series if s is not None)):
        of_order = tuple(None if s is None else s[k] for s in series)
        along = ("derivative", of_order)
        found = directions_of("jet", along, primals, paths, avals, name_of(f))
        for i, t in enumerate(found):
            if not _is_zero(t):
                given.append((i, k + 1))
                moving.append(t)
    return given, moving


def _order(f: Callable[..., Any], primals: Sequence[Any], series: Sequence[Any]) -> int:
    """The number of derivatives that the lists have; refuses what is no list of them."""
    check_callable("jet", f)
    for what, given in (("primals", primals), ("series", series)):
        if not isinstance(given, list | tuple):
            raise TypeError(
                f"jet: {what} are {given!r} of type {type(given).__name__}; give a tuple, with one "
                f"entry for each argument of {name_of(f)}"
            )
    if len(series) != len(primals):
        raise ValueError(
            f"jet: series has {len(series)} entries for {len(primals)} arguments of {name_of(f)}; "
            "give a list of derivatives, or None, for each"
        )
    for s in series:
        if s is not None and not isinstance(s, list | tuple):
            raise TypeError(
                f"jet: series has {s!r} of type {type(s).__name__} for an argument of {name_of(f)};"
                " give a list of its derivatives along the curve, or None"
            )
    counts = {len(s) for s in series if s is not None}
    if len(counts) != 1 or 0 in counts:
        found = ", ".join(map(str, sorted(counts))) or "no"
        raise ValueError(
            f"jet: series of {name_of(f)} have {found} derivatives; give equally many, at least "
            "one, for each argument that moves"
        )
    return counts.pop()


def _is_zero(t: Any) -> bool:
    """Whether a derivative is known to be zero: such a one is no argument."""
    return t is None or (isinstance(t, int | float | np.ndarray) and not np.any(t))


def _emit(
    f: Callable[..., Any],
    arguments: Arguments,
    given: Sequence[tuple[int, int]],
    moving: Sequence[Any],
    order: int,
) -> tuple[Any, list[Any]]:
    """Emit a call of the Taylor mode of f; returns the result and its derivatives."""
    trace = current.trace
    assert trace is not None
    paths = input_names(f, arguments)
    avals = [abstract(x, path) for x, path in zip(arguments.leaves, paths, strict=True)]
    abstracted = arguments._replace(leaves=avals)
    known = known_numbers(arguments.leaves, [i for i, _ in given])
    with trace.program.differentiating():
        nested = trace_call(f, StaticArguments(f, None), abstracted, trace.program, paths, known)
    outer, outs = closed_over(nested), nested.out_avals
    name = declare_jet(trace, nested, [*avals, *(x.aval for x in outer)], given, order)
    derivatives = [operand_of(t, avals[i]) for (i, _), t in zip(given, moving, strict=True)]
    floats = [y for y in outs if has_derivative(y)]
    types = [*outs, *(y for y in floats for _ in range(order))]
    found = call_function(trace, name, [*arguments.leaves, *outer, *derivatives], types)
    values, rest = found[: len(outs)], found[len(outs) :]
    value = tree.unflatten(nested.out_tree, values)
    return value, [_of_order(nested, rest, k, order) for k in range(order)]


def _of_order(nested: Traced, derivatives: Sequence[Any], k: int, order: int) -> Any:
    """The derivatives of order k + 1, of all that there are, in the structure of the result."""
    remaining = iter(derivatives[k::order])
    leaves = [next(remaining) if has_derivative(y) else None for y in nested.out_avals]
    return tree.unflatten(nested.out_tree, leaves)
