"""`custom_vjp` and `custom_jvp`: functions with user-defined derivatives."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import anvl.numpy as anp
from anvl import tree
from anvl.call_spellings.translation import spelled
from anvl.core import config
from anvl.core.arguments import (
    Arguments,
    StaticArguments,
    input_names,
    name_of,
    signature_of,
    wrap_plain_leaves,
)
from anvl.core.locations import describe
from anvl.core.promote import abstract
from anvl.core.ranges import pass_on_of_rule
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracer import Tracer
from anvl.core.tracing import Trace, trace_function
from anvl.dialect.control_flow.custom_derivative import CustomJvp, CustomVjp
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import TraceError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Int, Ints
from anvl.dispatch.nested_calls import call_function
from anvl.runtime import hiding_frames
from anvl.transforms.aux_results import check_like, description, pair_of
from anvl.transforms.declare import check_callable, has_derivative
from anvl.transforms.jvp import directions_of, operand_of

__all__ = ["custom_jvp", "custom_vjp"]


class _Custom:
    """A function with a rule."""

    transform: str = ""
    attribute: str = ""
    define: str = ""

    def __init__(self, f: Callable[..., Any], nondiff: Sequence[int] = ()) -> None:
        check_callable(self.transform, f)
        functools.update_wrapper(self, f)
        self._f = f
        self._nondiff = tuple(nondiff)
        self._rule: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        return f"<{self.transform} {name_of(self._f)}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    @hiding_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._rule is None:
            raise TypeError(
                f"{self.transform}: {name_of(self._f)} has no rule; give it one with "
                f"{name_of(self._f)}.{self.define}"
            )
        if current.trace is None:
            return self._f(*args, **kwargs)
        given = self._positional(args, kwargs)
        self._check_nondiff(given)
        return self._emit(current.trace, given)

    def _apart(self, values: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...]]:
        """Of the arguments, or of tangents of them: those of `nondiff_argnums`, and the others."""
        given = [values[i] for i in self._nondiff]
        return given, tuple(x for i, x in enumerate(values) if i not in self._nondiff)

    def _check_nondiff(self, args: Sequence[Any]) -> None:
        for i in self._nondiff:
            if i >= len(args):
                raise ValueError(
                    f"{self.transform}: nondiff_argnums has {i}, but {name_of(self._f)} is given "
                    f"{len(args)} arguments"
                )
            for x in tree.leaves(args[i]):
                if isinstance(x, Tracer) and has_derivative(x.aval):
                    raise TypeError(
                        f"{self.transform}: argument {i} of {name_of(self._f)} is traced, "
                        f"{x.aval}, and has no derivative by nondiff_argnums; leave it out of "
                        "these, or apply stop_gradient to it in the function"
                    )

    def _positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments in order, as rules receive them."""
        signature = signature_of(self._f)
        if signature is None:
            bound_args, bound_kwargs = args, kwargs
        else:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            bound_args, bound_kwargs = bound.args, bound.kwargs
        if bound_kwargs:
            raise TypeError(
                f"{self.transform}: {name_of(self._f)} takes {', '.join(bound_kwargs)} by keyword "
                "only, and rules get arguments by position; make them positional"
            )
        return bound_args

    def _emit(self, trace: Trace, args: tuple[Any, ...]) -> Any:
        static = StaticArguments(self._f, None)
        arguments = static.split(*wrap_plain_leaves((args, {})))
        paths = input_names(self._f, arguments)
        leaves = zip(arguments.leaves, paths, strict=True)
        abstracted = arguments._replace(leaves=[abstract(x, path) for x, path in leaves])
        key = (
            id(self), self._rule, arguments.treedef, tuple(abstracted.leaves), config.version(),
            trace.program.rules_deep,
        )  # fmt: skip
        nested = trace.program.functions.get(key)
        if nested is None:
            nested = trace_call(self._f, static, abstracted, trace.program, paths)
            self._check_closed(name_of(self._f), nested.trace)
            nested.owner = self  # keeps its id unique
            self._attach(nested, _Signature(self._f, static, abstracted, paths, nested), key)
        name = nested.trace.name
        results = call_function(trace, name, arguments.leaves, nested.out_avals)
        return tree.unflatten(nested.out_tree, results)

    def _attach(self, nested: Traced, of: _Signature, key: Any) -> None:
        """Trace the rule, and attach it to the function."""
        program = nested.program
        request: dict[str, ir.Attribute] = {"nested": Int.encode(program.rules_deep)}
        program.functions[key] = nested  # before tracing: a rule may call its own function
        if program.custom_rules.count(self) < program.rules_deep:
            program.custom_rules.append(self)
            try:
                rule, wrt = self._trace_rule(of)
                self._check_closed(f"the rule of {of.name}", rule)
                pass_on_of_rule(nested.trace, rule.name, len(of.avals))
            except BaseException:
                del program.functions[key]
                raise
            finally:
                program.custom_rules.pop()
            request = {
                "rule": ir.FlatSymbolRefAttr.get(rule.name, context()),
                "wrt": Ints.encode(wrt),
            }
        made = ir.DictAttr.get(request, context())
        nested.trace.function.attributes[self.attribute] = made

    def _trace_rule(self, of: _Signature) -> tuple[Trace, list[int]]:
        raise NotImplementedError

    def _check_closed(self, name: str, trace: Trace) -> None:
        for outer, _ in trace.closed_over.values():
            raise TraceError(
                f"{self.transform}: {name} closes over a traced value {outer.aval} from "
                f"{describe(outer.location)}, for which its rule has no derivative; pass it as an "
                "argument"
            )


class _Signature:
    """Arguments and results of a call, flat and with their structure."""

    def __init__(
        self,
        f: Callable[..., Any],
        static: StaticArguments,
        arguments: Arguments,
        paths: list[str],
        nested: Traced,
    ) -> None:
        self.name = name_of(f)
        self.avals, self.paths = arguments.leaves, paths
        self.out_avals, self.out_tree = nested.out_avals, nested.out_tree
        self.program = nested.program
        self._static, self._arguments = static, arguments
        self.floats = [i for i, of in enumerate(self.avals) if has_derivative(of)]
        self.out_floats = [i for i, of in enumerate(self.out_avals) if has_derivative(of)]

    def primals(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments, rebuilt from these leaves."""
        args, _ = self._static.join(self._arguments._replace(leaves=list(leaves)))
        return args

    def result(self, leaves: Sequence[Any]) -> Any:
        return tree.unflatten(self.out_tree, leaves)

    def trace_rule(
        self, rule: Callable[[Any, Any, list[Any]], list[Any]], moving: Sequence[Any], role: str
    ) -> Trace:
        """Trace a rule on the leaves of primals and results, and on values of avals `moving`."""
        avals = [*self.avals, *self.out_avals, *moving]
        results = tree.leaf_paths(self.out_tree, "result")
        names = [*self.paths, *results, *(f"{role}{i}" for i in range(len(moving)))]

        def flat(tracers: Sequence[Tracer]) -> list[Any]:
            n, m = len(self.avals), len(self.avals) + len(self.out_avals)
            return rule(tracers[:n], tracers[n:m], list(tracers[m:]))

        trace, _ = trace_function(flat, f"{self.name}_rule", avals, names, self.program)
        return trace


class CustomVjpFunction(_Custom):
    """A function with a reverse rule; made by `custom_vjp`."""

    transform: str = "custom_vjp"
    attribute: str = CustomVjp.attribute
    define: str = "defvjp"

    @hiding_frames
    def defvjp(self, rule: Callable[..., Any], bwd: Callable[..., Any] | None = None) -> Any:
        """Define the cotangents of the arguments.

        Either one function `rule(primals, result, cotangent)`: the arguments as a tuple, the
        result, and its cotangent, with None for non-floats.  It returns a tuple with an entry for
        each argument: cotangents in its structure, or None.

        Or two functions: `fwd(*primals)` returns the result and the residuals for
        `bwd(residuals, cotangent)`, which is given the arguments of `nondiff_argnums` before these
        and returns cotangents of the others.  Returns the first function, for use as a decorator.
        """
        check_callable("defvjp", rule)
        if bwd is None:
            self._rule = rule
            return rule
        check_callable("defvjp", bwd)
        fwd, back = rule, bwd

        def joined(primals: tuple[Any, ...], result: Any, cotangent: Any) -> Any:
            found = fwd(*primals)
            made, residuals = pair_of("custom_vjp", fwd, found, "the result and the residuals")
            check_like("custom_vjp", fwd, made, result)
            given, _ = self._apart(primals)
            found = back(*given, residuals, cotangent)
            if not given or not isinstance(found, tuple | list):
                return found
            others = iter(found)
            return tuple(
                None if i in self._nondiff else next(others, None) for i in range(len(primals))
            )

        self._rule = joined
        return rule

    def _trace_rule(self, of: _Signature) -> tuple[Trace, list[int]]:
        author, wrt = self._rule, list[int]()
        assert author is not None

        def rule(xs: Any, ys: Any, gs: list[Any]) -> list[Any]:
            by_position = dict(zip(of.out_floats, gs, strict=True))
            cotangent = of.result([by_position.get(i) for i in range(len(ys))])
            primals = of.primals(xs)
            found = author(primals, of.result(ys), cotangent)
            if not isinstance(found, tuple | list) or len(found) != len(primals):
                raise TypeError(
                    f"custom_vjp: the rule of {of.name} returned {description(found)}; return a "
                    f"tuple with {len(primals)} cotangents, one for each argument"
                )
            given = directions_of(
                "custom_vjp", ("cotangent", tuple(found)), of.primals(of.avals), of.paths,
                of.avals, of.name, converting=True,
            )  # fmt: skip
            wrt.extend(i for i, g in enumerate(given) if g is not None)
            return [operand_of(given[i], of.avals[i]) for i in wrt]

        moving = [of.out_avals[i] for i in of.out_floats]
        return of.trace_rule(rule, moving, "cotangent"), wrt


class CustomJvpFunction(_Custom):
    """A function with a forward rule; made by `custom_jvp`."""

    transform: str = "custom_jvp"
    attribute: str = CustomJvp.attribute
    define: str = "defjvp"

    @hiding_frames
    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Define the tangent of the result.

        Either `rule(primals, result, tangents)`: the arguments as a tuple, the result, and the
        tangents of the arguments as another tuple, with None for non-floats.  It returns the
        tangent of the result, in its structure, with None for non-floats.

        Or `rule(primals, tangents)`, which returns the result and its tangent, and is given the
        arguments of `nondiff_argnums` before these.  Returns the rule, for use as a decorator.
        """
        check_callable("defjvp", rule)
        signature = signature_of(rule)
        if not self._nondiff and (signature is None or len(signature.parameters) != 2):
            self._rule = rule
            return rule

        def last(primals: tuple[Any, ...], result: Any, tangents: tuple[Any, ...]) -> Any:
            given, others = self._apart(primals)
            found = rule(*given, others, self._apart(tangents)[1])
            made, tangent = pair_of("custom_jvp", rule, found, "the result and its tangent")
            check_like("custom_jvp", rule, made, result)
            return tangent

        self._rule = last
        return rule

    def _trace_rule(self, of: _Signature) -> tuple[Trace, list[int]]:
        author = self._rule
        assert author is not None

        def rule(xs: Any, ys: Any, ts: list[Any]) -> list[Any]:
            by_position = dict(zip(of.floats, ts, strict=True))
            tangents = of.primals([by_position.get(i) for i in range(len(xs))])
            found = author(of.primals(xs), of.result(ys), tangents)
            given = directions_of(
                "custom_jvp", ("tangent", found), of.result(of.out_avals),
                tree.leaf_paths(of.out_tree, "result"), of.out_avals, of.name,
                converting=True,
            )  # fmt: skip
            return [_tangent(given[i], of.out_avals[i]) for i in of.out_floats]

        return of.trace_rule(rule, [of.avals[i] for i in of.floats], "tangent"), of.floats


def _tangent(t: Any, of: Any) -> Any:
    return anp.zeros(of.shape, dtype=of.dtype) if t is None else operand_of(t, of)


def _positions(transform: str, nondiff: Any) -> tuple[int, ...]:
    found = (nondiff,) if isinstance(nondiff, int) else tuple(nondiff)
    if any(isinstance(i, bool) or not isinstance(i, int) or i < 0 for i in found):
        raise ValueError(
            f"{transform}: nondiff_argnums is {nondiff!r}; give positions of arguments, from 0 on"
        )
    return tuple(sorted(set(found)))


@spelled("fun nondiff_argnums")
def custom_vjp(
    f: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()
) -> CustomVjpFunction:
    """Give f the derivative that its `defvjp` defines.

    One rule serves all modes: the adjoint is linear in the cotangent, so forward mode is its
    transpose, and batching batches both.

    Parameters
    ----------
    f : callable
        A function of arrays and pytrees of arrays; other arguments reach f and the rule unchanged.
    nondiff_argnums : int or sequence of int
        Positions of arguments without a derivative, such as functions, which the rule is given
        first: JAX's form of rules.

    Returns
    -------
    A function of the same arguments, with a method `defvjp(rule)`.

    Raises
    ------
    TypeError
        From a call: there is no rule, or it returns cotangents of other dtypes or shapes.
    ValueError
        From a call: the cotangents differ in structure (the message names the paths).
    TraceError
        From a call: f or the rule captures a traced value.
    MissingRule
        In forward mode: the rule is not linear in the cotangent, such as one that clips it.

    Notes
    -----
    Source: A. Radul et al., You Only Linearize Once (POPL 2023).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> @anvl.custom_vjp
    ... def softplus(x):
    ...     return np.log(1 + np.exp(x))
    >>> @softplus.defvjp
    ... def softplus_vjp(primals, result, cotangent):
    ...     return (cotangent * (1 - np.exp(-result)),)
    >>> print(anvl.grad(softplus)(100.0), anvl.jvp(softplus, (0.0,), (2.0,))[1])
    1.0 1.0
    """
    return CustomVjpFunction(f, _positions("custom_vjp", nondiff_argnums))


@hiding_frames
def custom_gradient(fun: Callable[..., Any]) -> CustomVjpFunction:
    """Give a function the derivative that it returns beside its result.

    Parameters
    ----------
    fun : callable
        Returns the result, and a function from its cotangent to those of the arguments: a tuple, or
        for one argument its cotangent.

    Returns
    -------
    A function of the same arguments, which returns the result alone, as of `custom_vjp`.

    Raises
    ------
    TypeError, ValueError, TraceError
        As `custom_vjp`; `TypeError` for a function that returns no such pair.

    Examples
    --------
    >>> import anvl
    >>> @anvl.custom_gradient
    ... def square(x):
    ...     return x * x, lambda g: (10 * g * x,)
    >>> print(square(3.0), anvl.grad(square)(3.0))
    9.0 30.0
    """
    check_callable("custom_gradient", fun)

    def both(args: tuple[Any, ...]) -> tuple[Any, Callable[[Any], Any]]:
        result, pull = pair_of("custom_gradient", fun, fun(*args), "the result and a function")
        check_callable("custom_gradient", pull)
        return result, pull

    @functools.wraps(fun)
    def result_of(*args: Any) -> Any:
        return both(args)[0]

    def rule(primals: tuple[Any, ...], _: Any, cotangent: Any) -> Any:
        found = both(primals)[1](cotangent)
        return found if isinstance(found, tuple | list) else (found,)

    made = CustomVjpFunction(result_of)
    made.defvjp(rule)
    return made


@spelled("fun nondiff_argnums")
def custom_jvp(
    f: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()
) -> CustomJvpFunction:
    """Give f the derivative that its `defjvp` defines.

    One rule serves all modes: the tangent is linear in the tangents of the arguments, so reverse
    mode is its transpose, and batching batches both.

    Parameters
    ----------
    f : callable
        A function of arrays and pytrees of arrays, as for `custom_vjp`.
    nondiff_argnums : int or sequence of int
        As of `custom_vjp`.

    Returns
    -------
    A function of the same arguments, with a method `defjvp(rule)`.

    Raises
    ------
    As `custom_vjp`.

    Notes
    -----
    Source: A. Radul et al., You Only Linearize Once (POPL 2023).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> @anvl.custom_jvp
    ... def norm(x):
    ...     return np.sqrt(np.sum(x * x))
    >>> @norm.defjvp
    ... def norm_jvp(primals, result, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return np.sum(x * t) / np.maximum(result, 1e-30)
    >>> print(anvl.grad(norm)(np.zeros(2)))
    [0. 0.]
    """
    return CustomJvpFunction(f, _positions("custom_jvp", nondiff_argnums))
