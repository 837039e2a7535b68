"""Schedules: functions from the number of steps so far to a number, such as a learning rate.

A number of steps is an int, an integer array or a tracer; the result has the default float dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import anvl.numpy as anp
from anvl.core.config import default_dtype

__all__ = [
    "constant_schedule", "cosine_decay_schedule", "cosine_onecycle_schedule", "exponential_decay",
    "join_schedules", "linear_onecycle_schedule", "linear_schedule", "piecewise_constant_schedule",
    "piecewise_interpolate_schedule", "polynomial_schedule", "sgdr_schedule",
    "warmup_constant_schedule", "warmup_cosine_decay_schedule",
    "warmup_exponential_decay_schedule",
]  # fmt: skip

Schedule = Callable[[Any], Any]


def _steps(count: Any) -> Any:
    """The number of steps as a float: integers would overflow when they are multiplied."""
    return anp.astype(count, default_dtype(float))


def constant_schedule(value: Any) -> Schedule:
    """The same value at each step.

    >>> from anvl import optim
    >>> print(optim.constant_schedule(0.1)(7))
    0.1
    """
    return lambda count: value


def polynomial_schedule(
    init_value: Any,
    end_value: Any,
    power: Any,
    transition_steps: int,
    transition_begin: int = 0,
) -> Schedule:
    """From one value to another, by a power of the part that is left.

    Parameters
    ----------
    init_value, end_value : float
    power : float
        1 is a straight line.
    transition_steps : int
        The length of the way; 0 or less keeps `init_value`.
    transition_begin : int
        The number of steps before it begins; below 0 it stands for 0.

    Examples
    --------
    >>> from anvl import optim
    >>> schedule = optim.polynomial_schedule(1.0, 0.0, power=2, transition_steps=10)
    >>> print(schedule(5))
    0.25
    """
    if transition_steps <= 0:
        return constant_schedule(init_value)
    begin = max(transition_begin, 0)

    def schedule(count: Any) -> Any:
        done = anp.clip(_steps(count) - begin, 0, transition_steps)
        return (init_value - end_value) * (1 - done / transition_steps) ** power + end_value

    return schedule


def linear_schedule(
    init_value: Any, end_value: Any, transition_steps: int, transition_begin: int = 0
) -> Schedule:
    """From one value to another in a straight line: `polynomial_schedule` with power 1.

    >>> from anvl import optim
    >>> print(optim.linear_schedule(0.0, 1.0, 10)(5))
    0.5
    """
    return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)


def piecewise_constant_schedule(
    init_value: Any, boundaries_and_scales: Mapping[int, float] | None = None
) -> Schedule:
    """A value that is multiplied by a factor at each boundary.

    Parameters
    ----------
    init_value : float
    boundaries_and_scales : dict, optional
        From a number of steps to a factor.

    Raises
    ------
    ValueError
        A factor is negative.

    Examples
    --------
    >>> from anvl import optim
    >>> schedule = optim.piecewise_constant_schedule(1.0, {10: 0.5, 20: 0.5})
    >>> print(schedule(9), schedule(10), schedule(25))
    1.0 0.5 0.25
    """
    scales = _checked_scales("piecewise_constant_schedule", boundaries_and_scales)

    def schedule(count: Any) -> Any:
        value = anp.asarray(init_value, dtype=default_dtype(float))
        for boundary, factor in scales:
            value = anp.where(anp.less(count, boundary), value, value * factor)
        return value

    return schedule


def _checked_scales(name: str, scales: Mapping[int, float] | None) -> list[tuple[int, float]]:
    if scales is not None and not isinstance(scales, Mapping):
        raise TypeError(f"{name}: boundaries_and_scales is {scales!r}; give a dict")
    found = sorted((scales or {}).items())
    negative = {at: factor for at, factor in found if factor < 0}
    if negative:
        raise ValueError(f"{name}: factors are negative: {negative}; give factors of at least 0")
    return found


def piecewise_interpolate_schedule(
    interpolate_type: str, init_value: Any, boundaries_and_scales: Mapping[int, float] | None = None
) -> Schedule:
    """A value that is multiplied by a factor up to each boundary, with a smooth way between them.

    Parameters
    ----------
    interpolate_type : {"linear", "cosine"}
    init_value : float
    boundaries_and_scales : dict, optional
        From a number of steps to a factor of the value at the boundary before.

    Raises
    ------
    ValueError
        A factor is negative, or the type is another.

    Examples
    --------
    >>> from anvl import optim
    >>> schedule = optim.piecewise_interpolate_schedule("linear", 1.0, {10: 3.0})
    >>> print(schedule(0), schedule(5), schedule(20))
    1.0 2.0 3.0
    """
    between = {"linear": _linear, "cosine": _cosine}.get(interpolate_type)
    if between is None:
        raise ValueError(
            f"piecewise_interpolate_schedule: interpolate_type is {interpolate_type!r}; it must be "
            "'linear' or 'cosine'"
        )
    scales = _checked_scales("piecewise_interpolate_schedule", boundaries_and_scales)

    def schedule(count: Any) -> Any:
        steps, start = _steps(count), 0
        value = start_value = anp.asarray(init_value, dtype=default_dtype(float))
        for boundary, factor in scales:
            end_value = start_value * factor
            part = anp.clip((steps - start) / max(boundary - start, 1), 0, 1)
            inside = between(start_value, end_value, part)
            value = anp.where(anp.less(count, boundary), value, end_value)
            here = anp.logical_and(anp.less_equal(start, count), anp.less(count, boundary))
            value = anp.where(here, inside, value)
            start, start_value = boundary, end_value
        return value

    return schedule


def _linear(start: Any, end: Any, part: Any) -> Any:
    return (end - start) * part + start


def _cosine(start: Any, end: Any, part: Any) -> Any:
    return end + (start - end) / 2 * (anp.cos(math.pi * part) + 1)


def exponential_decay(
    init_value: Any,
    transition_steps: int,
    decay_rate: Any,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: Any = None,
) -> Schedule:
    """init_value * decay_rate^(steps / transition_steps).

    Parameters
    ----------
    init_value : float
    transition_steps : int
        The steps in which the value is multiplied once; 0 or less keeps `init_value`.
    decay_rate : float
        The factor; 0 keeps `init_value`.
    transition_begin : int
        The number of steps before the decay begins.
    staircase : bool
        Whole powers only.
    end_value : float, optional
        A bound that the value does not cross.

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.exponential_decay(1.0, transition_steps=10, decay_rate=0.25)(5))
    0.5
    """
    if transition_steps <= 0 or decay_rate == 0:
        return constant_schedule(init_value)
    begin = max(transition_begin, 0)
    bounded = anp.maximum if decay_rate < 1 else anp.minimum

    def schedule(count: Any) -> Any:
        after = _steps(count) - begin
        part = after / transition_steps
        part = anp.floor(part) if staircase else part
        value = anp.where(anp.less_equal(after, 0), init_value, init_value * decay_rate**part)
        return value if end_value is None else bounded(value, end_value)

    return schedule


def cosine_decay_schedule(
    init_value: Any, decay_steps: Any, alpha: Any = 0.0, exponent: Any = 1.0
) -> Schedule:
    """From init_value to alpha * init_value along half a cosine.

    Parameters
    ----------
    init_value : float
    decay_steps : int
        The length of the way.
    alpha : float
        The least value, as a part of `init_value`.
    exponent : float
        The cosine, which goes from 1 to 0, is raised to this power.

    Raises
    ------
    ValueError
        `decay_steps` is not positive.

    Source: Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017).

    Examples
    --------
    >>> from anvl import optim
    >>> print(round(float(optim.cosine_decay_schedule(1.0, 10)(5)), 6))
    0.5
    """
    if not decay_steps > 0:
        raise ValueError(
            f"cosine_decay_schedule: decay_steps is {decay_steps}; it must be positive"
        )

    def schedule(count: Any) -> Any:
        part = anp.minimum(_steps(count), decay_steps) / decay_steps
        # cos^2 of half the angle is (1 + cos) / 2, without the loss of digits near the end.
        half = anp.square(anp.cos(math.pi / 2 * part))
        return init_value * ((1 - alpha) * half**exponent + alpha)

    return schedule


def linear_onecycle_schedule(
    transition_steps: int,
    peak_value: Any,
    pct_start: float = 0.3,
    pct_final: float = 0.85,
    div_factor: float = 25.0,
    final_div_factor: float = 1e4,
) -> Schedule:
    """Up to the peak, down again, and on to almost 0, in straight lines.

    Parameters
    ----------
    transition_steps : int
        The length of the cycle.
    peak_value : float
    pct_start, pct_final : float
        The parts of the cycle after which the peak, and the first value again, are reached.
    div_factor : float
        The first value is peak_value / div_factor.
    final_div_factor : float
        The last value is the first one / final_div_factor.

    Raises
    ------
    ValueError
        `transition_steps` is not positive.

    Source: Smith and Topin, Super-convergence: very fast training of neural networks using large
    learning rates (2017).

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.linear_onecycle_schedule(10, 1.0)(3))
    1.0
    """
    _checked_cycle("linear_onecycle_schedule", transition_steps)
    return piecewise_interpolate_schedule(
        "linear",
        peak_value / div_factor,
        {
            int(pct_start * transition_steps): div_factor,
            int(pct_final * transition_steps): 1 / div_factor,
            transition_steps: 1 / final_div_factor,
        },
    )


def cosine_onecycle_schedule(
    transition_steps: int,
    peak_value: Any,
    pct_start: float = 0.3,
    div_factor: float = 25.0,
    final_div_factor: float = 1e4,
) -> Schedule:
    """Up to the peak and down to almost 0, along half cosines.

    Parameters, errors and source as in `linear_onecycle_schedule`.

    >>> from anvl import optim
    >>> print(optim.cosine_onecycle_schedule(10, 1.0)(3))
    1.0
    """
    _checked_cycle("cosine_onecycle_schedule", transition_steps)
    return piecewise_interpolate_schedule(
        "cosine",
        peak_value / div_factor,
        {
            int(pct_start * transition_steps): div_factor,
            transition_steps: 1 / (div_factor * final_div_factor),
        },
    )


def _checked_cycle(name: str, steps: int) -> None:
    if steps <= 0:
        raise ValueError(f"{name}: transition_steps is {steps}; it must be positive")


def warmup_constant_schedule(init_value: Any, peak_value: Any, warmup_steps: int) -> Schedule:
    """From init_value to peak_value in a straight line, and constant from there on.

    >>> from anvl import optim
    >>> schedule = optim.warmup_constant_schedule(0.0, 1.0, 10)
    >>> print(schedule(5), schedule(50))
    0.5 1.0
    """
    return linear_schedule(init_value, peak_value, warmup_steps)


def warmup_cosine_decay_schedule(
    init_value: Any,
    peak_value: Any,
    warmup_steps: int,
    decay_steps: int,
    end_value: Any = 0.0,
    exponent: Any = 1.0,
) -> Schedule:
    """Up to the peak in a straight line, then down along half a cosine.

    Parameters
    ----------
    init_value, peak_value, end_value : float
    warmup_steps, decay_steps : int
        The steps up to the peak, and those of both parts together.
    exponent : float
        As in `cosine_decay_schedule`.

    Raises
    ------
    ValueError
        `decay_steps` is not above `warmup_steps`.

    Examples
    --------
    >>> from anvl import optim
    >>> schedule = optim.warmup_cosine_decay_schedule(0.0, 1.0, 10, 30)
    >>> print(schedule(5), schedule(10), round(float(schedule(20)), 6))
    0.5 1.0 0.5
    """
    if decay_steps <= warmup_steps:
        raise ValueError(
            f"warmup_cosine_decay_schedule: decay_steps is {decay_steps}, which counts the "
            f"{warmup_steps} steps of warm-up, too; it must be above them"
        )
    alpha = 0.0 if peak_value == 0 else end_value / peak_value
    return join_schedules(
        [
            linear_schedule(init_value, peak_value, warmup_steps),
            cosine_decay_schedule(peak_value, decay_steps - warmup_steps, alpha, exponent),
        ],
        [warmup_steps],
    )


def warmup_exponential_decay_schedule(
    init_value: Any,
    peak_value: Any,
    warmup_steps: int,
    transition_steps: int,
    decay_rate: Any,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: Any = None,
) -> Schedule:
    """Up to the peak in a straight line, then an `exponential_decay`, whose parameters it takes.

    >>> from anvl import optim
    >>> schedule = optim.warmup_exponential_decay_schedule(0.0, 1.0, 10, 10, 0.25)
    >>> print(schedule(5), schedule(10), schedule(15))
    0.5 1.0 0.5
    """
    return join_schedules(
        [
            linear_schedule(init_value, peak_value, warmup_steps),
            exponential_decay(
                peak_value, transition_steps, decay_rate, transition_begin, staircase, end_value
            ),
        ],
        [warmup_steps],
    )


def join_schedules(schedules: Sequence[Schedule], boundaries: Sequence[int]) -> Schedule:
    """Schedules one after the other, each with steps of its own from 0 on.

    Parameters
    ----------
    schedules : sequence of schedules
    boundaries : sequence of int
        The steps at which the second, third ... begins.

    Raises
    ------
    ValueError
        There is not one boundary less than there are schedules.

    Examples
    --------
    >>> from anvl import optim
    >>> parts = [optim.constant_schedule(1.0), optim.linear_schedule(1.0, 0.0, 10)]
    >>> print(optim.join_schedules(parts, [100])(105))
    0.5
    """
    if len(boundaries) != len(schedules) - 1:
        raise ValueError(
            f"join_schedules: {len(schedules)} schedules have {len(schedules) - 1} boundaries, got "
            f"{list(boundaries)}"
        )

    def schedule(count: Any) -> Any:
        value = schedules[0](count)
        for boundary, following in zip(boundaries, schedules[1:], strict=True):
            after = anp.subtract(count, boundary)
            value = anp.where(anp.less(count, boundary), value, following(after))
        return value

    return schedule


def sgdr_schedule(cosine_kwargs: Iterable[Mapping[str, Any]]) -> Schedule:
    """Several `warmup_cosine_decay_schedule` one after the other: warm restarts.

    Parameters
    ----------
    cosine_kwargs : iterable of dict
        The keywords of each part.

    Notes
    -----
    Source: as of `cosine_decay_schedule`.

    Examples
    --------
    >>> from anvl import optim
    >>> part = dict(init_value=0.0, peak_value=1.0, warmup_steps=10, decay_steps=30)
    >>> print(optim.sgdr_schedule([part, part])(35))
    0.5
    """
    parts = list(cosine_kwargs)
    ends = [sum(p["decay_steps"] for p in parts[: i + 1]) for i in range(len(parts))]
    return join_schedules([warmup_cosine_decay_schedule(**p) for p in parts], ends[:-1])
