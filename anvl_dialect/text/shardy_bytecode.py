"""Attributes of `sdy` in bytecode: their texts, and numbers in their place, which MLIR reads.

MLIR reads no attribute of an unregistered dialect with an encoding of its own.  In the table of a
file these attributes are therefore given the encoding that every dialect has, text, in as many
bytes: the number of a sharding among those of the file, or `unit` for what no op refers to.

An op of an unregistered dialect is read with the first of its properties alone.  So what a manual
computation says besides is found by that one, among the properties in the file.
Source: the Shardy dialect, shardy/dialect/sdy/ir/bytecode.td.

    numbered(content)     the file with numbers, and what they stand for
"""

from collections import defaultdict
from contextlib import suppress
from typing import NamedTuple

from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.shardings import MeshShape
from anvl.dialect.text.bytecode_tables import Entry, Reader, Tables, tables_of

__all__ = ["NOTHING_KNOWN", "Computation", "Numbered", "numbered"]

_SDY, _BUILTIN = b"sdy", b"builtin"
#: Codes of attributes of `sdy`.
_MANUAL_AXES, _MESH_AXIS, _MESH, _, _AXIS, _DIMENSION, _SHARDING, _PER_VALUE = range(8)
_STRING, _SYMBOL = 2, 4  # of MLIR's own
_SMALL = {0: b"", 1: b"", 2: b"0", 3: b"[]", 4: b"[ ]"}


class Computation(NamedTuple):
    """Shardings of the operands and results of a manual computation, and its axes."""

    ins: list[str]
    outs: list[str]
    axes: list[str]


class Numbered(NamedTuple):
    """A file whose attributes of `sdy` are numbers, and the texts that these stand for.

    Attributes
    ----------
    content : bytes
    shardings : dict of int to str
        `<mesh<["x"=4]>, [{"x"}]>`; without those that have no such text.
    computations : dict of int to list of Computation
        By the number of the shardings of its operands; several may have the same.
    """

    content: bytes
    shardings: dict[int, str]
    computations: dict[int, list[Computation]]


#: Of text, in which all that is known is written already.
NOTHING_KNOWN = Numbered(b"", {}, {})


class _Unsaid(ValueError):
    """An attribute that a spec cannot say: part of an axis, devices in another order."""


def numbered(content: bytes) -> Numbered:
    """Give the attributes of `sdy` in a file numbers.

    Raises `IndexError` or `ValueError` for a file that is truncated.
    """
    tables = tables_of(content)
    if tables is None:
        return Numbered(content, {}, {})
    texts, found = _Texts(content, tables), bytearray(content)
    numbers: dict[int, dict[int, int]] = {_SHARDING: {}, _PER_VALUE: {}}
    for index, entry in enumerate(tables.entries):
        if not entry.has_encoding or entry.dialect != _SDY:
            continue
        size = entry.data.stop - entry.data.start
        known = numbers.get(texts.code(index))
        found[entry.data] = _unit(size)
        number = b"" if known is None else str(len(known)).encode()
        if known is not None and len(number) < size:
            known[index] = len(known)
            found[entry.data] = number.ljust(size - 1) + b"\0"
        found[entry.offset] = _without_flag(content[entry.offset])
    shardings = {n: text for i, n in numbers[_SHARDING].items() if (text := texts.said(i))}
    return Numbered(bytes(found), shardings, texts.computations(numbers[_PER_VALUE]))


def _without_flag(number: bytes) -> bytes:
    """Clear the lowest bit of a number, above the bits that encode its byte count."""
    found = int.from_bytes(number, "little") & ~(1 << len(number))
    return found.to_bytes(len(number), "little")


def _unit(size: int) -> bytes:
    """An attribute as zero-terminated text of this size: `unit`, or a shorter one."""
    return (_SMALL.get(size, b"unit".ljust(size - 1)) + b"\0")[:size]


class _Texts:
    """Texts of the attributes of `sdy` in a file."""

    def __init__(self, content: bytes, tables: Tables) -> None:
        self.content, self.tables = content, tables
        self.meshes = self._named_meshes()

    def said(self, index: int) -> str | None:
        """The text of a sharding; None if it has none."""
        with suppress(_Unsaid, ShardingError):
            return self._sharding(index)
        return None

    def code(self, index: int) -> int:
        """The kind of an attribute of `sdy`."""
        return self._read(index, _SDY)[0]

    def computations(self, numbers: dict[int, int]) -> dict[int, list[Computation]]:
        """The manual computations, by the numbers of the shardings of their operands."""
        found = defaultdict[int, list[Computation]](list)
        for ins, axes, outs in self._properties([_PER_VALUE, _MANUAL_AXES, _PER_VALUE]):
            if ins not in numbers:
                continue
            with suppress(_Unsaid, ShardingError):
                of_ins, of_outs = (self._listed(i, _PER_VALUE) for i in (ins, outs))
                found[numbers[ins]].append(
                    Computation(
                        [self._sharding(i) for i in of_ins],
                        [self._sharding(i) for i in of_outs],
                        [self._string(i) for i in self._listed(axes, _MANUAL_AXES)],
                    )
                )
        return dict(found)

    def _named_meshes(self) -> dict[str, MeshShape]:
        found = {}
        for mesh, name in self._properties([_MESH, None]):
            with suppress(_Unsaid, ShardingError):
                found[self._string(name)] = self._mesh(mesh)
        return found

    def _properties(self, kinds: list[int | None]) -> list[list[int]]:
        """The properties of ops that are of these kinds, None for one that is not `sdy`'s."""
        found = []
        for place in self.tables.properties:
            reader = Reader(self.content, place.start, place.stop)
            refs: list[int] = []
            while reader.at < reader.end and len(refs) <= len(kinds):
                refs.append(reader.number())
            if list(map(self._kind, refs)) == kinds:
                found.append(refs)
        return found

    def _kind(self, index: int) -> int | None:
        is_ours = index < len(self.tables.entries) and self._entry(index).dialect == _SDY
        return self.code(index) if is_ours and self._entry(index).has_encoding else None

    def _entry(self, index: int) -> Entry:
        return self.tables.entries[index]

    def _read(self, index: int, dialect: bytes) -> tuple[int, Reader]:
        """The code of an attribute, and a reader of what follows it."""
        entry = self._entry(index)
        if entry.dialect != dialect or not entry.has_encoding:
            raise _Unsaid(index)
        reader = Reader(self.content, entry.data.start, entry.data.stop)
        return reader.number(), reader

    def _of(self, index: int, code: int, dialect: bytes = _SDY) -> Reader:
        found, reader = self._read(index, dialect)
        if found != code:
            raise _Unsaid(index)
        return reader

    def _listed(self, index: int, code: int) -> list[int]:
        return self._of(index, code).listed()

    def _string(self, index: int) -> str:
        return self.tables.strings[self._of(index, _STRING, _BUILTIN).number()].decode()

    def _mesh(self, index: int) -> MeshShape:
        reader = self._of(index, _MESH)
        axes = [self._of(axis, _MESH_AXIS) for axis in reader.listed()]
        pairs = [(self.tables.strings[axis.number()].decode(), axis.signed()) for axis in axes]
        if reader.number():  # devices in an order of their own
            raise _Unsaid(index)
        return MeshShape(tuple(name for name, _ in pairs), tuple(size for _, size in pairs))

    def _sharding(self, index: int) -> str:
        reader = self._of(index, _SHARDING)
        place = reader.number()
        code, name = self._read(place, self._entry(place).dialect)
        if self._entry(place).dialect == _BUILTIN and code == _SYMBOL:
            mesh = self.meshes.get(self._string(name.number()))
        else:
            mesh = self._mesh(place)
        if mesh is None:
            raise _Unsaid(index)
        dimensions = ", ".join(map(self._dimension, reader.listed()))
        return f"<{mesh.to_sdy().removeprefix('#sdy.')}, [{dimensions}]>"

    def _dimension(self, index: int) -> str:
        reader = self._of(index, _DIMENSION)
        axes = [f'"{self._axis(axis)}"' for axis in reader.listed()]
        is_closed = reader.byte()
        return "{" + ", ".join([*axes, *([] if is_closed else ["?"])]) + "}"

    def _axis(self, index: int) -> str:
        reader = self._of(index, _AXIS)
        name = self.tables.strings[reader.number()].decode()
        if reader.number():  # a part of the axis
            raise _Unsaid(index)
        return name
