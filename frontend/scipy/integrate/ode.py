"""Initial value problems with an adaptive step; the trapezoidal rule."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.loops import scan, while_loop
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of
from anvl.runtime import hiding_frames
from anvl.transforms.stop_gradient import stop_gradient

__all__ = ["odeint", "trapezoid"]

# The pair of orders 5 and 4 of J. R. Dormand and P. J. Prince, A family of embedded Runge-Kutta
# formulae (1980), table 2: nodes, rows of the matrix (the last gives the solution), and the weights
# of the error.
_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_ROWS = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


class _Step(NamedTuple):
    """State of the integration: time, solution, derivative there, next step, steps so far."""

    t: Any
    y: Any
    slope: Any
    h: Any
    count: Any


@hiding_frames
def odeint(
    func: Callable[..., Any],
    y0: Any,
    t: Any,
    *args: Any,
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    mxstep: int = 100_000,
    hmax: float = float("inf"),
) -> Any:
    """Solve dy/dt = func(y, t, *args) from y(t[0]) = y0, with an adaptive step.

    Parameters
    ----------
    func : callable
        func(y, t, *args), of the structure, shapes and dtypes of y.
    y0 : pytree of arrays of floats
    t : array of shape (n,)
        Times, ascending or descending; steps end at each.
    *args : pytrees
        Further arguments.
    rtol, atol : float
        The error of a step allowed in each element: atol + rtol |y|, in the root mean square.
    mxstep, hmax
        The most steps between two times, after which all is NaN; the largest step.

    Returns
    -------
    The solution at each time: like y0, with a first axis of n.

    Raises
    ------
    TypeError
        t is no vector, or func returns something that is not like y.

    Notes
    -----
    Derivatives go through the steps that were made, whose lengths count as constants.  Names and
    arguments are those of `jax.experimental.ode.odeint`.

    Source: Dormand and Prince (1980); Hairer, Nørsett and Wanner, Solving Ordinary Differential
    Equations I (1993), section II.4.

    Examples
    --------
    >>> import numpy, anvl
    >>> from anvl.scipy import integrate
    >>> def end(rate):
    ...     return integrate.odeint(lambda y, t: -rate * y, 1.0, numpy.array([0.0, 1.0]))[-1]
    >>> slope = anvl.grad(end)(numpy.float64(1.0))
    >>> print(round(float(slope), 6), round(-numpy.exp(-1.0), 6))
    -0.367879 -0.367879
    """
    times = anp.asarray(t)
    if times.ndim != 1 or times.shape[0] == 0:
        raise TypeError(f"odeint: t has shape {list(times.shape)}; give a vector of times")
    times = times if times.dtype.kind == "f" else anp.astype(times, float)
    y0 = tree.map(lambda y: _as_float(y, times.dtype), y0)
    control = _Control(lambda y, s: func(y, s, *args), rtol, atol, mxstep, hmax)
    return control.solved(y0, times)


def _as_float(y: Any, dtype: Any) -> Any:
    if isinstance(y, int | float):
        return anp.asarray(y, dtype=dtype)
    y = anp.asarray(y)
    return y if y.dtype.kind in "fcV" else anp.astype(y, float)


def _sum(y: Any, slopes: Any, weights: Any, h: Any) -> Any:
    """y + h times the weighted sum of slopes, each in the dtype of y."""

    def one(a: Any, *ks: Any) -> Any:
        terms = [anp.multiply(k, w) for k, w in zip(ks, weights, strict=False) if w]
        change = functools.reduce(anp.add, terms)
        step = anp.astype(h, anp.real(a).dtype)
        return anp.add(a, anp.multiply(step, anp.astype(change, a.dtype)))

    return tree.map(one, y, *slopes)


class _Control(NamedTuple):
    f: Callable[[Any, Any], Any]
    rtol: float
    atol: float
    mxstep: int
    hmax: float

    def solved(self, y0: Any, times: Any) -> Any:
        first = self.slope(y0, times[0])
        start = _Step(
            times[0], y0, first, self.first_step(y0, first, times), anp.zeros((), "int32")
        )

        def reach(state: _Step, target: Any) -> tuple[_Step, Any]:
            state = self.advanced(state._replace(count=anp.zeros((), "int32")), target)
            return state, state.y

        _, rest = scan(reach, start, times[1:])
        return tree.map(lambda a, b: anp.concatenate([a[None], b]), y0, rest)

    def slope(self, y: Any, t: Any) -> Any:
        found = self.f(y, t)
        difference = tree.structure_difference(y, found)
        if difference is not None:
            raise TypeError(f"odeint: func returns another structure than y: {difference}")
        return tree.map(lambda k, a: anp.astype(k, a.dtype), found, y)

    def first_step(self, y: Any, slope: Any, times: Any) -> Any:
        """A step in which y changes by a hundredth (Hairer, II.4)."""
        size, speed = self.norm(y, y), self.norm(slope, y)
        small = anp.logical_or(anp.less(size, 1e-5), anp.less(speed, 1e-5))
        guess = anp.where(small, 1e-6, 0.01 * size / anp.where(small, 1, speed))
        return stop_gradient(anp.astype(anp.minimum(guess, self.hmax), times.dtype))

    def norm(self, change: Any, y: Any) -> Any:
        """Root mean square of the elements over the error allowed."""

        def one(e: Any, a: Any) -> Any:
            return anp.sum(anp.square(anp.abs(e) / (self.atol + self.rtol * anp.abs(a))))

        total = functools.reduce(anp.add, tree.leaves(tree.map(one, change, y)))
        count = sum(a.size for a in tree.leaves(y))
        return anp.sqrt(total / max(count, 1))

    def advanced(self, state: _Step, target: Any) -> _Step:
        sign = anp.astype(anp.where(anp.less(target, state.t), -1, 1), state.t.dtype)

        def goes_on(s: _Step) -> Any:
            before = anp.greater(anp.multiply(sign, anp.subtract(target, s.t)), 0)
            return anp.logical_and(before, anp.less(s.count, self.mxstep))

        end = while_loop(goes_on, lambda s: self.tried(s, target, sign), state)
        reached = anp.logical_not(goes_on(end._replace(count=anp.zeros((), "int32"))))
        return end._replace(y=tree.map(lambda a: anp.where(reached, a, anp.nan), end.y))

    def tried(self, s: _Step, target: Any, sign: Any) -> _Step:
        rest = anp.subtract(target, s.t)
        last = anp.greater_equal(s.h, anp.abs(rest))
        h = anp.where(last, rest, anp.multiply(sign, s.h))
        slopes = [s.slope]
        y = s.y
        for node, row in zip(_NODES, _ROWS, strict=True):
            y = _sum(s.y, slopes, row, h)
            slopes.append(self.slope(y, anp.add(s.t, anp.multiply(node, h))))
        nothing = tree.map(anp.zeros_like, s.y)
        larger = tree.map(lambda a, b: anp.maximum(anp.abs(a), anp.abs(b)), s.y, y)
        error = stop_gradient(self.norm(_sum(nothing, slopes, _ERROR, h), larger))
        good = anp.less_equal(error, 1)  # False for NaN
        factor = 0.9 * anp.power(anp.maximum(error, 1e-10), -0.2)
        factor = anp.where(anp.isfinite(error), anp.clip(factor, 0.2, 10.0), 0.2)
        next_h = anp.minimum(anp.astype(factor, s.h.dtype) * stop_gradient(anp.abs(h)), self.hmax)
        # A last step that was cut short says nothing against the longer one.
        next_h = anp.where(anp.logical_and(last, good), anp.maximum(next_h, s.h), next_h)

        def chosen(new: Any, old: Any) -> Any:
            return tree.map(lambda a, b: anp.where(good, a, b), new, old)

        t = anp.where(good, anp.where(last, target, anp.add(s.t, h)), s.t)
        return _Step(t, chosen(y, s.y), chosen(slopes[-1], s.slope), next_h, s.count + 1)


@public("axis")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Integral of samples by the trapezoidal rule.

    Parameters
    ----------
    y : array
    x : array, optional
        Where the samples are: of the shape of y, or of the axis.
    dx : float
        Their distance, without x.
    axis : int

    Returns
    -------
    Array without the axis; integers give floats.

    Raises
    ------
    ValueError
        x does not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import integrate
    >>> print(integrate.trapezoid(np.asarray([1.0, 2.0, 3.0])))
    4.0
    """
    (y,), _ = promoted("trapezoid", (y,), "float")
    at = axis_of(axis, y.ndim, "trapezoid")
    rows = anp.moveaxis(y, at, -1)
    middle = anp.multiply(0.5, anp.add(rows[..., 1:], rows[..., :-1]))
    if x is None:
        return anp.multiply(dx, anp.sum(middle, axis=-1))
    x = anp.asarray(x)
    if x.ndim != 1 and x.shape != y.shape:
        raise ValueError(
            f"trapezoid: x has shape {list(x.shape)}, y {list(y.shape)}; give it that shape"
        )
    places = x if x.ndim == 1 else anp.moveaxis(x, at, -1)
    if places.shape[-1] != rows.shape[-1]:
        raise ValueError(f"trapezoid: x has {places.shape[-1]} samples, y has {rows.shape[-1]}")
    return anp.sum(anp.multiply(middle, anp.diff(places)), axis=-1)
