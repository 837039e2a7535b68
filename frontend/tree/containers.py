"""User-defined containers: flattening that cannot corrupt the recursion count of the thread.

Note [Errors inside of flatten]

jaxlib's registry flattens recursively in C++, and counts its depth as the interpreter does.  An
error raised at depth d, by a user's function or by a dict with unsortable keys, leaves without
counting back: from then on the thread has d levels less, and after enough of them the smallest
call is a RecursionError (3.11; from 3.12 on the levels of C are counted apart).  So functions of
users never raise there: their error is kept and raised afterwards; a container that contains
itself ends in the same way.  After other errors the levels are given back.

The keys of a dict of several keys are sorted at every level, by a call.  A dict that contains
itself, or that is nested a thousand times, raises there, with no level left: nothing could be
called in that thread any more, not even the function that gives levels back.  So flattening is
called through a few C calls that do nothing else (`reserving`): their levels are returned as the
error passes them, and are enough to give back more (`SPARE`), and then all that a new thread has
(`_restore_levels`).

From 3.12 on C++ exhausts its levels before Python does, at a depth that cannot be counted.  So
the levels needed to reach the next user-defined container must be left where one is flattened.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "SPARE",
    "Stops",
    "add_fields",
    "ending",
    "fields_of",
    "flatten_error",
    "guarded",
    "kept_failure",
    "levels",
    "meta_fields_of",
    "reserving",
]

_T = TypeVar("_T")

_enter = ctypes.pythonapi.Py_EnterRecursiveCall
_leave = ctypes.pythonapi.Py_LeaveRecursiveCall
_leave.restype = None  # the value there may not be a number

#: Called one after the other where no level may be left: each gives one back.
SPARE = (_leave,) * 60
_RESERVED = 3  # one is enough: `_leave` takes a level of its own

# Comparing these two takes a level of C each: 0.3 us.  20 exceed the levels between two classes of
# a user, unless as many lists lie between them.
_LEVELS: Any = ()
_SAME_LEVELS: Any = ()
if sys.version_info >= (3, 12):
    for _ in range(20):
        _LEVELS, _SAME_LEVELS = (_LEVELS,), (_SAME_LEVELS,)

#: Data fields of each registered dataclass, which C++ reads itself.
fields_of: dict[type, tuple[str, ...]] = {}
#: The other fields of each, which belong to the structure.
meta_fields_of: dict[type, tuple[str, ...]] = {}
_leaves: set[type] = set()  # classes found to hold nothing for `ending`
_MOST_LEAVES = 200  # so that classes created by the thousand are not kept
#: By thread, the error raised by a user's function.
_failures: dict[int, Exception] = {}


def kept_failure() -> Exception | None:
    """The error kept in this thread since the last call, or None."""
    return _failures.pop(threading.get_ident(), None) if _failures else None


def guarded(
    to_iterable: Callable[[Any], tuple[Iterable[Any], Any]],
) -> Callable[[Any], tuple[tuple[Any, ...], Any]]:
    """Wrap `to_iterable`: on an error it returns no children, and `kept_failure` the error."""

    def parts(x: Any) -> tuple[tuple[Any, ...], Any]:
        if _failures and threading.get_ident() in _failures:
            # a container that contains itself twice would be walked on at the other place
            return (), None
        try:
            return _deeper(to_iterable, x)
        except Exception as error:
            _failures[threading.get_ident()] = error
            return (), None

    return functools.update_wrapper(parts, to_iterable, updated=())


class Stops:
    """A user's `is_leaf`, which never raises inside of C++: see Note [Errors inside of flatten].

    Attributes
    ----------
    failure : Exception or None
        What it raised; from then on all is a leaf.
    """

    def __init__(self, is_leaf: Callable[[Any], Any]) -> None:
        self._is_leaf = is_leaf
        self.failure: Exception | None = None

    def __call__(self, x: Any) -> bool:
        """Whether the walk ends at x."""
        if self.failure is None:
            try:
                return bool(self._is_leaf(x))
            except Exception as error:
                self.failure = error
        return True


def _deeper(to_iterable: Callable[[Any], Any], x: Any) -> tuple[tuple[Any, ...], Any]:
    """Call `to_iterable` two levels further down, which leaves room to report a failure."""
    _ = _LEVELS == _SAME_LEVELS  # a RecursionError where C++ has hardly a level left
    return _unpacked(to_iterable, x)


def _unpacked(to_iterable: Callable[[Any], Any], x: Any) -> tuple[tuple[Any, ...], Any]:
    children, rest = to_iterable(x)
    children = tuple(children)
    _walk(children)
    return children, rest


def reserving(function: Callable[..., Any]) -> Callable[..., Any]:
    """Call `function` through C calls whose levels are free again once it has failed.

    A staticmethod calls its function and nothing else: 30 ns each.
    """
    for _ in range(_RESERVED):
        function = staticmethod(function)
    return function


def _give_back(levels: int) -> None:
    """Count back recursion levels that C++ has left without counting; negative ones are taken."""
    for _ in range(levels):
        _leave()
    for _ in range(-levels):
        _enter(b"")


def _restore_levels() -> None:
    """Give this thread the recursion levels of a new one, less the frames that it is in.

    Calls from C are not counted, so there may be a few levels too many, once.
    """
    found: list[int] = []
    new = threading.Thread(target=lambda: found.append(levels()))
    new.start()
    new.join()
    _give_back(found[0] - levels())


def levels() -> int:
    """Recursion levels of this thread, those of its current frames included."""
    left = 0
    try:
        while True:
            _enter(b"")
            left += 1
    except RecursionError:
        pass
    counted = left
    while counted:  # without a call, for which there is no level yet
        _leave()
        counted -= 1
    # from 3.12 on they are counted apart
    return left + (_frames() if sys.version_info < (3, 12) else 0)


def _frames() -> int:
    count, frame = 0, sys._getframe()
    while frame.f_back is not None:
        count, frame = count + 1, frame.f_back
    return count


class _Refused(NamedTuple):
    """A container that C++ does not flatten: its path, the error, and its depth."""

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
    """The first container in a tree for which `one_level` of the registry gives no children."""
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
    """The tree itself; raises `ValueError` for a container that contains itself.

    Where C++ runs out of levels it continues with the next child: a container that contains itself
    twice would take 2^1000 steps.  Walking a sound tree costs half as much as flattening it.
    """
    try:
        _walk((tree,))
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return tree


def add_fields(of: type, names: Sequence[str], meta_names: Sequence[str]) -> None:
    """Note the fields of a dataclass registered without them."""
    fields_of[of], meta_fields_of[of] = tuple(names), tuple(meta_names)
    _leaves.discard(of)


def _walk(containers: Collection[Any]) -> None:
    """Walk the containers that C++ flattens itself; the children from a user's functions are
    walked."""
    if _leaves.issuperset(map(type, containers)):  # for 200 leaves a fifth of the time of the loop
        return
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

    An error of the registry has left recursion levels uncounted, of which the caller has given back
    those of SPARE.
    """
    found, deep = None, _is_recursion(error)
    try:
        found = None if deep else _first_refused(tree, one_level)
    except RecursionError:
        deep = True
    kept_failure()  # drops the error of the second attempt
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
