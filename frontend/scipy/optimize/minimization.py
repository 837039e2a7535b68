"""`minimize`: unconstrained minimisation with gradients, in one program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl.control_flow.loops import while_loop
from anvl.jacobians.dense_jacobians import hvp
from anvl.optim.lbfgs import lbfgs_direction, remembered
from anvl.optim.line_search import wolfe_search
from anvl.runtime import hiding_frames
from anvl.transforms.grad import value_and_grad

__all__ = ["OptimizeResults", "minimize"]


class OptimizeResults(NamedTuple):
    """Result of `minimize`: a pytree of arrays.

    Attributes
    ----------
    x : array
        The solution.
    success : array
        Whether it converged.
    status : array
        0 converged, 1 limit of iterations, 2 the line search failed, 3 not finite.
    fun, jac : array
        The value and the gradient at the solution.
    nfev, nit : array
        The numbers of evaluations and of iterations, i32.
    """

    x: Any
    success: Any
    status: Any
    fun: Any
    jac: Any
    nfev: Any
    nit: Any

    def message(self) -> str:
        """What `status` says, of a concrete result."""
        return _MESSAGES[int(self.status)]


_MESSAGES = (
    "the gradient is small enough",
    "the limit of iterations was reached",
    "the line search found no lower value",
    "the function or its gradient is not finite",
)


class _State(NamedTuple):
    x: Any
    value: Any
    grad: Any
    memory: Any
    status: Any  # -1 while the search goes on
    evaluations: Any
    steps: Any


_NAMES = ("BFGS", "L-BFGS", "Newton-CG")
#: As SciPy takes them, in capitals or not; L-BFGS-B without bounds is L-BFGS, as is JAX's name.
_METHODS = {name.lower(): name for name in _NAMES} | dict.fromkeys(
    ("l-bfgs-b", "l-bfgs-experimental-do-not-rely-on-this"), "L-BFGS"
)


@hiding_frames
def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    method: str = "BFGS",
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:
    """Find a minimum of a function of a vector, from a starting point.

    Works in `jit` and `vmap`.

    Parameters
    ----------
    fun : callable
        fun(x, *args), a number.
    x0 : array of shape (n,)
    args : tuple, optional
    method : {"BFGS", "L-BFGS", "Newton-CG"}
    tol : float, optional
        The search ends where the largest element of the gradient is at most this; 1e-5 by default.
    options : dict, optional
        `maxiter` (200 n), `gtol` (as `tol`), `maxls` (evaluations in a line search, 20), `maxcor`
        (steps that L-BFGS remembers, 10).

    Returns
    -------
    OptimizeResults

    Raises
    ------
    TypeError, ValueError
        `x0` is no vector, or `args` no tuple; an unknown method or option.

    Notes
    -----
    For the derivative of the minimum use `custom_root`: that of the search goes through its steps.

    Source: J. Nocedal and S. Wright, Numerical Optimization (2006), algorithms 6.1, 7.4 and 7.1.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import optimize
    >>> found = optimize.minimize(lambda x: np.sum((x - 3.0) ** 2), np.zeros(2))
    >>> print(found.x, found.success)
    [3. 3.] True
    """
    if not isinstance(args, tuple):
        raise TypeError(f"minimize: args is {args!r}; give a tuple, such as (args,)")
    chosen = _METHODS.get(str(method).lower())
    if chosen is None:
        raise ValueError(f"minimize: method is {method!r}; it must be one of {', '.join(_NAMES)}")
    start = anp.asarray(x0)
    start = start if start.dtype.kind in "fV" else anp.astype(start, float)
    if start.ndim != 1:
        raise TypeError(f"minimize: x0 has shape {list(start.shape)}; give a vector")
    limits = _Options.of(options or {}, tol, start.shape[0])
    return _Minimizer(lambda x: fun(x, *args), chosen, limits).found(start)


class _Options(NamedTuple):
    maxiter: int
    gtol: float
    maxls: int
    maxcor: int

    @classmethod
    def of(cls, given: Mapping[str, Any], tol: float | None, size: int) -> _Options:
        unknown = sorted(set(given) - set(cls._fields) - {"norm"})
        if unknown:
            raise ValueError(
                f"minimize: the options {', '.join(unknown)} are unknown; there are "
                f"{', '.join(cls._fields)}"
            )
        gtol = given.get("gtol", 1e-5 if tol is None else tol)
        return cls(
            int(given.get("maxiter") or 200 * max(size, 1)), float(gtol),
            int(given.get("maxls", 20)), int(given.get("maxcor", 10)),
        )  # fmt: skip


class _Minimizer(NamedTuple):
    fun: Callable[[Any], Any]
    method: str
    options: _Options

    def found(self, start: Any) -> OptimizeResults:
        value, grad = self.evaluated(start)
        status = anp.where(self.is_small(grad), 0, self.lost(value, grad, -1))
        one = anp.ones((), "int32")
        state = _State(
            start, value, grad, self.memory(start), anp.astype(status, "int32"), one, 0 * one
        )
        end = while_loop(self.goes_on, self.step, state)
        status = anp.where(anp.equal(end.status, -1), 1, end.status)
        return OptimizeResults(
            end.x, anp.equal(status, 0), status, end.value, end.grad, end.evaluations, end.steps
        )

    def evaluated(self, x: Any) -> tuple[Any, Any]:
        value, grad = value_and_grad(self.fun)(x)
        return anp.astype(value, x.dtype), grad

    def is_small(self, grad: Any) -> Any:
        if grad.shape[0] == 0:
            return anp.ones((), "bool")
        return anp.less_equal(anp.max(anp.abs(grad)), self.options.gtol)

    def lost(self, value: Any, grad: Any, otherwise: Any) -> Any:
        finite = anp.logical_and(anp.isfinite(value), anp.all(anp.isfinite(grad)))
        return anp.where(finite, otherwise, 3)

    def goes_on(self, state: _State) -> Any:
        return anp.logical_and(
            anp.equal(state.status, -1), anp.less(state.steps, self.options.maxiter)
        )

    def memory(self, x: Any) -> Any:
        size = x.shape[0]
        if self.method == "BFGS":
            return anp.eye(size, dtype=x.dtype)
        if self.method == "Newton-CG":
            return ()
        kept = self.options.maxcor
        rings = [anp.zeros((kept, size), x.dtype) for _ in range(2)]
        return (*rings, anp.zeros((kept,), x.dtype), anp.ones((), x.dtype))

    def direction(self, state: _State) -> Any:
        grad = state.grad
        if self.method == "BFGS":
            return anp.negative(anp.matmul(state.memory, grad))
        if self.method == "L-BFGS":
            steps, changes, weights, scale = state.memory
            start = anp.remainder(state.steps, self.options.maxcor)
            return anp.negative(lbfgs_direction(grad, steps, changes, weights, scale, start))
        return self.newton(state)

    def newton(self, state: _State) -> Any:
        """Conjugate gradients for the Newton step, until the curvature is not positive."""
        grad = state.grad
        size = anp.sqrt(anp.vdot(grad, grad))
        enough = anp.multiply(anp.minimum(0.5, anp.sqrt(size)), size)

        def goes_on(carry: Any) -> Any:
            k, _, rest, _, done = carry
            large = anp.greater(anp.sqrt(anp.vdot(rest, rest)), enough)
            return anp.logical_and(
                anp.logical_not(done), anp.logical_and(large, anp.less(k, 10 * grad.shape[0]))
            )

        def step(carry: Any) -> Any:
            k, z, rest, d, _ = carry
            bent = hvp(self.fun, (state.x,), (d,))[0]
            curvature, square = anp.vdot(d, bent), anp.vdot(rest, rest)
            flat = anp.less_equal(curvature, 0)
            alpha = square / anp.where(flat, 1, curvature)
            first = anp.equal(k, 0)
            moved = anp.where(flat, anp.where(first, d, z), z + alpha * d)
            after = rest + alpha * bent
            beta = anp.vdot(after, after) / anp.where(anp.equal(square, 0), 1, square)
            return k + 1, moved, anp.where(flat, rest, after), beta * d - after, flat

        start = (
            anp.zeros((), "int32"), anp.zeros_like(grad), grad, anp.negative(grad),
            anp.zeros((), "bool"),
        )  # fmt: skip
        return while_loop(goes_on, step, start)[1]

    def step(self, state: _State) -> _State:
        d = self.direction(state)
        downhill = anp.less(anp.vdot(d, state.grad), 0)
        d = anp.where(downhill, d, anp.negative(state.grad))
        size = anp.sqrt(anp.vdot(d, d))
        first = anp.where(
            anp.logical_and(anp.equal(state.steps, 0), self.method != "Newton-CG"),
            anp.minimum(1, 1 / anp.where(anp.equal(size, 0), 1, size)), 1,
        )  # fmt: skip
        found = wolfe_search(
            self.evaluated, state.x, d, state.value, state.grad, first,
            max_steps=self.options.maxls,
        )  # fmt: skip
        x = state.x + found.near * d
        moved = anp.greater(found.near, 0)
        status = anp.where(self.is_small(found.grad), 0, anp.where(moved, -1, 2))
        status = anp.astype(self.lost(found.value, found.grad, status), "int32")
        memory = self.learned(state, x - state.x, found.grad - state.grad)
        return _State(
            x, found.value, found.grad, memory, status, state.evaluations + found.count,
            state.steps + 1,
        )  # fmt: skip

    def learned(self, state: _State, step: Any, change: Any) -> Any:
        product, square = anp.vdot(step, change), anp.vdot(change, change)
        bends = anp.greater(product, 0)
        weight = anp.where(bends, 1 / anp.where(bends, product, 1), 0)
        scale = anp.where(bends, product / anp.where(bends, square, 1), 1)
        if self.method == "L-BFGS":
            steps, changes, weights, old = state.memory
            rings = remembered(
                (steps, changes, weights), (step, change, weight),
                anp.remainder(state.steps, self.options.maxcor),
            )  # fmt: skip
            return (*rings, anp.where(bends, scale, old))
        if self.method == "Newton-CG":
            return ()
        # The first matrix is scaled to the curvature found (Nocedal and Wright, equation 6.20).
        inverse = anp.where(anp.equal(state.steps, 0), scale * state.memory, state.memory)
        left = anp.eye(step.shape[0], dtype=step.dtype) - weight * anp.outer(step, change)
        updated = anp.matmul(anp.matmul(left, inverse), anp.matrix_transpose(left))
        return anp.where(bends, updated + weight * anp.outer(step, step), inverse)
