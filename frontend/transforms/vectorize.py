"""Functions of vectors and numbers over arrays of these: names of `anvl.numpy` that need `vmap`.

Source: NumPy's manual, "Functional programming" and "Generalized universal function API".
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core.promote import broadcast_shapes
from anvl.dispatch.graph import eval_shape
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.creation import asarray, zeros
from anvl.numpy.arrays.shaping import broadcast_to, expand_dims, moveaxis, reshape
from anvl.runtime import hiding_frames
from anvl.transforms.vmap import vmap

__all__ = ["apply_along_axis", "apply_over_axes", "vectorize"]


class _Signature(NamedTuple):
    """Names of the core axes of each argument and of each result."""

    inputs: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, ...], ...]


_GROUP = r"\(\s*(?:\w+(?:\s*,\s*\w+)*)?\s*\)"
_GROUPS = rf"{_GROUP}(?:\s*,\s*{_GROUP})*"


def _parsed(text: str) -> _Signature:
    if not isinstance(text, str) or not re.fullmatch(
        rf"\s*(?:{_GROUPS})?\s*->\s*{_GROUPS}\s*", text
    ):
        raise ValueError(f"vectorize: {text!r} is no signature; write one such as '(m,n),(n)->(m)'")
    sides = [
        tuple(tuple(re.findall(r"\w+", group)) for group in re.findall(_GROUP, side))
        for side in text.split("->")
    ]
    return _Signature(*sides)


@hiding_frames
def vectorize(
    pyfunc: Callable[..., Any],
    *,
    excluded: Collection[int | str] = (),
    signature: str | None = None,
) -> Callable[..., Any]:
    """Make a function of numbers, or of vectors and matrices, one of arrays of these.

    The arrays broadcast; the function is mapped over their elements by `vmap`: it runs once.

    Parameters
    ----------
    pyfunc : callable
    excluded : collection of int and str
        Positions and names of arguments that are passed on as they are.
    signature : str, optional
        The core axes of arguments and results, such as "(m,n),(n)->(m)"; by default numbers.

    Returns
    -------
    A callable.

    Raises
    ------
    ValueError
        No such signature, or arguments that do not fit it.

    Notes
    -----
    With a signature keyword arguments are passed on as they are.  Source: `numpy.vectorize`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> convolve = np.vectorize(np.convolve, signature="(n),(m)->(k)")
    >>> print(convolve(np.eye(2), np.asarray([1.0, 2.0])))
    [[1. 2. 0.]
     [0. 1. 2.]]
    """
    if not callable(pyfunc):
        raise TypeError(f"vectorize: takes a function, got {pyfunc!r}")
    core = None if signature is None else _parsed(signature)
    left_out = frozenset(excluded)

    @functools.wraps(pyfunc)
    def vectorized(*args: Any, **kwargs: Any) -> Any:
        places = [i for i in range(len(args)) if i not in left_out]
        names = [] if core else [name for name in kwargs if name not in left_out]
        arrays = [asarray(args[i]) for i in places] + [asarray(kwargs[name]) for name in names]

        def of_arrays(*xs: Any) -> Any:
            given = list(args)
            for i, x in zip(places, xs, strict=False):
                given[i] = x
            own = dict(zip(names, xs[len(places) :], strict=True))
            return pyfunc(*given, **{**kwargs, **own})

        return _mapped(of_arrays, arrays, _core_axes(core, arrays))

    return vectorized


def _core_axes(core: _Signature | None, arrays: Sequence[Any]) -> list[int]:
    """How many core axes each argument has, after a check of their sizes."""
    if core is None:
        return [0] * len(arrays)
    if len(core.inputs) != len(arrays):
        raise ValueError(
            f"vectorize: the signature has {len(core.inputs)} arguments, got {len(arrays)}"
        )
    sizes: dict[str, int] = {}
    for names, x in zip(core.inputs, arrays, strict=True):
        if x.ndim < len(names):
            raise ValueError(
                f"vectorize: an argument of shape {x.shape} has not the core axes "
                f"({','.join(names)})"
            )
        for name, size in zip(names, x.shape[x.ndim - len(names) :], strict=True):
            wanted = int(name) if name.isdigit() else sizes.setdefault(name, size)
            if size != wanted:
                raise ValueError(f"vectorize: the core axis {name} has sizes {wanted} and {size}")
    return [len(names) for names in core.inputs]


def _mapped(f: Callable[..., Any], arrays: Sequence[Any], n_core: Sequence[int]) -> Any:
    """Map f over the leading axes of arrays, which broadcast."""
    pairs = list(zip(arrays, n_core, strict=True))
    loop = broadcast_shapes((), *[x.shape[: x.ndim - n] for x, n in pairs], function="vectorize")
    if not loop:
        return f(*arrays)
    count = math.prod(loop)
    cores = [x.shape[x.ndim - n :] for x, n in pairs]
    if count == 0:
        of_one = eval_shape(f, *[zeros(c, x.dtype) for (x, _), c in zip(pairs, cores, strict=True)])
        return tree.map(lambda y: zeros((*loop, *y.shape), y.dtype), of_one)
    rows = [
        reshape(broadcast_to(x, (*loop, *c)), (count, *c))
        for (x, _), c in zip(pairs, cores, strict=True)
    ]
    return tree.map(lambda y: reshape(y, (*loop, *y.shape[1:])), vmap(f)(*rows))


@hiding_frames
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """Apply a function to all vectors along an axis, by `vmap`: it runs once, on all of them.

    Parameters
    ----------
    func1d : callable
        Called with a vector, and with `args` and `kwargs`; returns an array.
    axis : int
    arr : array
    *args, **kwargs

    Returns
    -------
    An array: in place of the axis are those of what the function returns.

    Raises
    ------
    ValueError
        `arr` does not have this axis.

    Notes
    -----
    Source: `numpy.apply_along_axis`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.apply_along_axis(np.cumsum, 1, np.ones((2, 3))))
    [[1. 2. 3.]
     [1. 2. 3.]]
    """
    x = asarray(arr)
    at = axis_of(axis, x.ndim, "apply_along_axis")
    y = _mapped(lambda row: func1d(row, *args, **kwargs), [moveaxis(x, at, -1)], [1])
    found = asarray(y)
    n_loop = x.ndim - 1
    new = tuple(range(n_loop, found.ndim))
    return moveaxis(found, new, tuple(range(at, at + len(new)))) if new else found


@hiding_frames
def apply_over_axes(func: Callable[..., Any], a: Any, axes: int | Sequence[int]) -> Any:
    """Apply a function of an array and an axis over several axes, one after the other.

    `func(x, axis)` returns an array with as many axes, or without that one, which is put back with
    size 1.  Raises `ValueError` if it returns another number of axes.
    Source: `numpy.apply_over_axes`.

    Parameters
    ----------
    func : callable
        Takes an array and an axis.
    a : array
    axes : int or sequence of int

    Returns
    -------
    Array of as many axes as a.

    References
    ----------
    https://numpy.org/doc/stable/reference/generated/numpy.apply_over_axes.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.apply_over_axes(np.sum, np.ones((2, 3)), (0, 1)))
    [[6.]]
    """
    x = asarray(a)
    n = x.ndim
    for axis in (axes,) if isinstance(axes, int | np.integer) else axes:
        at = axis_of(axis, n, "apply_over_axes")
        y = func(x, at)
        x = y if y.ndim == n else expand_dims(y, at)
        if x.ndim != n:
            raise ValueError(
                f"apply_over_axes: the function made {y.ndim} axes of {n}; it must keep them, or "
                "leave out one"
            )
    return x
