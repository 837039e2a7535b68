"""Containers of a person's own, taken apart where nothing they do can harm the thread.

Note [Errors inside of flatten]
jaxlib's registry flattens by recursion in C++, and counts its depth as the interpreter does.  An
error that is raised at depth d, by a function of a person or by a dict whose keys have no order,
leaves without counting back: from then on the thread has d levels less, and after enough of them
the smallest call is a RecursionError (3.11; from 3.12 on the levels of C are counted apart).  So
functions of a person never raise there: what they would raise is kept, and raised afterwards; that
is also how a container that contains itself ends.  For the others the levels are given back.

A dict of several keys has them sorted at every level, by a call.  One that contains itself, or that
is nested a thousand times, has its error there, with no level left: nothing could be called in that
thread any more, not even what gives levels back.  So flattening is called through a few calls of C
that do nothing else (`reserving`): their levels come back as the error passes them, and are enough
to give back more (`SPARE`), and then all that a new thread has (`_restore_levels`).

From 3.12 on C++ reaches the end of its levels before Python does, at a depth that nobody can count.
So as many levels as it takes to the next container of a person must be left where one is taken
apart.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "SPARE",
    "add_fields",
    "ending",
    "fields_of",
    "flatten_error",
    "guarded",
    "kept_failure",
    "levels",
    "reserving",
]

_T = TypeVar("_T")

_enter = ctypes.pythonapi.Py_EnterRecursiveCall
_leave = ctypes.pythonapi.Py_LeaveRecursiveCall
_leave.restype = None  # what is there may be no number

#: To be called one after the other where no level may be left: each gives one back.
SPARE = (_leave,) * 60
_RESERVED = 3  # one is enough: `_leave` takes a level of its own

# Comparing these two takes a level of C each: 0.3 us.  20 are more than what is between two classes
# of a person, unless as many lists are.
_LEVELS: Any = ()
_SAME_LEVELS: Any = ()
if sys.version_info >= (3, 12):
    for _ in range(20):
        _LEVELS, _SAME_LEVELS = (_LEVELS,), (_SAME_LEVELS,)

#: For each registered dataclass its data fields, which C++ reads itself.
fields_of: dict[type, tuple[str, ...]] = {}
_leaves: set[type] = set()  # classes that hold nothing for `ending`, found so far
_MOST_LEAVES = 200  # so that those which a person makes by the thousand do not stay
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
        if _failures and threading.get_ident() in _failures:
            return (), None  # what contains itself at two places would be walked on at the other
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
    children = tuple(children)
    _walk(children)
    return children, rest


def reserving(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """As `function`, through calls of C whose levels are there again when it has failed.

    A staticmethod calls what it holds, and nothing else: 30 ns each.
    """
    for _ in range(_RESERVED):
        function = staticmethod(function)
    return function


def _give_back(levels: int) -> None:
    """Count back levels of recursion that C++ has left without doing so; negative ones: take."""
    for _ in range(levels):
        _leave()
    for _ in range(-levels):
        _enter(b"")


def _restore_levels() -> None:
    """Give this thread as many levels of recursion as a new one has, less the frames it is in.

    What is called from C is not known, so there may be some more than before, once.
    """
    found: list[int] = []
    new = threading.Thread(target=lambda: found.append(levels()))
    new.start()
    new.join()
    _give_back(found[0] - levels())


def levels() -> int:
    """How many levels of recursion this thread has, with those of the frames it is in."""
    left = 0
    try:
        while True:
            _enter(b"")
            left += 1
    except RecursionError:
        pass
    counted = left
    while counted:  # not by a call, for which there is no level yet
        _leave()
        counted -= 1
    return left + (_frames() if sys.version_info < (3, 12) else 0)  # then not counted together


def _frames() -> int:
    count, frame = 0, sys._getframe()
    while frame.f_back is not None:
        count, frame = count + 1, frame.f_back
    return count


class _Refused(NamedTuple):
    """A container that C++ does not take apart: where it is, why, and how deep."""

    path: str
    container: Any
    error: Exception
    depth: int


def _first_refused(
    tree: Any,
    one_level: Callable[[Any], Any],
    path: str = "",
    depth: int = 0,
) -> _Refused | None:
    """The first container in a tree of which `one_level`, of the registry, gives no children."""
    steps = [f".{name}" for name in fields_of.get(type(tree), ())]
    try:
        found = one_level(tree)
        if isinstance(tree, dict):
            ordered = tree if isinstance(tree, collections.OrderedDict) else sorted(tree)
            steps = [f"[{key!r}]" for key in ordered]
    except (ValueError, TypeError, AttributeError) as error:
        return _Refused(path, tree, error, depth)
    children = [] if found is None else list(found[0])
    for i, child in enumerate(children):
        step = steps[i] if i < len(steps) else f"[{i}]"
        inner = _first_refused(child, one_level, path + step, depth + 1)
        if inner is not None:
            return inner
    return None


_TOO_DEEP = "flatten: tree is nested too deeply, or contains itself"


def ending(tree: _T) -> _T:
    """A tree as it is; `ValueError` for a container that contains itself.

    At the end of its levels C++ goes on beside where it is: what contains itself at two places, it
    would walk for 2^1000 steps.  To walk what is sound takes half as long as to flatten it.
    """
    try:
        _walk((tree,))
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return tree


def add_fields(of: type, names: Sequence[str]) -> None:
    """Note the data fields of a dataclass, which were none before."""
    fields_of[of] = tuple(names)
    _leaves.discard(of)


def _walk(containers: Iterable[Any]) -> None:
    """Through what C++ takes apart by itself; a person's functions have their children walked."""
    for one in containers:
        of = type(one)
        if of in _leaves:
            continue
        if of is list or isinstance(one, tuple):
            _walk(one)
        elif isinstance(one, dict):
            _walk(one.values())
        elif of in fields_of:
            _walk([getattr(one, name, None) for name in fields_of[of]])
        elif len(_leaves) < _MOST_LEAVES:
            _leaves.add(of)


def flatten_error(
    tree: Any,
    error: Exception,
    one_level: Callable[[Any], Any],
    in_registry: bool = True,
) -> Exception:
    """The exception to raise for an error of the C++ registry, or of a container's functions.

    An error of the registry has left levels of recursion uncounted, of which the caller has given
    back those of SPARE.
    """
    found, deep = None, _is_recursion(error)
    try:
        found = None if deep else _first_refused(tree, one_level)
    except RecursionError:
        deep = True
    kept_failure()  # of asking again
    if in_registry and found is None:
        _restore_levels()
    elif in_registry and found is not None:
        _give_back(found.depth - len(SPARE))
    if deep:
        return ValueError(_TOO_DEEP)
    if found is None:
        return ValueError(f"flatten: {error}") if in_registry else error
    place, of = found.path or "the root", found.container
    if not isinstance(of, dict):
        return ValueError(f"flatten: {type(of).__name__} at {place}: {found.error}")
    return ValueError(
        f"flatten: dict at {place} has keys that cannot be sorted, {list(of)}; use keys of one "
        "type, or an OrderedDict"
    )


def _is_recursion(error: Exception) -> bool:
    return isinstance(error, RecursionError) or isinstance(error.__cause__, RecursionError)
