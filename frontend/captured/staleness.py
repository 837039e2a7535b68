"""Policies for captured values that have changed since a jitted function was traced.

Note [Policies for stale closures]

A program is kept with a snapshot of the values that its function read, and its dispatchers check
them by identity (`guard.py`).  Where that fails the values are compared.  If they are equal, only
the objects are new, and the program stays.  Else the policy decides, for each name:

* `retrace`: the function is traced again.  The former program is kept for when the values return.
  A name for which three values were traced is a state that belongs into the arguments: from then on
  it is treated by `warn`.
* `warn`: one warning; the program stays, and is no longer checked for that name.
* `error`: `StaleClosureError`, at each call until the value is back.
* `off`: nothing is searched for, remembered or checked.

Values that the trace itself changes are no captured ones: retracing would change them again.  They
are left out, with one warning.
"""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.captured.guard import Guard, make_guard
from anvl.captured.record import Snapshot, is_below
from anvl.captured.snapshot import snapshot
from anvl.captured.values import shown
from anvl.core.arguments import Arguments, StaticValue, name_of, parameters_of
from anvl.core.config import config
from anvl.core.locations import user_stack_level
from anvl.core.traced import Traced
from anvl.dialect.core.errors import StaleClosureError, StaleClosureWarning
from anvl.runtime import Array, name_constant

__all__ = ["Captured", "Staleness", "Verdict"]

_MOST_RETRACES = 3  # for one name
_ATTEMPTS = 3


class Captured(NamedTuple):
    """The captured values of a program, without those below the `excluded` paths."""

    snapshot: Snapshot
    excluded: tuple[str, ...]
    guard: Guard | None

    def is_current(self) -> bool:
        """Whether the values are the same objects."""
        return self.guard is None or self.guard()

    def name_arrays(self) -> None:
        """Let messages call the arrays as the function does: `self.params['w']`."""
        for check in self.snapshot.checks:
            if type(check.value) is Array:
                name_constant(check.value, _plain(check.path))

    def without_objects(self) -> Captured:
        """The values alone, which keep no large array alive."""
        return self._replace(snapshot=Snapshot(self.snapshot.values), guard=None)

    def differences(self, now: Snapshot) -> list[str]:
        """Paths of the values that differ from those of `now`."""
        found = self.snapshot.differences(now)
        return [path for path in found if not is_below(path, self.excluded)]

    def changes(self, now: Snapshot) -> list[tuple[str, str, str]]:
        """The values that differ from those of `now`: the path, and both values in words."""
        paths = self.differences(now)
        return [(_plain(path), *_contrast(self.snapshot, now, path)) for path in paths]


#: Static arguments of a call by name, and classes of its containers without one.
Given = Sequence[tuple[str, Any]]


class Verdict(NamedTuple):
    """Verdict on a program whose captured values are other objects.

    It is kept, with `captured`; or replaced by one for the values `now`, if these are given.
    """

    captured: Captured | None
    now: Snapshot | None = None


class Staleness:
    """The policy of one jitted function, and what it has found so far."""

    def __init__(self, f: Callable[..., Any], policy: str | None) -> None:
        self._f = f
        self._policy = policy
        # Values of each name for which the function was traced again.
        self._traced: dict[str, list[Any]] = {}
        # Names that were warned of, and are no longer checked.
        self._muted: tuple[str, ...] = ()
        # Names that a trace has changed.
        self._changed: set[str] = set()

    @property
    def policy(self) -> str:
        return self._policy or config.on_stale_closure

    def clear(self) -> None:
        """Forget what was found."""
        self._traced.clear()
        self._changed.clear()
        self._muted = ()

    def given(self, arguments: Arguments) -> Given:
        """The static values of a call, by name, and the classes of its containers, by ""."""
        if self.policy == "off":
            return []
        kinds: set[type] = set()
        parts: list[tuple[str, Any]] = []
        _collect_kinds(arguments.treedef, kinds, parts)
        names = list(parameters_of(self._f).known) if arguments.static else []
        static = [
            (key if isinstance(key, str) else (names[key:] or [f"arg{key}"])[0], x.value)
            for key, x in arguments.static
        ]
        return [*static, *parts, *(("", kind) for kind in kinds)]

    def before_trace(self, given: Given) -> Snapshot | None:
        """The values that a trace will read; None if there are none, or the policy is `off`."""
        if self.policy == "off":
            return None
        found = self._snapshot(given)
        return found if found.values else None

    def after_trace(self, before: Snapshot | None, given: Given) -> Captured | None:
        """The captured values of the program that was traced, or None."""
        if before is None:
            return None
        guard = make_guard(before.checks, self._muted)
        if guard is None:
            return None
        if guard() and not before.is_filled():
            return Captured(before, self._muted, guard)
        after = self._snapshot(given)
        # Attributes that a trace adds, as `functools.cached_property` does, had no value to change.
        found = [p for p in before.differences(after) if not p.endswith(".__dict__")]
        changed = [p for p in found if p in before.values]
        self._warn_of_changes([p for p in changed if not is_below(p, self._muted)], after)
        return self.captured(after, (*self._muted, *changed, *after.tracers()))

    def watched(
        self, arguments: Arguments, trace: Callable[[Arguments], Traced]
    ) -> tuple[Traced, Captured | None]:
        """The trace of the arguments, and the values that it captured."""
        given = self.given(arguments)
        before = self.before_trace(given)
        traced = trace(arguments)
        captured = self.after_trace(before, given)
        if captured is not None:
            captured.name_arrays()
        return traced, captured

    def captured(self, found: Snapshot, excluded: tuple[str, ...]) -> Captured | None:
        """These values, without some; None if none is left."""
        guard = make_guard(found.checks, excluded)
        return None if guard is None else Captured(found, excluded, guard)

    def _snapshot(self, given: Given) -> Snapshot:
        for _ in range(_ATTEMPTS - 1):
            try:
                return snapshot(self._f, given)
            except RuntimeError:  # another thread changes a container
                pass
        return snapshot(self._f, given)

    # -- a hit with other objects ------------------------------------------------------------------

    def examine(self, captured: Captured, given: Given) -> Verdict:
        """Compare the values of a program, and decide by the policy.

        Raises
        ------
        StaleClosureError
            A value has changed, and the policy is `error`.
        """
        if self.policy == "off":
            return Verdict(None)
        now = self._snapshot(given)
        differences = captured.differences(now)
        excluded = captured.excluded
        if differences:
            if self.policy == "error":
                raise self._error(captured.snapshot, now, differences)
            muted = [p for p in differences if self._is_muted(_name_of(p), now)]
            if len(muted) < len(differences):
                return Verdict(captured, now)
            self._warn(captured.snapshot, now, muted)
            excluded = (*excluded, *dict.fromkeys(map(_name_of, muted)))
            return Verdict(self.captured(captured.snapshot, excluded))
        return Verdict(self.captured(now, excluded))

    def _is_muted(self, name: str, now: Snapshot) -> bool:
        """Whether the program stays although a name has changed."""
        if self.policy == "warn":
            return True
        known = self._traced.get(name, ())
        return len(known) >= _MOST_RETRACES and _values_of(name, now) not in known

    def count(self, former: Captured, now: Snapshot) -> None:
        """Count a retrace for each name that differs, once for each of its values."""
        for name in dict.fromkeys(map(_name_of, former.differences(now))):
            known, values = self._traced.setdefault(name, []), _values_of(name, now)
            if values not in known:
                known.append(values)

    # -- messages ----------------------------------------------------------------------------------

    def _error(self, old: Snapshot, now: Snapshot, paths: Sequence[str]) -> StaleClosureError:
        function = name_of(self._f)
        message = f"{function}: {_change(old, now, paths)} since it was traced; {_ADVICE}"
        return StaleClosureError(message, function, tuple(dict.fromkeys(map(_name_of, paths))))

    def _warn(self, old: Snapshot, now: Snapshot, paths: Sequence[str]) -> None:
        names = tuple(dict.fromkeys(map(_name_of, paths)))
        self._muted = (*self._muted, *(n for n in names if n not in self._muted))
        function = name_of(self._f)
        after = ""
        if self.policy == "retrace":
            after = f", after {_MOST_RETRACES} traces for other values"
        warnings.warn(
            f"{function}: {_change(old, now, paths)} since it was traced{after}; this program "
            f"keeps the old value, now and later: {_ADVICE}",
            StaleClosureWarning,
            stacklevel=user_stack_level(),
        )

    def _warn_of_changes(self, paths: Sequence[str], after: Snapshot) -> None:
        new = [p for p in dict.fromkeys(map(_name_of, paths)) if p not in self._changed]
        if not new:
            return
        self._changed.update(new)
        function, listed = name_of(self._f), ", ".join(map(_plain, new))
        warnings.warn(
            f"{function}: changes {listed} while it is traced{_read_at(after, new[0])}; calls of "
            "the compiled program change nothing: take the old value as an argument, and return "
            "the new one",
            StaleClosureWarning,
            stacklevel=user_stack_level(),
        )


def _collect_kinds(treedef: Any, kinds: set[type], parts: list[tuple[str, Any]]) -> None:
    """Add the classes of containers, and what is static in those of registered classes."""
    kind, part = treedef.node_data() or (None, None)
    if kind is not None:
        kinds.add(kind)
        if part is not None and kind not in _OF_KEYS:
            parts.append((kind.__name__, part.value if isinstance(part, StaticValue) else part))
        for child in treedef.children():
            _collect_kinds(child, kinds, parts)


#: Containers whose static part are the keys.
_OF_KEYS = frozenset((dict, collections.OrderedDict, collections.defaultdict))


_ADVICE = "pass it as an argument, mark that static if it chooses the program"


def _name_of(path: str) -> str:
    """The variable of a path: `params['w'][0]` is a part of `params`."""
    return path.partition("[")[0]


def _values_of(name: str, now: Snapshot) -> list[tuple[str, Any]]:
    """The values of a variable and its parts."""
    return [(path, value) for path, value in now.values.items() if _name_of(path) == name]


def _plain(path: str) -> str:
    return path.partition("#")[0]


def _change(old: Snapshot, now: Snapshot, paths: Sequence[str]) -> str:
    shown_paths = [_one_change(old, now, path) for path in paths[:3]]
    more = len(paths) - len(shown_paths)
    return ", ".join([*shown_paths, *([f"{more} more"] if more else [])])


def _one_change(old: Snapshot, now: Snapshot, path: str) -> str:
    was, is_now = _contrast(old, now, path)
    contrast = f"was {was} and is now {is_now}"
    if was == is_now:
        contrast = f"has changed, {was}"
    return f"{_plain(path)} {contrast}{_read_at(old, path)}"


def _contrast(old: Snapshot, now: Snapshot, path: str) -> tuple[str, str]:
    was = shown(old.values[path]) if path in old.values else "not set"
    return was, shown(now.values[path]) if path in now.values else "deleted"


def _read_at(found: Snapshot, path: str) -> str:
    use = found.uses.get(path)
    return f" (read at {use})" if use is not None and use.line else ""
