"""Elements chosen by conditions: NumPy's names.

Source: NumPy's manual, "Indexing routines" and `numpy.piecewise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.core.config import counting_dtype
from anvl.core.promote import broadcast_shapes, broadcast_to, convert, promoted
from anvl.core.ranges import integer_limits
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.creation import asarray, zeros_like
from anvl.numpy.arrays.indexing import take, take_along_axis
from anvl.numpy.arrays.shaping import expand_dims, ravel
from anvl.numpy.arrays.stacking import stack
from anvl.numpy.functions.arithmetic import remainder
from anvl.numpy.functions.elementwise import astype, maximum, minimum
from anvl.numpy.standard.nonzero import flatnonzero, on_host
from anvl.runtime import Array, hiding_frames

__all__ = ["choose", "compress", "extract", "piecewise", "select"]


@public()
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Of each element, the choice of the first condition that holds; `default` where none does.

    Conditions are bools; all arrays broadcast, and choices are promoted to one dtype.  The
    derivative goes to the choice that was taken, and is 0 in the others even if theirs is infinite.
    Raises `ValueError` for lists of different lengths or none, `TypeError` for conditions that are
    not bools.  Source: `numpy.select`.

    >>> import anvl.numpy as np
    >>> x = np.arange(6)
    >>> print(np.select([x < 2, x > 3], [-x, x * 10], 7))
    [ 0 -1  7  7 40 50]
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ValueError(
            f"select: {len(condlist)} conditions and {len(choicelist)} choices; give as many of "
            "both, at least one"
        )
    conditions = [array_like(c, "select") for c in condlist]
    for condition in conditions:
        if condition.dtype.kind != "b":
            raise TypeError(f"select: a condition is {condition.aval}; it must be a bool")
    given = [array_like(c, "select") if isinstance(c, list | tuple) else c for c in choicelist]
    (other, *choices), _ = promoted("select", (default, *given), broadcast=False)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        other = where(condition, choice, other)
    return other


@hiding_frames
def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    """A function defined by pieces: of each element, that of the last condition which holds.

    Parameters
    ----------
    x : array
    condlist : array or sequence of arrays of bools
        They broadcast to x.
    funclist : sequence of callables and numbers
        One for each condition; one more stands for elements where none holds, else they are 0.
    *args, **kw
        Passed to the functions.

    Returns
    -------
    An array of the dtype and shape of x.

    Raises
    ------
    ValueError
        There are not as many functions as conditions, or one more.

    Notes
    -----
    Each function is called with all of x, where NumPy gives it the elements of its condition: what
    it returns elsewhere, or its derivative there, does not matter.
    Source: `numpy.piecewise`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> x = np.asarray([-2.0, 0.0, 3.0])
    >>> print(np.piecewise(x, [x < 0, x > 0], [lambda x: -x, lambda x: x**2, 5.0]))
    [2. 5. 9.]
    """
    operand = asarray(x)
    several = isinstance(condlist, list | tuple) and any(_is_array(c) for c in condlist)
    conditions = list(condlist) if several else [asarray(condlist)]
    if not several and conditions[0].ndim > operand.ndim:
        conditions = list(conditions[0])
    n, m = len(conditions), len(funclist)
    if m not in (n, n + 1):
        raise ValueError(f"piecewise: with {n} conditions give {n} or {n + 1} functions, got {m}")
    y = _piece(funclist[n], operand, args, kw) if m > n else zeros_like(operand)
    for condition, f in zip(conditions, funclist, strict=False):
        y = where(asarray(condition), _piece(f, operand, args, kw), y)
    return y


def _is_array(x: Any) -> bool:
    return isinstance(x, Array | Tracer | np.ndarray | list | tuple)


def _piece(f: Any, x: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """A function of x, or a number, in the dtype of x."""
    found = f(x, *args, **kw) if callable(f) else f
    if isinstance(found, float) and x.dtype.kind in "fcV":
        return asarray(found, x.dtype)
    return astype(asarray(found), x.dtype)


@hiding_frames
def choose(a: Any, choices: Any, mode: str = "raise") -> Any:
    """Of each element the choice that `a` numbers, from arrays that broadcast.

    Parameters
    ----------
    a : array of integers
    choices : array or sequence of arrays
        Of an array, its slices along the first axis.
    mode : {"raise", "wrap", "clip"}
        What to do with numbers that are out of range; "raise" needs values that are known.

    Returns
    -------
    An array of the common shape and dtype of the choices.

    Raises
    ------
    ValueError
        A number is out of range, or another mode.
    TraceError
        The mode "raise", for a traced `a`.
    TypeError
        `a` does not hold integers.

    Notes
    -----
    Source: `numpy.choose`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.choose(np.asarray([1, 0]), [np.asarray([1, 2]), np.asarray([3, 4])]))
    [3 2]
    """
    which = asarray(a)
    if integer_limits(which.dtype) is None:
        raise TypeError(f"choose: takes integers, got {which.aval}")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"choose: mode {mode!r} is not one of raise, wrap, clip")
    count = len(choices)
    if mode == "raise":
        if isinstance(which, Tracer):
            raise TraceError(
                f"choose: {which.aval} is traced, so it cannot be checked; give the mode 'wrap' or "
                "'clip'"
            )
        values = np.asarray(which)
        if values.size and not 0 <= values.min() <= values.max() < count:
            raise ValueError(f"choose: a number is not one of 0 to {count - 1}")
    return _chosen(which, choices, mode)


@public("mode")
def _chosen(a: Any, choices: Any, mode: str) -> Any:
    which = array_like(a, "choose")
    if isinstance(choices, list | tuple):
        given = [array_like(c, "choose") for c in choices]
    else:
        given = list(array_like(choices, "choose"))
    count = len(given)
    which = remainder(which, count) if mode == "wrap" else minimum(maximum(which, 0), count - 1)
    operands, _ = promoted("choose", given, broadcast=False)
    shape = broadcast_shapes(which.shape, *[x.shape for x in operands], function="choose")
    stacked = stack([broadcast_to(x, shape) for x in operands])
    return take_along_axis(stacked, expand_dims(broadcast_to(which, shape), 0), 0)[0]


@hiding_frames
def compress(
    condition: Any, x: Any, axis: int | None = None, *, size: int | None = None, fill_value: Any = 0
) -> Any:
    """Slices of x along an axis where a vector of conditions holds; elements of flat x for None.

    Parameters
    ----------
    condition : array
        A vector, true where it is not 0; it may be shorter than the axis.
    x : array
    axis : int, optional
    size : int, optional
        The number of slices, which a traced condition must have: more are left out, fewer filled
        up with `fill_value`.
    fill_value : number

    Returns
    -------
    An array of the dtype of x.

    Raises
    ------
    ValueError
        `condition` is not a vector, or longer than the axis.
    TraceError
        `condition` is traced, and there is no size.

    Notes
    -----
    Source: `numpy.compress`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.compress(np.asarray([False, True, True]), np.asarray([1, 2, 3])))
    [2 3]
    """
    return _slices("compress", condition, x, axis, size, fill_value)


def _slices(name: str, condition: Any, x: Any, axis: int | None, size: Any, fill_value: Any) -> Any:
    flags = asarray(condition)
    on_host(flags, size, name)  # refuses a traced condition without a size
    if flags.ndim != 1:
        raise ValueError(f"{name}: the condition is {flags.aval}; it must be a vector")
    operand = asarray(x)
    operand = ravel(operand) if axis is None else operand
    along = 0 if axis is None else axis_of(axis, operand.ndim, name)
    length = operand.shape[along]
    if flags.shape[0] > length:
        raise ValueError(
            f"{name}: the condition {flags.aval} is longer than axis {along} of {operand.aval}"
        )
    if size is None:
        known = np.flatnonzero(np.asarray(flags))  # on the host, in a trace too
        return take(operand, known.astype(counting_dtype(length)), along)
    return _compressed(operand, flatnonzero(flags, size=size, fill_value=length), fill_value, along)


@public("axis")
def _compressed(x: Any, places: Any, fill_value: Any, axis: int) -> Any:
    """Slices at places, and `fill_value` where those are the size of the axis."""
    operand, at = array_like(x, "compress"), array_like(places, "compress")
    length = operand.shape[axis]
    inside = expand_dims(at < length, tuple(range(1, operand.ndim - axis)))
    filler = convert(array_like(fill_value, "compress"), operand.dtype)
    if length == 0:
        return broadcast_to(filler, (*operand.shape[:axis], *at.shape, *operand.shape[axis + 1 :]))
    return where(inside, take(operand, minimum(at, length - 1), axis), filler)


@hiding_frames
def extract(condition: Any, x: Any, *, size: int | None = None, fill_value: Any = 0) -> Any:
    """Elements of x where a condition of the same shape holds, as a vector.

    `size` is the number of elements, which a traced condition must have: more are left out, fewer
    filled up with `fill_value`.  Raises `TraceError` without it.  Source: `numpy.extract`.

    >>> import anvl.numpy as np
    >>> x = np.arange(6).reshape(2, 3)
    >>> print(np.extract(x % 2 == 0, x))
    [0 2 4]
    """
    flags, operand = asarray(condition), ravel(asarray(x))
    flags = np.asarray(flags).reshape(-1) if isinstance(flags, Array) else ravel(flags)
    return _slices("extract", flags, operand, None, size, fill_value)
