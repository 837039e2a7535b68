"""`take_lists`: functions of a namespace take lists of numbers where SciPy's take them.

    special.gammainc([1, 2], [[0.5], [2.0]])

A list, nested or not, is one array, as `anvl.numpy.asarray` makes it, also of tracers.  Beside
arrays of 64 bits it has 64 bits, as a Python number would.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import anvl.numpy as anp
from anvl.core.arguments import parameters_of
from anvl.runtime import explain_error, set_home

__all__ = ["take_lists"]

_LISTS = frozenset({list, tuple})
_WIDE = {"float32": "float64", "complex64": "complex128"}

#: Parameters whose lists are no arrays: something for each axis, pairs, names, pytrees.
_KEPT = frozenset(
    "args axes axis bc_type bp bw_method c_and_lower detrend extra_arguments fill_value "
    "kernel_size l_and_u lu_and_piv mode offset order origin output_shape radius select_range "
    "shape shift sigma size subset_by_index window xi y0 zoom".split()
)


def take_lists(names: Iterable[str], namespace: dict[str, Any], *kept: str) -> None:
    """Let the functions, the classes and the distributions among these names take lists.

    `kept` names more parameters whose lists are no arrays.
    """
    all_kept = _KEPT.union(kept)
    for name in names:
        x = namespace[name]
        if isinstance(x, FunctionType) or hasattr(x, "__wrapped__"):
            namespace[name] = _taking_lists(x, all_kept)
            set_home(namespace[name], namespace["__name__"], name)
        elif not isinstance(x, type):  # a distribution, of a class or with functions of its own
            _in_members(type(x), all_kept)
            _in_members(x, all_kept)
        elif x.__module__.startswith("anvl."):  # not `LinAlgError`, which is NumPy's
            _in_members(x, all_kept)


def _in_members(x: Any, kept: frozenset[str]) -> None:
    """The functions of a class or of an object, but for those that are private or done."""
    for name, member in [*vars(x).items()]:
        is_public = not name.startswith("_") or name in ("__init__", "__call__")
        if is_public and isinstance(member, FunctionType) and not hasattr(member, "takes_lists"):
            setattr(x, name, _taking_lists(member, kept))


def _taking_lists(f: Callable[..., Any], kept: frozenset[str]) -> Callable[..., Any]:
    @functools.wraps(f)
    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            if not _LISTS.isdisjoint(map(type, (*args, *kwargs.values()))):
                args, kwargs = _with_arrays(f, args, kwargs, kept)
            return f(*args, **kwargs)
        except Exception as error:
            explain_error(error, f, kwargs)
            raise

    function.takes_lists = True  # type: ignore[attr-defined]
    return function


def _with_arrays(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], kept: frozenset[str]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    positions = [name for name, at in parameters_of(f).known.items() if at is not None]
    names = positions + [""] * (len(args) - len(positions))  # the others are `*arrays`
    is_wide = any(_is_wide(x) for x in (*args, *kwargs.values()))

    def given(name: str, x: Any) -> Any:
        return x if name in kept else _array(x, is_wide)

    return (
        tuple(given(name, x) for name, x in zip(names, args, strict=False)),
        {name: given(name, x) for name, x in kwargs.items()},
    )


def _is_wide(x: Any) -> bool:
    """Whether x is an array of 64 bits, or an interpolator that holds one."""
    held = vars(x).values() if type(x).__module__.startswith("anvl.scipy.") else ()
    return any(str(getattr(y, "dtype", "")) in _WIDE.values() for y in (x, *held))


def _array(x: Any, is_wide: bool) -> Any:
    """The array of a list; of lists that differ in length, such as the lines of a grid, several."""
    if type(x) not in _LISTS:
        return x
    try:
        made = anp.asarray(x)
    except (TypeError, ValueError):
        return type(x)(_array(part, is_wide) for part in x)
    wide = _WIDE.get(str(made.dtype)) if is_wide else None
    return made if wide is None else anp.asarray(x, wide)
