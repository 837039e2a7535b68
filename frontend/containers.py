"""Containers of a person's own, taken apart where nothing they do can harm the thread.

Note [Errors inside of flatten]
jaxlib's registry flattens by recursion in C++, and counts its depth as the interpreter does.  An
error that is raised at depth d, by a function of a person or by a dict whose keys have no order,
leaves without counting back: from then on the thread has d levels less, and after enough of them
the smallest call is a RecursionError (3.11; from 3.12 on the levels of C are counted apart).  So
functions of a person never raise there: what they would raise is kept, and raised afterwards; that
is also how a container that contains itself ends.  For the others the levels are given back.

From 3.12 on C++ reaches the end of its levels before Python does, at a depth that nobody can count:
then nothing could be called in that thread any more, not even what gives levels back.  So as many
levels as it takes to the next container of a person must be left where one is taken apart.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Refused", "first_refused", "give_back", "guarded", "kept_failure"]

# Comparing these two takes a level of C each: 0.3 us.  20 are more than what is between two classes
# of a person, unless as many lists are.
_LEVELS: Any = ()
_SAME_LEVELS: Any = ()
if sys.version_info >= (3, 12):
    for _ in range(20):
        _LEVELS, _SAME_LEVELS = (_LEVELS,), (_SAME_LEVELS,)

#: By thread, what a function of a person raised.
_failures: dict[int, Exception] = {}


def kept_failure() -> Exception | None:
    """What was raised in this thread since this was asked last."""
    return _failures.pop(threading.get_ident(), None) if _failures else None


def guarded(
    to_iterable: Callable[[Any], tuple[Iterable[Any], Any]],
) -> Callable[[Any], tuple[tuple[Any, ...], Any]]:
    """As `to_iterable`, but of an error it makes a container of nothing: see `kept_failure`."""

    def parts(x: Any) -> tuple[tuple[Any, ...], Any]:
        try:
            return _deeper(to_iterable, x)
        except Exception as error:
            _failures[threading.get_ident()] = error
            return (), None

    return functools.update_wrapper(parts, to_iterable, updated=())


def _deeper(to_iterable: Callable[[Any], Any], x: Any) -> tuple[tuple[Any, ...], Any]:
    """Two levels further down, so that where these fail, there is room to say so."""
    _ = _LEVELS == _SAME_LEVELS  # a RecursionError where C++ has hardly a level left
    return _unpacked(to_iterable, x)


def _unpacked(to_iterable: Callable[[Any], Any], x: Any) -> tuple[tuple[Any, ...], Any]:
    children, rest = to_iterable(x)
    return tuple(children), rest


def give_back(levels: int) -> None:
    """Count back levels of recursion that C++ has left without doing so."""
    for _ in range(levels):
        ctypes.pythonapi.Py_LeaveRecursiveCall()


class Refused(NamedTuple):
    """A container that C++ does not take apart: where it is, why, and how deep."""

    path: str
    container: Any
    error: Exception
    depth: int


def first_refused(
    tree: Any,
    one_level: Callable[[Any], Any],
    data_fields: Mapping[type, Sequence[str]],
    path: str = "",
    depth: int = 0,
) -> Refused | None:
    """The first container in a tree of which `one_level`, of the registry, gives no children."""
    steps = [f".{name}" for name in data_fields.get(type(tree), ())]
    try:
        found = one_level(tree)
        if isinstance(tree, dict):
            ordered = tree if isinstance(tree, collections.OrderedDict) else sorted(tree)
            steps = [f"[{key!r}]" for key in ordered]
    except (ValueError, TypeError, AttributeError) as error:
        return Refused(path, tree, error, depth)
    children = [] if found is None else list(found[0])
    for i, child in enumerate(children):
        step = steps[i] if i < len(steps) else f"[{i}]"
        inner = first_refused(child, one_level, data_fields, path + step, depth + 1)
        if inner is not None:
            return inner
    return None
