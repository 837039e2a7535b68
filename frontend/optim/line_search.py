"""Line searches: how far to go along a direction.

Note [One loop for both phases]
The search for strong Wolfe conditions brackets a step and then zooms into the bracket (J. Nocedal
and S. Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6).  Both phases treat a trial
alike: a bad one becomes the far end; a good one becomes the near end, and the old near end the far
one if the slope says so.  The far end of a bracket that is not closed is infinite, so one loop with
one evaluation serves both, and the near end is the result: it satisfies sufficient decrease, or is
0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.conditions import cond
from anvl.control_flow.loops import while_loop
from anvl.optim.protocol import GradientTransformationExtraArgs, needs_params
from anvl.optim.trees import tree_vdot, zeros_for
from anvl.transforms.grad import value_and_grad

__all__ = [
    "BacktrackingLinesearchInfo", "ScaleByBacktrackingLinesearchState",
    "ScaleByZoomLinesearchState", "WolfeSearch", "ZoomLinesearchInfo",
    "scale_by_backtracking_linesearch", "scale_by_zoom_linesearch", "value_and_grad_from_state",
    "wolfe_search",
]  # fmt: skip


class WolfeSearch(NamedTuple):
    """State of `wolfe_search`: near and far end of the bracket, the next trial, and counters.

    `near` has the value, gradient and slope at its step.
    """

    count: Any
    trial: Any
    near: Any
    value: Any
    grad: Any
    slope: Any
    far: Any
    far_value: Any
    far_slope: Any
    done: Any


def wolfe_search(
    value_and_gradient: Callable[[Any], tuple[Any, Any]],
    params: Any,
    direction: Any,
    value: Any,
    grad: Any,
    first: Any,
    *,
    max_steps: int = 20,
    max_step: float | None = None,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    near_optimum: float = 1e-6,
    shortest: float = 1e-12,
    increase: float = 2.0,
) -> WolfeSearch:
    """Find a step that satisfies the strong Wolfe conditions: Note [One loop for both phases].

    Where values differ from the first by less than `near_optimum` of it, rounding hides the
    decrease, and slopes decide (W. Hager and H. Zhang, Algorithm 851: CG_DESCENT (2006),
    equation 4).
    """
    dtype = anp.asarray(value).dtype
    slope0 = anp.astype(tree_vdot(direction, grad), dtype)
    rule = _Rule(value, slope0, decrease, curvature, near_optimum, shortest, increase, max_step)

    def goes_on(s: WolfeSearch) -> Any:
        return anp.logical_and(anp.logical_not(s.done), anp.less(s.count, max_steps))

    def step(s: WolfeSearch) -> WolfeSearch:
        v, g = value_and_gradient(moved(params, s.trial, direction))
        slope = anp.astype(tree_vdot(direction, g), dtype)
        return rule.narrowed(s, anp.astype(v, dtype), g, slope)

    zero, far = anp.zeros((), dtype), anp.full((), anp.inf, dtype)
    start = WolfeSearch(
        anp.zeros((), "int32"), anp.astype(first, dtype), zero, anp.asarray(value), grad, slope0,
        far, far, zero, anp.logical_not(anp.less(slope0, 0)),
    )  # fmt: skip
    return while_loop(goes_on, step, start)


class _Rule(NamedTuple):
    """What the search asks of a trial: the first value and slope, and its constants."""

    value: Any
    slope: Any
    decrease: float
    curvature: float
    near_optimum: float
    shortest: float
    increase: float
    max_step: float | None

    def narrowed(self, s: WolfeSearch, v: Any, g: Any, slope: Any) -> WolfeSearch:
        """The bracket after a trial with this value, gradient and slope."""
        t = s.trial
        good, done = self.judged(s, v, slope)
        ahead = anp.where(anp.isinf(s.far), 1.0, s.far - s.near)
        turned = anp.logical_and(good, anp.greater_equal(slope * ahead, 0))
        near, near_v, near_slope = _choose(good, (t, v, slope), (s.near, s.value, s.slope))
        far = _choose(turned, (s.near, s.value, s.slope), (s.far, s.far_value, s.far_slope))
        far, far_v, far_slope = _choose(good, far, (t, v, slope))
        closed = anp.isfinite(far)
        width = anp.abs(far - near)
        stuck = anp.logical_and(closed, anp.less_equal(width, self.shortest * anp.abs(far)))
        larger = t * self.increase
        larger = larger if self.max_step is None else anp.minimum(larger, self.max_step)
        inside = _between(near, near_v, near_slope, far, far_v, far_slope)
        return WolfeSearch(
            s.count + 1, anp.where(closed, inside, larger), near, near_v,
            tree.map(lambda a, b: anp.where(good, a, b), g, s.grad), near_slope, far, far_v,
            far_slope, anp.logical_or(done, stuck),
        )  # fmt: skip

    def judged(self, s: WolfeSearch, v: Any, slope: Any) -> tuple[Any, Any]:
        """Whether a trial becomes the near end, and whether it ends the search; False for NaN."""
        small = anp.less_equal(v, self.value + self.near_optimum * anp.abs(self.value))
        enough_slope = anp.less_equal(slope, (2 * self.decrease - 1) * self.slope)
        by_slope = anp.logical_and(small, enough_slope)
        bound = self.value + self.decrease * s.trial * self.slope
        enough = anp.logical_or(anp.less_equal(v, bound), by_slope)
        worse = anp.logical_and(anp.greater_equal(v, s.value), anp.logical_not(by_slope))
        good = anp.logical_and(enough, anp.logical_not(worse))
        flat = anp.less_equal(anp.abs(slope), self.curvature * anp.abs(self.slope))
        if self.max_step is not None:
            at_end = anp.greater_equal(s.trial, self.max_step)
            open_end = anp.logical_and(
                anp.isinf(s.far), anp.logical_and(at_end, anp.less(slope, 0))
            )
            flat = anp.logical_or(flat, open_end)
        return good, anp.logical_and(good, flat)


def moved(params: Any, step: Any, direction: Any) -> Any:
    """params + step * direction, in the dtypes of the parameters."""

    def one(p: Any, d: Any) -> Any:
        p = anp.asarray(p)
        return anp.add(p, anp.multiply(anp.astype(step, p.dtype), anp.astype(d, p.dtype)))

    return tree.map(one, params, direction)


def _choose(condition: Any, xs: Any, ys: Any) -> Any:
    return tree.map(lambda x, y: anp.where(condition, x, y), xs, ys)


def _between(a: Any, fa: Any, da: Any, b: Any, fb: Any, db: Any) -> Any:
    """Minimum of the cubic through both ends, if it is well inside; else the middle.

    Source: Nocedal and Wright, equation 3.59.
    """
    d1 = da + db - 3 * (fa - fb) / (a - b)
    root = anp.maximum(d1 * d1 - da * db, 0)
    d2 = anp.sign(b - a) * anp.sqrt(root)
    found = b - (b - a) * (db + d2 - d1) / (db - da + 2 * d2)
    low, high = anp.minimum(a, b), anp.maximum(a, b)
    margin = 0.1 * (high - low)
    inside = anp.logical_and(
        anp.greater(found, low + margin), anp.less(found, high - margin)
    )  # False for NaN
    return anp.where(inside, found, (a + b) / 2)


class ZoomLinesearchInfo(NamedTuple):
    """What a search found: the number of evaluations, and by how much the conditions are missed."""

    num_linesearch_steps: Any
    decrease_error: Any
    curvature_error: Any


class ScaleByZoomLinesearchState(NamedTuple):
    """State of `scale_by_zoom_linesearch`: the last step, and value and gradient at its end."""

    learning_rate: Any
    value: Any
    grad: Any
    info: ZoomLinesearchInfo


class BacktrackingLinesearchInfo(NamedTuple):
    """What a search found: the number of evaluations, and by how much the condition is missed."""

    num_linesearch_steps: Any
    decrease_error: Any


class ScaleByBacktrackingLinesearchState(NamedTuple):
    """State of `scale_by_backtracking_linesearch`; `grad` is None unless it is stored."""

    learning_rate: Any
    value: Any
    grad: Any
    info: BacktrackingLinesearchInfo


def _value_dtype(params: Any) -> Any:
    leaves = [anp.real(anp.asarray(p)).dtype for p in tree.leaves(params)]
    if not leaves:
        raise ValueError("line search: params has no leaves; there is nothing to move")
    return leaves[0]


def scale_by_zoom_linesearch(
    max_linesearch_steps: int,
    max_learning_rate: float | None = None,
    tol: float = 0.0,
    increase_factor: float = 2.0,
    slope_rtol: float = 1e-4,
    curv_rtol: float = 0.9,
    approx_dec_rtol: float | None = 1e-6,
    stepsize_precision: float = 1e-12,
    initial_guess_strategy: str = "keep",
) -> GradientTransformationExtraArgs:
    """Scale the updates by a step that satisfies the strong Wolfe conditions.

    `update` takes the keywords `value`, `grad` (at params) and `value_fn`, and passes further
    keywords on to `value_fn`.

    Parameters
    ----------
    max_linesearch_steps : int
        The largest number of evaluations.
    max_learning_rate : float, optional
        The largest step.
    tol : float
        What the errors in `info` are reduced by; the search ends where both conditions hold.
    increase_factor : float
        Growth of the step until a bracket is found.
    slope_rtol, curv_rtol : float
        The constants of sufficient decrease and of curvature.
    approx_dec_rtol, stepsize_precision : float
        Relative change of the value below which slopes decide (None: never); least bracket.
    initial_guess_strategy : {"keep", "one"}
        The first trial: the step found last, or 1.

    Raises
    ------
    ValueError, TypeError
        An unknown strategy, or `update` without params; without value, grad or value_fn.

    Source: Note [One loop for both phases].

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_zoom_linesearch(max_linesearch_steps=10)
    >>> known = dict(value=16.0, grad=8.0, value_fn=lambda x: x**2)
    >>> bool(4.0 + tx.update(-1.0, tx.init(4.0), 4.0, **known)[0] < 4.0)
    True
    """
    if initial_guess_strategy not in ("keep", "one"):
        raise ValueError(
            f"scale_by_zoom_linesearch: initial_guess_strategy is {initial_guess_strategy!r}; it "
            "must be 'keep' or 'one'"
        )

    search = _Zoom(
        max_linesearch_steps, max_learning_rate, tol, increase_factor, slope_rtol, curv_rtol,
        approx_dec_rtol, stepsize_precision, initial_guess_strategy == "one",
    )  # fmt: skip
    return GradientTransformationExtraArgs(search.start, search.update)


class _Zoom(NamedTuple):
    """The parameters of `scale_by_zoom_linesearch`."""

    max_steps: int
    max_step: float | None
    tol: float
    increase: float
    decrease: float
    curvature: float
    near_optimum: float | None
    shortest: float
    begins_at_1: bool

    def start(self, params: Any) -> ScaleByZoomLinesearchState:
        dtype = _value_dtype(params)
        infinities = [anp.full((), anp.inf, dtype) for _ in range(3)]  # each may be donated
        info = ZoomLinesearchInfo(anp.zeros((), "int32"), *infinities[1:])
        return ScaleByZoomLinesearchState(
            anp.ones((), dtype), infinities[0], zeros_for(params), info
        )

    def update(
        self, updates: Any, state: Any, params: Any = None, *, value: Any, grad: Any,
        value_fn: Callable[..., Any], **extra: Any,
    ) -> tuple[Any, Any]:  # fmt: skip
        needs_params("scale_by_zoom_linesearch", params)
        dtype = state.value.dtype
        first = anp.ones((), dtype) if self.begins_at_1 else state.learning_rate
        first = anp.where(anp.greater(first, 0), first, 1)
        first = first if self.max_step is None else anp.minimum(first, self.max_step)
        value = anp.astype(value, dtype)
        found = wolfe_search(
            lambda x: value_and_grad(lambda p: value_fn(p, **extra))(x),
            params, updates, value, grad, first, max_steps=self.max_steps,
            max_step=self.max_step, decrease=self.decrease, curvature=self.curvature,
            near_optimum=self.near_optimum or 0.0, shortest=self.shortest, increase=self.increase,
        )  # fmt: skip
        slope = anp.astype(tree_vdot(updates, grad), dtype)
        decrease = found.value - value - self.decrease * found.near * slope
        bend = anp.abs(found.slope) - self.curvature * anp.abs(slope)
        errors = [anp.maximum(e - self.tol, 0) for e in (decrease, bend)]
        info = ZoomLinesearchInfo(found.count, *errors)
        state = ScaleByZoomLinesearchState(found.near, found.value, found.grad, info)
        return moved(zeros_for(updates), found.near, updates), state


def scale_by_backtracking_linesearch(
    max_backtracking_steps: int,
    slope_rtol: float = 1e-4,
    decrease_factor: float = 0.8,
    increase_factor: float = 1.5,
    max_learning_rate: float = 1.0,
    atol: float = 0.0,
    rtol: float = 0.0,
    store_grad: bool = False,
) -> GradientTransformationExtraArgs:
    """Scale the updates by a step that decreases the value enough: Armijo's condition.

    `update` takes the keywords `value`, `grad` (at params) and `value_fn`, and passes further
    keywords on to `value_fn`.  A step after which the value is not finite is not taken.

    Parameters
    ----------
    max_backtracking_steps : int
        The largest number of times that the step is decreased.
    slope_rtol : float
        The value must decrease by this part of step times slope.
    decrease_factor, increase_factor : float
        Factor of the step in the search, and from one search to the next.
    max_learning_rate : float
    atol, rtol : float
        The value may be larger by atol + rtol * value.
    store_grad : bool
        Keep the gradient at the end, for `value_and_grad_from_state`.

    Raises
    ------
    ValueError
        `update` without params.
    TypeError
        `update` without value, grad or value_fn.

    Source: J. Nocedal and S. Wright, Numerical Optimization (2006), algorithm 3.1.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_backtracking_linesearch(10)
    >>> f = lambda x: x**2
    >>> updates, state = tx.update(-8.0, tx.init(4.0), 4.0, value=16.0, grad=8.0, value_fn=f)
    >>> bool(f(4.0 + updates) < 16.0)
    True
    """

    search = _Backtracking(
        max_backtracking_steps, slope_rtol, decrease_factor, increase_factor, max_learning_rate,
        atol, rtol, store_grad,
    )  # fmt: skip
    return GradientTransformationExtraArgs(search.start, search.update)


class _Backtracking(NamedTuple):
    """The parameters of `scale_by_backtracking_linesearch`."""

    max_steps: int
    slope_rtol: float
    decrease: float
    increase: float
    max_step: float
    atol: float
    rtol: float
    store_grad: bool

    def start(self, params: Any) -> ScaleByBacktrackingLinesearchState:
        dtype = _value_dtype(params)
        info = BacktrackingLinesearchInfo(anp.zeros((), "int32"), anp.full((), anp.inf, dtype))
        grad = zeros_for(params) if self.store_grad else None
        return ScaleByBacktrackingLinesearchState(
            anp.ones((), dtype), anp.full((), anp.inf, dtype), grad, info
        )

    def update(
        self, updates: Any, state: Any, params: Any = None, *, value: Any, grad: Any,
        value_fn: Callable[..., Any], **extra: Any,
    ) -> tuple[Any, Any]:  # fmt: skip
        needs_params("scale_by_backtracking_linesearch", params)
        dtype = state.value.dtype
        value, slope = (anp.astype(x, dtype) for x in (value, tree_vdot(updates, grad)))

        def objective(p: Any) -> Any:
            return value_fn(p, **extra)

        def along(t: Any) -> Any:
            return anp.astype(objective(moved(params, t, updates)), dtype)

        first = anp.minimum(self.increase * state.learning_rate, self.max_step)
        count, t, new, error = self.searched(along, first, value, slope)
        is_lost = anp.isinf(error)
        t, new = anp.where(is_lost, 0, t), anp.where(is_lost, value, new)
        end = moved(params, t, updates)
        kept = value_and_grad(objective)(end)[1] if self.store_grad else None
        info = BacktrackingLinesearchInfo(count, error)
        state = ScaleByBacktrackingLinesearchState(t, new, kept, info)
        return moved(zeros_for(updates), t, updates), state

    def searched(
        self, along: Callable[[Any], Any], first: Any, value: Any, slope: Any
    ) -> tuple[Any, Any, Any, Any]:
        """Evaluations, step, value and error at the end."""

        def goes_on(search: Any) -> Any:
            not_yet = anp.logical_not(anp.less_equal(search[3], self.atol))
            return anp.logical_and(not_yet, anp.less_equal(search[0], self.max_steps))

        def step(search: Any) -> Any:
            count, t, _, _ = search
            t = anp.where(anp.greater(count, 0), self.decrease * t, t)
            new = along(t)
            error = new - (1 + self.rtol) * value - self.slope_rtol * t * slope
            error = anp.where(anp.isnan(error), anp.inf, anp.maximum(error, 0))
            return count + 1, t, new, error

        start = (anp.zeros((), "int32"), first, value, anp.full((), anp.inf, value.dtype))
        return while_loop(goes_on, step, start)


def value_and_grad_from_state(value_fn: Callable[..., Any]) -> Callable[..., Any]:
    """`value_and_grad` that takes both from the state of a line search, if it has them.

    Parameters
    ----------
    value_fn : callable
        From the parameters, and further arguments, to a number.

    Returns
    -------
    A function `f(params, *args, state, **kwargs) -> (value, grad)`.  They are computed where the
    state is fresh.

    Raises
    ------
    ValueError
        The state has no value and gradient.

    Examples
    --------
    >>> from anvl import optim
    >>> optimizer, x = optim.lbfgs(), 3.0
    >>> state = optimizer.init(x)
    >>> value, grad = optim.value_and_grad_from_state(lambda x: x**2)(x, state=state)
    >>> print(value, grad)
    9.0 6.0
    """

    def found(params: Any, *args: Any, state: Any, **kwargs: Any) -> tuple[Any, Any]:
        searched = _searched(state)
        if searched is None or searched.grad is None:
            raise ValueError(
                "value_and_grad_from_state: the state holds no value and gradient; use a line "
                "search that stores them, such as optim.lbfgs"
            )

        def computed() -> tuple[Any, Any]:
            value, grad = value_and_grad(lambda p: value_fn(p, *args, **kwargs))(params)
            return anp.astype(value, searched.value.dtype), grad

        known = anp.isfinite(searched.value)
        return cond(known, lambda: (searched.value, searched.grad), computed)

    return found


def _searched(state: Any) -> Any:
    """The state of a line search inside of a state."""
    if isinstance(state, ScaleByZoomLinesearchState | ScaleByBacktrackingLinesearchState):
        return state
    children = [child for _, child in tree.children(state)]
    return next((s for s in map(_searched, children) if s is not None), None)
