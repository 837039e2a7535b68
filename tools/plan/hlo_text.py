"""Compiled programs, read from XLA's text: computations, instructions, shapes.

Only what planning needs is read; attributes stay text.
Source: HLO's text format, https://openxla.org/xla/operation_semantics.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

__all__ = ["Computation", "Instruction", "Program", "Shape", "program"]

_HEAD = re.compile(r"^(ENTRY )?%?([^\s(]+) .*\{$")
_LINE = re.compile(r"^\s+(?:ROOT )?%?(\S+) = (.*)$")
_ARRAY = re.compile(r"([a-z]\w*)\[([\d,<=]*)\]")
_BITS = re.compile(r"\d+")
_OPERAND = re.compile(r"%([^\s,()]+)")


@dataclass(frozen=True)
class Shape:
    """An array: XLA's name of its dtype, such as `bf16`, and its sizes."""

    dtype: str
    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.sizes)

    @property
    def bytes(self) -> float:
        """The number of bytes."""
        return self.count * _bits(self.dtype) / 8


@lru_cache(64)
def _bits(dtype: str) -> int:
    if dtype in ("token", "opaque"):
        return 0
    found = _BITS.search(dtype)  # f8e4m3fn has 8, c64 has 64
    return int(found[0]) if found is not None else 8  # pred


@dataclass(frozen=True)
class Instruction:
    """One op of a compiled program; `shapes` are those of its result, several of a tuple."""

    name: str
    opcode: str
    shapes: tuple[Shape, ...]
    operands: tuple[str, ...]
    attributes: str

    @property
    def bytes(self) -> float:
        """Bytes of its result."""
        return sum(shape.bytes for shape in self.shapes)

    @property
    def count(self) -> int:
        """Elements of its result."""
        return sum(shape.count for shape in self.shapes)

    def names(self, key: str) -> list[str]:
        """The computations that an attribute names: `calls=%f`, `branch_computations={%f, %g}`."""
        found = re.search(rf"\b{key}=(\{{[^}}]*\}}|[^\s,]+)", self.attributes)
        return re.findall(r"[^\s,{}%]+", found[1]) if found else []

    def numbers(self, key: str) -> list[int]:
        """The numbers of an attribute, such as `dimensions={0,1}`."""
        found = re.search(rf"\b{key}=\{{([\d,]*)\}}", self.attributes)
        return [int(n) for n in found[1].split(",") if n] if found else []

    @property
    def trip_count(self) -> int | None:
        """How often a loop runs, where XLA knows it."""
        found = re.search(r'"known_trip_count":\{"n":"(\d+)"', self.attributes)
        return int(found[1]) if found else None

    @property
    def source(self) -> str:
        """The line that it comes from, `file:line`; empty where XLA does not say."""
        file = re.search(r'source_file="([^"]*)"', self.attributes)
        line = re.search(r"source_line=(\d+)", self.attributes)
        return f"{file[1]}:{line[1]}" if file and line else ""


@dataclass(frozen=True)
class Computation:
    """A function of a compiled program."""

    name: str
    instructions: tuple[Instruction, ...]

    @cached_property
    def by_name(self) -> dict[str, Instruction]:
        """Its instructions by name."""
        return {each.name: each for each in self.instructions}

    def operands(self, of: Instruction) -> list[Instruction]:
        """The instructions whose results an instruction reads."""
        return [self.by_name[name] for name in of.operands if name in self.by_name]


@dataclass(frozen=True)
class Program:
    """A compiled program; its text is that of one device, of `partitions`."""

    computations: dict[str, Computation]
    entry: str
    partitions: int

    def __iter__(self) -> Iterator[Computation]:
        return iter(self.computations.values())


def program(text: str) -> Program:
    """Read a compiled program.

    Raises
    ------
    ValueError
        The text has no entry computation.
    """
    found: dict[str, Computation] = {}
    lines: list[Instruction] = []
    entry, name = "", ""
    for line in text.splitlines():
        if not name:
            if head := _HEAD.match(line):
                name, lines = head[2], []
                entry = name if head[1] else entry
        elif line.startswith("}"):
            found[name] = Computation(name, tuple(lines))
            name = ""
        elif match := _LINE.match(line):
            lines.append(_instruction(match[1], match[2]))
    if not entry:
        raise ValueError("this is no program of XLA's: it has no ENTRY computation")
    partitions = re.search(r"num_partitions=(\d+)", text.partition("\n")[0])
    return Program(found, entry, int(partitions[1]) if partitions else 1)


def _instruction(name: str, text: str) -> Instruction:
    if text.startswith("("):
        end = _closing(text, 0) + 1
        type_, rest = text[:end], text[end:].lstrip()
    else:
        type_, _, rest = text.partition(" ")
    opcode, _, _ = rest.partition("(")
    end = _closing(rest, len(opcode))
    return Instruction(
        name,
        opcode.strip(),
        tuple(Shape(dtype, _sizes(sizes)) for dtype, sizes in _ARRAY.findall(type_)),
        tuple(_OPERAND.findall(rest[len(opcode) : end])),
        rest[end + 1 :],
    )


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(n.removeprefix("<=")) for n in text.split(",") if n)


def _closing(text: str, start: int) -> int:
    """The position of the parenthesis that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    return len(text) - 1
