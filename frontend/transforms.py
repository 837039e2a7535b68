"""`grad` and `value_and_grad`: the derivative of one float scalar.  And `stop_gradient`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from anvl import tree
from anvl.arguments import (
    Arguments,
    StaticArguments,
    input_names,
    name_of,
    plain_aside,
    positions_of,
)
from anvl.avals import Aval
from anvl.dialect.mlir import ir
from anvl.dialect.op import OPS
from anvl.dialect.ops.create import full
from anvl.dialect.types import dtype_name, element_type, kind
from anvl.jitted import call_function
from anvl.promote import abstract, as_tracer
from anvl.public import public
from anvl.requests import (
    Position,
    argument_name,
    argument_of,
    check_callable,
    closed_over,
    declare_vjp,
    has_derivative,
    runnable,
)
from anvl.runtime import hiding_frames
from anvl.state import current
from anvl.traced import Traced, trace_call
from anvl.tracer import Tracer
from anvl.tracing import Trace, emit

__all__ = ["grad", "stop_gradient", "value_and_grad"]


@hiding_frames
def value_and_grad(f: Callable[..., Any] | None = None, *, wrt: Any = 0) -> Any:
    """A function that returns what f returns, and its gradient.

    Arguments: `wrt` names the arguments to differentiate with respect to, or gives their
    positions; several in a tuple.  f returns one float scalar.
    Returns a function of the same arguments: `(value, gradient)`, where the gradient has the
    structure of the `wrt` argument, or is a tuple of such for a tuple.
    Raises `TypeError` where f returns no float scalar, or an argument of `wrt` holds no floats
    (its path is named); `ValueError` where f has no such argument.
    Source: reverse-mode differentiation, A. Griewank and A. Walther, Evaluating Derivatives
    (SIAM, 2008), chapter 3.

    >>> import anvl, anvl.numpy as np
    >>> value, slope = anvl.value_and_grad(lambda x: np.sin(x))(0.0)
    >>> print(value, slope)
    0.0 1.0
    """
    if f is None:
        return functools.partial(value_and_grad, wrt=wrt)
    return _derived(f, wrt, "value_and_grad", lambda value, gradient: (value, gradient))


@hiding_frames
def grad(f: Callable[..., Any] | None = None, *, wrt: Any = 0) -> Any:
    """A function that returns the gradient of f.

    As `value_and_grad`, without the value.

    >>> import anvl
    >>> cube = lambda x: x * x * x
    >>> print(anvl.grad(cube)(2.0), anvl.grad(anvl.grad(cube))(2.0))
    12.0 12.0
    """
    if f is None:
        return functools.partial(grad, wrt=wrt)
    return _derived(f, wrt, "grad", lambda value, gradient: gradient)


@public()
def stop_gradient(x: Any) -> Any:
    """x, as a constant: its derivative is zero, in every mode and of every order.

    Arguments: `x` is an array, or a tuple, list, dict or registered class of arrays.
    Returns the same.
    Raises `TypeError` for what is no array.

    >>> import anvl
    >>> print(anvl.grad(lambda x: x * anvl.stop_gradient(x))(3.0))
    3.0
    """
    return tree.map(lambda leaf: emit(_STOP, (as_tracer(leaf, "stop_gradient"),), {}), x)


_STOP = OPS["anvl.stop_gradient"]


def _derived(
    f: Callable[..., Any], wrt: Any, transform: str, keep: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    check_callable(transform, f)
    which = positions_of(f, wrt, "wrt")
    if not which:
        raise ValueError(f"{transform}: wrt names no argument of {name_of(f)}")
    if len(set(which)) != len(which):
        raise ValueError(f"{transform}: wrt {wrt!r} names an argument of {name_of(f)} twice")
    several = isinstance(wrt, list | tuple)

    def in_trace(*args: Any, **kwargs: Any) -> Any:
        assert current.trace is not None
        request = _Request(f, which, several, transform)
        return keep(*request.emit(current.trace, args, kwargs))

    doc = f"The {transform} of {name_of(f)} with respect to {wrt!r}."
    return runnable(f, in_trace, doc)


class _Request:
    """One call of a derivative inside a trace."""

    def __init__(
        self, f: Callable[..., Any], which: tuple[int | str, ...], several: bool, transform: str
    ) -> None:
        self.f = f
        self.which = which
        self.several = several
        self.transform = transform

    def emit(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        static = StaticArguments(self.f, None)
        arguments = static.split(*plain_aside((args, kwargs)))
        paths = input_names(self.f, arguments)
        avals = [abstract(x, path) for x, path in zip(arguments.leaves, paths, strict=True)]
        chosen = self._chosen(arguments, args, kwargs, paths, avals)
        abstracted = arguments._replace(leaves=list(avals))
        nested = trace_call(self.f, static, abstracted, trace.program, paths)
        self._check_target(nested)
        outer = closed_over(nested)
        out = nested.out_avals[0]
        inputs = [*avals, *(x.aval for x in outer)]
        name = declare_vjp(trace, nested, inputs, chosen, (0,))
        # Not at the person's line: what that assigns is not the seed.
        with nested.trace.function.location:
            seed = Tracer(full(out.type, 1), out, trace, ir.Location.current)
        operands = [*arguments.leaves, *outer, seed]
        results = call_function(trace, name, operands, [out, *(avals[i] for i in chosen)])
        value = tree.unflatten(nested.out_tree, results[:1])
        return value, self._structured(args, kwargs, results[1:])

    def _chosen(
        self,
        arguments: Arguments,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        paths: Sequence[str],
        avals: Sequence[Aval],
    ) -> list[int]:
        """The positions, among all leaves, of those to differentiate with respect to."""
        numbered = tree.unflatten(arguments.treedef, map(Position, range(len(paths))))
        chosen: list[int] = []
        for which in self.which:
            argument = argument_of(self.f, self.transform, which, *numbered)
            for k, i in enumerate(tree.leaves(argument)):
                if not isinstance(i, Position) or not has_derivative(avals[i]):
                    what = avals[i] if isinstance(i, Position) else f"{i!r}"
                    path = tree.leaf_paths(argument, argument_name(self.f, which))[k]
                    raise TypeError(
                        f"{self.transform}: {path} of {name_of(self.f)} is {what}; only floats "
                        "have a derivative: pass it as another argument than wrt, or cast it"
                    )
                chosen.append(i)
        return chosen

    def _structured(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], adjoints: Sequence[Any]
    ) -> Any:
        """The adjoints in the structure of the arguments that they belong to."""
        remaining = iter(adjoints)
        parts = [
            tree.map(
                lambda _: next(remaining), argument_of(self.f, self.transform, which, args, kwargs)
            )
            for which in self.which
        ]
        return tuple(parts) if self.several else parts[0]

    def _check_target(self, nested: Traced) -> None:
        avals = nested.out_avals
        function, what = name_of(self.f), ", ".join(map(repr, avals)) or "nothing"
        if len(avals) != 1 or avals[0].shape != ():
            raise TypeError(
                f"{self.transform}: {function} returns {what}, not one float scalar; "
                "reduce it, for example with anvl.numpy.sum"
            )
        if kind(element_type(avals[0].dtype)) != "float":
            raise TypeError(
                f"{self.transform}: {function} returns {dtype_name(avals[0].dtype)}, which has no "
                "real derivative; return a float scalar"
            )
