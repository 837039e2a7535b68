"""Differences between the keys of two programs of a function, named by argument."""

from __future__ import annotations

import operator
import reprlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from anvl import tree
from anvl.core.arguments import Arguments, StaticValue, input_names, parameters_of
from anvl.runtime import ArrayType
from anvl.runtime.settings import settings_of_version

__all__ = ["Difference", "Key", "differences", "nearest", "signature", "static_values"]

_LONGEST = 60  # characters of a static value in a message

# The class of a value may have a long `repr`, or one that fails, which a call must not notice.
_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = _brief.maxlong = _LONGEST
_ABSENT = "absent"


class Key(NamedTuple):
    """The key of a program: structure, static values, version of the settings, types of leaves."""

    treedef: Any
    static: tuple[tuple[int | str, StaticValue], ...]
    version: int
    types: tuple[ArrayType, ...]


class Difference(NamedTuple):
    """One difference between two calls.

    Attributes
    ----------
    kind : str
        "shape", "dtype", "weak type", "device", "structure", "static value", "setting" or
        "captured value".
    path : str
        The argument, such as `params['w']`, or the name of a setting or of a captured value.
    before, now : str
        Its type or value in the nearest known call, and in this one; "absent" where there is none.
    """

    kind: str
    path: str
    before: str
    now: str

    def __str__(self) -> str:
        if self.before == _ABSENT:
            return f"{self.path} is new, {self.now}"
        if self.now == _ABSENT:
            return f"{self.path} is missing, it was {self.before}"
        return f"{self.path} was {self.before} and is {self.now}"


def nearest(keys: Iterable[Key], now: Key) -> Key | None:
    """The key with the fewest differences from `now`, the latest of several; None without keys."""
    best, least = None, (3, 0)
    for key in keys:
        distance = _distance(key, now)
        if distance <= least:
            best, least = key, distance
    return best


def _distance(a: Key, b: Key) -> tuple[int, int]:
    """Keys of one structure are nearer than others, and those with the same types among these."""
    others = len({k for k, _ in set(a.static) ^ set(b.static)}) + (a.version != b.version)
    if a.treedef != b.treedef:
        more, fewer = Counter(a.types), Counter(b.types)
        return 2, others + (more - fewer).total() + (fewer - more).total()
    return 1, others + sum(map(operator.is_not, a.types, b.types))


def differences(f: Callable[..., Any], before: Key, now: Key) -> list[Difference]:
    """All differences between two keys of f."""
    found = [] if before.treedef == now.treedef else _structure_changes(f, before, now)
    old = _types_by_path(f, before)
    found += [
        _type_change(path, old[path], of)
        for path, of in _types_by_path(f, now).items()
        if path in old and old[path] is not of
    ]
    found += [*_static_changes(f, before, now), *_setting_changes(before, now)]
    return found or _passed_differently(before, now)


def signature(f: Callable[..., Any], key: Key) -> tuple[str, ...]:
    """The arguments of a key, each as `path: type` or `name=value`."""
    names = _names(f, key)
    arrays = [f"{path}: {of}" for path, of in _types_by_path(f, key).items()]
    return (*arrays, *(f"{names(k)}={_shown(value)}" for k, value in key.static))


def static_values(f: Callable[..., Any], key: Key) -> dict[str, Any]:
    """The values of the static arguments of a key, by name."""
    names = _names(f, key)
    return {names(k): of.value for k, of in key.static}


def _types_by_path(f: Callable[..., Any], key: Key) -> dict[str, ArrayType]:
    paths = input_names(f, Arguments([], key.treedef, key.static))
    return dict(zip(paths, key.types, strict=True))


def _structure_changes(f: Callable[..., Any], before: Key, now: Key) -> list[Difference]:
    old, new = _types_by_path(f, before), _types_by_path(f, now)
    found = [Difference("structure", p, _ABSENT, repr(of)) for p, of in new.items() if p not in old]
    found += [
        Difference("structure", p, repr(of), _ABSENT) for p, of in old.items() if p not in new
    ]
    if found:
        return found
    for root, a, b in _parts(f, before, now):  # the same paths, in other containers
        changes = tree.structure_changes(a, b, root)
        found += [Difference("structure", path, was, is_) for path, was, is_ in changes]
    return found


def _parts(f: Callable[..., Any], before: Key, now: Key) -> list[tuple[str, Any, Any]]:
    """The arguments of both keys by name, as structures."""

    def by_name(key: Key) -> dict[str, Any]:
        args, kwargs = key.treedef.children()
        static = {k for k, _ in key.static}
        count = len(args.children()) + sum(isinstance(k, int) for k in static)
        positions = [i for i in range(count) if i not in static]
        names = _names(f, key)
        found = {names(i): x for i, x in zip(positions, args.children(), strict=True)}
        return found | dict(zip(kwargs.node_data()[1], kwargs.children(), strict=True))

    old, new = by_name(before), by_name(now)
    return [(name, old[name], new[name]) for name in new if name in old]


def _type_change(path: str, before: ArrayType, now: ArrayType) -> Difference:
    if before.dtype != now.dtype or before.shape != now.shape:
        kind = "shape" if before.dtype == now.dtype else "dtype"
        return Difference(kind, path, repr(before), repr(now))
    if before.weak_type != now.weak_type:
        return Difference("weak type", path, _weakness(before), _weakness(now))
    return Difference("device", path, f"on {before.placement}", f"on {now.placement}")


def _weakness(of: ArrayType) -> str:
    """A type with the word for its weakness: only a Python number has a weak type."""
    return f"{of} (a Python number)" if of.weak_type else f"{of} (an array)"


def _static_changes(f: Callable[..., Any], before: Key, now: Key) -> list[Difference]:
    names = _names(f, now)
    old, new = ({names(k): v for k, v in key.static} for key in (before, now))
    return [
        Difference("static value", name, _value(old, name), _value(new, name))
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]


def _value(static: dict[str, StaticValue], name: str) -> str:
    return _shown(static[name]) if name in static else "its default"


def _shown(value: StaticValue) -> str:
    text = _brief.repr(value.value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _passed_differently(before: Key, now: Key) -> list[Difference]:
    """Arguments passed by position in one call and by keyword in the other: a function that hides
    its signature may tell them apart."""
    ways = "passed by position", "passed by keyword"
    old, new = _by_keyword(before), _by_keyword(now)
    return [
        Difference("structure", name, ways[name in old], ways[name in new])
        for name in sorted(old ^ new)
    ]


def _by_keyword(key: Key) -> set[str]:
    _, kwargs = key.treedef.children()
    return {*kwargs.node_data()[1], *(k for k, _ in key.static if isinstance(k, str))}


def _setting_changes(before: Key, now: Key) -> list[Difference]:
    old, new = settings_of_version(before.version), settings_of_version(now.version)
    return [
        Difference("setting", f"config.{name}", old[name], new[name])
        for name in new
        if old[name] != new[name]
    ]


def _names(f: Callable[..., Any], key: Key) -> Callable[[int | str], str]:
    """From the position or name of an argument to its name."""
    known: Sequence[str] = [n for n, i in parameters_of(f).known.items() if i is not None]
    return lambda k: k if isinstance(k, str) else known[k] if k < len(known) else f"arg{k}"
