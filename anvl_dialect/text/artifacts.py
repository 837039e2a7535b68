"""Bytecode and portable artifacts with Shardy attributes, rewritten without them.

MLIR reads no attribute of an unregistered dialect with an encoding of its own, such as `sdy`; so it
refuses every artifact of JAX with linear algebra in it.  In the attribute table of a file, the
attributes of `sdy` are therefore given the encoding that every dialect has, text, in as many bytes:
`unit`.  Ops of `sdy` are then read as unregistered ops, in a separate context, and removed as from
text (`shardy.py`).
Source: MLIR, bytecode format, https://mlir.llvm.org/docs/BytecodeFormat.

    without_placement(content)     bytes to read instead, and counts of removals
"""

import io
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from anvl.dialect.core.mlir import ir, load_stablehlo, stablehlo
from anvl.dialect.text.shardy import drop_placement

__all__ = ["MAGIC", "deserialised", "without_placement"]

MAGIC = b"ML\xefR"
_PRODUCER = b"StableHLO_v"  # of an artifact, after the version of the bytecode, a byte
_DIALECT = b"sdy"
_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS = range(4)  # section numbers
_ALIGNED, _PADDING = 0x80, 0xCB
_BITS = 56  # bits of a number whose length is in its first byte


def without_placement(content: bytes) -> tuple[bytes, Mapping[str, int]]:
    """Remove placement: bytecode of the same module, and counts of removals by kind.

    If nothing is to be removed, or the bytes are malformed, the same bytes and no counts: the
    reader then reports the error.  Malformed bytes may also crash the process.  Raises
    `NotPlacement` if an op of Shardy says more than array placement.
    """
    if _DIALECT not in content or not content.startswith(MAGIC):
        return content, {}
    try:
        as_text = _as_text(content)
    except (IndexError, ValueError):  # truncated
        return content, {}
    context = ir.Context()  # a separate one: in the process's, every unknown op would be accepted
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
    """Parse bytecode or an artifact.  Raises `ir.MLIRError`; `ValueError` for artifacts."""
    if content[len(MAGIC) + 1 :].startswith(_PRODUCER):
        return stablehlo.deserialize_portable_artifact(context, content)
    return ir.Module.parse(content, context)


class _Reader:
    """Cursor over the numbers and sections of a part of a file."""

    def __init__(self, content: bytes, at: int, end: int) -> None:
        self.content, self.at, self.end = content, at, end

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def number(self) -> int:
        """Read a variable-length number: n trailing zeros in byte 0 announce n more bytes."""
        first = self.content[self.at]
        if not first:
            raise ValueError(f"a number of 2**{_BITS} or more: no file is that long")
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
    """An attribute or type: positions of its size and of its data."""

    offset: slice
    data: slice
    dialect: int
    has_encoding: bool


def _as_text(content: bytes) -> bytes:
    """Re-encode the attributes of `sdy` as text."""
    reader = _Reader(content, len(MAGIC), len(content))
    reader.number()  # version
    reader.at = content.index(b"\0", reader.at) + 1  # producer
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
    """Lengths come in reverse order, and include each string's terminating zero."""
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
    for _ in range(2):  # numbers of attributes and of types
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
    """Clear the lowest bit of a number, above the bits that encode its byte count."""
    found = int.from_bytes(number, "little") & ~(1 << count)
    return found.to_bytes(len(number), "little")


def _unit(size: int) -> bytes:
    """An attribute as zero-terminated text of this size: `unit`, or a shorter one."""
    texts = {0: b"", 1: b"", 2: b"0", 3: b"[]", 4: b"[ ]"}
    return (texts.get(size, b"unit".ljust(size - 1)) + b"\0")[:size]
