"""The tables of a bytecode file: strings, and where the bytes of attributes and properties are.

Source: MLIR, bytecode format, https://mlir.llvm.org/docs/BytecodeFormat.

    tables_of(content)     None for a file without attributes
"""

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["MAGIC", "Entry", "Reader", "Tables", "tables_of"]

MAGIC = b"ML\xefR"
_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS = range(4)  # section numbers
_PROPERTIES = 8
_ALIGNED, _PADDING = 0x80, 0xCB
_BITS = 56  # bits of a number whose length is in its first byte


class Reader:
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

    def signed(self) -> int:
        """Read a number whose lowest bit is its sign."""
        found = self.number()
        return -(found >> 1) - 1 if found & 1 else found >> 1

    def listed(self) -> list[int]:
        """Read numbers, after how many there are."""
        count = self.number()
        if count > len(self.content):
            raise ValueError("a list is longer than the file")
        return list(self.numbers(count))

    def section(self) -> "tuple[int, Reader]":
        kind, length = self.byte(), self.number()
        if kind & _ALIGNED:
            alignment = self.number()
            while alignment and self.at % alignment and self.content[self.at] == _PADDING:
                self.at += 1
        start = self.at
        self.at += length
        return kind & ~_ALIGNED, Reader(self.content, start, self.at)


class Entry(NamedTuple):
    """An attribute or type: positions of its size and of its data."""

    offset: slice
    data: slice
    dialect: bytes
    has_encoding: bool


class Tables(NamedTuple):
    """The strings, the attributes followed by the types, and the properties of ops."""

    strings: list[bytes]
    entries: list[Entry]
    properties: list[slice]


def tables_of(content: bytes) -> Tables | None:
    """The tables of a file.  Raises `IndexError` or `ValueError` for one that is truncated."""
    reader = Reader(content, len(MAGIC), len(content))
    reader.number()  # version
    reader.at = content.index(b"\0", reader.at) + 1  # producer
    sections = {}
    while reader.at < reader.end:
        kind, section = reader.section()
        sections[kind] = section
    if not sections.keys() >= {_STRINGS, _DIALECTS, _ATTRIBUTES, _OFFSETS}:
        return None
    strings = _strings(sections[_STRINGS])
    names = _dialects(sections[_DIALECTS], strings)
    entries = list(_entries(sections[_OFFSETS], sections[_ATTRIBUTES], names))
    blobs = sections.get(_PROPERTIES)
    return Tables(strings, entries, [] if blobs is None else _sized(blobs))


def _strings(section: Reader) -> list[bytes]:
    """Lengths come in reverse order, and include each string's terminating zero."""
    lengths = list(section.numbers(section.number()))
    strings, at = [], section.at
    for length in reversed(lengths):
        strings.append(section.content[at : at + length - 1])
        at += length
    return strings


def _dialects(section: Reader, strings: list[bytes]) -> list[bytes]:
    names = []
    for said in section.numbers(section.number()):
        names.append(strings[said >> 1])
        if said & 1:  # its version
            section.section()
    return names


def _entries(offsets: Reader, data: Reader, names: list[bytes]) -> Iterator[Entry]:
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
            place = slice(start, offsets.at), slice(at, end)
            yield Entry(*place, names[dialect], bool(said & 1))
            at = end


def _sized(section: Reader) -> list[slice]:
    found = []
    for _ in range(section.number()):
        size = section.number()
        found.append(slice(section.at, section.at + size))
        section.at += size
    return found
