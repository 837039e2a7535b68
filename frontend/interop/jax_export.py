"""Files that `jax.export` writes: `exported.serialize()`, a FlatBuffer around a StableHLO artifact.

Sources: the schema, jax/_src/export/serialization.fbs of JAX (versions 2 to 12 of the format), and
the FlatBuffers specification (https://flatbuffers.dev/internals).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

__all__ = ["Exported", "NotExported", "read_exported"]

# Numbers of the fields in the schema.
_NAME, _IN_TREE, _OUT_TREE, _PLATFORMS, _MODULE, _KEPT = 1, 2, 4, 9, 13, 15
_KIND, _CHILDREN, _KEYS, _CUSTOM = 0, 1, 2, 3

_LEAF, _NONE, _TUPLE, _LIST, _DICT, _OTHER = range(6)
_DEEPEST = 100  # levels of a pytree
_MOST_NODES = 1_000_000


class NotExported(ValueError):
    """The bytes are no file of `jax.export`, or a broken one."""


class Leaf:
    """A leaf of a structure."""


class Exported(NamedTuple):
    """An exported function: its module, and the structures of its arguments and results.

    `arguments` is a pair of a tuple and a dict, `results` any tree, both with `Leaf`s; `kept` are
    the leaves of the arguments that the module takes, by position.
    """

    name: str
    module: bytes
    arguments: Any
    results: Any
    kept: list[int]
    platforms: list[str]


class _Table:
    """A table of a FlatBuffer.  `struct` checks that all is inside of the buffer."""

    def __init__(self, data: bytes, at: int, count: Callable[[], None]) -> None:
        self._data, self._at, self._count = data, at, count
        count()
        self._fields = at - self._read("<i", at)
        self._size = self._read("<H", self._fields)

    def _read(self, form: str, at: int) -> int:
        if at < 0:
            raise NotExported("an offset points before its beginning")
        return int(struct.unpack_from(form, self._data, at)[0])

    def _place(self, field: int) -> int:
        """Position of a field; 0 if it is left out."""
        entry = 4 + 2 * field
        if entry >= self._size:
            return 0
        offset = self._read("<H", self._fields + entry)
        return self._at + offset if offset else 0

    def byte(self, field: int) -> int:
        at = self._place(field)
        return self._read("<b", at) if at else 0

    def _vector(self, field: int, width: int) -> tuple[int, int]:
        """Position and length of a vector; all of it is inside of the buffer."""
        at = self._place(field)
        if not at:
            return 0, 0
        at += self._read("<I", at)
        length = self._read("<I", at)
        if at + 4 + length * width > len(self._data):
            raise NotExported("it ends early")
        return at + 4, length

    def bytes(self, field: int) -> bytes:
        at, length = self._vector(field, 1)
        return self._data[at : at + length]

    def text(self, field: int) -> str:
        return self.bytes(field).decode()

    def shorts(self, field: int) -> list[int]:
        at, length = self._vector(field, 2)
        return list(struct.unpack_from(f"<{length}H", self._data, at))

    def _entries(self, field: int) -> Iterator[int]:
        at, length = self._vector(field, 4)
        for i in range(length):
            yield at + 4 * i + self._read("<I", at + 4 * i)

    def texts(self, field: int) -> list[str]:
        found = []
        for at in self._entries(field):
            length = self._read("<I", at)
            if at + 4 + length > len(self._data):
                raise NotExported("it ends early")
            found.append(self._data[at + 4 : at + 4 + length].decode())
        return found

    def table(self, field: int) -> _Table:
        at = self._place(field)
        if not at:
            raise NotExported(f"field {field} is missing")
        return _Table(self._data, at + self._read("<I", at), self._count)

    def tables(self, field: int) -> list[_Table]:
        return [_Table(self._data, at, self._count) for at in self._entries(field)]


def read_exported(data: bytes) -> Exported:
    """Parse a file of `jax.export`; raises `NotExported` if it is none, or broken."""
    nodes = iter(range(_MOST_NODES))

    def count() -> None:
        if next(nodes, None) is None:
            raise NotExported("its structures have no end")

    try:
        (root,) = struct.unpack_from("<I", data)
        table = _Table(data, root, count)
        module = table.bytes(_MODULE)
        if not module.startswith(b"ML\xefR"):
            raise NotExported("it has no module of StableHLO")
        found = Exported(
            table.text(_NAME),
            module,
            _tree(table.table(_IN_TREE)),
            _tree(table.table(_OUT_TREE)),
            table.shorts(_KEPT),
            table.texts(_PLATFORMS),
        )
    except struct.error:
        raise NotExported("it ends early") from None
    except UnicodeDecodeError:
        raise NotExported("a name is not UTF-8") from None
    arguments = found.arguments
    if not (type(arguments) is tuple and list(map(type, arguments)) == [tuple, dict]):
        raise NotExported("its arguments are no pair of a tuple and a dict")
    return found


def _tree(node: _Table, depth: int = 0) -> Any:
    """A tree of this structure, with `Leaf`s."""
    if depth > _DEEPEST:
        raise NotExported(f"its structures nest deeper than {_DEEPEST} levels")
    kind = node.byte(_KIND)
    children = [_tree(child, depth + 1) for child in node.tables(_CHILDREN)]
    if kind == _DICT:
        keys = node.texts(_KEYS)
        if len({*keys}) != len(children):
            raise NotExported("a dict has other keys than values")
        return dict(zip(keys, children, strict=True))
    if kind == _OTHER:
        raise NotExported(
            f"its arguments or results are in a container of the class {node.text(_CUSTOM)!r}, "
            "which anvl does not know; export a function of tuples, lists and dicts"
        )
    made: dict[int, Any] = {
        _LEAF: Leaf(), _NONE: None, _TUPLE: tuple(children), _LIST: children,
    }  # fmt: skip
    if kind not in made:
        raise NotExported(f"a structure is of the unknown kind {kind}")
    return made[kind]
