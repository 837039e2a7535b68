"""`jvp`: forward-mode derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.arguments import (
    Arguments,
    StaticArguments,
    input_names,
    name_of,
    wrap_non_arrays,
    wrap_plain_leaves,
)
from anvl.core.avals import Aval
from anvl.core.promote import abstract, as_tracer, constant, convert
from anvl.core.ranges import check_fits
from anvl.core.trace_state import current
from anvl.core.traced import known_numbers, trace_call
from anvl.dispatch.nested_calls import call_function
from anvl.transforms.aux_results import check_has_aux, with_constant_aux
from anvl.transforms.declare import check_callable, closed_over, declare_jvp, has_derivative, run

__all__ = ["directions_of", "jvp", "jvp_of", "operand_of", "push_forward"]


@spelled("fun primals tangents has_aux")
def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> Any:
    """Evaluate f and its directional derivative: forward mode.

    Parameters
    ----------
    f : callable
    primals : tuple
        The positional arguments of f.
    tangents : tuple
        Their directions, of the same structure, dtypes and shapes.  None, for an array or a whole
        subtree, is a zero direction; integers need it.
    has_aux : bool
        Whether f returns a pair `(result, aux)`, of which aux has no derivative.

    Returns
    -------
    A pair `(result, tangent)`; the tangent has the structure of the result, with None for
    non-floats.  With `has_aux`, `(result, tangent, aux)`.

    Raises
    ------
    TypeError
        A tangent of another dtype or shape than its primal, or of an array without a derivative.
    ValueError
        The structures differ.  Messages name the paths.

    Notes
    -----
    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 3.1.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> value, slope = anvl.jvp(lambda x, y: np.sin(x) * y, (0.0, 3.0), (2.0, None))
    >>> print(value, slope)
    0.0 6.0
    """
    check_has_aux("jvp", has_aux)
    if has_aux:
        check_callable("jvp", f)
        (result, aux), (tangent, _) = jvp_of("jvp", with_constant_aux(f, "jvp"), primals, tangents)
        return result, tangent, aux
    return jvp_of("jvp", f, primals, tangents)


def jvp_of(
    function: str, f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """`jvp`, with messages that name the public `function`."""
    check_callable(function, f)
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, list | tuple):
            raise TypeError(
                f"{function}: {what} are {given!r} of type {type(given).__name__}; give a tuple, "
                f"with one entry for each argument of {name_of(f)}"
            )
    arguments, paths, avals = _abstracted(f, tuple(primals))
    directions = directions_of(
        function, ("tangent", tuple(tangents)), tuple(primals), paths, avals, name_of(f)
    )
    chosen = [i for i, t in enumerate(directions) if t is not None]

    is_nested = current.trace is not None

    def in_trace(leaves: list[Any], moving: list[Any]) -> Any:
        found = push_forward(f, arguments._replace(leaves=leaves), chosen, moving)
        return found if is_nested else wrap_non_arrays(found)

    in_trace.__name__ = name_of(f)
    moving = [directions[i] for i in chosen]
    return run(in_trace, (arguments.leaves, moving), {})


def _abstracted(
    f: Callable[..., Any], primals: tuple[Any, ...]
) -> tuple[Arguments, list[str], list[Aval]]:
    arguments = StaticArguments(f, None).split(*wrap_plain_leaves((primals, {})))
    paths = input_names(f, arguments)
    return arguments, paths, [abstract(x, p) for x, p in zip(arguments.leaves, paths, strict=True)]


def push_forward(
    f: Callable[..., Any],
    arguments: Arguments,
    chosen: Sequence[int],
    moving: Sequence[Any],
    *,
    again: bool = False,
) -> tuple[Any, Any]:
    """Emit a call of the forward derivative of f; returns the result and its tangent.

    `moving` are the tangents of the leaves of `arguments` at the positions `chosen`.  With `again`
    f was called before.
    """
    trace = current.trace
    assert trace is not None
    paths = input_names(f, arguments)
    avals = [abstract(x, path) for x, path in zip(arguments.leaves, paths, strict=True)]
    static = StaticArguments(f, None)
    abstracted, known = arguments._replace(leaves=avals), known_numbers(arguments.leaves, chosen)
    with trace.program.differentiating():
        nested = trace_call(f, static, abstracted, trace.program, paths, known)
    outer, outs = closed_over(nested), nested.out_avals
    floats = [y for y in outs if has_derivative(y)]
    name = declare_jvp(trace, nested, [*avals, *(x.aval for x in outer)], chosen)
    tangents = [operand_of(t, avals[i]) for i, t in zip(chosen, moving, strict=True)]
    operands = [*arguments.leaves, *outer, *tangents]
    results = call_function(trace, name, operands, [*outs, *floats], again=again)
    remaining = iter(results[len(outs) :])
    moved = [next(remaining) if has_derivative(y) else None for y in outs]
    values = results[: len(outs)]
    return tree.unflatten(nested.out_tree, values), tree.unflatten(nested.out_tree, moved)


def operand_of(t: Any, of: Aval) -> Any:
    """A tangent, or cotangent, of a value of aval `of`, as an operand of the current trace."""
    if isinstance(t, int | float | complex):
        return constant(t, of.dtype)
    return convert(as_tracer(t), of.dtype)


def directions_of(
    function: str,
    given: tuple[str, Any],
    along: Any,
    paths: Sequence[str],
    avals: Sequence[Aval],
    name: str,
    converting: bool = False,
) -> list[Any]:
    """Tangents, or cotangents, of the leaves of `along`, None where there is none.

    `given` is the word for one of them, and their tree; `paths` and `avals` are of the leaves.
    With `converting`, a Python number in `along` has tangents of any dtype.
    """
    role, directions = given
    try:
        parts = tree.prefix_parts(directions, wrap_plain_leaves(along), f"{role}s")
        found: list[Any] = []
        for direction, at, part in parts:
            n = len(tree.leaves(part))
            here = slice(len(found), len(found) + n)
            if direction is not None and not tree.all_leaves([part]):
                value = tree.unflatten(tree.structure(part), list(avals[here]))
                raise ValueError(f"at {at}: an array for {value!r}")
            found += [
                _direction(function, role, direction, path, of, name, converting)
                for path, of in zip(paths[here], avals[here], strict=True)
            ]
    except ValueError as error:
        raise ValueError(
            f"{function}: the {role}s of {name} differ in structure from the values: {error}; give "
            "one for each array, or None"
        ) from None
    return found


def _direction(
    function: str, role: str, given: Any, path: str, of: Aval, name: str, converting: bool
) -> Any:
    """One tangent; a number takes the dtype of its primal."""
    if given is None:
        return None
    if not has_derivative(of):
        raise TypeError(
            f"{function}: {path} of {name} is {of}; only floats have a derivative: give None for "
            f"its {role}, or cast it"
        )
    found = abstract(given, f"{function}: the {role} of {path}")
    if found.weak_type and found.shape == of.shape and found.level <= of.level:
        # In a trace it becomes a literal; as an array of the default dtype it would lose digits.
        is_number = isinstance(given, int | float | complex)
        if current.trace is not None or not is_number:
            return given
        return _number_in(of.dtype, given, f"{function}: the {role} of {path}")
    if converting and of.weak_type and found.shape == of.shape and has_derivative(found):
        return given
    if found.type != of.type:
        raise TypeError(
            f"{function}: the {role} of {path} of {name} is {found}, but {path} is {of}; give one "
            "of the same dtype and shape"
        )
    return given


def _number_in(dtype: np.dtype[Any], number: complex, role: str) -> np.ndarray:
    """A Python number in a dtype; raises `OverflowError`, with its role, if that cannot hold it."""
    try:
        check_fits(number, dtype)
    except OverflowError as error:
        raise OverflowError(f"{role}: {error}") from None
    return np.asarray(number, dtype)
