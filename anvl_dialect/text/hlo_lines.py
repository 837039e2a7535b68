"""Statistics of HLO text by source line: instructions, and the memory that they write.

XLA keeps the location of an instruction as metadata: within the instruction, or as the number of
a stack frame, whose file and line stand in tables at the head of the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["LineStatistics", "line_statistics"]


class LineStatistics(NamedTuple):
    """The part of a compiled program that comes from one source line.

    Attributes
    ----------
    where : str
        File and line; empty for instructions of which XLA has kept none, or made itself.
    instructions : int
        HLO instructions that compute something, also those within fusions.
    bytes_written : int
        The size of the results that are written to memory: those of fusions, of ops outside of
        fusions, and of calls of libraries.  A result of a loop body counts once, not for each step.
    """

    where: str
    instructions: int
    bytes_written: int


# Instructions that compute nothing, and those that stand for results written elsewhere.
_NOTHING = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"}
_ELSEWHERE = {"while", "conditional", "call"}
_OWN_COMPUTATIONS = ("condition", "body", "true_computation", "false_computation")

_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) (?:\([^\n]*\) -> [^\n]*)?\{$")
_INSTRUCTION = re.compile(r"^  (?:ROOT )?%?[\w.\-]+ = (.+?) ([a-z][\w\-]*)\(")
_ARRAY = re.compile(r"\b(pred|token|[a-z]+(\d+)\w*)\[([\d,<=]*)\]")
_TABLE_ROW = re.compile(r"^(\d+) (.*)$")


def line_statistics(text: str) -> list[LineStatistics]:
    """Statistics of each line of an optimized module, those that write most first.

    Examples
    --------
    >>> text = '''
    ... ENTRY %main (x.1: f32[4]) -> f32[4] {
    ...   %x.1 = f32[4]{0} parameter(0)
    ...   ROOT %y = f32[4]{0} sine(%x.1), metadata={source_file="model.py" source_line=3}
    ... }'''
    >>> line_statistics(text)
    [LineStatistics(where='model.py:3', instructions=1, bytes_written=16)]
    """
    frames = _frames(text)
    computations = _computations(text)
    written = _that_write(computations)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, lines in computations.items():
        for line, of, op in lines:
            if op in _NOTHING:
                continue
            count = counts[_place(line, frames) or _place_within(line, computations, frames)]
            count[0] += op != "fusion"
            if name in written and op not in _ELSEWHERE:
                count[1] += _bytes(of)
    found = [LineStatistics(where, *count) for where, count in counts.items()]
    return sorted(found, key=lambda of: (-of.bytes_written, -of.instructions, of.where))


def _computations(text: str) -> dict[str, list[tuple[str, str, str]]]:
    """By name the instructions: the line, the type and the op.  The entry is named ``ENTRY``."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    current: list[tuple[str, str, str]] = []
    for line in text.splitlines():
        head = _COMPUTATION.match(line)
        if head is not None:
            current = found["ENTRY" if head[1] else head[2]] = []
            continue
        instruction = _INSTRUCTION.match(line)
        if instruction is not None:
            current.append((line, instruction[1], instruction[2]))
    return found


def _that_write(computations: dict[str, list[tuple[str, str, str]]]) -> set[str]:
    """Computations whose results have memory of their own: not those of fusions and reducers."""
    found, waiting = {"ENTRY"}, ["ENTRY"]
    while waiting:
        for line, _, op in computations.get(waiting.pop(), ()):
            if op in _ELSEWHERE:
                new = set(_called(line)) - found
                found |= new
                waiting += new
    return found


def _called(line: str) -> Iterator[str]:
    for key in (*_OWN_COMPUTATIONS, "to_apply"):
        yield from re.findall(rf"\b{key}=%?([\w.\-]+)", line)
    for names in re.findall(r"branch_computations=\{([^}]*)\}", line):
        yield from (name.strip().lstrip("%") for name in names.split(","))


def _bytes(of: str) -> int:
    """Bytes of a type, `f32[2,3]{1,0}` or a tuple of types."""
    total = 0
    for kind, digits, shape in _ARRAY.findall(of):
        bits = 8 if kind == "pred" else int(digits or 0)
        elements = 1
        for n in filter(None, shape.split(",")):
            elements *= int(n.lstrip("<="))
        total += (elements * bits + 7) // 8
    return total


def _place(line: str, frames: dict[str, str]) -> str:
    file = re.search(r'source_file="([^"]*)"', line)
    number = re.search(r"source_line=(\d+)", line)
    if file is not None and number is not None:
        return f"{file[1]}:{number[1]}"
    frame = re.search(r"stack_frame_id=(\d+)", line)
    return "" if frame is None else frames.get(frame[1], "")


def _place_within(
    line: str, computations: dict[str, list[tuple[str, str, str]]], frames: dict[str, str]
) -> str:
    """The last place in the computations of an instruction that has none of its own."""
    for name in re.findall(r"\b(?:calls|to_apply)=%?([\w.\-]+)", line):
        for inner, _, _ in reversed(computations.get(name, ())):
            place = _place(inner, frames) or _place_within(inner, computations, frames)
            if place:
                return place
    return ""


def _frames(text: str) -> dict[str, str]:
    """By the number of a stack frame its file and line."""
    tables: dict[str, dict[str, str]] = defaultdict(dict)
    title = ""
    for line in text.splitlines():
        row = _TABLE_ROW.match(line)
        if row is None:
            title = line.strip()
        else:
            tables[title][row[1]] = row[2]
    places = {}
    for number, row_text in tables["FileLocations"].items():
        file = tables["FileNames"].get(_field(row_text, "file_name_id"), "").strip('"')
        places[number] = f"{file}:{_field(row_text, 'line')}"
    return {
        number: places.get(_field(row_text, "file_location_id"), "")
        for number, row_text in tables["StackFrames"].items()
    }


def _field(row: str, name: str) -> str:
    found = re.search(rf"\b{name}=(\d+)", row)
    return "" if found is None else found[1]
