"""`checkpoint`: recompute the values of a function in reverse mode instead of keeping them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.arguments import StaticArguments, input_names, name_of, wrap_plain_leaves
from anvl.core.promote import abstract
from anvl.core.trace_state import current
from anvl.core.traced import known_numbers, trace_call
from anvl.dialect.control_flow.checkpoint import Checkpoint
from anvl.dialect.core.context import context
from anvl.dispatch.nested_calls import call_function
from anvl.passes.remat import request_of
from anvl.runtime import hiding_frames
from anvl.transforms.declare import check_callable, closed_over

__all__ = ["checkpoint", "remat"]


@spelled("fun prevent_cse policy static_argnums concrete")
def checkpoint(
    f: Callable[..., Any] | None = None,
    *,
    policy: Any = (),
    budget: int | str | None = None,
    static_argnums: int | Sequence[int] = (),
) -> Any:
    """Make f recompute its intermediate values in reverse mode, instead of keeping them.

    The gradient is the same; memory is traded for time.  By default only the arguments are kept.
    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), chapter 12.

    Parameters
    ----------
    f : callable
    policy : "dots", "everything" or tuple of str, optional
        Values to keep nevertheless: "dots" keeps those of matrix products and convolutions; a tuple
        names ops, as `("dot_general", "tag=h")`; `anvl.checkpoint_policies` has JAX's.
    budget : int or str, optional
        Bytes, such as `"64MiB"`, to which values alive for the gradient are limited by the least
        recomputation that minimum cuts find; as few as possible if it cannot be met.
    static_argnums : int or tuple of int, optional
        Positions of arguments that stay what they are, as a number that Python code tests.

    Returns
    -------
    A function of the same arguments.

    Raises
    ------
    TypeError, ValueError
        A policy that names no op, or a budget that is not a number of bytes; static arguments that
        f does not take, or that are not hashable.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> block = anvl.checkpoint(lambda x: np.sin(np.sin(x)))
    >>> print(anvl.grad(block)(0.0))
    1.0
    """
    if f is None:
        options = {"policy": policy, "budget": budget, "static_argnums": static_argnums}
        return functools.partial(checkpoint, **options)
    check_callable("checkpoint", f)
    if policy == "everything" and budget is None:
        return f
    function, request, static = f, _request(policy, budget), _static(f, static_argnums)

    @functools.wraps(function)
    @hiding_frames
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        trace = current.trace
        if trace is None:
            return function(*args, **kwargs)
        arguments = static.split(*_wrap_dynamic(static, args, kwargs))
        return _called(trace, function, static, arguments, request)

    checkpointed.__doc__ = f"{name_of(f)}, computed again for its gradient."
    return checkpointed


def _static(f: Callable[..., Any], static_argnums: Any) -> StaticArguments:
    return StaticArguments(f, static_argnums, "checkpoint: static_argnums")


def _called(
    trace: Any, function: Callable[..., Any], static: StaticArguments, arguments: Any, request: Any
) -> Any:
    """Trace a function of its own, which asks for the recomputation, and call it."""
    paths = input_names(function, arguments)
    leaves = zip(arguments.leaves, paths, strict=True)
    abstracted = arguments._replace(leaves=[abstract(x, path) for x, path in leaves])
    known = known_numbers(arguments.leaves)
    nested = trace_call(function, static, abstracted, trace.program, paths, known)
    nested.trace.function.attributes[Checkpoint.attribute] = request
    operands = [*arguments.leaves, *closed_over(nested)]
    results = call_function(trace, nested.trace.name, operands, nested.out_avals)
    return tree.unflatten(nested.out_tree, results)


def _wrap_dynamic(
    static: StaticArguments, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments whose leaves other than arrays reach the function unchanged."""
    wrap = wrap_plain_leaves
    by_position = (a if i in static.positions else wrap(a) for i, a in enumerate(args))
    by_name = {k: v if k in static.names else wrap(v) for k, v in kwargs.items()}
    return tuple(by_position), by_name


#: JAX's other name of `checkpoint`.
remat = checkpoint


def _request(policy: Any, budget: int | str | None) -> Any:
    """The attribute of the function that declares the policy or the budget."""
    names = _POLICIES.get(policy) if isinstance(policy, str) else tuple(policy)
    if names is None:
        known = ", ".join(map(repr, _POLICIES))
        raise ValueError(
            f"checkpoint: unknown policy {policy!r}; use {known}, or give the names of "
            "ops in a tuple"
        )
    if names and budget is not None:
        raise ValueError("checkpoint: give a policy or a budget, not both")
    if not names and budget is None:
        return Checkpoint.keeping(0)
    with context():
        try:
            return request_of(0 if budget is None else budget, names)
        except ValueError as error:
            raise ValueError(f"checkpoint: {error}") from None


_POLICIES = {"nothing": (), "dots": ("dot_general", "convolution")}
