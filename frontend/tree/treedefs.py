"""Structures of pytrees in words: the path of each leaf, and the description of a node."""

from __future__ import annotations

import collections
import functools
from typing import Any

from anvl.tree.containers import fields_of
from anvl.tree.path_keys import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyedParts,
    SequenceKey,
    plain_name,
)

__all__ = [
    "clear_paths", "described", "dotted_names", "key_paths", "keys_of", "paths_of_leaves", "steps",
]  # fmt: skip


def paths_of_leaves(treedef: Any, root: str) -> list[str]:
    """Python expression for each leaf of a treedef that is called `root`."""
    try:
        return list(_known_paths(treedef, root))
    except TypeError:  # its static part is unhashable
        return _paths(treedef, root)


def _paths(treedef: Any, root: str) -> list[str]:
    paths: list[str] = []
    _collect_paths(treedef, root, paths)
    return paths


_known_paths = functools.lru_cache(maxsize=1024)(_paths)


def clear_paths() -> None:
    """Forget all structures, which keep the static parts of registered classes alive."""
    _known_paths.cache_clear()


def _collect_paths(treedef: Any, path: str, paths: list[str]) -> None:
    if treedef.node_data() is None:  # a leaf
        paths.append(path)
        return
    children = treedef.children()
    for step, child in zip(steps(treedef, len(children)), children, strict=True):
        _collect_paths(child, path + step, paths)


def key_paths(treedef: Any) -> list[tuple[Any, ...]]:
    """The path of each leaf of a treedef as a tuple of keys, as JAX has it."""
    if treedef.node_data() is None:  # a leaf
        return [()]
    children = treedef.children()
    pairs = zip(keys_of(treedef, len(children)), children, strict=True)
    return [(key, *path) for key, child in pairs for path in key_paths(child)]


def dotted_names(treedef: Any, name: str = "") -> list[str]:
    """A name for each leaf: keys, positions and fields with dots between them, `layers.0.w`."""
    if treedef.node_data() is None:  # a leaf
        return [name]
    kind, rest = treedef.node_data()
    children = treedef.children()
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        keys = list(map(str, _dict_keys(kind, rest)))
    elif isinstance(rest, KeyedParts):
        keys = list(map(plain_name, rest.keys))
    else:
        keys = list(_field_names(kind) or map(str, range(len(children))))
    before = f"{name}." if name else ""
    pairs = zip(keys, children, strict=True)
    return [leaf for key, child in pairs for leaf in dotted_names(child, before + key)]


def described(treedef: Any) -> str:
    """Description of a node without its children, for messages."""
    data = treedef.node_data()
    if data is None:
        return "a leaf"
    kind, rest = data
    if kind is type(None):
        return "None"
    if hasattr(kind, "described"):  # the class stands for something else
        return str(kind.described(rest))
    if kind is collections.defaultdict:
        return f"defaultdict of {rest[0]!r} with keys {list(rest[1])}"
    if kind in (dict, collections.OrderedDict):
        return f"{kind.__name__} with keys {list(rest)}"
    text = kind.__name__
    if isinstance(rest, KeyedParts):
        rest = rest.rest
    if kind not in (list, tuple) and rest is not None and rest != ():
        text = f"{text} with {rest!r}"
    return text if _field_names(kind) is not None else f"{text} of {len(treedef.children())}"


def steps(treedef: Any, count: int) -> list[str]:
    """Python expression for each child of a node."""
    kind, rest = treedef.node_data() or (None, None)
    if kind in (list, tuple):
        return [f"[{i}]" for i in range(count)]
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        return [f"[{key!r}]" for key in _dict_keys(kind, rest)]
    if isinstance(rest, KeyedParts):
        return list(map(str, rest.keys))
    fields = _field_names(kind)
    if fields is not None:
        return [f".{name}" for name in fields]
    return [f"[<flat index {i}>]" for i in range(count)]


def keys_of(treedef: Any, count: int) -> list[Any]:
    """The key of each child of a node; `steps` has their texts."""
    kind, rest = treedef.node_data() or (None, None)
    if kind in (list, tuple):
        return list(map(SequenceKey, range(count)))
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        return list(map(DictKey, _dict_keys(kind, rest)))
    if isinstance(rest, KeyedParts):
        return list(rest.keys)
    fields = _field_names(kind)
    return list(map(FlattenedIndexKey, range(count)) if fields is None else map(GetAttrKey, fields))


def _field_names(kind: Any) -> tuple[str, ...] | None:
    """Names of the children of a dataclass or a namedtuple."""
    return fields_of.get(kind) or getattr(kind, "_fields", None)


def _dict_keys(kind: type, rest: Any) -> list[Any]:
    return list(rest[1] if kind is collections.defaultdict else rest)
