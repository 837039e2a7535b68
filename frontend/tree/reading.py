"""Source that reads the leaves of trees of one structure, in place of flattening them.

Flattening walks the containers, sorts the keys of dicts, and makes a structure, which is hashed and
compared: 50 us for a dict of 200 arrays, of which reading it as its known structure takes 5.
Containers that contain themselves have no structure, so no reading fits them.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

from anvl.runtime import Building, Reading, Values
from anvl.tree.containers import fields_of, meta_fields_of

__all__ = ["building_of", "reading_of"]

_MOST_BUILT = 16  # leaves, and twice as many nodes

_MOST_NODES = 4096
_ONE_BY_ONE = 8  # leaves of a container that are read by name; more are read at once
_LARGEST_KEY = 2**63


def reading_of(
    structures: Sequence[Any], missing: Any, is_one_by_one: bool = False
) -> Reading | None:
    """The source that reads the slots `a0`, `a1`, ... of these structures.

    A slot whose structure is None is not read, one of `missing` must be missing.  With
    `is_one_by_one` each leaf has a name.  None if there are containers other than dicts, lists,
    tuples, named tuples and registered dataclasses, or keys other than texts and integers.

    Examples
    --------
    >>> from anvl import tree
    >>> reading_of([tree.structure({"w": 1, "b": 2})], object()).lines
    ('if type(a0) is not dict or len(a0) != 2: return miss', "x1 = a0['b']", "x2 = a0['w']")
    """
    reader = _Reader(_MOST_NODES if is_one_by_one else _ONE_BY_ONE)
    for i, structure in enumerate(structures):
        if structure is missing:
            reader.lines.append(f"if a{i} is not missing: return miss")
        elif structure is not None and not reader.read(f"a{i}", structure):
            return None
    return Reading(tuple(reader.lines), tuple(reader.leaves), reader.names)


class _Reader:
    """The source as it grows."""

    def __init__(self, most_one_by_one: int) -> None:
        self._most_one_by_one = most_one_by_one
        self.lines: list[str] = []
        self.leaves: list[str] = []
        self.names: dict[str, Any] = {}
        self._count = 0

    def read(self, name: str, structure: Any) -> bool:
        """Read the variable `name`; false if its structure cannot be read."""
        data = structure.node_data()
        if data is None:
            self.leaves.append(name)
            return True
        kind, keys = data
        if kind is type(None):
            self.lines.append(f"if {name} is not None: return miss")
            return True
        if structure.num_nodes + self._count > _MOST_NODES:
            return False
        if kind is dict:
            return all(map(_is_plain, keys)) and self._read_dict(name, keys, structure)
        if kind is list or kind is tuple:
            self.lines.append(f"if type({name}) is not {kind.__name__}: return miss")
            return self._read_sequence(name, structure)
        if not (_is_named_tuple(kind) or kind in fields_of):
            return False
        of = self._named("K", kind)
        self.lines.append(f"if type({name}) is not {of}: return miss")
        if kind in fields_of:
            return self._read_fields(name, kind, keys, structure)
        return self._read_sequence(name, structure)

    def _read_fields(self, name: str, kind: type, rest: Sequence[Any], structure: Any) -> bool:
        """Read the fields of a dataclass, whose structure holds the `rest` of them."""
        for field, value in zip(meta_fields_of[kind], rest, strict=True):
            self.lines.append(f"if {name}.{field} != {self._named('m', value)}: return miss")
        variables = [self._variable() for _ in fields_of[kind]]
        fields = zip(variables, fields_of[kind], strict=True)
        self.lines += [f"{x} = {name}.{field}" for x, field in fields]
        return self._read_children(variables, structure)

    def _read_dict(self, name: str, keys: Sequence[Any], structure: Any) -> bool:
        n = len(keys)
        self.lines.append(f"if type({name}) is not dict or len({name}) != {n}: return miss")
        if self._has_many_leaves(structure, n):
            at_once, get = self._variable(), self._named("get", operator.itemgetter(*keys))
            self.lines.append(f"{at_once} = {get}({name})")
            self.leaves.append(f"*{at_once}")
            return True
        variables = [self._variable() for _ in keys]
        self.lines += [f"{x} = {name}[{key!r}]" for x, key in zip(variables, keys, strict=True)]
        return self._read_children(variables, structure)

    def _read_sequence(self, name: str, structure: Any) -> bool:
        children = structure.children()
        n = len(children)
        if n == 0:
            self.lines.append(f"if {name}: return miss")
            return True
        if self._has_many_leaves(structure, n):
            at_once = self._variable()
            self.lines.append(f"{at_once} = tuple({name})")
            self.lines.append(f"if len({at_once}) != {n}: return miss")
            self.leaves.append(f"*{at_once}")
            return True
        variables = [self._variable() for _ in children]
        self.lines.append(f"[{', '.join(variables)}] = {name}")
        return self._read_children(variables, structure)

    def _read_children(self, variables: Sequence[str], structure: Any) -> bool:
        return all(map(self.read, variables, structure.children()))

    def _has_many_leaves(self, structure: Any, n: int) -> bool:
        return n > self._most_one_by_one and structure.num_leaves == n == structure.num_nodes - 1

    def _variable(self) -> str:
        self._count += 1
        return f"x{self._count}"

    def _named(self, prefix: str, x: Any) -> str:
        self._count += 1
        self.names[f"{prefix}{self._count}"] = x
        return f"{prefix}{self._count}"


def building_of(structure: Any) -> Building | Values | None:
    """The source that makes a tree of this structure from its leaves `a0`, `a1`, ...

    None as for `reading_of`, and for more than a few leaves that are not the values of one dict:
    C++ puts them together as fast.  It is not cached: structures with the keys 1 and True are
    equal.

    Examples
    --------
    >>> from anvl import tree
    >>> building_of(tree.structure({"w": 1, "b": [2, None]})).source
    "{'b': [a0, None, ], 'w': a1}"
    """
    if structure.num_leaves > _MOST_BUILT or structure.num_nodes > 2 * _MOST_BUILT:
        return _values_of(structure)
    names: dict[str, Any] = {}
    source = _built(structure, names, itertools.count())
    return None if source is None else Building(source, names)


def _values_of(structure: Any) -> Values | None:
    """The keys of a dict whose values are the leaves; None for other structures."""
    kind, keys = structure.node_data()
    is_flat = structure.num_leaves == len(structure.children()) == structure.num_nodes - 1
    return Values(tuple(keys)) if kind is dict and is_flat and all(map(_is_plain, keys)) else None


def _built(structure: Any, names: dict[str, Any], leaves: Iterator[int]) -> str | None:
    """The expression of a tree; its named tuples are added to `names`."""
    data = structure.node_data()
    if data is None:
        return f"a{next(leaves)}"
    kind, keys = data
    parts = [_built(child, names, leaves) for child in structure.children()]
    return None if None in parts else _literal(kind, keys, parts, names)


def _literal(kind: type, keys: Any, parts: Sequence[Any], names: dict[str, Any]) -> str | None:
    """The expression of a container with these expressions as its parts."""
    listed = "".join(f"{part}, " for part in parts)
    if kind is type(None):
        return "None"
    if kind is list or kind is tuple:
        return f"[{listed}]" if kind is list else f"({listed})"
    if kind is dict and all(map(_is_plain, keys)):
        return f"{{{', '.join(f'{k!r}: {x}' for k, x in zip(keys, parts, strict=True))}}}"
    if _is_named_tuple(kind):
        return f"{_name_of(kind, names)}({listed})"
    return _dataclass_literal(kind, keys, parts, names) if kind in fields_of else None


def _dataclass_literal(
    kind: type, rest: Sequence[Any], parts: Sequence[str], names: dict[str, Any]
) -> str:
    """The expression of a dataclass with the `rest` of its fields, which its structure holds."""
    values = [*parts, *(_name_of(value, names) for value in rest)]
    given = zip((*fields_of[kind], *meta_fields_of[kind]), values, strict=True)
    return f"{_name_of(kind, names)}({', '.join(f'{field}={x}' for field, x in given)})"


def _name_of(x: Any, names: dict[str, Any]) -> str:
    """A new name of an object."""
    name = f"k{len(names)}"
    names[name] = x
    return name


def _is_plain(key: Any) -> bool:
    """Whether a key is equal to no key of another type, but for subclasses, and can be written."""
    return type(key) is str or (type(key) is int and -_LARGEST_KEY <= key < _LARGEST_KEY)


def _is_named_tuple(kind: type) -> bool:
    """Whether unpacking an object of this class gives its children."""
    own: Any = kind.__iter__ if issubclass(kind, tuple) else None
    return hasattr(kind, "_fields") and own is tuple.__iter__
