"""`custom_root` and `custom_linear_solve`: solvers whose derivatives need no step of the solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.core.arguments import name_of
from anvl.core.promote import abstract, as_tracer
from anvl.runtime import hiding_frames
from anvl.transforms.aux_results import with_constant_aux
from anvl.transforms.closures import closure_convert
from anvl.transforms.custom_rules import custom_jvp, custom_vjp
from anvl.transforms.declare import check_callable, run
from anvl.transforms.jvp import jvp
from anvl.transforms.linear_transpose import linear_transpose
from anvl.transforms.stop_gradient import stop_gradient
from anvl.transforms.vjp import vjp

__all__ = ["custom_linear_solve", "custom_root"]

_Function = Callable[..., Any]


@hiding_frames
def custom_root(
    f: _Function,
    initial_guess: Any,
    solve: _Function,
    tangent_solve: _Function,
    has_aux: bool = False,
) -> Any:
    """Find x with `f(x) = 0` by a solver of your own; the derivative is that of the root.

    Reverse and forward mode follow from the implicit function theorem, `dx = -J^-1 df`, where J is
    the derivative of f at the root, and df that with respect to what f closes over; nothing of the
    solver's work is kept or differentiated.

    Parameters
    ----------
    f : callable
        Maps x to a pytree of the structure, dtypes and shapes of x.  May close over traced values.
    initial_guess : pytree of float arrays
        It has no derivative.
    solve : callable
        `solve(f, initial_guess)` returns the root; with `has_aux`, the root and anything else.
    tangent_solve : callable
        `tangent_solve(g, y)` solves `g(x) = y` for a linear g.  For reverse mode it must be linear
        in y: for scalars `lambda g, y: y / g(1.0)`, else `custom_linear_solve` or a direct solver.
    has_aux : bool
        Whether `solve` returns a pair, of which only the root has a derivative.

    Returns
    -------
    The root, with `has_aux` a pair of it and what `solve` returned as second.

    Raises
    ------
    TypeError, ValueError
        A function cannot be called, or `f(x)` differs from x in dtypes, shapes or structure.
    MissingRule
        In reverse mode: `tangent_solve` is not linear in y.

    Notes
    -----
    Source: A. Griewank and A. Walther, Evaluating Derivatives (SIAM, 2008), section 15.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> def newton(f, x):
    ...     step = lambda i, x: x - f(x) / anvl.grad(f)(x)
    ...     return anvl.fori_loop(0, 6, step, x)
    >>> def root(a):
    ...     return anvl.custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> print(root(4.0), anvl.grad(root)(4.0))
    2.0 0.25
    """
    for function in (f, solve, tangent_solve):
        check_callable("custom_root", function)

    def in_trace(guess: Any) -> Any:
        return _root(f, guess, _Solver("custom_root", solve, has_aux), tangent_solve)

    return _run(in_trace, f, initial_guess)


def _run(in_trace: _Function, f: _Function, x: Any) -> Any:
    in_trace.__name__ = name_of(f)
    return run(in_trace, (x,), {})


def _root(f: _Function, guess: Any, solver: _Solver, tangent_solve: _Function) -> Any:
    guess = tree.map(lambda x: stop_gradient(as_tracer(x)), guess)
    closed, params = closure_convert(f, guess)
    _check_same("custom_root", f, guess, closed(guess, *params))

    def of_params(guess: Any, params: list[Any]) -> Any:
        return solver(lambda x: closed(x, *params), guess)

    function, others = closure_convert(of_params, guess, params)

    @custom_jvp
    def root(guess: Any, params: list[Any], others: list[Any]) -> Any:
        return function(guess, params, *others)

    @root.defjvp
    def root_jvp(primals: Any, result: Any, tangents: Any) -> Any:
        (_, params, _), (_, moved, _) = primals, tangents
        x, aux = result
        _, change = jvp(lambda *values: closed(x, *values), params, moved)

        def along(v: Any) -> Any:
            return jvp(lambda x: closed(x, *params), (x,), (v,))[1]

        return tangent_solve(along, tree.map(lambda t: -t, change)), _nothing(aux)

    return solver.result(*root(guess, params, others))


@hiding_frames
def custom_linear_solve(
    matvec: _Function,
    b: Any,
    solve: _Function,
    transpose_solve: _Function | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
) -> Any:
    """Solve `matvec(x) = b` by a solver of your own; derivatives are solves of the same kind.

    Differentiable in every mode and order, with respect to b and to what `matvec` closes over;
    nothing of the solver's work is kept or differentiated.

    Parameters
    ----------
    matvec : callable
        A linear function of x, which is like b.  May close over traced values.
    b : pytree of float arrays
    solve : callable
        `solve(matvec, b)` returns x; with `has_aux`, x and anything else.
    transpose_solve : callable, optional
        `transpose_solve(vecmat, b)` solves the transposed equation; reverse mode needs it, unless
        `symmetric`, or where the ops of `solve` are linear in b.
    symmetric : bool
        Whether `matvec` is its own transpose, so that `solve` serves for both.
    has_aux : bool
        Whether the solvers return pairs, of which only x has a derivative.

    Returns
    -------
    x, with `has_aux` a pair of it and what `solve` returned as second.

    Raises
    ------
    TypeError, ValueError
        A function cannot be called, or `matvec(b)` differs from b in dtypes, shapes, structure.
    MissingRule
        In reverse mode: `transpose_solve` is needed.

    Notes
    -----
    Source: M. Giles, An extended collection of matrix derivative results (2008), section 2.2.3.

    Examples
    --------
    >>> import anvl, anvl.numpy as np, numpy
    >>> a = numpy.asarray([2.0, 4.0])
    >>> def loss(a):
    ...     jacobi = lambda matvec, b: b / matvec(np.ones_like(b))
    ...     x = anvl.custom_linear_solve(lambda x: a * x, np.ones_like(a), jacobi, symmetric=True)
    ...     return np.sum(x)
    >>> print(anvl.grad(loss)(a))
    [-0.25   -0.0625]
    """
    solvers = _checked_solvers(matvec, solve, solve if symmetric else transpose_solve)

    def in_trace(b: Any) -> Any:
        return _Solves(matvec, tree.map(as_tracer, b), solvers, symmetric, has_aux).result()

    return _run(in_trace, matvec, b)


def _checked_solvers(
    matvec: _Function, solve: _Function, transposed: _Function | None
) -> dict[str, _Function]:
    solvers = {"forward": solve} | ({} if transposed is None else {"transposed": transposed})
    for function in (matvec, *solvers.values()):
        check_callable("custom_linear_solve", function)
    return solvers


class _Solver:
    """A solver that returns a pair: x, and the arrays of aux; what else is in aux stays here."""

    def __init__(self, function: str, solve: _Function, has_aux: bool) -> None:
        self._solve = with_constant_aux(solve, function) if has_aux else solve
        self._has_aux = has_aux
        self._aux_tree: Any = None

    def __call__(self, *args: Any) -> tuple[Any, list[Any]]:
        """Solve."""
        found = self._solve(*args)
        if not self._has_aux:
            return found, []
        arrays, self._aux_tree = tree.flatten(found[1])
        return found[0], arrays

    def result(self, x: Any, arrays: list[Any]) -> Any:
        """The root or solution, with aux as the solver returned it."""
        return (x, tree.unflatten(self._aux_tree, arrays)) if self._has_aux else x


class _Solves:
    """A solver, and that of the transposed equation, each of which is in the rule of the other.

    Each is one function with one rule, made once: a rule that makes functions would never end.
    """

    def __init__(
        self,
        matvec: _Function,
        b: Any,
        solvers: dict[str, _Function],
        symmetric: bool,
        has_aux: bool,
    ) -> None:
        self._matvec, self._consts = closure_convert(matvec, b)
        self._b = b
        _check_same("custom_linear_solve", matvec, b, self._matvec(b, *self._consts))
        self._is_symmetric = symmetric
        self._has_transpose = "transposed" in solvers
        self._solvers = {
            which: _Solver("custom_linear_solve", solve, has_aux)
            for which, solve in solvers.items()
        }
        self._functions: dict[str, Any] = {}
        self._others: dict[str, list[Any]] = {}  # traced values that the solvers close over
        for which, solve in solvers.items():
            self._functions[which] = self._function(which, name_of(solve))

    def result(self) -> Any:
        """The solution of the equation, with aux if there is any."""
        found = self._solved("forward", self._b, self._consts, self._others)
        return self._solvers["forward"].result(*found)

    def _solved(self, which: str, b: Any, consts: Any, others: Any) -> Any:
        """The solution, and the arrays of aux, of the equation or of the transposed one."""
        return self._functions[which](b, consts, others)

    def _function(self, which: str, name: str) -> _Function:
        """The function of a solver, with its rule."""

        def of_operands(b: Any, consts: Any) -> Any:
            return self._solvers[which](lambda x: self._applied(which, x, consts), b)

        function, self._others[which] = closure_convert(of_operands, self._b, self._consts)

        def closed(b: Any, consts: Any, others: Any) -> Any:
            return function(b, consts, *others[which])

        # Errors of reverse mode name the function.
        closed.__name__ = name if self._has_transpose else f"{name}_without_transpose_solve"
        return self._ruled(which, closed)

    def _applied(self, which: str, x: Any, consts: Any) -> Any:
        if which == "forward" or self._is_symmetric:
            return self._matvec(x, *consts)
        return linear_transpose(lambda v: self._matvec(v, *consts), x)(x)[0]

    def _ruled(self, which: str, closed: _Function) -> _Function:
        """The function with a rule: of reverse mode, if there is a transposed solver."""
        of_tangents = custom_jvp(closed)

        @of_tangents.defjvp
        def solve_jvp(primals: Any, result: Any, tangents: Any) -> Any:
            (_, consts, others), (db, moved, _) = primals, tangents
            x, aux = result
            _, change = jvp(lambda consts: self._applied(which, x, consts), (consts,), (moved,))
            difference = tree.map(lambda d, c: d - c, db, change)
            return self._solved(which, difference, consts, others)[0], _nothing(aux)

        of_cotangents = custom_vjp(closed)

        @of_cotangents.defvjp
        def solve_vjp(primals: Any, result: Any, cotangent: Any) -> Any:
            (_, consts, others), (x, _) = primals, result
            opposite = "forward" if which == "transposed" else "transposed"
            back, _ = self._solved(opposite, cotangent[0], consts, others)
            _, pullback = vjp(lambda consts: self._applied(which, x, consts), consts)
            (of_consts,) = pullback(tree.map(lambda v: -v, back))
            return back, of_consts, _nothing(others)

        return of_cotangents if self._has_transpose else of_tangents


def _nothing(values: Any) -> Any:
    """No derivative for any leaf."""
    return tree.map(lambda _: None, values)


def _check_same(function: str, f: _Function, x: Any, found: Any) -> None:
    difference = tree.structure_difference(x, found)
    if difference is not None:
        raise ValueError(
            f"{function}: {name_of(f)} returns another structure than it takes: {difference}"
        )
    for path, a, b in zip(tree.leaf_paths(x, "x"), tree.leaves(x), tree.leaves(found), strict=True):
        if abstract(a).type != abstract(b).type:
            raise TypeError(
                f"{function}: {name_of(f)} returns {abstract(b)} where {path} is {abstract(a)}; it "
                "must keep dtypes and shapes"
            )
