"""`grad` and `value_and_grad`: the derivative of a scalar function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core.arguments import (
    StaticArguments,
    input_names,
    name_of,
    wrap_non_arrays,
    wrap_plain_leaves,
)
from anvl.core.promote import abstract
from anvl.core.spellings import argument_choice
from anvl.core.trace_state import current
from anvl.core.traced import Traced, known_numbers, trace_call
from anvl.core.tracer import Tracer
from anvl.core.tracing import Trace
from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.dispatch.nested_calls import call_function
from anvl.transforms.aux_results import check_has_aux, with_aux
from anvl.transforms.declare import (
    check_callable,
    closed_over,
    declare_vjp,
    has_derivative,
    numbered,
    runnable,
)
from anvl.transforms.wrt import Wrt

__all__ = ["grad", "value_and_grad"]


@spelled("fun argnums has_aux holomorphic allow_int reduce_axes")
def value_and_grad(
    f: Callable[..., Any] | None = None,
    wrt: Any = 0,
    has_aux: bool = False,
    *,
    argnums: Any = None,
) -> Any:
    """Make a function that returns the value of f and its gradient.

    Parameters
    ----------
    f : callable
        Returns a float scalar; with `has_aux` a pair of that and any auxiliary data.
    wrt : int, str or tuple of these
        What to differentiate with respect to: the position or name of an argument, the path to a
        part of one (`"params.w"`, `"params['w'][0]"`), or the name of a value tagged by `anvl.tag`.
        Entries of a tuple must not overlap.
    has_aux : bool
    argnums : int or tuple of int
        JAX's spelling of `wrt`.

    Returns
    -------
    A function of the same arguments that returns `(value, gradient)`, or `((value, aux), gradient)`
    with `has_aux`.  The gradient has the structure of `wrt`'s part; for a tuple it is a tuple.

    Raises
    ------
    TypeError
        f does not return a float scalar, or an entry of `wrt` holds no floats (its path is named).
    ValueError
        `wrt` names nothing of f (the closest names are listed), or two of its entries overlap.

    Notes
    -----
    Source: reverse-mode differentiation, A. Griewank and A. Walther, Evaluating Derivatives
    (SIAM, 2008), chapter 3.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> value, slope = anvl.value_and_grad(lambda x: np.sin(x))(0.0)
    >>> print(value, slope)
    0.0 1.0
    >>> def loss(params, x):
    ...     y = params["w"] * x
    ...     return y * y, {"y": y}
    >>> both = anvl.value_and_grad(loss, wrt="params.w", has_aux=True)
    >>> (value, aux), slope = both({"w": 2.0}, 3.0)
    >>> print(value, aux["y"], slope)
    36.0 6.0 36.0
    """
    chosen = argument_choice("value_and_grad", f, wrt, argnums)
    if f is None:
        given = {"wrt": wrt, "argnums": argnums}
        return functools.partial(value_and_grad, has_aux=has_aux, **given)
    wrt = chosen
    return _derived(f, wrt, has_aux, "value_and_grad", lambda value, gradient: (value, gradient))


@spelled("fun argnums has_aux holomorphic allow_int reduce_axes")
def grad(
    f: Callable[..., Any] | None = None,
    wrt: Any = 0,
    has_aux: bool = False,
    *,
    argnums: Any = None,
) -> Any:
    """Make a function that returns the gradient of f.

    As `value_and_grad`, without the value; with `has_aux` it returns `(gradient, aux)`.

    Parameters
    ----------
    f : callable
        A function of arrays, numbers and pytrees of them.
    wrt : str, int or tuple of these
        As of `value_and_grad`: names, positions and paths of arguments.
    has_aux : bool
        Whether f returns a pair, whose second part is returned as it is.
    argnums : int or tuple of int, optional
        JAX's name of `wrt`.

    Returns
    -------
    callable
        From the arguments of f to the gradient, of the structure of `wrt`.

    Examples
    --------
    >>> import anvl
    >>> cube = lambda x: x * x * x
    >>> print(anvl.grad(cube)(2.0), anvl.grad(anvl.grad(cube))(2.0))
    12.0 12.0
    >>> print(anvl.grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)[1])
    2.0
    """
    chosen = argument_choice("grad", f, wrt, argnums)
    if f is None:
        given = {"wrt": wrt, "argnums": argnums}
        return functools.partial(grad, has_aux=has_aux, **given)
    wrt = chosen

    def keep(value: Any, gradient: Any) -> Any:
        return (gradient, value[1]) if has_aux else gradient

    return _derived(f, wrt, has_aux, "grad", keep)


def _derived(
    f: Callable[..., Any],
    wrt: Any,
    has_aux: bool,
    transform: str,
    keep: Callable[[Any, Any], Any],
) -> Callable[..., Any]:
    check_callable(transform, f)
    check_has_aux(transform, has_aux)
    why = "only floats have a derivative"
    entries = Wrt(f, wrt, transform, accepts=has_derivative, why=why, has_tags=True)

    def in_trace(*args: Any, **kwargs: Any) -> Any:
        assert current.trace is not None
        return keep(*_Request(f, entries, has_aux).emit(current.trace, args, kwargs))

    def eager(*args: Any, **kwargs: Any) -> Any:
        return wrap_non_arrays(in_trace(*args, **kwargs))

    doc = f"The {transform} of {name_of(f)} with respect to {wrt!r}."
    return runnable(f, in_trace, doc, eager if has_aux else None)


class _Request:
    """A derivative declared inside a trace, for one call."""

    def __init__(self, f: Callable[..., Any], wrt: Wrt, has_aux: bool) -> None:
        self.f = with_aux(f, wrt.transform) if has_aux else f
        self.wrt = wrt
        self.has_aux = has_aux

    def emit(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        static = StaticArguments(self.f, None)
        arguments = static.split(*wrap_plain_leaves((args, kwargs)))
        paths = input_names(self.f, arguments)
        avals = [abstract(x, path) for x, path in zip(arguments.leaves, paths, strict=True)]
        named = self.wrt.of_call(*numbered(arguments))
        chosen = named.leaves(avals)
        abstracted = arguments._replace(leaves=list(avals))
        known = known_numbers(arguments.leaves, chosen)
        with trace.program.differentiating():
            nested = trace_call(self.f, static, abstracted, trace.program, paths, known)
        self._check_target(nested)
        outer, outs = closed_over(nested), nested.out_avals
        tags = named.tags(nested)
        inputs = [*avals, *(x.aval for x in outer)]
        name = declare_vjp(trace, nested, inputs, chosen, (0,), tags)
        # Not at the user's line: the variable assigned there is not the seed.
        with nested.trace.function.location:
            seed = Tracer(full(outs[0].type, 1), outs[0], trace, ir.Location.current)
        operands = [*arguments.leaves, *outer, seed]
        of_leaves = [avals[i] for i in chosen]
        results = call_function(trace, name, operands, [*outs, *of_leaves, *tags.values()])
        value = tree.unflatten(nested.out_tree, results[: len(outs)])
        adjoints = results[len(outs) :]
        found = named.in_order(adjoints[: len(chosen)], adjoints[len(chosen) :])
        return value, tree.unflatten(named.structure, found)

    def _check_target(self, nested: Traced) -> None:
        out_tree = nested.out_tree.children()[0] if self.has_aux else nested.out_tree
        avals = nested.out_avals[: out_tree.num_leaves]
        transform, function = self.wrt.transform, self.wrt.name
        if len(avals) != 1 or avals[0].shape != ():
            what = ", ".join(map(repr, avals)) or "nothing"
            aux = "" if self.has_aux or len(avals) < 2 else "; has_aux=True passes others on"
            raise TypeError(
                f"{transform}: {function} returns {what}, not one float scalar; reduce it, for "
                "example with anvl.numpy.sum, or use anvl.vjp with cotangents of its results, or "
                f"anvl.jacrev for the derivatives of all of them{aux}"
            )
        if kind(element_type(avals[0].dtype)) != "float":
            raise TypeError(
                f"{transform}: {function} returns {dtype_name(avals[0].dtype)}, which has no "
                "real derivative; return a float scalar"
            )
