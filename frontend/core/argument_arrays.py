"""Arguments as arrays on a device: conversion of NumPy arrays and Python numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from anvl.core import config
from anvl.core.arguments import Arguments, input_names, name_of, remedy
from anvl.core.avals import aval
from anvl.core.promote import NUMBER_LEVELS, abstract, common_dtype, number_value
from anvl.core.ranges import check_fits
from anvl.runtime import Array, Placement, ShardedPlacement, default_placement, placement_of, put

__all__ = ["arrays_of", "converted", "is_open", "number_dtype", "scalar_array"]


def arrays_of(
    arguments: Arguments,
    f: Callable[..., Any],
    counts_from: int | None = None,
    pinned: Sequence[Placement | None] | None = None,
    donated: Collection[int] = (),
) -> list[Array]:
    """Leaves of the arguments of f as device arrays.

    In a function of anvl numbers take their dtypes from the arrays among the leaves from number
    `counts_from` on; it is None for others.  Arrays are moved to `pinned`, if given, but for those
    where it is None.  Without it numbers and NumPy arrays go where the first array is; beside an
    array over a mesh these, and arrays on one of its devices, go to each of them.  The leaves at
    `donated` are new arrays if they were none, as the program deletes them.
    """
    leaves = arguments.leaves
    if pinned is not None:
        arrays = [
            x if type(x) is Array else _as_array(x, arguments, i, f, counts_from, place)
            for i, (x, place) in enumerate(zip(leaves, pinned, strict=True))
        ]
        arrays = [
            x if place is None or x.aval.placement is place else put(x, place)
            for x, place in zip(arrays, pinned, strict=True)
        ]
    else:
        place = placement_of(leaves)
        arrays = [
            x if type(x) is Array else _as_array(x, arguments, i, f, counts_from, place)
            for i, x in enumerate(leaves)
        ]
        if isinstance(place, ShardedPlacement):
            arrays = [_beside(x, place) for x in arrays]
    for i in donated:
        if type(leaves[i]) in NUMBER_LEVELS:  # the arrays of numbers are cached
            arrays[i] = arrays[i].copy()
    return arrays


def is_open(arguments: Arguments) -> bool:
    """Whether no argument decides where the program runs: numbers and NumPy arrays do not."""
    return not any(type(x) is Array for x in arguments.leaves)


def _beside(x: Array, place: ShardedPlacement) -> Array:
    """An array that meets others over a mesh: one on a device of it is copied to each."""
    of = x.aval.placement
    is_on_one = not isinstance(of, ShardedPlacement) and of.devices[0] in place.devices
    return put(x, place) if is_on_one else x


def _as_array(
    x: Any,
    arguments: Arguments,
    i: int,
    f: Callable[..., Any],
    counts_from: int | None,
    place: Placement | None,
) -> Array:
    try:
        if type(x) not in NUMBER_LEVELS:
            return put(_checked(x), place)
        # A number passed to a user's function has the default dtype; one passed to anvl's own
        # function takes its dtype from the arrays beside it.
        return scalar_array(x, _dtype_beside(x, arguments.leaves, counts_from), place)
    except (TypeError, OverflowError) as error:
        path = input_names(f, arguments)[i]
        advice = remedy(f, x, path) if isinstance(error, TypeError) else ""
        raise type(error)(f"{name_of(f)}: argument {path}: {error}{advice}") from None


def converted(args: tuple[Any, ...], counts_from: int | None) -> list[Array] | None:
    """Arguments with NumPy arrays and numbers as device arrays; None if none needs it, or any
    other.  `counts_from` is as of `arrays_of`."""
    arrays, n_converted = [], 0
    place = placement_of(args)
    for x in args:
        of = type(x)
        if of is Array:
            arrays.append(x)
            continue
        if of is np.ndarray and x.dtype.kind in "fiucb":
            arrays.append(put(x, place))
        elif of is float or of is int or of is bool:
            arrays.append(scalar_array(x, _dtype_beside(x, args, counts_from), place))
        else:
            return None
        n_converted += 1
    return arrays if n_converted else None


def _dtype_beside(
    number: complex, leaves: Sequence[Any], counts_from: int | None
) -> np.dtype[Any] | None:
    """Dtype that a number takes from arrays beside it, as a literal does in a trace.

    None if no array is of its kind: the number then has the default dtype.
    """
    if counts_from is None:
        return None
    counted = leaves[counts_from:]
    dtypes = {x.dtype for x in counted if isinstance(x, Array | np.ndarray | np.generic)}
    return number_dtype(type(number), tuple(dtypes))


def _number_dtype(of: type, dtypes: tuple[np.dtype[Any], ...]) -> np.dtype[Any] | None:
    if of is bool or not dtypes:
        return None
    try:
        common, _ = common_dtype(*[aval(d) for d in dtypes])
    except TypeError:  # incompatible dtypes: reported where they are promoted
        return None
    if of is complex and common == np.float64:
        return np.dtype(np.complex128)
    if of is not complex and common.kind == "c":  # it stays real: it may be compared
        return np.empty(0, common).real.dtype
    return common if aval(common).level >= NUMBER_LEVELS[of] else None


#: The dtype that a number of type `of` takes from these; the latest answers are kept.
number_dtype: Callable[[type, tuple[np.dtype[Any], ...]], np.dtype[Any] | None] = (
    functools.lru_cache(4096)(_number_dtype)
)


def scalar_array(
    x: complex, dtype: np.dtype[Any] | None = None, place: Placement | None = None
) -> Array:
    """A weak device array of a Python number; recent ones are cached: a transfer costs 3 us.

    It is at `place`, or on the default device.  Its dtype is the default of its kind, or `dtype`;
    raises `OverflowError` if that cannot hold it.
    """
    # Cache keys must be equal bit for bit: 0.0 and -0.0 differ, also within a complex number.
    place = place or default_placement()
    key = type(x), x if x and type(x) is not complex else repr(x), config.version(), dtype, place
    known = _scalars.get(key)
    if known is not None:
        return known
    if len(_scalars) >= _MAX_SCALARS:
        _scalars.clear()
    if dtype is None:
        value = number_value(x, abstract(x))
    else:
        check_fits(x, dtype)
        value = np.asarray(x).astype(dtype)
    made = _scalars[key] = put(value, place, weak_type=True)
    return made


_MAX_SCALARS = 1024
_scalars: dict[Any, Array] = {}


def _checked(x: Any) -> Any:
    """Validate an argument leaf; a subclass of a number becomes that number."""
    of = abstract(x)
    return number_value(x, of) if of.weak_type and not isinstance(x, Array) else x
