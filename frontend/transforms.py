"""`grad` and `value_and_grad`: they trace the function and ask for its derivative.

Inside a trace, the function becomes a `func.func` of the program, its derivative a declaration
with the attribute `anvl.vjp`, and the result a call of it; `anvl-gradient` writes the body later.
"""

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
    signature_of,
)
from anvl.avals import Aval
from anvl.dialect.context import context
from anvl.dialect.mlir import ir
from anvl.dialect.ops.create import full
from anvl.dialect.params import Ints
from anvl.dialect.types import dtype_name, element_type, kind
from anvl.jitted import call_function, evaluate
from anvl.passes.gradient import VJP
from anvl.promote import abstract
from anvl.runtime import hide_frames, hiding_frames
from anvl.state import current
from anvl.traced import Traced, trace_call
from anvl.tracer import Tracer
from anvl.tracing import Trace

__all__ = ["grad", "value_and_grad"]


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


def _derived(
    f: Callable[..., Any], wrt: Any, transform: str, keep: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    if not callable(f):
        raise TypeError(f"{transform}: takes a function, got {f!r} of type {type(f).__name__}")
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

    @functools.wraps(f)
    def derived(*args: Any, **kwargs: Any) -> Any:
        try:
            if current.trace is not None:
                return in_trace(*args, **kwargs)
            return evaluate(in_trace, *plain_aside((args, kwargs)))
        except Exception as error:
            hide_frames(error)
            raise

    derived.__doc__ = f"The {transform} of {name_of(f)} with respect to {wrt!r}."
    # The names of the arguments, for messages, come from f also when this is traced.
    in_trace.__wrapped__ = f  # type: ignore[attr-defined]
    in_trace.__name__ = name_of(f)
    return derived


class _Position(int):
    """The position of a leaf, told apart from numbers that are arguments."""


def _has_derivative(of: Aval) -> bool:
    return kind(element_type(of.dtype)) in ("float", "complex")


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
        outer = [x for x, _ in nested.trace.closed_over.values()]
        out = nested.out_avals[0]
        name = _declare(trace, nested, chosen, [*avals, *(x.aval for x in outer)])
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
        numbered = tree.unflatten(arguments.treedef, map(_Position, range(len(paths))))
        chosen: list[int] = []
        for which in self.which:
            argument = self._argument(which, *numbered)
            for k, i in enumerate(tree.leaves(argument)):
                if not isinstance(i, _Position) or not _has_derivative(avals[i]):
                    what = avals[i] if isinstance(i, _Position) else f"{i!r}"
                    path = tree.leaf_paths(argument, self._name(which))[k]
                    raise TypeError(
                        f"{self.transform}: {path} of {name_of(self.f)} is {what}; only floats "
                        "have a derivative: pass it as another argument than wrt, or cast it"
                    )
                chosen.append(i)
        return chosen

    def _argument(self, which: int | str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if isinstance(which, int) and which < len(args):
            return args[which]
        name = which if isinstance(which, str) else _name_at(self.f, which)
        if name in kwargs:
            return kwargs[name]
        raise ValueError(
            f"{self.transform}: argument {name if name is not None else which!r} of "
            f"{name_of(self.f)} is in wrt but was not passed; it has {len(args)} positional "
            f"arguments and {', '.join(kwargs) or 'no keywords'}"
        )

    def _name(self, which: int | str) -> str:
        name = which if isinstance(which, str) else _name_at(self.f, which)
        return f"arg{which}" if name is None else name

    def _structured(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], adjoints: Sequence[Any]
    ) -> Any:
        """The adjoints in the structure of the arguments that they belong to."""
        remaining = iter(adjoints)
        parts = [
            tree.map(lambda _: next(remaining), self._argument(which, args, kwargs))
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


def _name_at(f: Callable[..., Any], position: int) -> str | None:
    signature = signature_of(f)
    names = list(signature.parameters) if signature is not None else []
    return names[position] if position < len(names) else None


def _declare(trace: Trace, nested: Traced, chosen: Sequence[int], avals: Sequence[Aval]) -> str:
    """Declare the derivative of a nested function; its name."""
    name = trace.program.fresh_name(f"{nested.trace.name}_vjp")
    inputs = [a.type for a in avals]
    outputs = [y.type for y in nested.out_avals]
    type_ = ir.FunctionType.get(
        [*inputs, outputs[0]], [*outputs, *(inputs[i] for i in chosen)], context()
    )
    request = {
        "callee": ir.FlatSymbolRefAttr.get(nested.trace.name, context()),
        "wrt": Ints.encode(chosen),
        "targets": Ints.encode((0,)),
    }
    ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name, context()),
            "sym_visibility": ir.StringAttr.get("private", context()),
            "function_type": ir.TypeAttr.get(type_),
            VJP: ir.DictAttr.get(request, context()),
        },
        regions=1,
        ip=ir.InsertionPoint(trace.program.module.body),
        loc=nested.trace.function.location,
    )
    return name
