"""`linearize`: evaluate a function, and return its derivative there as a linear function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.argument_arrays import arrays_of, is_open
from anvl.core.arguments import (
    Arguments,
    StaticArguments,
    input_names,
    name_of,
    wrap_non_arrays,
    wrap_plain_leaves,
)
from anvl.core.key_uses import quiet
from anvl.core.promote import abstract
from anvl.core.trace_state import current
from anvl.core.traced import Traced
from anvl.dialect.core.errors import MissingRule
from anvl.dispatch.nested_calls import call_in_trace
from anvl.passes.forward import Forward
from anvl.runtime import hiding_frames
from anvl.transforms.aux_results import check_has_aux, with_constant_aux
from anvl.transforms.declare import check_callable, float_positions, run
from anvl.transforms.jvp import directions_of, push_forward
from anvl.transforms.residuals import APART, Halves, Late, Plan, halves

__all__ = ["linearize"]


@spelled()
def linearize(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Evaluate f, and return its directional derivative at this point as a linear function.

    Equivalent to `jvp` for many directions; the part that does not depend on them is computed once.
    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 3.1.

    Parameters
    ----------
    f : callable
    *primals
        The positional arguments of f.
    has_aux : bool
        Whether f returns a pair `(result, aux)`, of which aux has no derivative.

    Returns
    -------
    A pair `(result, f_jvp)`.  `f_jvp(*tangents)` takes, for each argument, a tangent of its
    structure, dtypes and shapes, with None for a zero direction (integers need it); it returns the
    tangent of the result, in its structure, with None for non-floats.  With `has_aux`,
    `(result, f_jvp, aux)`.

    Raises
    ------
    TypeError
        From `f_jvp`: a tangent of another dtype or shape than its primal, or of an array without a
        derivative.
    ValueError
        From `f_jvp`: the structures differ.  Messages name the paths.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> value, slope = anvl.linearize(lambda x, y: np.sin(x) * y, 0.0, 3.0)
    >>> print(value, slope(2.0, None), slope(1.0, 5.0))
    0.0 6.0 3.0
    """
    check_callable("linearize", f)
    check_has_aux("linearize", has_aux)
    if has_aux:
        (result, aux), f_jvp = _linearize(with_constant_aux(f, "linearize"), *primals)
        return result, hiding_frames(lambda *tangents: f_jvp(*tangents)[0]), aux
    return _linearize(f, *primals)


def _linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    arguments = StaticArguments(f, None).split(*wrap_plain_leaves((primals, {})))
    if current.trace is not None:
        result = call_in_trace(f, f, StaticArguments(f, None), current.trace, arguments)
        done = None
    else:
        # At once: users may write to their NumPy arrays before `f_jvp` is called.
        is_anywhere = is_open(arguments)
        arguments = arguments._replace(leaves=arrays_of(arguments, f))
        done = _halved(f, arguments, is_anywhere)
        result = _called(f, arguments) if done is None else done.result
    structure = tree.structure(wrap_non_arrays(result))
    paths = input_names(f, arguments)
    avals = [abstract(x, path) for x, path in zip(arguments.leaves, paths, strict=True)]

    @hiding_frames
    def f_jvp(*tangents: Any) -> Any:
        given = directions_of(
            "linearize", ("tangent", tangents), tuple(primals), paths, avals, name_of(f)
        )
        if done is None or current.trace is not None:
            with quiet():  # the keys that f draws with are noted
                return _tangent_of_call(f, arguments, given)
        moved = dict(zip(done.plan.of, done.run(given), strict=True))
        return tree.unflatten(structure, [moved.get(i) for i in range(structure.num_leaves)])

    return result, f_jvp


def _halved(f: Callable[..., Any], arguments: Arguments, is_anywhere: bool) -> Halves | None:
    try:
        return halves(f, arguments, is_anywhere, _plan)
    except MissingRule:  # perhaps of an argument that never has a tangent
        return None


def _plan(traced: Traced) -> Plan | None:
    """The forward sweep, from all float arguments to all float results."""
    wrt, targets = float_positions(traced.in_avals), float_positions(traced.out_avals)
    if not (wrt and targets):
        return None
    splitting = Forward("main", wrt, split=True, suffix=APART)
    tangents = Late(wrt, [f"the tangent of {name}" for name in traced.names], traced.in_avals)
    return Plan(splitting, ("_primal", "_linear"), tangents, targets, traced.out_avals)


def _called(f: Callable[..., Any], arguments: Arguments) -> Any:
    """The result of f, compiled and run."""

    def in_trace(leaves: list[Any]) -> Any:
        args, _ = StaticArguments(f, None).join(arguments._replace(leaves=leaves))
        return f(*args)

    in_trace.__name__ = name_of(f)
    return run(in_trace, (arguments.leaves,), {})


def _tangent_of_call(f: Callable[..., Any], arguments: Arguments, given: list[Any]) -> Any:
    """The tangent of the result, in one program with f."""
    chosen = [i for i, t in enumerate(given) if t is not None]

    def in_trace(leaves: list[Any], moving: list[Any]) -> Any:
        return push_forward(f, arguments._replace(leaves=leaves), chosen, moving, again=True)[1]

    in_trace.__name__ = name_of(f)
    return run(in_trace, (arguments.leaves, [given[i] for i in chosen]), {})
