"""What functions are called with, as arrays on a device: NumPy's, and Python's numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core import config
from anvl.core.arguments import Arguments, input_names, name_of
from anvl.core.avals import aval
from anvl.core.promote import NUMBER_LEVELS, abstract, common_dtype, number_value
from anvl.core.ranges import check_fits
from anvl.runtime import Array, put

__all__ = ["arrays_of", "converted", "scalar_array", "taken"]


def arrays_of(arguments: Arguments, f: Callable[..., Any], is_ours: bool = False) -> list[Array]:
    """The leaves of the arguments of f as arrays on a device; `is_ours`, where f is."""
    return [
        x if type(x) is Array else _as_array(x, arguments, i, f, is_ours)
        for i, x in enumerate(arguments.leaves)
    ]


def _as_array(x: Any, arguments: Arguments, i: int, f: Callable[..., Any], is_ours: bool) -> Array:
    try:
        if type(x) not in NUMBER_LEVELS:
            return put(_checked(x))
        # A number that a person's function takes is of the default dtype, whatever it meets there;
        # one that ours takes is for the arrays beside it.
        return scalar_array(x, _beside(x, arguments.leaves) if is_ours else None)
    except (TypeError, OverflowError) as error:
        path = input_names(f, arguments)[i]
        raise type(error)(f"{name_of(f)}: argument {path}: {error}") from None


def converted(args: tuple[Any, ...], is_ours: bool) -> list[Array] | None:
    """NumPy arrays and numbers among the arguments as arrays; None if there are none, or others."""
    arrays, n_converted = [], 0
    for x in args:
        of = type(x)
        if of is Array:
            arrays.append(x)
            continue
        if of is np.ndarray and x.dtype.kind in "fiucb":
            arrays.append(put(x))
        elif of is float or of is bool:
            arrays.append(scalar_array(x, _beside(x, args) if is_ours else None))
        else:
            return None
        n_converted += 1
    return arrays if n_converted else None


def _beside(number: complex, others: Sequence[Any]) -> np.dtype[Any] | None:
    """The dtype that a number takes from arrays beside it, as a literal does in a trace.

    None where they have none of its kind: then it has the default dtype.
    """
    dtypes = {x.dtype for x in others if isinstance(x, Array | np.ndarray | np.generic)}
    return taken(type(number), tuple(dtypes))


def _taken(of: type, dtypes: tuple[np.dtype[Any], ...]) -> np.dtype[Any] | None:
    if of is bool or not dtypes:
        return None
    try:
        common, _ = common_dtype(*[aval(d) for d in dtypes])
    except TypeError:  # they do not meet; whoever makes them meet says so
        return None
    if of is complex and common == np.float64:
        return np.dtype(np.complex128)
    return common if aval(common).level >= NUMBER_LEVELS[of] else None


#: The dtype that a number of type `of` takes from these; the latest answers are kept.
taken: Callable[[type, tuple[np.dtype[Any], ...]], np.dtype[Any] | None] = functools.lru_cache(
    4096
)(_taken)


def scalar_array(x: complex, dtype: np.dtype[Any] | None = None) -> Array:
    """A Python number on the device, weak; the latest are kept: transferring costs 3 us.

    It has the default dtype of its kind, or `dtype`; `OverflowError` if that does not hold it.
    """
    # Equal keys must be equal bit for bit: 0.0 and -0.0 are not, alone or in a complex number.
    key = type(x), x if x and type(x) is not complex else repr(x), config.version(), dtype
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
    made = _scalars[key] = put(value, weak_type=True)
    return made


_MAX_SCALARS = 1024
_scalars: dict[Any, Array] = {}


def _checked(x: Any) -> Any:
    """Refuse what is no array, with our message; a subclass of a number is that number."""
    of = abstract(x)
    return number_value(x, of) if of.weak_type and not isinstance(x, Array) else x
