"""`vjp`: reverse-mode derivatives."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
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
from anvl.core.avals import Aval
from anvl.core.key_uses import quiet
from anvl.core.promote import abstract, as_tracer
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracing import Trace
from anvl.dialect.core.errors import MissingRule
from anvl.dispatch.nested_calls import call_function
from anvl.passes.gradient import Gradient
from anvl.runtime import hiding_frames
from anvl.transforms.aux_results import check_has_aux, with_constant_aux
from anvl.transforms.declare import (
    Position,
    check_callable,
    closed_over,
    declare_vjp,
    float_positions,
    numbered,
    run,
)
from anvl.transforms.jvp import directions_of, operand_of
from anvl.transforms.residuals import APART, Late, Plan, halves

__all__ = ["Reverse", "vjp"]


@spelled()
def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Evaluate f, and return its pullback: from cotangents of the result to those of the arguments.

    Parameters
    ----------
    f : callable
    *primals
        The positional arguments of f.
    has_aux : bool
        Whether f returns a pair `(result, aux)`, of which aux has no derivative.

    Returns
    -------
    A pair `(result, pullback)`.  `pullback(cotangent)` takes a cotangent of the structure, dtypes
    and shapes of the result, with None for no cotangent (integers need it); it returns a tuple with
    an entry for each argument, of its structure, with None for non-floats.  Outside of `jit` it can
    be called many times on the residuals of one run of f.  With `has_aux`,
    `(result, pullback, aux)`.

    Raises
    ------
    TypeError
        From the pullback: a cotangent of another dtype or shape.
    ValueError
        From the pullback: a cotangent of another structure.  Messages name the paths.

    Notes
    -----
    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 3.2.

    Examples
    --------
    >>> import anvl
    >>> value, pullback = anvl.vjp(lambda x, y: (x * y, x + y), 2.0, 3.0)
    >>> print(*pullback((1.0, None)), *pullback((10.0, 1.0)))
    3.0 2.0 31.0 21.0
    """
    check_callable("vjp", f)
    check_has_aux("vjp", has_aux)
    if has_aux:
        (result, aux), pullback = _vjp(with_constant_aux(f, "vjp"), *primals)
        return result, hiding_frames(lambda cotangent: pullback((cotangent, None))), aux
    return _vjp(f, *primals)


def _vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], Any]]:
    arguments = StaticArguments(f, None).split(*wrap_plain_leaves((primals, {})))
    if current.trace is not None:
        reverse = Reverse("vjp", f, arguments)
        return reverse.result, reverse.pullback

    # At once: users may write to their NumPy arrays before the pullback is called.
    is_anywhere = is_open(arguments)
    arguments = arguments._replace(leaves=arrays_of(arguments, f))
    try:
        done = halves(f, arguments, is_anywhere, _backward)
    except MissingRule:  # perhaps of a result that never has a cotangent
        done = None
    if done is None:
        return _recomputing_vjp(f, arguments)
    shape = wrap_non_arrays(done.result)

    @hiding_frames
    def pullback(cotangent: Any) -> Any:
        if current.trace is not None:
            return Reverse("vjp", f, arguments, again=True).pullback(cotangent)
        found = done.run(_cotangents(f, shape, cotangent))
        return _placed(arguments, done.plan.of, found)

    return done.result, pullback


def _backward(traced: Traced) -> Plan | None:
    """The reverse sweep, from all float results to all float arguments."""
    wrt, targets = float_positions(traced.in_avals), float_positions(traced.out_avals)
    if not (wrt and targets):
        return None
    splitting = Gradient("main", wrt, targets, split=True, suffix=APART)
    paths = [f"the cotangent of {path}" for path in tree.leaf_paths(traced.out_tree, "result")]
    cotangents = Late(targets, paths, traced.out_avals)
    return Plan(splitting, ("_fwd", "_bwd"), cotangents, wrt, traced.in_avals)


def _recomputing_vjp(
    f: Callable[..., Any], arguments: Arguments
) -> tuple[Any, Callable[[Any], Any]]:
    """`vjp` of a function that cannot be split: the pullback computes f again."""

    def in_trace(leaves: list[Any]) -> Any:
        return Reverse("vjp", f, arguments._replace(leaves=leaves)).result

    def pullback_of_call(leaves: list[Any], cotangent: Any) -> Any:
        reverse = Reverse("vjp", f, arguments._replace(leaves=leaves), again=True)
        return reverse.pullback(cotangent)

    in_trace.__name__ = pullback_of_call.__name__ = name_of(f)
    result = run(in_trace, (arguments.leaves,), {})
    shape = wrap_non_arrays(result)

    @hiding_frames
    def pullback(cotangent: Any) -> Any:
        given = tree.unflatten(tree.structure(shape), _cotangents(f, shape, cotangent))
        return run(pullback_of_call, (arguments.leaves, given), {})

    return result, pullback


def _cotangents(f: Callable[..., Any], result: Any, cotangent: Any) -> list[Any]:
    """Cotangent of each leaf of a result, or None; numbers take its dtype."""
    leaves, treedef = tree.flatten(result)
    paths = tree.leaf_paths(treedef, "result")
    avals = [abstract(y) for y in leaves]
    return directions_of("vjp", ("cotangent", cotangent), result, paths, avals, name_of(f))


def _placed(arguments: Arguments, chosen: Sequence[int], found: Sequence[Any]) -> Any:
    """Cotangents of chosen leaves in the structure of the arguments; None for the others."""
    cotangents = dict(zip(chosen, found, strict=True))
    args, _ = numbered(arguments)
    return tree.map(lambda i: cotangents.get(i) if isinstance(i, Position) else None, args)


class Reverse:
    """A call of f in the current trace, and its pullback; with `again` f was called before.

    Attributes
    ----------
    result
        The result of f.
    avals, paths
        Of the leaves of the arguments.
    out_avals, out_tree
        Of the result.
    nested : Traced
        f, traced.
    tags : dict
        The tagged values, with their avals, that `pull_back` returns cotangents of.
    """

    def __init__(
        self,
        function: str,
        f: Callable[..., Any],
        arguments: Arguments,
        chosen: Sequence[int] | None = None,
        *,
        again: bool = False,
    ) -> None:
        trace = current.trace
        assert trace is not None
        self._function = function
        self._f = f
        self._arguments = arguments
        self.paths = input_names(f, arguments)
        leaves = zip(arguments.leaves, self.paths, strict=True)
        self.avals = [abstract(x, path) for x, path in leaves]
        self._chosen = float_positions(self.avals) if chosen is None else chosen
        abstracted = arguments._replace(leaves=list(self.avals))
        static = StaticArguments(f, None)
        with trace.program.differentiating():
            nested = trace_call(f, static, abstracted, trace.program, self.paths)
        self.nested = nested
        self._is_called = again
        self.tags: dict[str, Aval] = {}
        self.out_avals, self.out_tree = nested.out_avals, nested.out_tree
        self._operands = [*map(as_tracer, arguments.leaves), *closed_over(nested)]

    @functools.cached_property
    def result(self) -> Any:
        """The result of f; the call is emitted on first access."""
        trace = current.trace
        assert trace is not None
        values = self._call(trace, self.nested.trace.name, self._operands, self.out_avals)
        return tree.unflatten(self.out_tree, values)

    def _call(self, trace: Trace, name: str, operands: list[Any], out_avals: list[Aval]) -> Any:
        """Call the function, or its derivative: its effects, and drawing with a key, count once."""
        with quiet() if self._is_called else nullcontext():
            found = call_function(trace, name, operands, out_avals, again=self._is_called)
        self._is_called = True
        return found

    def pullback(self, cotangent: Any) -> Any:
        """Cotangents of the arguments, in their structure; None for non-floats."""
        return _placed(self._arguments, self._chosen, self.pull_back(cotangent))

    def pull_back(self, cotangent: Any) -> list[Any]:
        """Cotangents of the chosen leaves of the arguments, then of the tagged values."""
        trace = current.trace
        assert trace is not None
        given = directions_of(
            self._function,
            ("cotangent", cotangent),
            tree.unflatten(self.out_tree, self.out_avals),
            tree.leaf_paths(self.out_tree, "result"),
            self.out_avals,
            name_of(self._f),
        )
        targets = [i for i, g in enumerate(given) if g is not None]
        seeds = [operand_of(given[i], self.out_avals[i]) for i in targets]
        inputs = [x.aval for x in self._operands]
        name = declare_vjp(trace, self.nested, inputs, self._chosen, targets, self.tags)
        of_leaves = [self.avals[i] for i in self._chosen]
        out_avals = [*self.out_avals, *of_leaves, *self.tags.values()]
        results = self._call(trace, name, [*self._operands, *seeds], out_avals)
        return results[len(self.out_avals) :]
