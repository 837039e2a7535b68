"""Structures of pytrees and plain values as JSON: for files, in which no code may be.

A class is stored by its name, `my_model:Params`, with the static part of each object; it must be
known when the file is read, since nothing is imported by a name that a file gives.
"""

from __future__ import annotations

import base64
import binascii
import builtins
import collections
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from anvl import tree
from anvl.dialect.core.errors import ExportError, nearest
from anvl.dialect.core.types import dtype_name, numpy_dtype
from anvl.tree.containers import fields_of
from anvl.tree.registry import containers, known_class, name_of_class, node

__all__ = ["structure_from_json", "structure_to_json", "value_from_json", "value_to_json"]

_NO_CLASSES: Mapping[str, type] = MappingProxyType({})
_DEEPEST = 200  # levels: structures have about ten


# -- plain values --------------------------------------------------------------------------------


def value_to_json(value: Any, role: str) -> Any:
    """A plain value as JSON; raises `ExportError`, which names its `role`, for others."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return {"float": value.hex()}
    if type(value) is complex:
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if type(value) is bytes:
        return {"bytes": base64.b64encode(value).decode()}
    if type(value) in (tuple, list):
        return {type(value).__name__: [value_to_json(x, role) for x in value]}
    if type(value) is frozenset:
        return {"frozenset": sorted((value_to_json(x, role) for x in value), key=repr)}
    if isinstance(value, np.dtype):
        return {"dtype": dtype_name(value)}
    raise ExportError(
        f"export: {role} is {value!r} of type {type(value).__name__}, which no file can hold; it "
        "may be None, a bool, a number, text, bytes, a dtype, and tuples and frozensets of these: "
        "close over other objects"
    )


def value_from_json(stored: Any) -> Any:
    """The value that `value_to_json` wrote.  Raises `ValueError` for other JSON."""
    if not isinstance(stored, dict):
        if stored is None or type(stored) in (bool, int, str):
            return stored
        raise ValueError(f"{stored!r} is no stored value")
    ((kind, content),) = stored.items()
    if kind == "float":
        return float.fromhex(content)
    if kind == "complex":
        real, imag = map(float.fromhex, content)
        return complex(real, imag)
    if kind == "bytes":
        try:
            return base64.b64decode(content, validate=True)
        except binascii.Error as error:
            raise ValueError(f"bytes: {error}") from None
    if kind == "dtype":
        return numpy_dtype(str(content))
    made: Any = {"tuple": tuple, "list": list, "frozenset": frozenset}[kind]
    return made(map(value_from_json, content))


# -- structures ----------------------------------------------------------------------------------


def structure_to_json(treedef: Any, role: str) -> Any:
    """A structure as JSON.  Raises `ExportError`, which names its `role`, if it is not plain."""
    data = treedef.node_data()
    if data is None:
        return "*"
    kind, rest = data
    children = [structure_to_json(child, role) for child in treedef.children()]
    if kind is type(None):
        return None
    if kind in (tuple, list):
        return {kind.__name__: children}
    if kind in (dict, collections.OrderedDict):
        return {kind.__name__: _items(rest, children, role)}
    if kind is collections.defaultdict:
        return {"defaultdict": _items(rest[1], children, role), "factory": _factory(rest[0], role)}
    stored = {"class": name_of_class(kind), "children": children}
    if hasattr(kind, "_fields"):
        return {**stored, "fields": list(kind._fields)}
    if kind in fields_of:
        stored["fields"] = list(fields_of[kind])
    what = f"the static part of a {kind.__name__} in {role}"
    return {**stored, "rest": value_to_json(rest, what)}


def _items(keys: Sequence[Any], children: Sequence[Any], role: str) -> list[list[Any]]:
    what = f"a key of a dict in {role}"
    return [[value_to_json(key, what), c] for key, c in zip(keys, children, strict=True)]


_FACTORIES = ("bool", "complex", "dict", "float", "int", "list", "set", "str", "tuple")


def _factory(factory: Any, role: str) -> str | None:
    name = getattr(factory, "__name__", "")
    if factory is not None and (name not in _FACTORIES or getattr(builtins, name) is not factory):
        raise ExportError(
            f"export: a defaultdict in {role} has the factory {factory!r}, which no file can hold; "
            "make it a dict"
        )
    return None if factory is None else name


def structure_from_json(stored: Any, classes: Mapping[str, type] = _NO_CLASSES) -> Any:
    """The structure that `structure_to_json` wrote; `classes` are known ones by their names.

    Raises `ExportError` for a class that is not known, or has other fields; `ValueError`, or what
    JSON of another form leads to, if it is malformed.
    """
    return _node(stored, classes, 0)


def _node(stored: Any, classes: Mapping[str, type], depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError(f"a structure nests deeper than {_DEEPEST} levels")
    if stored == "*":
        return node(None, [])
    if stored is None:
        return tree.structure(None)
    if "class" in stored:
        return _node_of_class(stored, classes, depth)
    kind, content = next(iter(stored.items()))
    if kind in ("tuple", "list"):
        of = tuple if kind == "tuple" else list
        return node((of, None), [_node(child, classes, depth + 1) for child in content])
    keys = [value_from_json(key) for key, _ in content]
    children = [_node(child, classes, depth + 1) for _, child in content]
    return node(_data_of_dict(kind, keys, stored.get("factory")), children)


def _data_of_dict(kind: str, keys: list[Any], factory: Any) -> tuple[type, Any]:
    """The kind of dict and its keys, as a structure holds them."""
    if len(set(keys)) != len(keys):
        raise ValueError("a dict repeats a key")
    if kind == "OrderedDict":
        return collections.OrderedDict, tuple(keys)
    if keys != sorted(keys):
        raise ValueError("the keys of a dict are not in order")
    if kind == "dict":
        return dict, keys
    if kind != "defaultdict" or factory not in (None, *_FACTORIES):
        raise ValueError(f"{kind!r} with the factory {factory!r} is no container")
    made = None if factory is None else getattr(builtins, factory)
    return collections.defaultdict, (made, tuple(keys))


def _node_of_class(stored: Any, classes: Mapping[str, type], depth: int) -> Any:
    name = str(stored["class"])
    of = classes.get(name) or known_class(name)
    if of is None:
        raise ExportError(
            f"its arguments or results are in the class {name!r}, which is not known here"
            f"{nearest(name, classes)}; import the module that registers it first, or say which "
            f"class that is now: classes={{{name!r}: ...}}"
        )
    is_namedtuple = issubclass(of, tuple) and hasattr(of, "_fields")
    if not is_namedtuple and of not in containers:
        raise ExportError(
            f"classes: {of.__qualname__}, given for {name!r}, is not registered with anvl.tree; "
            "register it as the other was"
        )
    children = [_node(child, classes, depth + 1) for child in stored["children"]]
    fields = list(getattr(of, "_fields", None) or fields_of.get(of, ()))
    written = list(stored.get("fields", ()))
    if fields != written or (written and len(children) != len(written)):
        raise ExportError(
            f"its arguments or results are in the class {name!r} with the fields {written}; "
            f"{of.__qualname__} has {fields} now: give classes={{{name!r}: ...}} a class with the "
            "same fields"
        )
    rest = None if is_namedtuple else value_from_json(stored["rest"])
    return node((of, rest), children)
