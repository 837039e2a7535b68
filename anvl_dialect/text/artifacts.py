"""Bytecode and portable artifacts that say where arrays lie (Shardy), as bytecode that does not.

MLIR reads no attribute of a dialect that it does not have, where that dialect has an encoding of
its own, as `sdy` has; so it refuses every artifact of JAX with linear algebra in it.  In the table
of a file's attributes, those of `sdy` are therefore given the encoding that every dialect has,
text, in as many bytes: `unit`.  Ops of `sdy` are then read as ops of no known dialect, in a context
of their own, and left out as they are of text (`shardy.py`).
Source: MLIR, bytecode format, https://mlir.llvm.org/docs/BytecodeFormat.

    without_placement(content)     what is read instead, and what was left out
"""

import io
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from anvl.dialect.core.mlir import ir, load_stablehlo, stablehlo
from anvl.dialect.text.shardy import drop_placement

__all__ = ["MAGIC", "deserialised", "without_placement"]

MAGIC = b"ML\xefR"
_ARTIFACT = MAGIC + b"\rStableHLO_v"
_DIALECT = b"sdy"
_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS = range(4)  # numbers of sections
_ALIGNED, _PADDING = 0x80, 0xCB
_BITS = 56  # of a number that its first byte says the length of


def without_placement(content: bytes) -> tuple[bytes, Mapping[str, int]]:
    """Bytecode of the same module, and what was left out: how many of each kind.

    The same bytes, and nothing, where nothing is to be left out or the bytes are malformed: then
    whoever reads them says so.  Malformed bytes may also end the process.
    Raises `NotPlacement` where an op of Shardy says more than where arrays lie.
    """
    if _DIALECT not in content or not content.startswith(MAGIC):
        return content, {}
    try:
        as_text = _as_text(content)
    except (IndexError, ValueError):  # it ends too early
        return content, {}
    context = ir.Context()  # its own: in that of the process every unknown op would be taken
    context.allow_unregistered_dialects = True
    load_stablehlo(context)
    said = context.attach_diagnostic_handler(lambda _: True)
    try:
        module = deserialised(as_text, context)
    except (ValueError, ir.MLIRError):
        return content, {}
    finally:
        said.detach()
    dropped = drop_placement(module.operation)
    if not dropped:
        return content, {}
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return written.getvalue(), dropped


def deserialised(content: bytes, context: ir.Context) -> ir.Module:
    """The module in bytecode or an artifact.  Raises `ir.MLIRError`; `ValueError` for artifacts."""
    if content.startswith(_ARTIFACT):
        return stablehlo.deserialize_portable_artifact(context, content)
    return ir.Module.parse(content, context)


class _Reader:
    """Numbers and sections, one after the other, of a part of a file."""

    def __init__(self, content: bytes, at: int, end: int) -> None:
        self.content, self.at, self.end = content, at, end

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def number(self) -> int:
        """As many zeros as the first byte ends in, so many bytes follow it."""
        first = self.content[self.at]
        if not first:
            raise ValueError(f"a number of 2**{_BITS} or more: no file is as long")
        count = (first & -first).bit_length()
        if self.at + count > len(self.content):
            raise IndexError("a number ends after the file")
        found = int.from_bytes(self.content[self.at : self.at + count], "little")
        self.at += count
        return found >> count

    def numbers(self, count: int) -> Iterator[int]:
        return (self.number() for _ in range(count))

    def section(self) -> "tuple[int, _Reader]":
        kind, length = self.byte(), self.number()
        if kind & _ALIGNED:
            alignment = self.number()
            while alignment and self.at % alignment and self.content[self.at] == _PADDING:
                self.at += 1
        start = self.at
        self.at += length
        return kind & ~_ALIGNED, _Reader(self.content, start, self.at)


class _Entry(NamedTuple):
    """An attribute or a type: where its size stands, and where it does itself."""

    offset: slice
    data: slice
    dialect: int
    has_encoding: bool


def _as_text(content: bytes) -> bytes:
    """The file with the attributes of `sdy` written as text."""
    reader = _Reader(content, len(MAGIC), len(content))
    reader.number()  # the version
    reader.at = content.index(b"\0", reader.at) + 1  # who wrote it
    sections = {}
    while reader.at < reader.end:
        kind, section = reader.section()
        sections[kind] = section
    if not sections.keys() >= {_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS}:
        return content
    names = _dialects(sections[_DIALECTS], _strings(sections[_STRINGS]))
    found = bytearray(content)
    for entry in _entries(sections[_OFFSETS], sections[_ATTRIBUTES]):
        if entry.has_encoding and names[entry.dialect] == _DIALECT:
            count = entry.offset.stop - entry.offset.start
            found[entry.offset] = _without_flag(content[entry.offset], count)
            found[entry.data] = _unit(entry.data.stop - entry.data.start)
    return bytes(found)


def _strings(section: _Reader) -> list[bytes]:
    """Lengths stand in reverse order, and count the zero that ends each string."""
    lengths = list(section.numbers(section.number()))
    strings, at = [], section.at
    for length in reversed(lengths):
        strings.append(section.content[at : at + length - 1])
        at += length
    return strings


def _dialects(section: _Reader, strings: list[bytes]) -> list[bytes]:
    names = []
    for said in section.numbers(section.number()):
        names.append(strings[said >> 1])
        if said & 1:  # its version
            section.section()
    return names


def _entries(offsets: _Reader, data: _Reader) -> Iterator[_Entry]:
    at = data.at
    for _ in range(2):  # how many attributes and types there are
        offsets.number()
    while offsets.at < offsets.end:
        dialect, count = offsets.numbers(2)
        for _ in range(count):
            start = offsets.at
            said = offsets.number()
            end = at + (said >> 1)
            if end > min(data.end, len(data.content)):
                raise ValueError("an attribute ends after its section")
            yield _Entry(slice(start, offsets.at), slice(at, end), dialect, bool(said & 1))
            at = end


def _without_flag(number: bytes, count: int) -> bytes:
    """The lowest bit of the number stands above those that say how many bytes it has."""
    found = int.from_bytes(number, "little") & ~(1 << count)
    return found.to_bytes(len(number), "little")


def _unit(size: int) -> bytes:
    """An attribute as text of this size, with the zero that ends it; any, where `unit` is long."""
    texts = {0: b"", 1: b"", 2: b"0", 3: b"[]", 4: b"[ ]"}
    return (texts.get(size, b"unit".ljust(size - 1)) + b"\0")[:size]
