"""Names that the code of a function reads from outside: globals, closures, attributes, imports.

They are read from the bytecode, once for each code object: 0.3 us an instruction.
"""

from __future__ import annotations

import sys
import weakref
from opcode import EXTENDED_ARG, opname
from types import CodeType
from typing import NamedTuple

__all__ = ["DYNAMIC", "WRITING_METHODS", "CodeReads", "Use", "reads_of"]


class Use(NamedTuple):
    """The first use of a name in a code object: its file and line.

    A container that is `only_written` to, as in `calls.append(x)`, `log["x"] = x` and
    `model.last = x`, is not read.
    """

    file: str
    line: int
    only_written: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class CodeReads:
    """Names that a code object, and those in it, read; by kind.

    `reads_any_attribute` is true for code that computes the names of attributes, `reads_classes`
    for code that reads those of a class although an instance may have its own.
    """

    # No dataclass: making one takes 1 ms of a first call.
    def __init__(self) -> None:
        self.globals: dict[str, Use] = {}
        self.cells: dict[str, Use] = {}
        self.attributes: dict[str, Use] = {}
        self.imports: dict[str, Use] = {}
        self.reads_any_attribute = self.reads_classes = False


def reads_of(code: CodeType) -> CodeReads:
    """The names that a code object reads."""
    known = _known.get(id(code))
    if known is not None:
        return known[1]
    reads = CodeReads()
    _collect(code, reads)
    names = {*reads.globals, *reads.attributes}
    reads.reads_any_attribute = not DYNAMIC.isdisjoint(names)
    reads.reads_classes = not _CLASSES.isdisjoint(names)
    # By identity: equal code objects may stem from different files, and hashing one takes time.
    at = id(code)
    _known[at] = weakref.ref(code, lambda _: _known.pop(at, None)), reads
    return reads


_known: dict[int, tuple[weakref.ref[CodeType], CodeReads]] = {}

#: A function that uses one of these may read any attribute.
DYNAMIC = frozenset(
    ("__dict__", "__getattribute__", "attrgetter", "dir", "getattr", "hasattr", "vars")
)
# A function that uses one of these may read the attributes of a class.
_CLASSES = frozenset(("__base__", "__bases__", "__class__", "__mro__", "mro", "super", "type"))
#: Methods of containers that read nothing.
WRITING_METHODS = frozenset(
    ("add", "append", "appendleft", "clear", "extend", "extendleft", "insert", "update")
)

_GLOBALS = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"))
_CELLS = frozenset(("LOAD_CLASSDEREF", "LOAD_DEREF", "LOAD_FROM_DICT_OR_DEREF"))
_ATTRIBUTES = frozenset(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"))
_KEYS = frozenset(("LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL"))
_SUBSCRIPT_WRITES = frozenset(("DELETE_SUBSCR", "STORE_SUBSCR"))
_ATTRIBUTE_WRITES = frozenset(("DELETE_ATTR", "STORE_ATTR"))
_PADDING = frozenset(("CACHE", "NOP", "PUSH_NULL"))

# Instructions whose argument has flags below the index of the name.
_FLAG_BITS = {"LOAD_GLOBAL": 1}
if sys.version_info >= (3, 12):
    _FLAG_BITS |= {"LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2}


# An instruction: its name, its argument, its line.
_Instruction = tuple[str, int, int]
_END: _Instruction = "", 0, 0


def _instructions(code: CodeType) -> list[_Instruction]:
    raw, argument, found = code.co_code, 0, []
    for start, end, line in code.co_lines():
        for offset in range(start, end, 2):
            argument = argument << 8 | raw[offset + 1]
            if raw[offset] != EXTENDED_ARG:
                name = opname[raw[offset]]
                if name not in _PADDING:
                    found.append((name, argument, line or code.co_firstlineno))
                argument = 0
    return found


def _collect(code: CodeType, reads: CodeReads) -> None:
    instructions = [*_instructions(code), _END, _END]
    kinds = {
        **dict.fromkeys(_GLOBALS, reads.globals),
        **dict.fromkeys(_ATTRIBUTES, reads.attributes),
        **dict.fromkeys(_CELLS, reads.cells),
        "IMPORT_NAME": reads.imports,
    }
    for i, (name, argument, line) in enumerate(instructions):
        found = kinds.get(name)
        if found is None:
            continue
        variable = _variable(code, name, argument)
        known = found.get(variable)
        if known is None or known.only_written:
            only_written = _is_write(code, instructions[i + 1], instructions[i + 2])
            if known is None or not only_written:
                found[variable] = Use(code.co_filename, line, only_written)
    _collect_constants(code, reads)


def _collect_constants(code: CodeType, reads: CodeReads) -> None:
    """Add what functions in a function read, and text that may be the name of an attribute."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _collect(constant, reads)
        # As in getattr(model, "scale"), or case Model(scale=s).
        texts = constant if isinstance(constant, tuple) else (constant,)
        for text in texts:
            if isinstance(text, str) and text.isidentifier():
                use = Use(code.co_filename, code.co_firstlineno, False)
                reads.attributes.setdefault(text, use)


def _variable(code: CodeType, name: str, argument: int) -> str:
    if name in _CELLS:
        return code._varname_from_oparg(argument)  # type: ignore[attr-defined]
    return code.co_names[argument >> _FLAG_BITS.get(name, 0)]


def _is_write(code: CodeType, following: _Instruction, second: _Instruction) -> bool:
    """Whether an object that was just loaded is only written to by the next instructions."""
    name, argument, _ = following
    if name in _ATTRIBUTES:
        return _variable(code, name, argument) in WRITING_METHODS
    if name in _KEYS:
        return second[0] in _SUBSCRIPT_WRITES
    return name in _ATTRIBUTE_WRITES
